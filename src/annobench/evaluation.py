"""Scores against a gold standard."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annobench.annotations import Annotations
from annobench.errors import AnnotationError
from annobench.models.base import best_categories


@dataclass(frozen=True)
class Errors:
    """Errors of a labelling, ties apart.

    Attributes
    ----------
    errors : int
        Items with one best category, and that a wrong one.
    ties : int
        Items with several best categories.
    expected_errors : float
        `errors`, and what breaking the ties at random adds on average.
    expected_accuracy : float
        ``1 - expected_errors / I``, in [0, 1].
    """

    errors: int
    ties: int
    expected_errors: float
    expected_accuracy: float


def count_errors(posterior: NDArray[np.float64], gold: NDArray[np.integer]) -> Errors:
    """Compare the most probable category of each item with the gold standard.

    Parameters
    ----------
    posterior : ndarray, shape (I, K)
        Probabilities or vote shares.
    gold : ndarray of int, shape (I,)
        Codes of the gold categories, in [0, K).

    Returns
    -------
    Errors
        A tie among t best categories is an error with probability 1 - 1/t if the gold
        category is among them, and 1 if it is not.

    Raises
    ------
    AnnotationError
        If there are no items, or the gold standard does not give each one category.

    References
    ----------
    Carpenter (2008), section 4, for two categories.

    Examples
    --------
    >>> count_errors(np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]), np.array([0, 0, 0]))
    Errors(errors=1, ties=1, expected_errors=1.5, expected_accuracy=0.5)
    """
    _check_gold("count_errors", gold, *posterior.shape)
    best = best_categories(posterior)
    number = best.sum(axis=1)
    right = best[np.arange(gold.size), gold]
    tied = number > 1
    expected = float(np.sum(1 - right / number))
    return Errors(
        errors=int((~right & ~tied).sum()),
        ties=int(tied.sum()),
        expected_errors=expected,
        expected_accuracy=1 - expected / gold.size,
    )


def confusion_counts(annotations: Annotations, gold: NDArray[np.integer]) -> NDArray[np.int64]:
    """Count each annotator's labels by gold category.

    Parameters
    ----------
    annotations : Annotations
        J annotators, K categories.
    gold : ndarray of int, shape (I,)
        Codes of the gold categories, in [0, K).

    Returns
    -------
    ndarray of int, shape (J, K, K)
        ``[j, k, l]``: labels l that annotator j gave to items of gold category k.

    Raises
    ------
    AnnotationError
        If there are no items, or the gold standard does not give each one category.
    """
    k = annotations.n_categories
    _check_gold("confusion_counts", gold, annotations.n_items, k)
    flat = (annotations.annotator.astype(np.int64) * k + gold[annotations.item]) * k
    counts = np.bincount(flat + annotations.label, minlength=annotations.n_annotators * k * k)
    return counts.reshape(-1, k, k).astype(np.int64)


def diagonal_rates(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide the diagonals of confusion matrices by their row sums.

    Parameters
    ----------
    counts : ndarray of int, shape (J, K, K)
        As from `confusion_counts`.

    Returns
    -------
    ndarray, shape (J, K)
        For K = 2, column 1 is the sensitivity and column 0 the specificity; NaN where an
        annotator labelled no item of that category.
    """
    right = np.diagonal(counts, axis1=1, axis2=2)
    total = counts.sum(axis=2)
    rates = np.full(right.shape, np.nan)
    np.divide(right, total, out=rates, where=total > 0)
    return rates


def _check_gold(caller: str, gold: NDArray[np.integer], n_items: int, n_categories: int) -> None:
    if n_items == 0:
        raise AnnotationError(f"{caller}: there are no items to score. Give at least one.")
    if gold.shape != (n_items,):
        raise AnnotationError(
            f"{caller}: got {gold.size} gold categories for {n_items} items. Give each item one."
        )
    outside = gold[(gold < 0) | (gold >= n_categories)]
    if outside.size:
        # A negative code would count from the end.
        raise AnnotationError(
            f"{caller}: gold category {outside[0]} is not in [0, {n_categories}). "
            "Leave out items without a gold category."
        )
