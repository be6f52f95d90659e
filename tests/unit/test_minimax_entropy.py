"""Minimax entropy: the optimum by a general optimiser, and the definition by plain loops."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from panels import crowd
from scipy.special import logsumexp, softmax

from annobench.labels.annotations import Annotations
from annobench.models import minimax_entropy

ACCURACY = np.linspace(0.4, 0.9, 5)


def by_loops(a: Annotations, sigma: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, float]:
    """Compute posterior and log likelihood label by label."""
    joint = np.full((a.n_items, a.n_categories), -np.log(a.n_categories))
    for i, j, label in zip(a.item, a.annotator, a.label, strict=True):
        for c in range(a.n_categories):
            terms = sigma[j, c] + tau[i, c]
            joint[i, c] += terms[label] - logsumexp(terms)
    return softmax(joint, axis=1), float(logsumexp(joint, axis=1).sum())


@pytest.mark.parametrize("k", [2, 3])
def test_posterior_and_objective_are_those_of_the_definition(rng, k):
    a = crowd(rng, ACCURACY, 15, k, 0.7)
    fit = minimax_entropy.fit(a, max_iterations=3)
    posterior, likelihood = by_loops(a, fit.annotator_terms, fit.item_terms)
    np.testing.assert_allclose(fit.posterior, posterior, rtol=1e-9)
    assert fit.log_likelihood == pytest.approx(likelihood, rel=1e-12)
    alpha = 0.25 * k**2
    beta = alpha * (a.n_labels / a.n_annotators) / (a.n_labels / a.n_items)
    penalty = alpha / 2 * (fit.annotator_terms**2).sum() + beta / 2 * (fit.item_terms**2).sum()
    assert fit.log_posterior == pytest.approx(likelihood - penalty, rel=1e-12)


def test_a_general_optimiser_finds_nothing_better_nearby(rng):
    a = crowd(rng, np.linspace(0.4, 0.9, 4), 8, 2, 0.7)
    fit = minimax_entropy.fit(a, tolerance=1e-14, max_iterations=5_000)
    split = fit.annotator_terms.size
    alpha, beta = 1.0, 2.0  # eight items, four annotators

    def loss(x: np.ndarray) -> float:
        sigma, tau = x[:split].reshape(-1, 2, 2), x[split:].reshape(-1, 2, 2)
        penalty = alpha / 2 * (sigma**2).sum() + beta / 2 * (tau**2).sum()
        return penalty - by_loops(a, sigma, tau)[1]

    end = np.concatenate([fit.annotator_terms.ravel(), fit.item_terms.ravel()])
    found = scipy.optimize.minimize(loss, end, method="L-BFGS-B", options={"maxiter": 30})
    assert -found.fun == pytest.approx(fit.log_posterior, rel=1e-7)
    # Negative control: from where EM has not arrived it climbs.
    early = minimax_entropy.fit(a, max_iterations=2)
    assert early.log_posterior < fit.log_posterior - 1e-4


def test_one_label_by_hand():
    # One item, two annotators who say 1: terms of a category are (-x, x). At the optimum the slope
    # Q (1 - P) is alpha x for an annotator and, over both labels, beta x for the item. Either
    # category explains the labels, so that neither is more probable in the end.
    a = Annotations.from_arrays(list("ii"), list("ab"), [1, 1], categories=range(2))
    fit = minimax_entropy.fit(a, tolerance=1e-15)
    alpha, beta = 1.0, 0.5
    for c in (0, 1):
        sigma, tau = fit.annotator_terms[0, c, 1], fit.item_terms[0, c, 1]
        right = 1 / (1 + np.exp(-2 * (sigma + tau)))
        weight = fit.posterior[0, c]
        assert alpha * sigma == pytest.approx(weight * (1 - right), rel=1e-6)
        assert beta * tau == pytest.approx(2 * weight * (1 - right), rel=1e-6)
    assert fit.posterior[0, 1] == pytest.approx(0.5, abs=1e-6)


def test_an_item_that_deceives_everybody_alike_shows_in_its_terms(rng):
    n, k = 300, 3
    truth, deceives = rng.integers(k, size=n), np.arange(n) < 60
    item, annotator = np.repeat(np.arange(n), 12), np.tile(np.arange(12), n)
    right = rng.random(item.size) < np.where(deceives[item], 0.6, 0.9)
    wrong = np.where(deceives[item], 1, rng.integers(1, k, item.size))
    label = np.where(right, truth[item], (truth[item] + wrong) % k)
    fit = minimax_entropy.fit(Annotations.from_arrays(item, annotator, label), max_iterations=50)

    def standard_errors(shift: int) -> float:
        pull = fit.item_terms[np.arange(n), truth, (truth + shift) % k]
        return (pull[deceives].mean() - pull[~deceives].mean()) / (pull.std() / np.sqrt(60))

    assert standard_errors(1) > 5
    assert standard_errors(2) < 0  # the negative control: nobody is drawn there


def test_who_gave_no_label_has_no_terms(rng):
    a = Annotations.from_arrays(
        list("xxy"), list("aba"), [1, 1, 0], items="xyz", annotators="abc", categories=range(2)
    )
    fit = minimax_entropy.fit(a)
    assert not fit.annotator_terms[2].any()
    assert not fit.item_terms[2].any()
    np.testing.assert_allclose(fit.posterior[2], 0.5)
    np.testing.assert_allclose(fit.accuracy[2], 0.5)


def test_more_regularisation_draws_the_terms_to_nothing(rng):
    a = crowd(rng, ACCURACY, 15, 3, 0.7)
    sizes = [
        np.abs(minimax_entropy.fit(a, regularisation=r, max_iterations=50).annotator_terms).max()
        for r in (0.25, 4, 1e6)
    ]
    assert sizes[0] > sizes[1] > sizes[2]
    assert sizes[2] < 1e-4


@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf])
def test_a_regularisation_out_of_its_range_is_refused(rng, value):
    with pytest.raises(ValueError, match=r"minimax_entropy\.fit: regularisation must be"):
        minimax_entropy.fit(crowd(rng, ACCURACY, 15, 3, 0.7), regularisation=value)
