"""A folder of tables with one row per label, one file per annotator or a batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annobench.core.errors import ReaderError
from annobench.core.names import MadeName, settle
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.tables import (
    ANNOTATOR_NAMES,
    ITEM_NAMES,
    TEXT_NAMES,
    Table,
    check_columns,
    text_table,
)
from annobench.io.layouts import plain
from annobench.labels.columns import USUAL_NAMES

#: Endings of tables; other files of a folder, such as notes, are counted and left out.
_ENDINGS = {".csv", ".tsv", ".tab", ".txt"}

#: The column that a file's name becomes where no other one names annotators.
_FILE = "annotator"


def _recognise(source: Source) -> str | None:
    """Return the variant: every table has items and labels, and all or none annotators."""
    if not source.is_folder:
        return None
    tables = [table for _, table in _tables(source)]
    signed = {table.column(ANNOTATOR_NAMES) is not None for table in tables}
    if len(tables) < 2 or len(signed) > 1:
        return None
    return "a file a batch" if signed.pop() else "a file per annotator"


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
    # Two files of one name are of two annotators if they differ in their ending.
    made = {p: MadeName(_place(p.with_suffix(""), source), _place(p, source)) for p in found}
    names = settle(made.values())
    for path in source.files:
        name = path.relative_to(source.path)
        if path not in found:
            _refuse_damaged(path)
            intake.begin(name, "file")
            intake.read()
            intake.leave_out(1, "files that are no table of items and labels")
            continue
        table = found[path]
        check_columns(table, intake)
        intake.begin(name, "row")
        plain.LAYOUT.read(_signed(table, names[made[path]], asked), intake)


def _place(path: Path, source: Source) -> str:
    return str(path.relative_to(source.path))


def _refuse_damaged(path: Path) -> None:
    """Refuse a table that nobody could read; what was an annotator's must not pass for a note."""
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
