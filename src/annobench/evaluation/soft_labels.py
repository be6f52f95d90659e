r"""Disagreement as data: distributions of labels, and scores of predicted distributions.

If a question has no single correct answer, the target of an item is the distribution t of its
labels over K categories, its *soft label*. A prediction p is scored by the mean over items of

- the Manhattan distance, sum over k of ``|p_k - t_k|``, in [0, 2];
- the Wasserstein distance of ordered categories, the mass to be moved times the distance: sum over
  k of ``|P_k - T_k|`` with the distribution functions P and T;
- the cross-entropy, ``- sum over k of t_k log p_k``, in nats, never below the entropy of t.

A perspectivist prediction names the label of each annotator. Its error rate is the mean over items
of the share of wrongly predicted labels, and for ordered categories the mean distance as a share of
the scale. These are the scores of the shared tasks on learning with disagreements (LeWiDi).

A classifier is calibrated to humans if it predicts the distribution of an item's labels, not the
category that most annotators chose. Three quantities are compared per item (Baan et al. 2022):

- the probabilities (DistCE): the total variation distance, half of the Manhattan distance;
- the uncertainty (EntCE): the absolute difference of the entropies of p and t, in nats;
- the ranking (RankCS): whether p and t put the categories in the same order.

The first two are errors, the last is a score; all are averaged over items. Calibration to the
majority (ECE) is different: for the prediction t itself, which always predicts the majority
correctly, the ECE is the mean share of labels against the majority.

Leonardelli et al. (2023), SemEval-2023 task 11; Rizzi et al. (2024), NLPerspectives, for the
distances in place of cross-entropy; the evaluation notebook of LeWiDi 2025; Baan, Aziz, Plank and
Fernandez (2022), Stop measuring calibration when humans disagree, EMNLP.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import SummarisedScalars
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.resampling.ratios import ratio

__all__ = [
    "FLOOR",
    "HumanCalibration",
    "PerspectivistScores",
    "SoftScores",
    "Ties",
    "calibration_to_humans",
    "perspectivist_scores",
    "soft_labels",
    "soft_scores",
]

Floats = NDArray[np.float64]
#: Which of several categories with equal values ranks highest; "expected": any, equally likely.
Ties = Literal["expected", "first", "last"]

#: Probabilities below this count as this much in the cross-entropy, which would be infinite.
FLOOR: Final = 1e-12
#: How far a distribution may be from summing to 1: shares are often rounded to two places.
ROUNDED_SUM_TO_ONE: Final = 0.011


@dataclass(frozen=True)
class SoftScores(SummarisedScalars):
    """Distances between predicted distributions and those of the labels.

    Attributes
    ----------
    manhattan : float
        Mean over items, in [0, 2].
    wasserstein : float
        Mean over items, in [0, K - 1]; meaningful for ordered categories.
    cross_entropy : float
        Mean over items, in nats.
    entropy : float
        Mean entropy of the targets, the minimum of the cross-entropy.
    n_items : int
        Number of items scored.
    """

    manhattan: float
    wasserstein: float
    cross_entropy: float
    entropy: float
    n_items: int


def soft_labels(annotations: Annotations) -> Floats:
    """Return the distribution of each item's labels.

    Parameters
    ----------
    annotations : Annotations
        The labels; each repeated label counts.

    Returns
    -------
    ndarray, shape (I, K)
        Rows sum to 1, or are NaN for an item without labels.

    Examples
    --------
    >>> soft_labels(Annotations.from_arrays(list("xxxy"), list("abca"), list("0110"))).round(2)
    array([[0.33, 0.67],
           [1.  , 0.  ]])
    """
    annotations = as_annotations(annotations, "soft_labels")
    counts = annotations.counts
    return ratio(counts, counts.sum(axis=1, keepdims=True))


def soft_scores(predicted: ArrayLike, target: ArrayLike) -> SoftScores:
    """Score predicted distributions.

    Parameters
    ----------
    predicted, target : array_like, shape (I, K)
        Rows sum to 1. Items whose target is NaN are left out.

    Returns
    -------
    SoftScores
        Means over items.

    Raises
    ------
    AnnotationError
        If the shapes differ, no item is left, or a row is not a distribution.

    Examples
    --------
    >>> scores = soft_scores([[0.5, 0.5], [1, 0]], [[1, 0], [1, 0]])
    >>> scores.manhattan, scores.wasserstein, round(scores.cross_entropy, 4)
    (0.5, 0.25, 0.3466)
    """
    p, t = _distributions(predicted, target, "soft_scores")
    apart = p - t
    return SoftScores(
        float(np.abs(apart).sum(axis=1).mean()),
        float(np.abs(np.cumsum(apart, axis=1))[:, :-1].sum(axis=1).mean()),
        float(-(t * np.log(np.maximum(p, FLOOR))).sum(axis=1).mean()),
        float(_entropy(t).mean()),
        len(t),
    )


@dataclass(frozen=True)
class HumanCalibration(SummarisedScalars):
    """How well predicted distributions are calibrated to those of the labels.

    Attributes
    ----------
    distance : float
        DistCE: mean total variation distance, in [0, 1].
    entropy_error : float
        EntCE: mean absolute difference of the entropies, in nats.
    ranking : float
        RankCS: share of items whose categories are in the same order, in [0, 1].
    accuracy : float
        Share of items whose most probable category is the most frequent one, in [0, 1].
    n_items : int
        Number of items scored.
    item_distance, item_entropy_error, item_ranking, item_correct : ndarray, shape (n_items,)
        Values by item, of which the first four attributes are means.
    """

    distance: float
    entropy_error: float
    ranking: float
    accuracy: float
    n_items: int
    item_distance: Floats
    item_entropy_error: Floats
    item_ranking: Floats
    item_correct: Floats


def calibration_to_humans(
    predicted: ArrayLike, target: ArrayLike, *, ties: Ties = "expected"
) -> HumanCalibration:
    """Compare predicted distributions with those of the labels, item by item.

    Parameters
    ----------
    predicted, target : array_like, shape (I, K)
        Rows sum to 1. Items whose target is NaN are left out.
    ties : {"expected", "first", "last"}, default "expected"
        How ties are broken, in predictions and targets: "first", as argmax does; "last", as a
        stable ascending sort does; "expected" takes the expected value when ties are broken at
        random, independently on either side.

    Returns
    -------
    HumanCalibration
        Means over items, and the values of the items.

    Raises
    ------
    AnnotationError
        If the shapes differ, no item is left, or a row is not a distribution.
    ValueError
        If `ties` is invalid.

    Examples
    --------
    >>> found = calibration_to_humans([[0.5, 0.3, 0.2]], [[0.7, 0.2, 0.1]])
    >>> round(found.distance, 2), found.ranking
    (0.2, 1.0)
    """
    if ties not in get_args(Ties):
        raise ValueError(
            f"calibration_to_humans: ties {ties!r} is not one of {', '.join(get_args(Ties))}."
        )
    p, t = _distributions(predicted, target, "calibration_to_humans")
    if ties == "expected":
        ranking, correct = _same_order(p, t), _same_top(p, t)
    else:
        orders = [_order(rows, ties) for rows in (p, t)]
        same = orders[0] == orders[1]
        ranking, correct = same.all(axis=1).astype(float), same[:, -1].astype(float)
    distance = np.abs(p - t).sum(axis=1) / 2
    apart = np.abs(_entropy(p) - _entropy(t))
    return HumanCalibration(
        distance=float(distance.mean()),
        entropy_error=float(apart.mean()),
        ranking=float(ranking.mean()),
        accuracy=float(correct.mean()),
        n_items=len(t),
        item_distance=distance,
        item_entropy_error=apart,
        item_ranking=ranking,
        item_correct=correct,
    )


def _distributions(predicted: ArrayLike, target: ArrayLike, caller: str) -> tuple[Floats, Floats]:
    """Return predictions and targets of the items that have targets."""
    p, t = np.asarray(predicted, dtype=np.float64), np.asarray(target, dtype=np.float64)
    if p.shape != t.shape or p.ndim != 2:
        raise AnnotationError(
            f"{caller}: predictions of shape {p.shape} for targets of shape {t.shape}. Give "
            "each item a row and each category a column."
        )
    known = ~np.isnan(t).any(axis=1)
    p, t = p[known], t[known]
    for name, rows in (("prediction", p), ("target", t)):
        # Written so that NaN is refused, too.
        near = abs(rows.sum(1) - 1) <= ROUNDED_SUM_TO_ONE
        if not rows.size or not ((rows >= 0).all() and near.all()):
            raise AnnotationError(
                f"{caller}: a {name} is not a distribution, or there is none. Each row must be at "
                "least 0 and sum to 1."
            )
    return p, t


def _entropy(rows: Floats) -> Floats:
    return np.asarray(-(rows * np.log(np.where(rows > 0, rows, 1))).sum(axis=1))


def _order(rows: Floats, ties: Ties) -> NDArray[np.int64]:
    """Return the categories from the lowest value to the highest."""
    if ties == "last":
        return np.argsort(rows, axis=1, kind="stable")
    return np.argsort(-rows, axis=1, kind="stable")[:, ::-1]


def _same_order(p: Floats, t: Floats) -> Floats:
    """Return the probability that both orders are the same if ties are broken at random.

    An order is shared if it breaks the ties of both sides.
    """
    signs = [np.sign(rows[:, :, None] - rows[:, None, :]) for rows in (p, t)]
    possible = (signs[0] * signs[1] >= 0).all(axis=(1, 2))
    ties_of_p, ties_of_t = (each == 0 for each in signs)
    shared = _n_orders(ties_of_p & ties_of_t)
    return np.where(possible, shared / (_n_orders(ties_of_p) * _n_orders(ties_of_t)), 0.0)


def _n_orders(tied: NDArray[np.bool_]) -> Floats:
    """Return the number of orders of tied categories, shape (I,)."""
    size = tied.sum(axis=2)
    # Each of n tied categories contributes the n-th root of n!.
    root = np.array([1.0] + [np.log(float(factorial(n))) / n for n in range(1, tied.shape[1] + 1)])
    return np.asarray(np.round(np.exp(root[size].sum(axis=1))))


def _same_top(p: Floats, t: Floats) -> Floats:
    """Return the probability that both have the same highest category, ties broken at random."""
    tops = [rows == rows.max(axis=1, keepdims=True) for rows in (p, t)]
    return np.asarray((tops[0] & tops[1]).sum(axis=1) / (tops[0].sum(axis=1) * tops[1].sum(axis=1)))


@dataclass(frozen=True)
class PerspectivistScores(SummarisedScalars):
    """Scores of predictions of individual annotators' labels.

    Attributes
    ----------
    error_rate : float
        Mean over items of the share of labels predicted wrongly, in [0, 1].
    absolute_distance : float
        Mean over items of the mean distance between label and prediction in categories, as a share
        of the scale, in [0, 1]; meaningful for ordered categories.
    n_items, n_labels : int
        Numbers of items and labels scored.
    """

    error_rate: float
    absolute_distance: float
    n_items: int
    n_labels: int


def perspectivist_scores(annotations: Annotations, predicted: ArrayLike) -> PerspectivistScores:
    """Score predictions of each annotator's labels.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    predicted : array_like of int, shape (N,)
        The predicted code for each label.

    Returns
    -------
    PerspectivistScores
        Means over items with equal weight.

    Raises
    ------
    AnnotationError
        If there is not one code of a category for each label.

    Notes
    -----
    The scale is the number of categories minus one. The notebook of LeWiDi 2025 divides by fixed
    numbers for its data sets (11 and 6).

    Examples
    --------
    >>> labels = Annotations.from_arrays(list("xxy"), list("aba"), ["1", "3", "2"])
    >>> perspectivist_scores(labels, [0, 0, 1]).error_rate  # half of x, none of y
    0.25
    """
    annotations = as_annotations(annotations, "perspectivist_scores")
    codes = np.asarray(predicted)
    outside = codes.dtype.kind not in "ui" or codes.shape != annotations.label.shape
    if outside or not codes.size or codes.min() < 0 or codes.max() >= annotations.n_categories:
        raise AnnotationError(
            "perspectivist_scores: needs the code of a category, in "
            f"[0, {annotations.n_categories}), for each of {annotations.n_labels} labels."
        )
    size = np.bincount(annotations.item, minlength=annotations.n_items)
    each = 1 / size[annotations.item]
    apart = np.abs(codes.astype(np.int64) - annotations.label)
    n_items = int((size > 0).sum())
    scale = max(annotations.n_categories - 1, 1)
    return PerspectivistScores(
        float(((apart > 0) * each).sum() / n_items),
        float((apart * each).sum() / scale / n_items),
        n_items,
        annotations.n_labels,
    )
