"""Confidence intervals of a proportion."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import check_level
from annobench.resampling.intervals import Interval

__all__ = ["proportion_interval", "wilson_limits"]


def proportion_interval(
    k: int, n: int, *, method: Literal["wilson", "exact"] = "wilson", level: float = 0.95
) -> Interval:
    """Compute a confidence interval of a proportion, k successes out of n.

    Parameters
    ----------
    k : int
        Number of successes, from 0 to n.
    n : int
        Number of trials; with none the interval is NaN.
    method : {"wilson", "exact"}, default "wilson"
        Wilson's score interval, or that of Clopper and Pearson, whose coverage is at least the
        level.
    level : float, default 0.95
        In (0, 1).

    Returns
    -------
    Interval
        Interval of the proportion, in [0, 1].

    Raises
    ------
    AnnotationError
        If the level is out of range.
    ValueError
        If k is not within 0 and n, or the method is unknown.

    References
    ----------
    Brown, Cai and DasGupta (2001), Statistical Science 16, 101-133.

    Examples
    --------
    >>> found = proportion_interval(0, 10, method="exact")
    >>> found.lower, round(found.upper, 4)  # 1 - 0.025 ** (1 / 10)
    (0.0, 0.3085)
    """
    from scipy import stats  # half a second that resampling does without

    check_level(level, "proportion_interval")
    if not n:
        return Interval(math.nan, math.nan, math.nan, level, method)
    found = stats.binomtest(int(k), int(n)).proportion_ci(level, method)
    return Interval(int(k) / int(n), float(found.low), float(found.high), level, method)


def wilson_limits(
    share: ArrayLike, n: ArrayLike, size: ArrayLike | None, z: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute Wilson's score limits for samples drawn without replacement.

    The limits are the p at which (share - p)^2 = z^2 p (1 - p) / m. The share in a sample of n out
    of N items has the variance p (1 - p) (N - n) / (n (N - 1)), so the sample is as informative as
    m = n (N - 1) / (N - n) items with replacement.

    Parameters
    ----------
    share : array_like of float
        In [0, 1].
    n : array_like of int
        Items in the sample, at least 1, of the share's shape.
    size : array_like of int or None
        N, items that were drawn from, at least n, of the share's shape; None for a population that
        is not limited.
    z : float
        Quantile of the standard normal distribution, such as 1.96.

    Returns
    -------
    lower, upper : ndarray of float64
        In [0, 1], about the share, and the share itself where all items are in the sample.

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22, 209-212. Cochran (1977),
    Sampling Techniques, section 3.2, for the variance.

    Examples
    --------
    >>> lower, upper = wilson_limits(0.0, 10, 20, 1.96)
    >>> round(float(upper), 4)  # z^2 / (m + z^2) with m = 19
    0.1682
    """
    p, n = (np.asarray(x, dtype=np.float64) for x in (share, n))
    unit = z**2 / n  # z^2 / m
    if size is not None:
        limit = np.asarray(size, dtype=np.float64)
        unit = z**2 * (limit - n) / (n * np.maximum(limit - 1, 1))
    middle = (p + unit / 2) / (1 + unit)
    half = np.sqrt(p * (1 - p) * unit + unit**2 / 4) / (1 + unit)
    # At shares of 0 and 1 the ends are exact, but for dust in the last bits.
    return np.clip(middle - half, 0, p), np.clip(middle + half, p, 1)
