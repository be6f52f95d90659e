"""Power of the noise certificate, and numbers of annotators and items needed.

All functions assume the easy/hard model with a given guess distribution and the same number of
labels for each item. An item is hard with probability `hard`, and then disagreed on with
probability 1 - chance: the number of disagreements is binomial and determines the certificate, so
that power is a binomial probability, computed exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import pandas as pd
from scipy import stats

from annobench.core.errors import AnnotationError
from annobench.noise import easy_hard
from annobench.noise._guessing import Guess, given
from annobench.noise.certificate import (
    DIFFER,
    Systems,
    hidden_guesses,
    unexplained_difference,
)

__all__ = [
    "annotators_needed",
    "certification_power",
    "items_needed",
    "items_to_tell_apart",
    "plan",
]

#: Limits of the search.
_MAX_ANNOTATORS = 1_000
_MAX_ITEMS = 10_000_000


def certification_power(
    n_items: int,
    n_annotators: int,
    hard: float,
    *,
    rate: float = 0.05,
    guess_distribution: Guess = 0.5,
    n_categories: int = 2,
    level: float = 0.95,
) -> float:
    """Compute the probability that the unanimous items will be certified.

    Parameters
    ----------
    n_items : int
        Items to be labelled, at least 1.
    n_annotators : int
        Labels per item, at least 2.
    hard : float
        Share of hard items, in (0, 1).
    rate : float, default 0.05
        Largest share of guesses among the retained labels to be certified, in (0, 1).
    guess_distribution : float or sequence of float, default 0.5
        As in `noise.certificate`; for a range the worst case.
    n_categories : int, default 2
        K.
    level : float, default 0.95
        Confidence level of the certificate.

    Returns
    -------
    float
        Probability that the certified rate is at most `rate` and some item is retained.

    Raises
    ------
    AnnotationError
        If an argument is out of range.

    Examples
    --------
    With two annotators and 1,000 items, at most 32 disagreements certify 5% (section 3.1).

    >>> round(certification_power(1000, 2, 0.05), 2)
    0.95
    """
    _check(n_items, n_annotators, hard, rate, level)
    chance = _chance(guess_distribution, n_annotators, n_categories)
    largest = _largest_disagreement(n_items, chance, rate, level)
    return float(stats.binom.cdf(largest, n_items, hard * (1 - chance)))


def _chance(guess_distribution: Guess, n_annotators: int, n_categories: int) -> float:
    return given(guess_distribution, [n_annotators], n_categories, "plan").chance


def _largest_disagreement(n_items: int, chance: float, rate: float, level: float) -> int:
    """Return the largest number of disagreements up to which the rate is certified, or -1."""
    low, high = -1, n_items
    while high - low > 1:
        d = (low + high) // 2
        good = hidden_guesses(d, chance, 1 - level) <= rate * (n_items - d)
        low, high = (d, high) if good else (low, d)
    return low


def annotators_needed(
    n_items: int,
    hard: float,
    *,
    rate: float = 0.05,
    power: float = 0.8,
    guess_distribution: Guess = 0.5,
    n_categories: int = 2,
    level: float = 0.95,
) -> int:
    """Find the number of annotators needed to certify the unanimous items.

    Parameters
    ----------
    n_items : int
        Items to be labelled, at least 1.
    hard : float
        Share of hard items, in (0, 1).
    rate : float, default 0.05
        Share of guesses to be certified, in (0, 1).
    power : float, default 0.8
        Required probability of certification, in (0, 1).
    guess_distribution, n_categories, level
        As in `certification_power`.

    Returns
    -------
    int
        The smallest sufficient number, at least 2.

    Raises
    ------
    AnnotationError
        If an argument is out of range, or no number of annotators suffices.

    Examples
    --------
    >>> annotators_needed(1000, 0.2)
    4
    """
    _check(n_items, 2, hard, rate, level, power)
    for n in range(2, _MAX_ANNOTATORS + 1):
        reached = certification_power(
            n_items,
            n,
            hard,
            rate=rate,
            guess_distribution=guess_distribution,
            n_categories=n_categories,
            level=level,
        )
        if reached >= power:
            return n
        if _chance(guess_distribution, n, n_categories) < 1e-12:
            break
    raise AnnotationError(
        f"annotators_needed: no number of annotators certifies {rate:g} of {n_items:,} items with "
        f"{hard:g} hard ones in {power:g} of cases. Use more items, or a larger rate."
    )


def items_needed(
    n_annotators: int,
    hard: float,
    *,
    rate: float = 0.05,
    power: float = 0.8,
    guess_distribution: Guess = 0.5,
    n_categories: int = 2,
    level: float = 0.95,
) -> int:
    """Find the number of items needed to certify the unanimous items.

    Parameters
    ----------
    n_annotators : int
        Labels per item, at least 2.
    hard : float
        Share of hard items, in (0, 1).
    rate : float, default 0.05
        Share of guesses to be certified, in (0, 1).
    power : float, default 0.8
        Required probability of certification, in (0, 1).
    guess_distribution, n_categories, level
        As in `certification_power`.

    Returns
    -------
    int
        A sufficient number for which one item fewer is not sufficient. Power is a sawtooth function
        of the number of items, so some smaller numbers may also suffice.

    Raises
    ------
    AnnotationError
        If an argument is out of range, or the expected share of guesses exceeds `rate`.

    Examples
    --------
    >>> n = items_needed(3, 0.1)
    >>> certification_power(n, 3, 0.1) >= 0.8 > certification_power(n - 1, 3, 0.1)
    True
    """
    _check(1, n_annotators, hard, rate, level, power)
    chance = _chance(guess_distribution, n_annotators, n_categories)
    expected = hard * chance / (1 - hard * (1 - chance))

    def reached(n: int) -> bool:
        largest = _largest_disagreement(n, chance, rate, level)
        return bool(stats.binom.cdf(largest, n, hard * (1 - chance)) >= power)

    high = 2
    while expected < rate and high < _MAX_ITEMS and not reached(high):
        high *= 2
    if expected >= rate or high >= _MAX_ITEMS:
        raise AnnotationError(
            f"items_needed: of the items on which {n_annotators} annotators agree, {expected:.3g} "
            f"are expected to be guesses, and the rate to be certified is {rate:g}. Use more "
            "annotators, or a larger rate."
        )
    low = high // 2 if high > 2 else 0
    while high - low > 1:
        n = (low + high) // 2
        low, high = (low, n) if reached(n) else (n, high)
    return high


def plan(
    n_items: int,
    hard: float,
    *,
    annotators: Iterable[int] = range(2, 11),
    rate: float = 0.05,
    guess_distribution: Guess = 0.5,
    n_categories: int = 2,
    level: float = 0.95,
    systems: Systems = "independent",
) -> pd.DataFrame:
    """Tabulate certificate and power by number of annotators.

    Parameters
    ----------
    n_items : int
        Items to be labelled, at least 1.
    hard : float
        Share of hard items, in (0, 1).
    annotators : iterable of int, default 2 to 10
        Numbers of labels per item.
    rate : float, default 0.05
        Share of guesses to be certified, in (0, 1).
    guess_distribution, n_categories, level
        As in `certification_power`.
    systems : {"any", "opposed", "independent"}, default "independent"
        As in `Certificate.smallest_difference`.

    Returns
    -------
    DataFrame
        A row for each number: annotators, chance (that the guesses on a hard item agree), retained
        (expected number of unanimous items), guesses (expected number among them), certified (rate
        at the median number of disagreements), power (to certify `rate`), difference (the smallest
        number of items that guesses can't explain, at that median) and difference_share (of the
        retained items).

    Raises
    ------
    AnnotationError
        If an argument is out of range.

    Examples
    --------
    >>> plan(1000, 0.2, annotators=[2, 3])[["annotators", "retained", "guesses"]].values.tolist()
    [[2.0, 900.0, 100.0], [3.0, 850.0, 50.0]]
    """
    rows = []
    for n in annotators:
        _check(n_items, n, hard, rate, level)
        chance = _chance(guess_distribution, n, n_categories)
        disagreed = int(stats.binom.median(n_items, hard * (1 - chance)))
        retained = n_items - disagreed
        upper, upper_half = (
            min(hidden_guesses(disagreed, chance, alpha), retained)
            for alpha in (1 - level, (1 - level) / 2)
        )
        difference = unexplained_difference(upper, upper_half, level, systems)
        rows.append(
            {
                "annotators": n,
                "chance": chance,
                "retained": n_items * (1 - hard * (1 - chance)),
                "guesses": n_items * hard * chance,
                "certified": upper / retained if retained else math.nan,
                "power": certification_power(
                    n_items,
                    n,
                    hard,
                    rate=rate,
                    guess_distribution=guess_distribution,
                    n_categories=n_categories,
                    level=level,
                ),
                "difference": difference,
                "difference_share": difference / retained if retained else math.nan,
            }
        )
    return pd.DataFrame(rows)


def items_to_tell_apart(
    n_annotators: int,
    hard: float,
    difference: float,
    *,
    guess_distribution: Guess = 0.5,
    n_categories: int = 2,
    level: float = 0.95,
    power: float = 0.8,
    systems: Systems = "independent",
) -> int:
    """Find the number of items needed to distinguish a difference of two systems from guesses.

    Parameters
    ----------
    n_annotators : int
        Labels per item, at least 2.
    hard : float
        Share of hard items, in (0, 1).
    difference : float
        Difference of the two systems' accuracies on the easy items, in (0, 1).
    guess_distribution, n_categories, level
        As in `certification_power`.
    power : float, default 0.8
        Required probability of an observed difference that guesses can't explain.
    systems : {"any", "opposed", "independent"}, default "independent"
        As in `Certificate.smallest_difference`.

    Returns
    -------
    int
        A sufficient number, found by doubling and bisection.

    Raises
    ------
    AnnotationError
        If an argument is out of range, or no number of items suffices.

    Notes
    -----
    The better system is ahead by exactly `difference` of the easy items; guesses add a random
    difference. Half of 1 - power goes to the number of disagreements, taken at its upper quantile,
    and half to the difference by guesses, so that the result is conservative.

    Examples
    --------
    >>> items_to_tell_apart(2, 0.2, 0.05) > items_to_tell_apart(3, 0.2, 0.05)
    True
    """
    _check(1, n_annotators, hard, difference, level, power)
    chance = _chance(guess_distribution, n_annotators, n_categories)
    beta = (1 - power) / 2

    def reached(n: int) -> bool:
        disagreed = int(stats.binom.isf(beta, n, hard * (1 - chance)))
        retained = n - disagreed
        upper, upper_half = (
            min(hidden_guesses(disagreed, chance, alpha), retained)
            for alpha in (1 - level, (1 - level) / 2)
        )
        needed = unexplained_difference(upper, upper_half, level, systems)
        hidden = int(stats.binom.isf(beta / 2, n, hard * chance))
        against = hidden if systems == "any" else _setback(hidden, systems, beta / 2)
        easy = max(0, retained - hidden)
        return difference * easy - against >= needed

    high = 4
    while high < _MAX_ITEMS and not reached(high):
        high *= 2
    if high >= _MAX_ITEMS:
        raise AnnotationError(
            f"items_to_tell_apart: no number of items up to {_MAX_ITEMS:,} distinguishes a "
            f"difference of {difference:g} from guesses. Use more annotators."
        )
    low = high // 2
    while high - low > 1:
        n = (low + high) // 2
        low, high = (low, n) if reached(n) else (n, high)
    return high


def _setback(n_guesses: int, systems: Systems, alpha: float) -> int:
    """Return the upper limit of the number of items that a system loses by guesses."""
    if n_guesses == 0:
        return 0
    differ = DIFFER[systems]
    level = 1 - 2 * alpha
    return easy_hard.chance_difference(n_guesses, n_guesses, level=level, differ=differ).n_items


def _check(
    n_items: int, n_annotators: int, hard: float, rate: float, level: float, power: float = 0.5
) -> None:
    """Reject arguments out of range."""
    if n_items % 1 or n_annotators % 1:
        raise AnnotationError(
            f"plan: items and annotators must be whole numbers, got {n_items} and {n_annotators}."
        )
    if n_items < 1 or n_annotators < 2:
        raise AnnotationError(
            f"plan: needs an item and two annotators, got {n_items} item(s) and {n_annotators} "
            "annotator(s). One annotator never disagrees."
        )
    shares = {"hard": hard, "rate": rate, "level": level, "power": power}
    for name, value in shares.items():
        if not 0 < value < 1:
            raise AnnotationError(f"plan: {name} must be between 0 and 1, got {value!r}.")
