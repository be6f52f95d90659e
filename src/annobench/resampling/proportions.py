"""Confidence intervals of a proportion."""

from __future__ import annotations

import math
from typing import Literal

from annobench.core.errors import check_level
from annobench.resampling.intervals import Interval


def proportion_interval(
    k: int, n: int, *, method: Literal["wilson", "exact"] = "wilson", level: float = 0.95
) -> Interval:
    """Give k successes out of n a confidence interval.

    Parameters
    ----------
    k : int
        Successes, from 0 to n.
    n : int
        Trials; without any there is no interval (NaN).
    method : {"wilson", "exact"}, default "wilson"
        Wilson's score interval, or that of Clopper and Pearson, whose coverage is at least the
        level.
    level : float, default 0.95
        In (0, 1).

    Returns
    -------
    Interval
        Of the proportion, in [0, 1].

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
