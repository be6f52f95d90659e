"""Compiled kernels for grouping and counting in linear time."""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel


@kernel()
def counting_order(group, offsets):
    """Return the stable order that sorts labels by group, given where each group starts."""
    order = np.empty(group.size, dtype=np.int64)
    if _is_sorted(group):
        for label in range(group.size):
            order[label] = label
        return order
    position = offsets[:-1].copy()
    for label in range(group.size):
        at = np.uint64(group[label])
        order[np.uint64(position[at])] = label
        position[at] += 1
    return order


@kernel()
def codes_of_numbers(values, lowest, n_possible):
    """Code numbers by first appearance; return the codes, and first positions."""
    code_of = np.full(n_possible, -1, dtype=np.int32)
    codes = np.empty(values.size, dtype=np.int32)
    first = np.empty(min(values.size, n_possible), dtype=np.int64)
    n = 0
    for i in range(values.size):
        at = np.uint64(values[i] - lowest)
        if code_of[at] < 0:
            code_of[at] = n
            first[n] = i
            n += 1
        codes[i] = code_of[at]
    return codes, first[:n].copy()


@kernel()
def _is_sorted(group):
    n = 1
    while n < group.size and group[n - 1] <= group[n]:
        n += 1
    return n >= group.size


@kernel()
def find_repeat(offsets, order, annotator, n_annotators):
    """Return the first repeated label, by item; -1 if there is none."""
    last = np.full(n_annotators, -1, dtype=np.int64)
    for item in range(offsets.size - 1):
        for position in range(np.uint64(offsets[item]), np.uint64(offsets[item + 1])):
            label = order[position]
            by = np.uint64(annotator[np.uint64(label)])
            if last[by] == item:
                return label
            last[by] = item
    return -1


@kernel()
def cross_table(item, annotator, label, n_items, n_categories):
    """Count the items by the labels of two annotators who each labelled all of them once."""
    given = np.empty((2, n_items), dtype=label.dtype)
    for n in range(label.size):
        given[np.uint64(annotator[n]), np.uint64(item[n])] = label[n]
    table = np.zeros((n_categories, n_categories), dtype=np.int64)
    for i in range(n_items):
        table[np.uint64(given[0, i]), np.uint64(given[1, i])] += 1
    return table
