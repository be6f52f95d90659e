"""Forms of the coefficients for numbers: correlations, concordance, intraclass correlations.

They have no observed and expected agreement; `disagreements` gives NaN.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from scipy import sparse

from annobench.agreement.forms.base import Floats, Rows, Totals, WithoutChance
from annobench.core.tolerances import ZERO
from annobench.labels.annotations import Annotations
from annobench.resampling.ratios import ratio


class Numeric(WithoutChance):
    """Base of the forms for numbers."""

    def __init__(self, annotations: Annotations, multiplicity: Floats | None) -> None:
        j = annotations.n_annotators
        self.n_items = annotations.n_items
        self.c = np.ones(j) if multiplicity is None else multiplicity
        self.table = np.full((annotations.n_items, j), np.nan)
        self.table[annotations.item, annotations.annotator] = centred(self._numbers(annotations))

    def _numbers(self, annotations: Annotations) -> Floats:
        return annotations.values


class Covariances(Numeric):
    """Means and covariances of annotators: the intraclass correlations, and Pearson's."""

    @cached_property
    def rows(self) -> Rows:
        """One, the labels of each annotator, and their products."""
        n, j = self.table.shape
        products = (self.table[:, :, None] * self.table[:, None, :]).reshape(n, j * j)
        return np.concatenate([np.ones((n, 1)), self.table, products], axis=1)

    def moments(self, totals: Totals) -> tuple[Totals, Totals, Totals]:
        """Return the number of items, the annotators' means, and their covariances."""
        j = self.c.size
        n = totals[..., 0]
        mean = totals[..., 1 : 1 + j] / n[..., None]
        products = totals[..., 1 + j :].reshape(*totals.shape[:-1], j, j)
        centred = products - n[..., None, None] * mean[..., :, None] * mean[..., None, :]
        return n, mean, ratio(centred, (n - 1)[..., None, None])

    def squares(self, totals: Totals) -> Floats:
        """Return the uncentred sums of squares of each annotator's labels."""
        j = self.c.size
        return np.asarray(totals[..., 1 + j :].real[..., :: j + 1])


class PearsonCorrelation(Covariances):
    """Pearson's correlation of two annotators."""

    def __init__(self, annotations: Annotations, multiplicity: Floats | None) -> None:
        super().__init__(annotations, multiplicity)
        # Each annotator about a centre and to a scale of their own: digits and zeros stay exact.
        self.table = np.column_stack([centred(column) for column in self.table.T])

    def value(self, totals: Totals) -> Totals:
        n, _, covariance = self.moments(totals)
        first, second = covariance[..., 0, 0], covariance[..., 1, 1]
        smallest = ZERO * self.squares(totals) / np.where(n.real > 1, n.real, np.nan)[..., None]
        varied = (first.real > smallest[..., 0]) & (second.real > smallest[..., 1])
        return covariance[..., 0, 1] / np.sqrt(np.where(varied, first * second, np.nan))


class Concordance(Covariances):
    """The concordance correlation of all pairs of annotators, variances divided by n.

    Barnhart, Haber and Song (2002), Biometrics 58, equation 6.
    """

    def value(self, totals: Totals) -> Totals:
        n, mean, covariance = self.moments(totals)
        c, j = self.c, self.c.sum()
        pairs = j**2 - (c**2).sum()
        covariance = covariance * ((n - 1) / n)[..., None, None]
        variances = np.einsum("...jj->...j", covariance)
        between = np.einsum("j,...jl,l->...", c, covariance, c) - (c**2 * variances).sum(axis=-1)
        # The mean over ordered pairs of different annotators, of copies of one none.
        variance = (variances * (c * (j - c))).sum(axis=-1)
        centred = mean - (mean * c).sum(axis=-1)[..., None] / j
        apart = j * (c * centred**2).sum(axis=-1)
        present = np.where(n.real > 0, n.real, np.nan)
        zero = ZERO * pairs * (self.squares(totals) * c).sum(axis=-1) / j / present
        return ratio(between, variance + apart, zero)


