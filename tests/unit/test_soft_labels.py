"""Distributions of labels and their scores, by hand and by other definitions."""

import numpy as np
import pytest
from scipy import stats

from annobench.core.errors import AnnotationError
from annobench.evaluation.soft_labels import perspectivist_scores, soft_labels, soft_scores
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
        ([[0.7, 0.7]], [[1, 0]], "prediction is no distribution"),
        ([[1, 0]], [[np.nan, np.nan]], "or there is none"),
        ([[np.nan, 1]], [[1, 0]], "prediction is no distribution"),
    ):
        with pytest.raises(AnnotationError, match=message):
            soft_scores(p, t)
    labels = Annotations.from_arrays(["x"], ["a"], ["1"])
    for codes in ([1], [0, 0], [0.5], [-1]):
        with pytest.raises(AnnotationError, match="needs the code"):
            perspectivist_scores(labels, codes)
