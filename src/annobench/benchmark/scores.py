"""Scores of probabilities of categories against a gold standard, and their curves.

All scores but two are functions of means over items, so thousands of resamples are cheap: the means
are one matrix product. The area under the risk-coverage curve depends on the order of the items,
and the error of confusion matrices on annotators.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.evaluation.scores import confusion_counts
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models.base import best_categories

__all__ = ["SCORES", "Score", "curves", "score"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """Definition of a score.

    Attributes
    ----------
    title : str
        Name on pages.
    more_is_better : bool
        Whether larger values are better.
    rope : float
        Largest difference that is practically equivalent to 0.
    definition : str
        Definition in a sentence.
    """

    title: str
    more_is_better: bool
    rope: float
    definition: str


#: A smaller probability of the gold category counts as this in the log loss, which is then 13.8.
MIN_PROBABILITY: Final = 1e-6

#: Bins of equal width, [0, 0.1) to [0.9, 1], of the probability of the most probable category.
BINS: Final = 10

#: Coverages at which the risk is tabulated.
COVERAGES: Final = tuple(n / 10 for n in range(1, 11))

#: Scores of items, in the order of `score`.
SCORES: Final[Mapping[str, Score]] = {
    "accuracy": Score(
        "Accuracy",
        True,
        0.005,
        "Share of items whose most probable category is the gold one; ties among t categories "
        "count 1/t each.",
    ),
    "macro_f": Score(
        "Macro F",
        True,
        0.005,
        "Mean F-score of the categories that occur in the gold standard or among the answers.",
    ),
    "log_loss": Score(
        "Log loss",
        False,
        0.01,
        "Mean of minus the natural logarithm of the gold category's probability; below 1e-6 it "
        "counts as 1e-6.",
    ),
    "brier": Score(
        "Brier score",
        False,
        0.005,
        "Mean squared distance to certainty of the gold category, summed over categories: 0 to 2.",
    ),
    "calibration_error": Score(
        "Calibration error",
        False,
        0.005,
        "Mean distance between probability of the best category and accuracy, in ten bins of "
        "equal width; biased upward if bins have few items.",
    ),
    "risk_area": Score(
        "Risk-coverage area",
        False,
        0.005,
        "Mean error rate among the n most certain items, over all n; ties in random order.",
    ),
}

#: The score of annotators, by `score_confusion`.
CONFUSION_ERROR: Final = Score(
    "Error of confusion matrices",
    False,
    0.005,
    "Mean distance of total variation between estimated and gold rows of the confusion matrices, "
    "weighted by labels: for two categories, of sensitivity and specificity.",
)


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
        logarithm of the gold category's probability, floored at 1e-6; `brier` in [0, 2], the mean
        squared distance to certainty of the gold category, summed over categories;
        `calibration_error` in [0, 1], the mean over items of the distance, in the item's bin of
        confidence, between mean confidence and accuracy, with ten bins of equal width; `risk_area`
        in [0, 1], the mean over n of the expected error rate among the n items whose best category
        is most probable.

    Raises
    ------
    AnnotationError
        If no item has a gold category, or a category is out of range.

    Notes
    -----
    The calibration error is biased upward if bins have few items (Kumar, Liang and Ma 2019,
    Verified uncertainty calibration, section 4): compare it between methods on the same items.

    References
    ----------
    Brier (1950), Monthly Weather Review 78, 1-3, equation 2. Naeini, Cooper and Hauskrecht
    (2015), Obtaining well calibrated probabilities using Bayesian binning, section 3. Geifman,
    Uziel and El-Yaniv (2019), Bias-reduced uncertainty estimation, section 2, for the area.

    Examples
    --------
    >>> found = score([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], [0, 0, -1])
    >>> found["accuracy"], round(found["brier"], 3)  # (1 + 1/2) / 2, (0.02 + 0.5) / 2
    (0.75, 0.26)
    """
    table, codes = np.asarray(posterior, dtype=np.float64), np.asarray(gold, dtype=np.int64)
    kept = codes >= 0
    if not kept.any():
        raise AnnotationError(
            "score: no item has a gold category. Give gold categories of some items."
        )
    if codes.max() >= table.shape[1]:
        raise AnnotationError(
            f"score: gold category {codes.max()} is not in [0, {table.shape[1]}). "
            "Give codes of the posterior's categories."
        )
    once = np.ones((1, int(kept.sum())), dtype=np.int64)
    values = resampled_scores(table[kept], codes[kept], once)[0]
    return dict(zip(SCORES, map(float, values), strict=True))


def item_scores(posterior: Floats, gold: NDArray[np.int64]) -> dict[str, Floats]:
    """Return the scores of single items, for scores that are means over items."""
    right, _, features = _features(posterior, gold)
    return {"accuracy": right, "log_loss": features[:, 0], "brier": features[:, 1]}


