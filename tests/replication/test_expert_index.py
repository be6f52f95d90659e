"""Algorithm 1 of Bhowmick, Mitra and Basu: by hand, and against a literal transcription."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from machinery import module_of

from annobench.agreement.coefficients.paired_agreement import from_membership
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations

expert_gold = module_of("bhowmick2008", "expert_index").expert_gold


def decide(membership, **options):
    return expert_gold(from_membership(membership), **options)


PANELS = st.tuples(st.integers(1, 8), st.integers(1, 6), st.integers(1, 4)).flatmap(
    lambda shape: hnp.arrays(np.bool_, shape)
)


def step_by_step(membership, count_ties):
    """The algorithm as its lines read."""
    n_items, n_annotators, n_categories = membership.shape
    xi = [0] * n_annotators
    gold = np.zeros((n_items, n_categories), dtype=bool)
    for i in range(n_items):
        for c in range(n_categories):
            chose = [j for j in range(n_annotators) if membership[i, j, c]]
            others = [j for j in range(n_annotators) if not membership[i, j, c]]
            if len(chose) > len(others):
                gold[i, c] = True
                right = chose
            elif len(chose) < len(others):
                right = others
            else:
                gold[i, c] = sum(xi[j] for j in chose) > sum(xi[j] for j in others)
                right = (chose if gold[i, c] else others) if count_ties else []
            for j in right:
                xi[j] += 1
    return gold, xi


@settings(deadline=None)
@given(membership=PANELS, count_ties=st.booleans())
def test_the_algorithm_is_the_one_printed(membership, count_ties):
    result = decide(membership, count_ties=count_ties)
    gold, xi = step_by_step(membership, count_ties)
    np.testing.assert_array_equal(result.gold, gold)
    assert result.expert_index.tolist() == xi
    assert result.n_ties == result.tied.sum()


def votes(*rows):
    """Items of one category: a row per item, a column per annotator."""
    return np.array(rows, dtype=bool)[:, :, None]


def test_a_tie_goes_to_those_who_were_right_before():
    # 3 : 1 for yes and 3 : 1 for no; then a tie of xi (2, 2) against (1, 1), and the reverse.
    panel = votes([1, 1, 1, 0], [0, 0, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1])
    result = decide(panel)
    assert result.gold.ravel().tolist() == [True, False, True, False]
    assert result.expert_index.tolist() == [2, 2, 1, 1]
    assert result.tie_item.tolist() == [2, 3]
    assert result.tie_for.tolist() == [4, 2]
    assert result.tie_against.tolist() == [2, 4]
    assert result.n_unresolved == 0


def test_the_order_of_the_items_decides_ties():
    tie, vote = [1, 1, 0, 0], [1, 1, 1, 0]
    first, last = decide(votes(tie, vote)), decide(votes(vote, tie))
    assert first.gold.ravel().tolist() == [False, True]  # all have 0: the tie goes to no
    assert first.n_unresolved == 1
    assert last.gold.ravel().tolist() == [True, True]


@settings(deadline=None)
@given(membership=PANELS, data=st.data())
def test_an_order_given_is_that_of_reordered_items(membership, data):
    order = data.draw(st.permutations(range(len(membership))))
    given, moved = decide(membership, order=order), decide(membership[order])
    np.testing.assert_array_equal(given.gold[order], moved.gold)
    np.testing.assert_array_equal(given.tied[order], moved.tied)
    np.testing.assert_array_equal(given.tie_item, np.array(order)[moved.tie_item])
    np.testing.assert_array_equal(given.expert_index, moved.expert_index)


@pytest.mark.parametrize("order", [[0], [0, 0], [0, 2], [0.5, 1], [[0, 1], [1, 0]]])
def test_an_order_that_is_none_is_refused(order):
    with pytest.raises(AnnotationError, match="each of the 2 items once"):
        decide(votes([1, 1, 0], [1, 0, 0]), order=order)


def test_ties_can_raise_the_index_of_those_they_prove_right():
    panel = votes([1, 1, 1, 0], [1, 1, 0, 0])
    assert decide(panel).expert_index.tolist() == [1, 1, 1, 0]
    assert decide(panel, count_ties=True).expert_index.tolist() == [2, 2, 1, 0]


@settings(deadline=None)
@given(
    membership=st.tuples(st.integers(1, 8), st.sampled_from([1, 3, 5]), st.integers(1, 4)).flatmap(
        lambda shape: hnp.arrays(np.bool_, shape)
    )
)
def test_an_odd_number_of_annotators_never_ties(membership):
    result = decide(membership)
    assert result.n_ties == 0
    np.testing.assert_array_equal(result.gold, 2 * membership.sum(axis=1) > membership.shape[1])


def test_who_did_not_label_an_item_has_no_vote_on_it():
    annotations = Annotations.from_sets(
        ["x", "x", "x", "y", "y"], ["j", "k", "l", "j", "k"], [["a"], ["a"], [], ["a"], []]
    )
    # x: 2 : 1 for yes; y: j against k, both with 1, goes to no.
    result = expert_gold(annotations)
    assert result.gold.ravel().tolist() == [True, False]
    assert result.expert_index.tolist() == [1, 1, 0]
    assert result.tie_for.tolist() == result.tie_against.tolist() == [1]


def test_labels_that_are_no_sets_are_refused():
    with pytest.raises(AnnotationError, match="must be sets"):
        expert_gold(Annotations.from_arrays(["x", "x"], ["j", "k"], ["a", "b"]))
