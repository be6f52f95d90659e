"""Tables with a row per span: document, annotator, start, end and label.

Cells show them: two columns of whole numbers, of which one is the smaller in all rows, beside
annotators who have several rows in one document. Names decide what cells leave open.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import permutations, zip_longest
from typing import NamedTuple

from annobench.core.errors import ReaderError
from annobench.io.formats.base import Intake, Span
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import ANNOTATOR_NAMES, ITEM_NAMES, Layout, Table, as_text
from annobench.labels.columns import (
    LESS_USUAL_NAMES,
    SPAN_ENDS,
    SPAN_STARTS,
    USUAL_NAMES,
    named_columns,
    plain_name,
)
from annobench_exports._webanno_tsv import NO_VALUE

LAYER = "spans"

#: Names of columns, in the order of preference: an id may be that of the span.
_NAMES = {
    "document": ("document", "doc", "file", "filename", "file_name", "recording", *ITEM_NAMES),
    "annotator": ANNOTATOR_NAMES,
    "label": (*USUAL_NAMES["label"], *LESS_USUAL_NAMES["label"], "tag", "type", "entity", "code"),
}

_OFFSET = re.compile(r"[0-9]{1,15}")
_TIME = re.compile(r"time|date|duration|elapsed")

#: Larger numbers without a name of an offset may be times.
_LARGEST = 10**8

#: Columns of numbers without such names; of more there are too many pairs.
_MOST = 6


class _Columns(NamedTuple):
    """The names of the columns."""

    document: str
    annotator: str
    start: str
    end: str
    label: str


def _recognise(table: Table) -> str | None:
    """Return the variant, if all rows seen are spans, several of one annotator in a document."""
    columns = _columns(table)
    # Old exports of doccano have other rows, too, and a reader of their own.
    if columns is None or "annotation_approver" in table.header:
        return None
    rows = _cells(table, columns)
    times = Counter((row.document, row.annotator) for row in rows)
    is_several = max(times.values(), default=0) > 1
    return "a row per span" if is_several and all(map(_limits, rows)) else None


def _cells(table: Table, columns: _Columns) -> list[_Columns]:
    """Return the cells of the rows seen, without rows of documents that have no span."""
    rows = [_Columns(*(as_text(row[name]).strip() for name in columns)) for row in table.preview]
    return [row for row in rows if row.start or row.end]


def _limits(row: _Columns) -> tuple[int, int] | None:
    """Return where a span begins and ends."""
    if not (_OFFSET.fullmatch(row.start) and _OFFSET.fullmatch(row.end)):
        return None
    start, end = int(row.start), int(row.end)
    return (start, end) if start < end else None


def _columns(table: Table) -> _Columns | None:
    """Find the columns by their names, and what is left by its cells."""
    names = {role: table.column(usual) for role, usual in _NAMES.items()}
    missing = [role for role, name in names.items() if name is None]
    first = table.preview[0] if table.preview else dict.fromkeys(table.header)
    # A header with blanks around a name may not be that of the rows.
    if len(missing) > 1 or not {*table.header} <= first.keys():
        return None
    rest = [name for name in table.header if name not in names.values()]
    start, end = _named_limits(rest) or _limits_by_cells(table, rest, names) or ("", "")
    left = [name for name in rest if name not in (start, end)]
    if missing and len(left) == 1:
        names[missing[0]] = left[0]
    document, annotator, label = names.values()
    found = (document, annotator, start, end, label)
    return _Columns(*map(str, found)) if all(found) and len({*found}) == len(found) else None


def _named_limits(names: list[str]) -> tuple[str, str] | None:
    start, end = (
        next((name for name in names if pattern.fullmatch(plain_name(name))), None)
        for pattern in (SPAN_STARTS, SPAN_ENDS)
    )
    return None if start is None or end is None else (start, end)


def _limits_by_cells(
    table: Table, rest: list[str], names: dict[str, str | None]
) -> tuple[str, str] | None:
    """Find the only two columns between which spans of an annotator never overlap."""
    rows = [{name: as_text(row[name]).strip() for name in table.header} for row in table.preview]
    keys = [name for role in ("document", "annotator") if (name := names[role])]
    whole = [
        name
        for name in rest
        if not _TIME.search(plain_name(name))
        and all(_OFFSET.fullmatch(row[name]) and int(row[name]) < _LARGEST for row in rows)
    ]
    if not rows or len(whole) > _MOST:
        return None
    found = []
    for pair in permutations(whole, 2):
        left = [name for name in rest if name not in pair]
        # The only other column is the document or the annotator that has no usual name.
        if _never_overlap(rows, keys + left if len(keys) + len(left) == 2 else keys, *pair):
            found.append(pair)
    return found[0] if len(found) == 1 else None


def _never_overlap(rows: list[dict[str, str]], keys: list[str], start: str, end: str) -> bool:
    spans: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        spans[tuple(row[name] for name in keys)].append((int(row[start]), int(row[end])))
    return all(
        a < b and (after is None or b <= after[0])
        for own in spans.values()
        for (a, b), after in zip_longest(sorted(own), sorted(own)[1:])
    )


def _read(table: Table, intake: Intake) -> None:
    """Push the spans of every annotator in every document."""
    columns = _columns(table)
    if columns is None:
        raise ReaderError(
            f"{table.path}: no columns document, annotator, start, end and label were recognised. "
            f"Name them so. The columns are {named_columns(table.header)}."
        )
    marked: dict[tuple[str, str], list[Span]] = {}
    first: dict[tuple[str, str], int] = {}
    for where, cells in table.rows(False):
        row = _Columns(*(as_text(cells[name]).strip() for name in columns))
        limits = _limits(row)
        if not row.document or not row.annotator:
            intake.read()
            intake.leave_out(where, "rows without a document or an annotator")
        elif limits is None and (row.start or row.end or row.label):
            said = f"{row.start[:20]!r} to {row.end[:20]!r}"
            intake.fault(where, f"{said} is no span: whole numbers, the smaller first, are needed")
        else:
            key = row.document, row.annotator
            first.setdefault(key, where)
            spans = marked.setdefault(key, [])
            spans += [Span(*limits, row.label or NO_VALUE)] if limits else []
    for key, spans in marked.items():
        intake.read()
        intake.marks(*key, LAYER, spans, where=first[key])
    rest = [name for name in table.header if name not in columns]
    intake.read_as = (
        f"A row is a span, from {columns.start!r} to {columns.end!r} of {columns.document!r}, "
        f"labelled {columns.label!r} by {columns.annotator!r}"
        f"{f'; not used: {named_columns(rest)}' if rest else ''}."
    )


LAYOUT = Layout(
    name="span_table",
    title="a table of spans",
    note=(
        "A row is a span that an annotator marked in a document; a row without limits and label is "
        "a document in which the annotator marked nothing."
    ),
    recognise=_recognise,
    read=_read,
)
FORMAT = as_format(LAYOUT)
