"""Raykar et al.'s learning from crowds without features is Dawid and Skene's model with priors."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from panels import simulated

from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene

crowd = partial(simulated, n_annotators=5)


def binary(annotations: Annotations, sensitivity, specificity, prevalence, n_updates: int):
    """Do Raykar et al.'s EM of section 2.4, in place of a classifier with the prevalence alone.

    Beta priors are pairs of parameters, by annotator; the start are the votes.
    """
    labels = list(zip(annotations.item, annotations.annotator, annotations.label, strict=True))
    n_items, n_annotators = annotations.n_items, annotations.n_annotators
    mu = np.array([np.mean([y for i, _, y in labels if i == item]) for item in range(n_items)])
    for _ in range(n_updates + 1):
        p = (prevalence[0] - 1 + mu.sum()) / (sum(prevalence) - 2 + n_items)
        alpha, beta = np.zeros(n_annotators), np.zeros(n_annotators)
        for j in range(n_annotators):
            own = [(mu[i], y) for i, who, y in labels if who == j]
            (a1, a2), (b1, b2) = sensitivity[j], specificity[j]
            alpha[j] = (a1 - 1 + sum(m * y for m, y in own)) / (
                a1 + a2 - 2 + sum(m for m, _ in own)
            )
            beta[j] = (b1 - 1 + sum((1 - m) * (1 - y) for m, y in own)) / (
                b1 + b2 - 2 + sum(1 - m for m, _ in own)
            )
        a, b = np.ones(n_items), np.ones(n_items)
        for i, j, y in labels:
            a[i] *= alpha[j] if y else 1 - alpha[j]
            b[i] *= 1 - beta[j] if y else beta[j]
        mu = a * p / (a * p + b * (1 - p))
    return mu, alpha, beta, p


@pytest.mark.parametrize("n_updates", [1, 5])
def test_two_categories_with_beta_priors(rng, n_updates):
    annotations = crowd(rng, 2)
    sensitivity, specificity = rng.uniform(1.2, 6, size=(2, 5, 2))
    prevalence = 2.5, 1.5
    mu, alpha, beta, p = binary(annotations, sensitivity, specificity, prevalence, n_updates)
    # Each beta parameter less one is a count that is added, by true category and label.
    added = np.empty((5, 2, 2))
    added[:, 1, 1], added[:, 1, 0] = sensitivity.T - 1
    added[:, 0, 0], added[:, 0, 1] = specificity.T - 1
    options = {"tolerance": 0, "max_iterations": n_updates}
    fit = dawid_skene.fit(annotations, smoothing=added, prevalence_smoothing=[0.5, 1.5], **options)
    np.testing.assert_allclose(fit.posterior[:, 1], mu, atol=1e-12)
    np.testing.assert_allclose(fit.confusion[:, 1, 1], alpha, atol=1e-12)
    np.testing.assert_allclose(fit.confusion[:, 0, 0], beta, atol=1e-12)
    assert fit.prevalence[1] == pytest.approx(p, rel=1e-12)


def test_several_categories_with_dirichlet_priors(rng):
    # Section 4: rows of matrices and the prevalence have Dirichlet priors.
    annotations, k = crowd(rng, 4), 4
    rows, prior = rng.uniform(1.1, 4, size=(5, k, k)), rng.uniform(1.1, 4, size=k)
    posterior = annotations.counts / annotations.counts.sum(axis=1, keepdims=True)
    for _ in range(4):
        mass = prior - 1 + posterior.sum(axis=0)
        counts = rows - 1
        labels = zip(annotations.item, annotations.annotator, annotations.label, strict=True)
        for i, j, label in labels:
            counts[j, :, label] += posterior[i]
        confusion = counts / counts.sum(axis=2, keepdims=True)
        joint = np.tile(mass / mass.sum(), (annotations.n_items, 1))
        labels = zip(annotations.item, annotations.annotator, annotations.label, strict=True)
        for i, j, label in labels:
            joint[i] *= confusion[j, :, label]
        posterior = joint / joint.sum(axis=1, keepdims=True)
    fit = dawid_skene.fit(
        annotations,
        smoothing=rows - 1,
        prevalence_smoothing=prior - 1,
        tolerance=0,
        max_iterations=3,
    )
    np.testing.assert_allclose(fit.posterior, posterior, atol=1e-12)
    np.testing.assert_allclose(fit.confusion, confusion, atol=1e-12)
    # Negative control: without the priors it is another posterior.
    plain = dawid_skene.fit(annotations, smoothing=0, tolerance=0, max_iterations=3)
    assert np.abs(plain.posterior - posterior).max() > 1e-3
