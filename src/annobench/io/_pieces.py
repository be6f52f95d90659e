"""Pieces of label files for workers, each small enough for memory."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.choices import Scale
from annobench.core.errors import MAX_FAULTS, ReaderError, report_faults
from annobench.core.files import replacing
from annobench.core.numbers import plain_number
from annobench.core.optional import optional
from annobench.io._columns import encoded
from annobench.io._foreign import SECOND_HEADER, remedy_of_widths, what_it_is
from annobench.io._parquet import batches
from annobench.io._strict_text import CheckedText
from annobench.io.categories import label_fault
from annobench.io.cells import as_text, declared_order, header_of, kept_beside, refusing_parquet
from annobench.labels.columns import choose_columns

if TYPE_CHECKING:
    import fsspec
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pa_csv
    import pyarrow.parquet as pq
else:
    fsspec = optional("fsspec", "annobench partition")
    pa = optional("pyarrow", "annobench partition")
    pc = optional("pyarrow.compute", "annobench partition")
    pa_csv = optional("pyarrow.csv", "annobench partition")
    pq = optional("pyarrow.parquet", "annobench partition")

#: Rows of a piece, about.
PIECE_ROWS = 250_000
#: Bytes that are parsed at once; Arrow reads 32 times as many ahead of what is parsed.
_BLOCK = 1 << 22

PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".tab", ".csv.gz", ".tsv.gz")
ROLES = ("item", "annotator", "label")


@dataclass(frozen=True)
class Piece:
    """Some row groups of a Parquet file.

    Attributes
    ----------
    address : str
        Address of the file.
    source : str
        Name of the file in messages.
    groups : tuple of int
        The row groups.
    columns : tuple of str
        Columns of items, annotators and labels.
    first_in_file : int
        Number of rows of the file before the piece.
    first_row : int
        Number of rows of all files before the piece.
    n_rows : int
        Number of rows.
    """

    address: str
    source: str
    groups: tuple[int, ...]
    columns: tuple[str, str, str]
    first_in_file: int
    first_row: int
    n_rows: int

    def table(self) -> dict[str, pa.ChunkedArray]:
        """Read the columns as text, by role."""
        with refusing_parquet(self.source), fsspec.open(self.address, "rb") as stream:
            found = pq.ParquetFile(stream).read_row_groups(
                list(self.groups), columns=list(self.columns)
            )
            if len(found) != self.n_rows:
                raise ValueError(
                    f"The file holds {len(found)} rows, but {self.n_rows} were counted. Start "
                    "again, with files that are not being written."
                )
            found.validate(full=True)  # Parquet may hold text that is not UTF-8
            cells = {
                role: _as_names(found[name]) for role, name in zip(ROLES, self.columns, strict=True)
            }
        return cells | {"label": _as_categories(cells["label"])}


class Names(NamedTuple):
    """Names found in pieces of a source, to be merged.

    Attributes
    ----------
    annotators, labels : Series of int64
        First row of each name.
    faults : list of tuple
        File, row and fault.
    n_faults : int
        Number of faulty rows.
    """

    annotators: pd.Series[int]
    labels: pd.Series[int]
    faults: list[tuple[str, int, str]]
    n_faults: int


def survey(piece: Piece, categories: tuple[str, ...] | None, scale: Scale) -> Names:
    """Collect the names and faulty rows in a piece."""
    cells = piece.table()
    first = {role: _first_rows(cells[role], piece.first_row) for role in ("annotator", "label")}
    wrong = {
        name: text
        for name in first["label"].index
        if (text := label_fault(name, categories, scale))
    }
    bad = {
        "no item": pc.is_null(cells["item"]),
        "no annotator": pc.is_null(cells["annotator"]),
    }
    bad |= {
        text: pc.fill_null(pc.equal(cells["label"], name), False) for name, text in wrong.items()
    }
    faults, n_faults = [], 0
    for text, mask in bad.items():
        rows = np.flatnonzero(mask.to_numpy())
        n_faults += rows.size
        at = rows[:MAX_FAULTS] + piece.first_in_file + 1
        faults += [(piece.source, int(row), text) for row in at]
    return Names(first["annotator"], first["label"], faults, n_faults)


def merged(parts: list[Names]) -> Names:
    """Merge the names of several pieces."""
    annotators = pd.concat([part.annotators for part in parts]).groupby(level=0, sort=False).min()
    labels = pd.concat([part.labels for part in parts]).groupby(level=0, sort=False).min()
    faults = sorted(fault for part in parts for fault in part.faults)[: MAX_FAULTS + 1]
    return Names(annotators, labels, faults, sum(part.n_faults for part in parts))


def coded(
    piece: Piece, names: Mapping[str, Path], finished: tuple[int, ...], n_partitions: int
) -> pd.DataFrame:
    """Read a piece with codes for annotators and labels."""
    cells = piece.table()
    frame = pd.DataFrame(
        {
            "item": cells["item"].to_pandas(types_mapper=_strings),
            "row": np.arange(piece.first_row, piece.first_row + piece.n_rows),
            "annotator": _codes(
                cells["annotator"], _index("annotator", *_version(names["annotator"]))
            ),
            "label": _codes(cells["label"], _index("category", *_version(names["category"]))),
        }
    )
    if finished:
        from annobench.scale._format import partition_of

        frame = frame[~np.isin(partition_of(frame["item"], n_partitions), finished)]
    return frame


def empty() -> pd.DataFrame:
    """Return the result of `coded` for no rows."""
    kinds: dict[str, Any] = {
        "item": _string(),
        "row": np.int64,
        "annotator": np.int32,
        "label": np.int32,
    }
    return pd.DataFrame({name: pd.Series([], dtype=kind) for name, kind in kinds.items()})


def _string() -> Any:
    return pd.StringDtype("pyarrow", na_value=np.nan)


def _as_names(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert a column to text, null if empty."""
    text = as_text(column)
    return pc.if_else(pc.equal(text, ""), None, text)