class Ranks(Numeric):
    """Base of the forms for mid-ranks, whose rows indicate the labels of an item."""

    def __init__(self, annotations: Annotations, multiplicity: Floats | None) -> None:
        super().__init__(annotations, multiplicity)
        cells, self.cell = np.unique(self.table, axis=0, return_inverse=True)
        self.order = [np.unique(column, return_inverse=True)[1] for column in cells.T]
        self.n_cells = cells.shape[0]

    def _numbers(self, annotations: Annotations) -> Floats:
        """Return the positions of ordinal categories, which need not be numbers."""
        return annotations.label if annotations.scale == "ordinal" else annotations.values

    @cached_property
    def rows(self) -> Rows:
        """Indicators of the combination of labels, shape (I, occurring combinations)."""
        one = np.ones(self.n_items)
        shape = (self.n_items, self.n_cells)
        return sparse.csr_array(
            sparse.coo_array((one, (np.arange(self.n_items), self.cell)), shape)
        )

    def ranks(self, totals: Totals) -> list[Totals]:
        """Return each annotator's centred mid-ranks of the cells, divided by n, each (..., S)."""
        n = totals.sum(axis=-1)[..., None]
        return [self._midranks(totals, order) / n - 0.5 for order in self.order]

    @staticmethod
    def above(terms: Floats, order: Floats) -> Floats:
        """Sum the terms of higher labels, plus half of the terms of equal labels."""
        sums = np.bincount(order, terms)
        return np.asarray(sums.sum() - np.cumsum(sums) + sums / 2)[order]

    def _midranks(self, totals: Totals, order: Floats) -> Totals:
        margin = np.zeros((*totals.shape[:-1], int(order.max(initial=-1)) + 1), totals.dtype)
        np.add.at(np.moveaxis(margin, -1, 0), order, np.moveaxis(totals, -1, 0))
        return (np.cumsum(margin, axis=-1) - margin / 2)[..., order]


class SpearmanCorrelation(Ranks):
    """Spearman's correlation of two annotators: Pearson's of their mid-ranks."""

    def value(self, totals: Totals) -> Totals:
        first, second = self.ranks(totals)
        product = (totals * first * second).sum(axis=-1)
        one, other = ((totals * ranks**2).sum(axis=-1) for ranks in (first, second))
        zero = ZERO * totals.sum(axis=-1).real
        varied = (one.real > zero) & (other.real > zero)
        return product / np.sqrt(np.where(varied, one * other, np.nan))

    def gradient(self, totals: Totals) -> Floats:
        n = totals.sum()
        ranks = self.ranks(totals)
        above = [[self.above(totals * moved, order) for moved in ranks] for order in self.order]
        product = (totals * ranks[0] * ranks[1]).sum()
        slope = ranks[0] * ranks[1] + (above[0][1] + above[1][0] - 2 * product) / n
        value = self.value(totals)
        gradient = np.zeros_like(slope)
        scale = 1.0
        for rank, own in zip(ranks, (above[0][0], above[1][1]), strict=True):
            square = (totals * rank**2).sum()
            gradient -= value / 2 * (rank**2 + 2 * (own - square) / n) / square
            scale *= square
        return np.asarray(gradient + slope / np.sqrt(scale))


