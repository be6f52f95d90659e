"""Number of annotators who must mark an item to reject random marking.

Annotators mark the occurrences of a phenomenon and leave everything else unmarked; a mark may be
deliberate or random. Under the null hypothesis each annotator marks every item with the same
probability, the annotator's rate of marks. The number of marks of an item then has a
Poisson-binomial distribution, and the threshold is its upper critical value. Items that reach it
were very probably marked deliberately by at least one annotator. Nothing can be concluded for items
below the threshold: if marks are rare, an item without any is likely under the null hypothesis,
too.

Beigman Klebanov and Shamir (2006) used the normal approximation for 20 annotators, Beigman
Klebanov, Beigman and Diermeier (2008, section 3) the exact distribution for nine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import scipy.stats
from numpy.typing import ArrayLike, NDArray

from annobench.core.numbers import plain_number
from annobench.core.results import Summarised, axes_or_new
from annobench.core.tolerances import ZERO
from annobench.labels.annotations import Annotations
from annobench.resampling.weights import multinomial_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "DeliberateItems",
    "ReliabilityThreshold",
    "compare_cuts",
    "deliberate",
    "poisson_binomial_pmf",
    "threshold",
]


@dataclass(frozen=True, eq=False)
class ReliabilityThreshold(Summarised):
    """The critical value of the number of marks of an item.

    Attributes
    ----------
    n_marks : int
        The threshold k, in 1..n, or n + 1 if even n marks are not significant.
    n_annotators : int
        n, the annotators of the item.
    level : float
        Minimum probability of fewer marks under the null hypothesis, in (0, 1).
    chance : ndarray, shape (n + 2,)
        Probability of at least 0, 1, ..., n + 1 marks under the null hypothesis.
    """

    n_marks: int
    n_annotators: int
    level: float
    chance: NDArray[np.float64]

    @property
    def chance_rate(self) -> float:
        """The probability of reaching the threshold under the null hypothesis, in [0, 1)."""
        return float(self.chance[self.n_marks])

    def expected_items(self, n_items: int) -> float:
        """Return the expected number of items that reach the threshold under the null hypothesis.

        Parameters
        ----------
        n_items : int
            I, all items.

        Returns
        -------
        float
            At least 0.
        """
        return n_items * self.chance_rate

    def summary(self) -> pd.DataFrame:
        """Return the distribution of marks under the null hypothesis.

        Returns
        -------
        DataFrame
            A row for each number of marks 0, ..., n + 1: chance (of at least as many), reliable;
            the index is the number of marks.
        """
        index = pd.RangeIndex(self.chance.size, name="marks")
        return pd.DataFrame({"chance": self.chance, "reliable": index >= self.n_marks}, index=index)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot the upper tail probabilities and the threshold.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to plot; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The plot, with a logarithmic axis of probabilities.
        """
        axes = axes_or_new(axes)
        axes.semilogy(self.chance[:-1], "o-")
        axes.axvline(self.n_marks, color="grey", linestyle=":", label="threshold")
        axes.set(xlabel="marks", ylabel="probability of at least as many")
        axes.legend()
        return axes

    def _headline(self) -> str:
        return f"{self.n_marks} of {self.n_annotators} annotators, level {self.level:g}"


