"""Scores of probabilities of categories against a gold standard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.evaluation.scores import category_scores
from annobench.models.base import best_categories

Floats = NDArray[np.float64]

#: The scores, and whether more is better.
SCORES: Final[Mapping[str, bool]] = {
    "accuracy": True,
    "macro_f": True,
    "log_loss": False,
    "brier": False,
    "calibration_error": False,
}

#: A smaller probability of the gold category counts as this in the log loss, which is then 13.8.
MIN_PROBABILITY: Final = 1e-6

#: Bins of equal width, [0, 0.1) to [0.9, 1], of the probability of the most probable category.
BINS: Final = 10


def score(posterior: ArrayLike, gold: ArrayLike) -> dict[str, float]:
    """Score probabilities of categories against a gold standard.

    Parameters
    ----------
    posterior : array_like, shape (I, K)
        Probabilities; rows sum to 1.
    gold : array_like of int, shape (I,)
        Codes of the gold categories; items with -1 are left out.

    Returns
    -------
    dict of str to float
        `accuracy` in [0, 1], where an item with t equally probable best categories counts 1/t if
        the gold category is among them; `macro_f` in [0, 1], the mean over categories of the
        F-scores, ties shared likewise; `log_loss` in nats, at most 13.8, the mean of minus the
        logarithm of the gold category's probability, or of 1e-6 if that is larger; `brier` in
        [0, 2], the mean squared distance to certainty of the gold category, summed over
        categories; `calibration_error` in [0, 1], the mean over items of the distance, in the
        item's bin of confidence, between mean confidence and accuracy, with ten bins of equal
        width.

    Raises
    ------
    AnnotationError
        If no item has a gold category, or a category is out of range.

    Notes
    -----
    The calibration error is biased upward where bins hold few items (Kumar, Liang and Ma 2019,
    Verified uncertainty calibration, section 4): compare it between methods on the same items.

    References
    ----------
    Brier (1950), Monthly Weather Review 78, 1-3, equation 2. Naeini, Cooper and Hauskrecht
    (2015), Obtaining well calibrated probabilities using Bayesian binning, section 3.

    Examples
    --------
    >>> found = score([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], [0, 0, -1])
    >>> found["accuracy"], round(found["brier"], 3)  # (1 + 1/2) / 2, (0.02 + 0.5) / 2
    (0.75, 0.26)
    """
    table, codes = np.asarray(posterior, dtype=np.float64), np.asarray(gold, dtype=np.int64)
    kept = codes >= 0
    if not kept.any():
        raise AnnotationError("score: no item has a gold category. Score labels that have some.")
    if codes.max() >= table.shape[1]:
        raise AnnotationError(
            f"score: gold category {codes.max()} is not in [0, {table.shape[1]}). "
            "Give codes of the posterior's categories."
        )
    means = features(table[kept], codes[kept]).mean(axis=0)
    values = scores_of(means, table.shape[1])
    return dict(zip(SCORES, map(float, values), strict=True))


def features(posterior: Floats, gold: NDArray[np.int64]) -> Floats:
    """Return what the scores are functions of the means of, shape (I, 3 + K * K + BINS)."""
    n, k = posterior.shape
    best = best_categories(posterior)
    shared = best / best.sum(axis=1, keepdims=True)
    is_gold = np.eye(k)[gold]
    right = shared[np.arange(n), gold]
    confidence = posterior.max(axis=1)
    # A share such as 7 / 10 can fall short of its bin's edge by rounding.
    place = np.minimum(np.floor(confidence * BINS + 1e-9).astype(np.int64), BINS - 1)
    return np.column_stack(
        [
            right,
            -np.log(np.maximum(posterior[np.arange(n), gold], MIN_PROBABILITY)),
            ((posterior - is_gold) ** 2).sum(axis=1),
            (is_gold[:, :, None] * shared[:, None, :]).reshape(n, k * k),
            np.eye(BINS)[place] * (confidence - right)[:, None],
        ]
    )


def scores_of(means: Floats, n_categories: int) -> Floats:
    """Return the scores in their order, shape (..., 5), from the means of the features."""
    square = n_categories**2
    confusion = means[..., 3 : 3 + square].reshape(*means.shape[:-1], n_categories, n_categories)
    macro_f = category_scores(confusion).averaged_f1
    calibration = np.abs(means[..., 3 + square :]).sum(axis=-1)
    accuracy, log_loss, brier = (means[..., column] for column in range(3))
    return np.stack([accuracy, macro_f, log_loss, brier, calibration], axis=-1)
