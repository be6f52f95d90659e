"""Tables in any container, and the records of layouts.

A layout (MTurk's columns, one column per annotator, lists in cells) may come as CSV, as a sheet of
a workbook, or as Parquet. A `Layout` describes it independently of the container.
"""

from __future__ import annotations

import ast
import csv
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from annobench.core.discovery import did_you_mean
from annobench.core.errors import ReaderError
from annobench.core.names import MadeName, Name
from annobench.io.formats.base import Intake, Source
from annobench.io.formats.headers import LOOKED_AT, Header, find_header
from annobench.io.formats.records import csv_records, load_json
from annobench.labels.columns import GOLD_NAMES as GOLD_NAMES
from annobench.labels.columns import ITEM_NAMES as ITEM_NAMES
from annobench.labels.columns import LESS_USUAL_NAMES, USUAL_NAMES, named_columns
from annobench.labels.columns import plain_name as plain_name

__all__ = ["Cell", "Layout", "Table", "as_text"]

#: A text, or a list as a column of lists holds it.
Cell = str | list[Any]

#: Rows that are looked at to recognise a layout.
PREVIEW_ROWS = 50

#: Names of columns, in the order of preference, written as `plain_name` writes them.
ANNOTATOR_NAMES = (*USUAL_NAMES["annotator"], *LESS_USUAL_NAMES["annotator"])
TEXT_NAMES = ("text", "sentence", "comment", "tweet", "post", "document", "content")

#: A cell of several lines, a name or a number is a category; a longer one is a text.
MAX_CATEGORY_LENGTH = 60


@dataclass(frozen=True)
class Table:
    """A table with a header.

    Attributes
    ----------
    path : Path
        File of the table.
    header : tuple of str
        Names of the columns.
    rows : callable
        Yields the rows: number below the header, and cells by column. Its parameter allows rows
        shorter than the header.
    name : str
        Name of the sheet or split; empty if the file has only one table.
    note : str
        Guesses about the header, for the user to confirm.
    """

    path: Path
    header: tuple[str, ...]
    rows: Callable[[bool], Iterator[tuple[int, dict[str, Any]]]]
    name: str = ""
    note: str = ""

    @cached_property
    def preview(self) -> list[dict[str, Any]]:
        """The first rows; fewer if one of them can't be read."""
        found = []
        try:
            for _, row in islice(self.rows(True), PREVIEW_ROWS):
                found.append(row)
        except (ReaderError, OSError):
            pass
        return found

    @cached_property
    def _by_name(self) -> dict[str, str]:
        return {plain_name(column): column for column in reversed(self.header)}

    @cached_property
    def _asked(self) -> dict[tuple[str, ...], str | None]:
        return {}

    def column(self, names: Iterable[str]) -> str | None:
        """Return the first column with one of the names.

        Parameters
        ----------
        names : iterable of str
            Names in order of preference, normalised by `plain_name`.

        Returns
        -------
        str or None
            Name in the header; None if there is no such column.
        """
        asked = tuple(names)
        if asked not in self._asked:
            by_name = self._by_name
            self._asked[asked] = next((by_name[name] for name in asked if name in by_name), None)
        return self._asked[asked]


@dataclass(frozen=True)
class Layout:
    """The record of a layout, named `LAYOUT` in its module.

    Attributes
    ----------
    name, title, note
        As for `ExportFormat`.
    recognise : callable
        Maps a `Table` to the variant of the layout, or None.
    read : callable
        Pushes the contents of a `Table` into an `Intake`.
    kind : {"export", "wide"}
        As for `ExportFormat`.
    records : bool
        Whether it is recognised in records of JSON, too.
    """

    name: str
    title: str
    note: str
    recognise: Callable[[Table], str | None]
    read: Callable[[Table, Intake], None]
    kind: Literal["export", "wide"] = "export"
    records: bool = False


def text_table(source: Source) -> Table | None:
    """Return a delimited text file as a table."""
    if "table" not in source.shared:
        source.shared["table"] = _text_table(source)
    found: Table | None = source.shared["table"]
    return found


