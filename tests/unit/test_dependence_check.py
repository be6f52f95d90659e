"""The check whether annotators err together: by hand, in expectation, level and power."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
import scipy.stats

from annobench import models
from annobench.benchmark import regimes
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, dependence, glad, voting
from annobench.models.kernels.dependence import residual_products
from annobench.simulation.dependent import simulate


def by_enumeration(labels, prevalence, confusion):
    """Return the products of residuals of one item and their scale, the slow way."""
    k = len(prevalence)
    joint = prevalence * [
        np.prod([confusion[j, c, x] for j, x in enumerate(labels)]) for c in range(k)
    ]
    posterior = joint / joint.sum()
    value = scale = 0.0
    for c in range(k):
        for m, n in product(range(len(labels)), repeat=2):
            if m != n:
                right = confusion[m, c, c], confusion[n, c, c]
                value += (
                    posterior[c] * ((labels[m] == c) - right[0]) * ((labels[n] == c) - right[1])
                )
                scale += posterior[c] * np.sqrt(np.prod([p * (1 - p) for p in right]))
    return joint.sum(), value, scale


def kernel(patterns, prevalence, confusion):
    n, j = patterns.shape
    score = np.log(prevalence) + sum(np.log(confusion[m][:, patterns[:, m]]).T for m in range(j))
    posterior = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    value, scale = np.empty(n), np.empty(n)
    offsets = np.arange(n + 1) * j
    annotator = np.tile(np.arange(j), n)
    right = np.diagonal(confusion, axis1=1, axis2=2).copy()
    residual_products(
        offsets,
        annotator,
        patterns.ravel(),
        posterior,
        right,
        np.sqrt(right * (1 - right)),
        value,
        scale,
    )
    return value, scale


def test_products_are_those_of_the_definition_and_have_expectation_zero(rng):
    prevalence = rng.dirichlet(np.ones(3))
    confusion = rng.dirichlet(np.ones(3), size=(4, 3))
    patterns = np.array(list(product(range(3), repeat=4)))
    slow = np.array([by_enumeration(p, prevalence, confusion) for p in patterns])
    value, scale = kernel(patterns, prevalence, confusion)
    np.testing.assert_allclose(value, slow[:, 1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scale, slow[:, 2], rtol=1e-9, atol=1e-12)
    assert slow[:, 0].sum() == pytest.approx(1)
    assert slow[:, 0] @ value == pytest.approx(0, abs=1e-12)
    # Not so with other parameters than those of the labels
    assert abs(slow[:, 0] @ kernel(patterns, prevalence[::-1], confusion)[0]) > 1e-3


def test_expected_categories_are_by_bayes_theorem(rng):
    prevalence = np.array([0.7, 0.2, 0.1])
    confusion = rng.dirichlet(np.ones(3), size=(4, 3))
    patterns = np.array(list(product(range(3), repeat=4)))
    a = Annotations.from_wide(patterns.astype(str))
    panel = dependence._Panel(a, np.arange(a.n_items))
    working = dependence._Working(prevalence, confusion, 0.0, confusion, np.zeros((0, 3)))
    joint = np.array([prevalence] * len(patterns))
    for j in range(4):
        joint *= confusion[j][:, patterns[:, j]].T
    expected = joint / joint.sum(axis=1, keepdims=True)
    posterior, counts = panel.expect(panel.observed, working)
    np.testing.assert_allclose(posterior, expected, rtol=1e-9)
    np.testing.assert_allclose(counts, panel.counts(panel.observed, posterior), rtol=1e-9)


def panel(rng, *, hard: float, n_items: int = 200, n_annotators: int = 8):
    """Return labels that are right three times in four, or by turns on hard and on easy items."""
    truth = rng.integers(3, size=n_items)
    is_hard = rng.random(n_items) < hard
    right = np.where(is_hard, 0.45, 0.9) if hard else np.full(n_items, 0.75)
    wrong = (truth[:, None] + rng.integers(1, 3, size=(n_items, n_annotators))) % 3
    is_right = rng.random(wrong.shape) < right[:, None]
    return Annotations.from_wide(np.where(is_right, truth[:, None], wrong), categories=range(3))


@pytest.mark.parametrize("model", ["dawid_skene", "ibcc"])
@pytest.mark.parametrize(
    ("n_categories", "labels", "items", "annotators"), [(3, 8, 200, 8), (4, 5, 300, 30)]
)
def test_independent_labels_raise_alarms_as_often_as_the_level(
    model, n_categories, labels, items, annotators
):
    alarms = 0
    for seed in range(40):
        case = regimes.simulate(
            "good",
            n_categories=n_categories,
            labels_per_item=labels,
            n_items=items,
            n_annotators=annotators,
            seed=seed,
        )
        alarms += models.fit(case.annotations, model).dependence(case.annotations).p_value < 0.05
    # More often than this with a chance of 1 in 1,000, if the level is 7%.
    assert alarms <= scipy.stats.binom.isf(1e-3, 40, 0.07)


@pytest.mark.parametrize("model", ["dawid_skene", "ibcc", "one_coin"])
def test_fifty_categories_raise_no_alarm(model):
    for seed in range(3):
        case = regimes.simulate(
            "good", n_categories=50, labels_per_item=5, n_items=500, n_annotators=10, seed=seed
        )
        assert not models.fit(case.annotations, model).dependence(case.annotations).is_alarming


@pytest.mark.parametrize("model", ["dawid_skene", "ibcc"])
def test_labels_of_hard_and_easy_items_raise_an_alarm(model):
    found = []
    for seed in range(10):
        a = panel(np.random.default_rng(seed), hard=0.4)
        found.append(models.fit(a, model).dependence(a))
    assert sum(each.is_alarming for each in found) == 10
    assert max(each.effective_labels for each in found) < 0.9 * 1_600


def test_the_effective_number_is_kishs(rng):
    a = panel(rng, hard=0.4)
    found = dawid_skene.fit(a).dependence(a)
    assert found.effective_labels == pytest.approx(1_600 / (1 + 7 * found.correlation))
    assert found.n_labels == 1_600


def test_a_fit_warns_if_it_is_shown_the_labels(rng):
    a = panel(rng, hard=0.4)
    fitted = dawid_skene.fit(a)
    assert fitted.cautions() == []
    (said,) = fitted.cautions(a)
    assert "Annotators' errors are dependent, or the model does not fit" in said
    assert "is at most" in said
    assert voting.fit(a).dependence(a) is None
    assert glad.fit(a).dependence(a) is None


def test_the_check_is_the_same_each_time(rng):
    a = panel(rng, hard=0.4)
    fitted = dawid_skene.fit(a)
    assert fitted.dependence(a) == fitted.dependence(a)


def test_a_model_with_hard_items_is_not_checked(rng):
    a = panel(rng, hard=0.4, n_items=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert models.fit(a, "item_difficulty", rng=1, draws=10, warmup=10).dependence(a) is None


@pytest.mark.parametrize("kind", ["independent", "difficulty"])
def test_of_many_labels_a_sample_of_items_says_the_same(kind, monkeypatch):
    panel = simulate(kind, n_items=4_000, rng=np.random.default_rng(5))
    fitted = dawid_skene.fit(panel.annotations)
    whole = dependence.check(panel.annotations, fitted.posterior)
    monkeypatch.setattr(dependence, "ENOUGH", panel.annotations.n_labels // 4)
    found = dependence.check(panel.annotations, fitted.posterior)
    assert found.n_labels == whole.n_labels
    assert found.null_deviation > whole.null_deviation
    assert abs(found.correlation - whole.correlation) < 4 * found.null_deviation
    assert found.is_alarming == whole.is_alarming == (kind != "independent")


def test_labels_that_tell_nothing_give_no_number():
    a = Annotations.from_wide([[0, 0], [1, 1]])
    certain = dependence.check(a, np.eye(2))
    alone = Annotations.from_arrays(list("xy"), list("ab"), list("01"))
    single = dependence.check(alone, np.full((2, 2), 0.5))
    for found, n in ((certain, 4), (single, 0)):
        assert np.isnan(found.correlation)
        assert np.isnan(found.p_value)
        assert not found.is_alarming
        assert found.effective_labels == found.n_labels == n
    with pytest.raises(ValueError, match="replicates must be at least 2, got 1"):
        dependence.check(a, np.eye(2), replicates=1)
