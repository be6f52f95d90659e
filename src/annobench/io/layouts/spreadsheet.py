"""Workbooks (XLSX): sheets in any layout of a table, or one sheet per annotator."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from annobench.core.discovery import did_you_mean
from annobench.core.errors import ReaderError
from annobench.core.names import unused
from annobench.io.formats.base import DAMAGED_ARCHIVE, ExportFormat, Intake, Options, Source
from annobench.io.formats.discovery import layout_of
from annobench.io.formats.headers import LOOKED_AT, find_header
from annobench.io.formats.tables import (
    ANNOTATOR_NAMES,
    ITEM_NAMES,
    Layout,
    Table,
    as_cell,
    check_columns,
)
from annobench.io.layouts._last_rows import read_but_sums
from annobench.labels.columns import USUAL_NAMES, named_columns
from annobench.labels.item_column import resolved_columns

#: A workbook that unpacks to more is refused.
MAX_BYTES = 2**29

#: A sheet holds no more; of a damaged number of a row the rows before it would be made up.
MAX_ROWS = 2**20

_REMEDY = "Open it in a spreadsheet program and save it again, or save the sheet as CSV."

#: What a formula that fails gives.
_ERRORS = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!"}
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")

#: The variant of a workbook of which no sheet can be read.
_UNKNOWN = "unknown columns"

#: The column that a sheet's name becomes where each sheet is one annotator's.
_SHEET = "annotator"


def _recognise(source: Source) -> str | None:
    """Return the variant: what the sheets are laid out as."""
    if not is_workbook(source):
        return None
    try:
        with Book(source.path, source.asked) as book:
            titles = dict.fromkeys(layout.title for _, layout in _laid_out(book.tables()))
    except ReaderError:
        # Reading it says what is wrong.
        return _UNKNOWN
    return " and ".join(titles) or _UNKNOWN


def is_workbook(source: Source) -> bool:
    """Return whether a file is a workbook."""
    if source.is_folder or not source.head.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(source.path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except DAMAGED_ARCHIVE:
        return False


def _read(source: Source, intake: Intake) -> None:
    """Push what the sheets hold that are in a known layout."""
    with Book(source.path, source.asked) as book:
        tables = book.tables()
        unsigned = [table.name for table in tables if _lacks_annotator(table)]
        resolved = resolved_columns(unsigned)
        found = _laid_out([table for table in tables if table.name not in resolved])
        if not found:
            shown = "; ".join(f"{t.name!r}: {named_columns(t.header, most=8)}" for t in tables)
            raise ReaderError(
                f"{source.path}: no sheet has columns of items, annotators and labels, nor another "
                f"known layout. The sheets and their columns are {shown or 'empty'}. If each "
                "annotator has a column of labels, add --from wide, and --sheet NAME if there "
                "are several."
            )
        used = {table.name for table, _ in found}
        intake.begin("", "sheet")
        for number, table in enumerate(tables, start=1):
            if table.name not in used:
                intake.read()
                is_resolved = table.name in resolved
                what = "of known or adjudicated labels" if is_resolved else "in no known layout"
                intake.leave_out(number, f"sheets {what}")
        for table, layout in found:
            check_columns(table, intake)
            intake.begin(f"sheet {table.name}", "row")
            intake.notes += [table.note] if table.note else []
            if table.name in unsigned:
                read_but_sums(layout, table, intake)
            else:
                layout.read(table, intake)


def _laid_out(tables: list[Table]) -> list[tuple[Table, Layout]]:
    """Return the sheets that are in a known layout."""
    found = [(table, layout[0]) for table in tables if (layout := layout_of(table)) is not None]
    own = [table for table in tables if _lacks_annotator(table)]
    if len(own) > 1 and all(table in own for table, _ in found):
        signed = map(_signed, own)
        return [(table, layout[0]) for table in signed if (layout := layout_of(table)) is not None]
    return found


def _lacks_annotator(table: Table) -> bool:
    return (
        table.column(ITEM_NAMES) is not None
        and table.column(USUAL_NAMES["label"]) is not None
        and table.column(ANNOTATOR_NAMES) is None
    )


def _signed(table: Table) -> Table:
    """Return a sheet with its own name as the annotator of every row."""

    def rows(ragged: bool) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, row in table.rows(ragged):
            yield number, {**row, _SHEET: table.name}

    return replace(table, header=(*table.header, _SHEET), rows=rows)


class Book:
    """An open workbook; loading it parses all its texts, which is done once."""

    def __init__(self, path: Path, asked: Options | None = None) -> None:
        self._path = path
        self._asked = asked or Options()
        self._has_formulas = _check(path)
        self._values = _load(path)

    def __enter__(self) -> Book:
        return self

    def __exit__(self, *_: object) -> None:
        self._values.close()

    def tables(self) -> list[Table]:
        """Return the sheets that hold anything."""
        sheets = {sheet.title: sheet for sheet in self._values.worksheets}
        asked = self._asked.sheet
        if asked is not None and asked not in sheets:
            raise ReaderError(
                f"{self._path}: no sheet is called {asked!r}, given with --sheet."
                f"{did_you_mean(asked, sheets)} There are {', '.join(map(repr, sheets))}."
            )
        found = []
        for title, sheet in sheets.items():
            if asked not in (None, title):
                continue
            rows = (row for _, row in _cells(self._path, sheet) if any(map(_is_filled, row)))
            first = list(islice(rows, LOOKED_AT))
            if first:
                try:
                    header = find_header(first, self._asked.header_rows)
                except ReaderError as error:
                    raise ReaderError(f"{self._path}, sheet {title!r}: {error}") from error
                names = _header(self._path, title, header.names)
                below = partial(self._rows, title, names, header.skip + header.rows)
                found.append(Table(self._path, names, below, title, header.note))
        return found

    def _rows(
        self, title: str, header: tuple[str, ...], above: int, ragged: bool
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows below the header, by the numbers that a spreadsheet program shows."""
        met = 0
        formulas = _load(self._path, values=False) if self._has_formulas else None
        try:
            written = iter(()) if formulas is None else _cells(self._path, formulas[title])
            for number, cells in _cells(self._path, self._values[title]):
                _, sources = next(written, (number, []))
                if not any(map(_is_filled, cells)):
                    continue
                met += 1
                if met <= above:
                    continue
                self._check_row(title, number, cells, sources)
                row = zip(header, map(as_cell, cells), strict=False)
                yield number, dict.fromkeys(header, "") | dict(row)
        finally:
            if formulas is not None:
                formulas.close()

    def _check_row(self, title: str, number: int, cells: list[Any], sources: list[Any]) -> None:
        """Refuse errors, and formulas without a value, which no spreadsheet program wrote."""
        where = f"{self._path}, sheet {title!r}, row {number}"
        for cell, source in zip_longest(cells, sources):
            if cell is None and isinstance(source, str) and source.startswith("="):
                raise ReaderError(
                    f"{where}: the formula {source[:40]!r} has no value, as it was never computed. "
                    "Open the file in a spreadsheet program and save it."
                )
            if isinstance(cell, str) and cell in _ERRORS:
                raise ReaderError(f"{where}: the formula of a cell gives {cell}. Correct it.")


