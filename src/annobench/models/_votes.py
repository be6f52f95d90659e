"""What models whose labels are votes for their own category share: E-step and counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import cast

import numpy as np
from numpy.typing import NDArray

from annobench.core.tolerances import ZERO
from annobench.labels.annotations import Annotations
from annobench.models.kernels.votes import add_votes, collect_right

Floats = NDArray[np.float64]

#: A probability of zero is taken for this, so that a label that a model holds impossible makes
#: its category improbable and nothing infinite.
TINY = float(np.finfo(np.float64).tiny)


def log(probability: Floats) -> Floats:
    """Return finite logarithms."""
    return cast(Floats, np.log(np.maximum(probability, TINY)))


@dataclass(frozen=True, eq=False)
class Votes:
    """Labels ready for counting.

    Attributes
    ----------
    annotations : Annotations
        The labels.
    """

    annotations: Annotations

    @property
    def columns(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Item, annotator and label of each label."""
        a = self.annotations
        return a.item, a.annotator, a.label

    @cached_property
    def given(self) -> Floats:
        """Counts of each annotator's labels, shape (J, K)."""
        a = self.annotations
        flat = a.annotator.astype(np.int64) * a.n_categories + a.label
        counts = np.bincount(flat, minlength=a.n_annotators * a.n_categories)
        return counts.reshape(a.n_annotators, a.n_categories).astype(np.float64)

    @cached_property
    def labelled(self) -> NDArray[np.bool_]:
        """Which items have labels, shape (I,)."""
        counts = np.bincount(self.annotations.item, minlength=self.annotations.n_items)
        return np.asarray(counts > 0)

    @property
    def shares(self) -> Floats:
        """Shares of the labels of each item, shape (I, K); 1/K for one without labels."""
        return shares_of(self.annotations.counts.astype(np.float64))

    def scores(self, weight: Floats) -> Floats:
        """Add the votes of each item, shape (I, K), with weights of shape (J, K)."""
        total = np.zeros((self.annotations.n_items, self.annotations.n_categories))
        add_votes(*self.columns, weight, total)
        return total

    def weighted(self, weights: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Add votes weighted by annotator, and find the winning categories."""
        table = np.broadcast_to(weights[:, None], self.given.shape)
        votes = self.scores(table)
        slack = ZERO * self.scores(np.abs(table)).sum(axis=1, keepdims=True)
        most = votes.max(axis=1, keepdims=True)
        winners = votes >= most - slack
        return np.where(winners, most, votes), winners

    @cached_property
    def n_given(self) -> Floats:
        """The number of labels of each annotator, shape (J,)."""
        return np.asarray(self.given.sum(axis=1))

    def agreeing(self, winners: NDArray[np.bool_]) -> Floats:
        """Count each annotator's labels that agree with a winner, shape (J,)."""
        return np.asarray(self.right(winners / winners.sum(axis=1, keepdims=True)).sum(axis=1))

    def agreement(self, winners: NDArray[np.bool_]) -> Floats:
        """Divide `agreeing` by the number of labels; NaN for an annotator without any."""
        unknown = np.full_like(self.n_given, np.nan)
        return np.asarray(
            np.divide(self.agreeing(winners), self.n_given, out=unknown, where=self.n_given > 0)
        )

    def right(self, posterior: Floats) -> Floats:
        """Count the labels of each annotator expected to be right, shape (J, K)."""
        total = np.zeros_like(self.given)
        collect_right(*self.columns, posterior, total)
        return total

    def expect(
        self, log_right: Floats, log_wrong: Floats, log_prevalence: Floats
    ) -> tuple[Floats, float]:
        """Compute the items' posterior and the log likelihood."""
        posterior, of_items = normalised(self.scores(log_right - log_wrong) + log_prevalence)
        in_all = float((self.given * log_wrong).sum() + of_items[self.labelled].sum())
        return posterior, min(in_all, 0.0)  # rounding next to certainty


def even_errors(accuracy: Floats, n_categories: int) -> Floats:
    """Return confusion matrices, shape (J, K, K), with equally probable errors."""
    wrong = (1 - accuracy) / max(n_categories - 1, 1)
    same = np.eye(n_categories, dtype=bool)
    return np.where(same, accuracy[:, None, None], wrong[:, None, None])


def even_error_logs(accuracy: Floats, n_categories: int) -> tuple[Floats, Floats]:
    """Return the log probabilities of a correct label and of each wrong label, each (J, K)."""
    wide = np.zeros(n_categories)
    log_wrong = log((1 - accuracy) / max(n_categories - 1, 1))
    return log(accuracy)[:, None] + wide, log_wrong[:, None] + wide


def shares_of(votes: Floats) -> Floats:
    """Divide the votes of each item, shape (I, K), by their sum; 1/K where it has none."""
    total = votes.sum(axis=1, keepdims=True)
    even = np.full_like(votes, 1 / votes.shape[1])
    return np.asarray(np.divide(votes, total, out=even, where=total > 0))


def normalised(score: Floats) -> tuple[Floats, Floats]:
    """Normalise log weights, shape (I, K); also return the logs of their sums."""
    best = _across(np.maximum, score)
    weight = np.exp(score - best[:, None])
    total = _across(np.add, weight)
    weight /= total[:, None]
    return weight, best + np.log(total)


def _across(combine: np.ufunc, table: Floats) -> Floats:
    """Reduce every row; column by column if rows are too short for numpy to be fast."""
    if 1 < table.shape[1] < 8:
        return np.asarray(reduce(combine, table.T))
    return np.asarray(combine.reduce(table, axis=1))


def check_search(name: str, tolerance: float, max_iterations: int) -> None:
    """Reject invalid limits of a search."""
    for what, value in (("tolerance", tolerance), ("max_iterations", max_iterations)):
        if not value >= 0:
            raise ValueError(f"{name}.fit: {what} must be at least 0, got {value}.")
