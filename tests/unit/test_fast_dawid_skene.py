"""Fast Dawid-Skene and the hybrid: cases by hand, plain loops, and what is maximised."""

from __future__ import annotations

from functools import partial

import numpy as np
import panels
import pytest
from panels import panel

from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, fast_dawid_skene

simulated = partial(panels.simulated, n_items=120, n_annotators=8, right=(0.5, 0.9), share=0.6)


def rows_of(annotations: Annotations):
    return list(zip(annotations.item, annotations.annotator, annotations.label, strict=True))


def counted(annotations: Annotations, weight, smoothing: float = 0.0):
    """Make prevalence and confusion matrices from weights of categories, label by label."""
    j, k = annotations.n_annotators, annotations.n_categories
    counts = np.full((j, k, k), float(smoothing))
    for i, who, label in rows_of(annotations):
        counts[who, :, label] += weight[i]
    total = counts.sum(axis=2, keepdims=True)
    confusion = np.where(total > 0, counts / np.where(total > 0, total, 1), 1 / k)
    mass = weight[np.unique(annotations.item)].sum(axis=0) + smoothing
    return mass / mass.sum(), confusion


def log_joint(annotations: Annotations, prevalence, confusion) -> np.ndarray:
    with np.errstate(divide="ignore"):
        joint = np.tile(np.log(prevalence), (annotations.n_items, 1))
        for i, who, label in rows_of(annotations):
            joint[i] += np.log(confusion[who, :, label])
    return joint


def assigned(scores: np.ndarray) -> np.ndarray:
    best = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    return best / best.sum(axis=1, keepdims=True)


def softened(joint: np.ndarray) -> np.ndarray:
    weight = np.exp(joint - joint.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)


def test_a_step_by_hand():
    # Votes assign x and y to 1, z to 0 and w to both by halves.
    labels = panel({"x": "111", "y": "110", "z": "000", "w": "01-"})
    start = fast_dawid_skene.fit(labels, max_iterations=0)
    np.testing.assert_allclose(start.prevalence, [1.5 / 4, 2.5 / 4], rtol=1e-12)
    np.testing.assert_allclose(start.confusion[0], [[1, 0], [0.5 / 2.5, 2 / 2.5]], rtol=1e-12)
    np.testing.assert_allclose(start.confusion[1], [[1 / 1.5, 0.5 / 1.5], [0, 1]], rtol=1e-12)
    np.testing.assert_allclose(start.confusion[2], [[1, 0], [1 / 2, 1 / 2]], rtol=1e-12)
    # w: 1.5/4 x 1 x 1/3 for 0, against 2.5/4 x 1/5 x 1 for 1: it still ties, and all stays.
    assert start.posterior[3, 0] == pytest.approx(1 / 2)
    # The others: x and y are 2.5/4 x 4/5 x 1 x 1/2, z is 1.5/4 x 1 x 2/3 x 1, w 1/8.
    joint = [1 / 4, 1 / 4, 1 / 4, 1 / 8]
    assert start.objective == pytest.approx(np.log(joint).sum(), rel=1e-12)
    end = fast_dawid_skene.fit(labels)
    assert (end.n_iterations, end.converged) == (1, True)
    np.testing.assert_allclose(end.confusion, start.confusion, rtol=1e-12)
    # The log likelihood sums categories out: w twice 1/8; z also 2.5/4 x 1/5 x 0.
    assert end.log_likelihood == pytest.approx(np.log([1 / 4] * 4).sum(), rel=1e-12)


