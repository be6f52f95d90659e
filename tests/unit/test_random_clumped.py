"""The random-clumped model: its E-step by enumeration, limits, and what it is for."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, random_clumped
from annobench.models.kernels.random_clumped import expect
from annobench.models.random_clumped import Prior, scaled
from annobench.simulation import dependent
from studies.random_clumped import calibration

CLUMPING, GUESSING = np.array([0.0, 0.4, 0.8]), np.array([0.5])


@pytest.fixture
def parameters(rng):
    return {
        "own": rng.dirichlet(np.ones(3), size=(4, 3)),
        "prevalence": rng.dirichlet(np.ones(3)),
        "impression": rng.dirichlet(np.ones(3), size=3),
        "share": rng.dirichlet(np.ones(4)),
        "guess": rng.dirichlet(np.ones(3)),
    }


def by_enumeration(labels, own, prevalence, impression, share, guess):
    """Sum over categories, levels, impressions and the origin of each label, one by one."""
    posterior, n_own = np.zeros(3), np.zeros((4, 3, 3))
    impressions, levels = np.zeros((3, 3)), np.zeros(4)
    for k, t, z in product(range(3), range(4), range(3)):
        level = np.r_[CLUMPING, GUESSING][t]
        for replaced in product((False, True), repeat=len(labels)):
            weight = prevalence[k] * share[t] * impression[k, z]
            for j, (x, other) in enumerate(zip(labels, replaced, strict=True)):
                source = (x == z) if t < 3 else guess[x]
                weight *= level * source if other else (1 - level) * own[j, k, x]
            posterior[k] += weight
            levels[t] += weight
            impressions[k, z] += weight * (t < 3)
            for j, (x, other) in enumerate(zip(labels, replaced, strict=True)):
                n_own[j, k, x] += weight * (not other)
    total = posterior.sum()
    return [value / total for value in (posterior, n_own, impressions, levels)]


def expected(annotators, labels, own, prevalence, impression, share, guess):
    """Return the kernel's sums for one item: posterior, own labels, impressions, levels."""
    found = [np.zeros((1, 3)), np.zeros((4, 3, 3)), np.zeros((3, 3)), np.zeros(4)]
    expect(
        np.array([0, len(labels)]),
        annotators,
        np.asarray(labels),
        np.log(own),
        1 / own,
        np.log(prevalence),
        impression,
        np.log(share),
        CLUMPING,
        GUESSING,
        guess,
        *found,
    )
    return found[0][0], *found[1:]


@pytest.mark.parametrize("labels", [(0, 0, 0, 0), (0, 1, 0, 2), (2, 2, 1, 1)])
def test_the_sums_are_those_of_the_definition(labels, parameters):
    found = expected(np.arange(4), labels, **parameters)
    for ours, slow in zip(found, by_enumeration(labels, **parameters), strict=True):
        np.testing.assert_allclose(ours, slow, rtol=1e-10, atol=1e-13)


def in_logarithms(annotators, labels, own, prevalence, impression, share, guess):
    """Sum over categories, levels and impressions; the origins of labels are summed in a factor."""
    terms, kept = np.full((3, 4, 3), -np.inf), np.empty((3, 4, 3, labels.size))
    for k, t, z in product(range(3), range(4), range(3)):
        level = np.r_[CLUMPING, GUESSING][t]
        source = (labels == z) if t < 3 else guess[labels]
        alone = (1 - level) * own[annotators, k, labels]
        kept[k, t, z] = alone / (alone + level * source)
        terms[k, t, z] = np.log(prevalence[k] * share[t] * impression[k, z])
        terms[k, t, z] += np.log(alone + level * source).sum()
    weight = np.exp(terms - terms.max())
    weight /= weight.sum()
    n_own = np.zeros((4, 3, 3))
    for k in range(3):
        np.add.at(n_own[:, k], (annotators, labels), np.einsum("tz,tzn->n", weight[k], kept[k]))
    return weight.sum(axis=(1, 2)), n_own, weight[:, :3].sum(axis=1), weight.sum(axis=(0, 2))


@pytest.mark.parametrize(("n_labels", "least"), [(5, 0.1), (100, 0.1), (40, 1e-60), (3000, 1e-9)])
def test_sums_over_many_or_improbable_labels_are_finite_and_right(n_labels, least, parameters, rng):
    parameters["own"][0, :, 0] = least
    labels, annotators = rng.integers(3, size=n_labels), np.arange(n_labels) % 4
    labels[::4] = 0
    found = expected(annotators, labels, **parameters)
    for ours, slow in zip(found, in_logarithms(annotators, labels, **parameters), strict=True):
        np.testing.assert_allclose(ours, slow, rtol=1e-9, atol=1e-12 * n_labels)


@pytest.mark.parametrize("right", [12.0, 192.0])
def test_it_ends_where_updates_alone_end(right):
    panel = dependent.simulate("groups", rng=np.random.default_rng(4))
    search = random_clumped._Search(panel.annotations, replace(Prior(right=right), power=1.0))
    now = search.start()
    for _ in range(3_000):
        expected = search.expect(now)
        now = search.update(expected, now)
    fitted = random_clumped.fit(panel.annotations, prior=search.prior)
    assert fitted.converged
    assert fitted.n_iterations < 300
    np.testing.assert_allclose(fitted.posterior, expected.posterior, atol=1e-3)
    np.testing.assert_allclose(fitted.mean, now.mean, atol=1e-3)


