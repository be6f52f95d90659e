"""One distribution of labels for all annotators: pi, Fleiss' kappa, alpha, AC1, S."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

import numpy as np
from scipy import sparse

from annobench.agreement.forms.base import Floats, PairForm, Rows, Totals, cross, embeds
from annobench.agreement.forms.counts import (
    copies_of_items,
    quadratic,
    row_sums,
    squares,
    weighted_counts,
)
from annobench.labels.annotations import Annotations
from annobench.resampling.ratios import ratio

ItemWeight = Literal["items", "labels", "pairable", "pairs"]
Chance = Literal["none", "uniform", "pooled", "unbiased", "gwet"]


class Pooled(PairForm):
    """One distribution of labels for all annotators: pi, Fleiss' kappa, alpha, AC1, S."""

    additive = True

    def __init__(
        self,
        annotations: Annotations,
        multiplicity: Floats | None,
        distances: Floats | None,
        item_weight: ItemWeight,
        chance: Chance,
        scale: float = 1.0,
    ) -> None:
        self.distances = distances
        self.scale = scale
        self.item_weight = item_weight
        self.chance = chance
        self.n_categories = annotations.n_categories
        self.counts = weighted_counts(annotations, multiplicity)
        self.size = row_sums(self.counts)
        self.copies = copies_of_items(annotations, multiplicity, self.size)

    @cached_property
    def item_disagreement(self) -> Floats:
        if self.distances is None:
            apart = self.size**2 - squares(self.counts)
        else:
            apart = quadratic(self.counts, self.distances)
        return np.asarray(ratio(apart, self.n_pairs), dtype=np.float64)

    @cached_property
    def _parts(self) -> tuple[list[Floats], Floats]:
        """The first four statistics of each item, and the weight of its labels in the pool."""
        paired = self.n_pairs > 0
        size = np.where(self.size > 0, self.size, 1.0)
        if self.item_weight == "items":
            weight, share = paired.astype(float), 1 / size
        elif self.item_weight == "pairable":
            weight, share = np.where(paired, self.size, 0.0), paired.astype(float)
        else:
            by_label = self.item_weight == "labels"
            weight, share = self.n_pairs / size if by_label else self.n_pairs, np.ones_like(size)
        apart = np.where(paired, np.nan_to_num(self.item_disagreement) * weight, 0.0)
        return [apart, weight, self.size * share, self.copies * share], share

    @cached_property
    def rows(self) -> Rows:
        """Weighted disagreement, weight, labels in the pool, their copies, and the pool."""
        columns, share = self._parts
        if self.chance in ("none", "uniform"):
            return np.column_stack(columns[:2])
        head = np.column_stack(columns)
        if isinstance(self.counts, sparse.csr_array):
            pool = sparse.diags_array(share) @ self.counts
            return sparse.csr_array(sparse.hstack([sparse.csr_array(head), pool]))
        return np.concatenate([head, self.counts * share[:, None]], axis=1)

    @cached_property
    def totals(self) -> Floats:
        columns, share = self._parts
        if self.chance in ("none", "uniform"):
            return np.array([column.sum() for column in columns[:2]])
        return np.concatenate([[column.sum() for column in columns], share @ self.counts])

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        observed = ratio(totals[..., 0], totals[..., 1])
        return observed, self._expected(totals)

    def lowest(self, totals: Floats) -> float:
        """The minimum for these numbers of labels per item, whatever the labels.

        With uniform chance agreement, the largest distance over the mean one. Otherwise an item of
        m labels disagrees at most m / (m - 1) times as much as labels drawn from it at random, and
        the pool disagrees at least as much as the mean of its items; singletons only dilute it.
        """
        k, table = self.n_categories, self.distances
        if self.chance in ("uniform", "gwet") and k > 1:
            largest = 1.0 if table is None else float(table.max())
            mean = (1 - 1 / k) if table is None else float(table.mean())
            if self.chance == "gwet":
                mean = min(mean, 1.0)
            return 1 - largest / mean if mean > 0 else -math.inf
        if self.chance not in ("pooled", "unbiased") or not embeds(table):
            return -math.inf
        if self.item_weight == "pairable":
            return -1.0
        dilution = float(totals[2] / totals[1]) if totals[1] else math.inf
        return {"items": 1 - 2 * dilution, "labels": 1 - dilution}.get(self.item_weight, -math.inf)

    def value(self, totals: Totals) -> Totals:
        if self.chance == "none":
            return 1 - self.disagreements(totals)[0]
        return super().value(totals)

    def _expected(self, totals: Totals) -> Totals:
        k = self.n_categories
        if self.chance == "none":
            return np.full(totals.shape[:-1], np.nan)
        if self.chance == "uniform":
            table = 1 - np.eye(k) if self.distances is None else self.distances
            return np.full_like(totals[..., 0], table.sum() / k**2)
        mass, copies, pool = totals[..., 2], totals[..., 3], totals[..., 4:]
        if self.chance == "gwet":
            agreement = float(k if self.distances is None else (1 - self.distances).sum())
            share = pool / mass[..., None]
            spread = (share * (1 - share)).sum(axis=-1)
            return 1 - spread * agreement / (k * (k - 1)) if k > 1 else 0 * spread
        apart = cross(pool, pool, self.distances)
        return ratio(apart, mass**2 - (copies if self.chance == "unbiased" else 0))
