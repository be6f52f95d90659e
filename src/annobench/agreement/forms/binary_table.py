"""Forms of the indices of a 2 x 2 table."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from annobench.agreement.forms.base import Rows, Totals, WithoutChance
from annobench.labels.annotations import Annotations
from annobench.resampling.ratios import ratio

__all__ = ["BinaryTable"]


class BinaryTable(WithoutChance):
    """A function of the numbers of items in the four cells.

    Parameters
    ----------
    annotations : Annotations
        Two annotators who both labelled every item, two categories.
    """

    def __init__(self, annotations: Annotations) -> None:
        self.n_items = annotations.n_items
        positive = np.zeros((annotations.n_items, 2), dtype=bool)
        positive[annotations.item, annotations.annotator] = annotations.label == 1
        self.positive = positive

    @cached_property
    def rows(self) -> Rows:
        """Each item's cell: both positive, only first, only second, neither; shape (I, 4)."""
        first, second = self.positive.T
        cells = [first & second, first & ~second, ~first & second, ~first & ~second]
        return np.column_stack(cells).astype(np.float64)


class CellShare(BinaryTable):
    """A weighted share of the four cells."""

    def __init__(self, annotations: Annotations, weights: tuple[float, ...]) -> None:
        super().__init__(annotations)
        self.weights = weights

    def value(self, totals: Totals) -> Totals:
        return ratio(totals @ np.asarray(self.weights), totals.sum(axis=-1))
