"""Krippendorff's alpha_U of 1995: agreement on units, by squared differences of boundaries.

Other tools still compute it. Its successors of 2016, `annobench.spans.unitizing_alpha`, behave
better with more than two annotators and distinguish boundaries from labels.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from annobench.core.errors import AnnotationError
from annobench.spans.marks import Marks

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Section", "alpha_u"]

#: Limits, and whether it is a unit or a gap.
Section = tuple[int, int, bool]


def alpha_u(marks: Marks) -> pd.DataFrame:
    """Compute alpha_U for each label and overall.

    Parameters
    ----------
    marks : Marks
        Marks of one layer. The documents that all annotators opened are concatenated. Spans of one
        annotator and label must not overlap; parts of a discontinuous span are separate units.

    Returns
    -------
    DataFrame
        One row per label, and "all": label, observed and expected disagreement, alpha.
        Disagreements of "all" are means over labels.

    Raises
    ------
    AnnotationError
        If there are fewer than two annotators, no document that all opened, or spans of one
        annotator and label that overlap.

    Notes
    -----
    For label c, m annotators and a text of length L the observed disagreement is
    ``sum_{i != j} sum_{g, h} d(g, h) / (m (m - 1) L**2)`` over intersecting pairs of a section g of
    i and a section h of j; sections are units of c and the gaps between them. For two units, d is
    the sum of the squared differences of their start and end points; for a unit within a gap, the
    square of its length; otherwise 0. Expected disagreement is, over the N units with lengths b,
    ``2/L sum ((N - 1) (2 b**3 - 3 b**2 + b) / 3 + b**2 sum_gaps max(gap - b + 1, 0)) / (m L (m L -
    1) - sum b (b - 1))``. [1]_, [2]_

    References
    ----------
    .. [1] Krippendorff (1995), On the reliability of unitizing continuous data, Sociological
       Methodology 25, 47-76.
    .. [2] Krippendorff (2004), Content Analysis, second edition, section 11.6.

    Examples
    --------
    >>> from annobench.spans import Marks, Span
    >>> marks = Marks.collect({
    ...     ("d", "i"): [Span(75, 145, "c"), Span(220, 250, "c")],
    ...     ("d", "j"): [Span(70, 150, "c"), Span(205, 225, "c"), Span(250, 270, "c")],
    ... }, texts={"d": "." * 300})
    >>> table = alpha_u(marks).set_index("label").round(4)
    >>> float(table.loc["c", "observed"]), float(table.loc["c", "alpha"])
    (0.0144, 0.7286)
    """
    import pandas as pd

    everyone = tuple(range(marks.n_annotators))
    documents = [d for d in marks.shared if marks.opened_by(d) == everyone]
    if len(everyone) < 2 or not documents:
        raise AnnotationError(
            f"alpha_u: {len(everyone)} annotators and {len(documents)} documents that all opened. "
            "Select annotators who share documents (Marks.select)."
        )
    begin = [0, *accumulate(marks.length(d) for d in documents)]
    length, rows = begin[-1], []
    for label in marks.labels:
        units = [
            sorted(
                (first + start, first + end)
                for d, first in zip(documents, begin, strict=False)
                for span in marks.spans[d, j]
                if span.label == label
                for start, end in span.limits
            )
            for j in everyone
        ]
        if not any(units):
            continue
        for j, own in enumerate(units):
            if any(second[0] < first[1] for first, second in pairwise(own)):
                raise AnnotationError(
                    f"alpha_u: spans {label!r} of annotator {marks.annotators[j]!r} overlap. The "
                    "coefficient is defined only for spans that do not overlap; use F1 or gamma."
                )
        rows.append((label, *_disagreement(units, length)))
    table = pd.DataFrame(rows, columns=["label", "observed", "expected"])
    if rows:
        table.loc[len(rows)] = ["all", *table[["observed", "expected"]].mean()]
    return table.assign(alpha=1 - table["observed"] / table["expected"])


def _disagreement(units: list[list[tuple[int, int]]], length: int) -> tuple[float, float]:
    """Return the observed and the expected disagreement of one label."""
    m = len(units)
    sections = [_sections(own, length) for own in units]
    observed: int = sum(
        _distance(first, second)
        for i, own in enumerate(sections)
        for other in sections[:i]
        for first, second in _intersecting(own, other)
    )
    gaps = sorted(end - start for own in sections for start, end, marked in own if not marked)
    above = list(accumulate(reversed(gaps), initial=0))
    sizes = [end - start for own in units for start, end in own]
    expected = 0.0
    for b in sizes:
        n = len(gaps) - bisect_left(gaps, b)
        expected += (len(sizes) - 1) * (2 * b**3 - 3 * b**2 + b) / 3
        expected += b**2 * (above[n] - n * (b - 1))
    free = m * length * (m * length - 1) - sum(b * (b - 1) for b in sizes)
    expected = 2 / length * expected / free if free else math.nan
    return 2 * observed / (m * (m - 1) * length**2), expected


def _sections(own: list[tuple[int, int]], length: int) -> list[Section]:
    """Fill the gaps between units."""
    found: list[Section] = []
    place = 0
    for start, end in own:
        if start > place:
            found.append((place, start, False))
        found.append((start, end, True))
        place = end
    return [*found, (place, length, False)] if place < length else found


def _intersecting(first: list[Section], second: list[Section]) -> Iterator[tuple[Section, Section]]:
    """Yield the intersections of two partitions of the text."""
    i = j = 0
    while i < len(first) and j < len(second):
        yield first[i], second[j]
        ends = first[i][1], second[j][1]
        i, j = i + (ends[0] <= ends[1]), j + (ends[1] <= ends[0])


def _distance(first: Section, second: Section) -> int:
    (b, e, one), (s, f, two) = first, second
    if one and two:
        return (b - s) ** 2 + (e - f) ** 2
    if one and s <= b and e <= f:
        return (e - b) ** 2
    if two and b <= s and f <= e:
        return (f - s) ** 2
    return 0
