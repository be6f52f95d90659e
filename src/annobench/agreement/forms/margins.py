"""Each annotator's own distribution of labels: Cohen's, Conger's and Light's kappa."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr, ndtri

from annobench.agreement.forms.base import Floats, Form, Rows, Totals, cross, embeds
from annobench.agreement.forms.counts import LabelPairs
from annobench.agreement.forms.pooled import Pooled
from annobench.core.tolerances import ZERO
from annobench.labels._grouping import cross_table
from annobench.labels.annotations import Annotations
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
    """The mean over pairs of annotators of their kappas: Light's kappa.

    A pair's observed disagreement is that of its common items, and its expected disagreement that
    of both annotators' distributions of labels. If these were of the common items, too, the kappa
    of a pair with few of them would be biased, by more than the standard error of the mean.
    """

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
    def _apart(self) -> Floats:
        """The disagreement of each pair of labels."""
        label = self.annotations.label
        first, second = label[self.pairs.first], label[self.pairs.second]
        apart = first != second if self.distances is None else self.distances[first, second]
        return np.asarray(apart, dtype=np.float64)

    @cached_property
    def rows(self) -> Rows:
        """All pairs' disagreements, then their items, then indicators of annotators and labels."""
        a, pairs = self.annotations, self.pairs
        label = a.annotator.astype(np.int64) * a.n_categories + a.label
        column = [pairs.pair, pairs.n_pairs + pairs.pair, 2 * pairs.n_pairs + label]
        value = [self._apart, np.ones(pairs.pair.size + a.n_labels)]
        at = np.concatenate([pairs.item, pairs.item, a.item]), np.concatenate(column)
        shape = a.n_items, 2 * pairs.n_pairs + a.n_annotators * a.n_categories
        return sparse.csr_array(sparse.coo_array((np.concatenate(value), at), shape=shape))

    def _shares(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return how many labels each annotator gave, and their distribution."""
        a = self.annotations
        margins = totals[..., 2 * self.pairs.n_pairs :]
        margins = margins.reshape(*totals.shape[:-1], a.n_annotators, a.n_categories)
        mass = margins.sum(axis=-1)
        return mass, margins / np.where(mass.real > 0, mass, 1)[..., None]

    def _distant(self, share: Totals) -> Totals:
        """Return the mean distance of each category from a distribution of labels."""
        return 1 - share if self.distances is None else share @ self.distances

    def lowest(self, totals: Floats) -> float:
        return -1.0 if embeds(self.distances) else -math.inf

    def pair_disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the observed and the expected disagreement of every pair of annotators."""
        n_pairs = self.pairs.n_pairs
        _, share = self._shares(totals)
        distant = self._distant(share)
        expected = np.zeros((*totals.shape[:-1], n_pairs), totals.dtype)
        for k in range(share.shape[-1]):  # all categories at once would take K times the memory
            first = share[..., self.pairs.first_annotator, k]
            expected += first * distant[..., self.pairs.second_annotator, k]
        return ratio(totals[..., :n_pairs], totals[..., n_pairs : 2 * n_pairs]), expected

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        observed, expected = self.pair_disagreements(totals)
        return self._mean(observed), self._mean(np.where(np.isnan(observed), np.nan, expected))

    def value(self, totals: Totals) -> Totals:
        observed, expected = self.pair_disagreements(totals)
        return self._mean(1 - ratio(observed, expected, ZERO))

    def influence(self, totals: Totals) -> Floats:
        """Return how much each item moves the mean when it is left out, times (I - 1) / I.

        A pair without its only item leaves the mean. The expected disagreements, of many labels,
        change linearly.
        """
        pair, item = self.pairs.pair, self.pairs.item
        observed, expected = self.pair_disagreements(totals)
        kappa = 1 - ratio(observed, expected, ZERO)
        defined = ~np.isnan(kappa)
        weight = np.where(defined, self.weight, 0.0)
        kappa, expected = np.where(defined, kappa, 0.0), np.where(defined, expected, 1.0)
        others = totals[self.pairs.n_pairs + pair] - 1
        moved = (observed[pair] - self._apart) / expected[pair] / np.maximum(others, 1)
        only = others < 1
        n_items = self.annotations.n_items
        change = np.bincount(item, weight[pair] * np.where(only, kappa[pair], moved), n_items)
        change += self._moved_by_margins(totals, weight * (1 - kappa) / expected)
        left = weight.sum() - np.bincount(item, weight[pair] * only, n_items)
        mean = ratio(weight @ kappa, weight.sum())
        n_used = np.count_nonzero(np.diff(self.annotations.by_item.offsets))
        return (mean - ratio(weight @ kappa - change, left)) * (n_used - 1) / n_used

    def resampled_coverage(self, totals: Totals, level: float) -> float:
        """Return the expected coverage of a bootstrap interval.

        Items that a pair shares, n of them, vary in a bootstrap sample by (n - 1) / n of the
        variance of new items; a pair's only item does not vary at all.
        """
        n = totals[self.pairs.n_pairs : 2 * self.pairs.n_pairs]
        half_width = ndtri((1 + level) / 2) * np.sqrt(1 - np.average(1 / n, weights=self.weight))
        return float(2 * ndtr(half_width) - 1)

    def _moved_by_margins(self, totals: Totals, slope: Floats) -> Floats:
        """Return each item's part in a sum over pairs that has slopes in expected disagreements."""
        a, pairs = self.annotations, self.pairs
        mass, share = self._shares(totals)
        distant = self._distant(share)
        gradient = np.zeros_like(share)
        np.add.at(gradient, pairs.first_annotator, slope[:, None] * distant[pairs.second_annotator])
        np.add.at(gradient, pairs.second_annotator, slope[:, None] * distant[pairs.first_annotator])
        centred = gradient - (gradient * share).sum(axis=1, keepdims=True)
        centred /= np.maximum(mass - 1, 1)[:, None]
        return np.bincount(a.item, centred[a.annotator, a.label], a.n_items)

    def _mean(self, values: Totals) -> Totals:
        defined = ~np.isnan(values)
        weight = np.where(defined, self.weight, 0.0)
        return ratio((weight * np.where(defined, values, 0)).sum(axis=-1), weight.sum(axis=-1))
