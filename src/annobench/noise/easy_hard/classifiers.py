"""Differences between two classifiers that guesses in a gold standard can explain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln, ndtr, ndtri

from annobench.core.results import SummarisedScalars
from annobench.noise.easy_hard._checks import (
    NEGLIGIBLE,
    FloatArray,
    check_integer,
    check_open_unit,
)
from annobench.noise.easy_hard.posterior import HardItems

__all__ = ["ChanceDifference", "chance_difference"]

#: Rows of a table of probabilities held in memory at a time.
ROWS_AT_A_TIME: Final = 256


@dataclass(frozen=True)
class ChanceDifference(SummarisedScalars):
    """A difference between two classifiers that guesses in the gold standard can explain.

    Attributes
    ----------
    n_items : int
        The largest difference in correct answers that guesses explain.
    rate : float
        `n_items` as a share of the gold standard, in [0, 1].
    level : float
        Confidence, in (0, 1).
    method : {"exact", "chebyshev", "normal"}
        How the tail probability was computed.
    standard_deviation : float
        Of the difference in correct answers.
    tail : float
        P(the difference exceeds `n_items`), or its bound; below 1 - level.
    """

    n_items: int
    rate: float
    level: float
    method: str
    standard_deviation: float
    tail: float


def chance_difference(
    hard: int | HardItems,
    n_kept: int | None = None,
    *,
    level: float = 0.95,
    differ: float = 0.5,
    method: Literal["exact", "chebyshev", "normal"] = "exact",
) -> ChanceDifference:
    """Bound the difference between two classifiers that arises from guessed labels alone.

    Both are equally good on easy items. On a hard item the label is a fair coin flip, so where
    they differ, each is right with probability one half. The difference in correct answers is a
    sum over the hard items of -1, 0 and 1, with probabilities `differ` / 2, 1 - `differ` and
    `differ` / 2.

    Parameters
    ----------
    hard : int or HardItems
        The number R of hard items in the gold standard, or its distribution, over which the tail
        is averaged.
    n_kept : int, optional
        Size L of the gold standard; required if `hard` is a number.
    level : float, default 0.95
        Confidence, in (0, 1).
    differ : float, default 0.5
        Share of the hard items to which the classifiers give different answers, in (0, 1]. The
        paper's half means that they are independent; 1 is the worst case.
    method : {"exact", "chebyshev", "normal"}, default "exact"
        Binomial probabilities; Chebyshev's inequality, as in the paper; or the normal
        approximation with correction for continuity.

    Returns
    -------
    ChanceDifference
        With the smallest s for which ``P(|difference| > s) < 1 - level``.

    Raises
    ------
    ValueError
        If a number is out of range, or the method is unknown.

    Notes
    -----
    If R is an upper bound at the same level, the two error probabilities add up: a difference
    beyond s has probability at most 2 (1 - level); with a distribution, at most 1 - level.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 4.1 and footnote 9.

    Examples
    --------
    >>> chance_difference(125, 900, method="chebyshev").n_items  # sqrt(62.5 / 0.05) = 35.4
    35
    >>> chance_difference(125, 900).n_items
    15
    """
    share = check_open_unit("differ", differ) if differ != 1 else 1.0
    check_open_unit("level", level)
    if isinstance(hard, HardItems):
        kept = hard.n_kept
        count, probability = _likely(hard.support, hard.pmf)
    else:
        r = check_integer("hard", hard, minimum=0)
        if n_kept is None:
            raise ValueError("n_kept is missing. Give the size of the gold standard.")
        kept = check_integer("n_kept", n_kept, minimum=1)
        if r > kept:
            raise ValueError(f"hard={r} exceeds n_kept={kept}. Give at most all items.")
        count, probability = np.array([r]), np.ones(1)
    deviation = float(np.sqrt(share * (count @ probability)))
    if method == "exact":
        s, tail = _exact_difference(*_coins(count, probability, share), level)
    elif method == "chebyshev":
        # Where (s + 1)^2 equals the bound up to rounding, the tail is not below 1 - level.
        s = int(np.floor(deviation / np.sqrt(1 - level) * (1 + 1e-12)))
        tail = min(1.0, (deviation / (s + 1)) ** 2)
    elif method == "normal":
        s = max(0, int(np.ceil(deviation * ndtri((1 + level) / 2) - 0.5)))
        tail = float(2 * ndtr(-(s + 0.5) / deviation)) if deviation else 0.0
    else:
        raise ValueError(f"method={method!r} is not one of 'exact', 'chebyshev', 'normal'.")
    rate = s / kept if kept else float("nan")
    return ChanceDifference(s, rate, float(level), method, deviation, tail)


def _likely(support: NDArray[np.int64], pmf: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """Drop values of negligible probability."""
    seen = pmf > NEGLIGIBLE
    return support[seen], pmf[seen]


def _coins(
    count: NDArray[np.int64], probability: FloatArray, share: float
) -> tuple[NDArray[np.int64], FloatArray, int]:
    """Return the distribution of a number of fair coins, and the coins per differing answer."""
    if share == 1:
        return count, probability, 1
    if share == 0.5:  # two coins per item: both heads, differing, both tails
        return 2 * count, probability, 2
    return *_thinned(count, probability, share), 1


def _thinned(
    count: NDArray[np.int64], probability: FloatArray, share: float
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the distribution of the number of hard items on which the classifiers differ."""
    drawn = np.arange(int(count[-1]) + 1)
    log_factorial = gammaln(drawn + 1.0)
    # Values far from the mean of every count have negligible probability.
    margin = 10 * np.sqrt(count[-1] * share * (1 - share)) + 50
    near = (drawn > share * count[0] - margin) & (drawn < share * count[-1] + margin)
    drawn = drawn[near]
    log_odds = drawn * np.log(share) - log_factorial[near]
    total = np.zeros(drawn.size)
    for first in range(0, count.size, ROWS_AT_A_TIME):
        r = count[first : first + ROWS_AT_A_TIME, None]
        rest = r - drawn
        log_pmf = log_factorial[r] + log_odds - log_factorial[rest] + rest * np.log1p(-share)
        rows = np.where(rest >= 0, np.exp(np.where(rest >= 0, log_pmf, -np.inf)), 0.0)
        total += probability[first : first + ROWS_AT_A_TIME] @ rows
    return _likely(drawn, total)


def _exact_difference(
    coins: NDArray[np.int64], probability: FloatArray, scale: int, level: float
) -> tuple[int, float]:
    """Find the smallest s that fair coins exceed with probability below 1 - level."""

    def tail(s: int) -> float:
        # Two-sided: one classifier wins more than (coins + scale * s) / 2 of the coins.
        needed = np.minimum((coins + scale * s) // 2, coins)
        return float(2 * probability @ bdtrc(needed, coins, 0.5))

    low, high = -1, int(coins[-1])
    while high - low > 1:
        s = (low + high) // 2
        low, high = (low, s) if tail(s) < 1 - level else (s, high)
    return high, tail(high)
