"""Group and count labels: many by compiled loops, few by NumPy.

Compiled code takes a moment to load, and seconds to compile at its first use, which few labels need
not pay. Both ways give the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Integers = NDArray[np.integer[Any]]

#: Labels from which compiling pays.
MANY = 50_000


def stable_order(group: Integers, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order that sorts labels by group, given where each group starts."""
    if group.size < MANY:
        return np.argsort(group, kind="stable")
    from annobench.labels import _kernels

    return np.asarray(_kernels.counting_order(group, offsets))


def codes_of_numbers(values: Integers) -> tuple[Integers, Integers]:
    """Return the codes of whole numbers by first appearance, and the different numbers."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    if values.size < MANY or high - low > 4 * values.size or high > np.iinfo(np.int64).max:
        codes, distinct = pd.factorize(values)
        return codes, distinct
    from annobench.labels import _kernels

    codes, first = _kernels.codes_of_numbers(np.asarray(values, np.int64), low, high - low + 1)
    return codes, values[first]


def find_repeat(
    offsets: NDArray[np.int64], order: NDArray[np.int64], annotator: Integers, n_annotators: int
) -> int | None:
    """Return the first label, by item, of an annotator who had labelled the item; None if none."""
    if order.size < MANY:
        item = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
        repeats = pd.Series(item * n_annotators + annotator[order]).duplicated().to_numpy()
        return int(order[repeats.argmax()]) if repeats.any() else None
    from annobench.labels import _kernels

    found = int(_kernels.find_repeat(offsets, order, annotator, n_annotators))
    return None if found < 0 else found


def cross_table(
    item: Integers, annotator: Integers, label: Integers, n_items: int, n_categories: int
) -> NDArray[np.int64]:
    """Count the items by the labels of two annotators who each labelled all of them once."""
    if label.size < MANY:
        given = np.empty((2, n_items), dtype=np.int64)
        given[annotator, item] = label
        cell = given[0] * n_categories + given[1]
        counts = np.bincount(cell, minlength=n_categories**2)
        return counts.reshape(n_categories, n_categories)
    from annobench.labels import _kernels

    return np.asarray(_kernels.cross_table(item, annotator, label, n_items, n_categories))
