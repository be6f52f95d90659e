"""Dawid and Skene's model finds known parameters, and states its uncertainty honestly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import scipy.stats

from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.models.dawid_skene.optima import align
from annobench.models.dawid_skene.uncertainty import bootstrap, standard_errors

#: Two-sided chance of a false alarm of one bound.
LEVEL = 1e-3


class Panel(NamedTuple):
    annotations: Annotations
    category: np.ndarray
    prevalence: np.ndarray
    confusion: np.ndarray


def simulated(rng, n_items, n_annotators, n_categories, per_item) -> Panel:
    """Draw parameters, whose annotators are right in 60 to 85 of 100 cases, and labels."""
    prevalence = rng.dirichlet(np.full(n_categories, 20.0))
    confusion = np.empty((n_annotators, n_categories, n_categories))
    for matrix in confusion:
        for k, row in enumerate(matrix):
            right = rng.uniform(0.6, 0.85)
            wrong = (1 - right) * rng.dirichlet(np.full(n_categories - 1, 20.0))
            row[:] = np.insert(wrong, k, right)
    category = rng.choice(n_categories, n_items, p=prevalence)
    annotator = np.argsort(rng.random((n_items, n_annotators)), axis=1)[:, :per_item].ravel()
    item = np.repeat(np.arange(n_items), per_item)
    below = rng.random(item.size)[:, None] > confusion[annotator, category[item]].cumsum(axis=1)
    label = np.minimum(below.sum(axis=1), n_categories - 1)
    annotations = Annotations.from_arrays(
        item,
        annotator,
        label,
        items=range(n_items),
        annotators=range(n_annotators),
        categories=range(n_categories),
    )
    return Panel(annotations, category, prevalence, confusion)


@pytest.mark.parametrize(
    ("n_items", "n_annotators", "n_categories", "per_item"),
    [(3_000, 40, 2, 6), (3_000, 40, 3, 8), (6_000, 25, 5, 10)],
)
def test_parameters_come_back_within_their_errors(
    rng, n_items, n_annotators, n_categories, per_item
):
    panel = simulated(rng, n_items, n_annotators, n_categories, per_item)
    fitted = dawid_skene.fit(panel.annotations, smoothing=0, tolerance=1e-10)
    assert align(fitted.posterior, panel.annotations).tolist() == list(range(n_categories))
    errors = standard_errors(panel.annotations, fitted)
    z = (fitted.confusion - panel.confusion) / errors.confusion
    # One entry a row: with many annotators an item, rows are nearly independent.
    z = np.diagonal(z, axis1=1, axis2=2).ravel()
    low, high = scipy.stats.chi2.ppf([LEVEL / 2, 1 - LEVEL / 2], df=z.size)
    assert low < z @ z < high
    assert not low < 4 * z @ z < high  # errors stated at half their size


def test_errors_of_prevalence_are_honest_over_many_panels(rng):
    z = []
    for _ in range(60):
        panel = simulated(rng, 800, 6, 2, 6)
        fitted = dawid_skene.fit(panel.annotations, smoothing=0, tolerance=1e-10)
        error = standard_errors(panel.annotations, fitted).prevalence[0]
        z.append((fitted.prevalence[0] - panel.prevalence[0]) / error)
    z = np.array(z)
    low, high = scipy.stats.chi2.ppf([LEVEL / 2, 1 - LEVEL / 2], df=z.size)
    assert low < z @ z < high
    assert not low < 4 * z @ z < high


def test_probabilities_of_categories_are_calibrated(rng):
    panel = simulated(rng, 20_000, 50, 3, 4)
    posterior = dawid_skene.fit(panel.annotations).posterior
    right = panel.category[:, None] == np.arange(3)
    for low, high in [(0.02, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.98)]:
        some = (posterior > low) & (posterior <= high)
        expected, variance = posterior[some].sum(), (posterior * (1 - posterior))[some].sum()
        z = (right[some].sum() - expected) / np.sqrt(variance)
        assert abs(z) < scipy.stats.norm.isf(LEVEL / 2)
    swapped = posterior[:, [1, 0, 2]]
    some = (swapped > 0.8) & (swapped <= 0.98)
    assert right[some].mean() < 0.5  # the negative control


@pytest.mark.slow
def test_bootstrap_intervals_hold_the_truth_that_often(rng):
    n_panels, hits = 100, 0
    for _ in range(n_panels):
        panel = simulated(rng, 400, 5, 2, 5)
        fitted = dawid_skene.fit(panel.annotations)
        draws = bootstrap(panel.annotations, fitted, rng=rng, replicates=100)
        low, high = draws.interval("prevalence", 0.9)
        hits += low[0] < panel.prevalence[0] < high[0]
    least, most = scipy.stats.binom.ppf([LEVEL / 2, 1 - LEVEL / 2], n_panels, 0.9)
    assert least <= hits <= most
