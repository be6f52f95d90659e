"""Scores against a gold standard, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from annobench.core.errors import AnnotationError
from annobench.evaluation.scores import (
    category_scores,
    compare_lists,
    confusion_counts,
    count_errors,
    recall_by_category,
)
from annobench.labels.annotations import Annotations


def test_a_tie_of_two_counts_as_half_an_error():
    # right, wrong, tie, tie: 1 error, 2 ties, 1 + 2 / 2 = 2 expected errors of 4
    posterior = np.array([[0.9, 0.1], [0.9, 0.1], [0.5, 0.5], [0.5, 0.5]])
    errors = count_errors(posterior, np.array([0, 1, 0, 1]))
    assert (errors.errors, errors.ties) == (1, 2)
    assert errors.expected_errors == 2.0
    assert errors.expected_accuracy == 0.5


def test_a_tie_without_the_gold_category_is_a_whole_error():
    # Three categories. Tie of 0 and 1, gold 2: always wrong, 1. Tie of all, gold 2: right once in
    # three, 2/3. Tie of 1 and 2, gold 2: 1/2. Sum 13/6.
    posterior = np.array([[0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.2, 0.4, 0.4]])
    errors = count_errors(posterior, np.array([2, 2, 2]))
    assert (errors.errors, errors.ties) == (0, 3)
    assert errors.expected_errors == pytest.approx(13 / 6, rel=1e-14)
    assert errors.expected_accuracy == pytest.approx(1 - 13 / 18, rel=1e-14)


def test_exchanging_categories_and_gold_leaves_the_errors(rng):
    posterior = rng.dirichlet(np.ones(3), size=50).round(1)
    gold = rng.integers(3, size=50)
    order = np.array([2, 0, 1])
    assert count_errors(posterior, gold) == count_errors(
        posterior[:, order], np.argsort(order)[gold]
    )


GOLD_FAULTS = [
    (np.array([0, -1, 1]), "gold category -1"),
    (np.array([0, 2, 1]), "gold category 2"),
    (np.array([0]), "1 gold categories for 3 items"),
]


@pytest.mark.parametrize(("gold", "message"), GOLD_FAULTS)
def test_gold_that_does_not_fit_the_items_is_refused(gold, message):
    annotations = Annotations.from_arrays(list("xyz"), list("aaa"), [0, 1, 0])
    with pytest.raises(AnnotationError, match=message):
        count_errors(np.full((3, 2), 0.5), gold)
    with pytest.raises(AnnotationError, match=message):
        confusion_counts(annotations, gold)


def test_no_items_have_no_accuracy():
    with pytest.raises(AnnotationError, match="no items"):
        count_errors(np.zeros((0, 2)), np.zeros(0, dtype=np.int64))


def test_confusion_counts_put_truth_in_rows_and_labels_in_columns():
    # Gold: x 0, y 1, z 1. ann: x 0, y 0, z 1, z 1 (repeated); bob: x 1.
    annotations = Annotations.from_arrays(
        list("xyzzx"), ["ann", "ann", "ann", "ann", "bob"], [0, 0, 1, 1, 1]
    )
    counts = confusion_counts(annotations, np.array([0, 1, 1]))
    assert counts.tolist() == [[[1, 0], [1, 2]], [[0, 1], [0, 0]]]


def test_rates_are_diagonals_over_row_sums_and_nan_without_items():
    # ann: specificity 1/1, sensitivity 2/3; bob: specificity 0/1, sensitivity of no item.
    rates = recall_by_category(np.array([[[1, 0], [1, 2]], [[0, 1], [0, 0]]]))
    np.testing.assert_array_equal(rates, [[1, 2 / 3], [0, np.nan]])


def test_category_scores_by_hand():
    # Rows are gold. Category 0: 6 of 8 found, 6 of 7 named right; 1: 3 of 4 and 3 of 5; 2: none
    # of 1 found, none of 1 named right.
    scores = category_scores([[6, 2, 0], [0, 3, 1], [1, 0, 0]])
    np.testing.assert_allclose(scores.recall, [6 / 8, 3 / 4, 0])
    np.testing.assert_allclose(scores.precision, [6 / 7, 3 / 5, 0])
    np.testing.assert_allclose(scores.f_score, [12 / 15, 6 / 9, 0])
    assert scores.macro_recall == pytest.approx(0.5)
    assert scores.macro_precision == pytest.approx((6 / 7 + 3 / 5) / 3)
    both = 0.5 + (6 / 7 + 3 / 5) / 3
    assert scores.f1_of_averages == pytest.approx((6 / 7 + 3 / 5) / 3 / both)
    assert scores.averaged_f1 == pytest.approx((12 / 15 + 6 / 9) / 3)
    assert scores.accuracy == pytest.approx(9 / 13)


def test_a_category_without_labels_or_items_counts_as_nothing_found():
    # 1 is never named, 2 has no item, 3 does not occur: macro means over three categories.
    scores = category_scores([[2, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(scores.precision, [2 / 3, np.nan, 0, np.nan])
    np.testing.assert_array_equal(scores.recall, [2 / 3, 0, np.nan, np.nan])
    np.testing.assert_array_equal(scores.f_score, [2 / 3, 0, 0, np.nan])
    assert scores.macro_precision == pytest.approx(2 / 9)
    assert scores.macro_recall == pytest.approx(2 / 9)
    assert scores.averaged_f1 == pytest.approx(2 / 9)


def test_scores_of_many_matrices_are_those_of_each(rng):
    counts = rng.integers(0, 9, size=(5, 4, 4))
    together = category_scores(counts)
    for j, one in enumerate(counts):
        for name, value in vars(category_scores(one)).items():
            np.testing.assert_array_equal(getattr(together, name)[j], value)
    # The harmonic mean is concave, so that the mean of F-scores is never the larger.
    assert (together.f1_of_averages >= together.averaged_f1 - 1e-12).all()


def test_extreme_scores():
    perfect = category_scores(np.diag([3, 2]))
    assert (perfect.f1_of_averages, perfect.averaged_f1, perfect.accuracy) == (1, 1, 1)
    wrong = category_scores([[0, 3], [2, 0]])
    assert (wrong.f1_of_averages, wrong.averaged_f1, wrong.accuracy) == (0, 0, 0)
    nothing = category_scores(np.zeros((2, 2)))
    assert np.isnan([nothing.f1_of_averages, nothing.averaged_f1, nothing.accuracy]).all()


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, 2]], "must be square"),
        ([1], "must be square"),
        ([[1, -1], [0, 1]], "at least 0"),
        ([[np.nan, 1], [0, 1]], "finite"),
    ],
)
def test_what_is_no_confusion_matrix_is_refused(counts, message):
    with pytest.raises(AnnotationError, match=message):
        category_scores(counts)


def test_a_boolean_gold_standard_is_no_mask():
    posterior = np.array([[0.9, 0.1], [0.2, 0.8]])
    assert count_errors(posterior, np.array([False, True])).expected_accuracy == 1
    assert count_errors(posterior, [0, 1]).expected_accuracy == 1
    with pytest.raises(AnnotationError, match="got float64"):
        count_errors(posterior, np.array([0.0, np.nan]))
    with pytest.raises(AnnotationError, match="1 items have NaN"):
        count_errors(np.array([[0.9, 0.1], [np.nan, np.nan]]), [0, 1])


def test_lists_are_compared_each_with_each():
    lists = {"a": [1, 1, 1, 0, 0, 0], "b": [1, 1, 0, 0, 0, 0], "none": [0] * 6}
    found = compare_lists(lists).set_index(["first", "second"])
    assert len(found) == 3
    pair = found.loc[("a", "b")]
    assert (pair["in_first"], pair["in_second"], pair["in_both"]) == (3, 2, 2)
    assert pair["share_of_second"] == 1
    assert pair["expected_by_chance"] == 1
    assert pair["jaccard"] == pytest.approx(2 / 3)
    assert pair["fisher_p"] == pytest.approx(2 * 3 / 15)  # both of b in a, or neither
    assert np.isnan(found.loc[("a", "none"), "share_of_second"])


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="different lengths"):
        compare_lists({"a": [1, 0], "b": [1]})
