"""Intervals of a proportion from checks of a stratified sample.

Stratum h has N_h items, of which n_h were checked, x_h of them wrong. With W_h = N_h / I, the sum
of W_h x_h / n_h is an unbiased estimate of the share of wrong items. Intervals:

``beta``
    treats each stratum's share, for the lower limit, as a beta variable with parameters x_h and n_h
    - x_h + 1, whose quantile is Clopper and Pearson's lower limit. The weighted sum is approximated
    by a single beta variable with equal mean and variance, whose quantile is the limit. For the
    upper limit one wrong check is added, in the stratum with the largest weight per check. With one
    stratum this is Clopper and Pearson's interval, and its width is sensible even if no check was
    wrong. It is Fay and Feuer's (1997) interval for sums of Poisson counts, with beta instead of
    gamma variables (Tiwari, Clegg and Zou 2006).
``wilson``
    combines Wilson's limits (l_h, u_h) of the strata by recovering variances: the estimate p minus
    the square root of the sum of W_h^2 (p_h - l_h)^2, and plus the square root of the sum of W_h^2
    (u_h - p_h)^2.
``jeffreys``
    combines Jeffreys' limits of the strata in the same way, with the lower limit 0 if nothing was
    found, and the upper limit 1 if all were. If shares are near 0 or 1, or checks of a stratum few,
    it covers better than ``wilson`` and is shorter.
``normal``
    is the estimate with its standard error; it has zero width if no check was wrong.

Without replacement n_h checks are as informative as n_h (N_h - 1) / (N_h - n_h) checks with
replacement; limits are rounded outwards to whole numbers of items. For a share above one half the
complement is used. The limits for a stratum without checks are 0 and 1.

References: Cochran (1977), sections 3.6 and 5.3; Fay and Feuer (1997), Statistics in Medicine 16,
791-801; Tiwari, Clegg and Zou (2006), Statistical Methods in Medical Research 15, 547-569; Korn and
Graubard (1998), Survey Methodology 24, 193-201, for effective numbers; Yan and Su (2010),
Statistics in Biopharmaceutical Research 2, 473-482, for ``wilson``; Brown, Cai and DasGupta (2001),
Statistical Science 16, 101-133, section 4.1, for Jeffreys' limits.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from annobench.core.errors import AnnotationError, check_level
from annobench.resampling.intervals import Interval
from annobench.resampling.proportions import wilson_limits

__all__ = ["share_limits", "stratified_prevalence", "stratified_share"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Construction = Literal["beta", "wilson", "jeffreys", "normal"]


def share_limits(x: int, n: int, size: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a share in a finite set of items.

    Parameters
    ----------
    x : int
        Number found in the sample.
    n : int
        Sample size, without replacement, from 0 to `size`.
    size : int
        Number of items in the set, at least 1.
    level : float, default 0.95
        Level of the interval, with equal tails.

    Returns
    -------
    tuple of float
        Smallest and largest share that the sample does not reject; 0 and 1 if nothing was sampled.

    References
    ----------
    Clopper and Pearson (1934), applied to the hypergeometric distribution, as by Cochran (1977),
    section 3.6.

    Examples
    --------
    >>> share_limits(0, 10, 10)  # all sampled
    (0.0, 0.0)
    >>> round(share_limits(0, 10, 10**9)[1], 4)  # 1 - 0.025 ** (1 / 10)
    0.3085
    """
    most = _upper_limits(n, size, (1 - level) / 2)
    return (size - int(most[n - x])) / size, int(most[x]) / size


@lru_cache(maxsize=4_096)
def _upper_limits(n: int, size: int, tail: float) -> Ints:
    """Return the upper limits of the number in the set, for 0 to n found."""
    from scipy import stats  # half a second that the other intervals do without

    x = np.arange(n + 1)
    low, high = x.copy(), size - (n - x)
    # Every count from x up to the limit fits, and none above.
    while (high > low).any():
        middle = (low + high + 1) // 2
        fits = stats.hypergeom.cdf(x, size, middle, n) > tail
        low, high = np.where(fits, middle, low), np.where(fits, high, middle - 1)
    return np.asarray(low)


def stratified_share(
    found: ArrayLike,
    checked: ArrayLike,
    sizes: ArrayLike,
    *,
    level: float = 0.95,
    construction: Construction = "beta",
    unlimited: bool = False,
) -> Interval:
    """Estimate a proportion from checks of each stratum.

    Parameters
    ----------
    found : array_like of int, shape (H,)
        Number found among those checked, x_h.
    checked : array_like of int, shape (H,)
        Number of items checked, n_h.
    sizes : array_like of int, shape (H,)
        Number of items in each stratum, N_h, at least 1.
    level : float, default 0.95
        Of the interval.
    construction : {"beta", "wilson", "jeffreys", "normal"}, default "beta"
        See the module's docstring.
    unlimited : bool, default False
        Whether the share is that of all items like these, not of these items alone: strata are then
        sampled with replacement. For "wilson" and "jeffreys".

    Returns
    -------
    Interval
        Interval of the share, in [0, 1]. Strata without checks have the share found in the others,
        with limits 0 and 1.

    Raises
    ------
    AnnotationError
        If nothing was checked, more was found than checked, or more checked than there are items.
    ValueError
        If there is no such construction.

    Examples
    --------
    >>> stratified_share([0, 3], [80, 20], [900, 100]).estimate  # 0.9 * 0 + 0.1 * 3 / 20
    0.015
    """
    check_level(level, "stratified_share")
    x, n, size = (np.asarray(each, dtype=np.int64) for each in (found, checked, sizes))
    if not ((x >= 0) & (x <= n) & (n <= size) & (size > 0)).all() or not n.any():
        raise AnnotationError(
            f"stratified_share: found {x.tolist()} of {n.tolist()} checked in strata of "
            f"{size.tolist()} items. Check at least one item, and give at most as many found as "
            "checked."
        )
    weight = size / size.sum()
    some = n > 0
    p = np.where(some, x / np.maximum(n, 1), 0.0)
    if not some.all():
        p[~some] = (weight * p)[some].sum() / weight[some].sum()
    estimate = float(weight @ p)
    if construction == "beta" and estimate > 0.5:
        rest = _beta_ends(1 - p, n, size, level)
        lower, upper = 1 - rest[1], 1 - rest[0]
    elif construction == "beta":
        lower, upper = _beta_ends(p, n, size, level)
    else:
        ends = _limits(p, n, size, level, construction, unlimited=unlimited)
        below, above = (float(np.sqrt((weight**2) @ (end - p) ** 2)) for end in ends)
        lower, upper = estimate - below, estimate + above
    if unlimited:
        return Interval(estimate, max(0.0, lower), min(1.0, upper), level, construction)
    total = int(size.sum())
    lower = min(estimate, math.floor(lower * total + 1e-6) / total)
    upper = max(estimate, math.ceil(upper * total - 1e-6) / total)
    return Interval(estimate, max(0.0, lower), min(1.0, upper), level, construction)


