r"""Accuracy of panels: averages and votes of every n annotators.

J annotators label the same items on an interval scale. `panel_correlations` averages the labels of
each of the ``J! / (n! (J - n)!)`` subsets of n, correlates the average with a target, such as an
expert, and returns the mean correlation for each n. `smallest_panel` finds the smallest n that
reaches a reference, such as the correlation of a single expert with the others.

`vote_accuracy` is the counterpart for categories: the accuracy of the majority vote of n labels
drawn without replacement from each item's; ties are broken at random.

Both are exact. Snow, O'Connor, Jurafsky and Ng (2008) compare crowds with experts in this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError

__all__ = ["panel_correlations", "smallest_panel", "vote_accuracy"]

Floats = NDArray[np.float64]

#: All subsets of more annotators would take too much memory.
MAX_ANNOTATORS: Final = 14
#: A variance below this share of the mean square is rounding: the labels are constant.
CONSTANT: Final = 1e-12


def panel_correlations(
    labels: ArrayLike, targets: ArrayLike, *, weights: ArrayLike | None = None
) -> Floats:
    """Correlate the average of every subset of annotators with targets.

    Parameters
    ----------
    labels : array_like, shape (J, I)
        The label of each of J annotators, at most 14, for each item.
    targets : array_like, shape (T, I) or (I,)
        Targets with which the averages are correlated; correlations are averaged over targets.
    weights : array_like, shape (S, I), optional
        Weight of each item in each of S samples, such as bootstrap samples.

    Returns
    -------
    ndarray, shape (J,) or (S, J)
        Mean Pearson correlation by the number of annotators, from 1 to J. NaN where an average or
        a target is constant.

    Raises
    ------
    AnnotationError
        If shapes do not match, a label is missing, or there are more than 14 annotators.

    Examples
    --------
    >>> panel_correlations([[1, 2, 4], [2, 1, 3]], [1, 2, 3]).round(3)
    array([0.741, 0.866])
    """
    given = np.atleast_2d(np.asarray(labels, dtype=np.float64))
    goal = np.atleast_2d(np.asarray(targets, dtype=np.float64))
    _check_panel(given, goal)
    n_annotators, n_items = given.shape
    if weights is None:
        share = np.full((1, n_items), 1 / n_items)
    else:
        share = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        if share.shape[1] != n_items:
            raise AnnotationError(
                f"panel_correlations: weights of {share.shape[1]} items for {n_items}. Give each "
                "item a column."
            )
        share = share / share.sum(axis=1, keepdims=True)
    sizes, averages = _averages(given)
    correlation = _correlations(averages, goal, share)
    starts = np.searchsorted(sizes, np.arange(1, n_annotators + 1))
    found: Floats = np.add.reduceat(correlation, starts, axis=1) / np.bincount(sizes)[1:]
    return found[0] if weights is None else found


def _check_panel(given: Floats, goal: Floats) -> None:
    if given.shape[0] > MAX_ANNOTATORS:
        raise AnnotationError(
            f"panel_correlations: {given.shape[0]} annotators have too many subsets. Give at most "
            f"{MAX_ANNOTATORS}."
        )
    if given.ndim != 2 or goal.ndim != 2 or given.shape[1] != goal.shape[1] or not given.size:
        raise AnnotationError(
            f"panel_correlations: labels of shape {given.shape} for targets of shape "
            f"{goal.shape}. Give annotators and targets a row each, and items a column."
        )
    if not (np.isfinite(given).all() and np.isfinite(goal).all()):
        raise AnnotationError(
            "panel_correlations: a label or a target is missing. Leave its item out."
        )


def _averages(given: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return the size of every subset of annotators, and the average of their labels."""
    n = given.shape[0]
    subsets = [subset for size in range(1, n + 1) for subset in combinations(range(n), size)]
    member = np.zeros((len(subsets), n))
    for row, subset in enumerate(subsets):
        member[row, subset] = 1 / len(subset)
    return np.array([len(subset) for subset in subsets]), member @ given


