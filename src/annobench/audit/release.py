"""The largest set of items that can be released at a certified rate of errors.

Candidates are sets of all items whose certainty is above a cut-off. For each the hypothesis that
more than a
share alpha of its N items are wrong is tested on checked items, and the largest set whose
hypothesis is rejected is released: with confidence 1 - delta, no released set has a larger share of
errors, whether or not the model holds.

The test of one set. Of every stratum that the set reaches into as many checks are used, the first
in the order of drawing, as make the probability of being used equal, r; further ones of strata
that were sampled more densely are left aside. If M items of the set are wrong, the number found is
a sum of independent hypergeometric counts of mean at least r M, each of which is a sum of
independent trials (Vatutin and Mikhailov 1982); there are no more trials than checks used, and no
more than wrong items. By Hoeffding's theorem (1956) the probability of finding x or fewer is then
at most that of a binomial distribution of n trials and mean r M, if x is at most r M - 1, and with
n the smaller of the two. With M the least number that is more than alpha N this is the p-value; it
needs no large samples.

The tests of all sets. In the order of size, from the smallest set that could be rejected at all,
by the fallback procedure: a few hypotheses own equal parts of delta, and a hypothesis that is
rejected leaves what it had to the next. The probability of any false rejection is at most delta
(Wiens and Dmitrienko 2005). With one part this is testing in a fixed sequence, which one unlucky
check early on would end.

References: Angelopoulos et al. (2025), Learn then test, Annals of Applied Statistics 19, for risk
control by multiple testing; Hoeffding (1956), Annals of Mathematical Statistics 27, 713-721,
theorem 4; Vatutin and Mikhailov (1982), Theory of Probability and its Applications 27, 734-743;
Wiens and Dmitrienko (2005), Journal of Biopharmaceutical Statistics 15, 929-942.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special, stats

from annobench.audit.design import Design
from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised, SummarisedScalars
from annobench.core.tolerances import WHOLE
from annobench.resampling.ratios import ratio

__all__ = [
    "STARTS",
    "Release",
    "TestedSets",
    "checks_needed",
    "equal_rate",
    "examine_sets",
    "p_value",
    "release",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Sets that are tested at most, and hypotheses that own a part of delta.
MAX_SETS: Final = 20
STARTS: Final = 3
#: Probability with which a number of further checks is to be enough.
POWER: Final = 0.8
_MOST_CHECKS: Final = 1_000_000


@dataclass(frozen=True, eq=False)
class Release(Summarised):
    """The items that can be released, and the tests.

    Attributes
    ----------
    error_rate : float
        Largest share of errors among released items, alpha.
    confidence : float
        1 - delta.
    items : ndarray of bool, shape (I,)
        Whether an item can be released.
    probability : float
        The least certainty of a released item; NaN if there is none.
    sets : DataFrame
        A row for each set, the smallest first: what `TestedSets` has, `share` of all items,
        `estimate` of the share of errors, and `checks_needed`: of all items, in a new audit, to
        release the set with a probability of .8, if its share of errors is as estimated; infinite
        where that is not below alpha.
    """

    error_rate: float
    confidence: float
    items: NDArray[np.bool_]
    probability: float
    sets: pd.DataFrame

    @property
    def n_items(self) -> int:
        """Items that can be released."""
        return int(self.items.sum())

    def summary(self) -> pd.DataFrame:
        """Return the sets and their tests.

        Returns
        -------
        DataFrame
            `sets`.
        """
        return self.sets

    def _headline(self) -> str:
        return (
            f"{self.n_items:,} of {self.items.size:,} items at an error rate of at most "
            f"{self.error_rate:g} with confidence {self.confidence:g}"
        )


def p_value(wrong: int, checks: int, rate: float, n_items: int, error_rate: float) -> float:
    """Test whether too many items of a set are wrong.

    Parameters
    ----------
    wrong : int
        Wrong items among those checked of the set.
    checks : int
        Checks used of all strata that the set reaches into.
    rate : float
        Least probability of an item to be among them.
    n_items : int
        Items of the set.
    error_rate : float
        The largest share of wrong items that is tolerated.

    Returns
    -------
    float
        At most 1.

    Examples
    --------
    59 checks without an error are what 95% confidence of at most 5% takes, of very many items:

    >>> [round(p_value(0, n, n / 10**6, 10**6, 0.05), 4) for n in (58, 59)]
    [0.051, 0.0485]
    """
    too_many = math.floor(error_rate * n_items + WHOLE) + 1
    mean = rate * too_many
    if too_many > n_items:
        return 0.0
    if wrong > mean - 1:
        return 1.0
    trials = min(checks, too_many)
    return float(special.bdtr(wrong, trials, min(1.0, mean / trials)))


def release(
    design: Design,
    is_wrong: NDArray[np.bool_],
    is_checked: NDArray[np.bool_],
    *,
    error_rate: float = 0.05,
    confidence: float = 0.95,
) -> Release:
    """Find the largest set of items that can be released.

    Parameters
    ----------
    design : Design
        What was drawn.
    is_wrong : ndarray of bool, shape (I,)
        Whether the model's category is wrong; only those of checked items count.
    is_checked : ndarray of bool, shape (I,)
        Whether an item was checked. Of each stratum those first in the order.
    error_rate : float, default 0.05
        Largest share of errors among released items, in (0, 1).
    confidence : float, default 0.95
        That no more are wrong, in (0, 1).

    Returns
    -------
    Release
        The set, and all tests.

    Raises
    ------
    AnnotationError
        If a number is out of range.
    """
    tested = examine_sets(
        design, is_wrong, is_checked, error_rate=error_rate, confidence=confidence
    )
    table = pd.DataFrame(vars(tested))
    table.insert(1, "share", table["n_items"] / design.stratum.size)
    table["estimate"] = ratio(table["wrong"], table["checks"])
    table["checks_needed"] = [
        checks_needed(
            estimate, n, error_rate=error_rate, confidence=confidence, of_items=design.stratum.size
        )
        for estimate, n in zip(table["estimate"], table["n_items"], strict=True)
    ]
    least = tested.least_certainty
    return Release(
        error_rate=error_rate,
        confidence=confidence,
        items=design.certainty >= (math.inf if math.isnan(least) else least),
        probability=least,
        sets=table,
    )


@dataclass(frozen=True, eq=False)
class TestedSets(SummarisedScalars):
    """Tests of the sets, the smallest set first.

    Attributes
    ----------
    n_items : ndarray of int, shape (M,)
        Items of each set.
    probability : ndarray, shape (M,)
        Least certainty of its items.
    checks, wrong : ndarray of int, shape (M,)
        Checks used of its items, and how many of them found an error.
    p_value, delta : ndarray, shape (M,)
        Of its test, and the level it was tested at.
    released : ndarray of bool, shape (M,)
        Whether the hypothesis of too many errors was rejected.
    """

    n_items: Ints
    probability: Floats
    checks: Ints
    wrong: Ints
    p_value: Floats
    delta: Floats
    released: NDArray[np.bool_]

    @property
    def least_certainty(self) -> float:
        """Least certainty of a released item; NaN if there is none."""
        return float(self.probability[self.released][-1]) if self.released.any() else math.nan

    def _headline(self) -> str:
        return f"{int(self.released.sum())} of {self.n_items.size} sets can be released"


def examine_sets(
    design: Design,
    is_wrong: NDArray[np.bool_],
    is_checked: NDArray[np.bool_],
    *,
    error_rate: float = 0.05,
    confidence: float = 0.95,
) -> TestedSets:
    """Test of sets of the most certain items whether too many are wrong.

    Parameters
    ----------
    design, is_wrong, is_checked, error_rate, confidence
        As for `release`.

    Returns
    -------
    TestedSets
        At most `MAX_SETS`, at equal steps of items, never cut between equally certain ones.

    Raises
    ------
    AnnotationError
        If a number is out of range.
    """
    check_level(confidence, "release")
    if not 0 < error_rate < 1:
        raise AnnotationError(f"release: error_rate must be between 0 and 1, got {error_rate}.")
    used, rates = equal_rate(design, is_checked)
    order = np.argsort(-design.certainty, kind="stable")
    sure = design.certainty[order]
    ends = np.flatnonzero(np.append(sure[1:] < sure[:-1], True)) + 1
    wanted = np.linspace(0, order.size, MAX_SETS + 1)[1:]
    n_items = np.unique(ends[np.searchsorted(ends, wanted - WHOLE)])
    last = order[n_items - 1]
    checks = np.cumsum(used[order], dtype=np.int64)[n_items - 1]
    wrong = np.cumsum((used & is_wrong)[order], dtype=np.int64)[n_items - 1]
    # Of the stratum that a set ends in, all checks count as trials.
    reached = np.cumsum(np.bincount(design.stratum[used], minlength=design.sizes.size))
    of_each = [
        (int(c), float(r), int(n))
        for c, r, n in zip(
            reached[design.stratum[last]], rates[design.stratum[last]], n_items, strict=True
        )
    ]
    p = np.array(
        [p_value(int(x), *each, error_rate) for x, each in zip(wrong, of_each, strict=True)]
    )
    lowest = np.array([p_value(0, *each, error_rate) for each in of_each])
    delta, released = fallback(p, lowest, 1 - confidence)
    return TestedSets(n_items, design.certainty[last], checks, wrong, p, delta, released)


def equal_rate(design: Design, is_checked: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Floats]:
    """Choose checks with equal inclusion probabilities, starting from the most certain stratum.

    Parameters
    ----------
    design : Design
        What was drawn.
    is_checked : ndarray of bool, shape (I,)
        Whether an item was checked.

    Returns
    -------
    used : ndarray of bool, shape (I,)
        Whether the check of an item is used.
    rates : ndarray, shape (H,)
        The least sampling rate of the strata up to each; 0 from a stratum without checks on.
    """
    sizes = design.sizes
    checked = np.bincount(design.stratum[is_checked], minlength=sizes.size)
    rate = checked[0] / sizes[0]
    use = np.minimum(np.ceil(rate * sizes - WHOLE).astype(np.int64), checked)
    # Checked items by stratum and order; the place of each among those of its stratum.
    rows = np.flatnonzero(is_checked)
    rows = rows[np.lexsort((design.order[rows], design.stratum[rows]))]
    stratum = design.stratum[rows]
    place = np.arange(rows.size) - np.searchsorted(stratum, stratum)
    used = np.zeros(design.stratum.size, dtype=bool)
    used[rows[place < use[stratum]]] = True
    return used, np.minimum.accumulate(use / sizes)


def fallback(p: Floats, lowest: Floats, delta: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Test ordered hypotheses by the fallback procedure."""
    own = np.zeros(p.size)
    possible = np.flatnonzero(lowest <= delta / STARTS)
    if not possible.size:
        possible = np.flatnonzero(lowest <= delta)[:1]
    if possible.size:
        starts = possible[np.unique(np.linspace(0, possible.size, STARTS + 1)[:-1].astype(int))]
        own[starts] = delta / starts.size
    at, rejected, handed = own.copy(), np.zeros(p.size, dtype=bool), 0.0
    for n in range(p.size):
        at[n] += handed
        rejected[n] = p[n] <= at[n] and at[n] > 0
        handed = at[n] if rejected[n] else 0.0
    return at, rejected


def checks_needed(
    estimate: float,
    n_items: int,
    *,
    error_rate: float,
    confidence: float,
    of_items: int,
    power: float = POWER,
) -> float:
    """Return how many checks of all items would release a set.

    Parameters
    ----------
    estimate : float
        Share of errors in the set.
    n_items : int
        Items of the set.
    error_rate, confidence : float
        What is to be certified.
    of_items : int
        All items, at least `n_items`.
    power : float, default 0.8
        Probability that the checks will be enough.

    Returns
    -------
    float
        Checks of a simple random sample of all items; infinite if no number is enough.

    Examples
    --------
    >>> checks_needed(0.0, 10**6, error_rate=0.05, confidence=0.95, of_items=10**6)
    59.0
    """
    if not estimate < error_rate:
        return math.inf

    def enough(n: int) -> bool:
        checks = round(n * n_items / of_items)
        if checks < 1:
            return False
        likely = int(stats.binom.ppf(power, checks, estimate))
        found = p_value(likely, checks, checks / n_items, n_items, error_rate)
        return found <= 1 - confidence

    high = 8
    while high < min(of_items, _MOST_CHECKS) and not enough(high):
        high *= 2
    high = min(high, of_items)
    if not enough(high):
        return math.inf
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(high)
