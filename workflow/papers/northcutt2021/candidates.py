"""Confident learning: which labels a classifier's out-of-sample probabilities make doubtful.

By its definition (Northcutt, Jiang and Chuang, 2021): the threshold of a category is the mean
probability that its own items get for it; an item counts for the likeliest category whose threshold
it reaches. These counts by given label, scaled to the numbers of given labels, estimate how many
items of each label belong to each category, and as many of the least confident ones are candidates.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from annobench.datasets import LoadedData

CONFIDENT, NOISE_RATE, CLASS = "off the diagonal", "by noise rate", "by class"
BOTH, PREDICTED = "both", "another label predicted"
READINGS = (CONFIDENT, NOISE_RATE, CLASS, BOTH, PREDICTED)


@dataclass(frozen=True, eq=False)
class Predicted:
    """Given labels and probabilities of the items of a test set."""

    names: pd.Index
    given: np.ndarray
    probability: np.ndarray

    @classmethod
    def of(cls, data: LoadedData) -> "Predicted":
        """Take them from a data set."""
        columns = [name for name in data.items if name.startswith("p_")]
        labels = data.labels.set_index("item")["label"].reindex(data.items["item"])
        given = labels.astype(int).to_numpy()
        return cls(pd.Index(data.items["item"]), given, data.items[columns].to_numpy(float))

    def in_half_precision(self) -> "Predicted":
        """Round the probabilities as files of half the size have them."""
        return replace(self, probability=self.probability.astype(np.float16).astype(float))

    @property
    def self_confidence(self) -> np.ndarray:
        """Probability of the given label."""
        return self.probability[np.arange(self.given.size), self.given]


def thresholds(predicted: Predicted) -> np.ndarray:
    """Return the mean probability of each category among items that are labelled so."""
    n_categories = predicted.probability.shape[1]
    sums = np.bincount(predicted.given, weights=predicted.self_confidence, minlength=n_categories)
    return sums / np.maximum(np.bincount(predicted.given, minlength=n_categories), 1)


def confident_categories(predicted: Predicted) -> np.ndarray:
    """Return the likeliest category whose threshold each item reaches, -1 if there is none."""
    reached = predicted.probability >= thresholds(predicted)
    likeliest = np.where(reached, predicted.probability, -1.0).argmax(axis=1)
    return np.where(reached.any(axis=1), likeliest, -1)


def confident_joint(predicted: Predicted) -> np.ndarray:
    """Return estimated counts by given label and category, with the given labels' totals."""
    n_categories = predicted.probability.shape[1]
    found = confident_categories(predicted)
    counts = np.zeros((n_categories, n_categories))
    np.add.at(counts, (predicted.given[found >= 0], found[found >= 0]), 1)
    total = np.bincount(predicted.given, minlength=n_categories)
    return counts * (total / np.maximum(counts.sum(axis=1), 1))[:, None]


def readings(predicted: Predicted) -> dict[str, np.ndarray]:
    """Return the candidates by each reading of the method, arrays of bool."""
    differs = predicted.probability.argmax(axis=1) != predicted.given
    found = confident_categories(predicted)
    number = np.round(confident_joint(predicted)).astype(int)
    by_rate, by_class = np.zeros_like(differs), np.zeros_like(differs)
    for label in range(len(number)):
        own = np.flatnonzero(predicted.given == label)
        confidence = predicted.self_confidence[own]
        n_class = number[label].sum() - number[label, label]
        by_class[own[np.argsort(confidence, kind="stable")[:n_class]]] = True
        for other in np.flatnonzero(number[label]):
            if other != label:
                margin = predicted.probability[own, other] - confidence
                least = np.argsort(-margin, kind="stable")[: number[label, other]]
                by_rate[own[least]] = True
    return {
        CONFIDENT: (found >= 0) & (found != predicted.given) & differs,
        NOISE_RATE: by_rate & differs,
        CLASS: by_class & differs,
        BOTH: by_rate & by_class & differs,
        PREDICTED: differs,
    }