def resampled_scores(
    posterior: Floats, gold: NDArray[np.int64], times: NDArray[np.int64]
) -> Floats:
    """Score resampled items."""
    k = posterior.shape[1]
    right, confidence, features = _features(posterior, gold)
    sizes = times.sum(axis=1, keepdims=True)
    means = (times @ features) / sizes
    loss, brier = means[:, 0], means[:, 1]
    both, of_gold, of_answer = (means[:, 2 + n * k : 2 + (n + 1) * k] for n in range(3))
    total = of_gold + of_answer
    f_score = np.divide(2 * both, total, out=np.full_like(total, np.nan), where=total > 0)
    calibration = np.abs(means[:, 2 + 3 * k :]).sum(axis=1)
    return np.column_stack(
        [
            both.sum(axis=1),
            np.nanmean(f_score, axis=1),
            loss,
            brier,
            calibration,
            risk_area(confidence, right, times),
        ]
    )


def _features(posterior: Floats, gold: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Return correctness and confidence of items, and the terms whose means give the scores."""
    n, k = posterior.shape
    best = best_categories(posterior)
    shared = best / best.sum(axis=1, keepdims=True)
    is_gold = np.eye(k)[gold]
    right = shared[np.arange(n), gold]
    confidence = posterior.max(axis=1)
    features = np.column_stack(
        [
            -np.log(np.maximum(posterior[np.arange(n), gold], MIN_PROBABILITY)),
            ((posterior - is_gold) ** 2).sum(axis=1),
            is_gold * shared,
            is_gold,
            shared,
            np.eye(BINS)[_bin(confidence)] * (confidence - right)[:, None],
        ]
    )
    return right, confidence, features


def _bin(confidence: Floats) -> NDArray[np.int64]:
    # A share such as 7 / 10 can fall short of its bin's edge by rounding.
    return np.minimum(np.floor(confidence * BINS + 1e-9).astype(np.int64), BINS - 1)


def risk_area(confidence: Floats, right: Floats, times: NDArray[np.int64]) -> Floats:
    """Return the area under the risk-coverage curve of resampled items."""
    _, group = np.unique(-confidence, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) > 0])
    drawn = times[:, order]
    size = np.add.reduceat(drawn, starts, axis=1)
    errors = np.add.reduceat(drawn * (1 - right[order]), starts, axis=1)
    surer = np.cumsum(size, axis=1) - size
    errors_before = np.cumsum(errors, axis=1) - errors
    total = int(times.sum(axis=1).max())
    harmonic = np.r_[0.0, np.cumsum(1 / np.arange(1, total + 1))]
    rate = np.divide(errors, size, out=np.zeros_like(errors), where=size > 0)
    added = errors + (errors_before - rate * surer) * (harmonic[surer + size] - harmonic[surer])
    return np.asarray(added.sum(axis=1) / times.sum(axis=1))


def curves(posterior: Floats, gold: NDArray[np.int64]) -> pd.DataFrame:
    """Return the points of the calibration and of the risk-coverage curve.

    Parameters
    ----------
    posterior : ndarray, shape (I, K)
        Probabilities.
    gold : ndarray of int, shape (I,)
        Codes of the gold categories, in [0, K).

    Returns
    -------
    DataFrame
        One row per point: curve, x, y, n_items. For "calibration", x is the mean probability of the
        best category in a bin, and y the accuracy; empty bins are left out. For "risk", x is a
        coverage in `COVERAGES`, and y the expected error rate among the most certain items at this
        coverage.
    """
    right, confidence, _ = _features(posterior, gold)
    bins = _bin(confidence)
    n = np.bincount(bins, minlength=BINS)
    kept = n > 0
    calibration = pd.DataFrame(
        {
            "curve": "calibration",
            "x": np.bincount(bins, confidence, BINS)[kept] / n[kept],
            "y": np.bincount(bins, right, BINS)[kept] / n[kept],
            "n_items": n[kept],
        }
    )
    order = np.argsort(-confidence, kind="stable")
    _, group = np.unique(-confidence[order], return_inverse=True)
    expected = (np.bincount(group, 1 - right[order]) / np.bincount(group))[group]
    answered = np.maximum(np.round(np.array(COVERAGES) * right.size).astype(np.int64), 1)
    risk = np.cumsum(expected)[answered - 1] / answered
    covered = pd.DataFrame({"curve": "risk", "x": COVERAGES, "y": risk, "n_items": answered})
    return pd.concat([calibration, covered], ignore_index=True)


def score_confusion(
    confusion: Floats, annotations: Annotations, gold: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Compare estimated confusion matrices with those by the gold standard."""
    annotations = as_annotations(annotations, "score_confusion")
    known = annotations.select(items=gold >= 0)
    counts = confusion_counts(known, gold[gold >= 0]).astype(np.float64)
    n = counts.sum(axis=2)
    rows = np.divide(counts, n[:, :, None], out=np.zeros_like(counts), where=n[:, :, None] > 0)
    distance = np.abs(rows - confusion).sum(axis=2) / 2
    distance = np.where(np.isnan(distance), 1.0, distance)
    return (n * distance).sum(axis=1), n.sum(axis=1)
