"""The noise bound of a gold standard, its coverage, and the disagreements it allows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, gammaln

from annobench.core.results import SummarisedScalars
from annobench.noise.easy_hard._checks import NEGLIGIBLE, check_integer, check_open_unit
from annobench.noise.easy_hard.posterior import hard_given_agreed

__all__ = ["NoiseBound", "bound_coverage", "largest_disagreement", "noise_bound"]


@dataclass(frozen=True)
class NoiseBound(SummarisedScalars):
    """An upper bound on the number of guesses in a gold standard.

    Attributes
    ----------
    n_hard : int
        The bound t.
    n_kept : int
        Size of the gold standard.
    rate : float
        `n_hard` / `n_kept`, in [0, 1]; NaN where no item is kept.
    level : float
        Confidence, in (0, 1).
    tail : float
        P(more than t are hard), below 1 - level.
    """

    n_hard: int
    n_kept: int
    rate: float
    level: float
    tail: float


def noise_bound(
    n_items: int,
    n_disagreed: int,
    chance: float,
    *,
    level: float = 0.95,
    n_split_kept: int = 0,
    prior: ArrayLike | None = None,
) -> NoiseBound:
    """Bound the number and share of guesses in a gold standard.

    Parameters
    ----------
    n_items : int
        n, at least 1.
    n_disagreed : int
        d, from 0 to n.
    chance : float
        p, the probability that annotators agree on a hard item, in (0, 1).
    level : float, default 0.95
        Confidence, in (0, 1).
    n_split_kept : int, default 0
        Number of disagreed items that enter the gold standard with their majority label.
    prior : array_like, shape (n + 1,), optional
        Prior weights of 0..n hard items, by default equal.

    Returns
    -------
    NoiseBound
        The smallest t with P(hard > t) < 1 - level, and the noise rate.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    The bound increases with `chance`: if only a range of it is known, its upper end is the worst
    case.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 2.

    Examples
    --------
    >>> found = noise_bound(1000, 33, 0.5)
    >>> found.n_hard, found.n_kept, round(100 * found.rate, 2)
    (48, 967, 4.96)
    """
    hard = hard_given_agreed(n_items, n_disagreed, chance, n_split_kept=n_split_kept, prior=prior)
    t = hard.upper(level)
    return NoiseBound(t, hard.n_kept, hard.rate(level), float(level), hard.tail(t))


def bound_coverage(
    n_items: int,
    n_hard: int,
    chance: float,
    *,
    assumed: float | None = None,
    level: float = 0.95,
) -> float:
    """Compute the coverage of the noise bound at a fixed number of hard items.

    Parameters
    ----------
    n_items : int
        n, at least 1.
    n_hard : int
        Hard items among them, from 0 to n.
    chance : float
        The true p, in (0, 1).
    assumed : float, optional
        The p used for the bound, in (0, 1); by default the true one.
    level : float, default 0.95
        Confidence, in (0, 1).

    Returns
    -------
    float
        Exact probability, over the number of disagreements, that the bound is not exceeded.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    O(n) for each number of disagreements of non-negligible probability.

    References
    ----------
    Not in Beigman Klebanov and Beigman (2009), who average over the number of hard items.

    Examples
    --------
    >>> bound_coverage(1000, 200, 0.5) > 0.95, bound_coverage(1000, 200, 0.82, assumed=0.5) < 1e-9
    (True, True)
    """
    n = check_integer("n_items", n_items, minimum=1)
    h = check_integer("n_hard", n_hard, minimum=0)
    if h > n:
        raise ValueError(f"n_hard={h} exceeds n_items={n}. Give at most all items.")
    p = check_open_unit("chance", chance)
    p_assumed = p if assumed is None else check_open_unit("assumed", assumed)
    disagreed = np.arange(h + 1)
    log_choose = gammaln(h + 1) - gammaln(disagreed + 1) - gammaln(h - disagreed + 1)
    log_pmf = log_choose + disagreed * np.log1p(-p) + (h - disagreed) * np.log(p)
    total = 0.0
    for d in np.flatnonzero(log_pmf > np.log(NEGLIGIBLE)):
        if h - d <= noise_bound(n, int(d), p_assumed, level=level).n_hard:
            total += float(np.exp(log_pmf[d]))
    return min(total, 1.0)


def largest_disagreement(
    n_items: int, chance: float, *, rate: float = 0.05, level: float = 0.95
) -> int:
    """Find the largest number of disagreements at which the noise rate is still tolerable.

    Parameters
    ----------
    n_items : int
        n, at least 1.
    chance : float
        p, the probability that annotators agree on a hard item, in (0, 1).
    rate : float, default 0.05
        The tolerated noise rate, in (0, 1).
    level : float, default 0.95
        Confidence, in (0, 1).

    Returns
    -------
    int
        The largest d such that 0..d disagreements all give a noise rate of at most `rate`; -1 if
        d = 0 gives more.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    Almost O(n). The noise rate increases with d until few items are left; then it may fall and
    rise, since the number of hard items is bounded.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 3.1.

    Examples
    --------
    >>> largest_disagreement(1000, 0.5)
    33
    """
    n = check_integer("n_items", n_items, minimum=1)
    check_open_unit("rate", rate)
    check_open_unit("level", level)
    check_open_unit("chance", chance)
    low, high = -1, n
    while high - low > 1:
        d = (low + high) // 2
        # For n without limit the posterior is negative binomial, and its tail exceeds that for n
        # items: what passes here passes below.
        tail = betainc(np.floor(rate * (n - d)) + 1, d + 1, chance)
        low, high = (d, high) if tail < 1 - level else (low, d)
    while low + 1 < n and noise_bound(n, low + 1, chance, level=level).rate <= rate:
        low += 1
    return low
