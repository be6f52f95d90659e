"""Scores of classifiers that may abstain: precision, recall, coverage, risk-coverage curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from annobench.core.errors import AnnotationError
from annobench.core.results import SummarisedScalars, axes_or_new
from annobench.resampling.ratios import ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "ABSTAIN",
    "AbstainingScores",
    "RiskCoverage",
    "abstaining_scores",
    "possible_answers",
    "risk_coverage",
]

#: The code of an answer that was not given.
ABSTAIN = -1


@dataclass(frozen=True, eq=False)
class AbstainingScores(SummarisedScalars):
    """Scores of answers with abstentions.

    Attributes
    ----------
    coverage : float
        Share of items with an answer, in [0, 1].
    accuracy : float
        Share of all items with the correct answer; abstentions count as wrong.
    selective_accuracy : float
        Share of correct answers among those given; NaN if there are none.
    precision : ndarray, shape (K,)
        Share of correct answers among those of a category; NaN for one never given.
    recall : ndarray, shape (K,)
        Share of a category's items with the correct answer; NaN for one without items.
    """

    coverage: float
    accuracy: float
    selective_accuracy: float
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]


def abstaining_scores(answer: ArrayLike, gold: ArrayLike, n_categories: int) -> AbstainingScores:
    """Score answers with abstentions.

    Parameters
    ----------
    answer : array_like of int, shape (I,)
        Codes of categories in [0, K), or `ABSTAIN`.
    gold : array_like of int, shape (I,)
        Codes of the gold categories, in [0, K).
    n_categories : int
        K.

    Returns
    -------
    AbstainingScores
        Coverage, accuracies, and precision and recall of each category.

    Raises
    ------
    AnnotationError
        If there are no items, the two differ in length, or a code is out of range.

    Examples
    --------
    >>> scores = abstaining_scores([0, 0, -1, 1], [0, 1, 1, 1], 2)
    >>> scores.coverage, scores.accuracy  # 3 of 4 answered, 2 of 4 right
    (0.75, 0.5)
    >>> scores.precision, scores.recall  # 1 of 2 and 1 of 1; 1 of 1 and 1 of 3
    (array([0.5, 1. ]), array([1.        , 0.33333333]))
    """
    given, truth = np.asarray(answer), np.asarray(gold)
    if given.ndim != 1 or given.shape != truth.shape or not given.size:
        raise AnnotationError(
            f"abstaining_scores: answers of shape {given.shape} for gold categories of shape "
            f"{truth.shape}. Give both for every item, and at least one item."
        )
    for name, codes, lowest in (("answer", given, ABSTAIN), ("gold category", truth, 0)):
        if codes.dtype.kind not in "bui" or codes.min() < lowest or codes.max() >= n_categories:
            raise AnnotationError(
                f"abstaining_scores: each {name} must be a whole number in "
                f"[{lowest}, {n_categories}). Give codes of categories."
            )
    answered = given != ABSTAIN
    right = given == truth
    n_right = np.bincount(truth[right], minlength=n_categories)
    return AbstainingScores(
        coverage=float(answered.mean()),
        accuracy=float(right.mean()),
        selective_accuracy=float(ratio(right.sum(), answered.sum())),
        precision=ratio(n_right, np.bincount(given[answered], minlength=n_categories)),
        recall=ratio(n_right, np.bincount(truth, minlength=n_categories)),
    )


@dataclass(frozen=True, eq=False)
class RiskCoverage(SummarisedScalars):
    """The risk of a classifier that answers only its most confident items.

    Attributes
    ----------
    coverage : ndarray, shape (I,)
        1/I, 2/I, ..., 1: the share of items answered.
    risk : ndarray, shape (I,)
        Expected share of errors among the items with the highest confidence at each coverage; ties
        are in random order.
    area : float
        Mean of `risk`, the area under the curve; the error rate if confidence is uninformative.
    smallest_area : float
        The area if all errors come last.
    """

    coverage: NDArray[np.float64]
    risk: NDArray[np.float64]
    area: float
    smallest_area: float

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the risk by coverage.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        axes = axes_or_new(axes)
        axes.plot(self.coverage, self.risk)
        axes.set(xlabel="coverage", ylabel="risk", xlim=(0, 1), ylim=(0, None))
        return axes

    def risk_at(self, coverage: float) -> float:
        """Return the risk at a coverage.

        Parameters
        ----------
        coverage : float
            In (0, 1]; rounded to the nearest number of items, at least one.

        Returns
        -------
        float
            In [0, 1].

        Raises
        ------
        AnnotationError
            If the coverage is not in (0, 1].
        """
        if not 0 < coverage <= 1:
            raise AnnotationError(
                f"risk_at: coverage is {coverage}, but must be in (0, 1]. Give a share of items."
            )
        return float(self.risk[max(round(coverage * self.risk.size), 1) - 1])


def risk_coverage(confidence: ArrayLike, correct: ArrayLike) -> RiskCoverage:
    """Compute the risk-coverage curve of a classifier.

    Parameters
    ----------
    confidence : array_like, shape (I,)
        The classifier's confidence in each answer; only the order matters.
    correct : array_like of bool, shape (I,)
        Whether the answer is right.

    Returns
    -------
    RiskCoverage
        The curve, and the area under it.

    Raises
    ------
    AnnotationError
        If there are no items, the two differ in length, or a confidence is NaN.

    Notes
    -----
    Among items of equal confidence, errors are equally likely at each rank, so the curve is exact
    and needs no seed. Time is that of sorting.

    References
    ----------
    El-Yaniv and Wiener (2010), Journal of Machine Learning Research 11, section 2, for the
    curve; Geifman and El-Yaniv (2017), for its use with a confidence.

    Examples
    --------
    >>> curve = risk_coverage([0.9, 0.8, 0.7, 0.6], [True, True, False, True])
    >>> curve.risk  # 0/1, 0/2, 1/3, 1/4
    array([0.        , 0.        , 0.33333333, 0.25      ])
    """
    sure, right = np.asarray(confidence, dtype=np.float64), np.asarray(correct, dtype=bool)
    if sure.ndim != 1 or sure.shape != right.shape or not sure.size:
        raise AnnotationError(
            f"risk_coverage: confidences of shape {sure.shape} for answers of shape "
            f"{right.shape}. Give both for every item, and at least one item."
        )
    if np.isnan(sure).any():
        raise AnnotationError(
            "risk_coverage: a confidence is NaN. Give items without an answer the lowest one."
        )
    order = np.argsort(-sure, kind="stable")
    wrong = (~right[order]).astype(np.float64)
    tie = np.unique(-sure[order], return_inverse=True)[1]
    expected = (np.bincount(tie, wrong) / np.bincount(tie))[tie]
    n = np.arange(1, sure.size + 1)
    risk = np.cumsum(expected) / n
    best = np.maximum(n - right.sum(), 0) / n
    return RiskCoverage(n / sure.size, risk, float(risk.mean()), float(best.mean()))


def possible_answers(
    gold_counts: ArrayLike, accuracy: float, precision: ArrayLike, *, half_unit: float = 0.005
) -> tuple[tuple[float, float], NDArray[np.float64]]:
    """Bound coverage and recall given rounded accuracy and precision.

    The correct answers of each category are unknown, but are at most its number of items, sum to
    the accuracy, and divided by the precision give the number of answers. Linear programs find the
    bounds.

    Parameters
    ----------
    gold_counts : array_like, shape (K,)
        Items of each category, at least one in all.
    accuracy : float
        Share of all items with the correct answer; abstentions count as wrong.
    precision : array_like, shape (K,)
        Share of correct answers among those of each category; NaN for one never given.
    half_unit : float, default 0.005
        Half a unit of the last printed digit, for both accuracy and precision.

    Returns
    -------
    tuple of ((float, float), ndarray of shape (K, 2))
        Minimum and maximum of coverage, and of each category's recall; NaN for one without items.

    Raises
    ------
    AnnotationError
        If the two differ in length, there is no item, or no numbers of correct answers are
        consistent.

    Examples
    --------
    >>> possible_answers([10, 10], 0.5, [1.0, 1.0], half_unit=0)[0]
    (0.5, 0.5)
    """
    gold, p = np.asarray(gold_counts, dtype=np.float64), np.asarray(precision, dtype=np.float64)
    k, n = gold.size, gold.sum()
    if gold.ndim != 1 or gold.shape != p.shape or not (gold >= 0).all() or n == 0:
        raise AnnotationError(
            f"possible_answers: items {gold.tolist()} and precisions {p.tolist()}. Give each "
            "category both, at least one item in all."
        )
    right, answers = np.eye(2 * k)[:k], np.eye(2 * k)[k:]
    every = right.sum(axis=0)
    # What is printed as 1.00 is not more than 1: there are no more right answers than answers.
    low, high = (np.clip(np.nan_to_num(p) + sign * half_unit, 0, 1) for sign in (-1, 1))
    sums = (every, -every, answers.sum(axis=0))
    above = np.vstack([right - high[:, None] * answers, low[:, None] * answers - right, *sums])
    limit = [*np.zeros(2 * k), n * (accuracy + half_unit), n * (half_unit - accuracy), n]
    bounds = [(0, upper) for upper in np.where(np.isnan(p), 0, [gold, np.full(k, n)]).ravel()]

    def ends(share: NDArray[np.float64]) -> tuple[float, float]:
        found = [linprog(sign * share, above, limit, bounds=bounds) for sign in (1, -1)]
        if not all(each.success for each in found):
            raise AnnotationError(
                f"possible_answers: no numbers of correct answers give accuracy {accuracy} with "
                f"precisions {p.tolist()}. Correct one of them."
            )
        lower, upper = (float(np.dot(share, np.asarray(each.x))) for each in found)
        return lower, upper

    recall = [ends(row / g) if g else (np.nan, np.nan) for row, g in zip(right, gold, strict=True)]
    return ends(answers.sum(axis=0) / n), np.array(recall)