class KendallConcordance(Ranks):
    """Kendall's W, corrected for ties: the variance of rank sums over its maximum.

    Kendall and Gibbons (1990), Section 6.6.
    """

    def value(self, totals: Totals) -> Totals:
        ranks = self.ranks(totals)
        c, j = self.c, self.c.sum()
        sums = sum(cj * rank for cj, rank in zip(c, ranks, strict=True))
        squares = [(totals * rank**2).sum(axis=-1) for rank in ranks]
        own = sum(cj * square for cj, square in zip(c, squares, strict=True))
        # Copies of one annotator are no pair: of J annotators themselves, W is 1 / J + what the
        # pairs share.
        copies = sum(cj**2 * square for cj, square in zip(c, squares, strict=True))
        pairs = j**2 - (c**2).sum()
        between = ((totals * sums**2).sum(axis=-1) - copies) / np.where(pairs > 0, pairs, np.nan)
        shared = ratio(j * between, own, ZERO * j * totals.sum(axis=-1).real)
        return (1 + (j - 1) * shared) / j

    def gradient(self, totals: Totals) -> Floats:
        n, j = totals.sum(), self.c.size
        ranks = self.ranks(totals)
        sums = np.sum(ranks, axis=0)
        between = (totals * sums**2).sum()
        own = sum((totals * rank**2).sum() for rank in ranks)
        of_between, of_own = sums**2 - 2 * between / n, np.full_like(sums, -2 * own / n)
        for order, rank in zip(self.order, ranks, strict=True):
            of_between += 2 * self.above(totals * sums, order) / n
            of_own += rank**2 + 2 * self.above(totals * rank, order) / n
        varied = own if own > ZERO * j * n else np.nan
        return np.asarray((of_between - between / varied * of_own) / (j * varied))


class IntraclassCorrelation(Covariances):
    """The six intraclass correlations, from variance components of annotators' pairs.

    McGraw and Wong (1996), Psychological Methods 1, table 4.
    """

    def __init__(
        self,
        annotations: Annotations,
        multiplicity: Floats | None,
        model: str,
        kind: str,
        average: bool,
    ) -> None:
        super().__init__(annotations, multiplicity)
        self.model, self.kind, self.average = model, kind, average

    def mean_squares(self, totals: Totals) -> tuple[Totals, Totals, Totals, Totals]:
        """Return the number of items and the mean squares of items, annotators and error."""
        n, mean, covariance = self.moments(totals)
        c, j = self.c, self.c.sum()
        pairs = j**2 - (c**2).sum()
        variances = np.einsum("...jj->...j", covariance)
        variance = (variances * c).sum(axis=-1) / j
        between = np.einsum("j,...jl,l->...", c, covariance, c) - (c**2 * variances).sum(axis=-1)
        between = ratio(between, np.full_like(between, pairs))
        centred = mean - (mean * c).sum(axis=-1)[..., None] / j
        # Half the mean squared difference of two different annotators' means.
        annotator_variance = ratio(j * (c * centred**2).sum(axis=-1), np.full_like(variance, pairs))
        items = variance + (j - 1) * between
        return n, items, n * annotator_variance, variance - between

    def lowest(self, totals: Floats) -> float:
        """The minimum, reached where items have equal means; averages have none.

        Of agreement it is that of these numbers of items, since the estimated variance of
        annotators may be negative.
        """
        n, j = float(self.mean_squares(totals)[0]), float(self.c.sum())
        room = j - 1 - (j / n if self.model != "one-way" and self.kind == "agreement" else 0)
        return -math.inf if self.average or room <= 0 else -1 / room

    def value(self, totals: Totals) -> Totals:
        n, items, annotators, error = self.mean_squares(totals)
        j = self.c.sum()
        present = np.where(n.real > 0, n.real, np.nan)
        zero = ZERO * (self.squares(totals) * self.c).sum(axis=-1) / j / present
        if self.model == "one-way":
            within = ((n - 1) * (j - 1) * error + (j - 1) * annotators) / (n * (j - 1))
            below = items if self.average else items + (j - 1) * within
            return ratio(items - within, below, zero)
        if self.kind == "consistency":
            below = items if self.average else items + (j - 1) * error
        else:
            spread = (annotators - error) / n
            below = items + spread if self.average else items + (j - 1) * error + j * spread
        return ratio(items - error, below, zero)


def centred(values: Floats) -> Floats:
    """Centre numbers at their median and divide by their range, for numerical accuracy."""
    if not values.size:
        return values
    return (values - np.median(values)) / (np.ptp(values) or 1.0)
