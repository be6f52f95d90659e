"""Compiled kernels that group and count, in time linear in what they are given."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def counting_order(group, offsets):
    """Return the stable order that sorts labels by group, given where each group starts."""
    order = np.empty(group.size, dtype=np.int64)
    position = offsets[:-1].copy()
    for label in range(group.size):
        order[position[group[label]]] = label
        position[group[label]] += 1
    return order


@njit(nogil=True, cache=True)
def find_repeat(offsets, order, annotator, n_annotators):
    """Return the first label, by item, of an annotator who had labelled the item; -1 if none."""
    last = np.full(n_annotators, -1, dtype=np.int64)
    for item in range(offsets.size - 1):
        for position in range(offsets[item], offsets[item + 1]):
            label = order[position]
            if last[annotator[label]] == item:
                return label
            last[annotator[label]] = item
    return -1
