"""The model of Dawid and Skene against loops, closed forms, differences, and bad input."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.special

from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.models.dawid_skene.em import Parameters, Problem
from annobench.models.dawid_skene.optima import align, random_start, restarts
from annobench.models.dawid_skene.starts import first_values, spectral_start, votes_start
from annobench.models.dawid_skene.uncertainty import (
    bootstrap,
    predictive_check,
    standard_errors,
)


def coded(item, annotator, label, n_items, n_annotators, n_categories) -> Annotations:
    return Annotations.from_arrays(
        item,
        annotator,
        label,
        items=range(n_items),
        annotators=range(n_annotators),
        categories=range(n_categories),
    )


def crowd(
    n_items=80, n_annotators=7, n_categories=3, *, seed=1, right=0.7, present=0.6
) -> Annotations:
    """Return labels with missing ones, some given twice."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_categories, size=n_items)
    item, annotator = np.nonzero(rng.random((n_items, n_annotators)) < present)
    guess = rng.integers(n_categories, size=item.size)
    label = np.where(rng.random(item.size) < right, truth[item], guess)
    again = slice(0, item.size, 9)
    item, annotator, label = (
        np.concatenate([column, column[again]]) for column in (item, annotator, label)
    )
    return coded(item, annotator, label, n_items, n_annotators, n_categories)


def by_loops(a, *, smoothing, prevalence_smoothing, n_updates, tie="none", gold=None, group=None):
    """Do EM as the definition says: in logarithms, one label after the other."""
    k = a.n_categories
    group = np.arange(a.n_annotators) if group is None else group
    gold = np.full(a.n_items, -1) if gold is None else gold
    labelled = (np.bincount(a.item, minlength=a.n_items) > 0) | (gold >= 0)
    posterior = votes_start(a)
    for update in range(n_updates + 1):
        posterior[gold >= 0] = np.eye(k)[gold[gold >= 0]]
        prevalence = posterior[labelled].sum(axis=0) + prevalence_smoothing
        prevalence /= prevalence.sum()
        counts = np.broadcast_to(np.asarray(smoothing, float), (group.max() + 1, k, k)).copy()
        for i, j, label in zip(a.item, a.annotator, a.label, strict=True):
            counts[group[j], :, label] += posterior[i]
        right = np.diagonal(counts, axis1=1, axis2=2)
        total = counts.sum(axis=2)
        if tie == "none":
            matrix = counts / np.where(total > 0, total, 1)[:, :, None]
            matrix[total == 0] = 1 / k
        else:
            if tie == "one_coin":
                right, total = (x.sum(axis=1, keepdims=True) for x in (right, total))
            share = (right / total)[:, :, None]
            matrix = np.where(np.eye(k, dtype=bool), share, (1 - share) / (k - 1))
        with np.errstate(divide="ignore"):
            joint = np.tile(np.log(prevalence), (a.n_items, 1))
            for i, j, label in zip(a.item, a.annotator, a.label, strict=True):
                joint[i] += np.log(matrix[group[j], :, label])
        joint[(gold >= 0)[:, None] & (np.arange(k) != gold[:, None])] = -np.inf
        each = scipy.special.logsumexp(joint, axis=1)
        posterior = np.exp(joint - each[:, None])
        if update == n_updates:
            return posterior, prevalence, matrix[group], each[labelled].sum()
    raise AssertionError


# EM.


