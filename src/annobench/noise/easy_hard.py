r"""The easy/hard model of how labels come about: how many agreed items are guesses.

An item is easy or hard. All annotators give an easy item the same label; on a hard item each of
them guesses, independently. So a disagreement is always hard, and an agreement may be a hard
item that was agreed on by chance. With a guess distribution q, J annotators agree on a hard item
with probability::

    p = sum over k of q(k)^J         (two annotators, two categories: q^2 + (1 - q)^2)

Of n items let d be disagreed on. With any number of hard items equally likely beforehand, the
probability that h of the n are hard is (Equation 1)::

    P(h | d) = C(h, d) p^(h - d) / sum over i = d..n of C(i, d) p^(i - d)

A gold standard of the agreed items holds h - d guesses. The *noise bound* is the smallest t for
which P(h - d > t | d) < 1 - level, and the noise rate is t / (n - d). The number of annotators
and categories enters through p alone.

What differs from the paper: the paper gives the prior for 1..n hard items; here 0 is as likely as
the others, which makes no difference once an item is disagreed on. The paper's estimate of p
(footnote 3) is `guess_rate_from_disagreement`; it is never too large and often far too small, and
`fit_guesses` is the estimate to use where p is identified. The bound on a difference between two
classifiers is given exactly beside Chebyshev's inequality.

Reference: Beigman Klebanov and Beigman (2009), Computational Linguistics 35, 495-503.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrc, betainc, gammaln, ndtr, ndtri

from annobench.core.errors import DegenerateWarning

FloatArray = NDArray[np.float64]

#: How far a distribution may be from summing to 1, and shares from what is possible.
ROUNDING: Final = 1e-6
#: Probabilities below this are left out of a sum of millions: they can't change a double.
NEGLIGIBLE: Final = 1e-20
#: Rows of a table of probabilities that are held in memory at a time.
ROWS_AT_A_TIME: Final = 256


# ------------------------------------------------------------------------- chance agreement


def agreement_chance(guess: ArrayLike, n_annotators: int = 2, *, kept: int | None = None) -> float:
    """Compute the probability that guesses on a hard item agree.

    Parameters
    ----------
    guess : float or array_like, shape (K,) or (J, K)
        Distribution of a guess: the probability of one of two categories, in (0, 1); of each
        of K categories; or of each category for each annotator.
    n_annotators : int, default 2
        J, at least 2. With a row an annotator, J is the number of rows.
    kept : int, optional
        How many of the J must give one label for the item to be kept: more than half. By
        default all of them.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If `guess` is no distribution, there are fewer than two annotators, or `kept` is not
        a majority.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 2; with `kept`, the majority label that their
    introduction mentions.

    Examples
    --------
    >>> agreement_chance(0.5), agreement_chance(0.5, 5)  # 2 / 2^2 and 2 / 2^5
    (0.5, 0.0625)
    >>> agreement_chance(0.5, 5, kept=4)  # of 32 outcomes, 2 are 5-0 and 10 are 4-1
    0.375
    """
    rows = _guess_rows(guess, n_annotators)
    n = len(rows)
    if kept is None:
        return float(rows.prod(axis=0).sum())
    if not (isinstance(kept, (int, np.integer)) and n / 2 < kept <= n):
        raise ValueError(
            f"agreement_chance: kept={kept!r} is no majority of {n} annotators. "
            f"Give a whole number from {n // 2 + 1} to {n}."
        )
    return float(sum(_votes(column)[kept:].sum() for column in rows.T))


def _guess_rows(guess: ArrayLike, n_annotators: int) -> FloatArray:
    """Return the guess distribution of each annotator, shape (J, K)."""
    given = np.asarray(guess, dtype=np.float64)
    if given.ndim == 0:
        q = _open_unit("guess", float(given))
        given = np.array([q, 1 - q])
    if given.ndim == 1:
        n = _whole("n_annotators", n_annotators, least=2)
        given = np.tile(given, (n, 1))
    if given.ndim != 2 or given.shape[0] < 2 or given.shape[1] < 2:
        raise ValueError(
            f"guess has shape {given.shape}. Give a probability, one for each of at least two "
            "categories, or such a row for each of at least two annotators."
        )
    _check_distributions("guess", given)
    return given


def _votes(probability: FloatArray) -> FloatArray:
    """Distribution of how many annotators choose a category, each with a probability of its own."""
    votes = np.ones(1)
    for q in probability:
        votes = np.convolve(votes, [1 - q, q])
    return votes


# --------------------------------------------------------- Equation 1: hard among the agreed


@dataclass(frozen=True, eq=False)
class HardItems:
    """The distribution of the number of hard items among those kept for a gold standard.

    Attributes
    ----------
    n_items : int
        n, at least 1.
    n_disagreed : int
        d, from 0 to n.
    chance : float
        p, the probability that annotators agree on a hard item, in (0, 1).
    n_split_kept : int
        How many of the d disagreed items are kept all the same, by their majority. All of them
        are hard.
    pmf : ndarray, shape (n - d + 1,)
        ``[j]``: probability that j of the agreed items are hard; sums to 1.
    """

    n_items: int
    n_disagreed: int
    chance: float
    n_split_kept: int
    pmf: FloatArray

    @property
    def n_agreed(self) -> int:
        """Return the number of items that all annotators agree on.

        Returns
        -------
        int
            n - d.
        """
        return self.n_items - self.n_disagreed

    @property
    def n_kept(self) -> int:
        """Return the size of the gold standard.

        Returns
        -------
        int
            The agreed items and those kept by their majority.
        """
        return self.n_agreed + self.n_split_kept

    @property
    def support(self) -> NDArray[np.int64]:
        """Return the numbers of hard items among the kept that have a probability.

        Returns
        -------
        ndarray, shape (n - d + 1,)
            Goes with `pmf`.
        """
        return self.n_split_kept + np.arange(self.n_agreed + 1)

    @property
    def mean(self) -> float:
        """Return the expected number of hard items among the kept.

        Returns
        -------
        float
            From `n_split_kept` to `n_kept`.
        """
        return float(self.support @ self.pmf)

    @property
    def standard_deviation(self) -> float:
        """Return the standard deviation of the number of hard items among the kept.

        Returns
        -------
        float
            At least 0.
        """
        return float(np.sqrt((self.support - self.mean) ** 2 @ self.pmf))

    @cached_property
    def _exceeding(self) -> FloatArray:
        """P(more than j agreed items are hard) for j = 0..n - d, summed from the small end."""
        tail = np.cumsum(self.pmf[:0:-1])[::-1]
        return np.append(np.minimum(tail, 1), 0.0)

    def tail(self, t: ArrayLike) -> Any:
        """Compute the probability that more than t of the kept items are hard.

        Parameters
        ----------
        t : int or array_like of int
            Numbers of items.

        Returns
        -------
        float or ndarray
            P(hard > t), of the shape of `t`.
        """
        j = np.asarray(t, dtype=np.int64) - self.n_split_kept
        found = np.where(j < 0, 1.0, self._exceeding[np.clip(j, 0, self.n_agreed)])
        return found if found.ndim else float(found)

    def upper(self, level: float = 0.95) -> int:
        """Bound the number of hard items among the kept.

        Parameters
        ----------
        level : float, default 0.95
            Confidence, in (0, 1).

        Returns
        -------
        int
            The smallest t with P(hard > t) < 1 - level.

        Raises
        ------
        ValueError
            If the level is not in (0, 1).
        """
        _open_unit("level", level)
        return self.n_split_kept + int(np.count_nonzero(self._exceeding >= 1 - level))

    def rate(self, level: float = 0.95) -> float:
        """Bound the share of hard items among the kept: the noise rate of the gold standard.

        Parameters
        ----------
        level : float, default 0.95
            Confidence, in (0, 1).

        Returns
        -------
        float
            In [0, 1]; NaN where no item is kept.

        Raises
        ------
        ValueError
            If the level is not in (0, 1).
        """
        t = self.upper(level)
        return t / self.n_kept if self.n_kept else float("nan")

    def interval(self, level: float = 0.95) -> tuple[int, int]:
        """Return an interval of the number of hard items with equal tails.

        Parameters
        ----------
        level : float, default 0.95
            Its probability is at least this, in (0, 1).

        Returns
        -------
        tuple of int
            Its ends, both included.

        Raises
        ------
        ValueError
            If the level is not in (0, 1).
        """
        _open_unit("level", level)
        outside = (1 - level) / 2
        low = int(np.count_nonzero(np.cumsum(self.pmf) <= outside))
        high = int(np.count_nonzero(self._exceeding > outside))
        return self.n_split_kept + low, self.n_split_kept + high


def hard_given_agreed(
    n_items: int,
    n_disagreed: int,
    chance: float,
    *,
    n_split_kept: int = 0,
    prior: ArrayLike | None = None,
) -> HardItems:
    """Compute how many items of a gold standard are hard, given the disagreements (Equation 1).

    Parameters
    ----------
    n_items : int
        n, at least 1.
    n_disagreed : int
        d, the items on which annotators disagree, from 0 to n.
    chance : float
        p, the probability that annotators agree on a hard item, in (0, 1); see
        `agreement_chance`.
    n_split_kept : int, default 0
        How many of the disagreed items go into the gold standard by their majority.
    prior : array_like, shape (n + 1,), optional
        Weights of 0..n hard items. By default all are equal. The paper gives equal weights to
        1..n, which makes a difference only if d = 0.

    Returns
    -------
    HardItems
        The distribution of the number of hard items among the kept, with its `tail`, `upper`
        bound and noise `rate`.

    Raises
    ------
    ValueError
        If a number is out of its range, or the prior has no weight on d..n.

    Notes
    -----
    Time and memory linear in n: 100,000 items take some hundredths of a second. The weights
    are built up in logs outwards from the largest, so that rounding is least where the
    probability is.

    Without an end of items, with equal weights, P(hard > t) of all n is the probability that
    t + 1 guessed items bring at most d disagreements: the tail of a binomial test. So the
    bound is a confidence bound too, which holds at any number of hard items (`bound_coverage`),
    but for a few next to n.

    References
    ----------
    Beigman Klebanov and Beigman (2009), Equation 1 and footnote 5.

    Examples
    --------
    >>> hard_given_agreed(2, 1, 0.5).pmf  # C(1, 1) : C(2, 1) / 2 = 1 : 1
    array([0.5, 0.5])
    >>> hard_given_agreed(1000, 100, 0.5).upper(0.95)
    125
    """
    n = _whole("n_items", n_items, least=1)
    d = _whole("n_disagreed", n_disagreed, least=0)
    if d > n:
        raise ValueError(f"n_disagreed={d} exceeds n_items={n}. Give d from 0 to n.")
    split = _whole("n_split_kept", n_split_kept, least=0)
    if split > d:
        raise ValueError(
            f"n_split_kept={split} exceeds n_disagreed={d}. Only disagreed items can be split."
        )
    log_weight = _log_weights(n - d, d, _open_unit("chance", chance))
    if prior is not None:
        log_weight = log_weight + _log_prior(prior, n)[d:]
        if not np.isfinite(log_weight.max()):
            raise ValueError(
                f"prior has no weight on {d}..{n} hard items, though {d} are disagreed on. "
                "Give some weight to what was seen."
            )
    pmf = np.exp(log_weight - log_weight.max())
    pmf /= pmf.sum()
    pmf.flags.writeable = False
    return HardItems(n, d, float(chance), split, pmf)


def _log_weights(n_agreed: int, n_disagreed: int, chance: float) -> FloatArray:
    """Log of C(d + j, d) p^j for j = 0..n - d, less its largest."""
    steps = np.log(chance) + np.log1p(n_disagreed / np.arange(1, n_agreed + 1))
    mode = int(np.count_nonzero(steps > 0))  # the steps fall, so the weights have one peak
    before = -np.cumsum(steps[:mode][::-1])[::-1]
    return np.concatenate([before, [0.0], np.cumsum(steps[mode:])])


def _log_prior(prior: ArrayLike, n_items: int) -> FloatArray:
    weights = np.asarray(prior, dtype=np.float64)
    if weights.shape != (n_items + 1,) or not np.isfinite(weights).all() or weights.min() < 0:
        raise ValueError(
            f"prior has shape {weights.shape}. Give {n_items + 1} weights, none negative, one "
            f"for each number of hard items from 0 to {n_items}."
        )
    with np.errstate(divide="ignore"):
        return np.log(weights)


@dataclass(frozen=True)
class NoiseBound:
    """How many items of a gold standard may be guesses.

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
        How many of the disagreed items go into the gold standard by their majority.
    prior : array_like, shape (n + 1,), optional
        Weights of 0..n hard items; by default all are equal.

    Returns
    -------
    NoiseBound
        The smallest t with P(hard > t) < 1 - level, and the noise rate.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Notes
    -----
    The bound grows with `chance`: where only a range of it is known, its upper end is the worst
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
    """Compute how often the noise bound holds at a fixed number of hard items.

    Parameters
    ----------
    n_items : int
        n, at least 1.
    n_hard : int
        Hard items among them, from 0 to n.
    chance : float
        The true p, in (0, 1).
    assumed : float, optional
        The p that the bound is computed with, in (0, 1); by default the true one.
    level : float, default 0.95
        Confidence, in (0, 1).

    Returns
    -------
    float
        Probability, over the disagreements, that the bound is not exceeded; exact.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Notes
    -----
    O(n) a number of disagreements that has a probability above rounding.

    References
    ----------
    Not in Beigman Klebanov and Beigman (2009), who average over the number of hard items.

    Examples
    --------
    >>> bound_coverage(1000, 200, 0.5) > 0.95, bound_coverage(1000, 200, 0.82, assumed=0.5) < 1e-9
    (True, True)
    """
    n = _whole("n_items", n_items, least=1)
    h = _whole("n_hard", n_hard, least=0)
    if h > n:
        raise ValueError(f"n_hard={h} exceeds n_items={n}. Give at most all items.")
    p = _open_unit("chance", chance)
    believed = p if assumed is None else _open_unit("assumed", assumed)
    disagreed = np.arange(h + 1)
    log_choose = gammaln(h + 1) - gammaln(disagreed + 1) - gammaln(h - disagreed + 1)
    log_pmf = log_choose + disagreed * np.log1p(-p) + (h - disagreed) * np.log(p)
    total = 0.0
    for d in np.flatnonzero(log_pmf > np.log(NEGLIGIBLE)):
        if h - d <= noise_bound(n, int(d), believed, level=level).n_hard:
            total += float(np.exp(log_pmf[d]))
    return min(total, 1.0)


