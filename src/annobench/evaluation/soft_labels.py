r"""Disagreement as data: distributions of labels, and how far predictions are from them.

If a question has no single right answer, the target of an item is the distribution t of its labels
over K categories, its *soft label*. A prediction p of it is scored by the mean over items of

- the Manhattan distance, sum over k of ``|p_k - t_k|``, in [0, 2];
- the Wasserstein distance of ordered categories, the mass that has to be moved times how far:
  sum over k of ``|P_k - T_k|`` with the distribution functions P and T;
- the cross-entropy, ``- sum over k of t_k log p_k``, in nats, never below the entropy of t.

A perspectivist prediction names the label of each annotator. Its error rate is the mean over items
of the share of labels that it gets wrong, and for ordered categories the distance as a share of the
scale. These are the scores of the shared tasks on learning with disagreements (LeWiDi).

Leonardelli et al. (2023), SemEval-2023 task 11; Rizzi et al. (2024), NLPerspectives, for the
distances in place of cross-entropy; the evaluation notebook of LeWiDi 2025.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import SummarisedScalars
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.resampling.ratios import ratio

__all__ = [
    "FLOOR",
    "PerspectivistScores",
    "SoftScores",
    "perspectivist_scores",
    "soft_labels",
    "soft_scores",
]

Floats = NDArray[np.float64]

#: Probabilities below this count as this much in the cross-entropy, which would be infinite.
FLOOR: Final = 1e-12
#: How far a distribution may be from summing to 1: shares are often rounded to two places.
ROUNDED_SUM_TO_ONE: Final = 0.011


@dataclass(frozen=True)
class SoftScores(SummarisedScalars):
    """How far predicted distributions are from those of the labels.

    Attributes
    ----------
    manhattan : float
        Mean over items, in [0, 2].
    wasserstein : float
        Mean over items, in [0, K - 1]; means something where the categories have an order.
    cross_entropy : float
        Mean over items, in nats.
    entropy : float
        Mean entropy of the targets, the least cross-entropy that is possible.
    n_items : int
        Items that were scored.
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
        Repeated labels count each.

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
        If the shapes differ, nothing is left, or a row is no distribution.

    Examples
    --------
    >>> scores = soft_scores([[0.5, 0.5], [1, 0]], [[1, 0], [1, 0]])
    >>> scores.manhattan, scores.wasserstein, round(scores.cross_entropy, 4)
    (0.5, 0.25, 0.3466)
    """
    p, t = np.asarray(predicted, dtype=np.float64), np.asarray(target, dtype=np.float64)
    if p.shape != t.shape or p.ndim != 2:
        raise AnnotationError(
            f"soft_scores: predictions of shape {p.shape} for targets of shape {t.shape}. Give "
            "each item a row and each category a column."
        )
    known = ~np.isnan(t).any(axis=1)
    p, t = p[known], t[known]
    for name, rows in (("prediction", p), ("target", t)):
        # Written so that NaN is refused, too.
        near = abs(rows.sum(1) - 1) <= ROUNDED_SUM_TO_ONE
        if not rows.size or not ((rows >= 0).all() and near.all()):
            raise AnnotationError(
                f"soft_scores: a {name} is no distribution, or there is none. Each row must be at "
                "least 0 and sum to 1."
            )
    apart = p - t
    safe = np.where(t > 0, t, 1)
    return SoftScores(
        float(np.abs(apart).sum(axis=1).mean()),
        float(np.abs(np.cumsum(apart, axis=1))[:, :-1].sum(axis=1).mean()),
        float(-(t * np.log(np.maximum(p, FLOOR))).sum(axis=1).mean()),
        float(-(t * np.log(safe)).sum(axis=1).mean()),
        int(known.sum()),
    )


@dataclass(frozen=True)
class PerspectivistScores(SummarisedScalars):
    """How well the labels of single annotators were predicted.

    Attributes
    ----------
    error_rate : float
        Mean over items of the share of labels predicted wrongly, in [0, 1].
    absolute_distance : float
        Mean over items of the mean distance between label and prediction in categories, as a share
        of the scale, in [0, 1]; means something where the categories have an order.
    n_items, n_labels : int
        What was scored.
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
        Means over items, each counting alike.

    Raises
    ------
    AnnotationError
        If there is not one code of a category for each label.

    Notes
    -----
    The scale is the number of categories less one. The notebook of LeWiDi 2025 divides by numbers
    that it gives for each of its sets (11 and 6).

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
            f"perspectivist_scores: needs the code of a category, in "
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
