"""Each annotator's own distribution of labels: Cohen's, Conger's and Light's kappa."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annobench.agreement.forms.base import Floats, Form, Rows, Totals, cross, embeds
from annobench.agreement.forms.counts import LabelPairs
from annobench.agreement.forms.pooled import Pooled
from annobench.core.tolerances import ZERO
from annobench.labels._grouping import cross_table
from annobench.labels.annotations import Annotations
from annobench.labels.view import View
from annobench.resampling.ratios import ratio


class Margins(Form):
    """Each annotator's own distribution of labels: Cohen's and Conger's kappa."""

    additive = True

    def __init__(
        self, annotations: Annotations, multiplicity: Floats | None, distances: Floats | None
    ) -> None:
        self.annotations = annotations
        self.multiplicity = multiplicity
        self.distances = distances
        self.c = np.ones(annotations.n_annotators) if multiplicity is None else multiplicity

    @cached_property
    def observed(self) -> Pooled:
        """The observed disagreement, which does not depend on the margins."""
        return Pooled(self.annotations, self.multiplicity, self.distances, "items", "none")

    @cached_property
    def item_disagreement(self) -> Floats:
        return self.observed.item_disagreement

    @cached_property
    def _cell(self) -> NDArray[np.int64]:
        """Joint code of annotator and label, shape (N,)."""
        a = self.annotations
        return a.annotator.astype(np.int64) * a.n_categories + a.label

    @cached_property
    def totals(self) -> Floats:
        a = self.annotations
        if self._is_table:
            return self._totals_of_table()
        margins = np.bincount(self._cell, minlength=a.n_annotators * a.n_categories)
        return np.concatenate([self.observed.totals[:2], margins])

    @property
    def _is_table(self) -> bool:
        """Whether two annotators labelled every item once, with few categories."""
        a = self.annotations
        complete = a.n_annotators == 2 and a.n_labels == 2 * a.n_items and a.first_repeat is None
        return complete and self.multiplicity is None and a.n_categories**2 <= a.n_labels

    def _totals_of_table(self) -> Floats:
        a = self.annotations
        table = cross_table(a.item, a.annotator, a.label, a.n_items, a.n_categories)
        apart = 1 - np.eye(a.n_categories) if self.distances is None else self.distances
        head = [(table * apart).sum(), a.n_items]
        return np.concatenate([head, table.sum(axis=1), table.sum(axis=0)])

    @cached_property
    def rows(self) -> Rows:
        """Disagreement, weight, and indicators of annotators and labels."""
        a = self.annotations
        head = self.observed.rows[:, :2]
        cell = self._cell
        shape = (a.n_items, a.n_annotators * a.n_categories)
        margins = sparse.coo_array((np.ones(a.n_labels), (a.item, cell)), shape=shape)
        if shape[1] <= 64:
            return np.concatenate([head, margins.toarray()], axis=1)
        return sparse.csr_array(sparse.hstack([sparse.csr_array(head), margins]))

    def lowest(self, totals: Floats) -> float:
        """-1 if all annotators labelled the same items; otherwise margins may be of other items."""
        a = self.annotations
        complete = a.n_labels == a.n_items * a.n_annotators
        return -1.0 if complete and embeds(self.distances) else -math.inf

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        observed = ratio(totals[..., 0], totals[..., 1])
        margins = totals[..., 2:].reshape(*totals.shape[:-1], self.c.size, -1)
        mass = margins.sum(axis=-1)
        copies = np.where(mass.real > 0, self.c, 0.0)
        share = margins / np.where(mass.real > 0, mass, 1)[..., None]
        together = (copies[..., None] * share).sum(axis=-2)
        alone = (copies**2 * cross(share, share, self.distances)).sum(axis=-1)
        n_pairs = copies.sum(axis=-1) ** 2 - (copies**2).sum(axis=-1)
        apart = cross(together, together, self.distances) - alone
        return observed, ratio(apart, n_pairs)


