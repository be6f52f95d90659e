"""What tables are kept in (text, workbooks, Parquet and Arrow, JSON), for layouts asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annobench.core.errors import ReaderError
from annobench.io.formats import columnar
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.recognition import begins_as_json
from annobench.io.formats.records import json_records
from annobench.io.formats.tables import Layout, Table, as_cell, check_columns, text_table
from annobench.io.layouts import spreadsheet

__all__ = ["opened"]


def as_format(layout: Layout) -> ExportFormat:
    """Make a format of a layout: recognised in text files, and read from any container."""

    def recognise(source: Source) -> str | None:
        table = text_table(source)
        return None if table is None else layout.recognise(table)

    def read(source: Source, intake: Intake) -> None:
        with opened(source) as tables:
            table = _chosen(source, tables, layout)
            check_columns(table, intake)
            intake.begin(f"sheet {table.name}" if table.name else "", "row")
            layout.read(table, intake)

    return ExportFormat(layout.name, layout.title, recognise, read, layout.note, layout.kind)


@contextmanager
def opened(source: Source) -> Iterator[list[Table]]:
    """Open the tables that a file holds.

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
        with spreadsheet.Book(source.path) as book:
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
    """Return the table that is meant: the only one, or the only one in the layout."""
    if not tables:
        raise ReaderError(
            f"{source.path}: no table with a header was found, as {layout.title} has. Give a text "
            "file with commas, tabs or semicolons, a workbook, Parquet, or JSON with a record a "
            "row."
        )
    if len(tables) == 1:
        return tables[0]
    fits = [table for table in tables if layout.recognise(table) is not None]
    if len(fits) == 1:
        return fits[0]
    raise ReaderError(
        f"{source.path}: {len(tables)} tables, {', '.join(repr(t.name) for t in tables[:8])}, "
        f"of which {len(fits)} are recognised as {layout.title}. Save the one that is meant as "
        "a file of its own."
    )


def _of_records(path: Path) -> Table:
    """Return the objects of a file of JSON as rows; what a record lacks is empty."""
    header = tuple(dict.fromkeys(key for _, record in json_records(path) for key in record))

    def rows(ragged: bool) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, record in json_records(path):
            cells = {name: as_cell(value) for name, value in record.items()}
            yield number, dict.fromkeys(header, "") | cells

    return Table(path, header, rows)
