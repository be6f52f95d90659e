"""Containers of tables: text, workbooks, Parquet, Arrow and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from annobench.core.errors import ReaderError
from annobench.io.formats import columnar
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.recognition import begins_as_json
from annobench.io.formats.records import json_records
from annobench.io.formats.tables import (
    PREVIEW_ROWS,
    Layout,
    Table,
    as_cell,
    check_columns,
    text_table,
)
from annobench.io.layouts import spreadsheet
from annobench.labels.columns import USUAL_NAMES, named_columns, plain_name

__all__ = ["opened"]


#: What the columns of a table with a row per label are called.
_USUAL = {name for names in USUAL_NAMES.values() for name in names} - {"id", "question"}


def as_format(layout: Layout) -> ExportFormat:
    """Build a format from a layout: recognised in text files, and read from any container."""

    def recognise(source: Source) -> str | None:
        table = text_table(source)
        if table is None and layout.records:
            table = first_records(source)
        return None if table is None else layout.recognise(table)

    def read(source: Source, intake: Intake) -> None:
        with opened(source) as tables:
            table = _chosen(source, tables, layout)
            check_columns(table, intake)
            intake.begin(f"sheet {table.name}" if table.name else "", "row")
            intake.notes += [table.note] if table.note else []
            layout.read(table, intake)

    return ExportFormat(layout.name, layout.title, recognise, read, layout.note, layout.kind)


@contextmanager
def opened(source: Source) -> Iterator[list[Table]]:
    """Open the tables in a file.

    Parameters
    ----------
    source : Source
        The file, or a folder of Parquet or Arrow.

    Yields
    ------
    list of Table
        The text, the sheets of a workbook, the splits of a data set, the records of JSON; empty if
        it holds no table.

    Raises
    ------
    ReaderError
        If it can't be read.
    """
    if spreadsheet.is_workbook(source):
        with spreadsheet.Book(source.path, source.asked) as book:
            yield book.tables()
        return
    text = text_table(source)
    if text is not None:
        yield [text]
    elif begins_as_json(source):
        yield [_of_records(source.path)]
    else:
        files = columnar.files_of(source)
        yield columnar.tables_of(source, files) if files else []


def _chosen(source: Source, tables: list[Table], layout: Layout) -> Table:
    """Return the only table, or the only one in the layout."""
    header = list(source.header or ()) if not tables else []
    if twice := sorted({name for name in header if name and header.count(name) > 1}):
        raise ReaderError(
            f"{source.path}: the header names {', '.join(map(repr, twice[:5]))} twice. Give every "
            "column a name of its own; if an annotator is there twice, remove one column."
        )
    if not tables:
        raise ReaderError(
            f"{source.path}: no table with a header was found, as needed for {layout.title}. Give "
            "a text file with commas, tabs or semicolons, a workbook, Parquet, or JSON with one "
            "record per row."
        )
    if len(tables) == 1:
        return tables[0]
    fits = [table for table in tables if layout.recognise(table) is not None]
    if len(fits) == 1:
        return fits[0]
    names = named_columns((table.name for table in fits or tables), most=8)
    book = spreadsheet.is_workbook(source)
    what = "sheet" if book else "table"
    remedy = "Choose one with --sheet." if book else "Save the one to read as a file of its own."
    raise ReaderError(
        f"{source.path}: {len(fits)} {what}s have {layout.title} ({names}). {remedy}"
        if fits
        else f"{source.path}: no {what} has {layout.title} ({names}). {remedy}"
    )


def first_records(source: Source) -> Table | None:
    """Return the first records of JSON as a table, to recognise its layout."""
    if "records" not in source.shared:
        source.shared["records"] = _records_of(source)
    found: Table | None = source.shared["records"]
    return found


def _records_of(source: Source) -> Table | None:
    if source.is_folder or not begins_as_json(source):
        return None
    if source.whole is not None and (nested := _nested(source.path, source.whole)) is not None:
        return _of_rows(source.path, nested)
    first: list[dict[str, Any]] = []
    try:
        for _, record in islice(json_records(source.path, source.head), PREVIEW_ROWS):
            first.append(record)
    except ReaderError:  # at the end of what was read, or a file that a reader will refuse
        pass
    return _laid_out(source.path, first) if first else None


def _of_records(path: Path) -> Table:
    """Return the objects of a file of JSON as rows; what a record lacks is empty.

    Of one object of objects each is a row, named by its key.
    """
    if (nested := _nested(path)) is not None:
        return _of_rows(path, nested)
    header = tuple(dict.fromkeys(key for _, record in json_records(path) for key in record))

    def rows(ragged: bool) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, record in json_records(path):
            cells = {name: as_cell(value) for name, value in record.items()}
            yield number, dict.fromkeys(header, "") | cells

    return Table(path, header, rows)


def _nested(path: Path, content: bytes | None = None) -> dict[str, dict[str, Any]] | None:
    """Return the one object of a file if its values are objects of texts and numbers."""
    try:
        records = list(islice(json_records(path, content), 2))
    except ReaderError:
        return None
    if len(records) != 1 or len(records[0][1]) < 2:
        return None
    found = records[0][1]
    rows = [row for row in found.values() if isinstance(row, dict) and row]
    flat = all(not isinstance(cell, dict | list) for row in rows for cell in row.values())
    return found if flat and len(rows) == len(found) else None


def _of_rows(path: Path, nested: dict[str, dict[str, Any]]) -> Table:
    """Lay out objects by their keys; as columns if the keys are those of a table of labels."""
    if {plain_name(key) for key in nested} & _USUAL:
        index = dict.fromkeys(key for row in nested.values() for key in row)
        return _laid_out(path, [{n: own.get(key) for n, own in nested.items()} for key in index])
    return _laid_out(path, [{"": key} | row for key, row in nested.items()])


def _laid_out(path: Path, records: list[dict[str, Any]]) -> Table:
    header = tuple(dict.fromkeys(key for record in records for key in record))

    def rows(ragged: bool) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, record in enumerate(records, start=1):
            cells = {name: as_cell(value) for name, value in record.items()}
            yield number, dict.fromkeys(header, "") | cells

    return Table(path, header, rows)
