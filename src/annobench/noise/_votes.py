"""Label counts of the items that have at least two labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.core.tolerances import WHOLE
from annobench.labels.annotations import Annotations

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Votes:
    """Label counts of items with at least two labels.

    Attributes
    ----------
    item : ndarray of int, shape (M,)
        Their codes.
    counts : ndarray of int, shape (M, K)
        Labels by category.
    """

    item: Counts
    counts: Counts

    @classmethod
    def of(cls, annotations: Annotations, caller: str) -> Votes:
        """Take the items labelled by several annotators."""
        if annotations.scale in ("set", "interval"):
            raise AnnotationError(
                f"{caller}: {annotations.scale} labels have no guess distribution over categories. "
                "Convert them to categories first, such as with noise.dichotomise(annotations, "
                "threshold)."
            )
        if annotations.first_repeat is not None:
            at = annotations.first_repeat
            raise AnnotationError(
                f"{caller}: annotator {annotations.annotators[annotations.annotator[at]]!r} "
                f"labelled item {annotations.items[annotations.item[at]]!r} more than once, and "
                "such labels are not independent guesses. Keep one with "
                "annotations.first_labels()."
            )
        if annotations.n_categories < 2:
            raise AnnotationError(
                f"{caller}: all labels are the same category, without any disagreement. Name the "
                "other categories when building the annotations, or have more items labelled."
            )
        size = annotations.counts.sum(axis=1)
        item = np.flatnonzero(size >= 2)
        if item.size == 0:
            raise AnnotationError(
                f"{caller}: no item has labels of two annotators, and one annotator never "
                "disagrees. Have some items labelled again."
            )
        return cls(item, annotations.counts[item])

    @property
    def n_items(self) -> int:
        """The number of items M."""
        return int(self.item.size)

    @property
    def n_categories(self) -> int:
        """The number of categories K."""
        return int(self.counts.shape[1])

    @property
    def size(self) -> Counts:
        """Labels of each item, shape (M,)."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def top(self) -> Counts:
        """Labels of each item's most frequent category, shape (M,)."""
        return np.asarray(self.counts.max(axis=1))

    @property
    def unanimous(self) -> NDArray[np.bool_]:
        """Items on which all agree, shape (M,)."""
        return np.asarray(self.top == self.size)

    def kept(self, min_agreement: float) -> NDArray[np.bool_]:
        """Return which items' most frequent category has the required share of labels."""
        return np.asarray(reaches(self.top, self.size, min_agreement))

    def needed(self, min_agreement: float) -> tuple[int, ...]:
        """Return how many equal labels a share requires, for each number of labels."""
        return tuple(
            int(reaches(np.arange(n + 1), int(n), min_agreement).argmax())
            for n in np.unique(self.size)
        )


def reaches(top: Counts, size: Counts | int, min_agreement: float) -> NDArray[np.bool_]:
    """Return whether counts reach a share of the labels and are majorities."""
    return np.asarray((2 * top > size) & (top >= min_agreement * np.asarray(size) - WHOLE))
