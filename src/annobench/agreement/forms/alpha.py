"""Krippendorff's alpha with the ordinal and interval metrics, from sums."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annobench.agreement.forms.base import Floats, PairForm, Rows, Totals
from annobench.agreement.forms.counts import (
    copies_of_items,
    label_weights,
    pairs_within,
    quadratic,
    row_sums,
    weighted_counts,
)
from annobench.agreement.forms.numeric import centred
from annobench.core.tolerances import ZERO
from annobench.labels.annotations import Annotations
from annobench.resampling.ratios import ratio


class OrdinalAlpha(PairForm):
    """Alpha with the ordinal metric, whose distances depend on the pooled labels.

    Krippendorff (2011), Computing Krippendorff's alpha-reliability, section E.
    """

    additive = True

    def __init__(
        self, annotations: Annotations, multiplicity: Floats | None, small_sample: bool
    ) -> None:
        self.small_sample = small_sample
        self.n_categories = annotations.n_categories
        self.counts = weighted_counts(annotations, multiplicity)
        self.size = row_sums(self.counts)
        self.copies = copies_of_items(annotations, multiplicity, self.size)

    @cached_property
    def rows(self) -> Rows:
        """Labels in the pool, their copies, the pool, and the pairs [k, l] with k < l."""
        paired = self.n_pairs > 0
        share = np.where(paired, self.size / np.where(paired, self.n_pairs, 1.0), 0.0)
        table: Any = self.counts
        counts = sparse.csr_array(table).astype(np.float64)
        item, label, number = _entries(counts)
        first, second = pairs_within(np.diff(counts.indptr), counts.indptr[:-1])
        low = np.minimum(label[first], label[second])
        high = np.maximum(label[first], label[second])
        k = self.n_categories
        cell = low * k + high
        times = 2 * number[first] * number[second] * share[item[first]]
        pairs = sparse.coo_array((times, (item[first], cell)), shape=(counts.shape[0], k * k))
        head = np.column_stack([self.size, self.copies]) * paired[:, None]
        pool = sparse.diags_array(paired.astype(float)) @ counts
        return sparse.csr_array(sparse.hstack([sparse.csr_array(head), pool, pairs]))

    @cached_property
    def item_disagreement(self) -> Floats:
        rank = _midranks(self.totals[2 : 2 + self.n_categories], self.totals[0])
        distances = ((rank[:, None] - rank) / ((rank[-1] - rank[0]) or 1.0)) ** 2
        return np.asarray(ratio(quadratic(self.counts, distances), self.n_pairs))

    def lowest(self, totals: Floats) -> float:
        return -1.0

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        k = self.n_categories
        mass, copies, pool = totals[..., 0], totals[..., 1], totals[..., 2 : 2 + k]
        rank = _midranks(pool, mass)
        largest = ratio(np.ones_like(mass), (rank[..., -1] - rank[..., 0]) ** 2)
        pairs = totals[..., 2 + k :].reshape(*totals.shape[:-1], k, k)
        apart = (pairs * (rank[..., :, None] - rank[..., None, :]) ** 2).sum(axis=(-2, -1))
        expected = ratio(
            2 * mass * (pool * rank**2).sum(axis=-1),
            mass**2 - (copies if self.small_sample else 0),
            0.0,
        )
        return ratio(apart, mass) * largest, expected * largest

    def gradient(self, totals: Totals) -> Floats:
        k = self.n_categories
        mass, copies, pool = totals[0], totals[1], totals[2 : 2 + k]
        rank = _midranks(pool, mass)
        distances = (rank[:, None] - rank) ** 2
        pairs = totals[2 + k :].reshape(k, k)
        both = pairs + pairs.T
        apart, chance = (pairs * distances).sum(), 2 * mass * (pool * rank**2).sum()
        free = mass**2 - (copies if self.small_sample else 0)
        by_rank = 2 * (both.sum(axis=1) * rank - both @ rank)
        by_pool = np.cumsum(by_rank[::-1])[::-1] - by_rank / 2
        chance_by_rank = 4 * pool * mass * rank
        chance_by_pool = np.cumsum(chance_by_rank[::-1])[::-1] - chance_by_rank / 2
        chance_by_pool += 2 * distances @ pool
        factor = free / (mass * chance)
        share = apart * factor
        head = [
            share * (2 * mass / free - 1 / mass),
            -share / free if self.small_sample else 0.0,
        ]
        middle = factor * by_pool - share * chance_by_pool / chance
        return -np.concatenate([head, middle, factor * distances.ravel()])


class IntervalAlpha(PairForm):
    """Alpha with the interval metric (x - y)^2, from sums of squares, for any number of values."""

    def __init__(
        self, annotations: Annotations, multiplicity: Floats | None, small_sample: bool
    ) -> None:
        self.small_sample = small_sample
        self.x = centred(annotations.values)
        self.item = annotations.item
        self.n_items = annotations.n_items
        self.c = label_weights(annotations, multiplicity)
        self.size = self._sum(np.ones_like(self.x))
        self.copies = copies_of_items(annotations, multiplicity, self.size)

    def _sum(self, values: Floats) -> Floats:
        return np.bincount(self.item, values * self.c, minlength=self.n_items)

    @cached_property
    def item_disagreement(self) -> Floats:
        mean = ratio(self._sum(self.x), self.size)
        around = self._sum((self.x - mean[self.item]) ** 2)
        return np.asarray(ratio(2 * self.size * around, self.n_pairs), dtype=np.float64)

    @cached_property
    def rows(self) -> Rows:
        """Disagreement, labels in the pool, their copies, sum and sum of squares."""
        paired = self.n_pairs > 0
        apart = np.nan_to_num(self.item_disagreement) * self.size
        table = [apart, self.size, self.copies, self._sum(self.x), self._sum(self.x**2)]
        return np.column_stack(table) * paired[:, None]

    def lowest(self, totals: Floats) -> float:
        return -1.0

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        apart, mass, copies, first, second = np.moveaxis(totals, -1, 0)
        observed = ratio(apart, mass)
        spread = 2 * (mass * second - first**2)
        # Relative to these labels, so that an outlier does not make all other variation count as 0.
        spread = np.where(spread.real > ZERO * (mass * second).real, spread, 0)
        return observed, ratio(spread, mass**2 - (copies if self.small_sample else 0))

    def value(self, totals: Totals) -> Totals:
        observed, expected = self.disagreements(totals)
        return 1 - ratio(observed, expected)


def _midranks(pool: Totals, mass: Totals) -> Totals:
    """Return each category's midrank, shape (..., K), centred at the mean of all labels."""
    return np.cumsum(pool, axis=-1) - pool / 2 - mass[..., None] / 2


def _entries(
    counts: sparse.csr_array,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    item = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    return item, counts.indices.astype(np.int64), counts.data
