"""The optimal alignment of units for gamma: dissimilarities, candidates, integer programming."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from annobench.core.errors import AnnotationError

__all__ = ["ranges"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Candidate alignments of one document, beyond which memory runs out before time does.
MAX_CANDIDATES: Final = 2_000_000
#: Pairs of units whose dissimilarity is computed at once.
MAX_PAIRS: Final = 4_000_000
#: Solutions this close to 0 or 1 are integral; the solver's tolerance is 1e-7.
INTEGRAL: Final = 1e-4


class Units(NamedTuple):
    """The units of one annotator, in one document or several.

    Attributes
    ----------
    start, end : ndarray, shape (n,)
        Limits.
    label : ndarray of int, shape (n,)
        Codes of labels.
    document : ndarray of int, shape (n,)
        The document of each, in ascending order.
    """

    start: Floats
    end: Floats
    label: Ints
    document: Ints

    def at(self, which: Ints) -> Units:
        """Return a subset."""
        return Units(self.start[which], self.end[which], self.label[which], self.document[which])


class Dissimilarity(NamedTuple):
    """The dissimilarity of two units: weighted differences of position and of label.

    Attributes
    ----------
    position, label : float
        Weights (alpha and beta of the paper), not negative.
    empty : float
        Dissimilarity of a unit and an empty unit, positive; it sets the scale.
    """

    position: float = 1.0
    label: float = 1.0
    empty: float = 1.0

    def between(self, first: Units, second: Units) -> Floats:
        """Compare units."""
        apart = np.abs(first.start - second.start) + np.abs(first.end - second.end)
        width = (first.end - first.start) + (second.end - second.start)
        differ = self.position * (apart / width) ** 2 + self.label * (first.label != second.label)
        return np.asarray(differ * self.empty)


class BestAlignment(NamedTuple):
    """The alignments of the units of documents with the least disorder.

    Attributes
    ----------
    tuples : ndarray of int, shape (A, n)
        Each row aligns at most one unit of each annotator, by number; -1 is none. Every unit is in
        one row, and all units of a row are of one document.
    document : ndarray of int, shape (A,)
        The document of each row, in ascending order.
    disorder : ndarray, shape (D,)
        Disorder of each document: sum over rows of the mean dissimilarity of pairs.
    """

    tuples: Ints
    document: Ints
    disorder: Floats


def best_alignment(
    units: list[Units], dissimilarity: Dissimilarity, names: Sequence[str]
) -> BestAlignment:
    """Find the best alignment of the units of several annotators in each of several documents.

    Mathet, Widlöcher and Métivier (2015), sections 4.3 and 5.1.
    """
    try:
        tuples, document, cost = _candidates(units, dissimilarity, names)
    except _TooManyAtOnceError:
        return _by_halves(units, dissimilarity, names)
    sizes = [own.start.size for own in units]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    row, column = np.nonzero(tuples >= 0)
    covers = sparse.csr_array(
        (np.ones(row.size), ((tuples + first)[row, column], row)), shape=(sum(sizes), len(tuples))
    )
    share = _cheapest_cover(covers, cost, whole=False)
    fractional = np.unique(document[np.abs(share - np.rint(share)) > INTEGRAL])
    for d in fractional:
        own = np.flatnonzero(document == d)
        rows = covers[:, own]
        share[own] = _cheapest_cover(rows[np.diff(rows.indptr) > 0], cost[own], whole=True)
    chosen = np.flatnonzero(share > 0.5)
    disorder = np.bincount(document[chosen], cost[chosen], len(names)).astype(np.float64)
    return BestAlignment(tuples[chosen], document[chosen], disorder)


class _TooManyAtOnceError(Exception):
    """The candidates of several documents exceed the memory limit."""


def _by_halves(units: list[Units], d: Dissimilarity, names: Sequence[str]) -> BestAlignment:
    half = len(names) // 2
    found = []
    for begin, end in ((0, half), (half, len(names))):
        limits = [np.searchsorted(own.document, (begin, end)) for own in units]
        parts = [
            own.at(np.arange(*span))._replace(document=own.document[slice(*span)] - begin)
            for own, span in zip(units, limits, strict=True)
        ]
        best = best_alignment(parts, d, names[begin:end])
        first = np.array([span[0] for span in limits])
        tuples = np.where(best.tuples >= 0, best.tuples + first, -1)
        found.append(BestAlignment(tuples, best.document + begin, best.disorder))
    return BestAlignment(*map(np.concatenate, zip(*found, strict=True)))


def _cheapest_cover(covers: sparse.csr_array, cost: Floats, *, whole: bool) -> Floats:
    """Choose candidates, or fractions, that cover every unit once at minimum cost."""
    if not cost.size:
        return np.zeros(0)
    found = milp(
        cost,
        constraints=LinearConstraint(covers, 1, 1),
        integrality=np.full(cost.size, int(whole)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        raise AnnotationError(f"gamma: no alignment found: {found.message}")
    return np.asarray(found.x)


def _candidates(
    units: list[Units], d: Dissimilarity, names: Sequence[str]
) -> tuple[Ints, Ints, Floats]:
    """List candidate rows of an optimal alignment, with document and mean dissimilarity."""
    n = len(units)
    n_pairs = n * (n - 1) // 2
    # An excess of one pair above this can't be made up for by the pairs with the other n - 2.
    most = (n_pairs + n - 2) * d.empty
    near = {(i, j): _near(units[i], units[j], d, most) for j in range(n) for i in range(j)}
    rows, excess = np.zeros((0, 0), dtype=np.int64), np.zeros(0)
    document = np.zeros(0, dtype=np.int64)
    for j in range(n):
        alone = np.full((units[j].start.size, j + 1), -1, dtype=np.int64)
        alone[:, j] = np.arange(len(alone))
        kept = np.column_stack([rows, np.full(len(rows), -1, dtype=np.int64)])
        grown, grown_excess = [kept, alone], [excess, np.zeros(len(alone))]
        grown_document = [document, units[j].document]
        lead = (rows >= 0).argmax(axis=1) if j else np.zeros(0, dtype=np.int64)
        for i in range(j):
            own = np.flatnonzero(lead == i)
            starts, stops = (near[i, j].indptr[rows[own, i] + step] for step in (0, 1))
            parent = np.repeat(own, stops - starts)
            added = near[i, j].indices[ranges(starts, stops)].astype(np.int64)
            _check([*grown_document, document[parent]], names)
            more = np.zeros(parent.size)
            fits = np.ones(parent.size, dtype=bool)
            for other in range(i, j):
                with_unit = np.flatnonzero(rows[parent, other] >= 0)
                pair = d.between(
                    units[other].at(rows[parent[with_unit], other]), units[j].at(added[with_unit])
                )
                more[with_unit] += pair - d.empty
                fits[with_unit] &= pair - d.empty <= most
            grown.append(np.column_stack([rows[parent], added])[fits])
            grown_excess.append((excess[parent] + more)[fits])
            grown_document.append(document[parent][fits])
        rows, excess = np.concatenate(grown), np.concatenate(grown_excess)
        document = np.concatenate(grown_document)
    keep = np.ones(len(rows), dtype=bool)
    for j in range(n):
        apart = np.zeros(len(rows))
        for other in range(n):
            if other != j:
                both = np.flatnonzero((rows[:, j] >= 0) & (rows[:, other] >= 0))
                pair = d.between(units[j].at(rows[both, j]), units[other].at(rows[both, other]))
                apart[both] += pair - d.empty
        keep &= apart <= n_pairs * d.empty
    order = np.flatnonzero(keep)
    order = order[np.argsort(document[order], kind="stable")]
    return rows[order], document[order], (d.empty + excess / n_pairs)[order]


def _near(first: Units, second: Units, d: Dissimilarity, most: float) -> sparse.csr_array:
    """Return the graph of pairs of units of a document that may share a row."""
    starts, stops = (
        np.searchsorted(second.document, first.document, side) for side in ("left", "right")
    )
    n_pairs = np.concatenate([[0], np.cumsum(stops - starts)])
    found, size, begin = [np.zeros(0, dtype=np.int64)], np.zeros(first.start.size, np.int64), 0
    while begin < first.start.size:
        end = max(begin + 1, int(np.searchsorted(n_pairs, n_pairs[begin] + MAX_PAIRS, "right")) - 1)
        one = np.repeat(np.arange(begin, end), (stops - starts)[begin:end])
        other = ranges(starts[begin:end], stops[begin:end])
        near = d.between(first.at(one), second.at(other)) - d.empty <= most
        found.append(other[near])
        size += np.bincount(one[near], minlength=size.size)
        begin = end
    indices = np.concatenate(found)
    indptr = np.concatenate([[0], np.cumsum(size)])
    return sparse.csr_array(
        (np.ones(indices.size, dtype=bool), indices, indptr),
        shape=(first.start.size, second.start.size),
    )


def ranges(starts: Ints, stops: Ints) -> Ints:
    """Concatenate ranges of whole numbers.

    Parameters
    ----------
    starts, stops : ndarray of int, shape (n,)
        The ranges; stops are excluded.

    Returns
    -------
    ndarray of int
        The numbers.

    Examples
    --------
    >>> ranges(np.array([4, 9]), np.array([6, 10])).tolist()
    [4, 5, 9]
    """
    size = stops - starts
    first = np.repeat(starts - (np.cumsum(size) - size), size)
    return np.asarray(first + np.arange(first.size))


def _check(documents: list[Ints], names: Sequence[str]) -> None:
    if sum(part.size for part in documents) <= MAX_CANDIDATES:
        return
    n = np.bincount(np.concatenate(documents))
    if n.max() <= MAX_CANDIDATES:
        raise _TooManyAtOnceError
    raise AnnotationError(
        f"gamma: document {names[int(n.argmax())]!r} has more than {MAX_CANDIDATES:,} ways to "
        "align its units. Use fewer annotators (Marks.select), or F1."
    )
