"""The form of the indices of a two by two table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from annobench.agreement.forms import Floats, Rows, Totals, ratio
from annobench.agreement.interval_forms import WithoutChance
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations


class BinaryTable(WithoutChance):
    """A weighted share of the four cells.

    Parameters
    ----------
    annotations : Annotations
        Two annotators who both labelled every item, two categories.
    weights : tuple of float
        Of the cells: both positive, the first alone, the second alone, none.
    """

    def __init__(self, annotations: Annotations, weights: tuple[float, ...]) -> None:
        self.n_items = annotations.n_items
        self.weights = weights
        positive = np.zeros((annotations.n_items, 2), dtype=bool)
        positive[annotations.item, annotations.annotator] = annotations.label == 1
        self.positive = positive

    @classmethod
    def builder(
        cls, annotations: Annotations, name: str, weights: tuple[float, ...]
    ) -> Callable[[Annotations, Floats | None], BinaryTable]:
        """Check the categories and return what makes the form.

        Parameters
        ----------
        annotations : Annotations
            Labels of two annotators.
        name : str
            The coefficient, for messages.
        weights : tuple of float
            Of the cells.

        Returns
        -------
        callable
            Makes the form of labels; copies of annotators are not used.

        Raises
        ------
        AnnotationError
            If there are not exactly two categories.
        """
        if annotations.n_categories != 2:
            raise AnnotationError(
                f"{name}: needs exactly two categories, got {annotations.n_categories} "
                f"({', '.join(map(repr, annotations.categories[:10]))}). Set one against the rest."
            )
        return lambda labels, copies: cls(labels, weights)

    @cached_property
    def rows(self) -> Rows:
        """Which cell each item is in, shape (I, 4)."""
        first, second = self.positive.T
        cells = [first & second, first & ~second, ~first & second, ~first & ~second]
        return np.column_stack(cells).astype(np.float64)

    def value(self, totals: Totals) -> Totals:
        """Return the weighted share.

        Parameters
        ----------
        totals : ndarray, shape (..., 4)
            Items in each cell.

        Returns
        -------
        ndarray, shape (...)
            NaN without items.
        """
        return ratio(totals @ np.asarray(self.weights), totals.sum(axis=-1), 0.0)
