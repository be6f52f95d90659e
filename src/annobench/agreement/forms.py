"""Coefficients as functions of sums over items: one engine for estimates and uncertainty.

A form turns labels into one row of statistics for each item, and the sum of those rows into
the coefficient. To resample items is then to weight the rows; the derivative with respect to
the sum gives the standard error; an item is left out by subtraction.

Annotators carry multiplicities c, all 1 in the labels themselves. When annotators are
resampled, a pair of copies of one annotator is no pair: an item with the weighted counts n_k,
m = sum n_k and q = sum c^2 has m^2 - q ordered pairs, and as a label is at no distance from
itself, sum_kl n_k V_kl n_l counts the disagreements of just those.

Everything is stated in disagreement: V = 1 - W for weights of agreement W, or a metric's
distances, and the coefficient is 1 - D_o / D_e.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations

Floats = NDArray[Any]
#: Rows of statistics, one for each item; sparse where a row is mostly zeros.
Rows = NDArray[Any] | sparse.csr_array
#: Totals of rows; complex while a derivative is taken.
Totals = NDArray[Any]

#: An expected disagreement of at most this share of the largest distance is none.
NOTHING: Final = 1e-12
#: Cells of a temporary table.
_CHUNK: Final = 4_000_000

ItemWeight = Literal["items", "labels", "pairable", "pairs"]
Chance = Literal["none", "uniform", "pooled", "unbiased", "gwet"]


class Form(ABC):
    """What every form offers.

    Attributes
    ----------
    scale : float
        The largest disagreement of a pair.
    separable : bool
        Whether the row of an item depends on its labels alone, so that the items of one annotator
        can be exchanged in the totals.
    """

    scale: float = 1.0
    separable: bool = False

    @property
    @abstractmethod
    def rows(self) -> Rows:
        """The statistics of each item, shape (I, S)."""

    @property
    @abstractmethod
    def item_disagreement(self) -> Floats:
        """Mean disagreement of the pairs of labels of each item, shape (I,); NaN without pair."""

    @abstractmethod
    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the observed and the expected disagreement.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        observed, expected : ndarray, shape (...)
            In the unit of the distances.
        """

    def value(self, totals: Totals) -> Totals:
        """Return the coefficient.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        ndarray, shape (...)
            NaN where it is undefined.
        """
        observed, expected = self.disagreements(totals)
        return 1 - ratio(observed, expected, NOTHING * self.scale)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the rows, shape (S,)."""
        return np.asarray(self.rows.sum(axis=0), dtype=np.float64)

    def gradient(self, totals: Totals) -> Floats | None:
        """Return the derivative with respect to the totals, where a form has a quick one.

        Parameters
        ----------
        totals : ndarray, shape (S,)
            Sums of rows.

        Returns
        -------
        ndarray, shape (S,), or None
            None leaves it to the complex step.
        """
        return None


class PairForm(Form):
    """A form that compares the labels of an item in pairs.

    Attributes
    ----------
    size, copies : ndarray, shape (I,)
        Labels of each item, copies included, and pairs that are a label with itself or with
        a copy of itself.
    """

    size: Floats
    copies: Floats

    @cached_property
    def n_pairs(self) -> Floats:
        """Ordered pairs of labels of different annotators for each item, shape (I,)."""
        return self.size**2 - self.copies


class Pooled(PairForm):
    """One distribution of labels for all annotators: pi, Fleiss' kappa, alpha, AC1, S.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    multiplicity : ndarray, shape (J,), or None
        Copies of each annotator.
    distances : ndarray, shape (K, K), or None
        V; None for nominal labels.
    item_weight : {"items", "labels", "pairable", "pairs"}
        What an item with m labels counts in the observed disagreement: 1, m - 1, m or
        m (m - 1). With "items" each item counts the same in the pooled distribution too;
        otherwise each label does, with "pairable" each label of items that have a pair.
    chance : {"none", "uniform", "pooled", "unbiased", "gwet"}
        The expected disagreement: not corrected for; of categories drawn evenly; of two labels
        drawn from the pool with or ("unbiased") without putting back; or Gwet's.
    scale : float, default 1
        The largest distance of a metric; 1 for weights of agreement.
    """

    separable = True

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
        self.size = _row_sums(self.counts)
        self.copies = copies_of_items(annotations, multiplicity, self.size)

    @cached_property
    def item_disagreement(self) -> Floats:
        """Mean disagreement of the pairs of labels of each item, shape (I,); NaN without pair."""
        if self.distances is None:
            apart = self.size**2 - _row_sums(self.counts * self.counts)
        else:
            apart = _quadratic(self.counts, self.distances)
        return np.asarray(ratio(apart, self.n_pairs, 0.0), dtype=np.float64)

    @cached_property
    def _parts(self) -> tuple[Floats, Floats]:
        """The first four statistics of each item, and what its labels count in the pool."""
        paired = self.n_pairs > 0
        size = np.where(self.size > 0, self.size, 1.0)
        weight = {
            "items": paired.astype(float),
            "labels": self.n_pairs / size,
            "pairable": np.where(paired, self.size, 0.0),
            "pairs": self.n_pairs,
        }[self.item_weight]
        apart = np.where(paired, np.nan_to_num(self.item_disagreement) * weight, 0.0)
        if self.item_weight == "items":
            share = 1 / size
        elif self.item_weight == "pairable":
            share = paired.astype(float)
        else:
            share = np.ones_like(size)
        return np.column_stack([apart, weight, self.size * share, self.copies * share]), share

    @cached_property
    def rows(self) -> Rows:
        """Weighted disagreement, weight, labels in the pool, their copies, and the pool."""
        head, share = self._parts
        if self.chance in ("none", "uniform"):
            return head[:, :2]
        if isinstance(self.counts, sparse.csr_array):
            pool = sparse.diags_array(share) @ self.counts
            return sparse.csr_array(sparse.hstack([sparse.csr_array(head), pool]))
        return np.concatenate([head, self.counts * share[:, None]], axis=1)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the rows, made without them."""
        head, share = self._parts
        if self.chance in ("none", "uniform"):
            return np.asarray(head[:, :2].sum(axis=0))
        return np.concatenate([head.sum(axis=0), share @ self.counts])

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the observed and the expected disagreement.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        observed, expected : ndarray, shape (...)
            In the unit of the distances.
        """
        observed = ratio(totals[..., 0], totals[..., 1], 0.0)
        return observed, self._expected(totals)

    def value(self, totals: Totals) -> Totals:
        """Return the coefficient; without chance, the observed agreement.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        ndarray, shape (...)
            NaN where it is undefined.
        """
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
        return ratio(apart, mass**2 - (copies if self.chance == "unbiased" else 0), 0.0)


class OrdinalAlpha(PairForm):
    """Alpha with the ordinal metric, whose distances follow from the pool of labels itself.

    Parameters
    ----------
    annotations : Annotations
        The labels, their categories in order.
    multiplicity : ndarray, shape (J,), or None
        Copies of each annotator.
    small_sample : bool
        Whether labels are drawn from the pool without putting back.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability, section E.
    """

    separable = True

    def __init__(
        self, annotations: Annotations, multiplicity: Floats | None, small_sample: bool
    ) -> None:
        self.small_sample = small_sample
        self.n_categories = annotations.n_categories
        self.counts = weighted_counts(annotations, multiplicity)
        self.size = _row_sums(self.counts)
        self.copies = copies_of_items(annotations, multiplicity, self.size)

    @cached_property
    def rows(self) -> Rows:
        """Labels in the pool, their copies, the pool, and the pairs [k, l] with k < l."""
        paired = self.n_pairs > 0
        share = np.where(paired, self.size / np.where(paired, self.n_pairs, 1.0), 0.0)
        table: Any = self.counts
        counts = sparse.csr_array(table).astype(np.float64)
        item, label, number = _entries(counts)
        first, second = _pairs_within(np.diff(counts.indptr), counts.indptr[:-1])
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
        """Mean disagreement of the pairs of labels of each item, shape (I,); NaN without pair."""
        rank = _midranks(self.totals[2 : 2 + self.n_categories], self.totals[0])
        distances = ((rank[:, None] - rank) / ((rank[-1] - rank[0]) or 1.0)) ** 2
        return np.asarray(ratio(_quadratic(self.counts, distances), self.n_pairs, 0.0))

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the observed and the expected disagreement, of the largest distance.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        observed, expected : ndarray, shape (...)
            In [0, 1].
        """
        k = self.n_categories
        mass, copies, pool = totals[..., 0], totals[..., 1], totals[..., 2 : 2 + k]
        rank = _midranks(pool, mass)
        largest = ratio(np.ones_like(mass), (rank[..., -1] - rank[..., 0]) ** 2, 0.0)
        pairs = totals[..., 2 + k :].reshape(*totals.shape[:-1], k, k)
        apart = (pairs * (rank[..., :, None] - rank[..., None, :]) ** 2).sum(axis=(-2, -1))
        expected = ratio(
            2 * mass * (pool * rank**2).sum(axis=-1),
            mass**2 - (copies if self.small_sample else 0),
            0.0,
        )
        return ratio(apart, mass, 0.0) * largest, expected * largest

    def gradient(self, totals: Totals) -> Floats:
        """Return the derivative: a label more moves the ranks of all above it.

        Parameters
        ----------
        totals : ndarray, shape (S,)
            Sums of rows.

        Returns
        -------
        ndarray, shape (S,)
            In time linear in S.
        """
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
    """Alpha with the interval metric (x - y)^2, from sums of squares, for any number of values.

    Parameters
    ----------
    annotations : Annotations
        Labels that are numbers.
    multiplicity : ndarray, shape (J,), or None
        Copies of each annotator.
    small_sample : bool
        Whether labels are drawn from the pool without putting back.
    """

    def __init__(
        self, annotations: Annotations, multiplicity: Floats | None, small_sample: bool
    ) -> None:
        self.small_sample = small_sample
        self.x = centred(annotations.values)
        self.item = annotations.item
        self.n_items = annotations.n_items
        self.c = _label_weights(annotations, multiplicity)
        self.size = self._sum(np.ones_like(self.x))
        self.copies = copies_of_items(annotations, multiplicity, self.size)

    def _sum(self, values: Floats) -> Floats:
        return np.bincount(self.item, values * self.c, minlength=self.n_items)

    @cached_property
    def item_disagreement(self) -> Floats:
        """Mean disagreement of the pairs of labels of each item, shape (I,); NaN without pair."""
        mean = ratio(self._sum(self.x), self.size, 0.0)
        around = self._sum((self.x - mean[self.item]) ** 2)
        return np.asarray(ratio(2 * self.size * around, self.n_pairs, 0.0), dtype=np.float64)

    @cached_property
    def rows(self) -> Rows:
        """Disagreement, labels in the pool, their copies, sum and sum of squares."""
        paired = self.n_pairs > 0
        apart = np.nan_to_num(self.item_disagreement) * self.size
        table = [apart, self.size, self.copies, self._sum(self.x), self._sum(self.x**2)]
        return np.column_stack(table) * paired[:, None]

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the observed and the expected disagreement, of the largest distance.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        observed, expected : ndarray, shape (...)
            In [0, 1].
        """
        apart, mass, copies, first, second = np.moveaxis(totals, -1, 0)
        observed = ratio(apart, mass, 0.0)
        spread = 2 * (mass * second - first**2)
        # Relative to the labels at hand: one far away must not make nothing of all others.
        spread = np.where(spread.real > NOTHING * (mass * second).real, spread, 0)
        return observed, ratio(spread, mass**2 - (copies if self.small_sample else 0), 0.0)

    def value(self, totals: Totals) -> Totals:
        """Return alpha.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        ndarray, shape (...)
            NaN where no disagreement is expected.
        """
        observed, expected = self.disagreements(totals)
        return 1 - ratio(observed, expected, 0.0)


class Margins(Form):
    """Each annotator's own distribution of labels: Cohen's and Conger's kappa.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    multiplicity : ndarray, shape (J,), or None
        Copies of each annotator.
    distances : ndarray, shape (K, K), or None
        V; None for nominal labels.
    """

    separable = True

    def __init__(
        self, annotations: Annotations, multiplicity: Floats | None, distances: Floats | None
    ) -> None:
        self.annotations = annotations
        self.distances = distances
        self.observed = Pooled(annotations, multiplicity, distances, "items", "none")
        self.c = np.ones(annotations.n_annotators) if multiplicity is None else multiplicity

    @cached_property
    def item_disagreement(self) -> Floats:
        """Mean disagreement of the pairs of labels of each item, shape (I,); NaN without pair."""
        return self.observed.item_disagreement

    @cached_property
    def _cell(self) -> NDArray[np.int64]:
        """Which annotator gave which label, as one code, shape (N,)."""
        a = self.annotations
        return a.annotator.astype(np.int64) * a.n_categories + a.label

    @cached_property
    def totals(self) -> Floats:
        """The sum of the rows, made without them."""
        a = self.annotations
        margins = np.bincount(self._cell, minlength=a.n_annotators * a.n_categories)
        return np.concatenate([self.observed.totals[:2], margins])

    @cached_property
    def rows(self) -> Rows:
        """Disagreement, weight, and which annotator gave which label."""
        a = self.annotations
        head = self.observed.rows[:, :2]
        cell = self._cell
        shape = (a.n_items, a.n_annotators * a.n_categories)
        margins = sparse.coo_array((np.ones(a.n_labels), (a.item, cell)), shape=shape)
        if shape[1] <= 64:
            return np.concatenate([head, margins.toarray()], axis=1)
        return sparse.csr_array(sparse.hstack([sparse.csr_array(head), margins]))

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the observed and the expected disagreement.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        observed, expected : ndarray, shape (...)
            In the unit of the distances.
        """
        observed = ratio(totals[..., 0], totals[..., 1], 0.0)
        margins = totals[..., 2:].reshape(*totals.shape[:-1], self.c.size, -1)
        mass = margins.sum(axis=-1)
        copies = np.where(mass.real > 0, self.c, 0.0)
        share = margins / np.where(mass.real > 0, mass, 1)[..., None]
        together = (copies[..., None] * share).sum(axis=-2)
        alone = (copies**2 * cross(share, share, self.distances)).sum(axis=-1)
        n_pairs = copies.sum(axis=-1) ** 2 - (copies**2).sum(axis=-1)
        apart = cross(together, together, self.distances) - alone
        return observed, ratio(apart, n_pairs, 0.0)


