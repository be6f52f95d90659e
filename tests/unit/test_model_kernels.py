"""Kernels of models on data so small that the answer is the definition."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from annobench.models.dawid_skene.em import NO_WEIGHT
from annobench.models.hierarchical_dawid_skene import HierarchicalDawidSkeneFit
from annobench.models.kernels import dawid_skene, hierarchical_binary, item_difficulty
from annobench.models.kernels.completion import refit_factor
from annobench.models.kernels.dependence import residual_products

NOBODY = np.zeros(0, dtype=np.int32)


def test_a_sweep_over_five_categories_is_bayes_theorem(rng):
    # Three annotators label one item; five categories are stored as eight.
    confusion, prevalence = rng.dirichlet(np.ones(5), size=(3, 5)), rng.dirichlet(np.ones(5))
    label = np.array([4, 0, 4])
    table, padded = np.zeros((3, 5, 8)), np.zeros(8)
    table[:, :, :5], padded[:5] = confusion.swapaxes(1, 2), prevalence
    cells = ((np.arange(3) * 5 + label) * 8).astype(np.uint32)
    posterior, counts, mass = np.empty((1, 5)), np.zeros(table.size), np.zeros(8)
    labels = np.array([0, 3]), cells, NOBODY, NO_WEIGHT
    value, _ = dawid_skene.sweep(0, 1, *labels, padded, table.ravel(), posterior, counts, mass)
    joint = prevalence * np.prod([confusion[j, :, label[j]] for j in range(3)], axis=0)
    np.testing.assert_allclose(posterior[0], joint / joint.sum(), rtol=1e-12)
    assert value == pytest.approx(np.log(joint.sum()))


@pytest.mark.parametrize("k", [2, 3])
def test_a_row_without_labels_is_uniform(k):
    table = np.empty((1, k, k))
    dawid_skene.maximise(np.zeros((1, k, k)), np.zeros((1, k, k)), dawid_skene.FREE, table)
    assert (table == 1 / k).all()


def test_two_labels_make_a_pair():
    # Both annotators are right .8 of the time, and one of the two is right here.
    right = np.full((2, 2), 0.8)
    product, scale = np.empty(1), np.empty(1)
    posterior, deviation = np.array([[1.0, 0.0]]), np.sqrt(right * (1 - right))
    annotator, label = np.array([0, 1]), np.array([0, 1])
    arrays = annotator, label, posterior, right, deviation, product, scale
    residual_products(np.array([0, 2]), *arrays)
    assert product[0] == pytest.approx(2 * 0.2 * -0.8)
    assert scale[0] == pytest.approx(2 * 0.8 * 0.2)


@pytest.mark.parametrize("n_trimmed", [0, 1, 2])
def test_an_entry_is_the_mean_of_ratios_without_the_farthest_on_each_side(n_trimmed):
    value, other = np.array([1.0, 4.0, 9.0, 16.0, 30.0]), np.arange(1.0, 6.0)
    factor = np.array([3.5])  # of the ratios 1, 2, 3, 4, 6 three are below
    offsets, column = np.array([0, 5]), np.arange(5)
    refit_factor(offsets, column, value, other, n_trimmed, 1e-9, factor)
    assert factor[0] == pytest.approx(np.mean([1, 2, 3, 4, 6][n_trimmed : 5 - n_trimmed]))


def test_no_more_is_trimmed_than_lies_on_a_side():
    factor, ones = np.array([0.5]), np.ones(3)
    refit_factor(np.array([0, 3]), np.arange(3), np.array([1.0, 2, 6]), ones, 1, 1e-9, factor)
    assert factor[0] == pytest.approx(1.5)


def test_annotators_are_tabulated_by_more_than_t_labels(rng):
    right, wrong = rng.integers(0, 60, size=(2, 30)).astype(float)
    table = np.empty((3, hierarchical_binary._TABLE))
    hierarchical_binary._tabulate(right, wrong, table)
    more = np.arange(hierarchical_binary._TABLE)[:, None]
    expected = [(n > more).sum(axis=1) for n in (right, wrong, right + wrong)]
    np.testing.assert_array_equal(table, expected)


def test_a_flip_that_changes_no_probability_is_always_made(rng):
    # One annotator, right of both items; rates of .5 make all wrong as probable as all right.
    label, category = np.array([0, 1]), np.array([0, 1])
    for n in range(20):
        right, wrong = np.full((2, 1), float(n % 2 == 0)), np.full((2, 1), float(n % 2))
        hierarchical_binary._propose_flip(
            rng,
            np.array([0, 1, 2]),
            np.zeros(2, dtype=np.int64),
            label,
            np.array([0, 2]),
            np.array([0, 1]),
            np.array([0.5, 0.5, 2.0, 0.5, 2.0]),
            category,
            right,
            wrong,
        )
        assert category.tolist() == ([1, 0] if n % 2 == 0 else [0, 1])


def test_matrices_of_new_annotators_have_rows_that_sum_to_one(rng):
    draws = SimpleNamespace(
        mean=rng.dirichlet(np.ones(3), size=(2, 4, 3)), concentration=np.full((2, 4, 3), 5.0)
    )
    fitted = SimpleNamespace(categories=("a", "b", "c"), draws=draws)
    found = HierarchicalDawidSkeneFit.predict_new_annotator(fitted, 6, rng=1)
    assert found.shape == (6, 3, 3)
    np.testing.assert_allclose(found.sum(axis=2), 1)


def difficulties(rng, k):
    """Return means and two kinds of logarithms of spreads, and a prevalence."""
    return rng.uniform(-1.5, 1.5, size=(3, k, k)), rng.dirichlet(np.ones(k))


@pytest.mark.parametrize("k", [2, 3])
def test_what_is_packed_is_unpacked(rng, k):
    matrices, prevalence = difficulties(rng, k)
    packed = np.empty(k - 1 + 3 * k * (k - 1))
    item_difficulty.pack(matrices, prevalence, packed)
    found, share = np.zeros((3, k, k)), np.empty(k)
    assert item_difficulty.unpack(packed, found, share)
    off = ~np.eye(k, dtype=bool)
    np.testing.assert_array_equal(found[:, off], matrices[:, off])
    np.testing.assert_allclose(share, prevalence, rtol=1e-12)


@pytest.mark.parametrize(
    ("m", "x", "inside"),
    [
        (0, item_difficulty.LARGEST_MEAN, True),
        (0, -1.01 * item_difficulty.LARGEST_MEAN, False),
        (1, item_difficulty.LOWEST, True),
        (1, item_difficulty.LOWEST - 0.01, False),
        (2, item_difficulty.HIGHEST, True),
        (2, item_difficulty.HIGHEST + 0.01, False),
    ],
)
def test_parameters_are_in_bounds_with_the_ends(m, x, inside):
    packed = np.zeros(1 + 3 * 2)
    packed[1 + m] = x
    assert bool(item_difficulty.unpack(packed, np.zeros((3, 2, 2)), np.empty(2))) == inside


def test_the_density_of_all_parameters_is_that_of_its_definition(rng):
    matrices, prevalence = difficulties(rng, 3)
    likelihood, amount = rng.random((3, 5)), np.array([1.0, 2, 0, 4, 1])
    off = ~np.eye(3, dtype=bool)
    expected = amount @ np.log(prevalence @ likelihood) + np.log(prevalence).sum()
    expected -= 0.5 * (matrices[0][off] ** 2).sum()
    expected += (matrices[1:, off] - 0.5 * np.exp(2 * matrices[1:, off])).sum()
    found = item_difficulty.whole_density(matrices, prevalence, likelihood, amount)
    assert found == pytest.approx(expected)
