"""Scores of error detection, against scikit-learn and every order of tied labels."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from annobench.core.errors import AnnotationError
from annobench.evaluation.error_detection import (
    average_precision,
    average_precision_over_orders,
    average_precision_replicates,
    precision_at,
    precision_replicates,
    recall_at,
)


def labels_of(rng, n, levels):
    """Draw labels with at least one error, and scores with ties."""
    errors = rng.random(n) < 0.3
    errors[rng.integers(n)] = True
    return errors, rng.integers(levels, size=n) + rng.random(n).round() / 3


def orders(score):
    """Return every order from the highest score down, as rows of places of labels."""
    every = np.array(list(permutations(range(score.size))))
    falling = (np.diff(score[every], axis=1) <= 0).all(axis=1)
    return every[falling]


def by_places(errors):
    """Compute average precision of labels in the order in which they are checked."""
    precisions = [errors[: n + 1].mean() for n in range(errors.size) if errors[n]]
    return np.mean(precisions)


@pytest.mark.parametrize("levels", [1, 2, 5, 1000])
def test_average_precision_by_thresholds_is_that_of_scikit_learn(rng, levels):
    for _ in range(20):
        errors, score = labels_of(rng, 60, levels)
        assert average_precision(errors, score) == pytest.approx(
            average_precision_score(errors, score), rel=1e-12
        )


def test_resampled_labels_are_those_written_out(rng):
    errors, score = labels_of(rng, 40, 4)
    counts = rng.multinomial(40, np.full(40, 1 / 40), size=30)
    counts = counts[(counts * errors).sum(axis=1) > 0]
    found = average_precision_replicates(errors, score, counts)
    precision = precision_replicates(errors, score, 7, counts)
    for row, value, at_seven in zip(counts, found, precision, strict=True):
        again = np.repeat(np.arange(40), row)
        assert value == pytest.approx(average_precision(errors[again], score[again]), rel=1e-12)
        expected = precision_at(errors[again], score[again], 7).expected
        assert at_seven == pytest.approx(expected, rel=1e-12)
    assert np.isnan(average_precision_replicates(errors, score, [~errors])).all()


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_expected_values_and_ends_are_those_of_all_orders(rng, levels):
    for _ in range(5):
        errors, score = labels_of(rng, 7, levels)
        every = errors[orders(score)]
        found = average_precision_over_orders(errors, score)
        values = np.array([by_places(row) for row in every])
        expected = values.mean(), values.min(), values.max()
        assert (found.expected, found.lowest, found.highest) == pytest.approx(expected, rel=1e-12)
        for k in range(1, 8):
            hits = every[:, :k].sum(axis=1)
            for score_at, out_of in ((precision_at, k), (recall_at, errors.sum())):
                found = score_at(errors, score, k)
                expected = hits.mean() / out_of, hits.min() / out_of, hits.max() / out_of
                assert (found.expected, found.lowest, found.highest) == pytest.approx(expected)


def test_without_ties_all_three_definitions_agree(rng):
    errors, score = rng.random(50) < 0.4, rng.permutation(50)
    found = average_precision_over_orders(errors, score)
    assert found.expected == pytest.approx(found.lowest) == pytest.approx(found.highest)
    assert found.expected == pytest.approx(average_precision(errors, score))


def test_equal_scores_carry_no_information():
    errors = np.arange(100) < 30
    assert average_precision(errors, np.ones(100)) == pytest.approx(0.3)
    found = precision_at(errors, np.ones(100), 20)
    assert (found.expected, found.lowest, found.highest) == pytest.approx((0.3, 0.0, 1.0))


def test_what_cannot_be_scored_is_refused():
    for call, message in (
        (lambda: average_precision([True, False], [1]), "of one length"),
        (lambda: average_precision([1, 0], [1, 2]), "a truth value"),
        (lambda: average_precision([False], [1]), "no label is an error"),
        (lambda: average_precision([True], [np.nan]), "not a finite number"),
        (lambda: precision_at([True], [1], 2), "k is 2, but there are 1 labels"),
        (lambda: recall_at([True], [1], 0), "k is 0"),
        (lambda: precision_replicates([True], [1], 2, [[1]]), "a sample has 1 labels"),
        (lambda: average_precision_replicates([True], [1], [1]), "counts of shape"),
    ):
        with pytest.raises(AnnotationError, match=message):
            call()
