"""Matches between the spans and relations of two annotators, label by label.

`exact` spans have the same boundaries, `overlap` spans share a character, and `token` compares the
tokens in spans instead. Labels must be equal. Spans are matched one to one; if overlaps leave a
choice, the number of matches is maximised.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annobench.core.errors import AnnotationError
from annobench.spans.marks import Limits, Marks, Relation, Span

__all__ = ["Match", "MatchCounts", "Tokens"]

Match = Literal["exact", "overlap", "token"]
MATCHES: Final[tuple[Match, ...]] = ("exact", "overlap", "token")
#: Relations have no tokens of their own.
RELATION_MATCHES: Final[tuple[Match, ...]] = ("exact", "overlap")

#: A run of letters and digits, or a run of other signs.
TOKEN: Final = r"\w+|[^\w\s]+"  # noqa: S105  (a token of a text)


#: What is counted, or what may overlap.
Found = list[Span | Relation] | Counter[object]


class Tokens(NamedTuple):
    """The tokens of a text.

    Attributes
    ----------
    start, end : ndarray of int, shape (T,)
        Boundaries of the tokens, ascending.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def of(cls, marks: Marks, document: int, pattern: str = TOKEN) -> Tokens:
        """Find the tokens of a document.

        Parameters
        ----------
        marks : Marks
            Marks with the text; without text each character is a token.
        document : int
            Its code.
        pattern : str
            A regular expression that matches a token.

        Returns
        -------
        Tokens
            Tokens in text order.

        Raises
        ------
        AnnotationError
            If the expression is invalid.
        """
        text = marks.texts[document]
        if text is None:
            start = np.arange(marks.length(document), dtype=np.int64)
            return cls(start, start + 1)
        try:
            found = [match.span() for match in re.finditer(pattern, text)]
        except re.error as error:
            raise AnnotationError(
                f"pattern {pattern!r} is not a regular expression: {error}. The default is "
                f"{TOKEN!r}."
            ) from error
        limits = np.array([pair for pair in found if pair[0] < pair[1]], dtype=np.int64)
        limits = limits.reshape(-1, 2)
        return cls(limits[:, 0], limits[:, 1])

    def touched(self, span: Span) -> list[int]:
        """Return the tokens that a span touches.

        Parameters
        ----------
        span : Span
            A span of the same text.

        Returns
        -------
        list of int
            Indices of the tokens, each once.
        """
        found: set[int] = set()
        for start, end in span.limits:
            first = int(np.searchsorted(self.end, start, side="right"))
            last = int(np.searchsorted(self.start, end, side="left"))
            found.update(range(first, last))
        return sorted(found)


class MatchCounts(NamedTuple):
    """Matches for every pair of annotators in every document that both opened, by label.

    Attributes
    ----------
    document, first, second, label : ndarray of int32, shape (M,)
        Codes of the document, of the two annotators (first < second) and of the label. A document
        that both opened and neither marked has no row.
    matched : ndarray, shape (M,)
        Number of matches.
    marked : ndarray, shape (M,)
        Number of marks of both annotators together.
    labels : tuple of str
        Names by code.
    """

    document: NDArray[np.int32]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    label: NDArray[np.int32]
    matched: NDArray[np.float64]
    marked: NDArray[np.float64]
    labels: tuple[str, ...]


