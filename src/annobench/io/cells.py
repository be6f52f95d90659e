"""Cells of a table with a header: text, Parquet, or the rows of another container, parsed once.

Clean text takes a fast path through Arrow, if installed. Whatever it rejects is read again, row by
row, to locate the faults; several are reported together.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annobench.core.errors import MissingLibraryError, ReaderError, report_faults
from annobench.core.optional import is_installed, optional
from annobench.core.texts import allow_long_cells
from annobench.io._columns import ChosenColumns, Column, chosen_columns
from annobench.io._foreign import SECOND_HEADER, remedy_of_widths, what_it_is
from annobench.io.formats.headers import delimiter_of
from annobench.labels.annotations import SCALES
from annobench.labels.columns import choose_columns

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pa_csv
    import pyarrow.parquet as pq

    from annobench.io.formats.base import Source
    from annobench.io.formats.tables import Table
else:
    pa = optional("pyarrow", "Parquet")
    pc = optional("pyarrow.compute", "Parquet")
    pa_csv = optional("pyarrow.csv", "Parquet")
    pq = optional("pyarrow.parquet", "Parquet")

PARQUET = (".parquet", ".pq")
TABBED = (".tsv", ".tab")
#: The key of what `write_labels` records in a Parquet file.
METADATA = b"annobench"

#: A table in such a file is no text with a delimiter.
NO_TEXT = (".xlsx", ".json", ".jsonl", ".ndjson")

#: Characters among which the end of a header nearly always is.
_HEAD = 65_536

#: Lines among which a header is looked for that does not stand first.
_TITLES = 20

#: Rows in which labels that stand in place of a header come again.
_ROWS = 1_000


class Cells:
    """The cells of a table, by column.

    Parameters
    ----------
    path : Path
        The file, for messages.
    header : list of str
        Names of the columns.
    values : callable
        Maps a column to its cells.
    lines : callable
        Names the place of each row, such as "line 2".
    """

    def __init__(
        self,
        path: Path,
        header: list[str],
        values: Callable[[str], Sequence[str | None] | pa.ChunkedArray],
        lines: Callable[[], list[str]],
    ) -> None:
        self.path, self.header, self.lines = path, header, lines
        self._values = values
        self._coded: dict[str, Column] = {}

    #: Whether cells may be lists, as in JSON.
    has_lists = False

    def declared(self, label: str) -> dict[str, Any]:
        """Return the categories, scale, items and annotators that the file declares."""
        return {}

    def columns(self, wanted: Mapping[str, str | None]) -> tuple[ChosenColumns, dict[str, Column]]:
        """Choose and code the columns of roles; a row that repeats the header is refused."""
        chosen = self.choose(wanted)
        columns = chosen.read(self.coded)
        names = chosen.header
        if all(names[role] in column.names for role, column in columns.items()):
            repeats = [
                column.codes == column.names.index(names[role]) for role, column in columns.items()
            ]
            rows = np.flatnonzero(np.logical_and.reduce(repeats))
            if rows.size:
                raise ReaderError(f"{self.path}, {self.lines()[rows[0]]}: {SECOND_HEADER}")
        return chosen, columns

    def coded(self, name: str) -> Column:
        """Return a column, whose cells are then no longer kept."""
        if name not in self._coded:
            self._coded[name] = Column.of(self._values(name))
        return self._coded[name]

    def choose(self, wanted: Mapping[str, str | None]) -> ChosenColumns:
        """Map roles to columns."""
        return chosen_columns(self.path, self.header, dict(wanted))


class _Text(Cells):
    """Delimited text; once it is parsed, it is read again only to say where a fault is."""

    def __init__(self, path: Path, content: bytes | None) -> None:
        self._path, self._content = path, content
        self._text: str | None = _decode(path, content)
        self._delimiter, header = header_of(path, self._text)
        super().__init__(path, header, self._column, self._lines)

    def choose(self, wanted: Mapping[str, str | None]) -> ChosenColumns:
        try:
            return super().choose(wanted)
        except ReaderError as error:
            text = self._text or _decode(self._path, self._content)
            hint = _hint_of_header(self.path, text, dict(wanted))
            if not hint:
                raise
            raise ReaderError(f"{self.path}: line 1 is no header. {hint}") from error

    @cached_property
    def _table(self) -> Any:
        # Without quotes a row is a line and a field is what stands between delimiters, so that
        # both readers agree.
        text = self._text or ""
        plain = '"' not in text and "\r" not in text.replace("\r\n", "")
        table = (
            _fast(text, self.header, self._delimiter) if plain and is_installed("pyarrow") else None
        )
        if table is None:
            rows, _ = _careful(self.path, text, self.header, self._delimiter)
            columns = list(zip(*rows, strict=True)) or [()] * len(self.header)
            table = dict(zip(self.header, columns, strict=True))
        self._text = None
        return table

    def _column(self, name: str) -> Sequence[str | None] | pa.ChunkedArray:
        values: Sequence[str | None] | pa.ChunkedArray = self._table[name]
        if isinstance(self._table, dict):
            del self._table[name]
        else:
            self._table = self._table.drop_columns([name])
        return values

    def _lines(self) -> list[str]:
        text = _decode(self._path, self._content)
        return [f"line {n}" for n in _careful(self.path, text, self.header, self._delimiter)[1]]


class _Parquet(Cells):
    """A Parquet file, of which only the columns asked for are read."""

    def __init__(self, path: Path) -> None:
        with refusing_parquet(path), pq.ParquetFile(path) as file:
            self._schema = file.schema_arrow
            n_rows = file.metadata.num_rows
        self._orders: dict[str, tuple[str, ...] | None] = {}
        super().__init__(
            path,
            list(self._schema.names),
            self._read,
            lambda: [f"row {n + 1}" for n in range(n_rows)],
        )

    def columns(self, wanted: Mapping[str, str | None]) -> tuple[ChosenColumns, dict[str, Column]]:
        with refusing_parquet(self.path):
            return super().columns(wanted)

    def declared(self, label: str) -> dict[str, Any]:
        kept = kept_beside(self.path, self._schema.metadata)
        self.coded(label)
        order = self._orders[label]
        return kept if order is None else {"categories": order, "scale": "ordinal"} | kept

    def _read(self, name: str) -> pa.ChunkedArray:
        with refusing_parquet(self.path), pq.ParquetFile(self.path) as file:
            column = file.read(columns=[name])[name]
        self._orders[name] = declared_order(column)
        return as_text(column)


def cells_of(source: Source) -> Cells:
    """Return the cells of a file with one table, parsed when first asked for."""
    if "cells" not in source.shared:
        source.shared["cells"] = _opened(source)
    cells: Cells = source.shared["cells"]
    return cells


def _opened(source: Source) -> Cells:
    path = source.path
    if source.is_folder:
        raise ReaderError(f"{source.named}: is a folder. Give the path of a table of labels.")
    try:
        if path.suffix.lower() in PARQUET:
            return _Parquet(path)
        from annobench.io.formats.recognition import begins_as_json
        from annobench.io.formats.tables import text_table

        is_packed = path.suffix.lower() in NO_TEXT or source.head.startswith(b"PK")
        if is_packed or begins_as_json(source):
            # A plain text needs no layout.
            from annobench.io.formats.containers import opened

            with opened(source) as tables:
                if len(tables) > 1:
                    raise ReaderError(f"{path}: {len(tables)} tables. Give a file with one.")
                if tables:  # else the text says what the file is instead
                    return cells_of_table(tables[0])
        table = text_table(source) if source.asked.header_rows else None
        return _Text(path, source.whole) if table is None else cells_of_table(table)
    except OSError as error:
        raise ReaderError(f"{path}: can't be read ({error}). Check its permissions.") from error


def cells_of_table(table: Table) -> Cells:
    """Return the cells of a table of any container, all of which are read."""
    from annobench.io.formats.tables import as_text as cell_text

    rows = list(table.rows(False))
    place = f"{table.name}, " if table.name else ""
    cells = Cells(
        table.path,
        list(table.header),
        lambda name: [cell_text(row[name]) for _, row in rows],
        lambda: [f"{place}row {number}" for number, _ in rows],
    )
    cells.has_lists = True
    return cells


def _hint_of_header(path: Path, text: str, wanted: dict[str, str | None]) -> str:
    """Suggest the line of the header, if the first line is not one."""
    lines = text.splitlines()[:_TITLES]
    if re.fullmatch(r"sep=.", lines[0].strip(), re.IGNORECASE):
        return f"It holds {lines[0].strip()!r}, which is meant for Excel: delete it."
    for number, line in enumerate(lines[1:], start=2):
        try:
            choose_columns(path, next(csv.reader([line], delimiter=_delimiter(path, line))), wanted)
        except (ReaderError, StopIteration, csv.Error):
            continue
        return f"Line {number} looks like one: delete the lines above it."
    delimiter, header = header_of(path, text)
    again = _labels_in_header(header, islice(_rows(text, delimiter), 1, _ROWS))
    names = delimiter.join(wanted)
    return again and f"{again!r} comes again below it. Put a line with names above it: {names}."


def _labels_in_header(header: list[str], rows: Iterable[list[str]]) -> str:
    """Return a cell of the header that comes again in its column, as no name does; else ''."""
    try:
        cells = chain.from_iterable(zip(header, row, strict=False) for row in rows)
        return next((name for name, cell in cells if name == cell), "")
    except csv.Error:
        return ""


def header_of(source: str | Path, text: str) -> tuple[str, list[str]]:
    """Find the delimiter of a table, and the names of its columns."""
    delimiter = _delimiter(source, text)
    try:
        head = io.StringIO(text[:_HEAD], newline="")
        rows = csv.reader(head, delimiter=delimiter, strict=True)
        return delimiter, next(row for row in rows if row and head.tell() < _HEAD)
    except (StopIteration, csv.Error):
        pass
    try:
        return delimiter, next(row for row in _rows(text, delimiter) if row)
    except (StopIteration, csv.Error):
        raise ReaderError(
            f"{source}: the file is empty or its header can't be read. Give a header and one row "
            "per label."
        ) from None


def _delimiter(source: str | Path, text: str) -> str:
    tabbed = str(source).lower().removesuffix(".gz").endswith(TABBED)
    return "\t" if tabbed else delimiter_of(text)


def _decode(path: Path, content: bytes | None) -> str:
    data = (path.read_bytes() if content is None else content).removeprefix(codecs.BOM_UTF8)
    if not data.strip():
        raise ReaderError(f"{path}: the file is empty. Give a header and one row per label.")
    foreign = what_it_is(data[:1_000], path)
    if foreign is not None:
        raise ReaderError(f"{path}: {foreign}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ReaderError(
            f"{path}, line {line} (byte {error.start}): not UTF-8. Save the file as UTF-8, from "
            "Excel as 'CSV UTF-8'; it may be Latin-1 or Windows-1252."
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ReaderError(
            f"{path}, line {line}: a NUL byte; this is not a text file, or it is damaged. "
            "Save it as UTF-8 text."
        )
    return text


def _rows(text: str, delimiter: str) -> Any:
    allow_long_cells()
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)


def _in_arrow(data: bytes) -> pa.Buffer:
    """Copy bytes into memory of Arrow's own."""
    buffer = pa.allocate_buffer(len(data))
    with pa.FixedSizeBufferWriter(buffer) as writer:
        writer.write(data)
    return buffer


