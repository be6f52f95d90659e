"""The order that numpy's default `argsort` gives without vector instructions.

The order of equal numbers depends on the algorithm, and since version 2.0 numpy takes another one
where the processor has vector instructions. Written out, the older one gives the same order
everywhere: quicksort about the median of three, with insertion sort of short parts.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Parts of at most so many numbers plus one are sorted by insertion.
_SHORT = 15


def quicksort_order(values: ArrayLike) -> NDArray[np.int64]:
    """Sort as ``numpy.argsort(values, kind="quicksort")`` does without vector instructions.

    Quicksort turns to heapsort where it goes too deep, which no order here does; it would raise.
    """
    v: Sequence[float] = np.asarray(values, dtype=np.float64).tolist()
    order = list(range(len(v)))
    parts = [(0, len(v) - 1, 2 * max(len(v).bit_length() - 1, 0))]
    while parts:
        low, high, depth = parts.pop()
        while high - low > _SHORT:
            if depth < 0:
                raise RecursionError("quicksort_order: numpy would go on with heapsort here.")
            depth -= 1
            middle = _partition(v, order, low, high)
            smaller, larger = (low, middle - 1), (middle + 1, high)
            if middle - low >= high - middle:
                smaller, larger = larger, smaller
            parts.append((*larger, depth))
            low, high = smaller
        _insert(v, order, low, high)
    return np.array(order, dtype=np.int64)


def _partition(v: Sequence[float], order: list[int], low: int, high: int) -> int:
    """Put smaller numbers before the median of three and larger ones behind; say where it is."""
    middle = low + ((high - low) >> 1)
    for first, second in ((low, middle), (middle, high), (low, middle)):
        if v[order[second]] < v[order[first]]:
            order[first], order[second] = order[second], order[first]
    pivot = v[order[middle]]
    i, j = low, high - 1
    order[middle], order[j] = order[j], order[middle]
    while True:
        i += 1
        while v[order[i]] < pivot:
            i += 1
        j -= 1
        while pivot < v[order[j]]:
            j -= 1
        if i >= j:
            break
        order[i], order[j] = order[j], order[i]
    order[i], order[high - 1] = order[high - 1], order[i]
    return i


def _insert(v: Sequence[float], order: list[int], low: int, high: int) -> None:
    for n in range(low + 1, high + 1):
        own, place = order[n], n
        while place > low and v[own] < v[order[place - 1]]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = own
