r"""Detection of annotation errors: average precision, precision and recall at k, and ties.

A method of error detection gives each label a score, higher if an error is more likely, and an
annotator checks the labels in decreasing order. With H(k) errors among the first k of N labels, and
E errors in all,

- precision at k is H(k) / k, and recall at k is H(k) / E;
- average precision is the mean over errors of the precision at their ranks.

Both need an order, which is not unique if scores are tied: half of all labels may share the highest
score, and precision at 100 then depends on the sorting routine. The functions here return the
expected value over all equally likely orders of tied labels, with the lowest and highest values.
With h errors among n tied labels, N labels and H errors above them,

- the first k contain H + (k - N) h / n errors on average, at least H + max(0, k - N - (n - h)) and
  at most H + min(h, k - N);
- the i-th of the tied labels is an error with probability h / n, and there are then
  (i - 1) (h - 1) / (n - 1) others before it on average.

Average precision has a second definition, by thresholds instead of ranks: the sum over distinct
scores of the precision at the last label with the score, weighted by the share of errors with it.
It needs no order, and is what scikit-learn computes.

References
----------
McSherry and Najork (2008), Computing information retrieval performance measures efficiently in the
presence of tied scores, ECIR, for expected values; Klie, Webber and Gurevych (2023), Annotation
error detection: Analyzing the past and present for a more coherent future, Computational
Linguistics 49, for the measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import SummarisedScalars
from annobench.resampling.ratios import ratio

__all__ = [
    "OverOrders",
    "average_precision",
    "average_precision_over_orders",
    "average_precision_replicates",
    "precision_at",
    "precision_replicates",
    "recall_at",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: In place of no labels at all, where there are no errors either.
_TINY: Final = 1e-300


@dataclass(frozen=True)
class OverOrders(SummarisedScalars):
    """A score over all orders of labels with equal scores.

    Attributes
    ----------
    expected : float
        Mean over the orders.
    lowest, highest : float
        Scores with errors last, and first, among tied labels.
    """

    expected: float
    lowest: float
    highest: float


def average_precision(is_error: ArrayLike, score: ArrayLike) -> float:
    """Compute average precision by thresholds, which does not depend on the order of ties.

    Parameters
    ----------
    is_error : array_like of bool, shape (N,)
        Whether each label is an error; at least one is.
    score : array_like, shape (N,)
        Higher where an error is more likely.

    Returns
    -------
    float
        In (0, 1]; the share of errors if all scores are equal.

    Raises
    ------
    AnnotationError
        If the lengths differ, a score is not a number, or there is no error.

    Examples
    --------
    The first of two errors has the highest score, the other shares a score with a correct label:

    >>> average_precision([True, True, False], [3, 1, 1])  # (1 + 2/3) / 2
    0.8333333333333333
    """
    errors, groups = _checked(is_error, score, "average_precision")
    return float(_by_thresholds(*groups.sums(errors)))


def average_precision_over_orders(is_error: ArrayLike, score: ArrayLike) -> OverOrders:
    """Compute average precision by ranks, over all orders of tied labels.

    Parameters
    ----------
    is_error, score : array_like, shape (N,)
        As for `average_precision`.

    Returns
    -------
    OverOrders
        Each value in (0, 1]; all are equal if there are no ties.

    Raises
    ------
    AnnotationError
        As for `average_precision`.

    Examples
    --------
    >>> found = average_precision_over_orders([True, True, False], [3, 1, 1])
    >>> found.lowest, found.highest  # the second error is the third, or the second
    (0.8333333333333333, 1.0)
    """
    errors, groups = _checked(is_error, score, "average_precision_over_orders")
    n, hits = groups.sums(errors)
    above, found = (np.concatenate([[0.0], values.cumsum()[:-1]]) for values in (n, hits))
    group = np.repeat(np.arange(n.size), n.astype(np.int64))
    place = np.arange(1, errors.size + 1)
    before = place - 1 - above[group]
    others = before * (hits[group] - 1) / np.maximum(n[group] - 1, 1)
    chance = hits[group] / n[group]
    expected = (chance * (found[group] + 1 + others) / place).sum() / hits.sum()
    values = _numbers(score)
    ends = (_in_order(errors[np.lexsort((later, -values))]) for later in (errors, ~errors))
    return OverOrders(float(expected), *ends)


def precision_at(is_error: ArrayLike, score: ArrayLike, k: int) -> OverOrders:
    """Compute the share of errors among the k labels with the highest scores.

    Parameters
    ----------
    is_error, score : array_like, shape (N,)
        As for `average_precision`.
    k : int
        Number of labels checked, from 1 to N.

    Returns
    -------
    OverOrders
        In [0, 1]; all values are equal if the k-th label is not tied with a lower one.

    Raises
    ------
    AnnotationError
        As for `average_precision`, or if there are fewer than k labels.

    Examples
    --------
    >>> precision_at([True, False, True, False], [1, 1, 1, 0], 2)
    OverOrders: expected = 0.666667, lowest = 0.5, highest = 1
    """
    found, _ = _hits(is_error, score, k, "precision_at")
    return OverOrders(*(value / k for value in found))


def recall_at(is_error: ArrayLike, score: ArrayLike, k: int) -> OverOrders:
    """Compute the share of all errors that are among the k labels with the highest scores.

    Parameters
    ----------
    is_error, score : array_like, shape (N,)
        As for `average_precision`.
    k : int
        Number of labels checked, from 1 to N.

    Returns
    -------
    OverOrders
        In [0, 1].

    Raises
    ------
    AnnotationError
        As for `precision_at`.

    Examples
    --------
    >>> recall_at([True, False, True, False], [3, 2, 1, 0], 2).expected
    0.5
    """
    found, n_errors = _hits(is_error, score, k, "recall_at")
    return OverOrders(*(value / n_errors for value in found))


def average_precision_replicates(
    is_error: ArrayLike, score: ArrayLike, counts: ArrayLike
) -> Floats:
    """Compute average precision by thresholds on resampled labels.

    Parameters
    ----------
    is_error, score : array_like, shape (N,)
        As for `average_precision`.
    counts : array_like, shape (B, N)
        Multiplicity of each label in each sample; if items are resampled, labels of an item have
        the same count.

    Returns
    -------
    ndarray, shape (B,)
        NaN for a sample without an error.

    Raises
    ------
    AnnotationError
        As for `average_precision`, or if there is not one count for each label.

    Examples
    --------
    >>> average_precision_replicates([True, False], [0, 1], [[1, 1], [2, 0]])
    array([0.5, 1. ])
    """
    errors, groups = _checked(is_error, score, "average_precision_replicates")
    n, hits = groups.sums(errors, _counts(counts, errors.size, "average_precision_replicates"))
    return _by_thresholds(n, hits)


def precision_replicates(
    is_error: ArrayLike, score: ArrayLike, k: int, counts: ArrayLike
) -> Floats:
    """Compute expected precision at k on resampled labels.

    Parameters
    ----------
    is_error, score : array_like, shape (N,)
        As for `average_precision`.
    k : int
        Number of labels checked.
    counts : array_like, shape (B, N)
        As of `average_precision_replicates`; each sample has at least k labels.

    Returns
    -------
    ndarray, shape (B,)
        Expected over the orders of labels with equal scores.

    Raises
    ------
    AnnotationError
        As of `average_precision_replicates`, or if a sample has fewer than k labels.

    Examples
    --------
    >>> precision_replicates([True, False], [0, 1], 1, [[1, 1], [2, 0]])
    array([0., 1.])
    """
    caller = "precision_replicates"
    errors, groups = _checked(is_error, score, caller)
    n, hits = groups.sums(errors, _counts(counts, errors.size, caller))
    if not 1 <= k <= n.sum(axis=-1).min():
        raise AnnotationError(
            f"{caller}: k is {k}, but a sample has {n.sum(axis=-1).min():g} labels. Give a smaller "
            "k of at least 1."
        )
    above = n.cumsum(axis=-1) - n
    checked = np.clip(k - above, 0, n)
    return np.asarray((checked * hits / np.maximum(n, _TINY)).sum(axis=-1) / k)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Groups of tied labels in decreasing order of score."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    def sums(self, errors: Bools, counts: Floats | None = None) -> tuple[Floats, Floats]:
        """Return the labels and the errors of each group, shape (..., G)."""
        weight = np.ones(errors.size) if counts is None else counts
        both = (weight[..., self.order], (weight * errors)[..., self.order])
        n, hits = (np.add.reduceat(values, self.starts, axis=-1) for values in both)
        return n, hits


def _numbers(score: ArrayLike) -> Floats:
    """Return scores as numbers."""
    return np.asarray(score, dtype=np.float64)


def _checked(is_error: ArrayLike, score: ArrayLike, caller: str) -> tuple[Bools, _Groups]:
    errors, values = np.asarray(is_error), _numbers(score)
    if errors.dtype.kind != "b" or errors.ndim != 1 or errors.shape != values.shape:
        raise AnnotationError(
            f"{caller}: needs a truth value and a score for each label, got {errors.dtype} of "
            f"shape {errors.shape} and scores of shape {values.shape}. Give two arrays of one "
            "length."
        )
    if not errors.any() or not np.isfinite(values).all():
        what = "a score is not a finite number" if errors.any() else "no label is an error"
        raise AnnotationError(f"{caller}: {what}. Leave out labels without a score.")
    order = np.argsort(-values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=np.inf))
    return errors, _Groups(order, starts)


def _counts(counts: ArrayLike, n_labels: int, caller: str) -> Floats:
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != n_labels or not (table >= 0).all():
        raise AnnotationError(
            f"{caller}: counts of shape {table.shape} for {n_labels} labels. Give each sample a "
            "row and each label a column of numbers that are at least 0."
        )
    return table


def _by_thresholds(n: Floats, hits: Floats) -> Floats:
    precision = hits.cumsum(axis=-1) / np.maximum(n.cumsum(axis=-1), _TINY)
    return np.asarray(ratio((hits * precision).sum(axis=-1), hits.sum(axis=-1)))


def _in_order(errors: Bools) -> float:
    """Return average precision of labels in the order in which they are checked."""
    place = np.flatnonzero(errors) + 1
    return float((np.arange(1, place.size + 1) / place).mean())


def _hits(
    is_error: ArrayLike, score: ArrayLike, k: int, caller: str
) -> tuple[tuple[float, float, float], float]:
    """Return the expected, minimum and maximum errors among the first k, and all errors."""
    errors, groups = _checked(is_error, score, caller)
    if not 1 <= k <= errors.size:
        raise AnnotationError(
            f"{caller}: k is {k}, but there are {errors.size} labels. Give a k from 1 to this."
        )
    n, hits = groups.sums(errors)
    group = int(np.searchsorted(n.cumsum(), k))
    above, found = n[:group].sum(), hits[:group].sum()
    checked, tied, wrong = k - above, n[group], hits[group]
    expected = found + checked * wrong / tied
    ends = found + max(0.0, checked - (tied - wrong)), found + min(wrong, checked)
    return (float(expected), float(ends[0]), float(ends[1])), float(hits.sum())