class PairMean(Form):
    """The mean over pairs of annotators of Cohen's kappa on their common items: Light's kappa.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    multiplicity : ndarray, shape (J,), or None
        Copies of each annotator; a pair counts the product of its two.
    distances : ndarray, shape (K, K), or None
        V; None for nominal labels.
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
        """Mean disagreement of the pairs of labels of each item, shape (I,); NaN without pair."""
        return Pooled(self.annotations, None, self.distances, "items", "none").item_disagreement

    @cached_property
    def rows(self) -> Rows:
        """For every pair of annotators: disagreement, items, and both distributions of labels."""
        k = self.annotations.n_categories
        pairs, label = self.pairs, self.annotations.label.astype(np.int64)
        first, second = label[pairs.first], label[pairs.second]
        apart = (first != second) if self.distances is None else self.distances[first, second]
        start = pairs.pair * (2 + 2 * k)
        column = np.concatenate([start, start + 1, start + 2 + first, start + 2 + k + second])
        one = np.ones(first.size)
        return sparse.csr_array(
            sparse.coo_array(
                (np.concatenate([apart, one, one, one]), (np.tile(pairs.item, 4), column)),
                shape=(self.annotations.n_items, pairs.n_pairs * (2 + 2 * k)),
            )
        )

    def pair_disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the observed and the expected disagreement of every pair of annotators.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        observed, expected : ndarray, shape (..., number of pairs)
            NaN for a pair without common items.
        """
        k = self.annotations.n_categories
        blocks = totals.reshape(*totals.shape[:-1], self.pairs.n_pairs, 2 + 2 * k)
        n = blocks[..., 1]
        apart = cross(blocks[..., 2 : 2 + k], blocks[..., 2 + k :], self.distances)
        return ratio(blocks[..., 0], n, 0.0), ratio(apart, n**2, 0.0)

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the means over pairs of the observed and the expected disagreement.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        observed, expected : ndarray, shape (...)
            Light's kappa is not 1 minus their ratio but the mean of the pairs' ratios.
        """
        observed, expected = self.pair_disagreements(totals)
        return self._mean(observed), self._mean(expected)

    def value(self, totals: Totals) -> Totals:
        """Return the mean of the pairs' kappas.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        ndarray, shape (...)
            Over the pairs whose kappa is defined; NaN if there is none.
        """
        observed, expected = self.pair_disagreements(totals)
        return self._mean(1 - ratio(observed, expected, NOTHING))

    def _mean(self, values: Totals) -> Totals:
        defined = ~np.isnan(values)
        weight = np.where(defined, self.weight, 0.0)
        return ratio((weight * np.where(defined, values, 0)).sum(axis=-1), weight.sum(axis=-1), 0.0)


class LabelPairs:
    """Every pair of labels that two annotators gave to one item.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Raises
    ------
    AnnotationError
        If there are more than a hundred million.
    """

    def __init__(self, annotations: Annotations) -> None:
        view = annotations.by_item
        size = np.diff(view.offsets)
        if (size * (size - 1) // 2).sum() > 100_000_000:
            raise AnnotationError(
                "agreement by pairs of annotators: there are more than a hundred million pairs of "
                "labels. Take fewer items, or a coefficient that pools annotators."
            )
        low, high = _pairs_within(size, view.offsets[:-1])
        first, second = view.order[low], view.order[high]
        swap = annotations.annotator[first] > annotations.annotator[second]
        self.first = np.where(swap, second, first)
        self.second = np.where(swap, first, second)
        self.item = annotations.item[self.first]
        code = (
            annotations.annotator[self.first].astype(np.int64) * annotations.n_annotators
            + annotations.annotator[self.second]
        )
        codes, self.pair = np.unique(code, return_inverse=True)
        self.first_annotator, self.second_annotator = np.divmod(codes, annotations.n_annotators)
        self.n_pairs = codes.size


def weighted_counts(
    annotations: Annotations, multiplicity: Floats | None
) -> NDArray[Any] | sparse.csr_array:
    """Count the labels of each item by category, every annotator as often as copied.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    multiplicity : ndarray, shape (J,), or None
        Copies of each annotator.

    Returns
    -------
    ndarray or csr_array, shape (I, K)
        Sparse where most of it is zeros.
    """
    a = annotations
    shape = (a.n_items, a.n_categories)
    if shape[0] * shape[1] > 4 * a.n_labels + 1_000_000:
        weights = _label_weights(a, multiplicity)
        return sparse.csr_array(sparse.coo_array((weights, (a.item, a.label)), shape=shape))
    if multiplicity is None:
        return a.counts
    cell = a.item.astype(np.int64) * shape[1] + a.label
    counts = np.bincount(cell, multiplicity[a.annotator], minlength=shape[0] * shape[1])
    return counts.reshape(shape)


def copies_of_items(annotations: Annotations, multiplicity: Floats | None, size: Floats) -> Floats:
    """Sum the squares of the annotators' multiplicities for each item.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    multiplicity : ndarray, shape (J,), or None
        Copies of each annotator.
    size : ndarray, shape (I,)
        Number of labels, copies included.

    Returns
    -------
    ndarray, shape (I,)
        Pairs that are a label with itself or with a copy of itself.
    """
    if multiplicity is None:
        return size
    squares = multiplicity[annotations.annotator] ** 2
    return np.bincount(annotations.item, squares, minlength=annotations.n_items)


def centred(values: Floats) -> Floats:
    """Put numbers about their median, in units of their range: no digits are lost to large ones.

    Parameters
    ----------
    values : ndarray
        Numbers.

    Returns
    -------
    ndarray
        Of the same shape, in [-1, 1]; zeros where all are equal.
    """
    if not values.size:
        return values
    return (values - np.median(values)) / (np.ptp(values) or 1.0)


def ratio(above: Totals, below: Totals, nothing: float | Floats) -> Totals:
    """Divide, with NaN where the divisor is at most `nothing`.

    Parameters
    ----------
    above, below : ndarray
        Of one shape after broadcasting; real, or complex with the value in the real part.
    nothing : float or ndarray
        The largest divisor that is taken for 0.

    Returns
    -------
    ndarray
        The quotient.
    """
    below = np.asarray(below)
    defined = below.real > nothing
    # The imaginary part too, so that a derivative is undefined where the value is.
    undefined = complex(np.nan, np.nan) if np.iscomplexobj(above) else np.nan
    return np.where(defined, above / np.where(defined, below, 1), undefined)


def cross(first: Totals, second: Totals, distances: Floats | None) -> Totals:
    """Sum the distances between all labels of two distributions.

    Parameters
    ----------
    first, second : ndarray, shape (..., K)
        Numbers or shares of labels.
    distances : ndarray, shape (K, K), or None
        V; None for nominal labels.

    Returns
    -------
    ndarray, shape (...)
        sum_kl first_k V_kl second_l.
    """
    if distances is None:
        return first.sum(axis=-1) * second.sum(axis=-1) - (first * second).sum(axis=-1)
    return ((first @ distances) * second).sum(axis=-1)


def dense(rows: Rows) -> NDArray[Any]:
    """Return rows as an ordinary array.

    Parameters
    ----------
    rows : ndarray or csr_array, shape (P, S)
        Statistics.

    Returns
    -------
    ndarray, shape (P, S)
        The same.
    """
    return np.asarray(rows.toarray() if isinstance(rows, sparse.csr_array) else rows)


def _row_sums(table: Any) -> Floats:
    return np.asarray(table.sum(axis=1), dtype=np.float64)


def _label_weights(annotations: Annotations, multiplicity: Floats | None) -> Floats:
    if multiplicity is None:
        return np.ones(annotations.n_labels)
    return multiplicity[annotations.annotator]


def _quadratic(counts: NDArray[Any] | sparse.csr_array, table: Floats) -> Floats:
    """Return sum_kl n_k table_kl n_l of every row, in pieces that fit in memory."""
    step = max(1, _CHUNK // max(1, table.shape[0]))
    pieces = []
    for start in range(0, counts.shape[0], step):
        piece = counts[start : start + step]
        pieces.append(_row_sums(piece * (piece @ table)))
    return np.concatenate(pieces) if pieces else np.zeros(0)


def _midranks(pool: Totals, mass: Totals) -> Totals:
    """Return the midrank of each category, shape (..., K), about the mean of all labels."""
    return np.cumsum(pool, axis=-1) - pool / 2 - mass[..., None] / 2


def _entries(
    counts: sparse.csr_array,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    item = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    return item, counts.indices.astype(np.int64), counts.data


def _pairs_within(
    size: NDArray[Any], start: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the pairs of positions within groups of consecutive positions."""
    first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for n in np.unique(size[size > 1]):
        low, high = np.triu_indices(int(n), 1)
        begin = start[size == n][:, None]
        first.append((begin + low).ravel())
        second.append((begin + high).ravel())
    return np.concatenate(first), np.concatenate(second)
