"""EM of eight samples at once goes where EM of each alone goes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from annobench.labels import Annotations
from annobench.models.dawid_skene.em import Problem, Settings
from annobench.models.dawid_skene.optima import best_order
from annobench.models.dawid_skene.samples import LANES, distinct_items, fit_samples
from annobench.models.dawid_skene.starts import votes_start


def fitted(*arguments):
    """Return the fits in the order of the samples."""
    return [state for _, state in sorted(fit_samples(*arguments), key=lambda each: each[0])]


def labels_of(rng, n_items=60, n_annotators=7, n_categories=3):
    truth = rng.integers(n_categories, size=n_items)
    wrong = rng.integers(n_categories, size=(n_items, n_annotators))
    label = np.where(rng.random(wrong.shape) < 0.7, truth[:, None], wrong)
    item, annotator = np.nonzero(rng.random(label.shape) < 0.6)
    return Annotations.from_arrays(item, annotator, label[item, annotator])


@pytest.mark.parametrize("n_categories", [2, 3, 6])
@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize("tie", ["none", "category", "one_coin"])
@pytest.mark.parametrize("has_gold", [False, True])
def test_samples_go_where_each_alone_goes(rng, n_categories, smoothing, tie, has_gold):
    a = labels_of(rng, n_categories=n_categories)
    settings = replace(Settings.plain(a, smoothing, max_iterations=25), tie=tie)
    if has_gold:
        gold = np.where(np.arange(a.n_items) % 5, -1, a.counts.argmax(axis=1))
        settings = replace(settings, gold=gold.astype(np.int32))
    problem = Problem.of(a, settings)
    start = problem.begin(votes_start(a), None)
    weight = rng.multinomial(a.n_items, np.full(a.n_items, 1 / a.n_items), LANES).T.astype(float)
    found = fitted(problem, start, weight.T)
    for lane, state in enumerate(found):
        # Both begin with the parameters of all items.
        alone = problem.begin(votes_start(a), None)
        problem.maximise_likelihood(alone, np.ascontiguousarray(weight[:, lane]))
        for name in ("prevalence", "table", "mass", "counts"):
            np.testing.assert_allclose(getattr(state, name), getattr(alone, name), atol=1e-9)


def test_items_of_hundreds_of_labels_do_not_underflow(rng):
    n, j = 9, 2_000
    label = np.where(
        rng.random((n, j)) < 0.4, np.arange(n)[:, None] % 3, rng.integers(3, size=(n, j))
    )
    item, annotator = np.divmod(np.arange(n * j), j)
    a = Annotations.from_arrays(item, annotator, label.ravel())
    problem = Problem.of(a, Settings.plain(a, 0.1, tolerance=1e-12, max_iterations=500))
    start = problem.begin(votes_start(a), None)
    found = fitted(problem, start, np.ones((LANES, n)))
    alone = problem.begin(votes_start(a), None)
    problem.maximise_likelihood(alone)
    assert np.prod(alone.table[:, :, :3].max(axis=1), axis=0).max() < 1e-200
    for state in found:
        np.testing.assert_allclose(state.prevalence, alone.prevalence, rtol=1e-6)
        np.testing.assert_allclose(state.table, alone.table, atol=1e-6)


def test_a_sample_is_at_rest_when_its_parameters_have_settled(rng):
    a = labels_of(rng, n_items=2_000)
    problem = Problem.of(a, Settings.plain(a, 0.1, tolerance=1e-4, max_iterations=500))
    start = problem.begin(votes_start(a), None)
    problem.maximise_likelihood(start)
    weight = rng.multinomial(a.n_items, np.full(a.n_items, 1 / a.n_items), LANES).T.astype(float)
    for lane, state in enumerate(fitted(problem, start, weight.T)):
        assert state.converged
        further = replace(problem.settings, tolerance=1e-12, max_iterations=5_000)
        alone = replace(state, table=state.table.copy(), posterior=np.empty((a.n_items, 3)))
        Problem.of(a, further).maximise_likelihood(alone, weight[:, lane].copy())
        assert 0 < np.abs(alone.table - state.table).max() < 1e-4


def test_no_tolerance_means_all_iterations(rng):
    a = labels_of(rng)
    problem = Problem.of(a, Settings.plain(a, 0.0, max_iterations=7))
    start = problem.begin(votes_start(a), None)
    found = fitted(problem, start, np.ones((LANES, a.n_items)))
    assert [state.n_iterations for state in found] == [7] * LANES
    assert not any(state.converged for state in found)


@pytest.mark.parametrize("has_gold", [False, True])
def test_items_with_the_same_labels_are_one_of_their_weight_together(rng, has_gold):
    a = labels_of(rng, n_items=500, n_annotators=3)
    order = rng.permutation(a.n_labels)  # labels of like items come in different orders
    a = replace(a, item=a.item[order], annotator=a.annotator[order], label=a.label[order])
    settings = Settings.plain(a, 0.5, max_iterations=30)
    gold = np.where(rng.random(a.n_items) < 0.8, -1, a.counts.argmax(axis=1))
    if has_gold:
        settings = replace(settings, gold=gold.astype(np.int32))
    problem = Problem.of(a, settings)
    distinct, which = distinct_items(problem)
    ways: dict[tuple[object, ...], int] = {}
    for i in range(a.n_items):
        given = a.item == i
        pairs = sorted(zip(a.annotator[given].tolist(), a.label[given].tolist(), strict=True))
        expected = ways.setdefault((*pairs, has_gold and gold[i]), len(ways))
        assert which[i] == expected
    assert distinct.offsets.size - 1 == len(ways) < 250
    start = problem.begin(votes_start(a), None)
    weight = rng.multinomial(a.n_items, np.full(a.n_items, 1 / a.n_items), 3).astype(float)
    both = zip(
        fitted(problem, start, weight),
        fitted(distinct, start, [np.bincount(which, each) for each in weight]),
        strict=True,
    )
    for each, collapsed in both:
        np.testing.assert_allclose(collapsed.table, each.table, atol=1e-9)
        np.testing.assert_allclose(collapsed.mass, each.mass, rtol=1e-9)


def test_items_without_labels_are_alike(rng):
    a = replace(labels_of(rng, n_items=4), items=tuple("abcdef"))
    _, which = distinct_items(Problem.of(a, Settings.plain(a, 0.5, max_iterations=5)))
    assert which[4] == which[5] == which.max()


@pytest.mark.parametrize("n_samples", [1, 21])
def test_a_sample_is_fitted_as_if_it_were_alone(rng, n_samples):
    # Of 900 annotators some items underflow in a sample that is nearly at rest, others do not.
    a = labels_of(rng, n_items=30, n_annotators=900)
    settings = Settings.plain(a, 0.5, tolerance=1e-8, max_iterations=40)
    problem = Problem.of(a, settings)
    start = problem.begin(votes_start(a), None)
    weight = rng.multinomial(a.n_items, np.full(a.n_items, 1 / a.n_items), n_samples).astype(float)
    together = fitted(problem, start, weight)
    assert len(together) == n_samples
    for found, drawn in zip(together, weight, strict=True):
        (alone,) = fitted(problem, start, [drawn])
        assert (found.n_iterations, found.converged) == (alone.n_iterations, alone.converged)
        np.testing.assert_array_equal(found.table, alone.table)
        np.testing.assert_array_equal(found.prevalence, alone.prevalence)


def test_no_samples_are_no_fits(rng):
    a = labels_of(rng)
    problem = Problem.of(a, Settings.plain(a, 0.5, max_iterations=5))
    assert fitted(problem, problem.begin(votes_start(a), None), []) == []


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_classes_are_matched_with_categories_for_the_largest_sum(rng, k):
    for _ in range(20):
        overlap = rng.random((k, k))
        row, column = linear_sum_assignment(overlap, maximize=True)
        order = best_order(overlap, 0.0)
        assert overlap[np.arange(k), order].sum() == pytest.approx(overlap[row, column].sum())
        assert sorted(order) == list(range(k))


def test_of_equal_orders_the_classes_keep_their_names():
    np.testing.assert_array_equal(best_order(np.ones((3, 3)), 3.0), [0, 1, 2])
