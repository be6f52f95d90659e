"""A folder of tables with one row per label, one file per annotator or batch.

Files of annotators may have any columns: item columns common to all files, and questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from annobench.core.errors import ReaderError
from annobench.core.names import MadeName, joined, settle
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.tables import (
    ANNOTATOR_NAMES,
    ITEM_NAMES,
    TEXT_NAMES,
    Table,
    as_text,
    check_columns,
    is_category,
    listed_columns,
    push_text,
    text_table,
)
from annobench.io.layouts import plain
from annobench.io.layouts._last_rows import LastRows, read_but_sums
from annobench.io.layouts._said import listed
from annobench.labels.column_kinds import is_number, unlike_labels
from annobench.labels.columns import USUAL_NAMES, plain_name
from annobench.labels.item_column import resolved_columns

#: Endings of tables; other files of a folder, such as notes, are counted and left out.
_ENDINGS = {".csv", ".tsv", ".tab", ".txt"}

#: The column that a file's name becomes where no other one names annotators.
_FILE = "annotator"
#: A tag of a token in or outside a span.
_TAG = re.compile(r"[BIESLUM]-\w+|O")
#: What is said of the files of a majority's labels, and the like.
_RESOLVED = "of known or adjudicated labels"


def _recognise(source: Source) -> str | None:
    """Return the variant: every table has items and labels, and all or none annotators."""
    if not source.is_folder:
        return None
    tables = [table for _, table in _tables(source)]
    signed = {table.column(ANNOTATOR_NAMES) is not None for table in tables}
    if len(tables) > 1 and len(signed) == 1:
        return "a file a batch" if signed.pop() else "a file per annotator"
    found = _alike(source)
    return None if found is None else f"a file per annotator, {len(found.questions)} questions"


class _Alike(NamedTuple):
    """Tables with the same columns, one per annotator."""

    tables: dict[Path, Table]
    items: tuple[str, ...]
    questions: tuple[str, ...]
    unused: dict[str, str]


def _alike(source: Source, asked: str | None = None) -> _Alike | None:
    """Find tables of the same columns, of which some name the same items in all files."""
    found = {
        path: table
        for path in source.files
        if path.suffix.lower() in _ENDINGS
        and (table := text_table(source.inside(path))) is not None
    }
    headers = {frozenset(table.header) for table in found.values()}
    if len(found) < 2 or len(headers) > 1:
        return None
    tables = list(found.values())
    header = [name for name in tables[0].header if name]
    if tables[0].column(ANNOTATOR_NAMES) is not None:
        return None
    items = listed_columns(asked, header) or _items_of(tables, header)
    if not items or not set(items) <= set(header):
        return None
    rest = [name for name in header if name not in items]
    cells = {n: [as_text(row[n]) for table in tables for row in table.preview] for n in rest}
    unused = {str(name): what for name, what in unlike_labels(cells).items()}
    for name in rest:
        if plain_name(name) in TEXT_NAMES or not all(map(is_category, cells[name])):
            unused.setdefault(name, "texts")
    questions = tuple(name for name in rest if name not in unused)
    return _Alike(found, items, questions, unused) if questions else None


def _items_of(tables: list[Table], header: list[str]) -> tuple[str, ...]:
    """Return the fewest columns whose cells name each row of a file, and rows of another one."""
    usual = tables[0].column(ITEM_NAMES)
    tried: list[tuple[str, ...]] = [(usual,)] if usual else []
    tried += [tuple(header[:n]) for n in range(1, min(4, len(header)))]
    tried += [(name,) for name in header[1:-1]]
    for names in tried:
        rows = [[tuple(as_text(row[n]) for n in names) for row in t.preview] for t in tables]
        only = all(len(own) == len(set(own)) for own in rows)
        shared = [set(one) & set(other) for one, other in pairwise(rows)]
        if only and all(all(all(row) for row in own) for own in rows) and all(shared):
            return names
    return ()


def _tables(source: Source, item: str | None = None) -> Iterator[tuple[Path, Table]]:
    """Yield the tables of labels in a folder."""
    for path in source.files:
        table = text_table(source.inside(path)) if path.suffix.lower() in _ENDINGS else None
        if table is not None and table.column(USUAL_NAMES["label"]) and _item(table, item):
            yield path, table


def _item(table: Table, asked: str | None = None) -> str | None:
    if asked is not None:
        return asked if asked in table.header else None
    return table.column((*ITEM_NAMES, *TEXT_NAMES))


def _read(source: Source, intake: Intake) -> None:
    """Push the labels of every table."""
    asked = intake.options.item
    found = dict(_tables(source, asked))
    if len(found) < 2 and (alike := _alike(source, asked)) is not None:
        _read_alike(source, intake, alike)
        return
    if asked is not None and not found:
        raise ReaderError(
            f"{source.path}: no file has a column {asked!r}, given as item, beside one of labels "
            f"called {', '.join(USUAL_NAMES['label'])}. Correct the name."
        )
    columns = {_item(table, asked) for table in found.values()}
    if len(columns) != 1:
        raise ReaderError(
            f"{source.path}: the files name items in the columns "
            f"{', '.join(sorted(map(repr, columns)))}. Give the column one name in all."
        )
    names = _names(source, found)
    unsigned = [path for path, table in found.items() if table.column(ANNOTATOR_NAMES) is None]
    resolved = resolved_columns([path.stem for path in unsigned])
    for path in source.files:
        name = path.relative_to(source.path)
        is_resolved = path in unsigned and path.stem in resolved
        if path not in found or is_resolved:
            _refuse_damaged(path)
            what = _RESOLVED if is_resolved else "that are no table of items and labels"
            intake.begin(name, "file")
            intake.read()
            intake.leave_out(1, f"files {what}")
            continue
        table = found[path]
        check_columns(table, intake)
        intake.begin(name, "row")
        signed = _signed(table, names[path], asked)
        if path in unsigned:
            read_but_sums(plain.LAYOUT, signed, intake)
        else:
            plain.LAYOUT.read(signed, intake)


def _read_alike(source: Source, intake: Intake, alike: _Alike) -> None:
    """Push the answers of tables of the same columns, one per annotator."""
    _refuse_data_as_header(source, alike)
    names = _names(source, alike.tables)
    resolved = resolved_columns([path.stem for path in alike.tables])
    for path in source.files:
        place = path.relative_to(source.path)
        is_resolved = path in alike.tables and path.stem in resolved
        if path not in alike.tables or is_resolved:
            _refuse_damaged(path)
            what = _RESOLVED if is_resolved else "that are no table of the same columns"
            intake.begin(place, "file")
            intake.read()
            intake.leave_out(1, f"files {what}")
            continue
        table = alike.tables[path]
        intake.begin(place, "row")
        last = LastRows(alike.items, alike.questions, table.preview)
        for where, row in last.of_items(table.rows(False)):
            intake.read()
            parts = [as_text(row[name]) for name in alike.items]
            if not all(parts):
                intake.leave_out(where, "rows without an item")
                continue
            item = joined(parts, " / ")
            push_text(table, intake, item, row)
            for question in alike.questions:
                intake.answer(
                    item, names[path], question, as_text(row[question]) or None, where=where
                )
        last.leave_out(intake)
    said = [
        f"Files are annotators; rows are items, named by {listed(alike.items)}",
        f"questions: {listed(alike.questions)}",
    ]
    rest = ", ".join(f"{name!r} ({what})" for name, what in alike.unused.items())
    intake.read_as = "; ".join([*said, *([f"not used: {rest}"] if rest else [])]) + "."
    intake.repeats_are = (
        f"Two rows of a file name one item in {listed(alike.items)}: name all columns of the item "
        "with --item, separated by commas. "
    )


def _refuse_data_as_header(source: Source, alike: _Alike) -> None:
    """Refuse files whose first line is data: a label of the lines below, a number, or a tag."""
    tables = alike.tables.values()
    for name in alike.questions:
        cells = {as_text(row[name]) for table in tables for row in table.preview} - {""}
        column = (name, *cells)
        if name in cells or all(map(is_number, column)) or all(map(_TAG.fullmatch, column)):
            first = ", ".join(map(repr, next(iter(tables)).header))
            raise ReaderError(
                f"{source.path}: line 1 of the files, {first}, is no header: {name!r} looks like a "
                "label. Begin each file with the names of its columns, such as item and label; "
                "where an item may occur twice, number the items in a column of their own."
            )


def _names(source: Source, found: Mapping[Path, Table]) -> dict[Path, str]:
    """Name annotators by their files; two of one name differ in their ending."""
    made = {p: MadeName(_place(p.with_suffix(""), source), _place(p, source)) for p in found}
    settled = settle(made.values())
    return {path: settled[name] for path, name in made.items()}


def _place(path: Path, source: Source) -> str:
    return str(path.relative_to(source.path))


def _refuse_damaged(path: Path) -> None:
    """Reject an unreadable table, which might be an annotator's."""
    if path.suffix.lower() == ".txt" or path.suffix.lower() not in _ENDINGS:
        return
    data = path.read_bytes()
    try:
        is_text = "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        is_text = False
    if not is_text:
        raise ReaderError(f"{path}: not a text in UTF-8. Save it as CSV UTF-8, or remove it.")


def _signed(table: Table, annotator: str, asked: str | None) -> Table:
    """Give a table columns of items and annotators by the names that the layout knows."""
    header = list(table.header)
    item = _item(table, asked)
    renamed = None if asked is None and table.column(ITEM_NAMES) else item
    signed = table.column(ANNOTATOR_NAMES) is not None

    def rows(ragged: bool) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, row in table.rows(ragged):
            more = {} if signed else {_FILE: annotator}
            yield number, row | more | ({"item": row[renamed]} if renamed else {})

    header += [] if signed else [_FILE]
    header += ["item"] if renamed else []
    return Table(table.path, tuple(header), rows, table.name)


FORMAT = ExportFormat(
    name="folder",
    title="a folder of tables",
    recognise=_recognise,
    read=_read,
    note=(
        "Each file has columns of items and labels; an annotator is named in a column, or else is "
        "the file."
    ),
    kind="wide",
)
