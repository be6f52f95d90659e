"""Simulated aligners: a gold standard as counted, rivals, perfect annotators."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from annobench.alignment import links
from annobench.alignment.links import Link, SentencePair
from annobench.core.errors import AnnotationError
from annobench.simulation.alignments import (
    GOLD,
    lay_links,
    rival_links,
    simulate_links,
    tree_pairs,
)


@pytest.fixture(scope="module")
def trees():
    return tree_pairs(40, 60, 0.5, np.random.default_rng(1))


@pytest.fixture(scope="module")
def gold(trees):
    counts = {"word": (900, 100), "phrase": (300, 50)}
    stars = [("source", 2)] * 20 + [("target", 3)] * 5
    return lay_links(trees, counts, stars, np.random.default_rng(2))


def test_a_gold_standard_is_laid_as_counted(trees, gold):
    a = links.Alignments.from_links(trees, {GOLD: gold})
    table = links.sizes(a).set_index("kind")[["exact", "fuzzy"]]
    assert table.loc["word"].tolist() == [900, 100]
    assert table.loc["phrase"].tolist() == [300, 50]
    # 20 source words have two links; 5 target words have three, from 15 source words.
    assert links.fan_out(a, GOLD, "source") == {1: 1350 - 40, 2: 20}
    assert links.fan_out(a, GOLD, "target") == {1: 1350 - 15, 3: 5}
    with pytest.raises(AnnotationError, match="2000 word links don't fit between the nodes of 1"):
        lay_links(trees[:1], {"word": (2000, 0)}, [], np.random.default_rng(1))


def test_rivals_are_no_gold_links(trees, gold, rng):
    rivals = rival_links(trees, gold, 500, rng)
    assert not {link[:3] for link in rivals} & {link[:3] for link in gold}
    assert len({link[:3] for link in rivals}) == 500
    with pytest.raises(AnnotationError, match="links are wanted"):
        rival_links(trees[:1], gold, 10**6, rng)


def test_a_perfect_annotator_draws_the_gold_standard(trees, gold, rng):
    rivals = rival_links(trees, gold, 50, rng)
    a = simulate_links(
        trees,
        gold,
        rivals,
        skill=[40],
        strictness=[0],
        leaning=[-20],
        shared=0.5,
        names=["s"],
        rng=rng,
    )
    found = links.compare(a, "s", GOLD, rng=1)
    assert (found.own, found.missed) == (0, 0)
    assert Counter(a.drawn[:, 1].tolist()) == {1: len(gold)}


def test_a_seed_repeats_itself(trees, gold):
    drawn = []
    for _ in range(2):
        generator = np.random.default_rng(9)
        a = simulate_links(
            trees,
            gold,
            [],
            skill=[2, 3],
            strictness=[0, 0.5],
            leaning=[0, 0],
            shared=0.3,
            names=["x", "y"],
            rng=generator,
        )
        drawn.append(a.drawn.tobytes())
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("counts", "stars", "message"),
    [
        ({"clause": (3, 1)}, [], "kinds clause must be of word, phrase"),
        ({"word": (3, 1)}, [("left", 2)], "sides of stars of source, target"),
        ({"word": (3, 1)}, [("source", 6)], "the stars have 6 links, and of words there are 4"),
    ],
)
def test_a_gold_standard_that_contradicts_itself_is_refused(trees, counts, stars, message, rng):
    with pytest.raises(AnnotationError, match=message):
        lay_links(trees, counts, stars, rng)


def test_strength_of_a_link_outside_the_pairs_is_refused(rng):
    with pytest.raises(AnnotationError, match="belongs to no known pair"):
        simulate_links(
            [SentencePair.of_words("a", 1, 1)],
            [Link("b", "0", "0")],
            [],
            skill=[9],
            strictness=[0],
            leaning=[0],
            shared=0.0,
            names=["x"],
            rng=rng,
        )