def _check(path: Path) -> bool:
    """Reject workbooks of gigabytes when unpacked, or with XML that defines entities."""
    has_formulas = False
    try:
        with zipfile.ZipFile(path) as archive:
            total = sum(entry.file_size for entry in archive.infolist())
            if total > MAX_BYTES:
                raise ReaderError(f"{path}: unpacks to {total // 2**20:,} MiB. {_REMEDY}")
            for name in archive.namelist():
                if name.endswith((".xml", ".rels")):
                    with archive.open(name) as stream:
                        head = stream.read(1024)
                        if b"<!DOCTYPE" in head.upper():
                            raise ReaderError(
                                f"{path}, {name}: a document type declaration, which could define "
                                f"entities. {_REMEDY}"
                            )
                        if name.startswith("xl/worksheets/"):
                            has_formulas |= _FORMULA.search(head + stream.read()) is not None
    except ReaderError:
        raise
    except DAMAGED_ARCHIVE as error:
        raise ReaderError(f"{path}: no workbook that can be read ({error}). {_REMEDY}") from error
    return has_formulas


def _load(path: Path, *, values: bool = True) -> Any:
    import openpyxl

    try:
        # Of a damaged file openpyxl would leave the handle open.
        data = io.BytesIO(path.read_bytes())
        book = openpyxl.load_workbook(data, read_only=True, data_only=values)
        for sheet in book.worksheets:
            # What a sheet says of its size may be wrong, and the rows beyond would be lost.
            sheet.reset_dimensions()
        return book
    except Exception as error:  # a damaged part raises whatever its parser meets
        raise ReaderError(
            f"{path}: no workbook that can be read ({type(error).__name__}: {error}). {_REMEDY}"
        ) from error


def _cells(path: Path, sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    """Yield the rows of a sheet and their numbers in it."""
    try:
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            if number > MAX_ROWS:
                raise ReaderError(
                    f"{path}, sheet {sheet.title!r}: more than {MAX_ROWS:,} rows, which no "
                    f"workbook has. {_REMEDY}"
                )
            yield number, list(row)
    except ReaderError:
        raise
    except Exception as error:  # as above; a sheet is parsed when its rows are asked for
        raise ReaderError(
            f"{path}, sheet {sheet.title!r}: can't be read ({type(error).__name__}: {error}). "
            f"{_REMEDY}"
        ) from error


def _is_filled(cell: Any) -> bool:
    return cell not in (None, "")


def _header(path: Path, title: str, cells: Sequence[str]) -> tuple[str, ...]:
    names = list(cells)
    while names and not names[-1]:
        names.pop()
    # A column without a name can't be meant; the first may be an index.
    known = frozenset(names)
    names = [
        name or (unused(f"column {n}", known) if n > 1 else "")
        for n, name in enumerate(names, start=1)
    ]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ReaderError(
            f"{path}, sheet {title!r}: the header names {', '.join(map(repr, twice[:5]))} twice. "
            "Give every column a unique name."
        )
    return tuple(names)


FORMAT = ExportFormat(
    name="spreadsheet",
    title="a workbook (XLSX)",
    recognise=_recognise,
    read=_read,
    note=(
        "Each sheet is a table in one of the known layouts; sheets with the same columns of items "
        "and labels are those of one annotator each, named as the sheet."
    ),
)
