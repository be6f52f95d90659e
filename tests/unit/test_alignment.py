"""Links between two sentences: counts by hand, measures by formula, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annobench import agreement
from annobench.alignment import links as alignment
from annobench.alignment.links import Alignments, Link, SentencePair
from annobench.core.errors import AnnotationError

TREES = (
    SentencePair(
        "a",
        {"g1": "word", "g2": "word", "gNP": "phrase"},
        {"e1": "word", "e2": "word", "e3": "word", "eNP": "phrase"},
    ),
    SentencePair("b", {"h1": "word", "hS": "phrase"}, {"f1": "word", "fS": "phrase"}),
)
GOLD = [
    Link("a", "g1", "e1"),
    Link("a", "g2", "e2"),
    Link("a", "g2", "e3", "fuzzy"),
    Link("a", "gNP", "eNP"),
    Link("b", "h1", "f1"),
]
FIRST = [
    Link("a", "g1", "e1"),
    Link("a", "g2", "e2", "fuzzy"),
    Link("a", "g1", "eNP"),
    Link("b", "h1", "f1"),
]
SECOND = [Link("a", "g1", "e1", "fuzzy"), Link("b", "h1", "f1"), Link("b", "hS", "fS", "fuzzy")]


@pytest.fixture
def trees():
    return Alignments.from_links(TREES, {"gold": GOLD, "x": FIRST, "y": SECOND})


def test_links_stand_in_the_order_of_the_pairs(trees):
    assert [link.pair for link in trees.links] == ["a"] * 5 + ["b"] * 2
    assert trees.pair.tolist() == [0] * 5 + [1] * 2
    assert trees.drawn[0].tolist() == [1, 1, 2]
    assert repr(trees) == "Alignments(2 sentence pairs, 3 annotators, 7 different links)"
    with pytest.raises(ValueError, match="read-only"):
        trees.drawn[0, 0] = 0


def test_kinds_and_strengths_are_counted(trees):
    table = alignment.sizes(trees).set_index(["annotator", "kind"])
    assert table.loc[("gold", "word")].tolist() == [3, 1, 4]
    assert table.loc[("gold", "phrase")].tolist() == [1, 0, 1]
    assert table.loc[("x", "mixed")].tolist() == [1, 0, 1]
    assert table.loc[("y", "phrase")].tolist() == [0, 1, 1]


def test_fan_out_is_seen_from_either_side(trees):
    assert alignment.fan_out(trees, "gold", "source") == {1: 3, 2: 1}
    assert alignment.fan_out(trees, "gold", "target") == {1: 5}
    assert alignment.fan_out(trees.of_annotators(["y"]), "y", "source") == {1: 3}
    with pytest.raises(AnnotationError, match="side 'german' is not one of source, target"):
        alignment.fan_out(trees, "gold", "german")


def test_an_annotator_is_compared_with_the_gold_standard_by_hand(trees):
    found = alignment.compare(trees, "x", "gold", universe="nodes", rng=1)
    # Three shared of four and of five; 3 x 4 + 2 x 2 = 16 candidates, ten of them with neither.
    assert (found.shared, found.own, found.missed) == (3, 1, 2)
    assert found.precision.estimate == pytest.approx(3 / 4)
    assert found.recall.estimate == pytest.approx(3 / 5)
    assert found.f_score.estimate == pytest.approx(6 / 9)
    expected = (4 * 5 + 12 * 11) / 256
    assert found.kappa.estimate == pytest.approx((13 / 16 - expected) / (1 - expected))
    assert found.recall.lower <= found.recall.estimate <= found.recall.upper


def test_universes_are_counted_and_hold_what_was_drawn(trees):
    # Words 2 x 3 and a phrase each, and the link across that x drew; the second 1 + 1.
    assert trees.universe_sizes("kind").tolist() == [8, 2]
    assert trees.universe_sizes("nodes").tolist() == [12, 4]
    assert trees.universe_sizes("drawn").tolist() == [5, 2]
    for universe in alignment.UNIVERSES:
        labels, pair = trees.to_annotations(universe)
        assert np.bincount(pair).tolist() == trees.universe_sizes(universe).tolist()
        assert len(set(labels.items)) == labels.n_items
        assert (labels.counts.sum(axis=1) == 3).all()
    with pytest.raises(AnnotationError, match="universe 'all' is not one of drawn, kind, nodes"):
        trees.to_annotations("all")


def test_measures_are_those_of_the_coefficients_on_labels(trees):
    two = trees.of_annotators(["x", "gold"])
    for universe in alignment.UNIVERSES:
        labels, _ = two.to_annotations(universe)
        found = alignment.compare(two, "x", "gold", universe=universe, rng=1)
        f_score = agreement.specific_agreement(labels, alignment.LINKED).estimate
        assert found.f_score.estimate == pytest.approx(f_score, rel=1e-12)
        kappa = agreement.cohen_kappa(labels).estimate
        assert found.kappa.estimate == pytest.approx(kappa, rel=1e-12)


def test_strengths_are_labels_of_those_who_drew_the_link(trees):
    labels = trees.strengths()
    assert labels.categories == ("exact", "fuzzy")
    assert labels.n_labels == len(GOLD) + len(FIRST) + len(SECOND)
    assert labels.counts[0].tolist() == [2, 1]


def test_the_pool_is_counted_by_hand(trees):
    found = alignment.pool(trees.of_annotators(["x", "y"]), rng=1)
    assert (found.union, found.intersection, found.smallest, found.largest) == (5, 2, 3, 4)
    assert found.support == (3, 2)
    assert found.intersection_share.estimate == pytest.approx(2 / 3)
    assert found.union_excess.estimate == pytest.approx(1 / 4)
    # Exact by somebody: g1-e1, g1-eNP, h1-f1; fuzzy: g1-e1, g2-e2, hS-fS; both: g1-e1.
    assert (found.exact, found.fuzzy, found.both) == (3, 3, 1)
    assert found.exact + found.fuzzy - found.both == found.union
    with pytest.raises(AnnotationError, match="at least two annotators, got 1"):
        alignment.pool(trees.of_annotators(["x"]), rng=1)


def test_a_single_pair_has_no_interval_and_an_unknown_annotator_is_named(trees):
    single = Alignments.from_links(TREES[1:], {"gold": GOLD[4:], "y": SECOND[1:]})
    found = alignment.compare(single, "y", "gold", rng=1)
    assert math.isnan(found.recall.lower)
    with pytest.raises(AnnotationError, match=r"no annotator 'z'\. Known: 'gold', 'x', 'y'"):
        trees.of_annotators(["z"])


def test_a_seed_repeats_itself_and_a_level_is_checked(trees):
    first, second = (alignment.compare(trees, "x", "gold", rng=7) for _ in range(2))
    assert first == second
    with pytest.raises(AnnotationError, match="level is 95"):
        alignment.compare(trees, "x", "gold", level=95, rng=1)


def test_nothing_drawn_is_undefined():
    empty = Alignments.from_links(TREES, {"x": [], "y": GOLD})
    found = alignment.compare(empty, "x", "y", rng=1)
    assert math.isnan(found.precision.estimate)
    assert found.recall.estimate == 0
    assert math.isnan(alignment.pool(empty, rng=1).intersection_share.estimate)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ([Link("a", "g9", "e1")], "leaves the sentence: the source has no node 'g9'"),
        ([Link("a", "g1", "h1")], "leaves the sentence: the target has no node 'h1'"),
        ([Link("c", "g1", "e1")], "belongs to no known pair"),
        ([Link("a", "g1", "e1", "good")], "strength 'good', which is not one of exact, fuzzy"),
        ([Link("a", "g1", "e1"), Link("a", "g1", "e1", "fuzzy")], "is drawn twice"),
        ([Link("c", "x", "y")] * 12, "and 2 more"),
    ],
)
def test_links_outside_the_sentences_are_refused(links, message):
    with pytest.raises(AnnotationError, match=message):
        Alignments.from_links(TREES, {"x": links})


def test_pairs_that_are_none_are_refused():
    with pytest.raises(AnnotationError, match="pair 'a' stands there 2 times"):
        Alignments.from_links([TREES[0], TREES[0]], {})
    with pytest.raises(AnnotationError, match="name is empty"):
        SentencePair("", {}, {})
    with pytest.raises(AnnotationError, match="source node 'S' is a 'clause'"):
        SentencePair("a", {"S": "clause"}, {})


LINKS = st.sets(st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(0, 3)))


@settings(deadline=None, max_examples=60)
@given(first=LINKS, second=LINKS)
def test_counts_are_those_of_sets(first, second):
    pairs = [SentencePair.of_words(name, 4, 4) for name in "ab"]
    links = {
        name: [Link(pair, str(i), str(j)) for pair, i, j in own]
        for name, own in {"x": first, "y": second}.items()
    }
    a = Alignments.from_links(pairs, links)
    found = alignment.compare(a, "x", "y", rng=1, replicates=20)
    assert found.shared == len(first & second)
    assert found.own == len(first - second)
    assert found.missed == len(second - first)
    pooled = alignment.pool(a, rng=1, replicates=20)
    assert (pooled.union, pooled.intersection) == (len(first | second), len(first & second))
    back = alignment.compare(a, "y", "x", rng=1, replicates=20)
    np.testing.assert_equal(back.precision.estimate, found.recall.estimate)
    np.testing.assert_equal(back.kappa.estimate, found.kappa.estimate)
