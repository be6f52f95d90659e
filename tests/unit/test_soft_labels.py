"""Distributions of labels and their scores, by hand and by other definitions."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import distance

from annobench.core.errors import AnnotationError
from annobench.evaluation.soft_labels import (
    calibration_to_humans,
    perspectivist_scores,
    soft_labels,
    soft_scores,
)
from annobench.labels.annotations import Annotations


def test_scores_are_those_of_the_definitions(rng):
    p, t = rng.dirichlet(np.ones(4), 50), rng.dirichlet(np.ones(4), 50)
    found = soft_scores(p, t)
    assert found.manhattan == pytest.approx(
        np.mean([abs(a - b).sum() for a, b in zip(p, t, strict=True)])
    )
    levels = np.arange(4)
    moved = [stats.wasserstein_distance(levels, levels, a, b) for a, b in zip(p, t, strict=True)]
    assert found.wasserstein == pytest.approx(np.mean(moved))
    assert found.entropy == pytest.approx(stats.entropy(t, axis=1).mean())
    apart = stats.entropy(t, p, axis=1).mean()
    assert found.cross_entropy == pytest.approx(found.entropy + apart)
    assert soft_scores(t, t).cross_entropy == pytest.approx(found.entropy)


def test_two_categories_differ_by_a_factor_of_two(rng):
    p, t = rng.dirichlet([1, 1], 20), rng.dirichlet([1, 1], 20)
    found = soft_scores(p, t)
    assert found.manhattan == pytest.approx(2 * found.wasserstein)


def test_an_item_without_labels_is_left_out_and_certainty_is_punished_but_finitely():
    target = [[1, 0], [np.nan, np.nan]]
    found = soft_scores([[0, 1], [0.5, 0.5]], target)
    assert found.n_items == 1
    assert found.manhattan == 2
    assert found.cross_entropy == pytest.approx(-np.log(1e-12))


def test_shares_of_labels():
    labels = Annotations.from_arrays(list("xxx"), list("abc"), list("011"), items=list("xy"))
    found = soft_labels(labels)
    np.testing.assert_allclose(found[0], [1 / 3, 2 / 3])
    assert np.isnan(found[1]).all()


def test_errors_of_annotators_by_hand():
    # x has three labels, 0, 1 and 2 of a scale from 0 to 2, y one.
    labels = Annotations.from_arrays(list("xxxy"), list("abca"), list("0122"))
    found = perspectivist_scores(labels, [0, 0, 0, 2])
    assert found.error_rate == pytest.approx((2 / 3 + 0) / 2)
    assert found.absolute_distance == pytest.approx(((0 + 1 + 2) / 3 / 2 + 0) / 2)
    assert (found.n_items, found.n_labels) == (2, 4)
    assert perspectivist_scores(labels, labels.label).error_rate == 0


def test_what_is_no_distribution_is_refused():
    for p, t, message in (
        ([[1, 0]], [[1, 0], [0, 1]], "of shape"),
        ([[0.7, 0.7]], [[1, 0]], "prediction is not a distribution"),
        ([[1, 0]], [[np.nan, np.nan]], "or there is none"),
        ([[np.nan, 1]], [[1, 0]], "prediction is not a distribution"),
    ):
        with pytest.raises(AnnotationError, match=message):
            soft_scores(p, t)
    labels = Annotations.from_arrays(["x"], ["a"], ["1"])
    for codes in ([1], [0, 0], [0.5], [-1]):
        with pytest.raises(AnnotationError, match="needs the code"):
            perspectivist_scores(labels, codes)


def orders(row):
    """Return every order of the categories, from the lowest value to the highest."""
    every = permutations(range(len(row)))
    return [order for order in every if (np.diff(np.asarray(row)[list(order)]) >= 0).all()]


def test_calibration_to_humans_is_that_of_the_definitions(rng):
    p, t = rng.dirichlet(np.ones(4), 40), rng.dirichlet(np.ones(4), 40)
    found = calibration_to_humans(p, t)
    np.testing.assert_allclose(
        found.item_distance, [distance.cityblock(a, b) / 2 for a, b in zip(p, t, strict=True)]
    )
    apart = np.abs(stats.entropy(p, axis=1) - stats.entropy(t, axis=1))
    assert found.entropy_error == pytest.approx(apart.mean())
    ranked = [(a.argsort() == b.argsort()).all() for a, b in zip(p, t, strict=True)]
    assert found.ranking == pytest.approx(np.mean(ranked))
    assert found.accuracy == pytest.approx((p.argmax(1) == t.argmax(1)).mean())


def test_the_distribution_itself_is_calibrated(rng):
    t = rng.dirichlet(np.ones(3), 20)
    found = calibration_to_humans(t, t)
    assert (found.distance, found.entropy_error) == (0, 0)
    assert (found.ranking, found.accuracy) == (1, 1)


def test_ties_are_broken_at_random_on_both_sides(rng):
    p, t = (rng.multinomial(4, [0.3, 0.3, 0.2, 0.2], 30) / 4 for _ in range(2))
    found = calibration_to_humans(p, t)
    for n, (a, b) in enumerate(zip(p, t, strict=True)):
        pairs = [(x, y) for x in orders(a) for y in orders(b)]
        assert found.item_ranking[n] == pytest.approx(np.mean([x == y for x, y in pairs]))
        tops = [x[-1] == y[-1] for x, y in pairs]
        assert found.item_correct[n] == pytest.approx(np.mean(tops))


def test_a_rule_for_ties_takes_the_first_or_the_last():
    p, t = [[0.4, 0.4, 0.2]], [[0.2, 0.6, 0.2]]
    first, last = (calibration_to_humans(p, t, ties=ties) for ties in ("first", "last"))
    assert (first.accuracy, last.accuracy) == (0, 1)
    assert (first.ranking, last.ranking) == (0, 0)
    with pytest.raises(ValueError, match="ties 'none' is not one of expected, first, last"):
        calibration_to_humans(p, t, ties="none")