@dataclass(frozen=True, eq=False)
class DeliberateItems(Summarised):
    """Items with significantly many marks.

    Attributes
    ----------
    category : str
        The category whose labels count as marks.
    level : float
        Level of the thresholds.
    marks, n_labels : ndarray of int, shape (I,)
        Labels of that category, and all labels, of each item.
    chance : ndarray, shape (I,)
        Probability of at least as many marks under the null hypothesis.
    threshold : ndarray of int, shape (I,)
        Critical value of each item; larger than its number of labels if none is significant.
    reliable : ndarray of bool, shape (I,)
        Whether the marks reach the threshold.
    expected_items : float
        Expected number of items that reach their threshold under the null hypothesis.
    items : tuple of str
        Names, in the order of the arrays.
    """

    category: str
    level: float
    marks: NDArray[np.int64]
    n_labels: NDArray[np.int64]
    chance: NDArray[np.float64]
    threshold: NDArray[np.int64]
    reliable: NDArray[np.bool_]
    expected_items: float
    items: tuple[str, ...]

    def summary(self) -> pd.DataFrame:
        """Return the number of reliable items and the number expected at random.

        Returns
        -------
        DataFrame
            One row: category, level, n_items, n_reliable, expected_items.
        """
        return pd.DataFrame(
            {
                "category": [self.category],
                "level": [self.level],
                "n_items": [self.marks.size],
                "n_reliable": [int(self.reliable.sum())],
                "expected_items": [self.expected_items],
            }
        )

    def items_frame(self) -> pd.DataFrame:
        """Return a row for each item.

        Returns
        -------
        DataFrame
            item, marks, n_labels, chance, threshold, reliable.
        """
        names = ("marks", "n_labels", "chance", "threshold", "reliable")
        return pd.DataFrame({"item": self.items} | {name: getattr(self, name) for name in names})

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot the number of items by number of marks, reliable items apart.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to plot; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            Stacked bars.
        """
        axes = axes_or_new(axes)
        x = np.arange(self.marks.max(initial=0) + 1)
        below = np.bincount(self.marks[~self.reliable], minlength=x.size)
        axes.bar(x, below, color="lightgrey", label="below the threshold")
        axes.bar(
            x,
            np.bincount(self.marks[self.reliable], minlength=x.size),
            bottom=below,
            label="reliable",
        )
        axes.set(xlabel="marks", ylabel="items")
        axes.legend()
        return axes

    def _headline(self) -> str:
        return (
            f"{int(self.reliable.sum()):,} of {self.marks.size:,} items reliably marked "
            f"{self.category}, {self.expected_items:.3g} expected at random"
        )


def poisson_binomial_pmf(rates: ArrayLike) -> NDArray[np.float64]:
    """Compute the Poisson-binomial distribution: successes of trials with unequal probabilities.

    Parameters
    ----------
    rates : array_like, shape (..., n)
        Success probability of each trial, in [0, 1]; rows may be padded with 0.

    Returns
    -------
    ndarray, shape (..., n + 1)
        Probability of 0, 1, ..., n successes; sums to 1.

    Raises
    ------
    ValueError
        If there is no rate, or one is out of range.

    Notes
    -----
    Exact, by recursion over the trials; the cost is quadratic in n. It gives the same values as
    `scipy.stats.poisson_binom`, for many rows at a time.

    References
    ----------
    Poisson (1837), of trials with unequal probabilities.

    Examples
    --------
    >>> poisson_binomial_pmf([0.5, 0.1]).round(4).tolist()  # 0.5 * 0.9, 0.5 * 0.9 + 0.5 * 0.1, 0.05
    [0.45, 0.5, 0.05]
    """
    p = np.asarray(rates, dtype=np.float64)
    if p.ndim == 0 or p.shape[-1] == 0:
        raise ValueError("poisson_binomial_pmf: rates must have at least one annotator, got none.")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"poisson_binomial_pmf: rates must be in [0, 1], got {_first_outside(p)}.")
    n = p.shape[-1]
    pmf = np.zeros((*p.shape[:-1], n + 1))
    pmf[..., 0] = 1.0
    for j in range(n):
        rate = p[..., j : j + 1]
        moved = pmf[..., :-1] * rate
        pmf *= 1 - rate
        pmf[..., 1:] += moved
    return pmf


def threshold(rates: ArrayLike, *, level: float) -> ReliabilityThreshold:
    """Find the number of annotators who must mark an item to reject random marking.

    Parameters
    ----------
    rates : array_like, shape (n,)
        Probability that each annotator marks an item, in [0, 1].
    level : float
        Minimum probability of fewer marks under the null hypothesis, in (0, 1).

    Returns
    -------
    ReliabilityThreshold
        The threshold, and the tail probability of every number of marks.

    Raises
    ------
    ValueError
        If a rate or the level is out of range, or there is no rate.

    Notes
    -----
    For a given mean rate, unequal rates make large numbers of marks less likely (Hoeffding
    1956, for k above the mean number of marks plus one); equal rates are conservative.

    References
    ----------
    Beigman Klebanov, Beigman and Diermeier (2008), section 3.

    Examples
    --------
    >>> found = threshold([0.04] * 9, level=0.999)
    >>> found.n_marks, found.chance[3:5].round(5).tolist()
    (4, [0.00448, 0.00027])
    """
    _check_confidence("threshold", level)
    p = np.asarray(rates, dtype=np.float64)
    if p.ndim != 1:
        raise ValueError(
            f"threshold: rates must be one number per annotator, got an array of shape {p.shape}."
        )
    at_least = _at_least(poisson_binomial_pmf(p))
    return ReliabilityThreshold(int(_needed(at_least, level)), p.size, float(level), at_least)


def deliberate(
    annotations: Annotations,
    category: str,
    *,
    level: float,
    rates: ArrayLike | None = None,
) -> DeliberateItems:
    """Find the items with more marks than random marking explains.

    Parameters
    ----------
    annotations : Annotations
        Labels; items may differ in their annotators and in their number of labels.
    category : str
        The category whose labels count as marks.
    level : float
        Minimum probability of fewer marks of an item under the null hypothesis, in (0, 1).
    rates : array_like, shape (J,) or scalar, optional
        Probability that each annotator marks an item, in [0, 1]; by default the share of marks
        among all labels of that annotator. A scalar applies to all annotators, which is more
        stable if many gave only a few labels.

    Returns
    -------
    DeliberateItems
        Marks, threshold and tail probability of each item.

    Raises
    ------
    ValueError
        If the category is not known, or a rate or the level is out of range.

    Notes
    -----
    Repeated labels count as independent trials. An item without a label is not reliable. The cost
    is the number of labels times the largest number of labels of an item.

    References
    ----------
    Beigman Klebanov, Beigman and Diermeier (2008), section 3.

    Examples
    --------
    Three annotators each mark one of ten items, the same one, which has probability 0.001 at
    random.

    >>> a = Annotations.from_wide([["yes"] * 3] + [["no"] * 3] * 9)
    >>> found = deliberate(a, "yes", level=0.99)
    >>> int(found.reliable.sum()), int(found.threshold[0]), round(float(found.chance[0]), 4)
    (1, 3, 0.001)
    """
    _check_confidence("deliberate", level)
    category = plain_number(category)
    if category not in annotations.categories:
        raise ValueError(
            f"deliberate: category {category!r} is not one of {', '.join(annotations.categories)}."
        )
    code = annotations.categories.index(category)
    is_mark = annotations.label == code
    n_labels = np.bincount(annotations.item, minlength=annotations.n_items)
    marks = annotations.counts[:, code]
    rate = _rates(annotations, is_mark, rates)

    # Rates of the annotators of each item, one item per row, padded with 0.
    padded = np.zeros((annotations.n_items, max(int(n_labels.max(initial=0)), 1)))
    order = np.argsort(annotations.item, kind="stable")
    item = annotations.item[order]
    column = np.arange(item.size) - np.searchsorted(item, item)
    padded[item, column] = rate[annotations.annotator[order]]

    at_least = _at_least(poisson_binomial_pmf(padded))
    needed = np.minimum(_needed(at_least, level), n_labels + 1)
    rows = np.arange(annotations.n_items)
    return DeliberateItems(
        category,
        float(level),
        marks,
        n_labels,
        at_least[rows, marks],
        needed,
        marks >= needed,
        float(at_least[rows, needed].sum()),
        annotations.items,
    )


def compare_cuts(
    marks: ArrayLike,
    outcome: ArrayLike,
    *,
    rng: int | np.random.Generator | None = None,
    replicates: int = 2000,
    level: float = 0.95,
) -> pd.DataFrame:
    """Compare cut-offs for the number of marks as predictors of another variable.

    A threshold against random marking need not be the most informative cut. Each cut, items with
    at least k marks against the others, explains a share of the variance of the outcome.

    Parameters
    ----------
    marks : array_like of int, shape (I,)
        Number of marks of each item.
    outcome : array_like, shape (I,)
        A number for each item, such as its mean rating.
    rng : int, numpy.random.Generator or None, optional
        Seed or generator of the bootstrap.
    replicates : int, default 2000
        Bootstrap replicates.
    level : float, default 0.95
        Confidence level of the percentile intervals.

    Returns
    -------
    DataFrame
        One row for each k with items on both sides, and a last one with missing k for linear
        regression on the number of marks: `cut`, `items` (with at least k marks), `explained`
        (variance, in [0, 1]) with `lower` and `upper`, `area` (under the ROC curve, ties count
        half), and `best`, the share of replicates in which this cut explains most.

    Raises
    ------
    ValueError
        If the two differ in length, all items have the same number of marks or outcome, an
        outcome is not a finite number, or the replicates or the level are out of range.
    """
    count, y = np.asarray(marks, dtype=np.int64), np.asarray(outcome, dtype=np.float64)
    if count.ndim != 1 or count.shape != y.shape:
        raise ValueError(
            f"compare_cuts: marks and outcome must have the same length, got {count.shape} and "
            f"{y.shape}."
        )
    if not np.isfinite(y).all():
        raise ValueError(
            f"compare_cuts: an outcome is {y[~np.isfinite(y)][0]}. Leave such items out."
        )
    if replicates < 1 or not 0 < level < 1:
        raise ValueError(
            f"compare_cuts: needs a replicate and a level between 0 and 1, got {replicates} and "
            f"{level}."
        )
    if count.size == 0 or np.ptp(count) == 0 or np.ptp(y) == 0:
        raise ValueError(
            "compare_cuts: items must differ in their marks and in their outcome. "
            "There is nothing to predict."
        )
    # Cuts between numbers of marks that occur; others are equivalent to one of these.
    cut = np.unique(count)[1:]
    x = np.concatenate([count >= cut[:, None], count[None, :]]).astype(np.float64)
    weight = multinomial_counts(np.ones(count.size), replicates, np.random.default_rng(rng))
    drawn = _squared_correlation(weight.astype(np.float64), x, y)
    explained = _squared_correlation(np.ones((1, count.size)), x, y)[0]
    lower, upper = ends = np.full((2, len(x)), np.nan)
    defined = ~np.isnan(drawn).all(axis=0)
    tails = [(1 - level) / 2, (1 + level) / 2]
    ends[:, defined] = np.nanquantile(drawn[:, defined], tails, axis=0)
    best = np.bincount(np.nan_to_num(drawn[:, :-1]).argmax(axis=1), minlength=cut.size)
    rank = scipy.stats.rankdata(y)
    above = x[:-1].sum(axis=1)
    area = (x[:-1] @ rank / above - (above + 1) / 2) / (count.size - above)
    return pd.DataFrame(
        {
            "cut": pd.array([*cut, pd.NA], dtype="Int64"),
            "items": [*above.astype(int), count.size],
            "explained": explained,
            "lower": lower,
            "upper": upper,
            "area": [*area, np.nan],
            "best": [*(best / replicates), np.nan],
        }
    )


def _squared_correlation(
    weight: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return weighted squared correlations of each row of x with y, shape (S, M)."""
    total = weight.sum(axis=1, keepdims=True)
    # Scale first: squares must not overflow, whatever the unit of the outcome.
    y = y / np.abs(y).max()
    y = (y - y.mean()) / y.std()
    mean_x, mean_y = weight @ x.T / total, weight @ y[:, None] / total
    cross = weight @ (x * y).T / total - mean_x * mean_y
    spread_x = weight @ (x**2).T / total - mean_x**2
    spread_y = weight @ y[:, None] ** 2 / total - mean_y**2
    spread = spread_x * spread_y
    # The correlation is undefined in a replicate with nothing above the cut.
    share: NDArray[np.float64] = np.full_like(cross, np.nan)
    np.divide(cross**2, spread, out=share, where=spread > ZERO)
    return share