def largest_disagreement(
    n_items: int, chance: float, *, rate: float = 0.05, level: float = 0.95
) -> int:
    """Find how many disagreements leave the agreed items clean enough.

    Parameters
    ----------
    n_items : int
        n, at least 1.
    chance : float
        p, the probability that annotators agree on a hard item, in (0, 1).
    rate : float, default 0.05
        The noise rate that is tolerated, in (0, 1).
    level : float, default 0.95
        Confidence, in (0, 1).

    Returns
    -------
    int
        The largest d for which 0..d disagreements all leave a noise rate of at most `rate`; -1
        if even d = 0 leaves more.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Notes
    -----
    Almost O(n). Noise grows with d until hardly an item is left; then it may fall and rise, since
    no more items can be hard than there are.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 3.1.

    Examples
    --------
    >>> largest_disagreement(1000, 0.5)
    33
    """
    n = _whole("n_items", n_items, least=1)
    _open_unit("rate", rate)
    _open_unit("level", level)
    _open_unit("chance", chance)
    low, high = -1, n
    while high - low > 1:
        d = (low + high) // 2
        # Were there no end of items, the posterior would be negative binomial. Its tail exceeds
        # that of n items, so that what passes here passes below.
        tail = betainc(np.floor(rate * (n - d)) + 1, d + 1, chance)
        low, high = (d, high) if tail < 1 - level else (low, d)
    while low + 1 < n and noise_bound(n, low + 1, chance, level=level).rate <= rate:
        low += 1
    return low