def _text_table(source: Source) -> Table | None:
    header = source.header
    if header is None:
        return None
    asked = source.asked.header_rows
    found = Header(0, 1, header)
    if asked or len(header) < 2 or "" in header[1:] or len(set(header)) < len(header):
        found = _below_titles(source, asked)
    names = [name for name in found.names if name]
    if len(found.names) < 2 or len(set(names)) < len(names):
        return None
    plain = found.skip == 0 and found.rows == 1
    return Table(
        source.path,
        found.names,
        lambda ragged: csv_records(
            source.path,
            source.delimiter,
            ragged=ragged,
            content=source.whole,
            header=None if plain else found,
        ),
        note=found.note,
    )


def _below_titles(source: Source, asked: int | None) -> Header:
    """Find the header of a text whose first row is not a complete header."""
    text = source.head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
    lines = text.splitlines()[:LOOKED_AT]
    try:
        rows = [row for row in csv.reader(lines, delimiter=source.delimiter) if row]
        return find_header(rows, asked)
    except csv.Error:
        return Header(0, 1, ())
    except ReaderError as error:
        raise ReaderError(f"{source.path}: {error}") from error


def as_list(cell: Cell) -> list[Any] | None:
    """Return a list from a cell in JSON or Python notation."""
    if isinstance(cell, list):
        return cell
    if not cell.lstrip().startswith("["):
        return None
    for parse in (load_json, _literal):
        try:
            found = parse(cell)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        return found if isinstance(found, list) else None
    return None


def as_mapping(cell: Cell) -> dict[str, Any] | None:
    """Return an object from a cell in JSON or Python notation."""
    if not isinstance(cell, str) or not cell.lstrip().startswith("{"):
        return None
    for parse in (load_json, _literal):
        try:
            found = parse(cell)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        return {str(k): v for k, v in found.items()} if isinstance(found, dict) else None
    return None


def _literal(text: str) -> Any:
    with warnings.catch_warnings():
        # Of Python's parser, such as on a sign that needs no backslash.
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def as_cell(value: Any) -> Cell:
    """Convert a value of a typed column to text: dates in ISO 8601, missing values as empty."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, str | list):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return json.dumps(value, default=str) if isinstance(value, dict) else str(value)


def as_text(cell: Cell) -> str:
    """Write a cell as a text.

    Parameters
    ----------
    cell : str or list
        The cell.

    Returns
    -------
    str
        A list as JSON.
    """
    return cell if isinstance(cell, str) else json.dumps(cell, default=str)


def scalar(value: Any) -> str:
    """Convert an element of a list to text."""
    return as_text(as_cell(value))


def text_column(table: Table, intake: Intake) -> str | None:
    """Return the text column: the requested one, or one with a usual name."""
    return intake.asked_text(table.header) or table.column(TEXT_NAMES)


def push_text(table: Table, intake: Intake, item: Name, row: dict[str, Any]) -> None:
    """Push the text of an item."""
    column = text_column(table, intake)
    if column is not None and row[column]:
        intake.text(item, as_text(row[column]))


def row_name(table: Table, where: int) -> MadeName:
    """Name an item by its row, in a table without item names."""
    short = f"row {where}"
    return MadeName(short, f"{table.name}, {short}" if table.name else "")


def check_columns(table: Table, intake: Intake) -> None:
    """Reject columns named by the user that the table does not have."""
    options = intake.options
    for option, asked in (
        ("--text", options.text),
        ("--shown-first", options.shown_first),
        ("--gold", options.gold),
        ("--weight", options.weight),
        ("--annotator", options.annotator),
        *(("--item", name) for name in listed_columns(options.item, table.header)),
    ):
        if asked is not None and asked not in table.header:
            shown = named_columns(table.header, most=30)
            raise ReaderError(
                f"{table.path}: no column is called {asked!r}, given with {option}."
                f"{did_you_mean(asked, table.header)} The columns are {shown}."
            )


def listed_columns(asked: str | None, header: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that an option names: one, or several separated by commas."""
    if asked is None:
        return ()
    return (asked,) if asked in header else tuple(name.strip() for name in asked.split(","))


def is_category(cell: Cell) -> bool:
    """Return whether a cell may be a category, not a text."""
    return isinstance(cell, str) and len(cell) <= MAX_CATEGORY_LENGTH and "\n" not in cell
