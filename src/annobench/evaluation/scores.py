"""Scores against a gold standard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised, SummarisedScalars
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models.base import best_categories
from annobench.resampling.ratios import ratio

__all__ = [
    "CategoryScores",
    "Errors",
    "category_scores",
    "compare_lists",
    "confusion_counts",
    "count_errors",
    "recall_by_category",
]


@dataclass(frozen=True)
class Errors(SummarisedScalars):
    """Errors of a labelling, excluding ties.

    Attributes
    ----------
    errors : int
        Number of items with a single best category that is wrong.
    ties : int
        Number of items with several best categories.
    expected_errors : float
        `errors` plus the expected errors if ties are broken at random.
    expected_accuracy : float
        ``1 - expected_errors / I``, in [0, 1].
    """

    errors: int
    ties: int
    expected_errors: float
    expected_accuracy: float


def count_errors(posterior: NDArray[np.float64], gold: ArrayLike) -> Errors:
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
        If there are no items, a probability is NaN, or the gold standard does not give each
        item the code of one category.

    References
    ----------
    Carpenter (2008), section 4, for two categories.

    Examples
    --------
    >>> count_errors(np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]), np.array([0, 0, 0]))
    Errors: errors = 1, ties = 1, expected_errors = 1.5, expected_accuracy = 0.5
    """
    gold = _check_gold("count_errors", gold, *posterior.shape)
    if np.isnan(posterior).any():
        raise AnnotationError(
            f"count_errors: {int(np.isnan(posterior).any(axis=1).sum())} items have NaN for a "
            "probability. Leave them out, or give them shares."
        )
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
    annotations = as_annotations(annotations, "confusion_counts")
    k = annotations.n_categories
    gold = _check_gold("confusion_counts", gold, annotations.n_items, k)
    flat = (annotations.annotator.astype(np.int64) * k + gold[annotations.item]) * k
    counts = np.bincount(flat + annotations.label, minlength=annotations.n_annotators * k * k)
    return counts.reshape(-1, k, k).astype(np.int64)


def recall_by_category(counts: NDArray[np.int64]) -> NDArray[np.float64]:
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


@dataclass(frozen=True, eq=False)
class CategoryScores(Summarised):
    """Precision, recall and F-score of each category, and their summaries.

    Attributes
    ----------
    precision, recall, f_score : ndarray, shape (..., K)
        In [0, 1]. Precision is NaN for a category without labels, recall for one without items; the
        F-score is NaN for one with neither.
    macro_precision, macro_recall : ndarray, shape (...)
        Means over the categories that occur in gold or labels, with NaN counted as 0.
    f1_of_averages : ndarray, shape (...)
        Harmonic mean of `macro_precision` and `macro_recall`.
    averaged_f1 : ndarray, shape (...)
        Mean of the categories' F-scores.
    accuracy : ndarray, shape (...)
        Share of correct labels; with one label per item it is precision, recall and F-score pooled
        over categories (micro average).
    """

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f_score: NDArray[np.float64]
    macro_precision: NDArray[np.float64]
    macro_recall: NDArray[np.float64]
    f1_of_averages: NDArray[np.float64]
    averaged_f1: NDArray[np.float64]
    accuracy: NDArray[np.float64]

    def summary(self) -> pd.DataFrame:
        """Return the scores of the categories.

        Returns
        -------
        DataFrame
            One row per category: precision, recall, f_score; the index `category` is its code. For
            several confusion matrices the index is matrix and category.
        """
        matrices, categories = np.size(self.accuracy), self.precision.shape[-1]
        index = pd.MultiIndex.from_product(
            [range(matrices), range(categories)], names=["matrix", "category"]
        )
        scores = {name: getattr(self, name).ravel() for name in ("precision", "recall", "f_score")}
        table = pd.DataFrame(scores, index)
        return table if np.ndim(self.accuracy) else table.droplevel("matrix")

    def _headline(self) -> str:
        categories = f"{self.precision.shape[-1]} categories"
        if np.ndim(self.accuracy):
            return f"{np.size(self.accuracy)} confusion matrices of {categories}"
        return (
            f"accuracy {self.accuracy:.4g}, F1 of averages {self.f1_of_averages:.4g}, "
            f"averaged F1 {self.averaged_f1:.4g} ({categories})"
        )


