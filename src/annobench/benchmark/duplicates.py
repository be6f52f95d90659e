"""Data sets with the same labels under other names.

Two label tables are isomorphic if renaming items, annotators and categories turns one into the
other. This is decided by a fingerprint that does not depend on names: items, annotators and
categories have colours, initially equal, which are refined by the colours of their neighbours
(Weisfeiler and Lehman 1968). In theory different tables can have the same fingerprint, but not in
real data sets, whose items and annotators differ in their neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from annobench.benchmark.cases import BenchmarkCase
from annobench.labels.annotations import Annotations

Colours = NDArray[np.uint64]

#: Refinements: labels of labels of labels.
ROUNDS: Final = 3

#: Odd multipliers of a mixing step (those of the SplitMix64 generator).
GAMMA: Final = np.uint64(0x9E3779B97F4A7C15)
FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
SECOND: Final = np.uint64(0x94D049BB133111EB)


def _mix(value: Colours) -> Colours:
    """Scramble 64 bits, so that sums of the results identify the inputs."""
    value = value + GAMMA
    value = (value ^ (value >> np.uint64(30))) * FIRST
    value = (value ^ (value >> np.uint64(27))) * SECOND
    return value ^ (value >> np.uint64(31))


def fingerprint(annotations: Annotations) -> int:
    """Return a number that is equal for isomorphic label tables."""
    codes = (annotations.item, annotations.annotator, annotations.label)
    sizes = (annotations.n_items, annotations.n_annotators, annotations.n_categories)
    colours = [np.zeros(size, dtype=np.uint64) for size in sizes]
    label = np.zeros(annotations.n_labels, dtype=np.uint64)
    for _ in range(ROUNDS):
        label = np.zeros_like(label)
        for own, code in zip(colours, codes, strict=True):
            label = _mix(label + own[code])
        for n, (size, code) in enumerate(zip(sizes, codes, strict=True)):
            total = np.zeros(size, dtype=np.uint64)
            np.add.at(total, code, label)
            colours[n] = _mix(total)
    return int(_mix(label.sum(keepdims=True))[0])


def same_labels(cases: Iterable[BenchmarkCase]) -> dict[str, str]:
    """Return, for each case, an earlier case with the same labels up to names."""
    first: dict[int, str] = {}
    return {
        case.name: "" if (known := first.setdefault(mark, case.name)) == case.name else known
        for case in cases
        for mark in [fingerprint(case.annotations)]
    }