def _beta_ends(p: Floats, n: Ints, size: Ints, level: float) -> tuple[float, float]:
    """Return the limits of the beta construction, for small shares."""
    weight = size / size.sum()
    open_ = (n > 0) & (n < size)
    fixed = float(weight[n == size] @ p[n == size])
    tail = (1 - level) / 2
    w, q = weight[open_], p[open_]
    unseen = float(weight[n == 0].sum())
    if not w.size:
        return fixed, fixed + unseen
    m = n[open_] * (size[open_] - 1) / (size[open_] - n[open_])
    a = q * m
    lower = fixed + _quantile(w, a, m - a + 1, tail)
    more = np.arange(w.size) == (w / m).argmax()
    upper = fixed + unseen + _quantile(w, a + more, m - a + ~more, 1 - tail)
    return lower, upper


def _quantile(weight: Floats, a: Floats, b: Floats, at: float) -> float:
    """Return a quantile of a weighted sum of beta variables, approximated by a single one."""
    total = weight.sum()
    share = a / (a + b)
    mean = float(weight @ share) / total
    variance = float(weight**2 @ (share * (1 - share) / (a + b + 1))) / total**2
    if not variance:
        return float(total * mean)
    both = mean * (1 - mean) / variance - 1
    return float(total * special.betaincinv(mean * both, (1 - mean) * both, at))


def stratified_prevalence(
    by_model: float,
    missed: ArrayLike,
    false: ArrayLike,
    checked: ArrayLike,
    sizes: ArrayLike,
    *,
    level: float = 0.95,
) -> Interval:
    """Correct the share of a category for the errors found by checks.

    Parameters
    ----------
    by_model : float
        Share of all items to which the model gives the category.
    missed, false : array_like of int, shape (H,)
        Numbers of checked items with false negatives and false positives of the category.
    checked, sizes : array_like of int, shape (H,)
        Numbers of items checked, and of items, in each stratum.
    level : float, default 0.95
        Of the interval.

    Returns
    -------
    Interval
        Share by_model + missed - false, and its interval, which combines the limits of the two
        shares from `stratified_share` as for strata. All are cut off at 0 and 1.

    Examples
    --------
    >>> stratified_prevalence(0.4, [2], [1], [50], [1000]).estimate  # .4 + 2 / 50 - 1 / 50
    0.42
    """
    more, less = (stratified_share(each, checked, sizes, level=level) for each in (missed, false))
    estimate = by_model + more.estimate - less.estimate
    below = np.hypot(more.estimate - more.lower, less.upper - less.estimate)
    above = np.hypot(more.upper - more.estimate, less.estimate - less.lower)
    middle, lower, upper = (
        min(1.0, max(0.0, float(end))) for end in (estimate, estimate - below, estimate + above)
    )
    return Interval(middle, lower, upper, level, "beta")


def _limits(
    p: Floats, n: Ints, size: Ints, level: float, construction: str, *, unlimited: bool
) -> tuple[Floats, Floats]:
    if construction not in ("wilson", "jeffreys", "normal"):
        raise ValueError(
            f"stratified_share: construction {construction!r} is not one of beta, wilson, "
            "jeffreys, normal."
        )
    z = special.ndtri((1 + level) / 2)
    if construction == "normal":
        half = z * np.sqrt((1 - n / size) * p * (1 - p) / np.maximum(n - 1, 1))
        lower, upper = p - half, p + half
    elif construction == "jeffreys":
        m = np.maximum(n, 1) * (1 if unlimited else (size - 1) / np.maximum(size - n, 1))
        lower, upper = _jeffreys_limits(p, m, (1 - level) / 2)
        if not unlimited:
            lower, upper = np.where(n == size, p, lower), np.where(n == size, p, upper)
    else:
        lower, upper = wilson_limits(p, np.maximum(n, 1), None if unlimited else size, z)
    unseen = n == 0
    return np.where(unseen, 0.0, lower), np.where(unseen, 1.0, upper)


def _jeffreys_limits(p: Floats, n: Floats, tail: float) -> tuple[Floats, Floats]:
    a, b = n * p + 0.5, n * (1 - p) + 0.5
    lower, upper = special.betaincinv(a, b, tail), special.betaincinv(a, b, 1 - tail)
    return np.where(p > 0, np.minimum(lower, p), 0.0), np.where(p < 1, np.maximum(upper, p), 1.0)
