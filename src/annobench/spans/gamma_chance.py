"""Random annotations for gamma: units shifted cyclically."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annobench.spans.gamma_alignment import Units, ranges
from annobench.spans.marks import Marks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Texts(NamedTuple):
    """Documents that n annotators each opened, with their units.

    Attributes
    ----------
    units : Units
        Units of all annotators, by document and annotator.
    size : ndarray of int, shape (D, n)
        Number of units by document and annotator; every document has at least one.
    length : ndarray, shape (D,)
        Length in characters.
    """

    units: Units
    size: Ints
    length: Floats

    @classmethod
    def of(cls, marks: Marks, documents: list[int]) -> Texts:
        """Select documents opened by equal numbers of annotators."""
        code = {name: k for k, name in enumerate(marks.labels)}
        own = [[marks.spans[d, j] for j in marks.opened_by(d)] for d in documents]
        size = np.array([[len(spans) for spans in of] for of in own])
        columns = np.array(
            [(span[0], span[1], code[span.label]) for of in own for spans in of for span in spans]
        ).T
        document = np.repeat(np.arange(len(documents)), size.sum(axis=1))
        start, end = columns[:2].astype(np.float64)
        units = Units(start, end, columns[2], document)
        return cls(units, size, np.array([marks.length(d) for d in documents], dtype=np.float64))

    def with_random(self, draws: int, rng: np.random.Generator) -> list[Units]:
        """Append random annotations of each document to its own.

        Mathet, Widlöcher and Métivier (2015), section 5.2.
        """
        n_documents, n = self.size.shape
        source = np.empty((n_documents, 1 + draws, n), dtype=np.int64)
        shift = np.zeros_like(source)
        source[:, 0] = np.arange(n)
        source[:, 1:] = self._draw_sources(draws, rng)
        shift[:, 1:] = self._draw_shifts(draws, rng)
        return [self._moved(source[:, :, j], shift[:, :, j]) for j in range(n)]

    def _draw_sources(self, draws: int, rng: np.random.Generator) -> Ints:
        n_documents, n = self.size.shape
        source = rng.integers(0, n, size=(n_documents, draws, n))
        document = np.arange(n_documents)[:, None, None]
        while (empty := self.size[document, source].sum(axis=2) == 0).any():
            source[empty] = rng.integers(0, n, size=(int(empty.sum()), n))
        return source

    def _draw_shifts(self, draws: int, rng: np.random.Generator) -> Ints:
        """Draw distances uniformly, at least half the mean length of a unit apart if possible."""
        n_documents, n = self.size.shape
        width = np.bincount(self.units.document, self.units.end - self.units.start)
        apart = (width / self.size.sum(axis=1) / 2)[:, None, None]
        length = np.broadcast_to(self.length[:, None, None], (n_documents, draws, 1))
        shift = np.zeros((n_documents, draws, n), dtype=np.int64)
        for j in range(n):
            taken = np.sort(shift[:, :, :j], axis=2)
            begin = np.concatenate([np.zeros_like(length), taken + apart], axis=2)
            free = np.maximum(0, np.concatenate([taken - apart, length], axis=2) - begin)
            full = free.sum(axis=2) == 0
            begin[full] = free[full] = 0
            free[full, -1] = length[full, 0]
            ends = np.cumsum(free, axis=2)
            place = rng.uniform(0, ends[:, :, -1])[:, :, None]
            part = np.minimum((ends <= place).sum(axis=2, keepdims=True), j)
            begin, before = (np.take_along_axis(of, part, axis=2) for of in (begin, ends - free))
            shift[:, :, j] = (begin + place - before)[:, :, 0]
        return shift

    def _moved(self, source: Ints, shift: Ints) -> Units:
        """Shift the units of one annotator per document and draw, shape (D, 1 + R)."""
        document = np.arange(len(source))[:, None]
        first = np.reshape(np.cumsum(self.size) - self.size.ravel(), self.size.shape)
        begins, n_units = (of[document, source].ravel() for of in (first, self.size))
        own = self.units.at(ranges(begins, begins + n_units))
        length = self.length[own.document]
        start = own.start + np.repeat(shift.ravel(), n_units)
        start -= length * (start > length)
        drawn = np.repeat(np.arange(source.size), n_units)
        return Units(start, start + own.end - own.start, own.label, drawn)