def _as_categories(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Take a whole number with and without a decimal point for one category."""
    names = column.unique().drop_null()
    plain = pa.array(list(map(plain_number, names.to_pylist())), pa.string())
    return column if plain.equals(names) else plain.take(pc.index_in(column, names))


def _strings(kind: pa.DataType) -> Any:
    return _string()


def _version(path: Path) -> tuple[Path, int]:
    """Return an identifier of a file's version, as long-lived workers may meet later ones."""
    return path, path.stat().st_mtime_ns


@lru_cache(maxsize=4)
def _index(what: str, path: Path, version: int) -> Any:
    return pd.Index(pq.read_table(path)[what].to_pandas().astype(object))


def _codes(column: pa.ChunkedArray, index: Any) -> NDArray[np.int32]:
    names, codes = encoded(column)
    known = np.append(index.get_indexer(pd.Index(names, dtype=object)), -1)
    return np.asarray(known[codes], dtype=np.int32)


def _first_rows(column: pa.ChunkedArray, start: int) -> pd.Series[int]:
    names, codes = encoded(column)
    kept, at = np.unique(codes, return_index=True)
    rows = at[kept >= 0] + start
    return pd.Series(rows, index=pd.Index(names, dtype=object)[kept[kept >= 0]], dtype=np.int64)


def pieces_of(address: str, source: str, columns: dict[str, str | None]) -> list[Piece]:
    """Divide a Parquet file into pieces; rows are counted from its first."""
    with refusing_parquet(source), fsspec.open(address, "rb") as stream:
        metadata = pq.ParquetFile(stream).metadata
        header = list(metadata.schema.to_arrow_schema().names)
    chosen = {role: name for name, role in choose_columns(source, header, columns).items()}
    found: list[Piece] = []
    groups: list[int] = []
    first = rows = 0
    for group in range(metadata.num_row_groups):
        groups.append(group)
        rows += metadata.row_group(group).num_rows
        if rows >= PIECE_ROWS or group == metadata.num_row_groups - 1:
            names = chosen["item"], chosen["annotator"], chosen["label"]
            found.append(Piece(address, source, tuple(groups), names, first, first, rows))
            first, rows, groups = first + rows, 0, []
    return found


class Outline(NamedTuple):
    """Metadata of a Parquet file.

    Attributes
    ----------
    largest_group : int
        Number of rows in the largest row group.
    categories : tuple of str or None
        All categories in order, if recorded by `annobench.write_labels` or in an ordered
        categorical column.
    scale : str or None
        Scale of the labels, if recorded there.
    """

    largest_group: int
    categories: tuple[str, ...] | None
    scale: Scale | None


def outline(address: str, columns: dict[str, str | None]) -> Outline:
    """Read the metadata of a Parquet file."""
    with refusing_parquet(address), fsspec.open(address, "rb") as stream:
        file = pq.ParquetFile(stream)
        sizes = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
        kept = kept_beside(address, file.schema_arrow.metadata)
        order = None if kept or not sizes else _declared_order(address, file, columns)
    if order is not None:
        return Outline(max(sizes), order, "ordinal")
    categories = tuple(kept["categories"]) if kept.get("categories") else None
    return Outline(max(sizes, default=0), categories, kept.get("scale"))


def _declared_order(
    address: str, file: pq.ParquetFile, columns: dict[str, str | None]
) -> tuple[str, ...] | None:
    """Return the categories of an ordered categorical column, from its first rows."""
    chosen = choose_columns(address, list(file.schema_arrow.names), columns)
    [label] = [name for name, role in chosen.items() if role == "label"]
    first = next(file.iter_batches(1, columns=[label]), None)
    if first is None:
        return None
    first.validate(full=True)
    return declared_order(pa.chunked_array([first[label]]))


def copy(address: str, columns: dict[str, str | None], target: Path) -> int:
    """Write text, or Parquet with large row groups, as Parquet with small ones."""
    kinds = pa.schema([(role, pa.dictionary(pa.int32(), pa.string())) for role in ROLES[1:]])
    schema = pa.schema([("item", pa.string()), *kinds])
    n_rows = 0
    read = _batches_of_parquet if address.lower().endswith(PARQUET) else _batches_of_text
    with replacing(target) as draft, pq.ParquetWriter(draft, schema, compression="zstd") as writer:
        for batch in read(address, columns):
            cells = {role: pa.chunked_array([batch[role]]) for role in ROLES}
            with refusing_parquet(address):
                table = pa.table({role: _as_names(cells[role]) for role in ROLES})
            writer.write_table(table.cast(schema), row_group_size=PIECE_ROWS)
            n_rows += len(table)
    return n_rows


def _batches_of_parquet(
    address: str, columns: dict[str, str | None]
) -> Iterator[dict[str, pa.Array]]:
    with refusing_parquet(address), fsspec.open(address, "rb") as stream:
        file = pq.ParquetFile(stream)
        chosen = choose_columns(address, list(file.schema_arrow.names), columns)
        for batch in batches(file, PIECE_ROWS, list(chosen)):
            batch.validate(full=True)
            yield {role: batch[name] for name, role in chosen.items()}


def _batches_of_text(address: str, columns: dict[str, str | None]) -> Iterator[dict[str, pa.Array]]:
    faults: list[tuple[int, str]] = []
    widths: list[int] = []

    def note(row: Any) -> str:
        widths.append(row.actual_columns)
        what = f"{row.actual_columns} fields where the header has {row.expected_columns}"
        faults.append((row.number - 1, what))
        return "skip"

    try:
        with fsspec.open(address, "rb", compression="infer") as stream:
            head = stream.read(_BLOCK)
        delimiter, header = _header(address, head)
        chosen = choose_columns(address, header, columns)
        parse = pa_csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, invalid_row_handler=note
        )
        # One thread alone counts rows.
        reading = pa_csv.ReadOptions(use_threads=False, block_size=_BLOCK)
        convert = pa_csv.ConvertOptions(
            column_types=dict.fromkeys(chosen, pa.string()),
            include_columns=list(chosen),
            strings_can_be_null=False,
        )
        with fsspec.open(address, "rb", compression="infer") as stream:
            checked = CheckedText(stream, delimiter, _BLOCK)
            try:
                before = 0
                for batch in pa_csv.open_csv(checked, reading, parse, convert):
                    _refuse_second_header(address, batch, before)
                    before += batch.num_rows
                    yield {role: batch[name] for name, role in chosen.items()}
            except pa.ArrowInvalid:
                _report(address, faults, checked.fault, remedy_of_widths(delimiter, 0, []))
                raise
    except (pa.ArrowInvalid, OSError, EOFError, zlib.error) as error:
        raise ReaderError(
            f"{address}: cut off, or not text in UTF-8 with one row per label ({error}). Correct "
            "the file, or save it anew."
        ) from error
    known = [] if checked.fault else widths
    _report(address, faults, checked.fault, remedy_of_widths(delimiter, len(header), known))