def _correlations(averages: Floats, goal: Floats, share: Floats) -> Floats:
    """Return the correlation of each average, by sample; the mean over targets."""
    # Centred first, so that differences of squares lose no digits.
    own = averages - averages.mean(axis=1, keepdims=True)
    other = goal - goal.mean(axis=1, keepdims=True)
    own_mean, other_mean = share @ own.T, share @ other.T
    own_variance = _variance(share @ (own**2).T, own_mean)
    other_variance = _variance(share @ (other**2).T, other_mean)
    total = np.zeros_like(own_mean)
    for t, row in enumerate(other):
        covariance = (share * row) @ own.T - own_mean * other_mean[:, [t]]
        total += covariance / np.sqrt(own_variance * other_variance[:, [t]])
    return np.asarray(total / len(goal))


def _variance(square: Floats, mean: Floats) -> Floats:
    variance = square - mean**2
    return np.asarray(np.where(variance > CONSTANT * square, variance, np.nan))


def smallest_panel(curve: ArrayLike, reference: ArrayLike) -> Floats:
    """Find the number of annotators needed to reach a reference.

    Parameters
    ----------
    curve : array_like, shape (..., J)
        By the number of annotators, as `panel_correlations` or `vote_accuracy` returns it.
    reference : array_like, shape (...)
        The value to reach.

    Returns
    -------
    ndarray, shape (...)
        The smallest number from 1 to J at which the curve reaches the reference; infinite if it
        never does.

    Examples
    --------
    >>> smallest_panel([0.4, 0.5, 0.6], [0.5, 0.7])
    array([ 2., inf])
    """
    reached = np.asarray(curve, dtype=np.float64) >= np.asarray(reference)[..., None]
    return np.where(reached.any(axis=-1), reached.argmax(axis=-1) + 1.0, np.inf)


def vote_accuracy(counts: ArrayLike, gold: ArrayLike) -> Floats:
    """Compute the accuracy of the majority vote of n labels of each item.

    Parameters
    ----------
    counts : array_like of int, shape (I, K)
        Number of annotators who gave each item each category; equal row sums.
    gold : array_like of int, shape (I,)
        Code of each item's correct category.

    Returns
    -------
    ndarray, shape (N,)
        Expected accuracy by the number of labels n from 1 to N, over all ways to draw n of the
        N labels of an item; ties are broken at random.

    Raises
    ------
    AnnotationError
        If rows have different totals, or a code is not one of the K categories.

    Notes
    -----
    With two categories, an even number of labels is no better than one label fewer.

    Examples
    --------
    Two of three labels of one item are right:

    >>> vote_accuracy([[2, 1]], [0]).round(3)
    array([0.667, 0.667, 1.   ])
    """
    table = np.atleast_2d(np.asarray(counts, dtype=np.int64))
    right = np.asarray(gold, dtype=np.int64)
    totals = np.unique(table.sum(axis=1))
    if totals.size != 1 or totals[0] < 1:
        raise AnnotationError(
            "vote_accuracy: items have different numbers of labels, or none. Give items with equal "
            "numbers of labels."
        )
    if right.shape != table.shape[:1] or ((right < 0) | (right >= table.shape[1])).any():
        raise AnnotationError(
            "vote_accuracy: gold must have the code of a category for each item. Leave out items "
            "without."
        )
    kinds, times = np.unique(np.column_stack([table, right]), axis=0, return_counts=True)
    by_kind = np.array([_one_item(kind[:-1].tolist(), int(kind[-1])) for kind in kinds])
    return np.asarray(times @ by_kind / times.sum())


def _one_item(counts: Sequence[int], right: int) -> list[float]:
    """Return the chance that the vote of n labels of one item is right, for each n."""
    total, own = sum(counts), counts[right]
    others = [count for k, count in enumerate(counts) if k != right]
    wins = [0.0] * (total + 1)
    for votes in range(1, own + 1):
        for (drawn, tied), ways in _ways(others, votes).items():
            wins[votes + drawn] += comb(own, votes) * ways / (tied + 1)
    return [wins[n] / comb(total, n) for n in range(1, total + 1)]


def _ways(counts: Sequence[int], most: int) -> dict[tuple[int, int], int]:
    """Count the ways to draw labels under a maximum per category, by number of labels and ties."""
    ways: dict[tuple[int, int], int] = {(0, 0): 1}
    for count in counts:
        longer: dict[tuple[int, int], Any] = {}
        for (drawn, tied), before in ways.items():
            for votes in range(min(count, most) + 1):
                state = drawn + votes, tied + (votes == most)
                longer[state] = longer.get(state, 0) + before * comb(count, votes)
        ways = longer
    return ways
