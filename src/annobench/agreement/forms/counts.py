"""Counts of labels by item and category, and pairs of labels of an item."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annobench.agreement.forms.base import Floats
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.resampling.weights import MAX_CELLS

__all__ = ["quadratic", "squares"]

#: Pairs of labels that are listed at most.
MAX_LABEL_PAIRS: Final = 100_000_000


class LabelPairs:
    """All pairs of labels of the same item by two annotators."""

    def __init__(self, annotations: Annotations) -> None:
        view = annotations.by_item
        size = np.diff(view.offsets)
        if count_label_pairs(annotations) > MAX_LABEL_PAIRS:
            raise AnnotationError(
                "Agreement by pairs of annotators: there are more than a hundred million pairs of "
                "labels. Use fewer items, or a coefficient that pools annotators."
            )
        low, high = pairs_within(size, view.offsets[:-1])
        first, second = view.order[low], view.order[high]
        swap = annotations.annotator[first] > annotations.annotator[second]
        self.first = np.where(swap, second, first)
        self.second = np.where(swap, first, second)
        self.item = annotations.item[self.first]
        code = (
            annotations.annotator[self.first].astype(np.int64) * annotations.n_annotators
            + annotations.annotator[self.second]
        )
        codes, self.pair = _distinct(code, annotations.n_annotators**2)
        self.first_annotator, self.second_annotator = np.divmod(codes, annotations.n_annotators)
        self.n_pairs = codes.size


def _distinct(code: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct codes below n, ascending, and each code's position among them."""
    if n > code.size:
        different, place = np.unique(code, return_inverse=True)
        return different, place
    seen = np.bincount(code, minlength=n) > 0  # without sorting
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[code]


def count_label_pairs(annotations: Annotations) -> int:
    """Count the pairs of labels of one item."""
    size = np.diff(annotations.by_item.offsets)
    return int((size * (size - 1) // 2).sum())


def weighted_counts(
    annotations: Annotations, multiplicity: Floats | None
) -> NDArray[Any] | sparse.csr_array:
    """Count each item's labels by category, weighted by the annotators' multiplicities."""
    a = annotations
    shape = (a.n_items, a.n_categories)
    if shape[0] * shape[1] > 4 * a.n_labels + 1_000_000:
        weights = label_weights(a, multiplicity)
        return sparse.csr_array(sparse.coo_array((weights, (a.item, a.label)), shape=shape))
    if multiplicity is None:
        return a.counts
    cell = a.item.astype(np.int64) * shape[1] + a.label
    counts = np.bincount(cell, multiplicity[a.annotator], minlength=shape[0] * shape[1])
    return counts.reshape(shape)


def copies_of_items(annotations: Annotations, multiplicity: Floats | None, size: Floats) -> Floats:
    """Sum the squares of the annotators' multiplicities for each item."""
    if multiplicity is None:
        return size
    squares = multiplicity[annotations.annotator] ** 2
    return np.bincount(annotations.item, squares, minlength=annotations.n_items)


def row_sums(table: Any) -> Floats:
    """Sum each row of an ordinary or a sparse table."""
    if isinstance(table, np.ndarray):
        return np.asarray(np.einsum("ik->i", table), dtype=np.float64)
    return np.asarray(table.sum(axis=1), dtype=np.float64)


def squares(table: Any) -> Floats:
    """Sum the squares of each row of an ordinary or a sparse table.

    Parameters
    ----------
    table : ndarray or csr_array, shape (I, K)
        Numbers.

    Returns
    -------
    ndarray, shape (I,)
        Sums.
    """
    if isinstance(table, np.ndarray):
        return np.asarray(np.einsum("ik,ik->i", table, table), dtype=np.float64)
    return row_sums(table * table)


def quadratic(counts: NDArray[Any] | sparse.csr_array, table: Floats) -> Floats:
    """Return sum_kl n_k table_kl n_l of every row, in blocks that fit in memory.

    Parameters
    ----------
    counts : ndarray or csr_array, shape (I, K)
        n of each item.
    table : ndarray, shape (K, K)
        Distances.

    Returns
    -------
    ndarray, shape (I,)
        Quadratic forms.
    """
    step = max(1, MAX_CELLS // max(1, table.shape[0]))
    pieces = []
    for start in range(0, counts.shape[0], step):
        piece = counts[start : start + step]
        pieces.append(row_sums(piece * (piece @ table)))
    return np.concatenate(pieces) if pieces else np.zeros(0)


def pairs_within(
    size: NDArray[Any], start: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the pairs of positions within groups of consecutive positions."""
    first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for n in np.unique(size[size > 1]):
        low, high = np.triu_indices(int(n), 1)
        begin = start[size == n][:, None]
        first.append((begin + low).ravel())
        second.append((begin + high).ravel())
    return np.concatenate(first), np.concatenate(second)


def label_weights(annotations: Annotations, multiplicity: Floats | None) -> Floats:
    """Return the multiplicity of each label's annotator."""
    if multiplicity is None:
        return np.ones(annotations.n_labels)
    return multiplicity[annotations.annotator]