def _refuse_second_header(address: str, batch: pa.RecordBatch, before: int) -> None:
    """Reject a row that repeats the header; `before` counts the rows of earlier batches."""
    repeats = pc.equal(batch.column(0), batch.schema.names[0])
    for column, name in zip(batch.columns[1:], batch.schema.names[1:], strict=True):
        repeats = pc.and_(repeats, pc.equal(column, name))
    at = pc.index(repeats, True).as_py()
    if at >= 0:
        raise ReaderError(f"{address}, row {before + at + 1}: {SECOND_HEADER}")


def _header(address: str, head: bytes) -> tuple[str, list[str]]:
    """Find the delimiter and the names of the columns as `header_of` does for a file in memory."""
    head = head.removeprefix(codecs.BOM_UTF8)
    foreign = what_it_is(head[:1_000], address)
    if foreign is not None:
        raise ReaderError(f"{address}: {foreign}")
    # What is not UTF-8 is found in its row.
    return header_of(address, head.decode("utf-8", errors="replace"))


def _report(
    address: str, faults: list[tuple[int, str]], last: tuple[int, str] | None, remedy: str
) -> None:
    """Report faulty rows, except a row truncated by the last fault."""
    if last is not None:
        faults = [fault for fault in faults if fault[0] < last[0]] + [last]
    lines = [f"row {row}: {what}" if row else f"header: {what}" for row, what in faults]
    report_faults(address, lines, remedy)


def renumbered(found: list[Piece], first_row: int) -> list[Piece]:
    """Count the rows of a file's pieces from the first of all sources."""
    return [replace(piece, first_row=piece.first_row + first_row) for piece in found]