# ----------------------------------------------------------- two classifiers on noisy labels


@dataclass(frozen=True)
class ChanceDifference:
    """A difference between two classifiers that guesses in the gold standard can explain.

    Attributes
    ----------
    n_items : int
        The largest difference in correct answers that is still explained.
    rate : float
        `n_items` as a share of the gold standard, in [0, 1].
    level : float
        Confidence, in (0, 1).
    method : {"exact", "chebyshev", "normal"}
        How the tail was bounded.
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
    """Bound the difference between two classifiers that comes from guessed labels alone.

    Both are equally good on easy items. On a hard item the label is a fair coin flip, so where
    they differ, each is right with probability one half. The difference in correct answers is a
    sum over the hard items of -1, 0 and 1, with probabilities `differ` / 2, 1 - `differ` and
    `differ` / 2.

    Parameters
    ----------
    hard : int or HardItems
        The number R of hard items in the gold standard, or its distribution, over which is
        then averaged.
    n_kept : int, optional
        Size L of the gold standard; needed with a number, known from a distribution.
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
        With the smallest s for which P(|difference| > s) < 1 - level.

    Raises
    ------
    ValueError
        If a number is out of its range, or the method has another name.

    Notes
    -----
    With a number R at its upper bound the two errors add up: a difference beyond s has at most
    probability 2 (1 - level). With a distribution it has at most 1 - level.

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
    share = _open_unit("differ", differ) if differ != 1 else 1.0
    _open_unit("level", level)
    if isinstance(hard, HardItems):
        kept = hard.n_kept
        count, probability = _likely(hard.support, hard.pmf)
    else:
        r = _whole("hard", hard, least=0)
        if n_kept is None:
            raise ValueError("n_kept is missing. Give the size of the gold standard.")
        kept = _whole("n_kept", n_kept, least=1)
        if r > kept:
            raise ValueError(f"hard={r} exceeds n_kept={kept}. Give at most all items.")
        count, probability = np.array([r]), np.ones(1)
    deviation = float(np.sqrt(share * (count @ probability)))
    if method == "exact":
        s, tail = _exact_difference(*_coins(count, probability, share), level)
    elif method == "chebyshev":
        # Where (s + 1)^2 equals the bound but for rounding, the tail is not below 1 - level.
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
    """Leave out what has no probability to speak of."""
    seen = pmf > NEGLIGIBLE
    return support[seen], pmf[seen]


