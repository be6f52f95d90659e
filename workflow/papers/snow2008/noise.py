"""Section 5.1.1 on affect: averages calibrated by a Gaussian model of each annotator's noise."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .affect import Affect

#: Runs of the calibration.
N_RUNS = {"full": 24, "quick": 2}

Floats = np.ndarray


class Noise(NamedTuple):
    """How an annotator's bias and variance are estimated.

    The variance is smoothed by so many labels of the pooled variance; without bias only labels are
    weighted.
    """

    labels: float = 1
    has_bias: bool = True


#: The paper does not say how; the first has one label, as the pseudocount of categories.
NOISES = {
    "paper": Noise(),
    "ten labels of the pooled variance": Noise(10),
    "ten labels of the pooled variance, no bias": Noise(10, has_bias=False),
}


def calibrated_gains(
    data: Mapping[str, Affect], folds: int, noise: Noise, n_runs: int, rng: np.random.Generator
) -> Floats:
    """Return the gain in correlation of calibrated averages, shape (runs, kinds, 10)."""
    return np.array(
        [
            [
                [
                    calibrated_gain(each, k, folds, noise, rng)
                    for k in range(1, len(each.answers) + 1)
                ]
                for each in data.values()
            ]
            for _ in range(n_runs)
        ]
    )


def calibrated_gain(
    affect: Affect, k: int, folds: int, noise: Noise, rng: np.random.Generator
) -> float:
    """Average k answers of each headline with annotators' biases removed, weighted by precision.

    Bias and variance of an annotator are those of the other folds, about SemEval's scores. Returned
    is the correlation with the scores, minus that of plain averages.
    """
    n_items = len(affect.items)
    taken = rng.random(affect.answers.shape).argsort(axis=0)[:k]
    answer = np.take_along_axis(affect.answers, taken, axis=0)
    names, code = np.unique(affect.annotators, return_inverse=True)
    who = np.take_along_axis(code.reshape(affect.annotators.shape), taken, axis=0)
    fold = rng.permutation(n_items) % folds
    off = answer - affect.gold
    place = (np.broadcast_to(fold, who.shape) * names.size + who).ravel()
    n, total, square = (
        np.bincount(place, value, folds * names.size).reshape(folds, names.size)
        for value in (None, off.ravel(), off.ravel() ** 2)
    )
    n, total, square = (each.sum(axis=0) - each for each in (n, total, square))
    bias = noise.has_bias * total / np.maximum(n, 1)
    variance = np.maximum(square / np.maximum(n, 1) - bias**2, 0)
    pooled = square.sum(axis=1, keepdims=True) / n.sum(axis=1, keepdims=True)
    precision = (n + noise.labels) / (n * variance + noise.labels * pooled)
    weight = precision[fold, who]
    mean = (weight * (answer - bias[fold, who])).sum(axis=0) / weight.sum(axis=0)
    return float(_correlation(mean, affect.gold) - _correlation(answer.mean(axis=0), affect.gold))


def _correlation(first: Floats, second: Floats) -> float:
    return float(np.corrcoef(first, second)[0, 1])