def _rates(
    annotations: Annotations, is_mark: NDArray[np.bool_], rates: ArrayLike | None
) -> NDArray[np.float64]:
    n = annotations.n_annotators
    if rates is None:
        marks = np.bincount(annotations.annotator[is_mark], minlength=n)
        given = np.bincount(annotations.annotator, minlength=n)
        return np.asarray(marks / np.maximum(given, 1), dtype=np.float64)
    p = np.asarray(rates, dtype=np.float64)
    if p.shape not in ((), (n,)):
        raise ValueError(
            f"deliberate: rates must be one number or {n}, one per annotator, "
            f"got an array of shape {p.shape}."
        )
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"deliberate: rates must be in [0, 1], got {_first_outside(p)}.")
    return np.array(np.broadcast_to(p, (n,)))


def _at_least(pmf: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return upper tail probabilities, summed from the smallest terms; the last is 0."""
    tail = np.cumsum(pmf[..., ::-1], axis=-1)[..., ::-1]
    return np.concatenate([np.minimum(tail, 1.0), np.zeros((*pmf.shape[:-1], 1))], axis=-1)


def _needed(at_least: NDArray[np.float64], level: float) -> NDArray[np.int64]:
    """Return the smallest number of marks, at least one, whose tail probability is small enough."""
    # 1 - 0.999 and 0.1 ** 3 both differ from 0.001 by rounding; ties count.
    rare = at_least <= (1 - level) * (1 + 1e-9)
    rare[..., 0] = False
    return np.asarray(np.argmax(rare, axis=-1))


def _check_confidence(caller: str, level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"{caller}: level must be between 0 and 1, got {level}.")


def _first_outside(p: NDArray[np.float64]) -> float:
    return float(p[~((p >= 0) & (p <= 1))].flat[0])
