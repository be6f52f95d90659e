"""Scores of classifiers that may abstain."""

import itertools

import numpy as np
import pytest

from annobench.core.errors import AnnotationError
from annobench.evaluation.scores import category_scores
from annobench.evaluation.selective import (
    ABSTAIN,
    abstaining_scores,
    possible_answers,
    risk_coverage,
)


def test_without_abstention_the_scores_are_those_of_the_confusion_matrix(rng):
    gold, answer = rng.integers(3, size=(2, 200))
    counts = np.zeros((3, 3), dtype=int)
    np.add.at(counts, (gold, answer), 1)
    found, wanted = abstaining_scores(answer, gold, 3), category_scores(counts)
    assert found.coverage == 1
    assert found.accuracy == found.selective_accuracy == wanted.accuracy
    assert found.precision == pytest.approx(wanted.precision, rel=1e-12)
    assert found.recall == pytest.approx(wanted.recall, rel=1e-12)


def test_an_answer_not_given_costs_recall_and_not_precision():
    gold = np.array([0, 0, 1, 1])
    found = abstaining_scores([0, ABSTAIN, ABSTAIN, 0], gold, 3)
    assert (found.coverage, found.accuracy, found.selective_accuracy) == (0.5, 0.25, 0.5)
    assert found.precision == pytest.approx([0.5, np.nan, np.nan], nan_ok=True)
    assert found.recall == pytest.approx([0.5, 0.0, np.nan], nan_ok=True)


def test_nobody_answers():
    found = abstaining_scores([ABSTAIN] * 3, [0, 1, 1], 2)
    assert (found.coverage, found.accuracy) == (0, 0)
    assert np.isnan(found.selective_accuracy)


@pytest.mark.parametrize(
    ("answer", "gold", "message"),
    [
        ([0, 1], [0], r"shape \(2,\) for gold categories of shape \(1,\)"),
        ([], [], "at least one item"),
        ([2], [0], r"answer must be a whole number in \[-1, 2\)"),
        ([0], [-1], r"gold category must be a whole number in \[0, 2\)"),
        ([0.0], [0], "answer must be a whole number"),
    ],
)
def test_codes_out_of_range_are_refused(answer, gold, message):
    with pytest.raises(AnnotationError, match=message):
        abstaining_scores(answer, gold, 2)


def test_ties_count_as_the_mean_over_their_orders(rng):
    confidence = np.array([3, 2, 2, 2, 1, 1])
    correct = np.array([True, False, True, True, False, True])
    curves = []
    for middle, last in itertools.product(
        itertools.permutations((1, 2, 3)), itertools.permutations((4, 5))
    ):
        order = [0, *middle, *last]
        curves.append(np.cumsum(~correct[order]) / np.arange(1, 7))
    shuffled = rng.permutation(6)
    found = risk_coverage(confidence[shuffled], correct[shuffled])
    assert found.risk == pytest.approx(np.mean(curves, axis=0), rel=1e-12)
    assert found.area == pytest.approx(np.mean(curves), rel=1e-12)


def test_confidence_that_tells_nothing_has_the_error_rate_as_area():
    found = risk_coverage(np.ones(10), np.arange(10) < 7)
    assert found.risk == pytest.approx(np.full(10, 0.3), rel=1e-12)
    assert found.area == pytest.approx(0.3, rel=1e-12)


def test_the_smallest_area_is_that_of_errors_put_last(rng):
    correct = rng.random(50) < 0.7
    assert risk_coverage(correct, correct).area == pytest.approx(
        risk_coverage(rng.random(50), correct).smallest_area, rel=1e-12
    )


def test_infinite_confidences_are_ranks_like_others():
    found = risk_coverage([np.inf, 1.0, -np.inf, -np.inf], [True, False, False, True])
    assert found.risk == pytest.approx([0, 1 / 2, 1.5 / 3, 2 / 4], rel=1e-12)


def test_the_risk_at_a_coverage_is_that_of_the_nearest_number_of_items():
    curve = risk_coverage([4, 3, 2, 1], [True, False, True, False])
    assert [curve.risk_at(c) for c in (0.01, 0.5, 0.6, 1)] == pytest.approx(
        [0, 1 / 2, 1 / 2, 1 / 2]
    )
    with pytest.raises(AnnotationError, match=r"coverage is 0, but must be in \(0, 1\]"):
        curve.risk_at(0)


@pytest.mark.parametrize(
    ("confidence", "correct", "message"),
    [([np.nan], [True], "is NaN"), ([1, 2], [True], "shape"), ([], [], "at least one item")],
)
def test_confidences_that_are_none_are_refused(confidence, correct, message):
    with pytest.raises(AnnotationError, match=message):
        risk_coverage(confidence, correct)


def test_printed_accuracy_and_precision_bound_coverage_by_hand():
    # 30 of 100 items are right. All of them in category 0 takes 30/.9 answers; as many as there
    # are, 20, in category 1 and the rest in 0 takes 20/.5 + 10/.9.
    (least, most), recall = possible_answers([80, 20], 0.3, [0.9, 0.5], half_unit=0)
    assert least == pytest.approx(30 / 0.9 / 100, rel=1e-9)
    assert most == pytest.approx((20 / 0.5 + 10 / 0.9) / 100, rel=1e-9)
    assert recall == pytest.approx(np.array([[10 / 80, 30 / 80], [0, 1]]), abs=1e-9)


def test_the_true_coverage_lies_within_its_bounds(rng):
    gold = rng.integers(3, size=500)
    answer = np.where(rng.random(500) < 0.4, ABSTAIN, np.where(rng.random(500) < 0.7, gold, 0))
    scores = abstaining_scores(answer, gold, 3)
    (least, most), recall = possible_answers(
        np.bincount(gold), round(scores.accuracy, 2), scores.precision.round(2)
    )
    assert least <= scores.coverage <= most
    assert (recall[:, 0] <= scores.recall + 1e-9).all()
    assert (scores.recall <= recall[:, 1] + 1e-9).all()


def test_accuracy_and_precision_that_contradict_each_other_are_refused():
    with pytest.raises(AnnotationError, match=r"no numbers of correct answers give accuracy 0\.9"):
        possible_answers([50, 50], 0.9, [0.5, 0.5])


def test_no_more_answers_are_right_than_there_are():
    # 1.00 printed may be 0.995, not 1.005: from 0.495 right to 0.505 / 0.995 answers.
    (least, most), _ = possible_answers([10, 10], 0.5, [1.0, 1.0])
    assert (least, most) == pytest.approx((0.495, 0.505 / 0.995))


def test_categories_never_answered_or_without_items_have_no_precision_and_no_recall():
    coverage, recall = possible_answers([10, 10, 0], 0.25, [1.0, np.nan, 0.5], half_unit=0)
    assert coverage == pytest.approx((0.25, 0.25))
    assert recall[:2] == pytest.approx(np.array([[0.5, 0.5], [0, 0]]), abs=1e-9)
    assert np.isnan(recall[2]).all()


@pytest.mark.parametrize("gold", [[10], [0, 0], [-1, 5]])
def test_every_category_needs_items_and_precision(gold):
    with pytest.raises(AnnotationError, match="Give each category both"):
        possible_answers(gold, 0.5, [0.5, 0.5])
