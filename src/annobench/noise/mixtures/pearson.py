"""Pearson's chi-square test of expected against observed cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.stats
from numpy.typing import ArrayLike

from annobench.core.results import SummarisedScalars
from annobench.noise.mixtures.counts import Integers

__all__ = ["ChiSquare", "chi_square", "pool_cells"]


@dataclass(frozen=True)
class ChiSquare(SummarisedScalars):
    """Pearson's chi-square test of a histogram.

    Attributes
    ----------
    statistic : float
        Sum over bins of (observed - expected)^2 / expected.
    df : int
        Degrees of freedom: bins, minus one for each known total, minus the parameters fitted.
    p_value : float
        Upper tail probability of the chi-square distribution; NaN if `df` is not positive.
    """

    statistic: float
    df: int
    p_value: float

    def critical(self, level: float = 0.05) -> float:
        """Return the critical value.

        Parameters
        ----------
        level : float, default 0.05
            Significance level, in (0, 1).

        Returns
        -------
        float
            Upper quantile of the chi-square distribution.
        """
        return float(scipy.stats.chi2.isf(level, self.df))


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
        Parameters fitted to the observed cells; 0 for a model from other data.
    n_totals : int, default 1
        Totals fixed in advance, each of which costs a degree of freedom.
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
    >>> chi_square([8, 12], [10, 10], n_fitted=0)  # 4 / 10 + 4 / 10
    ChiSquare: statistic = 0.8, df = 1, p_value = 0.371093
    """
    o, e = np.asarray(observed, dtype=float), np.asarray(expected, dtype=float)
    if o.shape != e.shape or o.ndim != 1:
        raise ValueError(
            f"chi_square: {o.shape} observed and {e.shape} expected cells. Give equal numbers."
        )
    if not ((e >= 0).all() and (o >= 0).all() and n_fitted >= 0):
        raise ValueError("chi_square: cells and n_fitted must be numbers of at least 0.")
    if bins is not None:
        number = np.unique(np.asarray(bins), return_inverse=True)[1]
        if number.shape != o.shape:
            raise ValueError(
                f"chi_square: {number.shape} bin numbers for {o.shape} cells. Give one per cell."
            )
        o, e = np.bincount(number, weights=o), np.bincount(number, weights=e)
    filled = (o > 0) | (e > 0)
    with np.errstate(divide="ignore"):
        statistic = float(((o[filled] - e[filled]) ** 2 / e[filled]).sum())
    df = int(o.size - n_totals - n_fitted)
    p_value = float(scipy.stats.chi2.sf(statistic, df)) if df > 0 else np.nan
    return ChiSquare(statistic, df, p_value)


def pool_cells(expected: ArrayLike, min_expected: float = 5.0) -> Integers:
    """Merge neighbouring cells until each bin is expected to hold enough items.

    Parameters
    ----------
    expected : array_like, shape (M,)
        Expected items of one histogram.
    min_expected : float, default 5
        Items that each bin should be expected to hold.

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
        if held >= min_expected:
            held, number = 0.0, number + 1
    if held > 0 and number > 0:  # the remainder joins the last full bin
        bins[bins == number] = number - 1
    return bins
