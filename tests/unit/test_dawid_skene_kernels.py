"""The compiled sweep over items against the definition, written with arrays of labels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from annobench.labels.annotations import Annotations
from annobench.models.dawid_skene.em import NO_WEIGHT, cells_of, width_of
from annobench.models.kernels import dawid_skene as kernels

N_ITEMS, N_ANNOTATORS = 120, 9
NOBODY = np.zeros(0, dtype=np.int32)


def labels_of(n_categories, rng):
    """Draw labels, some items without any, one with so many that products underflow."""
    size = rng.poisson(4, N_ITEMS)
    size[3], size[7] = 0, 2_000
    item = np.repeat(np.arange(N_ITEMS), size)
    annotator = rng.integers(N_ANNOTATORS, size=item.size)
    label = rng.integers(n_categories, size=item.size)
    shuffled = rng.permutation(item.size)
    return tuple(column[shuffled].astype(np.int32) for column in (item, annotator, label))


def by_definition(labels, prevalence, confusion, known, weight):
    """Return posterior, counts (J, K, K), mass and log likelihood, all in logarithms."""
    item, annotator, label = labels
    k = prevalence.size
    logs = np.tile(np.log(prevalence), (N_ITEMS, 1))
    np.add.at(logs, item, np.log(confusion[annotator, :, label]))
    if known.size:
        logs[(known[:, None] >= 0) & (known[:, None] != np.arange(k))] = -np.inf
    each = logsumexp(logs, axis=1)
    posterior = np.exp(logs - each[:, None])
    speaks = np.bincount(item, minlength=N_ITEMS) > 0
    if known.size:
        speaks |= known >= 0
    share = speaks * (weight if weight.size else np.ones(N_ITEMS))
    counts = np.zeros((N_ANNOTATORS, k, k))
    np.add.at(counts.swapaxes(1, 2), (annotator, label), (share[:, None] * posterior)[item])
    return posterior, counts, share @ posterior, share @ each


@pytest.mark.parametrize("n_categories", [1, 2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("with_gold", [False, True])
@pytest.mark.parametrize("with_weights", [False, True])
def test_a_sweep_is_the_definition(n_categories, with_gold, with_weights):
    rng = np.random.default_rng(n_categories)
    labels = labels_of(n_categories, rng)
    k, width = n_categories, width_of(n_categories)
    prevalence = rng.dirichlet(np.ones(k))
    confusion = rng.dirichlet(np.ones(k), size=(N_ANNOTATORS, k))
    drawn = rng.integers(k, size=N_ITEMS)
    known = np.where(rng.random(N_ITEMS) < 0.3, drawn, -1).astype(np.int32)
    known = known if with_gold else NOBODY
    weight = rng.poisson(1.0, N_ITEMS).astype(float) if with_weights else NO_WEIGHT
    a = Annotations.from_arrays(
        *labels,
        items=range(N_ITEMS),
        annotators=range(N_ANNOTATORS),
        categories=range(k),
    )
    cells = cells_of(a.annotator, a.label, k)[a.by_item.order]
    offsets = a.by_item.offsets.copy()
    table = np.zeros((N_ANNOTATORS, k, width))
    table[:, :, :k] = confusion.swapaxes(1, 2)
    padded = np.zeros(width)
    padded[:k] = prevalence
    # Guards after the arrays show what is written beyond an item, as vectors could.
    posterior = np.full((N_ITEMS + 2, k), 7.0)
    counts, mass = np.zeros(table.size), np.zeros(width)
    value = 0.0
    for first, last in ((0, 50), (50, 51), (51, N_ITEMS)):
        part, moved = kernels.sweep(
            *(first, last, offsets, cells, known, weight, padded),
            *(table.ravel(), posterior, counts, mass),
        )
        value += part
        assert moved == 7.0 - posterior[first:last].min()
        assert (posterior[last:] == 7.0).all()
    expected = by_definition(labels, prevalence, confusion, known, weight)
    found = counts.reshape(table.shape)
    np.testing.assert_allclose(posterior[:N_ITEMS], expected[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found[:, :, :k].swapaxes(1, 2), expected[1], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(mass[:k], expected[2], rtol=1e-12)
    assert value == pytest.approx(expected[3], rel=1e-12)
    assert not found[:, :, k:].any()
    assert not mass[k:].any()


@pytest.mark.parametrize("n_categories", [2, 4, 6])
def test_impossible_labels_have_no_likelihood_and_leave_the_prevalence(n_categories):
    k, width = n_categories, width_of(n_categories)
    offsets, cells = np.array([0, 1, 2]), np.array([0, width], dtype=np.uint32)
    table = np.zeros((1, k, width))
    table[0, 1:, :k] = 1 / (k - 1)  # the label 0 is never given
    prevalence = np.zeros(width)
    prevalence[:k] = 1 / k
    posterior, counts, mass = np.empty((2, k)), np.zeros(table.size), np.zeros(width)
    value, _ = kernels.sweep(
        *(0, 2, offsets, cells, NOBODY, NO_WEIGHT, prevalence),
        *(table.ravel(), posterior, counts, mass),
    )
    assert value == -np.inf
    np.testing.assert_allclose(posterior, 1 / k, rtol=1e-15)


def test_a_category_is_drawn_where_rounding_leaves_none():
    rng = np.random.default_rng(1)
    assert kernels._draw(rng, np.zeros(6), 0, 2, 3) == 2
    # What follows in the table belongs to another annotator.
    assert kernels._draw(rng, np.array([0.0, 0.0, 0.0, 1.0, 1.0]), 0, 1, 3) == 2
    assert [kernels._draw(rng, np.array([0.0, 1.0, 0.0]), 0, 1, 3) for _ in range(5)] == [1] * 5
