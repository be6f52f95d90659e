"""Items with finite strengths (a strongly connected group), and those above and below.

The maximum of the likelihood is finite if and only if, however items are divided into two groups,
some item of each has beaten or tied with one of the other (Ford 1957): if the graph of who beat
whom is strongly connected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from annobench.pairwise.comparisons import LEFT, RIGHT, Comparisons

__all__ = ["Order", "order_of", "within"]


class Order(NamedTuple):
    """Positions of the items.

    Attributes
    ----------
    core : ndarray of bool, shape (K,)
        The largest group of items whose strengths are finite relative to each other.
    above, below : ndarray of bool, shape (K,)
        Items whose strengths are infinitely larger or smaller.
    """

    core: NDArray[np.bool_]
    above: NDArray[np.bool_]
    below: NDArray[np.bool_]


def order_of(of: Comparisons) -> Order:
    """Find the largest strongly connected group, and the items above and below it."""
    k = of.n_items
    beats = np.concatenate(
        [
            np.column_stack([of.left, of.right])[of.outcome != RIGHT],
            np.column_stack([of.right, of.left])[of.outcome != LEFT],
        ]
    )
    graph = sparse.csr_array((np.ones(len(beats)), (beats[:, 0], beats[:, 1])), shape=(k, k))
    _, group = connected_components(graph, directed=True, connection="strong")
    inside = group[of.left] == group[of.right]
    size = np.bincount(group).astype(float)
    comparisons = np.bincount(group[of.left[inside]], minlength=size.size)
    largest = np.lexsort((comparisons, size))[-1]
    core = group == largest
    start = int(np.flatnonzero(core)[0])
    below = np.zeros(k, dtype=bool)
    below[breadth_first_order(graph, start, return_predecessors=False)] = True
    above = np.zeros(k, dtype=bool)
    above[breadth_first_order(graph.T.tocsr(), start, return_predecessors=False)] = True
    return Order(core, above & ~core, below & ~core)


def within(of: Comparisons, kept: NDArray[np.bool_]) -> tuple[Comparisons, NDArray[np.bool_]]:
    """Keep the comparisons of some items with each other; also return their indices."""
    rows = kept[of.left] & kept[of.right]
    code = np.cumsum(kept) - 1
    names = tuple(name for name, stays in zip(of.items, kept, strict=True) if stays)
    annotator = None if of.annotator is None else of.annotator[rows]
    found = Comparisons(
        names, code[of.left[rows]], code[of.right[rows]], of.outcome[rows], of.annotators, annotator
    )
    return found, rows