def category_scores(counts: ArrayLike) -> CategoryScores:
    """Score confusion matrices by category.

    Parameters
    ----------
    counts : array_like, shape (..., K, K)
        ``[..., k, l]``: labels l given to items of gold category k, such as from
        `confusion_counts`; shares are allowed.

    Returns
    -------
    CategoryScores
        One value, or one per category, for each matrix.

    Raises
    ------
    AnnotationError
        If the matrices are not square, or an entry is negative or not finite.

    Notes
    -----
    Two summaries are called macro F: the harmonic mean of the mean precision and the mean recall,
    here `f1_of_averages`, and the mean of the F-scores, here `averaged_f1`. The first is at least
    as large as the second. All are NaN for a matrix without labels.

    References
    ----------
    Berthelin et al. (2008), section 4, for the name "strict F-score". Their Table 7 and 8
    together fit the first form alone.

    Examples
    --------
    >>> scores = category_scores([[30, 0], [4, 26]])
    >>> scores.precision  # 30/34 and 26/26
    array([0.88235294, 1.        ])
    >>> scores.recall  # 30/30 and 26/30
    array([1.        , 0.86666667])
    >>> round(float(scores.f1_of_averages), 3), round(float(scores.averaged_f1), 3)
    (0.937, 0.933)
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2]:
        raise AnnotationError(
            f"category_scores: a confusion matrix must be square, got shape {table.shape}. "
            "Give every category, even an empty one, a row and a column."
        )
    if not np.isfinite(table).all() or (table < 0).any():
        raise AnnotationError(
            "category_scores: counts must be finite and at least 0. Correct the matrix."
        )
    right = np.diagonal(table, axis1=-2, axis2=-1)
    gold, named = table.sum(axis=-1), table.sum(axis=-2)
    precision, recall = ratio(right, named), ratio(right, gold)
    f_score = ratio(2 * right, gold + named)
    occurs = gold + named > 0
    macro_precision, macro_recall, averaged_f1 = (
        ratio(np.where(occurs, np.nan_to_num(part), 0).sum(axis=-1), occurs.sum(axis=-1))
        for part in (precision, recall, f_score)
    )
    return CategoryScores(
        precision=precision,
        recall=recall,
        f_score=f_score,
        macro_precision=macro_precision,
        macro_recall=macro_recall,
        # Nothing right at all: both means are 0, and so is what lies between them.
        f1_of_averages=np.where(
            (macro_precision == 0) & (macro_recall == 0),
            0.0,
            ratio(2 * macro_precision * macro_recall, macro_precision + macro_recall),
        ),
        averaged_f1=averaged_f1,
        accuracy=ratio(right.sum(axis=-1), gold.sum(axis=-1)),
    )


def _check_gold(caller: str, gold: ArrayLike, n_items: int, n_categories: int) -> NDArray[np.int64]:
    """Return the gold codes as integers after checking them."""
    codes = np.asarray(gold)
    if n_items == 0:
        raise AnnotationError(f"{caller}: there are no items to score. Give at least one.")
    if codes.shape != (n_items,):
        raise AnnotationError(
            f"{caller}: got {codes.size} gold categories for {n_items} items. Give each item one."
        )
    if codes.dtype.kind not in "bui":
        raise AnnotationError(
            f"{caller}: gold must be codes of categories, whole numbers in [0, {n_categories}), "
            f"got {codes.dtype}. Leave out items without a gold category and give codes."
        )
    codes = codes.astype(np.int64)  # booleans would be taken for a mask
    outside = codes[(codes < 0) | (codes >= n_categories)]
    if outside.size:
        # A negative code would count from the end.
        raise AnnotationError(
            f"{caller}: gold category {outside[0]} is not in [0, {n_categories}). "
            "Leave out items without a gold category."
        )
    return codes


def compare_lists(lists: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Compare lists of items pairwise: overlap, and overlap expected by chance.

    Parameters
    ----------
    lists : mapping of str to array_like of bool, shape (I,)
        By name, whether an item is in the list.

    Returns
    -------
    DataFrame
        One row per pair: `first`, `second`, `in_first`, `in_second`, `in_both`,
        `share_of_second` (NaN if it is empty), `expected_by_chance`, `jaccard` (NaN if both
        are empty), and the p-value of Fisher's exact test.

    Raises
    ------
    ValueError
        If the lists differ in length.

    Examples
    --------
    >>> compare_lists({"a": [1, 1, 0, 0], "b": [1, 0, 0, 0]})["in_both"].tolist()
    [1]
    """
    masks = {name: np.asarray(inside, dtype=bool) for name, inside in lists.items()}
    if len({mask.shape for mask in masks.values()}) > 1:
        raise ValueError(
            "compare_lists: the lists have different lengths. Mark every item as in or out."
        )
    rows = []
    for (first, a), (second, b) in combinations(masks.items(), 2):
        both = int((a & b).sum())
        table = np.array([[both, (a & ~b).sum()], [(~a & b).sum(), (~a & ~b).sum()]])
        rows.append(
            {
                "first": first,
                "second": second,
                "in_first": int(a.sum()),
                "in_second": int(b.sum()),
                "in_both": both,
                "share_of_second": float(ratio(both, b.sum())),
                "expected_by_chance": float(ratio(a.sum() * b.sum(), a.size)),
                "jaccard": float(ratio(both, (a | b).sum())),
                "fisher_p": float(scipy.stats.fisher_exact(table).pvalue),
            }
        )
    return pd.DataFrame(rows)
