"""The form of the indices of a two by two table."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from annobench.agreement.forms.base import Rows, Totals, WithoutChance
from annobench.labels.annotations import Annotations
from annobench.resampling.ratios import ratio


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
        return ratio(totals @ np.asarray(self.weights), totals.sum(axis=-1))
