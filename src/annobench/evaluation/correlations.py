r"""Correlation of a judge's scores with humans', over all items and within groups.

Items come in groups, such as the answers to one question. The *pooled* correlation is computed over
all items; the *within* correlation is the mean of the groups' correlations, as usual in the
evaluation of generated texts, where it shows whether a judge can distinguish answers to the same
question. A group in which either variable is constant has no correlation and is left out; the
result has the number of such groups. The two correlations differ if groups differ in level: a judge
that only recognises easy questions has a pooled correlation, but none within groups.

Pearson's r, Spearman's rho (r of mid-ranks) and Kendall's tau-b are available. With s the sign of
a difference and sums over pairs of items,

.. math:: \tau_b = \frac{\sum s(x_i - x_j) s(y_i - y_j)}
          {\sqrt{\sum s(x_i - x_j)^2 \sum s(y_i - y_j)^2}} .

The correlations of two judges with the same humans' scores are dependent: `williams_test` for
independent items (Williams 1959; Steiger 1980, equation 7), and `correlation_draws` with one set of
draws for both if items are clustered in groups.

Kendall (1945). The treatment of ties in ranking problems. Biometrika 33, 239-251. Williams (1959).
The comparison of regression variables. JRSS B 21, 396-399. Steiger (1980). Tests for comparing
elements of a correlation matrix. Psychological Bulletin 87, 245-251. Graham and Baldwin (2014).
Testing for significance of increased correlation with human judgment. EMNLP, 172-176.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised, SummarisedScalars
from annobench.resampling.ratios import ratio

__all__ = [
    "CorrelationDraws",
    "GroupedCorrelation",
    "WilliamsTest",
    "correlation_draws",
    "grouped_correlation",
    "williams_test",
]

Floats = NDArray[np.float64]
Method = Literal["pearson", "spearman", "kendall"]

#: A variance below this share of the sum of squares is rounding: the scores are constant.
_CONSTANT = 1e-12


@dataclass(frozen=True, eq=False)
class GroupedCorrelation(SummarisedScalars):
    """Correlation over all items, and the mean of those within groups.

    Attributes
    ----------
    method : str
        "pearson", "spearman" or "kendall".
    pooled : float
        Correlation over all items, in [-1, 1]; NaN if either variable is constant.
    within : float
        Mean of the groups' correlations, in [-1, 1]; NaN if no group has one.
    n_items : int
        Items with both scores.
    n_groups : int
        Groups with such items.
    n_constant : int
        Number of groups left out because a variable is constant or there is only one item.
    by_group : ndarray of shape (G,)
        Correlation in each group; NaN if it is left out.
    """

    method: str
    pooled: float
    within: float
    n_items: int
    n_groups: int
    n_constant: int
    by_group: Floats


@dataclass(frozen=True, eq=False, repr=False)
class CorrelationDraws(Summarised):
    """Both correlations in bootstrap samples of groups.

    Attributes
    ----------
    pooled, within : ndarray of shape (S,)
        As in `GroupedCorrelation`, in each sample.
    """

    pooled: Floats
    within: Floats

    def summary(self) -> pd.DataFrame:
        """Return mean and standard deviation of each correlation over the samples.

        Returns
        -------
        DataFrame
            `mean` and `sd`, by correlation.
        """
        draws = pd.DataFrame({"pooled": self.pooled, "within": self.within})
        return draws.agg(["mean", "std"]).T.rename(columns={"std": "sd"})

    def _headline(self) -> str:
        return f"{self.pooled.size:,} samples"


@dataclass(frozen=True)
class WilliamsTest(SummarisedScalars):
    """Williams' test of two dependent correlations that share a variable.

    Attributes
    ----------
    difference : float
        The first correlation minus the second.
    statistic : float
        Student's t under equal correlations.
    degrees_of_freedom : int
        Number of items minus 3.
    p_value : float
        Two-sided.
    """

    difference: float
    statistic: float
    degrees_of_freedom: int
    p_value: float


def grouped_correlation(
    scores: ArrayLike, reference: ArrayLike, groups: ArrayLike, method: Method = "pearson"
) -> GroupedCorrelation:
    """Correlate scores with a reference over all items and within groups.

    Parameters
    ----------
    scores, reference : array_like of float, shape (I,)
        For instance a judge's and humans' scores; items without one of them (NaN) are left out.
    groups : array_like of int, shape (I,)
        Code of each item's group, from 0.
    method : {"pearson", "spearman", "kendall"}, default "pearson"
        The coefficient.

    Returns
    -------
    GroupedCorrelation
        Both correlations, and the number of groups left out.

    Raises
    ------
    AnnotationError
        If the shapes differ, a code is negative or not a whole number, or the method is unknown.

    Examples
    --------
    >>> found = grouped_correlation([1, 2, 4, 3, 5, 5], [1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 2, 2])
    >>> found.within, found.n_constant  # the correlations are 1 and -1; 5 and 5 are constant
    (0.0, 1)
    """
    x, y, codes, seen = _checked("grouped_correlation", scores, reference, groups, method)
    n_groups = int(codes.max(initial=-1)) + 1
    by_group = _by_group(x, y, codes, seen, n_groups, method)
    pooled = _pooled(x, y, codes, seen, np.ones((1, n_groups)), method)[0]
    occurring = np.unique(codes[seen])
    known = ~np.isnan(by_group)
    within = float(by_group[known].mean()) if known.any() else math.nan
    return GroupedCorrelation(
        method,
        float(pooled),
        within,
        int(seen.sum()),
        int(occurring.size),
        int(occurring.size - known.sum()),
        by_group,
    )


def correlation_draws(
    scores: ArrayLike,
    reference: ArrayLike,
    groups: ArrayLike,
    draws: ArrayLike,
    method: Method = "pearson",
) -> CorrelationDraws:
    """Compute pooled and within correlations in bootstrap samples of groups.

    Parameters
    ----------
    scores, reference, groups : array_like of shape (I,)
        As for `grouped_correlation`.
    draws : array_like, shape (S, G)
        Multiplicity of each group in each sample, from
        `annobench.resampling.clusters.cluster_draws`; use the same draws for two judges to account
        for their dependence.
    method : {"pearson", "spearman", "kendall"}, default "pearson"
        The coefficient.

    Returns
    -------
    CorrelationDraws
        Correlations in each sample.

    Raises
    ------
    AnnotationError
        As for `grouped_correlation`, or if a group has no column of draws.

    Notes
    -----
    Copies of a group count as distinct groups within, and are tied with one another when pooled.
    Pooled rank correlations take time quadratic in the number of items.

    Examples
    --------
    >>> once = [[1, 1]]
    >>> correlation_draws([1, 2, 4, 3], [1, 2, 3, 4], [0, 0, 1, 1], once).pooled
    array([0.8])
    """
    x, y, codes, seen = _checked("correlation_draws", scores, reference, groups, method)
    weights = np.asarray(draws, dtype=np.float64)
    if weights.ndim != 2 or codes.max(initial=-1) >= weights.shape[1]:
        raise AnnotationError(
            f"correlation_draws: draws of shape {weights.shape} for groups up to "
            f"{codes.max(initial=-1)}. Give each group a column, and count groups from 0."
        )
    by_group = _by_group(x, y, codes, seen, weights.shape[1], method)
    known = ~np.isnan(by_group)
    within = ratio(weights @ np.where(known, by_group, 0.0), weights @ known)
    return CorrelationDraws(_pooled(x, y, codes, seen, weights, method), within)


def williams_test(first: float, second: float, between: float, n_items: int) -> WilliamsTest:
    """Test whether two scores correlate equally with a reference (Williams 1959).

    Parameters
    ----------
    first, second : float
        Pearson's r of each score with the reference, over the same independent items.
    between : float
        Pearson's r of the two scores.
    n_items : int
        At least 4.

    Returns
    -------
    WilliamsTest
        The difference with its two-sided p-value; NaN if the variance is not positive.

    Raises
    ------
    AnnotationError
        If a correlation is not in [-1, 1], or there are fewer than 4 items.

    References
    ----------
    Steiger (1980), equation 7.

    Examples
    --------
    >>> round(williams_test(0.4, 0.5, 0.1, 103).statistic, 2)
    -0.89
    """
    if n_items < 4 or not all(abs(r) <= 1 for r in (first, second, between)):
        raise AnnotationError(
            f"williams_test: correlations {first}, {second}, {between} of {n_items} items. Give "
            "numbers in [-1, 1] and at least 4 items."
        )
    free = n_items - 3
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean = (first + second) / 2
    spread = 2 * (n_items - 1) / free * determinant + mean**2 * (1 - between) ** 3
    statistic = math.nan
    if spread > 0:
        statistic = (first - second) * math.sqrt((n_items - 1) * (1 + between) / spread)
    p_value = 2 * float(scipy.stats.t.sf(abs(statistic), free))
    return WilliamsTest(first - second, statistic, free, p_value)


def _checked(
    caller: str, scores: ArrayLike, reference: ArrayLike, groups: ArrayLike, method: str
) -> tuple[Floats, Floats, NDArray[np.int64], NDArray[np.bool_]]:
    """Return both scores, with 0 for missing values, the groups, and a mask of complete items."""
    if method not in get_args(Method):
        raise AnnotationError(
            f"{caller}: method {method!r} is not one of {', '.join(get_args(Method))}. Choose one."
        )
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    codes = np.asarray(groups)
    if x.ndim != 1 or x.shape != y.shape or x.shape != codes.shape:
        raise AnnotationError(
            f"{caller}: {x.shape} scores, {y.shape} of the reference, {codes.shape} groups. Give "
            "each item one of each."
        )
    if codes.size and (codes.dtype.kind not in "iu" or codes.min() < 0):
        raise AnnotationError(f"{caller}: a group's code must be a whole number from 0 on.")
    seen = ~(np.isnan(x) | np.isnan(y))
    return np.where(seen, x, 0.0), np.where(seen, y, 0.0), codes.astype(np.int64), seen


def _by_group(
    x: Floats,
    y: Floats,
    codes: NDArray[np.int64],
    seen: NDArray[np.bool_],
    n_groups: int,
    method: Method,
) -> Floats:
    """Correlate in each group, vectorised over a padded table of groups."""
    own = np.flatnonzero(seen)
    order = own[np.argsort(codes[own], kind="stable")]
    sizes = np.bincount(codes[own], minlength=n_groups)
    place = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tables = np.zeros((2, n_groups, max(1, sizes.max(initial=0))))
    tables[:, codes[order], place] = x[order], y[order]
    there = np.arange(tables.shape[2]) < sizes[:, None]
    if method == "pearson":
        return _pearson(tables[0], tables[1], there.astype(np.float64))
    both = there[:, :, None] & there[:, None, :]
    signs = np.sign(tables[:, :, :, None] - tables[:, :, None, :]) * both
    if method == "spearman":
        # Twice the mid-rank less the size of the group plus 1.
        ranks = signs.sum(axis=3)
        return _pearson(ranks[0], ranks[1], there.astype(np.float64))
    return _tau(*np.einsum("agij,bgij->abg", signs, signs)[[0, 0, 1], [1, 0, 1]])


def _pooled(
    x: Floats,
    y: Floats,
    codes: NDArray[np.int64],
    seen: NDArray[np.bool_],
    weights: Floats,
    method: Method,
) -> Floats:
    """Correlate over all items, weighted by the multiplicity of their group."""
    x, y, codes = x[seen], y[seen], codes[seen]
    drawn = weights[:, codes]
    if method == "pearson":
        return _pearson(np.broadcast_to(x, drawn.shape), np.broadcast_to(y, drawn.shape), drawn)
    member = np.zeros((codes.size, weights.shape[1]))
    member[np.arange(codes.size), codes] = 1.0
    signs = [np.sign(values[:, None] - values[None, :]) for values in (x, y)]
    if method == "spearman":
        ranks = [weights @ (sign @ member).T for sign in signs]
        return _pearson(ranks[0], ranks[1], drawn)
    parts = (signs[0] * signs[1], signs[0] ** 2, signs[1] ** 2)
    sums = [member.T @ part @ member for part in parts]
    return _tau(*(((weights @ total) * weights).sum(axis=1) for total in sums))


def _pearson(x: Floats, y: Floats, weight: Floats) -> Floats:
    """Correlate along the last axis; NaN if a variable is constant."""
    total = weight.sum(axis=-1, keepdims=True)
    means = (ratio((weight * values).sum(axis=-1, keepdims=True), total) for values in (x, y))
    dx, dy = (np.nan_to_num(values - mean) for values, mean in zip((x, y), means, strict=True))
    xx, yy = ((weight * d**2).sum(axis=-1) for d in (dx, dy))
    for values, square in ((x, xx), (y, yy)):
        square[square <= _CONSTANT * (weight * values**2).sum(axis=-1)] = 0.0
    return ratio((weight * dx * dy).sum(axis=-1), np.sqrt(xx * yy))


def _tau(both: Floats, first: Floats, second: Floats) -> Floats:
    return ratio(both, np.sqrt(first * second))
