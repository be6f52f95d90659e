"""The largest set of items that can be released with a certified error rate.

Candidates are the sets of all items whose certainty is above a cut-off. For each set, the
hypothesis that more than a share alpha of its N items are wrong is tested on checked items. The
largest set whose hypothesis is rejected is released: with confidence 1 - delta, at most a share
alpha of it is wrong, whether or not the model holds.

The test of one set. Checks are used such that all items of the set's strata have equal inclusion
probability r: in strata with higher sampling rates, only the first in the order of drawing. If M
items of the set are wrong, the number found is a sum of independent hypergeometric counts with mean
at least r M, each of which is a sum of independent trials (Vatutin and Mikhailov 1982); the number
of trials exceeds neither the checks used nor the wrong items. By Hoeffding's theorem (1956), for x
at most r M - 1, the probability of finding x or fewer is at most that under a binomial distribution
with mean r M and n trials, n being the smaller of the two numbers. With M the smallest number above
alpha N this is the p-value; it does not rely on large samples.

The tests of all sets. Hypotheses are ordered by size, from the smallest set that can be rejected at
all, and tested by the fallback procedure: a few hypotheses are allotted equal parts of delta, and a
rejected hypothesis passes its level to the next. The familywise error rate is at most delta (Wiens
and Dmitrienko 2005). With a single part this is fixed-sequence testing, which one unlucky early
check could stop.

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

__all__ = ["STARTS", "Release", "TestedSets", "checks_needed", "examine_sets", "p_value", "release"]

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
        The lowest certainty of a released item; NaN if there is none.
    sets : DataFrame
        One row per set, the smallest first: the columns of `TestedSets`, `share` of all items,
        `estimate` of the error rate, and `checks_needed`: the number of checks in a new audit to
        release the set with probability .8 if its error rate is as estimated; infinite if that is
        not below alpha.
    """

    error_rate: float
    confidence: float
    items: NDArray[np.bool_]
    probability: float
    sets: pd.DataFrame

    @property
    def n_items(self) -> int:
        """Number of items that can be released."""
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
        Number of wrong items among the checks used.
    checks : int
        Number of checks used in all strata of the set.
    rate : float
        Smallest inclusion probability of an item.
    n_items : int
        Number of items in the set.
    error_rate : float
        The largest tolerated share of wrong items.

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
        Whether the model's category is wrong; used only for checked items.
    is_checked : ndarray of bool, shape (I,)
        Whether an item was checked; the first of each stratum in the order of drawing.
    error_rate : float, default 0.05
        Largest share of errors among released items, in (0, 1).
    confidence : float, default 0.95
        Confidence that this share is not exceeded, in (0, 1).

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
        Number of items in each set.
    probability : ndarray, shape (M,)
        Lowest certainty of its items.
    checks, wrong : ndarray of int, shape (M,)
        Numbers of checks used and of errors found.
    p_value, delta : ndarray, shape (M,)
        P-value and level of its test.
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
        """Lowest certainty of a released item; NaN if there is none."""
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
    """Test sets of the most certain items for too many errors.

    Parameters
    ----------
    design, is_wrong, is_checked, error_rate, confidence
        As for `release`.

    Returns
    -------
    TestedSets
        Tests of at most `MAX_SETS` sets, in equal steps, without separating equally certain items.

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
    """Choose checks with equal inclusion probabilities, starting from the most certain stratum."""
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
    """Return the number of checks needed to release a set.

    Parameters
    ----------
    estimate : float
        Error rate of the set.
    n_items : int
        Number of items in the set.
    error_rate, confidence : float
        The error rate and confidence to certify.
    of_items : int
        Total number of items, at least `n_items`.
    power : float, default 0.8
        Probability that the checks suffice.

    Returns
    -------
    float
        Size of a simple random sample of all items; infinite if no number suffices.

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