def _coins(
    count: NDArray[np.int64], probability: FloatArray, share: float
) -> tuple[NDArray[np.int64], FloatArray, int]:
    """Distribution of a number of fair coins, and how many make a difference of one answer.

    The difference between the classifiers is that of heads and tails, over the number returned.
    """
    if share == 1:
        return count, probability, 1
    if share == 0.5:  # two coins an item: both heads, differing, both tails
        return 2 * count, probability, 2
    return *_thinned(count, probability, share), 1


def _thinned(
    count: NDArray[np.int64], probability: FloatArray, share: float
) -> tuple[NDArray[np.int64], FloatArray]:
    """Distribution of how many of the hard items the classifiers differ on."""
    drawn = np.arange(int(count[-1]) + 1)
    log_factorial = gammaln(drawn + 1.0)
    # Far from the mean of every count nothing has any probability, and is not computed.
    reach = 10 * np.sqrt(count[-1] * share * (1 - share)) + 50
    near = (drawn > share * count[0] - reach) & (drawn < share * count[-1] + reach)
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
    """Find the smallest s for which fair coins differ by more than s seldom enough."""

    def tail(s: int) -> float:
        # One side wins more than (coins + scale * s) / 2 of the coins; either of the two may.
        needed = np.minimum((coins + scale * s) // 2, coins)
        return float(2 * probability @ bdtrc(needed, coins, 0.5))

    low, high = -1, int(coins[-1])
    while high - low > 1:
        s = (low + high) // 2
        low, high = (low, s) if tail(s) < 1 - level else (s, high)
    return high, tail(high)


# ------------------------------------------------------- how the chance of agreement is had


@dataclass(frozen=True)
class GuessRate:
    """The paper's estimate of the chance of agreement, and what the same shares allow.

    Attributes
    ----------
    chance : float
        Footnote 3's estimate of p.
    least_chance : float
        The smallest true p that gives these shares with two annotators and two categories; NaN
        otherwise.
    identified : bool
        Whether the shares determine p at all, by another estimate: see `fit_guesses`.
    """

    chance: float
    least_chance: float
    identified: bool


def guess_rate_from_disagreement(shares: ArrayLike) -> GuessRate:
    """Estimate the chance of agreement from the disagreed items alone, as footnote 3 does.

    The shares of the labels that each annotator gave to the disagreed items are taken for the
    distributions of guesses. They are not: an item on which a guess met its like was agreed on,
    and is missing.

    Parameters
    ----------
    shares : array_like, shape (J,) or (J, K)
        For each annotator, the share of one of two categories among the labels of disagreed
        items, or of every category.

    Returns
    -------
    GuessRate
        `chance` is the sum over categories of the product over annotators.

    Raises
    ------
    ValueError
        If the shares are no distributions, there are fewer than two annotators, or the shares
        can't come from disagreed items.

    Notes
    -----
    Two annotators and two categories: where one says 1 the other says 0, so the shares are q
    and 1 - q, and the estimate is 2q(1 - q), at most one half. With odds o = q / (1 - q), the
    true guesses have this ratio of odds between them, and no more is known: p is at least
    2 sqrt(o) / (1 + sqrt(o))^2, which exceeds the estimate 2o / (1 + o)^2 unless o = 1; and it
    may come as near to 1 as one likes. So the estimate is never above the truth, and equals it
    for two fair coins only.

    References
    ----------
    Beigman Klebanov and Beigman (2009), footnote 3.

    Examples
    --------
    >>> found = guess_rate_from_disagreement([0.8, 0.2])  # o = 4: 8 / 25 and 4 / 9
    >>> round(found.chance, 4), round(found.least_chance, 4), found.identified
    (0.32, 0.4444, False)
    """
    rows = _share_rows(shares)
    chance = float(rows.prod(axis=0).sum())
    if rows.shape != (2, 2):
        return GuessRate(chance, float("nan"), True)
    root = np.sqrt(rows[0, 0] * rows[0, 1])  # sqrt(o) / (1 + o)
    return GuessRate(chance, float(2 * root / (1 + 2 * root)), False)


def disagreed_shares(guess: ArrayLike, n_annotators: int = 2) -> FloatArray:
    """Compute the shares of labels that guesses leave among the disagreed items.

    Parameters
    ----------
    guess : float or array_like, shape (K,) or (J, K)
        Distribution of a guess, as for `agreement_chance`.
    n_annotators : int, default 2
        J, at least 2. With a row an annotator, J is the number of rows.

    Returns
    -------
    ndarray, shape (J, K)
        ``[j, k]``: probability that annotator j gave k, if not all annotators agreed.

    Raises
    ------
    ValueError
        If `guess` is no distribution, or guesses never differ.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 2 and footnote 3.

    Examples
    --------
    >>> disagreed_shares(0.9)[0], disagreed_shares(0.75, 3)[0].round(4)  # (1 + q) / 3
    (array([0.5, 0.5]), array([0.5833, 0.4167]))
    """
    rows = _guess_rows(guess, n_annotators)
    alike = rows.prod(axis=0)
    if alike.sum() >= 1:
        raise ValueError("guess: all annotators always guess the same, and never disagree.")
    found: FloatArray = (rows - alike) / (1 - alike.sum())
    return found


@dataclass(frozen=True, eq=False)
class GuessFit:
    """Guess distributions fitted to the labels of disagreed items.

    Attributes
    ----------
    guess : ndarray, shape (J, K)
        ``[j, k]``: probability that annotator j guesses k; rows sum to 1.
    chance : float
        Probability that all agree on a hard item, in [0, 1].
    converged : bool
        Whether the iterations came to rest.
    n_iterations : int
        How many there were.
    """

    guess: FloatArray
    chance: float
    converged: bool
    n_iterations: int


def fit_guesses(
    shares: ArrayLike,
    *,
    shared: bool = False,
    tolerance: float = 1e-12,
    max_iterations: int = 100_000,
) -> GuessFit:
    """Fit guess distributions to disagreed items, knowing that the agreed ones are missing.

    Maximum likelihood of independent guesses given that they were not all alike. It solves
    ``guess[j, k] - a(k) = shares[j, k] (1 - chance)``, with a(k) the product of
    ``guess[j, k]`` over annotators, and chance the sum of a(k).

    Parameters
    ----------
    shares : array_like, shape (J,) or (J, K)
        For each annotator, the share of one of two categories among the labels of disagreed
        items, or of every category. Every annotator labelled every item.
    shared : bool, default False
        Whether all annotators guess alike.
    tolerance : float, default 1e-12
        Largest change of a probability at which the iterations end.
    max_iterations : int, default 100000
        How many there are at most.

    Returns
    -------
    GuessFit
        The guesses and the chance of agreement.

    Raises
    ------
    ValueError
        If the shares are no distributions or can't come from disagreed items, or the guesses
        are not identified: two annotators and two categories, or two that guess alike.

    Warns
    -----
    DegenerateWarning
        If the iterations did not come to rest, as where the likelihood grows towards a chance
        of 1.

    Notes
    -----
    EM: the unseen agreements are filled in from the current guesses. Two annotators and at
    least three categories are enough, for the table of their labels off the diagonal is then
    that of quasi-independence.

    References
    ----------
    The model is that of Beigman Klebanov and Beigman (2009), section 2; the estimate replaces
    their footnote 3.

    Examples
    --------
    >>> fit = fit_guesses([7 / 12, 7 / 12, 7 / 12], shared=True)  # three: shares (1 + q) / 3
    >>> round(float(fit.guess[0, 0]), 6), round(fit.chance, 6)  # 27 / 64 + 1 / 64
    (0.75, 0.4375)
    """
    rows = _share_rows(shares)
    n_annotators, n_categories = rows.shape
    if n_annotators == 2 and (shared or n_categories == 2):
        raise ValueError(
            f"fit_guesses: the disagreements of two annotators on {n_categories} categories do "
            f"not determine {'a guess that they share' if shared else 'their guesses'}. Take a "
            "third annotator, or give the chance of agreement, or a range of it, yourself."
        )
    if shared:
        rows = np.tile(rows.mean(axis=0), (n_annotators, 1))
    guess, converged, n = rows.copy(), False, 0
    while not converged and n < max_iterations:
        alike = guess.prod(axis=0)
        better = rows * (1 - alike.sum()) + alike
        converged = bool(np.abs(better - guess).max() < tolerance)
        guess, n = better, n + 1
    if not converged:
        warnings.warn(
            f"fit_guesses: no rest after {n} iterations; the chance of agreement is now "
            f"{guess.prod(axis=0).sum():.6f}. The disagreed items may be as one-sided as they "
            "can be, and then determine no chance below 1.",
            DegenerateWarning,
            stacklevel=2,
        )
    guess.flags.writeable = False
    return GuessFit(guess, float(guess.prod(axis=0).sum()), converged, n)


def _share_rows(shares: ArrayLike) -> FloatArray:
    """Return the shares of every category for each annotator, shape (J, K)."""
    given = np.asarray(shares, dtype=np.float64)
    if given.ndim == 1:
        given = np.column_stack([given, 1 - given])
    if given.ndim != 2 or given.shape[0] < 2 or given.shape[1] < 2:
        raise ValueError(
            f"shares has shape {given.shape}. Give one share, or one for each of at least two "
            "categories, for each of at least two annotators."
        )
    _check_distributions("shares", given)
    most = given.sum(axis=0).max()
    if most > len(given) - 1 + ROUNDING:
        raise ValueError(
            f"shares of one category sum to {most:.6g} over {len(given)} annotators. On a "
            f"disagreed item at most {len(given) - 1} of them give one label: count the labels "
            "of disagreed items alone."
        )
    return given


# ----------------------------------------------------------- what kappa says of the easy items


@dataclass(frozen=True)
class ExpectedKappa:
    """Agreement that the easy/hard model leads one to expect, beside the noise.

    Attributes
    ----------
    kappa : float
        Fleiss' kappa (of Siegel and Castellan), of expected proportions; at most 1, NaN where
        there is one category only.
    observed_agreement, expected_agreement : float
        Of pairs of annotators, in [0, 1].
    noise : float
        Share of hard items among those that all annotators agree on, in [0, 1].
    """

    kappa: float
    observed_agreement: float
    expected_agreement: float
    noise: float


def expected_kappa(
    easy_share: float, easy: ArrayLike, guess: ArrayLike, n_annotators: int = 2
) -> ExpectedKappa:
    """Compute Fleiss' kappa and the noise of a mixture of easy and hard items.

    Parameters
    ----------
    easy_share : float
        Share of easy items, in [0, 1].
    easy : float or array_like, shape (K,)
        Prevalence of one of two categories, or of each, among the easy items.
    guess : float or array_like, shape (K,)
        Distribution of a guess on a hard item, the same for all annotators.
    n_annotators : int, default 2
        J, at least 2. The noise depends on it; kappa does not.

    Returns
    -------
    ExpectedKappa
        Kappa and noise. Where easy and hard items have one distribution of categories, kappa
        is the share of easy items; otherwise it may lie far from it, on either side.

    Raises
    ------
    ValueError
        If a share is outside [0, 1], or the distributions are none or differ in length.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 3.3.

    Examples
    --------
    >>> found = expected_kappa(0.8, 0.5, 0.5)
    >>> round(found.kappa, 4), round(found.noise, 4)  # 0.1 of 0.9 agreed items are hard
    (0.8, 0.1111)
    """
    share = float(easy_share)
    if not 0 <= share <= 1:
        raise ValueError(f"easy_share={share} is not in [0, 1]. Give a share of the items.")
    prevalence = np.asarray(easy, dtype=np.float64)
    if prevalence.ndim == 0:
        prevalence = np.array([prevalence, 1 - prevalence])
    _check_distributions("easy", prevalence[None])
    rows = _guess_rows(guess, n_annotators)
    if rows.shape[1] != prevalence.size or np.ptp(rows, axis=0).max() > 0:
        raise ValueError(
            f"guess has {rows.shape[1]} categories and easy has {prevalence.size}. Give both for "
            "the same categories, and one guess for all annotators."
        )
    marginal = share * prevalence + (1 - share) * rows[0]
    observed = share + (1 - share) * float(rows[0] @ rows[0])
    expected = float(marginal @ marginal)
    agreed = (1 - share) * agreement_chance(rows)
    return ExpectedKappa(
        kappa=(observed - expected) / (1 - expected) if expected < 1 else float("nan"),
        observed_agreement=observed,
        expected_agreement=expected,
        noise=agreed / (share + agreed) if share + agreed else float("nan"),
    )


# --------------------------------------------------------------------------- what is refused


def _open_unit(name: str, value: float) -> float:
    if not 0 < value < 1:
        raise ValueError(f"{name}={value} is not between 0 and 1. Give a number in (0, 1).")
    return float(value)


def _whole(name: str, value: Any, *, least: int) -> int:
    if isinstance(value, bool) or value != value or int(value) != value or value < least:
        raise ValueError(f"{name}={value!r}: give a whole number of at least {least}.")
    return int(cast(int, value))


def _check_distributions(name: str, rows: FloatArray) -> None:
    total = rows.sum(axis=1)
    if not (rows.min() >= 0 and np.abs(total - 1).max() <= ROUNDING):
        worst = int(np.argmax(np.where(np.isfinite(total), np.abs(total - 1), np.inf)))
        raise ValueError(
            f"{name}: row {worst} is {rows[worst].tolist()}, no distribution. Give numbers from "
            "0 to 1 that sum to 1."
        )