def count_matches(
    marks: Marks, match: Match = "exact", *, relations: bool = False, token: str = TOKEN
) -> MatchCounts:
    """Match the spans, or the relations, of every pair of annotators."""
    if match not in MATCHES or (relations and match == "token"):
        known = RELATION_MATCHES if relations else MATCHES
        raise AnnotationError(f"match={match!r} is not one of {', '.join(known)}.")
    labels = marks.relation_labels if relations else marks.labels
    code = {name: k for k, name in enumerate(labels)}
    rows: list[tuple[int, int, int, int, int, int]] = []
    for d in marks.shared:
        tokens = Tokens.of(marks, d, token) if match == "token" else None
        found: dict[int, dict[str, Found]] = {}
        for j in marks.opened_by(d):
            own = marks.relations.get((d, j), ()) if relations else marks.spans[d, j]
            found[j] = _by_label(own, match, tokens)
        for i, j in marks.pairs(d):
            for name in sorted(found[i].keys() | found[j].keys()):
                one, two = found[i].get(name), found[j].get(name)
                marked = _size(one) + _size(two)
                matched = 0
                if isinstance(one, Counter) and isinstance(two, Counter):
                    matched = (one & two).total()
                elif isinstance(one, list) and isinstance(two, list):
                    matched = _most_overlaps(one, two)
                rows.append((d, i, j, code[name], matched, marked))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    d_, i_, j_, k_ = (column.astype(np.int32) for column in columns[:4])
    matched_, marked_ = columns[4:].astype(np.float64)
    return MatchCounts(d_, i_, j_, k_, matched_, marked_, labels)


def _size(found: Found | None) -> int:
    if found is None:
        return 0
    return found.total() if isinstance(found, Counter) else len(found)


def _by_label(
    own: Iterable[Span | Relation], match: Match, tokens: Tokens | None
) -> dict[str, Found]:
    """Group an annotator's marks in a document by label."""
    listed: dict[str, list[Span | Relation]] = {}
    for mark in own:
        listed.setdefault(mark.label, []).append(mark)
    if match == "overlap":
        return dict(listed)
    found: dict[str, Found] = {}
    for name, marks in listed.items():
        places = [
            [_place(mark)] if tokens is None or isinstance(mark, Relation) else tokens.touched(mark)
            for mark in marks
        ]
        if counted := Counter(chain.from_iterable(places)):
            found[name] = counted
    return found


def _place(mark: Span | Relation) -> object:
    if isinstance(mark, Relation):
        return mark.source.limits, mark.target.limits
    return mark.limits


def share_text(first: Limits, second: Limits) -> bool:
    """Return whether two spans have a character in common."""
    return any(s < f and e > b for b, f in first for s, e in second)


def _most_overlaps(first: Sequence[Span | Relation], second: Sequence[Span | Relation]) -> int:
    """Count the pairs of the largest matching of marks that overlap."""
    edges = list(_overlaps(first, second))
    if not edges:
        return 0
    rows, columns = map(np.array, zip(*edges, strict=True))
    if max(np.bincount(rows).max(), np.bincount(columns).max()) == 1:
        return len(edges)
    graph = sparse.csr_array(
        (np.ones(len(edges), dtype=np.int8), (rows, columns)), shape=(len(first), len(second))
    )
    # Whoever has no spans need not wait until it is imported.
    from scipy.sparse.csgraph import maximum_bipartite_matching

    return int((maximum_bipartite_matching(graph) >= 0).sum())


def _overlaps(
    first: Sequence[Span | Relation], second: Sequence[Span | Relation]
) -> Iterable[tuple[int, int]]:
    """Find overlapping pairs by a sweep over the text."""
    outer = [
        [(mark.source if isinstance(mark, Relation) else mark)[:2] for mark in marks]
        for marks in (first, second)
    ]
    order = sorted(
        (limits[0], side, n) for side, marks in enumerate(outer) for n, limits in enumerate(marks)
    )
    active: list[list[int]] = [[], []]
    for start, side, n in order:
        other = 1 - side
        active[other] = [m for m in active[other] if outer[other][m][1] > start]
        for m in active[other]:
            i, j = (n, m) if side == 0 else (m, n)
            if _overlap(first[i], second[j]):
                yield i, j
        active[side].append(n)


def _overlap(first: Span | Relation, second: Span | Relation) -> bool:
    if isinstance(first, Relation) and isinstance(second, Relation):
        return share_text(first.source.limits, second.source.limits) and share_text(
            first.target.limits, second.target.limits
        )
    assert isinstance(first, Span)
    assert isinstance(second, Span)
    return share_text(first.limits, second.limits)