def test_without_levels_and_power_labels_are_independent_given_the_category(rng):
    a = dependent.simulate("independent", n_items=80, rng=rng).annotations
    prior = Prior(clumping=(0.0,), guessing=(), power=1.0)
    found = random_clumped.fit(a, prior=prior, tolerance=1e-12)
    score = np.tile(np.log(found.prevalence), (a.n_items, 1))
    np.add.at(score, a.item, np.log(found.own[a.annotator, :, a.label]))
    weight = np.exp(score - score.max(axis=1, keepdims=True))
    np.testing.assert_allclose(found.posterior, weight / weight.sum(axis=1, keepdims=True))
    assert found.intraclass_correlation == 0
    assert found.effective_labels == a.n_labels
    np.testing.assert_array_equal(found.confusion, found.own)


def test_the_intraclass_correlation_is_that_of_labels_being_right():
    # Two categories, mean rows right by .8; clumped by t = .6: the correlation is .36.
    a = Annotations.from_wide([[0, 1], [1, 1]])
    fitted = random_clumped.fit(a)
    symmetric = {"mean": np.array([[0.8, 0.2], [0.2, 0.8]]), "guess": np.full(2, 0.5)}
    none = np.empty((0, 2))
    clumped = replace(fitted, **symmetric, clumping=np.array([[0.6, 1.0]]), guessing=none)
    assert clumped.intraclass_correlation == pytest.approx(0.36)
    # Half of the items right by .8, half by (.8 + .5) / 2 = .65: variance .075^2, mean .725
    levels = {"clumping": np.array([[0.0, 0.5]]), "guessing": np.array([[0.5, 0.5]])}
    hard = replace(fitted, **symmetric, **levels)
    assert hard.intraclass_correlation == pytest.approx(0.075**2 / (0.725 * 0.275))


def test_the_power_keeps_the_best_category_and_leaves_items_without_labels_alone():
    a = Annotations.from_arrays(list("xxy"), list("aba"), list("011"), items=list("xyz"))
    found = random_clumped.fit(a)
    np.testing.assert_allclose(found.posterior[2], found.prevalence, rtol=1e-12)
    plain = random_clumped.fit(a, prior=Prior(power=1.0))
    np.testing.assert_allclose(found.posterior[:2], scaled(plain.posterior[:2], 0.5))
    # Odds of 4 to 1, and their root.
    np.testing.assert_allclose(scaled(np.array([[0.8, 0.2]]), 0.5), [[2 / 3, 1 / 3]])


def test_agreement_of_many_does_not_make_certain():
    def surest(n):
        rng = np.random.default_rng(4)
        truth = rng.integers(2, size=100)
        right = rng.random((100, n)) < np.where(rng.random(100) < 0.3, 0.55, 0.95)[:, None]
        a = Annotations.from_wide(np.where(right, truth[:, None], 1 - truth[:, None]))
        return [m.fit(a).posterior.max() for m in (dawid_skene, random_clumped)]

    (few_independent, few), (many_independent, many) = surest(5), surest(20)
    assert many_independent > 1 - 1e-6 > few_independent or few_independent > 0.99
    assert few < 0.999
    assert many < 0.999


@pytest.mark.slow
def test_probabilities_are_better_where_annotators_err_together():
    cases = [c for c in calibration.worlds(3, seed=5) if not c.name.startswith("independent")]
    table = calibration.averages(
        calibration.compare_models(cases, ["dawid_skene", "random_clumped"])
    )
    ours, usual = table.loc["random_clumped"], table.loc["dawid_skene"]
    assert ours["log_loss"] < 0.75 * usual["log_loss"]
    assert abs(ours["overconfidence"]) < usual["overconfidence"]


def test_priors_that_make_no_sense_are_refused():
    a = Annotations.from_wide([[0, 1], [1, 1]])
    for change in (
        {"clumping": ()},
        {"clumping": (1.0,)},
        {"guessing": (-0.1,)},
        {"power": 0.0},
        {"items_per_level": 0.0},
        {"concentration": (1.0, np.inf)},
    ):
        with pytest.raises(ValueError, match=r"random_clumped\.fit: levels must be in"):
            random_clumped.fit(a, prior=replace(Prior(), **change))


def test_its_headline_says_what_the_labels_are_worth(rng):
    a = dependent.simulate("dirichlet", n_items=100, rng=rng).annotations
    found = random_clumped.fit(a)
    assert (
        f"{a.n_labels:,} labels equivalent to {found.effective_labels:,.0f} independent ones"
        in repr(found)
    )
    assert found.effective_labels < a.n_labels
    assert found.dependence(a) is None


@pytest.mark.parametrize("regime", dependent.REGIMES)
def test_worlds_are_labels_with_known_categories(regime):
    panel = dependent.simulate(regime, n_items=60, rng=3)
    again = dependent.simulate(regime, n_items=60, rng=3)
    a = panel.annotations
    assert a.n_items == panel.category.size == 60
    assert np.bincount(a.item, minlength=60).min() >= 1
    pairs = a.item.astype(np.int64) * a.n_annotators + a.annotator
    assert np.unique(pairs).size == a.n_labels
    assert panel.category.max() < a.n_categories
    np.testing.assert_array_equal(a.label, again.annotations.label)
    right = (a.label == panel.category[a.item]).mean()
    assert right > 1 / a.n_categories


def test_an_unknown_regime_is_refused():
    with pytest.raises(ValueError, match=r"regime must be one of independent, .*, got 'chaos'"):
        dependent.simulate("chaos")


def test_candidates_of_the_prior_are_compared_by_log_loss():
    cases = calibration.worlds(1, seed=9)[:2]
    table = calibration.compare_priors(cases, calibration.candidates()[:1])
    assert list(table["power"].sort_values(ascending=False)) == list(calibration.POWERS)
    assert table["log_loss"].is_monotonic_increasing


def test_the_default_prior_is_among_the_candidates():
    assert replace(Prior(), power=1.0) in calibration.candidates()
    assert Prior().power in calibration.POWERS
