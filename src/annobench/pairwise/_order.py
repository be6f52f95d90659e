"""Items with finite strengths (a strongly connected group), and whether order has an effect.

The maximum of the likelihood is finite if and only if, however items are divided into two groups,
some item of each has beaten or tied with one of the other (Ford 1957): if the graph of who beat
whom is strongly connected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import (
    NegativeCycleError,
    bellman_ford,
    breadth_first_order,
    connected_components,
)

from annobench.pairwise.comparisons import LEFT, RIGHT, Comparisons

__all__ = ["Order", "order_of", "why_no_side", "within"]


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


def within(of: Comparisons, kept: NDArray[np.bool_]) -> Comparisons:
    """Keep the comparisons of some items with each other."""
    rows = kept[of.left] & kept[of.right]
    code = np.cumsum(kept) - 1
    names = tuple(name for name, stays in zip(of.items, kept, strict=True) if stays)
    annotator = None if of.annotator is None else of.annotator[rows]
    cluster = None if of.cluster is None else np.unique(of.cluster[rows], return_inverse=True)[1]
    weight = None if of.weight is None else of.weight[rows]
    left, right = code[of.left[rows]], code[of.right[rows]]
    return Comparisons(
        names,
        left,
        right,
        of.outcome[rows],
        of.annotators,
        annotator,
        cluster=cluster,
        weight=weight,
    )


def why_no_side(of: Comparisons) -> str:
    """Say why the effect of being shown first can't be estimated; "" if it can.

    Give each step from a winner to a loser the weight 1 if the winner was shown first, -1 if
    second; a tie is a step either way. Like that of the strengths (Ford 1957), the effect's maximum
    is finite if and only if some circle has a negative sum and some has a positive one: otherwise
    strengths exist with which each win agrees, however large the effect.
    """
    pairs = set(zip(of.left.tolist(), of.right.tolist(), strict=True))
    if not any((b, a) in pairs for a, b in pairs):
        return "no pair was shown in both orders"
    if _has_negative_circle(of, 1) and _has_negative_circle(of, -1):
        return ""
    for side, name in ((LEFT, "first"), (RIGHT, "second")):
        if not (of.outcome == side).any():
            return f"no item won that was shown {name}, as if columns were the winner and the loser"
    return "its effect would be infinite, as each item of some pairs won in one order alone"


def _has_negative_circle(of: Comparisons, sign: int) -> bool:
    first, second = of.outcome != RIGHT, of.outcome != LEFT
    start = np.concatenate([of.left[first], of.right[second]])
    end = np.concatenate([of.right[first], of.left[second]])
    weight = sign * np.repeat([1, -1], [first.sum(), second.sum()])
    # Of steps between the same items, the least counts.
    order = np.lexsort((weight, end, start))
    _, least = np.unique(start[order] * of.n_items + end[order], return_index=True)
    rows = order[least]
    size = (of.n_items, of.n_items)
    graph = sparse.csr_array((weight[rows].astype(float), (start[rows], end[rows])), shape=size)
    try:
        bellman_ford(graph, indices=[0])
    except NegativeCycleError:
        return True
    return False
