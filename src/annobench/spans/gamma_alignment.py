"""The best alignment of units behind gamma: dissimilarities, candidates, an integer programme."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from annobench.core.errors import AnnotationError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Candidate alignments of one document, beyond which memory runs out before time does.
MAX_CANDIDATES: Final = 2_000_000
#: Pairs of units whose dissimilarity is computed at once.
MAX_PAIRS: Final = 4_000_000


class Units(NamedTuple):
    """The units of one annotator in a document.

    Attributes
    ----------
    start, end : ndarray, shape (n,)
        Limits.
    label : ndarray of int, shape (n,)
        Codes of labels.
    """

    start: Floats
    end: Floats
    label: Ints

    def at(self, which: Ints) -> Units:
        """Take some of them.

        Parameters
        ----------
        which : ndarray of int
            Their numbers.

        Returns
        -------
        Units
            In that order.
        """
        return Units(self.start[which], self.end[which], self.label[which])


class Dissimilarity(NamedTuple):
    """How different two units are: weighted differences of position and of label.

    Attributes
    ----------
    position, label : float
        Weights (alpha and beta of the paper), not negative.
    empty : float
        The dissimilarity of a unit and none at all, positive; the unit of the others.
    """

    position: float = 1.0
    label: float = 1.0
    empty: float = 1.0

    def between(self, first: Units, second: Units) -> Floats:
        """Compare units.

        Parameters
        ----------
        first, second : Units
            Of shapes that broadcast.

        Returns
        -------
        ndarray
            At least 0; equal units have 0.
        """
        apart = np.abs(first.start - second.start) + np.abs(first.end - second.end)
        width = (first.end - first.start) + (second.end - second.start)
        differ = self.position * (apart / width) ** 2 + self.label * (first.label != second.label)
        return np.asarray(differ * self.empty)


class BestAlignment(NamedTuple):
    """The alignment of the units of a document with the least disorder.

    Attributes
    ----------
    tuples : ndarray of int, shape (A, n)
        Each row aligns at most one unit of each annotator, by number; -1 is none. Every unit is in
        one row.
    disorder : float
        Sum over rows of the mean dissimilarity of the row's pairs.
    """

    tuples: Ints
    disorder: float


def best_alignment(units: list[Units], dissimilarity: Dissimilarity, name: str) -> BestAlignment:
    """Find the best alignment of the units of several annotators.

    Parameters
    ----------
    units : list of Units
        Of n annotators, at least two.
    dissimilarity : Dissimilarity
        Of units.
    name : str
        Of the document, for messages.

    Returns
    -------
    BestAlignment
        Exact: an integer programme that covers every unit once.

    Raises
    ------
    AnnotationError
        If there are too many candidates, as with many annotators or spans that nest deeply.

    References
    ----------
    Mathet, Widlöcher and Métivier (2015), sections 4.3 and 5.1.
    """
    tuples, cost = _candidates(units, dissimilarity, name)
    sizes = [own.start.size for own in units]
    if not sum(sizes):
        return BestAlignment(np.zeros((0, len(units)), dtype=np.int64), 0.0)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    row, column = np.nonzero(tuples >= 0)
    covers = sparse.csr_array(
        (np.ones(row.size), ((tuples + first)[row, column], row)), shape=(sum(sizes), len(tuples))
    )
    found = milp(
        cost,
        constraints=LinearConstraint(covers, 1, 1),
        integrality=np.ones(cost.size, dtype=np.int64),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        raise AnnotationError(f"gamma: no alignment of document {name!r} found: {found.message}")
    chosen = found.x > 0.5
    return BestAlignment(tuples[chosen], float(cost[chosen].sum()))


def _candidates(units: list[Units], d: Dissimilarity, name: str) -> tuple[Ints, Floats]:
    """List the rows that a best alignment can have, with the mean dissimilarity of their pairs.

    A row of k units is no candidate if it is better split: taking one unit out costs a row of its
    own, `empty`, and saves what the unit differs from the others by more than from none. Without
    units a row would cost `empty`, hence the excess over that is summed.
    """
    n = len(units)
    n_pairs = n * (n - 1) // 2
    # An excess of one pair above this can't be made up for by the pairs with the other n - 2.
    most = (n_pairs + n - 2) * d.empty
    rows, excess = np.full((1, 0), -1, dtype=np.int64), np.zeros(1)
    near = {(i, j): _near(units[i], units[j], d, most) for j in range(n) for i in range(j)}
    for j in range(n):
        grown, grown_excess = [np.pad(rows, ((0, 0), (0, 1)), constant_values=-1)], [excess]
        held = rows >= 0
        lead = np.where(held.any(axis=1), held.argmax(axis=1) if j else 0, -1)
        for i in range(-1, j):
            own = np.flatnonzero(lead == i)
            if i < 0:  # rows without a unit so far
                parent = np.repeat(own, units[j].start.size)
                added = np.tile(np.arange(units[j].start.size), own.size)
            else:
                graph = near[i, j]
                starts, stops = (graph.indptr[rows[own, i] + step] for step in (0, 1))
                parent = np.repeat(own, stops - starts)
                within = np.arange(parent.size) - np.repeat(
                    np.cumsum(stops - starts) - (stops - starts), stops - starts
                )
                added = graph.indices[np.repeat(starts, stops - starts) + within]
            _check(sum(map(len, grown)) + parent.size, name)
            more = np.zeros(parent.size)
            fits = np.ones(parent.size, dtype=bool)
            for other in range(max(i, 0), j):
                with_unit = np.flatnonzero(rows[parent, other] >= 0)
                pair = d.between(
                    units[other].at(rows[parent[with_unit], other]), units[j].at(added[with_unit])
                )
                more[with_unit] += pair - d.empty
                fits[with_unit] &= pair - d.empty <= most
            grown.append(np.column_stack([rows[parent], added])[fits])
            grown_excess.append((excess[parent] + more)[fits])
        rows, excess = np.concatenate(grown), np.concatenate(grown_excess)
    keep = (rows >= 0).any(axis=1)
    for j in range(n):
        apart = np.zeros(len(rows))
        for other in range(n):
            if other != j:
                both = np.flatnonzero((rows[:, j] >= 0) & (rows[:, other] >= 0))
                pair = d.between(units[j].at(rows[both, j]), units[other].at(rows[both, other]))
                apart[both] += pair - d.empty
        keep &= apart <= n_pairs * d.empty
    return rows[keep], (d.empty + excess / n_pairs)[keep]


def _near(first: Units, second: Units, d: Dissimilarity, most: float) -> sparse.csr_array:
    """Find the pairs of units that may share a row, as a graph."""
    chunks = []
    step = max(1, MAX_PAIRS // max(1, second.start.size))
    for begin in range(0, first.start.size, step):
        part = first.at(np.arange(begin, min(begin + step, first.start.size)))
        column = Units(part.start[:, None], part.end[:, None], part.label[:, None])
        chunks.append(sparse.csr_array(d.between(column, second) - d.empty <= most))
    if not chunks:
        return sparse.csr_array((0, second.start.size), dtype=bool)
    return sparse.csr_array(sparse.vstack(chunks, format="csr"))


def _check(n: int, name: str) -> None:
    if n > MAX_CANDIDATES:
        raise AnnotationError(
            f"gamma: document {name!r} has more than {MAX_CANDIDATES:,} ways to align its units. "
            "Take fewer annotators at once (Marks.select), or F1."
        )
