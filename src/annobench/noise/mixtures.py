r"""Mixtures of binomials: types of items told apart by how many annotators say "1".

Item i is of type t with probability theta_t, and each of its n labels is "1" with
probability p_t, independently. The number of positive labels then follows

    Pr(x = j) = sum_t theta_t C(n, j) p_t^j (1 - p_t)^(n - j).

A type whose rate p_t is near one half is *hard*: its labels look like flips of a coin.

**Identifiability.** The pmf of x determines theta and p only if 2 m - 1 <= n (Teicher
1963), so n labels an item carry at most (n + 1) / 2 types, two labels only one. More
types than that are refused.

**Fitting.** Least squares on the histogram (as the paper), maximum likelihood, or least
Pearson chi-square, all by damped scoring, many starts and many data sets in one batch.

**Testing.** Whether m types are enough is a non-regular question: under m types the
parameters of type m + 1 are not there, so that the likelihood ratio has no chi-square
law. `compare_types` takes its law from a parametric bootstrap.

**Annotators.** If the annotators of each label are drawn anew, a label given to an item
of type t is "1" with the mean of their rates, whatever else their distribution is. So a
model of two types with heterogeneous annotators (the paper's Figure 4) has exactly the
histogram of two binomials, and one with lazy annotators (Figure 7) that of as many
binomials as there are types. Only annotators who meet many items make a difference:
`annotator_histogram` takes account of who labelled what.

References
----------
Beigman Klebanov and Beigman (2010). Some empirical evidence for annotation noise in a
benchmarked dataset. NAACL-HLT, 438-446.
Teicher (1963). Identifiability of finite mixtures. Annals of Mathematical Statistics 34.
McLachlan (1987). On bootstrapping the likelihood ratio test statistic for the number of
components in a normal mixture. Applied Statistics 36.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple, cast

import numpy as np
import pandas as pd
import scipy.linalg
import scipy.stats
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, gammaln, logit, xlog1py, xlogy

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.noise._scoring import (
    METHODS,
    TINY,
    Method,
    best_start,
    minimise,
    objective,
    with_slopes,
)
from annobench.noise.reliability_threshold import chance_of_marks

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Cells = Literal["density", "interval", "normalised"]
#: The rates that count as hard: close to a fair coin.
HARD: tuple[float, float] = (0.4, 0.6)

_START_RATES = (0.03, 0.15, 0.3, 0.5, 0.7, 0.85, 0.97)


# ------------------------------------------------------------------------------ counts


def max_types(n_labels: int) -> int:
    """Return how many types n labels an item can tell apart.

    Parameters
    ----------
    n_labels : int
        Labels of an item, n.

    Returns
    -------
    int
        The largest m with 2 m - 1 <= n, (n + 1) // 2.

    Examples
    --------
    >>> max_types(10), max_types(2)
    (5, 1)
    """
    return (n_labels + 1) // 2


@dataclass(frozen=True, eq=False)
class Counts:
    """How many items got how many positive labels.

    Use `from_histogram` or `from_annotations`, which validate.

    Attributes
    ----------
    labels, positives : ndarray of int64, shape (M,)
        Every pair (n, x) with 0 <= x <= n, for each number of labels n that occurs.
    items : ndarray of int64, shape (M,)
        How many items have n labels, x of them positive.
    """

    labels: Integers
    positives: Integers
    items: Integers

    @classmethod
    def from_histogram(
        cls, histogram: ArrayLike, *, n_labels: int | None = None, n_items: int | None = None
    ) -> Counts:
        """Take the histogram of items that all have the same number of labels.

        Parameters
        ----------
        histogram : array_like of int, shape (n + 1,)
            Items with 0, 1, ..., n positive labels.
        n_labels, n_items : int, optional
            n and I, to check the histogram against.

        Returns
        -------
        Counts
            The counts.

        Raises
        ------
        ValueError
            If a count is no whole number or below 0, or the histogram has not n + 1 cells,
            is empty, or does not sum to I.
        """
        given = np.asarray(histogram, dtype=np.float64)
        if given.ndim != 1 or given.size < 2:
            raise ValueError(
                f"Counts.from_histogram: shape {given.shape} is no histogram. Give the number of "
                "items with 0, 1, ..., n positive labels, n >= 1."
            )
        if not (np.isfinite(given).all() and (given >= 0).all() and (given % 1 == 0).all()):
            raise ValueError(
                "Counts.from_histogram: the counts must be whole numbers of at least 0, got "
                f"{given.tolist()}."
            )
        if n_labels is not None and given.size != n_labels + 1:
            raise ValueError(
                f"Counts.from_histogram: {given.size} cells, but {n_labels} labels an item have "
                f"{n_labels + 1} possible counts. Give empty cells as 0."
            )
        if given.sum() == 0:
            raise ValueError("Counts.from_histogram: no items. Give at least one.")
        if n_items is not None and given.sum() != n_items:
            raise ValueError(
                f"Counts.from_histogram: the histogram sums to {given.sum():.0f}, not to "
                f"n_items = {n_items}. Correct one of the two."
            )
        n = given.size - 1
        return cls(np.full(n + 1, n), np.arange(n + 1), given.astype(np.int64))

    @classmethod
    def from_annotations(cls, annotations: Annotations, positive: str | None = None) -> Counts:
        """Count the positive labels of every item.

        Parameters
        ----------
        annotations : Annotations
            Of two categories; items without labels are left out, repeated labels count.
        positive : str, optional
            The category that is counted; by default the last.

        Returns
        -------
        Counts
            The counts.

        Raises
        ------
        AnnotationError
            If there are not two categories, or no labels, or the positive one is unknown.
        """
        labels, positives = positive_counts(annotations, positive)
        seen = labels > 0
        if not seen.any():
            raise AnnotationError("Counts.from_annotations: no item has a label.")
        sizes = np.unique(labels[seen])
        grid_labels = np.repeat(sizes, sizes + 1)
        grid_positives = np.concatenate([np.arange(n + 1) for n in sizes])
        first = np.concatenate([[0], np.cumsum(sizes + 1)])
        cell = first[np.searchsorted(sizes, labels[seen])] + positives[seen]
        return cls(grid_labels, grid_positives, np.bincount(cell, minlength=grid_labels.size))

    @property
    def n_items(self) -> int:
        """The number of items I that have labels."""
        return int(self.items.sum())

    @property
    def max_labels(self) -> int:
        """The largest number of labels of an item."""
        return int(self.labels.max())

    @property
    def is_balanced(self) -> bool:
        """Whether all items have the same number of labels."""
        return bool((self.labels == self.labels[0]).all())

    @property
    def histogram(self) -> Integers:
        """Items with 0, 1, ..., n positive labels, shape (n + 1,).

        Raises
        ------
        AnnotationError
            If the number of labels differs from item to item.
        """
        if not self.is_balanced:
            raise AnnotationError(
                "Counts.histogram: the number of labels differs from item to item. Use `items` "
                "with `labels` and `positives`, or items of one number of labels."
            )
        return self.items

    @cached_property
    def n_groups(self) -> int:
        """How many different numbers of labels occur."""
        return int(np.unique(self.labels).size)

    @cached_property
    def totals(self) -> Floats:
        """The number of items that have as many labels as the cell, shape (M,)."""
        return np.bincount(self.labels, weights=self.items).astype(np.float64)[self.labels]


def positive_counts(
    annotations: Annotations, positive: str | None = None
) -> tuple[Integers, Integers]:
    """Count the labels and the positive labels of every item.

    Parameters
    ----------
    annotations : Annotations
        Of two categories.
    positive : str, optional
        The category that is counted; by default the last.

    Returns
    -------
    tuple of ndarray of int64, shape (I,)
        Labels and positive labels, by code of the item.

    Raises
    ------
    AnnotationError
        If there are not two categories, or the positive one is unknown.
    """
    if annotations.n_categories != 2:
        raise AnnotationError(
            f"mixtures: {annotations.n_categories} categories, but positive labels are counted "
            "of two. Make the labels binary first, such as one category against the rest."
        )
    name = annotations.categories[-1] if positive is None else positive
    if name not in annotations.categories:
        raise AnnotationError(
            f"mixtures: no category {name!r}. Choose one of {', '.join(annotations.categories)}."
        )
    says_it = annotations.label == annotations.categories.index(name)
    n = annotations.n_items
    return (
        np.bincount(annotations.item, minlength=n).astype(np.int64),
        np.bincount(annotations.item[says_it], minlength=n).astype(np.int64),
    )


# ---------------------------------------------------------------------------- mixtures


@dataclass(frozen=True, eq=False)
class BinomialMixture:
    """Types of items, each with the share of items and the rate of positive labels.

    Attributes
    ----------
    share : ndarray, shape (m,)
        theta_t, at least 0; they are scaled to sum to 1, so that numbers of items do.
    rate : ndarray, shape (m,)
        p_t in [0, 1], in rising order; the types are sorted by it.
    """

    share: Floats
    rate: Floats

    def __post_init__(self) -> None:
        """Validate, scale and sort the types.

        Raises
        ------
        ValueError
            If share and rate differ in length, or a value is out of its range.
        """
        share, rate = (np.atleast_1d(np.asarray(v, dtype=float)) for v in (self.share, self.rate))
        if share.ndim != 1 or share.shape != rate.shape:
            raise ValueError(
                f"BinomialMixture: {share.shape} shares and {rate.shape} rates. Give one of each "
                "to every type."
            )
        if not ((rate >= 0) & (rate <= 1)).all():
            raise ValueError(f"BinomialMixture: rates must be in [0, 1], got {rate.tolist()}.")
        if not ((share >= 0).all() and 0 < share.sum() < np.inf):
            raise ValueError(
                f"BinomialMixture: shares must be at least 0, and not all 0; got {share.tolist()}."
            )
        order = np.argsort(rate, kind="stable")
        object.__setattr__(self, "share", share[order] / share.sum())
        object.__setattr__(self, "rate", rate[order])

    @property
    def types(self) -> int:
        """The number of types m."""
        return int(self.rate.size)

    def pmf(self, n_labels: int) -> Floats:
        """Return the probability of each number of positive labels.

        Parameters
        ----------
        n_labels : int
            n.

        Returns
        -------
        ndarray, shape (n + 1,)
            Pr(x = j) of section 2.
        """
        each = _binomials(self.rate, np.full(n_labels + 1, n_labels), np.arange(n_labels + 1))
        return self.share @ each

    def expected(self, counts: Counts) -> Floats:
        """Return the expected number of items in each cell.

        Parameters
        ----------
        counts : Counts
            Whose cells, and whose numbers of items of n labels.

        Returns
        -------
        ndarray, shape (M,)
            Expected items.
        """
        each = _binomials(self.rate, counts.labels, counts.positives)
        return counts.totals * (self.share @ each)

    def posterior(self, positives: ArrayLike, labels: ArrayLike) -> Floats:
        """Return the probability of each type given an item's labels.

        Parameters
        ----------
        positives, labels : array_like of int, shape (...)
            Positive and all labels of items.

        Returns
        -------
        ndarray, shape (..., m)
            Posterior probabilities; NaN where no type can give these labels.
        """
        x, n = np.broadcast_arrays(np.asarray(positives), np.asarray(labels))
        each = self.share[:, None] * _binomials(self.rate, n.ravel(), x.ravel())
        with np.errstate(invalid="ignore"):
            posterior = each / each.sum(axis=0)
        return cast(Floats, posterior.T.reshape(*x.shape, self.types))

    def simulate(self, counts: Counts, rng: np.random.Generator) -> Counts:
        """Draw the positive labels of all items anew.

        Parameters
        ----------
        counts : Counts
            How many items have how many labels.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        Counts
            Simulated counts.
        """
        drawn = _draw(self.expected(counts), counts, 1, rng)[0]
        return Counts(counts.labels, counts.positives, drawn.astype(np.int64))

    def hard_share(self, within: tuple[float, float] = HARD) -> float:
        """Return the share of items whose type is hard.

        Parameters
        ----------
        within : tuple of float, default (0.4, 0.6)
            The rates that count as close to a fair coin.

        Returns
        -------
        float
            Sum of the shares of these types.
        """
        return float(self.share[_is_hard(self.rate, within)].sum())


def _is_hard(rate: Floats, within: tuple[float, float]) -> NDArray[np.bool_]:
    low, high = _checked_band(within)
    return (rate >= low) & (rate <= high)


def _checked_band(within: tuple[float, float]) -> tuple[float, float]:
    low, high = within
    if not 0 < low < high < 1:
        raise ValueError(
            f"mixtures: within must be two rising rates between 0 and 1, got {within}."
        )
    return low, high


def _binomials(rate: Floats, labels: Integers, positives: Integers) -> Floats:
    """Return the binomial probabilities of cells: rates (..., m) give (..., m, M)."""
    coefficient = gammaln(labels + 1) - gammaln(positives + 1) - gammaln(labels - positives + 1)
    p = rate[..., None]
    log_pmf = coefficient + xlogy(positives, p) + xlog1py(labels - positives, -p)
    return cast(Floats, np.exp(log_pmf))


def _draw(expected: Floats, counts: Counts, replicates: int, rng: np.random.Generator) -> Floats:
    """Draw histograms with the given expected cells, shape (R, M)."""
    drawn = np.zeros((replicates, expected.size))
    for n in np.unique(counts.labels):
        cells = counts.labels == n
        total = expected[cells].sum()
        if total > 0:
            share = np.clip(expected[cells] / total, 0, None)
            items = round(counts.items[cells].sum())
            drawn[:, cells] = rng.multinomial(items, share / share.sum(), size=replicates)
    return drawn


# ------------------------------------------------------------------- expected cells


class _MixtureModel:
    """Expected cells of mixtures, from unconstrained parameters.

    The first m parameters are the rates, as logits within a band of each type, the rest the
    shares, as contrasts of log shares. One type's share may be fixed, row by row.
    """

    def __init__(
        self,
        counts: Counts,
        bands: Sequence[tuple[float, float]],
        fixed: tuple[int, Floats] | None = None,
    ) -> None:
        self.counts = counts
        self.low, self.high = np.array(bands, dtype=float).T
        self.types = len(bands)
        self.fixed = fixed
        self.free = [t for t in range(self.types) if fixed is None or t != fixed[0]]
        n_free = len(self.free)
        self.contrasts = scipy.linalg.helmert(n_free).T if n_free > 1 else np.zeros((1, 0))
        n, x = counts.labels, counts.positives
        self.log_coefficient = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)

    def at(self, share: Floats, rate: Floats) -> Floats:
        """Return the parameters (..., q) of shares and rates (..., m)."""
        inside = np.clip((rate - self.low) / (self.high - self.low), 1e-7, 1 - 1e-7)
        log_share = np.log(np.clip(share[..., self.free], 1e-7, None))
        return np.concatenate([logit(inside), log_share @ self.contrasts], axis=-1)

    def values(self, place: Floats, rows: Integers) -> tuple[Floats, Floats]:
        """Return shares and rates, each of shape (B, m)."""
        m = self.types
        rate = self.low + (self.high - self.low) * expit(place[:, :m])
        logits = place[:, m:] @ self.contrasts.T
        free = np.exp(logits - logits.max(axis=1, keepdims=True))
        free /= free.sum(axis=1, keepdims=True)
        if self.fixed is None:
            return free, rate
        index, values = self.fixed
        share = np.empty((len(place), m))
        share[:, index] = values[rows]
        share[:, self.free] = free * (1 - values[rows])[:, None]
        return share, rate

    def __call__(self, place: Floats, rows: Integers) -> tuple[Floats, Floats]:
        """Return expected cells (B, M) and their Jacobian (B, M, q)."""
        share, rate = self.values(place, rows)
        n, x, totals = self.counts.labels, self.counts.positives, self.counts.totals
        p = np.clip(rate, 1e-9, 1 - 1e-9)[..., None]
        log_pmf = self.log_coefficient + x * np.log(p) + (n - x) * np.log1p(-p)
        parts = totals * share[..., None] * np.exp(log_pmf)
        inner = expit(place[:, : self.types])
        stretch = (self.high - self.low) * inner * (1 - inner)
        by_rate = parts * (x - n * p) * stretch[..., None] / (p * (1 - p))
        free = parts[:, self.free]
        own = share[:, self.free] / share[:, self.free].sum(axis=1, keepdims=True)
        by_share = free - own[..., None] * free.sum(axis=1, keepdims=True)
        jacobian = np.concatenate(
            [by_rate, np.einsum("bfm,fc->bcm", by_share, self.contrasts)], axis=1
        )
        return parts.sum(axis=1), np.moveaxis(jacobian, 1, 2)


def _free_model(counts: Counts, types: int) -> _MixtureModel:
    return _MixtureModel(counts, [(0.0, 1.0)] * types)


def _check_types(types: int, counts: Counts) -> None:
    most = max_types(counts.max_labels)
    if not 1 <= types <= most:
        raise ValueError(
            f"mixtures: {types} types, but {counts.max_labels} labels an item tell at most {most} "
            "apart (2 m - 1 <= n), and there must be one. Ask for fewer types or get more labels."
        )


def _check_method(method: str) -> None:
    if method not in METHODS:
        raise ValueError(f"mixtures: method {method!r} is not one of {', '.join(METHODS)}.")


def _check_replicates(replicates: int) -> None:
    if replicates < 1:
        raise ValueError(f"mixtures: replicates must be at least 1, got {replicates}.")


def _start_grid(types: int) -> Floats:
    """Return rates to start from, shape (S, m)."""
    rates = _START_RATES if types <= 5 else tuple(np.linspace(0.03, 0.97, types + 2))
    return np.array(list(combinations(rates, types)))


# ----------------------------------------------------------------- fits of free mixtures


class ChiSquare(NamedTuple):
    """Pearson's chi-square test of a histogram.

    Attributes
    ----------
    statistic : float
        Sum over bins of (observed - expected)^2 / expected.
    df : int
        Bins, less one for each known total, less the parameters fitted.
    p_value : float
        Chance of a larger value by the chi-square law; NaN without a degree of freedom.
    """

    statistic: float
    df: int
    p_value: float

    def critical(self, level: float = 0.05) -> float:
        """Return the value that is exceeded with a given probability.

        Parameters
        ----------
        level : float, default 0.05
            Probability, in (0, 1).

        Returns
        -------
        float
            Upper quantile of the chi-square law.
        """
        return float(scipy.stats.chi2.isf(level, self.df))


class BootstrapTest(NamedTuple):
    """A test whose law comes from simulated data.

    Attributes
    ----------
    statistic : float
        Of the data.
    p_value : float
        (1 + draws at least as large) / (1 + draws), in (0, 1].
    draws : ndarray, shape (R,)
        The statistic of data sets simulated under the hypothesis and fitted again.
    """

    statistic: float
    p_value: float
    draws: Floats

    @classmethod
    def of(cls, statistic: float, draws: Floats) -> BootstrapTest:
        """Count the draws that are at least as large as the statistic.

        Parameters
        ----------
        statistic : float
            Of the data.
        draws : ndarray, shape (R,)
            Under the hypothesis.

        Returns
        -------
        BootstrapTest
            The test.
        """
        # Two fits of one histogram agree to this only.
        reached = draws >= statistic - 1e-6 * (1 + abs(statistic))
        return cls(statistic, float((1 + reached.sum()) / (1 + draws.size)), draws)

    @property
    def standard_error(self) -> float:
        """Monte Carlo standard error of the p-value."""
        return float(np.sqrt(self.p_value * (1 - self.p_value) / self.draws.size))


class TypeErrors(NamedTuple):
    """Standard errors of a mixture, NaN where a share or rate lies at its limit.

    Attributes
    ----------
    share, rate : ndarray, shape (m,)
        Of each type.
    """

    share: Floats
    rate: Floats


@dataclass(frozen=True, eq=False)
class MixtureBootstrap:
    """Mixtures fitted to resampled histograms.

    Attributes
    ----------
    share, rate : ndarray, shape (R, m)
        Of each replicate, sorted by rate.
    chi_square, deviance : ndarray, shape (R,)
        Pearson's chi-square and the likelihood ratio against the saturated model of each fit.
    """

    share: Floats
    rate: Floats
    chi_square: Floats
    deviance: Floats

    def pmf(self, n_labels: int) -> Floats:
        """Return the probability of each number of positive labels by each fit.

        Parameters
        ----------
        n_labels : int
            n.

        Returns
        -------
        ndarray, shape (R, n + 1)
            Probabilities.
        """
        grid = np.arange(n_labels + 1)
        each = _binomials(self.rate, np.full(n_labels + 1, n_labels), grid)
        return cast(Floats, np.einsum("rt,rtx->rx", self.share, each))

    def hard_share(self, within: tuple[float, float] = HARD) -> Floats:
        """Return the share of items of hard types in each replicate.

        Parameters
        ----------
        within : tuple of float, default (0.4, 0.6)
            The rates that count as hard.

        Returns
        -------
        ndarray, shape (R,)
            Shares.
        """
        return cast(Floats, (self.share * _is_hard(self.rate, within)).sum(axis=1))

    def interval(self, name: Literal["share", "rate"], level: float = 0.95) -> Floats:
        """Return percentile intervals of shares or rates.

        Parameters
        ----------
        name : {"share", "rate"}
            Which.
        level : float, default 0.95
            Probability inside, in (0, 1).

        Returns
        -------
        ndarray, shape (2, m)
            Lower and upper ends.
        """
        return percentile_interval(getattr(self, name), level)


def percentile_interval(draws: Floats, level: float = 0.95) -> Floats:
    """Return the central interval of draws.

    Parameters
    ----------
    draws : ndarray, shape (R, ...)
        Replicates.
    level : float, default 0.95
        Share of the draws inside, in (0, 1).

    Returns
    -------
    ndarray, shape (2, ...)
        Lower and upper ends.

    Raises
    ------
    ValueError
        If the level is out of range.
    """
    if not 0 < level < 1:
        raise ValueError(f"percentile_interval: level must be between 0 and 1, got {level}.")
    return cast(Floats, np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0))


class _FittedMixture:
    """What a mixture of binomials says of the counts that it was fitted to."""

    mixture: BinomialMixture
    counts: Counts

    @property
    def n_parameters(self) -> int:
        """Numbers that were fitted."""
        raise NotImplementedError

    @cached_property
    def expected(self) -> Floats:
        """Expected items in each cell, shape (M,)."""
        return self.mixture.expected(self.counts)

    @property
    def log_likelihood(self) -> float:
        """Log likelihood of the items' numbers of positive labels."""
        return _log_likelihood(self.mixture, self.counts)

    @property
    def sum_of_squares(self) -> float:
        """Sum over cells of (observed - expected)^2."""
        return float(((self.counts.items - self.expected) ** 2).sum())

    def chi_square(self, bins: ArrayLike | None = None) -> ChiSquare:
        """Test the fit with Pearson's chi-square.

        Parameters
        ----------
        bins : array_like of int, shape (M,), optional
            Number of each cell's bin, such as from `pool_cells`; by default every cell is a
            bin of its own, as in the paper.

        Returns
        -------
        ChiSquare
            The test.
        """
        return chi_square(
            self.counts.items, self.expected, n_fitted=self.n_parameters,
            n_totals=self.counts.n_groups, bins=bins,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class MixtureFit(_FittedMixture):
    """A mixture of binomials fitted to counts.

    Attributes
    ----------
    mixture : BinomialMixture
        The types found.
    counts : Counts
        What it was fitted to.
    method : {"ml", "least_squares", "chi_square"}
        What was made smallest.
    """

    mixture: BinomialMixture
    counts: Counts
    method: Method

    @property
    def n_parameters(self) -> int:
        """Rates and shares that were fitted, 2 m - 1."""
        return 2 * self.mixture.types - 1

    @property
    def aic(self) -> float:
        """Akaike's criterion; a type at a limit counts in full."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, with the items as observations."""
        return float(self.n_parameters * np.log(self.counts.n_items) - 2 * self.log_likelihood)

    @cached_property
    def standard_error(self) -> TypeErrors:
        """Large-sample standard errors, from the multinomial law of the cells."""
        return _mixture_errors(self)

    def hard_posterior(
        self, positives: ArrayLike, labels: ArrayLike, within: tuple[float, float] = HARD
    ) -> Floats:
        """Return the probability that items with these labels are of a hard type.

        Parameters
        ----------
        positives, labels : array_like of int, shape (...)
            Positive and all labels of items.
        within : tuple of float, default (0.4, 0.6)
            The rates that count as hard.

        Returns
        -------
        ndarray, shape (...)
            Posterior probabilities.
        """
        hard = _is_hard(self.mixture.rate, within)
        return cast(Floats, self.mixture.posterior(positives, labels)[..., hard].sum(axis=-1))

    def bootstrap(
        self,
        replicates: int,
        rng: np.random.Generator,
        *,
        kind: Literal["items", "model"] = "items",
    ) -> MixtureBootstrap:
        """Fit the mixture again to resampled histograms.

        Parameters
        ----------
        replicates : int
            R.
        rng : numpy.random.Generator
            Source of randomness.
        kind : {"items", "model"}
            Whether items are drawn with replacement, or simulated from the fit.

        Returns
        -------
        MixtureBootstrap
            The fits.

        Raises
        ------
        ValueError
            If there are no replicates.
        """
        _check_replicates(replicates)
        centre = self.counts.items.astype(float) if kind == "items" else self.expected
        return refit(_draw(centre, self.counts, replicates, rng), self)


def fit(counts: Counts, types: int, *, method: Method = "ml") -> MixtureFit:
    """Fit a mixture of binomials.

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels.
    types : int
        m, at most (n + 1) / 2.
    method : {"ml", "least_squares", "chi_square"}, default "ml"
        Maximum likelihood; least squares on the histogram, as the paper; or least Pearson
        chi-square.

    Returns
    -------
    MixtureFit
        The best of the fits from a grid of starts.

    Raises
    ------
    ValueError
        If n labels can't tell so many types apart, or the method is not known.

    Examples
    --------
    >>> made = BinomialMixture([0.5, 0.5], [0.1, 0.8]).pmf(10) * 1e6
    >>> fit(Counts.from_histogram(made.round()), 2).mixture.rate.round(3).tolist()
    [0.1, 0.8]
    """
    _check_types(types, counts)
    _check_method(method)
    model = _free_model(counts, types)
    rates = _start_grid(types)
    start = model.at(np.full_like(rates, 1 / types), rates)
    observed = np.tile(counts.items.astype(float), (len(start), 1))
    best = best_start(minimise(model, start, observed, method, max_steps=150), 1)
    best = minimise(model, best.parameters, observed[:1], method, max_steps=2000, tolerance=1e-14)
    share, rate = model.values(best.parameters, np.arange(1))
    return MixtureFit(BinomialMixture(share[0], rate[0]), counts, method)


def refit(histograms: ArrayLike, fitted: MixtureFit) -> MixtureBootstrap:
    """Fit many histograms as a fit was made, in one batch.

    Parameters
    ----------
    histograms : array_like, shape (R, M)
        Items in each cell of the fit's counts, with the same totals.
    fitted : MixtureFit
        Whose method and number of types are used, and whose types are one of the starts.

    Returns
    -------
    MixtureBootstrap
        The fits.

    Raises
    ------
    ValueError
        If the histograms have other cells or other totals.
    """
    observed = np.asarray(histograms, dtype=float)
    counts, m = fitted.counts, fitted.mixture.types
    if observed.ndim != 2 or observed.shape[1] != counts.items.size:
        raise ValueError(
            f"refit: histograms of shape {observed.shape} for {counts.items.size} cells. Give one "
            "row a histogram."
        )
    for n in np.unique(counts.labels):
        cells = counts.labels == n
        if not np.allclose(observed[:, cells].sum(axis=1), counts.items[cells].sum()):
            raise ValueError(
                f"refit: a histogram does not sum to the {counts.items[cells].sum()} items that "
                f"have {n} labels. Give histograms of as many items as the fit has."
            )
    model = _free_model(counts, m)
    spread = [np.linspace(low, high, m) for low, high in ((0.1, 0.9), (0.05, 0.6), (0.4, 0.95))]
    starts = [model.at(fitted.mixture.share, fitted.mixture.rate)]
    starts += [model.at(np.full(m, 1 / m), rates) for rates in spread if m > 1]
    start = np.repeat(np.array(starts), len(observed), axis=0)
    tall = np.tile(observed, (len(starts), 1))
    found = best_start(minimise(model, start, tall, fitted.method), len(observed))
    share, rate = model.values(found.parameters, np.arange(len(observed)))
    order = np.argsort(rate, axis=1, kind="stable")
    return MixtureBootstrap(
        np.take_along_axis(share, order, axis=1),
        np.take_along_axis(rate, order, axis=1),
        objective("chi_square", observed, found.expected),
        objective("ml", observed, found.expected),
    )


def _log_likelihood(mixture: BinomialMixture, counts: Counts) -> float:
    pmf = mixture.share @ _binomials(mixture.rate, counts.labels, counts.positives)
    return float(xlogy(counts.items, pmf).sum())


def _covariance(jacobian: Floats, expected: Floats, counts: Counts, method: Method) -> Floats:
    """Return the sandwich of a fit: what the cells' multinomial law makes of its equations."""
    weight = np.ones_like(expected) if method == "least_squares" else 1 / np.maximum(expected, TINY)
    weighted = jacobian * weight[:, None]
    same = counts.labels[:, None] == counts.labels
    law = np.diag(expected) - same * np.outer(expected, expected) / counts.totals
    bread = np.linalg.pinv(jacobian.T @ weighted, hermitian=True)
    return cast(Floats, bread @ weighted.T @ law @ weighted @ bread)


def _mixture_errors(fitted: MixtureFit) -> TypeErrors:
    share, rate = fitted.mixture.share, fitted.mixture.rate
    counts, m = fitted.counts, fitted.mixture.types
    present = share > 1e-6
    inside = present & (np.minimum(rate, 1 - rate) > 1e-6)
    each = counts.totals * _binomials(rate, counts.labels, counts.positives)
    with np.errstate(invalid="ignore", divide="ignore"):
        by_rate = share[:, None] * each
        by_rate *= (counts.positives - counts.labels * rate[:, None]) / (rate * (1 - rate))[:, None]
    # The shares sum to 1: the steps that keep the sum are spanned by the contrasts.
    contrasts = scipy.linalg.helmert(present.sum()).T if present.sum() > 1 else np.zeros((1, 0))
    jacobian = np.concatenate([contrasts.T @ each[present], by_rate[inside]]).T
    covariance = _covariance(jacobian, fitted.expected, counts, fitted.method)
    q = contrasts.shape[1]
    share_error, rate_error = np.full(m, np.nan), np.full(m, np.nan)
    share_error[present] = np.sqrt(np.diag(contrasts @ covariance[:q, :q] @ contrasts.T))
    rate_error[inside] = np.sqrt(np.diag(covariance)[q:])
    return TypeErrors(share_error, rate_error)


# --------------------------------------------------------------------------------- tests


def chi_square(
    observed: ArrayLike,
    expected: ArrayLike,
    *,
    n_fitted: int,
    n_totals: int = 1,
    bins: ArrayLike | None = None,
) -> ChiSquare:
    """Test expected against observed cells with Pearson's chi-square.

    Parameters
    ----------
    observed, expected : array_like, shape (M,)
        Items in each cell.
    n_fitted : int
        Parameters fitted to the observed cells; 0 for a model from elsewhere.
    n_totals : int, default 1
        Totals known in advance, each of which costs a degree of freedom.
    bins : array_like of int, shape (M,), optional
        Number of each cell's bin; by default every cell is a bin, as in the paper.

    Returns
    -------
    ChiSquare
        The test.

    Raises
    ------
    ValueError
        If the shapes differ, or a cell is negative or NaN.

    Examples
    --------
    >>> chi_square([8, 12], [10, 10], n_fitted=0)[:2]
    (0.8, 1)
    """
    o, e = np.asarray(observed, dtype=float), np.asarray(expected, dtype=float)
    if o.shape != e.shape or o.ndim != 1:
        raise ValueError(
            f"chi_square: {o.shape} observed and {e.shape} expected cells. Give as many of both."
        )
    if not ((e >= 0).all() and (o >= 0).all() and n_fitted >= 0):
        raise ValueError("chi_square: cells and n_fitted must be numbers of at least 0.")
    if bins is not None:
        number = np.unique(np.asarray(bins), return_inverse=True)[1]
        if number.shape != o.shape:
            raise ValueError(f"chi_square: {number.shape} bin numbers for {o.shape} cells.")
        o, e = np.bincount(number, weights=o), np.bincount(number, weights=e)
    filled = (o > 0) | (e > 0)
    with np.errstate(divide="ignore"):
        statistic = float(((o[filled] - e[filled]) ** 2 / e[filled]).sum())
    df = int(o.size - n_totals - n_fitted)
    p_value = float(scipy.stats.chi2.sf(statistic, df)) if df > 0 else np.nan
    return ChiSquare(statistic, df, p_value)


def pool_cells(expected: ArrayLike, least: float = 5.0) -> Integers:
    """Merge neighbouring cells until each bin is expected to hold enough items.

    Parameters
    ----------
    expected : array_like, shape (M,)
        Expected items of one histogram.
    least : float, default 5
        What each bin should be expected to hold.

    Returns
    -------
    ndarray of int64, shape (M,)
        Number of each cell's bin, for `chi_square`.

    Examples
    --------
    >>> pool_cells([1, 3, 2, 8, 9, 1]).tolist()
    [0, 0, 0, 1, 2, 2]
    """
    cells = np.asarray(expected, dtype=float)
    bins = np.zeros(cells.size, dtype=np.int64)
    held, number = 0.0, 0
    for j, value in enumerate(cells):
        bins[j] = number
        held += value
        if held >= least:
            held, number = 0.0, number + 1
    if held > 0 and number > 0:  # what is left at the end joins the last full bin
        bins[bins == number] = number - 1
    return bins


def goodness_of_fit(
    fitted: MixtureFit, *, replicates: int, rng: np.random.Generator
) -> BootstrapTest:
    """Test a fit by its chi-square, with the law from a parametric bootstrap.

    Parameters
    ----------
    fitted : MixtureFit
        The hypothesis: data are simulated from it, and fitted again by its method.
    replicates : int
        R.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    BootstrapTest
        The test.

    Raises
    ------
    ValueError
        If there are no replicates.
    """
    draws = fitted.bootstrap(replicates, rng, kind="model").chi_square
    return BootstrapTest.of(fitted.chi_square().statistic, draws)


def compare_types(
    counts: Counts, types: int, *, replicates: int, rng: np.random.Generator
) -> BootstrapTest:
    """Test m types against m + 1 by the likelihood ratio.

    Twice the gain in log likelihood has no chi-square law here; its law is simulated from
    the fit of m types (McLachlan 1987).

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels.
    types : int
        m; m + 1 must be identifiable.
    replicates : int
        R.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    BootstrapTest
        The test.

    Raises
    ------
    ValueError
        If n labels can't tell m + 1 types apart, or there are no replicates.
    """
    _check_types(types, counts)
    _check_types(types + 1, counts)
    _check_replicates(replicates)
    fewer, more = fit(counts, types), fit(counts, types + 1)
    statistic = max(2 * (more.log_likelihood - fewer.log_likelihood), 0.0)
    return BootstrapTest.of(statistic, likelihood_ratios(
        _draw(fewer.expected, counts, replicates, rng), fewer))  # fmt: skip


def likelihood_ratios(histograms: ArrayLike, fitted: MixtureFit) -> Floats:
    """Return the likelihood ratio of m against m + 1 types on each of many histograms.

    Parameters
    ----------
    histograms : array_like, shape (R, M)
        Items in each cell of the counts that the fit was made of.
    fitted : MixtureFit
        A fit of m types by maximum likelihood, to start from.

    Returns
    -------
    ndarray, shape (R,)
        Twice the gain in log likelihood, at least 0.

    Raises
    ------
    ValueError
        If the fit is of another method.
    """
    if fitted.method != "ml":
        raise ValueError(f"likelihood_ratios: the fit is by {fitted.method!r}. Fit it by 'ml'.")
    observed = np.asarray(histograms, dtype=float)
    small = refit(observed, fitted)
    m = fitted.mixture.types
    model = _free_model(fitted.counts, m + 1)
    # The gain of a further type is decided by where it is put, so it starts everywhere.
    starts = []
    for new in (0.02, 0.2, 0.4, 0.6, 0.8, 0.98):
        added = np.full((len(observed), 1), new)
        starts.append(model.at(np.hstack([0.95 * small.share, np.full_like(added, 0.05)]),
                               np.hstack([small.rate, added])))  # fmt: skip
    tall = np.tile(observed, (len(starts), 1))
    large = best_start(minimise(model, np.concatenate(starts), tall, "ml"), len(observed))
    return cast(Floats, np.maximum(small.deviance - large.objective, 0.0))


@dataclass(frozen=True, eq=False)
class TypeChoice:
    """How many types the counts give evidence of.

    Attributes
    ----------
    types : int
        The smallest m that is not rejected against m + 1 types.
    fits : tuple of MixtureFit
        Fits of 1, 2, ... types.
    table : DataFrame
        One row a number of types: log likelihood, criteria, chi-square, and likelihood ratio
        against one more type with its p-value, NaN where it was not needed.
    """

    types: int
    fits: tuple[MixtureFit, ...]
    table: pd.DataFrame

    @property
    def best(self) -> MixtureFit:
        """The fit of the chosen number of types."""
        return self.fits[self.types - 1]


def choose_types(
    counts: Counts,
    *,
    most: int | None = None,
    level: float = 0.05,
    replicates: int = 199,
    rng: np.random.Generator,
) -> TypeChoice:
    """Add types as long as one more is significant.

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels.
    most : int, optional
        Largest number of types considered; by default what is identifiable.
    level : float, default 0.05
        Of each test.
    replicates : int, default 199
        Of the bootstrap of each test.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    TypeChoice
        The choice and what it rests on.

    Raises
    ------
    ValueError
        If more types are asked for than can be told apart.
    """
    most = max_types(counts.max_labels) if most is None else most
    _check_types(most, counts)
    fits = tuple(fit(counts, m) for m in range(1, most + 1))
    tests: list[BootstrapTest | None] = [None] * most
    chosen = most
    for m in range(1, most):
        test = compare_types(counts, m, replicates=replicates, rng=rng)
        tests[m - 1] = test
        if test.p_value > level:
            chosen = m
            break
    rows = []
    for fitted, test_ in zip(fits, tests, strict=True):
        pearson = fitted.chi_square()
        rows.append(
            {
                "types": fitted.mixture.types, "log_likelihood": fitted.log_likelihood,
                "aic": fitted.aic, "bic": fitted.bic, "chi_square": pearson.statistic,
                "df": pearson.df, "chi_square_p": pearson.p_value,
                "likelihood_ratio": np.nan if test_ is None else test_.statistic,
                "bootstrap_p": np.nan if test_ is None else test_.p_value,
                "chosen": fitted.mixture.types == chosen,
            }
        )  # fmt: skip
    return TypeChoice(chosen, fits, pd.DataFrame(rows))


# ---------------------------------------------------------------------------- hard items


@dataclass(frozen=True, eq=False)
class HardShareProfile:
    """What the counts say of the share of hard items, other values fitted to each share.

    Attributes
    ----------
    share : ndarray, shape (G,)
        Shares considered.
    log_likelihood : ndarray, shape (G,)
        The largest at each share, less the largest of all.
    estimate, lower, upper : float
        The most likely share, and the interval of those that are not rejected.
    mixture : BinomialMixture
        The three types at the estimate.
    """

    share: Floats
    log_likelihood: Floats
    estimate: float
    lower: float
    upper: float
    mixture: BinomialMixture


def hard_share_profile(
    counts: Counts,
    *,
    within: tuple[float, float] = HARD,
    grid: ArrayLike | None = None,
    level: float = 0.95,
) -> HardShareProfile:
    """Profile the likelihood of the share of hard items.

    The model has three types: two easy ones, with a rate below and above the band, and a
    hard one with its rate inside. Unlike the number of types, the share of the hard one is
    then a plain parameter.

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels, some with 5 labels.
    within : tuple of float, default (0.4, 0.6)
        The rates that count as hard.
    grid : array_like, optional
        Rising shares in [0, 1) to consider; by default every half percent.
    level : float, default 0.95
        Of the interval: the shares whose likelihood ratio stays below the quantile of the
        chi-square law with one degree of freedom.

    Returns
    -------
    HardShareProfile
        Estimate, interval and profile.

    Raises
    ------
    ValueError
        If three types can't be told apart, or the band or the grid is out of range.
    """
    shares = np.linspace(0, 0.995, 200) if grid is None else np.asarray(grid, dtype=float)
    if shares.ndim != 1 or not ((shares >= 0) & (shares < 1)).all() or (np.diff(shares) <= 0).any():
        raise ValueError("hard_share_profile: grid must be rising shares in [0, 1).")
    deviance, mixtures = _at_hard_shares(counts, shares, within, "ml")
    profile = (deviance.min() - deviance) / 2
    best = int(deviance.argmin())
    reach = scipy.stats.chi2.ppf(level, df=1) / 2
    inside = np.flatnonzero(profile >= -reach)
    return HardShareProfile(
        shares, profile, float(shares[best]), _crossing(shares, profile, inside[0], -1, reach),
        _crossing(shares, profile, inside[-1], 1, reach), mixtures(best),
    )  # fmt: skip


def _crossing(shares: Floats, profile: Floats, inside: int, step: int, reach: float) -> float:
    """Interpolate where the profile falls below the limit, next to the last share inside."""
    outside = inside + step
    if not 0 <= outside < shares.size:
        return float(shares[inside])
    weight = (profile[inside] + reach) / (profile[inside] - profile[outside])
    return float(shares[inside] + weight * (shares[outside] - shares[inside]))


def _at_hard_shares(
    counts: Counts, shares: Floats, within: tuple[float, float], method: Method
) -> tuple[Floats, Callable[[int], BinomialMixture]]:
    """Fit easy, hard and easy types at each share of the hard one; return objectives, mixtures."""
    low, high = _checked_band(within)
    _check_types(3, counts)
    bands = ((0.0, low), (low, high), (high, 1.0))
    starts = [(0.5 * low, middle, 0.5 + 0.5 * high, left)
              for middle in (0.75 * low + 0.25 * high, 0.25 * low + 0.75 * high)
              for left in (0.3, 0.7)]  # fmt: skip
    fixed = np.tile(shares, len(starts))
    model = _MixtureModel(counts, bands, (1, fixed))
    start = np.concatenate(
        [
            np.tile(
                model.at(np.array([left, 0.0, 1 - left]), np.array([a, b, c])), (shares.size, 1)
            )
            for a, b, c, left in starts
        ]
    )
    observed = np.tile(counts.items.astype(float), (len(start), 1))
    found = minimise(model, start, observed, method)
    table = found.objective.reshape(len(starts), -1)
    row = table.argmin(axis=0) * shares.size + np.arange(shares.size)
    share, rate = model.values(found.parameters[row], row)
    return found.objective[row], lambda g: BinomialMixture(share[g], rate[g])


class HardCount(NamedTuple):
    """The smallest number of hard items with which three types still fit.

    Attributes
    ----------
    n_hard : int
        Items of the hard type.
    mixture : BinomialMixture
        The three types.
    chi_square : ChiSquare
        The test of their fit.
    """

    n_hard: int
    mixture: BinomialMixture
    chi_square: ChiSquare


def smallest_hard_count(
    counts: Counts, *, within: tuple[float, float] = HARD, level: float = 0.05
) -> HardCount | None:
    """Find how few hard items are enough for a fit that is not rejected.

    For each number of hard items the other parameters are chosen to make Pearson's
    chi-square as small as possible. The degrees of freedom are those of a free mixture of
    three types, as in the paper's section 7.2; with no hard item they are those of two.

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels, some with 5 labels.
    within : tuple of float, default (0.4, 0.6)
        The rates that count as hard.
    level : float, default 0.05
        A fit is rejected if its chi-square p-value is not above it.

    Returns
    -------
    HardCount or None
        None if no number of hard items gives a fit.

    Raises
    ------
    ValueError
        If three types can't be told apart, or the band is out of range.
    """
    _checked_band(within)
    _check_types(3, counts)
    n_items = counts.n_items
    two = fit(counts, 2, method="chi_square")
    test = two.chi_square()
    if test.p_value > level:  # no hard items at all, and two parameters fewer
        share, rate = two.mixture.share, two.mixture.rate
        none_hard = BinomialMixture(np.array([share[0], 0, share[1]]),
                                    np.array([rate[0], rate.mean(), rate[1]]))  # fmt: skip
        return HardCount(0, none_hard, test)
    df = counts.items.size - counts.n_groups - 5
    limit = float(scipy.stats.chi2.isf(level, df)) if df > 0 else 0.0
    numbers = np.unique(np.linspace(0, n_items - 1, min(n_items, 61)).astype(int))
    while True:
        values, mixtures = _at_hard_shares(counts, numbers / n_items, within, "chi_square")
        fitting = np.flatnonzero(values < limit)
        if not fitting.size:
            return None
        first = int(fitting[0])
        if first == 0 or numbers[first] - numbers[first - 1] == 1:
            break
        low, high = numbers[first - 1], numbers[first]
        numbers = np.unique(np.linspace(low, high, min(high - low + 1, 12)).astype(int))
    found = mixtures(first)
    test = chi_square(counts.items, found.expected(counts), n_fitted=5, n_totals=counts.n_groups)
    return HardCount(int(numbers[first]), found, test)


# ------------------------------------------------------------------------ other models


@dataclass(frozen=True, eq=False)
class GaussianFit:
    """Two normal distributions fitted to a histogram by least squares.

    Attributes
    ----------
    share, mean, sd : ndarray, shape (2,)
        Share of items, mean and standard deviation of the number of positive labels, sorted
        by mean.
    expected : ndarray, shape (n + 1,)
        Expected items; they need not sum to I.
    counts : Counts
        What they were fitted to.
    """

    share: Floats
    mean: Floats
    sd: Floats
    expected: Floats
    counts: Counts

    @property
    def sum_of_squares(self) -> float:
        """Sum over cells of (observed - expected)^2."""
        return float(((self.counts.items - self.expected) ** 2).sum())

    def chi_square(self, bins: ArrayLike | None = None) -> ChiSquare:
        """Test the fit with Pearson's chi-square.

        Parameters
        ----------
        bins : array_like of int, shape (n + 1,), optional
            Number of each cell's bin.

        Returns
        -------
        ChiSquare
            With five parameters fitted.
        """
        return chi_square(self.counts.items, self.expected, n_fitted=5, bins=bins)


def gaussian_cells(
    share: ArrayLike, mean: ArrayLike, sd: ArrayLike, n_labels: int, *, cells: Cells = "density"
) -> Floats:
    """Return what a mixture of normal distributions puts at 0, 1, ..., n.

    Parameters
    ----------
    share, mean, sd : array_like, shape (..., m)
        Share, mean and standard deviation of each part.
    n_labels : int
        n.
    cells : {"density", "interval", "normalised"}
        The density at each whole number, the probability of half a unit around it, or the
        density of each part divided by its sum over 0, 1, ..., n.

    Returns
    -------
    ndarray, shape (..., n + 1)
        Values that need not sum to 1, unless normalised: the normal distribution leaves
        something for counts below 0 and above n.

    Raises
    ------
    ValueError
        If a standard deviation is not above 0, or the kind of cells is not known.
    """
    theta, mu, sigma = (np.asarray(v, dtype=float)[..., None] for v in (share, mean, sd))
    if not (sigma > 0).all():
        raise ValueError("gaussian_cells: standard deviations must be above 0.")
    x = np.arange(n_labels + 1)
    if cells in ("density", "normalised"):
        z = (x - mu) / sigma
        each = np.exp(-z * z / 2) / (np.sqrt(2 * np.pi) * sigma)
        if cells == "normalised":
            each /= np.maximum(each.sum(axis=-1, keepdims=True), np.finfo(float).tiny)
    elif cells == "interval":
        ndtr = scipy.stats.norm.cdf
        each = ndtr((x + 0.5 - mu) / sigma) - ndtr((x - 0.5 - mu) / sigma)
    else:
        raise ValueError(
            f"gaussian_cells: cells {cells!r} is not 'density', 'interval' or 'normalised'."
        )
    return cast(Floats, (theta * each).sum(axis=-2))


def fit_gaussians(counts: Counts, *, cells: Cells = "density") -> GaussianFit:
    """Fit two normal distributions by least squares.

    Parameters
    ----------
    counts : Counts
        Of items with one number of labels.
    cells : {"density", "interval", "normalised"}
        What stands for the probability of a count, as in `gaussian_cells`.

    Returns
    -------
    GaussianFit
        The best of the fits from a grid of starts.

    Raises
    ------
    AnnotationError
        If the number of labels differs from item to item.
    """
    histogram, n = counts.histogram.astype(float), counts.max_labels

    def values(place: Floats) -> tuple[Floats, Floats, Floats]:
        first = expit(place[:, 4])
        share = np.stack([first, 1 - first], axis=1)
        return share, n * place[:, :2], n * np.exp(place[:, 2:4])

    def expected(place: Floats) -> Floats:
        return counts.n_items * gaussian_cells(*values(place), n, cells=cells)

    means = combinations((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 2)
    start = np.array([[*pair, -2.0, -2.0, 0.0] for pair in means])
    observed = np.tile(histogram, (len(start), 1))
    best = best_start(minimise(with_slopes(expected), start, observed, "least_squares"), 1)
    share, mean, sd = (part[0] for part in values(best.parameters))
    order = np.argsort(mean)
    return GaussianFit(share[order], mean[order], sd[order], best.expected[0], counts)


@dataclass(frozen=True, eq=False)
class LazyFit(_FittedMixture):
    """Diligent annotators of a known mixture among lazy ones, fitted to counts.

    Attributes
    ----------
    lazy_share : float
        Chance that a label comes from a lazy annotator, xi_L.
    lazy_rate : float
        Rate of positive labels of lazy annotators, p_L; undetermined if none is lazy.
    mixture : BinomialMixture
        What both together make of the types: rates (1 - xi_L) p_t + xi_L p_L.
    counts : Counts
        What it was fitted to.
    method : {"ml", "least_squares", "chi_square"}
        What was made smallest.
    standard_error : tuple of float
        Of the lazy share and the lazy rate, the diligent mixture taken as known.
    """

    lazy_share: float
    lazy_rate: float
    mixture: BinomialMixture
    counts: Counts
    method: Method
    standard_error: tuple[float, float]

    @property
    def n_parameters(self) -> int:
        """The lazy share and the lazy rate, 2."""
        return 2


def with_lazy(diligent: BinomialMixture, lazy_share: float, lazy_rate: float) -> BinomialMixture:
    """Mix lazy annotators, who flip one coin whatever the item, into a mixture.

    Parameters
    ----------
    diligent : BinomialMixture
        The types as diligent annotators see them.
    lazy_share : float
        Chance that a label comes from a lazy annotator, in [0, 1].
    lazy_rate : float
        Chance that such a label is positive, in [0, 1].

    Returns
    -------
    BinomialMixture
        The same shares, with rates (1 - xi_L) p_t + xi_L p_L: the double sum of section 6
        is this mixture, since each label is a flip of the mean coin.

    Raises
    ------
    ValueError
        If a probability is out of its range.
    """
    for name, value in (("lazy_share", lazy_share), ("lazy_rate", lazy_rate)):
        if not 0 <= value <= 1:
            raise ValueError(f"with_lazy: {name} must be in [0, 1], got {value}.")
    rate = (1 - lazy_share) * diligent.rate + lazy_share * lazy_rate
    return BinomialMixture(diligent.share, rate)


def fit_lazy(counts: Counts, diligent: BinomialMixture, *, method: Method = "ml") -> LazyFit:
    """Fit the share and the coin of lazy annotators, given what diligent ones do.

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels.
    diligent : BinomialMixture
        Shares and rates of the types, not fitted here.
    method : {"ml", "least_squares", "chi_square"}, default "ml"
        What is made smallest; the paper takes least squares.

    Returns
    -------
    LazyFit
        The best of the fits from a grid of starts.

    Raises
    ------
    ValueError
        If the method is not known.
    """
    _check_method(method)

    def cells_of(lazy: Floats) -> Floats:
        share, rate = lazy[:, :1], lazy[:, 1:]
        rates = (1 - share) * diligent.rate + share * rate
        each = _binomials(rates, counts.labels, counts.positives)
        return cast(Floats, counts.totals * np.einsum("t,btm->bm", diligent.share, each))

    grid = np.array([[share, rate] for share in (0.05, 0.2, 0.5) for rate in (0.1, 0.5, 0.9)])
    observed = np.tile(counts.items.astype(float), (len(grid), 1))
    model = with_slopes(lambda place: cells_of(expit(place)))
    best = best_start(minimise(model, logit(grid), observed, method, tolerance=1e-13), 1)
    lazy = expit(best.parameters)
    slope = with_slopes(cells_of)(np.clip(lazy, 1e-5, 1 - 1e-5), np.arange(1))[1][0]
    errors = np.sqrt(np.diag(_covariance(slope, best.expected[0], counts, method)))
    share, rate = map(float, lazy[0])
    return LazyFit(
        share, rate, with_lazy(diligent, share, rate), counts, method,
        (float(errors[0]), float(errors[1])),
    )  # fmt: skip


def annotator_histogram(
    annotations: Annotations, prevalence: float, sensitivity: ArrayLike, specificity: ArrayLike
) -> Floats:
    """Return the histogram to expect if items have two types and annotators rates of their own.

    This is the model of the paper's Figure 4, given who labelled which item: on each item the
    number of positive labels is a sum of unequal coin flips.

    Parameters
    ----------
    annotations : Annotations
        Binary labels; only who labelled what counts. Every item has n labels.
    prevalence : float
        Chance that an item is of the type whose right label is positive, in [0, 1].
    sensitivity, specificity : array_like, shape (J,)
        Each annotator's chance of the right label on either type, such as a fit of
        `dawid_skene` or `hierarchical_binary` has them.

    Returns
    -------
    ndarray, shape (n + 1,)
        Expected items with 0, 1, ..., n positive labels.

    Raises
    ------
    AnnotationError
        If the number of labels differs from item to item.
    ValueError
        If a probability is out of its range or the rates are not one an annotator.
    """
    positive, zero = _annotator_pmfs(annotations, prevalence, sensitivity, specificity)
    return cast(Floats, (prevalence * positive + (1 - prevalence) * zero).sum(axis=0))


def _annotator_pmfs(
    annotations: Annotations, prevalence: float, sensitivity: ArrayLike, specificity: ArrayLike
) -> tuple[Floats, Floats]:
    """Return the law of each item's positive labels given its type, both (I, n + 1)."""
    right_1, right_0 = (np.asarray(v, dtype=float) for v in (sensitivity, specificity))
    if right_1.shape != (annotations.n_annotators,) or right_0.shape != right_1.shape:
        raise ValueError(
            f"annotator_histogram: {right_1.shape} sensitivities and {right_0.shape} "
            f"specificities for {annotations.n_annotators} annotators. Give one of each to every "
            "annotator."
        )
    given = np.concatenate([[prevalence], right_1, right_0])
    if not ((given >= 0) & (given <= 1)).all():
        raise ValueError("annotator_histogram: prevalence and rates must be in [0, 1].")
    sizes = np.diff(annotations.by_item.offsets)
    if sizes.size == 0 or (sizes != sizes[0]).any():
        raise AnnotationError(
            "annotator_histogram: the number of labels differs from item to item. Keep the items "
            "that have the same number."
        )
    who = annotations.annotator[annotations.by_item.order].reshape(sizes.size, -1)
    return chance_of_marks(right_1[who]), chance_of_marks(1 - right_0[who])
