"""The distribution of the number of positive labels per item."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.numbers import plain_number
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations

__all__ = ["Counts", "max_identifiable_components", "positive_counts"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def max_identifiable_components(n_labels: int) -> int:
    """Return the largest number of components that n labels per item identify.

    Parameters
    ----------
    n_labels : int
        Labels per item, n.

    Returns
    -------
    int
        (n + 1) // 2, the largest m with 2 m - 1 <= n (Teicher 1963).

    Examples
    --------
    >>> max_identifiable_components(10), max_identifiable_components(2)
    (5, 1)
    """
    return (n_labels + 1) // 2


@dataclass(frozen=True, eq=False)
class Counts(Summarised):
    """The distribution of items by number of positive labels.

    Construct it with `from_histogram` or `from_annotations`, which validate.

    Attributes
    ----------
    labels, positives : ndarray of int64, shape (M,)
        Every pair (n, x) with 0 <= x <= n, for each number of labels n that occurs.
    items : ndarray of int64, shape (M,)
        Number of items with n labels, x of them positive.
    """

    labels: Integers
    positives: Integers
    items: Integers

    @classmethod
    def from_histogram(
        cls, histogram: ArrayLike, *, n_labels: int | None = None, n_items: int | None = None
    ) -> Counts:
        """Build counts from a histogram of items with equal numbers of labels.

        Parameters
        ----------
        histogram : array_like of int, shape (n + 1,)
            Items with 0, 1, ..., n positive labels.
        n_labels, n_items : int, optional
            n and I; the histogram is checked against them.

        Returns
        -------
        Counts
            The counts.

        Raises
        ------
        ValueError
            If a count is negative or not a whole number, or the histogram is empty, has
            not n + 1 cells, or does not sum to I.
        """
        given = np.asarray(histogram, dtype=np.float64)
        if given.ndim != 1 or given.size < 2:
            raise ValueError(
                f"Counts.from_histogram: shape {given.shape} is not a histogram. Give the number "
                "of items with 0, 1, ..., n positive labels, n >= 1."
            )
        if not (np.isfinite(given).all() and (given >= 0).all() and (given % 1 == 0).all()):
            raise ValueError(
                "Counts.from_histogram: the counts must be whole numbers of at least 0, got "
                f"{given.tolist()}."
            )
        if n_labels is not None and given.size != n_labels + 1:
            raise ValueError(
                f"Counts.from_histogram: {given.size} cells, but {n_labels} labels per item have "
                f"{n_labels + 1} possible counts. Give empty cells as 0."
            )
        if given.sum() == 0:
            raise ValueError("Counts.from_histogram: no items. Give at least one.")
        if n_items is not None and given.sum() != n_items:
            raise ValueError(
                f"Counts.from_histogram: the histogram sums to {given.sum():.0f}, not to "
                f"n_items = {n_items}. Correct one of the two."
            )
        n = given.size - 1
        return cls(np.full(n + 1, n), np.arange(n + 1), given.astype(np.int64))

    @classmethod
    def from_annotations(cls, annotations: Annotations, positive: str | None = None) -> Counts:
        """Count the positive labels of every item.

        Parameters
        ----------
        annotations : Annotations
            Binary labels; items without labels are left out, repeated labels count.
        positive : str, optional
            The category to count; by default the last.

        Returns
        -------
        Counts
            The counts.

        Raises
        ------
        AnnotationError
            If there are not two categories, or no labels, or the positive one is unknown.
        """
        labels, positives = positive_counts(annotations, positive)
        seen = labels > 0
        if not seen.any():
            raise AnnotationError(
                "Counts.from_annotations: no item has a label. Give labels of at least one."
            )
        sizes = np.unique(labels[seen])
        grid_labels = np.repeat(sizes, sizes + 1)
        grid_positives = np.concatenate([np.arange(n + 1) for n in sizes])
        first = np.concatenate([[0], np.cumsum(sizes + 1)])
        cell = first[np.searchsorted(sizes, labels[seen])] + positives[seen]
        return cls(grid_labels, grid_positives, np.bincount(cell, minlength=grid_labels.size))

    def summary(self) -> pd.DataFrame:
        """Return the counts as a table.

        Returns
        -------
        DataFrame
            A row for each cell: labels, positives, items.
        """
        return pd.DataFrame(
            {"labels": self.labels, "positives": self.positives, "items": self.items}
        )

    def _headline(self) -> str:
        sizes = np.unique(self.labels)
        labels = f"{sizes[0]}" if self.is_balanced else f"{sizes[0]} to {sizes[-1]}"
        return f"{self.n_items:,} items of {labels} labels"

    @property
    def n_items(self) -> int:
        """The number of items I that have labels."""
        return int(self.items.sum())

    @property
    def max_labels(self) -> int:
        """The largest number of labels of an item."""
        return int(self.labels.max())

    @property
    def is_balanced(self) -> bool:
        """Whether all items have the same number of labels."""
        return bool((self.labels == self.labels[0]).all())

    @property
    def histogram(self) -> Integers:
        """Items with 0, 1, ..., n positive labels, shape (n + 1,).

        Raises
        ------
        AnnotationError
            If the number of labels differs from item to item.
        """
        if not self.is_balanced:
            raise AnnotationError(
                "Counts.histogram: the number of labels differs between items. Use `items` with "
                "`labels` and `positives`, or items with equal numbers of labels."
            )
        return self.items

    @cached_property
    def n_groups(self) -> int:
        """The number of different numbers of labels."""
        return int(np.unique(self.labels).size)

    @cached_property
    def totals(self) -> Floats:
        """The number of items with as many labels as each cell, shape (M,)."""
        return np.bincount(self.labels, weights=self.items).astype(np.float64)[self.labels]


def positive_counts(
    annotations: Annotations, positive: str | None = None
) -> tuple[Integers, Integers]:
    """Count the labels and the positive labels of every item.

    Parameters
    ----------
    annotations : Annotations
        Of two categories.
    positive : str, optional
        The category to count; by default the last.

    Returns
    -------
    tuple of ndarray of int64, shape (I,)
        Labels and positive labels, by code of the item.

    Raises
    ------
    AnnotationError
        If there are not two categories, or the positive one is unknown.
    """
    if annotations.n_categories != 2:
        raise AnnotationError(
            f"mixtures: {annotations.n_categories} categories, but positive labels are defined for "
            "two. Make the labels binary first, such as with binarize(category)."
        )
    name = annotations.categories[-1] if positive is None else plain_number(positive)
    if name not in annotations.categories:
        raise AnnotationError(
            f"mixtures: no category {name!r}. Choose one of {', '.join(annotations.categories)}."
        )
    counts = annotations.counts
    return counts.sum(axis=1), counts[:, annotations.categories.index(name)]
