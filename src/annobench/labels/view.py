"""Labels grouped by a column of codes, as compressed sparse rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench.labels._grouping import stable_order

__all__ = ["View"]


@dataclass(frozen=True, eq=False)
class View:
    """Labels grouped by item or by annotator (compressed sparse rows).

    Attributes
    ----------
    offsets : ndarray of int64, shape (G + 1,)
        Group g owns the positions ``offsets[g]:offsets[g + 1]`` of `order`.
    order : ndarray of int64, shape (N,)
        Indices of labels, sorted by group and stable within it.
    """

    offsets: NDArray[np.int64]
    order: NDArray[np.int64]

    def __post_init__(self) -> None:
        self.offsets.setflags(write=False)
        self.order.setflags(write=False)

    @classmethod
    def of(cls, group: NDArray[Any], n_groups: int) -> View:
        """Group the labels by a column of codes.

        Parameters
        ----------
        group : ndarray of int, shape (N,)
            Code of the item or annotator of each label.
        n_groups : int
            The number of groups G, including those without labels.

        Returns
        -------
        View
            The labels of each group.
        """
        offsets = np.zeros(n_groups + 1, dtype=np.int64)
        np.cumsum(np.bincount(group, minlength=n_groups), out=offsets[1:])
        return cls(offsets, stable_order(group, offsets))

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The position of each entry of `order` within its group, from 0; shape (N,)."""
        return np.arange(self.order.size) - np.repeat(self.offsets[:-1], np.diff(self.offsets))

    def __getitem__(self, group: int) -> NDArray[np.int64]:
        """Return the indices of the labels of one group."""
        return self.order[self.offsets[group] : self.offsets[group + 1]]
