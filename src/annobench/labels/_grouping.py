"""Grouping and counting of labels: compiled for many, NumPy for few.

Compiled code takes a second to load, and longer to compile on first use, which is not worthwhile
for few labels. Both give the same result.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Integers = NDArray[np.integer[Any]]

#: Labels from which compiled code pays, where numba is loaded, and where it is not.
MANY, MANY_UNLOADED = 50_000, 4_000_000
#: Labels of an item that are sooner compared, and cells of items by annotators for a label that are
#: sooner counted, than labels are hashed.
_CELLS = 20


def _are_few(n: int) -> bool:
    return n < (MANY if "numba" in sys.modules else MANY_UNLOADED)


def stable_order(group: Integers, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order that sorts labels by group, given where each group starts."""
    if _are_few(group.size):
        if (group[1:] >= group[:-1]).all():
            return np.arange(group.size)
        if offsets.size <= 2**16:
            group = group.astype(np.uint16)  # which NumPy sorts by digits
        return np.argsort(group, kind="stable")
    from annobench.labels import _kernels

    return np.asarray(_kernels.counting_order(group, offsets))


def codes_of_numbers(values: Integers) -> tuple[Integers, Integers]:
    """Return the codes of whole numbers by first appearance, and the distinct numbers."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    if _are_few(values.size) or high - low > 4 * values.size or high > np.iinfo(np.int64).max:
        codes, distinct = pd.factorize(values)
        return codes, distinct
    from annobench.labels import _kernels

    codes, first = _kernels.codes_of_numbers(np.asarray(values, np.int64), low, high - low + 1)
    return codes, values[first]


def find_repeat(
    offsets: NDArray[np.int64], order: NDArray[np.int64], annotator: Integers, n_annotators: int
) -> int | None:
    """Return the first repeated label, by item; None if there is none."""
    if _are_few(order.size):
        size = np.diff(offsets)
        cell = np.repeat(np.arange(size.size), size) * n_annotators + annotator[order]
        if not _may_repeat(cell, size.size * n_annotators, int(size.max(initial=0))):
            return None
        repeats = pd.Series(cell).duplicated().to_numpy()
        return int(order[repeats.argmax()]) if repeats.any() else None
    from annobench.labels import _kernels

    found = int(_kernels.find_repeat(offsets, order, annotator, n_annotators))
    return None if found < 0 else found


def _may_repeat(cell: Integers, n_cells: int, largest: int) -> bool:
    """Return whether a code may occur twice in a group, as far as is known without hashing.

    Codes of a group are contiguous; the largest is given.
    """
    if largest <= _CELLS:
        return any((cell[lag:] == cell[:-lag]).any() for lag in range(1, largest))
    return n_cells > _CELLS * cell.size or bool(np.bincount(cell).max() > 1)


def cross_table(
    item: Integers, annotator: Integers, label: Integers, n_items: int, n_categories: int
) -> NDArray[np.int64]:
    """Count the items by the labels of two annotators who each labelled all of them once."""
    if _are_few(label.size):
        given = np.empty((2, n_items), dtype=np.int64)
        given[annotator, item] = label
        cell = given[0] * n_categories + given[1]
        counts = np.bincount(cell, minlength=n_categories**2)
        return counts.reshape(n_categories, n_categories)
    from annobench.labels import _kernels

    return np.asarray(_kernels.cross_table(item, annotator, label, n_items, n_categories))