@pytest.mark.parametrize("n_categories", [1, 2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("smoothing", [0, 0.01, 1.5])
def test_em_is_what_loops_give(n_categories, smoothing):
    a = crowd(n_categories=n_categories)
    expected = by_loops(a, smoothing=smoothing, prevalence_smoothing=smoothing, n_updates=4)
    fitted = dawid_skene.fit(a, smoothing=smoothing, tolerance=0, max_iterations=4)
    np.testing.assert_allclose(fitted.posterior, expected[0], rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(fitted.prevalence, expected[1], rtol=1e-11)
    np.testing.assert_allclose(fitted.confusion, expected[2], rtol=1e-10, atol=1e-14)
    assert fitted.log_likelihood == pytest.approx(expected[3], rel=1e-12)


@pytest.mark.parametrize("tie", ["none", "category", "one_coin"])
@pytest.mark.parametrize("n_categories", [2, 3, 6])
def test_gold_groups_priors_and_ties_are_what_loops_give(tie, n_categories, rng):
    a = crowd(n_categories=n_categories)
    gold = np.where(rng.random(80) < 0.3, rng.integers(n_categories, size=80), -1)
    group = np.array([0, 1, 0, 2, 2, 1, 0])
    smoothing = rng.uniform(0.1, 2, (3, n_categories, n_categories))
    prior = rng.uniform(0.1, 2, n_categories)
    expected = by_loops(
        a,
        smoothing=smoothing,
        prevalence_smoothing=prior,
        n_updates=3,
        tie=tie,
        gold=gold,
        group=group,
    )
    fitted = dawid_skene.fit(
        a,
        smoothing=smoothing,
        prevalence_smoothing=prior,
        tie=tie,
        gold=gold,
        groups=list("abaccba"),
        tolerance=0,
        max_iterations=3,
    )
    np.testing.assert_allclose(fitted.posterior, expected[0], rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(fitted.prevalence, expected[1], rtol=1e-11)
    np.testing.assert_allclose(fitted.confusion, expected[2], rtol=1e-10)
    assert fitted.log_likelihood == pytest.approx(expected[3], rel=1e-12)


@pytest.mark.parametrize("n_categories", [2, 3])
def test_thousands_of_labels_on_an_item_do_not_underflow(n_categories, rng):
    item = np.repeat(np.arange(4), 3_000)
    annotator = np.tile(np.arange(3_000), 4)
    label = np.where(rng.random(item.size) < 0.4, item % n_categories, rng.integers(n_categories))
    a = coded(item, annotator, label, 4, 3_000, n_categories)
    expected = by_loops(a, smoothing=0.01, prevalence_smoothing=0.01, n_updates=1)
    fitted = dawid_skene.fit(a, tolerance=0, max_iterations=1)
    np.testing.assert_allclose(fitted.posterior, expected[0], rtol=1e-8, atol=1e-12)
    assert fitted.log_likelihood == pytest.approx(expected[3], rel=1e-11)
    assert np.isfinite(fitted.history).all()


@pytest.mark.parametrize("tie", ["none", "category", "one_coin"])
@pytest.mark.parametrize("smoothing", [0, 0.01, 0.7])
@pytest.mark.parametrize("groups", [None, "all"])
def test_the_objective_never_falls(tie, smoothing, groups):
    a = crowd(n_categories=4, right=0.4)
    fitted = dawid_skene.fit(
        a, smoothing=smoothing, tie=tie, groups=groups, tolerance=0, max_iterations=60
    )
    steps = np.diff(fitted.history)
    assert steps.min() > -1e-10 * abs(fitted.history[-1])
    assert fitted.history.size == fitted.n_iterations + 1
    assert fitted.history[-1] == fitted.log_posterior


def test_the_objective_of_a_wrong_update_falls():
    # The negative control: what belongs to other smoothing is no ascent.
    a = crowd(n_categories=4, right=0.4)
    fitted = dawid_skene.fit(a, smoothing=0, tolerance=1e-12)
    wrong = dawid_skene.fit(a, smoothing=5.0, start=fitted.parameters, max_iterations=3)
    likelihood = dawid_skene.fit(a, smoothing=0, start=wrong.parameters, max_iterations=1)
    assert likelihood.history[0] < fitted.log_likelihood


def test_the_log_posterior_adds_the_priors():
    a = crowd()
    smoothing = np.random.default_rng(3).uniform(0.2, 1, (3, 3))
    fitted = dawid_skene.fit(a, smoothing=smoothing, prevalence_smoothing=[1, 2, 3])
    added = (smoothing * np.log(fitted.confusion)).sum()
    added += np.array([1, 2, 3]) @ np.log(fitted.prevalence)
    assert fitted.log_posterior - fitted.log_likelihood == pytest.approx(added, rel=1e-11)
    assert dawid_skene.fit(a, smoothing=0).log_posterior == pytest.approx(
        dawid_skene.fit(a, smoothing=0).log_likelihood, rel=1e-15
    )


@pytest.mark.parametrize("n_categories", [2, 5])
def test_threads_change_rounding_alone_and_repeat_exactly(n_categories):
    a = crowd(500, n_categories=n_categories)
    one = dawid_skene.fit(a)
    for threads in (2, 3, 7):
        first, second = (dawid_skene.fit(a, threads=threads) for _ in range(2))
        assert first.posterior.tobytes() == second.posterior.tobytes()
        assert first.confusion.tobytes() == second.confusion.tobytes()
        np.testing.assert_allclose(first.posterior, one.posterior, atol=1e-10)


def test_more_threads_than_items_are_fine():
    two_items = coded([0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1], 2, 2, 2)
    assert dawid_skene.fit(two_items, threads=9).converged


def test_starts_reach_a_fit():
    a = crowd(right=0.85)
    base = dawid_skene.fit(a, tolerance=1e-12)
    rng = np.random.default_rng(4)
    starts = ["diagonal", "spectral", base.parameters, base.posterior, random_start(a, rng=rng)]
    for start in starts:
        fitted = dawid_skene.fit(a, start=start, tolerance=1e-12)
        assert fitted.log_posterior == pytest.approx(base.log_posterior, rel=1e-6)


def test_the_diagonal_start_is_the_stated_one():
    _, parameters = first_values(crowd(n_categories=4), "diagonal")
    # 0.7 : 0.3 / 4, scaled to sum to 1: 0.7 / (0.7 + 3 * 0.075) and 0.075 / 0.925.
    np.testing.assert_allclose(parameters.confusion[2, 1], np.array([3, 28, 3, 3]) / 37)
    np.testing.assert_allclose(parameters.prevalence, 0.25)


def test_the_spectral_start_sees_what_noise_hides_from_votes():
    # Forty annotators answer at random, six know: votes drown, what annotators share does not.
    rng = np.random.default_rng(6)
    truth = rng.integers(2, size=400)
    labels = rng.integers(2, size=(400, 46))
    labels[:, :6] = np.where(rng.random((400, 6)) < 0.95, truth[:, None], 1 - truth[:, None])
    item, annotator = np.nonzero(np.ones_like(labels))
    a = coded(item, annotator, labels.ravel(), 400, 46, 2)
    right = (spectral_start(a).argmax(axis=1) == truth).mean()
    assert right > (votes_start(a).argmax(axis=1) == truth).mean() + 0.05
    assert right > 0.97


@pytest.mark.parametrize("n_items", [5, 60, 3_000])
def test_the_spectral_start_of_odd_tables_is_a_distribution(n_items):
    rng = np.random.default_rng(2)
    each, nobody = np.arange(n_items), np.zeros(n_items, dtype=int)
    tables = [
        coded(each, nobody, nobody, n_items, 1, 2),
        coded(each, each % 3, each % 3, n_items, 3, 3),
        coded(each, rng.integers(50, size=n_items), rng.integers(4, size=n_items), n_items, 50, 4),
        coded([0], [0], [1], n_items, 2, 2),
    ]
    for a in tables:
        start = spectral_start(a)
        assert (start >= 0).all()
        np.testing.assert_allclose(start.sum(axis=1), 1)
        assert start.tobytes() == spectral_start(a).tobytes()


# The fit.


def test_criteria_count_parameters_and_items():
    a = crowd()
    fitted = dawid_skene.fit(a, smoothing=0)
    assert fitted.n_parameters == 2 + 7 * 6
    assert fitted.aic == pytest.approx(2 * 44 - 2 * fitted.log_likelihood)
    assert fitted.bic == pytest.approx(
        44 * np.log(np.unique(a.item).size) - 2 * fitted.log_likelihood
    )
    numbers = {"none": 8, "category": 5, "one_coin": 3}
    for tie, number in numbers.items():
        assert dawid_skene.fit(a, smoothing=0, groups="all", tie=tie).n_parameters == number


@pytest.mark.parametrize("criterion", ["aic", "bic"])
def test_criteria_refuse_smoothed_fits(criterion):
    with pytest.raises(ValueError, match=f"{criterion}: needs the maximum.*smoothing=0"):
        getattr(dawid_skene.fit(crowd()), criterion)


def test_items_and_annotators_without_labels_have_their_documented_answers():
    a = coded([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 0], 3, 3, 2)
    smoothed = dawid_skene.fit(a, smoothing=[[2, 1], [1, 2]], prevalence_smoothing=1)
    np.testing.assert_allclose(smoothed.confusion[2], [[2 / 3, 1 / 3], [1 / 3, 2 / 3]])
    np.testing.assert_allclose(smoothed.posterior[2], smoothed.prevalence)
    assert smoothed.n_labelled == 2
    with pytest.warns(DegenerateWarning, match="2 row.* undefined and NaN.*annotator '2'"):
        exact = dawid_skene.fit(a, smoothing=0, max_iterations=3, tolerance=0)
    assert np.isnan(exact.confusion[2]).all()
    assert exact.n_parameters == 1 + 2 * 2
    assert np.isfinite(exact.posterior).all()


def test_an_item_without_labels_leaves_no_trace():
    a = crowd()
    more = replace(a, items=(*a.items, "new"))
    first, second = dawid_skene.fit(a), dawid_skene.fit(more)
    assert second.posterior[:-1].tobytes() == first.posterior.tobytes()
    assert second.log_likelihood == first.log_likelihood


def test_gold_by_name_and_by_code_are_one():
    a = crowd()
    gold = np.full(80, -1)
    gold[[3, 70]] = [2, 0]
    first = dawid_skene.fit(a, gold=gold)
    second = dawid_skene.fit(a, gold={"3": "2", "70": "0"})
    assert first.posterior.tobytes() == second.posterior.tobytes()
    assert first.posterior[[3, 70]].tolist() == [[0, 0, 1], [1, 0, 0]]


def test_prediction_of_the_fitted_labels_is_their_posterior():
    a = crowd()
    fitted = dawid_skene.fit(a)
    np.testing.assert_allclose(fitted.predict(a), fitted.posterior, rtol=1e-12)
    some = Annotations.from_frame(a.to_frame().query("item in ['4', '9']"))
    np.testing.assert_allclose(
        fitted.predict(some)[:, [fitted.categories.index(c) for c in fitted.categories]],
        fitted.posterior[[4, 9]],
        rtol=1e-12,
    )


def test_prediction_says_what_is_unknown_or_impossible():
    a = coded([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1], 2, 2, 2)
    exact = dawid_skene.fit(a, smoothing=0)
    with pytest.warns(DegenerateWarning, match="1 item.* probability 0.*'0'"):
        assert np.isnan(exact.predict(coded([0, 0], [0, 1], [0, 1], 1, 2, 2))).all()
    with pytest.raises(AnnotationError, match="annotator '2' is unknown"):
        exact.predict(coded([0], [2], [0], 1, 3, 2))
    with pytest.raises(AnnotationError, match="category '2' is unknown"):
        exact.predict(coded([0], [0], [0], 1, 1, 3))


# Optima.


def test_a_switched_solution_is_found_out_and_is_no_new_optimum(rng):
    a = crowd(right=0.85)
    posterior = dawid_skene.fit(a).posterior
    found = restarts(a, rng=rng, n_random=0, starts=["votes", posterior[:, [1, 2, 0]]])
    assert len(found.fits) == 1
    assert found.table["optimum"].tolist() == [0, 0]
    assert align(posterior[:, [1, 2, 0]], a).tolist() == [1, 2, 0]
    switched = restarts(a, rng=rng, n_random=0, starts=[posterior[:, [1, 2, 0]]])
    assert switched.is_switched.tolist() == [True]
    assert found.is_switched.tolist() == [False]


def test_optima_come_best_first_and_every_start_is_reported(rng):
    a = crowd(40, 4, 4, right=0.35)
    found = restarts(a, rng=rng, n_random=12, smoothing=0.01)
    assert len(found.table) == 15
    assert len(found.fits) > 1
    values = [fit.log_posterior for fit in found.fits]
    assert values == sorted(values, reverse=True)
    assert found.best.log_posterior == found.table["log_posterior"].max()
    assert found.distance[0] == 0
    assert (found.distance[1:] > 0.01).all()
    assert set(found.table["optimum"]) == set(range(len(found.fits)))


def test_no_start_at_all_is_refused(rng):
    with pytest.raises(ValueError, match="Give at least one"):
        restarts(crowd(), rng=rng, n_random=0, starts=())


# Uncertainty.


def test_with_all_categories_known_errors_are_those_of_shares():
    a = crowd(right=0.5)
    gold = np.arange(80) % 3
    fitted = dawid_skene.fit(a, smoothing=0, gold=gold)
    errors = standard_errors(a, fitted)
    counts = np.zeros((7, 3, 3))
    np.add.at(counts, (a.annotator, gold[a.item], a.label), 1)
    n = counts.sum(axis=2, keepdims=True)
    share = counts / n
    np.testing.assert_allclose(errors.confusion, np.sqrt(share * (1 - share) / n), rtol=1e-9)
    p = np.bincount(gold) / 80
    np.testing.assert_allclose(errors.prevalence, np.sqrt(p * (1 - p) / 80), rtol=1e-9)


@pytest.mark.parametrize("smoothing", [0, 0.8])
@pytest.mark.parametrize(("tie", "groups"), [("none", "all"), ("category", None)])
def test_the_information_is_the_curvature_of_the_likelihood(smoothing, tie, groups):
    a = crowd(60, 3, 2, right=0.6, present=0.9, seed=5)  # whose optimum is inside
    fitted = dawid_skene.fit(
        a, smoothing=smoothing, tie=tie, groups=groups, tolerance=1e-15, max_iterations=20_000
    )
    errors = standard_errors(a, fitted)
    n_matrices = 1 if groups else 3
    free = np.concatenate(
        [fitted.prevalence[:1], fitted.confusion[:n_matrices, [0, 1], [0, 1]].ravel()]
    )

    def objective(x):
        right = x[1:].reshape(n_matrices, 2)
        matrix = np.empty((n_matrices, 2, 2))
        matrix[:, [0, 1], [0, 1]], matrix[:, [0, 1], [1, 0]] = right, 1 - right
        own = np.broadcast_to(matrix, (3, 2, 2))
        joint = np.tile(np.log([x[0], 1 - x[0]]), (a.n_items, 1))
        np.add.at(joint, a.item, np.log(own[a.annotator, :, a.label]))
        labelled = np.unique(a.item)
        value = scipy.special.logsumexp(joint[labelled], axis=1).sum()
        return value + smoothing * (np.log(matrix).sum() + np.log(x[0] * (1 - x[0])))

    step, size = 1e-4, free.size
    hessian = np.empty((size, size))
    for r in range(size):
        for c in range(size):
            d, e = step * np.eye(size)[r], step * np.eye(size)[c]
            hessian[r, c] = (
                objective(free + d + e)
                - objective(free + d - e)
                - objective(free - d + e)
                + objective(free - d - e)
            ) / (4 * step**2)
    expected = np.sqrt(np.diag(np.linalg.inv(-hessian)))
    # Central differences with this step have about five digits.
    np.testing.assert_allclose(errors.prevalence, expected[[0, 0]], rtol=1e-4)
    found = errors.confusion[:n_matrices, [0, 1], [0, 1]].ravel()
    np.testing.assert_allclose(found, expected[1:], rtol=1e-4)


def test_errors_at_a_boundary_are_nan_with_a_warning():
    a = coded([0, 0, 1, 1, 2, 2], [0, 1] * 3, [0, 0, 1, 1, 1, 0], 3, 2, 2)
    fitted = dawid_skene.fit(a, smoothing=0, gold=[0, 1, 1])
    with pytest.warns(DegenerateWarning, match="6 of 10 estimates are at a boundary"):
        errors = standard_errors(a, fitted)
    assert errors.n_boundary == 6
    assert np.isnan(errors.confusion[0]).all()
    assert np.isfinite(errors.confusion[1, 1]).all()


def test_parameters_that_labels_do_not_tell_have_no_errors(monkeypatch):
    # One label an item tells the share of each label, and nothing about annotators. A fit refuses
    # such labels; of others that leave the information singular rounding decides.
    method = replace(dawid_skene.METHOD, compares=False)
    monkeypatch.setattr("annobench.models.dawid_skene.model.METHOD", method)
    label = (np.arange(30) % 3 == 0).astype(int)
    a = coded(np.arange(30), np.zeros(30, int), label, 30, 1, 2)
    parameters = Parameters(np.array([0.5, 0.5]), np.array([[[0.9, 0.1], [0.4, 0.6]]]))
    fitted = dawid_skene.fit(a, smoothing=0, start=parameters, tolerance=1e-14)
    with pytest.warns(DegenerateWarning, match="information is singular"):
        errors = standard_errors(a, fitted)
    assert np.isnan(errors.confusion).all()


def test_a_weight_is_a_number_of_copies():
    a = crowd(n_categories=2)
    settings = dawid_skene.fit(a).settings
    weight = np.random.default_rng(9).integers(0, 4, a.n_items)
    problem = Problem.of(a, settings)
    state = problem.begin(votes_start(a), None, weight.astype(float))
    problem.maximise_likelihood(state, weight.astype(float))
    frame = a.to_frame()
    copies = [
        frame[frame["item"] == name].assign(item=f"{name} {copy}")
        for name, times in zip(a.items, weight, strict=True)
        for copy in range(times)
    ]
    copied = Annotations.from_frame(
        pd.concat(copies), annotators=a.annotators, categories=a.categories
    )
    fitted = dawid_skene.fit(copied)
    np.testing.assert_allclose(state.prevalence[:2], fitted.prevalence, rtol=1e-8)
    assert state.log_likelihood == pytest.approx(fitted.log_likelihood, rel=1e-10)


def test_bootstrap_intervals_hold_the_estimates_and_threads_do_not_matter():
    a = crowd(200, right=0.8)
    fitted = dawid_skene.fit(a)
    first, second = (
        bootstrap(
            a, fitted, rng=np.random.default_rng(2), replicates=60, posteriors=True, threads=t
        )
        for t in (1, 3)
    )
    assert first.prevalence.tobytes() == second.prevalence.tobytes()
    assert first.posterior.tobytes() == second.posterior.tobytes()
    assert first.n_switched == first.n_unconverged == 0
    low, high = first.interval("prevalence", 0.99)
    assert ((low < fitted.prevalence) & (fitted.prevalence < high)).all()
    low, high = first.interval("confusion")
    assert ((low >= 0) & (low <= high) & (high <= 1)).all()
    low, high = first.interval("posterior")
    assert (low <= high).all()
    # The spread is that of shares at least, as categories are not known.
    floor = np.sqrt(fitted.prevalence * (1 - fitted.prevalence) / fitted.n_labelled)
    assert (first.prevalence.std(axis=0) > 0.7 * floor).all()


def test_bootstrap_refuses_what_it_cannot_do(rng):
    a = crowd()
    fitted = dawid_skene.fit(a)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        bootstrap(a, fitted, rng=rng, replicates=0)
    with pytest.raises(AnnotationError, match="memory_limit is"):
        bootstrap(a, fitted, rng=rng, memory_limit=1_000)
    with pytest.raises(AnnotationError, match="items of the labels are not those"):
        bootstrap(crowd(81), fitted, rng=rng)
    some = bootstrap(a, fitted, rng=rng, replicates=2)
    with pytest.raises(ValueError, match="no replicates of 'posterior'"):
        some.interval("posterior")
    with pytest.raises(ValueError, match="level must be between"):
        some.interval("prevalence", 1.0)
    with pytest.raises(AnnotationError, match=r"needs .* MiB.*bootstrap"):
        standard_errors(a, fitted, memory_limit=1_000)


def test_the_check_passes_labels_of_the_model_and_finds_hard_items(rng):
    truth = rng.integers(2, size=600)
    easy = rng.random(600) < 0.5
    everybody = np.ones((600, 6), dtype=bool)
    item, annotator = np.nonzero(everybody)
    fits = {}
    for name, right in {
        "model": np.full(600, 0.8),
        "difficulty": np.where(easy, 0.99, 0.6),
    }.items():
        hit = rng.random(item.size) < right[item]
        label = np.where(hit, truth[item], 1 - truth[item])
        a = coded(item, annotator, label, 600, 6, 2)
        fits[name] = predictive_check(a, dawid_skene.fit(a), rng=rng, replicates=300)
    spread = "largest share, standard deviation"
    assert fits["model"]["p_value"].min() > 0.01
    assert fits["difficulty"].loc[spread, "p_value"] < 0.01
    assert fits["difficulty"].loc[spread, "observed"] > fits["difficulty"].loc[spread, "mean"]


# Bad input.


def test_labels_of_one_category_are_fitted_at_once():
    a = Annotations.from_arrays([0, 0, 1, 1], list("abab"), ["yes"] * 4)
    fitted = dawid_skene.fit(a)
    assert fitted.converged
    assert (fitted.n_iterations, fitted.log_likelihood) == (1, 0)


@pytest.mark.parametrize(
    ("n_items", "n_annotators", "per_item", "k", "largest"),
    [
        (50, 2, 100, 2, "labels"),
        (5_000, 2, 2, 9, "items"),
        (60, 9, 2, 60, "confusion matrices"),
    ],
)
def test_the_message_says_what_needs_most_memory(n_items, n_annotators, per_item, k, largest):
    n = np.arange(n_items * per_item)
    a = Annotations.from_arrays(n // per_item, n % n_annotators, n % k, categories=range(k))
    with pytest.raises(AnnotationError, match=f"of them for the {largest}, and"):
        dawid_skene.fit(a, memory_limit=1, threads=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smoothing": -1}, r"smoothing must be above 0.*got -1"),
        ({"smoothing": np.nan}, r"smoothing must be above 0.*got nan"),
        (
            {"smoothing": np.ones((2, 2)), "prevalence_smoothing": 1},
            r"shape \(3, 3\) or \(7, 3, 3\)",
        ),
        (
            {"smoothing": np.diag([1.0, 1, 1]), "prevalence_smoothing": 1},
            r"must be above 0.*got 0.0 at \[0, 1\]",
        ),
        ({"smoothing": np.ones((3, 3))}, "Give both"),
        ({"prevalence_smoothing": [1, 2]}, r"prevalence_smoothing must be one number.*\(3,\)"),
        ({"prevalence_smoothing": [1, 0, 1]}, r"prevalence_smoothing.*got 0.0 at \[1\]"),
        ({"gold": np.full(80, 3)}, "gold of item '0' is 3, not one"),
        ({"gold": np.full(80, -2)}, "gold of item '0' is -2"),
        ({"gold": np.full(80, 0.5)}, "gold of item '0' is 0.5"),
        ({"gold": np.full(80, np.nan)}, "gold of item '0' is nan"),
        ({"gold": [0, 1]}, r"one code for each of the 80 items, got shape \(2,\)"),
        ({"gold": {"nobody": "1"}}, "item 'nobody', which is not among"),
        ({"gold": {"3": "yes"}}, "gold of item '3' is 'yes', not one of"),
        ({"groups": "some"}, "groups 'some' is not 'all'"),
        ({"groups": [1, 2]}, "each of the 7 annotators, got 2"),
        ({"tie": "rows"}, "tie 'rows' is not one of none, category, one_coin"),
        ({"tolerance": -1e-3}, "tolerance must be at least 0"),
        ({"tolerance": np.nan}, "tolerance must be at least 0, got nan"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"start": "best"}, "start 'best' is not one of votes, diagonal, spectral"),
        (
            {"start": np.ones((80, 3))},
            r"sum to 1 along the last axis, but do not at \[0\] \(sum 3\)",
        ),
        ({"start": np.full((80, 3), np.nan)}, "sum to 1 along the last axis"),
        ({"start": np.full((80, 2), 0.5)}, r"must have the shape \(80, 3\), got \(80, 2\)"),
        ({"start": [[1.0], [0.5, 0.5]]}, r"must be numbers of shape \(80, 3\), got list"),
        ({"memory_limit": 1_000}, "memory_limit is 0.0 MiB. Raise the limit"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        dawid_skene.fit(crowd(), **options)


def test_a_start_that_makes_labels_impossible_is_refused():
    a = coded([0, 0, 1], [0, 1, 0], [0, 1, 0], 2, 2, 2)
    never = Parameters(np.array([0.5, 0.5]), np.tile(np.eye(2), (2, 1, 1)))
    with pytest.raises(AnnotationError, match="item '0' have probability 0 under the given start"):
        dawid_skene.fit(a, start=never)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_ten_million_labels_fit_into_half_a_gigabyte():
    script = """
        from pathlib import Path
        import numpy as np
        from annobench.labels.annotations import Annotations
        from annobench.core.errors import AnnotationError
        from annobench.models import dawid_skene

        dawid_skene.fit(Annotations.from_arrays(["x", "x"], ["a", "b"], ["1", "1"]))
        rng = np.random.default_rng(1)
        n_items, per_item = 1_000_000, 10
        item = np.repeat(np.arange(n_items, dtype=np.int32), per_item)
        annotator = np.empty(item.size, dtype=np.int32)
        label = np.empty(item.size, dtype=np.int16)
        for part in np.array_split(np.arange(item.size, dtype=np.int32), 20):
            annotator[part] = rng.integers(500, size=part.size, dtype=np.int32)
            label[part] = (item[part] + (rng.random(part.size, dtype=np.float32) < 0.2)) % 4
        names = ("",) * n_items  # names are the caller's memory, not the fit's
        a = Annotations(item, annotator, label, names, tuple(map(str, range(500))), tuple("0123"))
        try:
            dawid_skene.fit(a, memory_limit=50 * 2**20)
        except AnnotationError as error:
            assert "memory_limit is 50.0 MiB" in str(error)
        else:
            raise SystemExit("the limit was not kept")
        fitted = dawid_skene.fit(a, max_iterations=3, memory_limit=512 * 2**20)
        assert (fitted.posterior.argmax(axis=1)[:8] == np.arange(8) % 4).all()
        # The peak that getrusage tells of began with the process that started this one.
        status = Path("/proc/self/status").read_text()
        print(1024 * int(status.split("VmHWM:")[1].split()[0]))
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) < 512 * 2**20


# One annotator.


def alone() -> Annotations:
    """Return ten items with one label each, all of one annotator: six of "1"."""
    return coded(np.arange(10), np.zeros(10, int), [1] * 6 + [0] * 4, 10, 1, 2)


@pytest.mark.parametrize("smoothing", [0, 0.01])
def test_one_annotator_is_refused_whatever_the_smoothing(smoothing):
    with pytest.raises(AnnotationError, match="all labels are of one annotator, '0'"):
        dawid_skene.fit(alone(), smoothing=smoothing)


def test_one_annotator_is_judged_by_known_categories():
    # Of four items known to be 1 the annotator says 1 of three; of two that are 0, 0 of both.
    gold = np.full(10, -1)
    gold[[0, 1, 2, 6]], gold[[7, 8]] = 1, 0
    fitted = dawid_skene.fit(alone(), gold=gold, smoothing=0, tolerance=0, max_iterations=60)
    # Nobody says 1 of a 0, so that three more items are 1. The last, labelled 0, is 1 with
    # probability w = (1 + w) / (1 + w + 3 - w), hence 1/3: of 22/3 items that are 1, 4/3 get 0.
    assert fitted.posterior[9, 1] == pytest.approx(1 / 3, rel=1e-12)
    np.testing.assert_allclose(fitted.confusion[0], [[1, 0], [2 / 11, 9 / 11]], rtol=1e-12)
    for nothing in ({}, np.full(10, -1)):
        with pytest.raises(AnnotationError, match="one annotator"):
            dawid_skene.fit(alone(), gold=nothing)
