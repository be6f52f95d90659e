"""Annotators' accuracy, with a common beta prior, and confusion matrices shifted to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from annobench.models._votes import Floats

#: Limits of the number of labels that the prior of an accuracy is worth.
_STRENGTH = (1.0, 1_000.0)
#: Halvings of an interval of 100 on the logit scale.
_BISECTIONS = 40


def accuracy_posteriors(hits: Floats, n: Floats) -> Floats:
    """Return the beta distributions of annotators' accuracy.

    Accuracies have a common beta prior, whose mean and variance are estimated by moments.

    Parameters
    ----------
    hits, n : ndarray, shape (J,)
        Correct labels of each annotator, and all labels.

    Returns
    -------
    ndarray, shape (2, J)
        Parameters of the distributions, above 0.
    """
    total = n.sum()
    # With half a label of the other kind if all are right, or all wrong.
    mean = float(np.clip(hits.sum(), 0.5, total - 0.5) / total)
    binomial = mean * (1 - mean)
    share = np.divide(hits, n, out=np.full_like(n, mean), where=n > 0)
    between = float(n @ (share - mean) ** 2) - (np.count_nonzero(n) - 1) * binomial
    spread = total - float(n @ n) / total
    variance = between / spread if spread > 0 else 0.0
    strength = np.clip(binomial / variance - 1, *_STRENGTH) if variance > 0 else _STRENGTH[1]
    return np.stack([hits + strength * mean, n - hits + strength * (1 - mean)])


def confusion_of_counts(
    counts: Floats, mean: Floats, concentration: float, prevalence: Floats
) -> Floats:
    """Return the rows that expected counts imply, shifted to each annotator's accuracy."""
    correct, wrong = accuracy_posteriors(*hits_of(counts))
    rows = counts + concentration * mean
    rows /= rows.sum(axis=2, keepdims=True)
    return with_accuracy(rows, prevalence, correct / (correct + wrong))


def hits_of(counts: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the correct labels of each annotator, and all labels."""
    return np.trace(counts, axis1=1, axis2=2), counts.sum(axis=(1, 2)).astype(np.float64)


def with_accuracy(rows: Floats, prevalence: Floats, accuracy: Floats) -> Floats:
    """Shift the diagonals of each annotator on the logit scale to an accuracy, shape (J,).

    Rows are pooled one by one, but an annotator who is good at one category tends to be good at
    others. Ratios of errors stay as they are.
    """
    k = rows.shape[-1]
    if k == 1:
        return rows
    at = np.arange(k)
    tiny = 1e-9
    right = np.clip(rows[:, at, at], tiny, 1 - tiny)
    wanted = np.clip(accuracy, 2 * tiny, 1 - 2 * tiny)
    low, high = np.full(wanted.shape, -50.0), np.full(wanted.shape, 50.0)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        below = expit(logit(right) + middle[:, None]) @ prevalence < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    shifted = expit(logit(right) + low[:, None])
    result = rows * ((1 - shifted) / (1 - right))[:, :, None]
    result[:, at, at] = shifted
    return np.asarray(result / result.sum(axis=2, keepdims=True))