@pytest.mark.parametrize("smoothing", [0, 0.3])
@pytest.mark.parametrize("n_categories", [2, 3, 5])
def test_fast_dawid_skene_against_plain_loops(rng, n_categories, smoothing):
    annotations = simulated(rng, n_categories)
    weight = assigned(annotations.counts.astype(float))
    for n_steps in range(4):
        prevalence, confusion = counted(annotations, weight, smoothing)
        joint = log_joint(annotations, prevalence, confusion)
        fit = fast_dawid_skene.fit(annotations, smoothing=smoothing, max_iterations=n_steps)
        if fit.n_iterations < n_steps:
            break
        np.testing.assert_allclose(fit.prevalence, prevalence, rtol=1e-10)
        np.testing.assert_allclose(fit.confusion, confusion, atol=1e-10)
        np.testing.assert_allclose(fit.posterior, softened(joint), atol=1e-10)
        prior = 0.0
        if smoothing:
            prior = smoothing * (np.log(prevalence).sum() + np.log(confusion).sum())
        assert fit.objective == pytest.approx(joint.max(axis=1).sum() + prior, rel=1e-10)
        weight = assigned(joint)
    assert n_steps > 1


@pytest.mark.parametrize("smoothing", [0, 0.1])
@pytest.mark.parametrize("hybrid", [False, True])
def test_at_the_end_assignments_and_counts_belong_together(rng, hybrid, smoothing):
    annotations = simulated(rng)
    fit = fast_dawid_skene.fit(annotations, hybrid=hybrid, smoothing=smoothing)
    assert fit.converged
    prevalence, confusion = counted(
        annotations, assigned(np.log(fit.posterior + 1e-300)), smoothing
    )
    np.testing.assert_allclose(fit.prevalence, prevalence, rtol=1e-10)
    np.testing.assert_allclose(fit.confusion, confusion, atol=1e-10)
    steps = fit.history[fit.n_soft_iterations :]
    assert np.diff(steps).min() >= -1e-10


def test_the_hybrid_begins_with_steps_of_dawid_and_skene(rng):
    annotations = simulated(rng)
    fit = fast_dawid_skene.fit(annotations, hybrid=True)
    n = fit.n_soft_iterations
    assert 1 < n < fit.n_iterations
    soft = dawid_skene.fit(annotations, smoothing=0, tolerance=0, max_iterations=n)
    np.testing.assert_allclose(fit.history[:n], soft.history[:n], rtol=1e-12)
    assert np.diff(fit.history[:n]).min() > 0
    # The switch: the last soft step moved the prevalence by no more than 0.005, the others more.
    prevalence = [
        dawid_skene.fit(annotations, smoothing=0, tolerance=0, max_iterations=m).prevalence
        for m in range(1, n + 1)
    ]
    moved = np.abs(np.diff(prevalence, axis=0)).sum(axis=1)
    assert moved[-1] <= 0.005 < moved[:-1].min(initial=1)


def test_the_classification_likelihood_is_below_the_likelihood(rng):
    # A maximum is less than a sum, and a sum of K terms at most K times the largest.
    annotations = simulated(rng)
    fit = fast_dawid_skene.fit(annotations)
    gap = fit.log_likelihood - fit.objective
    assert 0 < gap < annotations.n_items * np.log(3)
    assert fit.objective == fit.history[-1]


def test_confusion_matrices_are_too_good(rng):
    # Doubtful items are taken for what their labels make of them; accuracies are .5 to .9.
    annotations = simulated(rng, 2, n_items=6_000, n_annotators=5)
    fast, em = (
        np.diagonal(model.fit(annotations).confusion, axis1=1, axis2=2).mean()
        for model in (fast_dawid_skene, dawid_skene)
    )
    assert em == pytest.approx(0.7, abs=0.02)
    assert fast > em + 0.03


def test_a_row_without_any_count_is_even():
    # Nobody's item of category 2 was labelled by annotator 1.
    fit = fast_dawid_skene.fit(panel({"x": "000", "y": "111", "z": "2-2"}))
    np.testing.assert_allclose(fit.confusion[1, 2], 1 / 3)
    assert fit.posterior.argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("smoothing", [-1, np.nan, np.inf])
def test_smoothing_out_of_its_range_is_refused(smoothing):
    with pytest.raises(ValueError, match="smoothing must be a finite number"):
        fast_dawid_skene.fit(panel({"x": "11"}), smoothing=smoothing)