def _fast(text: str, header: list[str], delimiter: str) -> pa.Table | None:
    """Parse text without quotes; None where a row does not fit the header."""
    kind = pa.string()
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(_in_arrow(text.encode("utf-8"))),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(header, kind), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    return table if table.column_names == header else None


def _careful(
    path: Path, text: str, header: list[str], delimiter: str
) -> tuple[list[list[str]], list[int]]:
    """Parse row by row; return rows and their last lines, or report all faults."""
    reader = _rows(text, delimiter)
    rows: list[list[str]] = []
    lines: list[int] = []
    faults, widths = [], []
    try:
        for row in reader:
            if len(row) == len(header):
                rows.append(row)
                lines.append(reader.line_num)
            elif row:
                widths.append(len(row))
                faults.append(
                    f"line {reader.line_num}: {len(row)} fields where the header has {len(header)}"
                )
    except csv.Error as error:
        widths.clear()  # what follows is not known
        faults.append(f"line {reader.line_num}: {error}")
    report_faults(path, faults, remedy_of_widths(delimiter, len(header), widths))
    return rows[1:], lines[1:]


def declared_order(labels: pa.ChunkedArray) -> tuple[str, ...] | None:
    """Return the categories of an ordered categorical column."""
    if not pa.types.is_dictionary(labels.type) or not labels.type.ordered:
        return None
    orders = [as_text(pa.chunked_array([part.dictionary])).to_pylist() for part in labels.chunks]
    return tuple(orders[0]) if orders and all(order == orders[0] for order in orders) else None