class PairMean(Form):
    """The mean over pairs of annotators of Cohen's kappa on their common items: Light's kappa."""

    def __init__(
        self, annotations: Annotations, multiplicity: Floats | None, distances: Floats | None
    ) -> None:
        self.annotations = annotations
        self.distances = distances
        self.pairs = LabelPairs(annotations)
        c = np.ones(annotations.n_annotators) if multiplicity is None else multiplicity
        self.weight = c[self.pairs.first_annotator] * c[self.pairs.second_annotator]

    @cached_property
    def item_disagreement(self) -> Floats:
        return Pooled(self.annotations, None, self.distances, "items", "none").item_disagreement

    @cached_property
    def rows(self) -> Rows:
        """For every pair of annotators: disagreement, items, and both distributions of labels."""
        k, n_items = self.annotations.n_categories, self.annotations.n_items
        pairs, label = self.pairs, self.annotations.label
        # Pairs are taken by item, so that rows need no sorting but within them.
        by_item = View.of(pairs.item, n_items)
        first, second = label[pairs.first[by_item.order]], label[pairs.second[by_item.order]]
        width = 2 + 2 * k
        shape = n_items, pairs.n_pairs * width
        code = np.int32 if max(shape[1], 4 * first.size) < 2**31 else np.int64
        column = np.empty((first.size, 4), dtype=code)
        column[:, 0] = pairs.pair[by_item.order] * width
        column[:, 1] = column[:, 0] + 1
        column[:, 2] = column[:, 0] + 2 + first
        column[:, 3] = column[:, 0] + 2 + k + second
        value = np.ones(column.shape)
        value[:, 0] = first != second if self.distances is None else self.distances[first, second]
        offsets = (4 * by_item.offsets).astype(code)
        rows = sparse.csr_array((value.ravel(), column.ravel(), offsets), shape=shape)
        rows.sum_duplicates()
        return rows

    def lowest(self, totals: Floats) -> float:
        return -1.0 if embeds(self.distances) else -math.inf

    def pair_disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the observed and the expected disagreement of every pair of annotators."""
        k = self.annotations.n_categories
        blocks = totals.reshape(*totals.shape[:-1], self.pairs.n_pairs, 2 + 2 * k)
        n = blocks[..., 1]
        apart = cross(blocks[..., 2 : 2 + k], blocks[..., 2 + k :], self.distances)
        return ratio(blocks[..., 0], n), ratio(apart, n**2)

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        observed, expected = self.pair_disagreements(totals)
        return self._mean(observed), self._mean(expected)

    def value(self, totals: Totals) -> Totals:
        observed, expected = self.pair_disagreements(totals)
        return self._mean(1 - ratio(observed, expected, ZERO))

    def gradient(self, totals: Totals) -> Floats:
        k = self.annotations.n_categories
        blocks = totals.reshape(self.pairs.n_pairs, 2 + 2 * k)
        observed, n = blocks[:, 0], blocks[:, 1]
        first, second = blocks[:, 2 : 2 + k], blocks[:, 2 + k :]
        apart = cross(first, second, self.distances)
        # Where kappa is undefined, as in `value`; it is 1 - observed n / apart.
        defined = ratio(apart, n**2) > ZERO
        scale = self.weight * defined / np.where(defined, apart, 1.0)
        quotient = observed * n / np.where(defined, apart, 1.0)
        slope = np.empty(blocks.shape)
        slope[:, 0], slope[:, 1] = n, observed
        slope[:, 2 : 2 + k] = -quotient[:, None] * self._distant(second)
        slope[:, 2 + k :] = -quotient[:, None] * self._distant(first)
        return ratio(-(scale[:, None] * slope).ravel(), (self.weight * defined).sum())

    def _distant(self, counts: Floats) -> Floats:
        """Sum the distances between each category and the labels of each row of counts."""
        if self.distances is None:
            return counts.sum(axis=1, keepdims=True) - counts
        return counts @ self.distances

    def _mean(self, values: Totals) -> Totals:
        defined = ~np.isnan(values)
        weight = np.where(defined, self.weight, 0.0)
        return ratio((weight * np.where(defined, values, 0)).sum(axis=-1), weight.sum(axis=-1))
