"""How many annotators must mark an item before coin flips are no explanation.

Where annotators look for a phenomenon and leave everything else unmarked, a mark may be
deliberate or a whim. Suppose that each annotator flips a coin that comes up heads as often
as that annotator marks items. The number of heads on one item then has a Poisson-binomial
distribution, and the threshold is the least number of marks that it hardly ever reaches.
Items marked so often were, very probably, marked deliberately by some annotator at least.
Below the threshold nothing is shown, and mostly nothing can be: where marks are rare, an item
without any is what coins would give, too.

Beigman Klebanov and Shamir (2006) used the normal approximation for 20 annotators, Beigman
Klebanov, Beigman and Diermeier (2008, section 3) the exact distribution for nine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy.stats
from numpy.typing import ArrayLike, NDArray

from annobench.labels.annotations import Annotations


@dataclass(frozen=True, eq=False)
class ReliabilityThreshold:
    """The least number of marks that chance hardly ever reaches.

    Attributes
    ----------
    n_marks : int
        The threshold k, in 1..n, or n + 1 if even n marks come by chance too often.
    n_annotators : int
        n, the annotators who could have marked an item.
    confidence : float
        At least this is the probability of fewer marks by chance, in (0, 1).
    chance : ndarray, shape (n + 2,)
        Probability of at least 0, 1, ..., n + 1 marks by chance, from 1 down to 0.
    """

    n_marks: int
    n_annotators: int
    confidence: float
    chance: NDArray[np.float64]

    @property
    def chance_rate(self) -> float:
        """The probability that coins reach the threshold, in [0, 1)."""
        return float(self.chance[self.n_marks])

    def expected_items(self, n_items: int) -> float:
        """Return how many of a number of items reach the threshold by chance, on average.

        Parameters
        ----------
        n_items : int
            I, marked or not.

        Returns
        -------
        float
            At least 0.
        """
        return n_items * self.chance_rate


@dataclass(frozen=True, eq=False)
class DeliberateItems:
    """Items that reach their threshold.

    Attributes
    ----------
    category : str
        The category whose labels count as marks.
    confidence : float
        Of the thresholds.
    marks, n_labels : ndarray of int, shape (I,)
        Labels of that category, and labels at all, of each item.
    chance : ndarray, shape (I,)
        Probability that coins give the item at least as many marks.
    threshold : ndarray of int, shape (I,)
        Marks that the item needs; more than its labels where no number suffices.
    reliable : ndarray of bool, shape (I,)
        Where the marks reach the threshold.
    expected_items : float
        How many items would reach theirs if all annotators flipped coins.
    """

    category: str
    confidence: float
    marks: NDArray[np.int64]
    n_labels: NDArray[np.int64]
    chance: NDArray[np.float64]
    threshold: NDArray[np.int64]
    reliable: NDArray[np.bool_]
    expected_items: float


def chance_of_marks(rates: ArrayLike) -> NDArray[np.float64]:
    """Compute the distribution of the number of marks if everybody flips a coin.

    Parameters
    ----------
    rates : array_like, shape (..., n)
        Probability that each annotator marks an item, in [0, 1]; a rate of 0 is as good as an
        annotator who was not asked.

    Returns
    -------
    ndarray, shape (..., n + 1)
        Probability of 0, 1, ..., n marks; sums to 1.

    Raises
    ------
    ValueError
        If there is no rate, or one is out of its range.

    Notes
    -----
    Exact, by adding one annotator after the other; the cost is quadratic in n.

    References
    ----------
    Poisson (1837), of coins with different odds.

    Examples
    --------
    >>> chance_of_marks([0.5, 0.1]).round(4).tolist()  # 0.5 * 0.9, 0.5 * 0.9 + 0.5 * 0.1, 0.05
    [0.45, 0.5, 0.05]
    """
    p = np.asarray(rates, dtype=np.float64)
    if p.ndim == 0 or p.shape[-1] == 0:
        raise ValueError("chance_of_marks: rates must have at least one annotator, got none.")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"chance_of_marks: rates must be in [0, 1], got {_first_outside(p)}.")
    n = p.shape[-1]
    pmf = np.zeros((*p.shape[:-1], n + 1))
    pmf[..., 0] = 1.0
    for j in range(n):
        rate = p[..., j : j + 1]
        moved = pmf[..., :-1] * rate
        pmf *= 1 - rate
        pmf[..., 1:] += moved
    return pmf


def threshold(rates: ArrayLike, *, confidence: float) -> ReliabilityThreshold:
    """Find how many of n annotators must mark an item before chance is no explanation.

    Parameters
    ----------
    rates : array_like, shape (n,)
        Probability that each annotator marks an item, in [0, 1].
    confidence : float
        Wanted probability that chance gives fewer marks, in (0, 1).

    Returns
    -------
    ReliabilityThreshold
        The threshold and the chance of every number of marks.

    Raises
    ------
    ValueError
        If a rate or the confidence is out of its range, or there is no rate.

    Notes
    -----
    For a given mean rate, unequal rates make large numbers of marks less likely (Hoeffding
    1956, for k above the mean number of marks plus one); equal rates are the cautious choice.

    References
    ----------
    Beigman Klebanov, Beigman and Diermeier (2008), section 3.

    Examples
    --------
    >>> found = threshold([0.04] * 9, confidence=0.999)
    >>> found.n_marks, found.chance[3:5].round(5).tolist()
    (4, [0.00448, 0.00027])
    """
    _check_confidence("threshold", confidence)
    p = np.asarray(rates, dtype=np.float64)
    if p.ndim != 1:
        raise ValueError(
            f"threshold: rates must be one number an annotator, got an array of shape {p.shape}."
        )
    at_least = _at_least(chance_of_marks(p))
    return ReliabilityThreshold(
        int(_needed(at_least, confidence)), p.size, float(confidence), at_least
    )


def deliberate(
    annotations: Annotations,
    category: str,
    *,
    confidence: float,
    rates: ArrayLike | None = None,
) -> DeliberateItems:
    """Find the items that were marked too often for chance.

    Parameters
    ----------
    annotations : Annotations
        Labels; items may differ in their annotators and in their number of labels.
    category : str
        The category whose labels count as marks.
    confidence : float
        Wanted probability that chance gives an item fewer marks, in (0, 1).
    rates : array_like, shape (J,) or scalar, optional
        Probability that each annotator marks an item, in [0, 1]; by default the share of marks
        among all labels of that annotator. A scalar stands for all annotators, which is
        wiser where many gave a handful of labels: the share of one label is 0 or 1.

    Returns
    -------
    DeliberateItems
        Marks, threshold and chance of each item.

    Raises
    ------
    ValueError
        If the category is not known, or a rate or the confidence is out of its range.

    Notes
    -----
    A label that an annotator repeats is one more flip of the same coin. An item without a
    label is not reliable. The cost is that of the labels times the largest number of
    labels of an item.

    References
    ----------
    Beigman Klebanov, Beigman and Diermeier (2008), section 3.

    Examples
    --------
    Three annotators mark one of ten items each, the same one: coins do that once in a
    thousand times.

    >>> a = Annotations.from_wide([["yes"] * 3] + [["no"] * 3] * 9)
    >>> found = deliberate(a, "yes", confidence=0.99)
    >>> int(found.reliable.sum()), int(found.threshold[0]), round(float(found.chance[0]), 4)
    (1, 3, 0.001)
    """
    _check_confidence("deliberate", confidence)
    if category not in annotations.categories:
        raise ValueError(
            f"deliberate: category {category!r} is not one of {', '.join(annotations.categories)}."
        )
    is_mark = annotations.label == annotations.categories.index(category)
    n_labels = np.bincount(annotations.item, minlength=annotations.n_items)
    marks = np.bincount(annotations.item[is_mark], minlength=annotations.n_items)
    rate = _rates(annotations, is_mark, rates)

    # Rates of the annotators of each item, one item a row, filled up with coins of no heads.
    padded = np.zeros((annotations.n_items, max(int(n_labels.max(initial=0)), 1)))
    order = np.argsort(annotations.item, kind="stable")
    item = annotations.item[order]
    place = np.arange(item.size) - np.searchsorted(item, item)
    padded[item, place] = rate[annotations.annotator[order]]

    at_least = _at_least(chance_of_marks(padded))
    needed = np.minimum(_needed(at_least, confidence), n_labels + 1)
    rows = np.arange(annotations.n_items)
    return DeliberateItems(
        category,
        float(confidence),
        marks,
        n_labels,
        at_least[rows, marks],
        needed,
        marks >= needed,
        float(at_least[rows, needed].sum()),
    )


def compare_cuts(
    marks: ArrayLike,
    outcome: ArrayLike,
    *,
    rng: np.random.Generator,
    replicates: int = 2000,
    level: float = 0.95,
) -> pd.DataFrame:
    """Compare every cut of the number of marks as a predictor of another measurement.

    A threshold against chance need not be the cut that tells most. Each cut, items with at
    least k marks against the others, explains a share of the variance of the outcome.

    Parameters
    ----------
    marks : array_like of int, shape (I,)
        Number of marks of each item.
    outcome : array_like, shape (I,)
        A number for each item, such as its mean rating.
    rng : numpy.random.Generator
        Source of randomness, for the resampling of items.
    replicates : int, default 2000
        Number of resamples.
    level : float, default 0.95
        Of the percentile intervals.

    Returns
    -------
    DataFrame
        One row for each k with items on both sides, and a last one with missing k for the
        number of marks itself as a straight line: `cut`, `items` (with at least k marks),
        `explained` in [0, 1] with `lower` and `upper`, `area` (probability that the outcome
        of an item above the cut exceeds that of one below, ties half), and `best`, the share
        of resamples in which this cut explains most.

    Raises
    ------
    ValueError
        If the two differ in length, all items have the same number of marks or outcome, an
        outcome is not a finite number, or the replicates or the level are out of range.
    """
    count, y = np.asarray(marks, dtype=np.int64), np.asarray(outcome, dtype=np.float64)
    if count.ndim != 1 or count.shape != y.shape:
        raise ValueError(
            f"compare_cuts: marks and outcome must be of one length, got {count.shape} and "
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
    # Cuts between numbers of marks that occur; others would repeat one of these.
    cut = np.unique(count)[1:]
    x = np.concatenate([count >= cut[:, None], count[None, :]]).astype(np.float64)
    weight = rng.multinomial(count.size, np.full(count.size, 1 / count.size), size=replicates)
    drawn = _squared_correlation(weight.astype(np.float64), x, y)
    explained = _squared_correlation(np.ones((1, count.size)), x, y)[0]
    lower, upper = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
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
    # No square of it may leave the range of numbers, whatever the unit of the outcome.
    y = y / np.abs(y).max()
    y = (y - y.mean()) / y.std()
    mean_x, mean_y = weight @ x.T / total, weight @ y[:, None] / total
    cross = weight @ (x * y).T / total - mean_x * mean_y
    spread_x = weight @ (x**2).T / total - mean_x**2
    spread_y = weight @ y[:, None] ** 2 / total - mean_y**2
    spread = spread_x * spread_y
    # A resample may leave nothing above a cut; no correlation then.
    share: NDArray[np.float64] = np.full_like(cross, np.nan)
    np.divide(cross**2, spread, out=share, where=spread > 1e-12)
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
            f"deliberate: rates must be one number or {n}, one an annotator, "
            f"got an array of shape {p.shape}."
        )
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"deliberate: rates must be in [0, 1], got {_first_outside(p)}.")
    return np.array(np.broadcast_to(p, (n,)))


def _at_least(pmf: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum from the far end, where the small probabilities are, and append 0."""
    tail = np.cumsum(pmf[..., ::-1], axis=-1)[..., ::-1]
    return np.concatenate([np.minimum(tail, 1.0), np.zeros((*pmf.shape[:-1], 1))], axis=-1)


def _needed(at_least: NDArray[np.float64], confidence: float) -> NDArray[np.int64]:
    """Return the least number of marks, at least one, whose chance is small enough."""
    # Neither 1 - 0.999 nor 0.1 ** 3 is quite 0.001; a tie shall stay a tie.
    rare = at_least <= (1 - confidence) * (1 + 1e-9)
    rare[..., 0] = False
    return np.asarray(np.argmax(rare, axis=-1))


def _check_confidence(caller: str, confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"{caller}: confidence must be between 0 and 1, got {confidence}.")


def _first_outside(p: NDArray[np.float64]) -> float:
    return float(p[~((p >= 0) & (p <= 1))].flat[0])