@contextmanager
def refusing_parquet(source: str | Path) -> Iterator[None]:
    """Refuse a Parquet file that can't be read."""
    try:
        yield
    except (ReaderError, MissingLibraryError):
        raise
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise ReaderError(
            f"{source}: truncated, not a Parquet file, or a column is not text or numbers "
            f"({error}). Write it again."
        ) from error
    except ValueError as error:
        raise ReaderError(f"{source}: {error}") from error


def kept_beside(path: str | Path, metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    """Read the metadata written by `write_labels` to a Parquet file."""
    try:
        kept = json.loads((metadata or {}).get(METADATA, b"{}"))
        lists = [kept.get(key) for key in ("categories", "items", "annotators")]
        # Sets are not written as tables.
        sound = kept.get("scale", "nominal") in SCALES[:-1] and all(
            names is None
            or (
                isinstance(names, list)
                and all(isinstance(n, str) for n in names)
                and len(set(names)) == len(names)
            )
            for names in lists
        )
    except (ValueError, AttributeError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise ReaderError(f"{path}: the metadata is damaged. Write the file again.")
    return dict(kept)


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write a column as text; NaN is no label.

    Parameters
    ----------
    column : ChunkedArray
        Text, numbers, or a dictionary of them.

    Returns
    -------
    ChunkedArray of str
        Text, with whole numbers without a decimal point, as data frames convert numbers with empty
        rows to floats.

    Raises
    ------
    ValueError
        If a number is infinite.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not pa.types.is_floating(column.type):
        return column.cast(pa.string())
    column = pc.if_else(pc.is_nan(column), None, column)
    if pc.any(pc.is_inf(column)).as_py():
        raise ValueError("Infinite numbers are not names. Empty their cells.")
    # Arrow writes 1e15 with an exponent, and -0 with its sign.
    is_whole = pc.and_(pc.equal(pc.floor(column), column), pc.less(pc.abs(column), 2.0**63))
    whole = pc.if_else(is_whole, column, 0).cast(pa.int64()).cast(pa.string())
    return pc.if_else(is_whole, whole, column.cast(pa.string()))
