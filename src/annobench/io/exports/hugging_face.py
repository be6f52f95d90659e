"""Hugging Face data sets on disk, and other Parquet and Arrow files in a known layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annobench.core.errors import ReaderError
from annobench.core.optional import optional
from annobench.io._parquet import batches
from annobench.io.exports._arrow import PARQUET, begins, notes_of, schema_of
from annobench.io.exports._records import load_json
from annobench.io.exports._tables import Table, as_cell, check_columns, layout_of
from annobench.io.exports.base import ExportFormat, Intake, Source, as_json

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = optional("pyarrow", "Parquet")
    pq = optional("pyarrow.parquet", "Parquet")

_INFO = "dataset_info.json"
#: What describes a data set, its splits and their files.
_ABOUT = {_INFO, "dataset_dict.json", "state.json"}
_PARQUET, _ARROW = ".parquet", ".arrow"
_REMEDY = "Save the data set again with save_to_disk or to_parquet."

#: Rows that are turned into values together: a header takes one, a preview some.
_AT_ONCE = 64

#: From a value of a column to a cell.
_Decoder = Callable[[Any], Any]


def _recognise(source: Source) -> str | None:
    """Return the variant: a saved data set, or a file of it, in a known layout."""
    files = files_of(source)
    if not files or not _is_ours(source, files):
        return None
    try:
        tables = tables_of(source, files)
        layout = layout_of(tables[0])
    except (ReaderError, OSError):
        return None
    if layout is None:
        return "unknown columns" if _info(source, files[0]) else None
    if layout[0].name == "plain" and not source.is_folder and not _info(source, files[0]):
        # A plain Parquet file is what `read_labels` reads.
        return None
    splits = f", {len(tables)} splits" if len(tables) > 1 else ""
    return f"{layout[0].title}{splits}"


def files_of(source: Source) -> list[Path]:
    """Return the files of rows.

    Parameters
    ----------
    source : Source
        A file or folder.

    Returns
    -------
    list of Path
        Those of Parquet or Arrow.
    """
    if source.is_folder:
        # Cache files are what transformations left behind.
        return [
            path
            for path in source.files
            if path.suffix in (_PARQUET, _ARROW) and not path.name.startswith("cache-")
        ]
    head = source.head
    is_rows = head.startswith((b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"))
    return [source.path] if is_rows else []


def _is_ours(source: Source, files: list[Path]) -> bool:
    known = {*files}
    return all(
        path in known or path.suffix in (".json", ".md", ".lock") or path.name.startswith("cache-")
        for path in source.files
    )


def _read(source: Source, intake: Intake) -> None:
    """Push what every split holds.

    Raises
    ------
    ReaderError
        If a file can't be read, or the columns are in no known layout.
    """
    files = files_of(source)
    if not files:
        raise ReaderError(f"{source.path}: no Parquet or Arrow file. {_REMEDY}")
    intake.uses(*(path for path in source.files if path.name in _ABOUT))
    for table in tables_of(source, files):
        found = layout_of(table)
        if found is None:
            raise ReaderError(
                f"{table.path}: no columns of items, annotators and labels, nor another known "
                f"layout. The columns are {', '.join(map(repr, table.header[:20]))}."
            )
        check_columns(table, intake)
        intake.begin(table.name, "row")
        found[0].read(table, intake)


def tables_of(source: Source, files: list[Path]) -> list[Table]:
    """Return a table for each file, named by its place in the folder.

    Parameters
    ----------
    source : Source
        The file or folder.
    files : list of Path
        Its files of rows.

    Returns
    -------
    list of Table
        Their columns; the names of a ClassLabel replace its numbers.

    Raises
    ------
    ReaderError
        If a file can't be read.
    """
    found = []
    for path in files:
        features = _info(source, path)
        decoders = {name: _decoder(features.get(name)) for name in _schema(path).names}
        header = _header(path, decoders)
        name = str(path.relative_to(source.path)) if source.is_folder else ""
        found.append(Table(path, header, partial(_filled, path, decoders, header), name))
    return found


def _schema(path: Path) -> pa.Schema:
    return schema_of(path, _read_schema, "can't be read", _REMEDY)


def _read_schema(path: Path) -> pa.Schema:
    if _is_parquet(path):
        return pq.read_schema(path)
    with _open_arrow(path) as reader:
        return reader.schema


def _is_parquet(path: Path) -> bool:
    return path.suffix == _PARQUET or begins(path, PARQUET)


def _open_arrow(path: Path) -> Any:
    """Open a file of Arrow's, which `datasets` writes as a stream."""
    if begins(path, b"ARROW1"):
        return pa.ipc.open_file(path)
    return pa.ipc.open_stream(pa.memory_map(str(path)))


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    if _is_parquet(path):
        with pq.ParquetFile(path) as file:
            yield from batches(file, 8192)
        return
    with _open_arrow(path) as reader:
        if hasattr(reader, "get_batch"):
            yield from (reader.get_batch(n) for n in range(reader.num_record_batches))
        else:
            yield from reader


def _rows(
    path: Path, decoders: dict[str, _Decoder], ragged: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    try:
        for batch in _batches(path):
            # Offsets in a damaged file may lead anywhere.
            batch.validate(full=True)
            parts = (batch.slice(n, _AT_ONCE) for n in range(0, batch.num_rows, _AT_ONCE))
            for values in chain.from_iterable(part.to_pylist() for part in parts):
                number += 1
                row: dict[str, Any] = {}
                for name, value in values.items():
                    row |= _unnested(name, decoders[name](value))
                yield number, row
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ReaderError(
            f"{path}, after row {number}: can't be read ({error}). {_REMEDY}"
        ) from error


def _filled(
    path: Path, decoders: dict[str, _Decoder], header: tuple[str, ...], ragged: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield rows with all columns of the header; an empty list of records makes none."""
    for number, row in _rows(path, decoders, ragged):
        yield number, dict.fromkeys(header, "") | row


def _header(path: Path, decoders: dict[str, _Decoder]) -> tuple[str, ...]:
    for _, row in _rows(path, decoders, True):
        return tuple(row)
    return tuple(decoders)


def _unnested(name: str, value: Any) -> dict[str, Any]:
    """Make columns of lists of a list of records, such as one for each annotation."""
    if isinstance(value, dict) and value and all(isinstance(part, list) for part in value.values()):
        return {f"{name}.{key}": part for key, part in value.items()}
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        return {f"{name}.{key}": [part.get(key) for part in value] for key in value[0]}
    return {name: as_cell(value)}


def _info(source: Source, path: Path) -> dict[str, Any]:
    """Return the features of a data set, which name the categories; empty if it says none."""
    for folder in (path.parent, source.path):
        info = folder / _INFO
        if info.is_file():
            try:
                found = load_json(info.read_bytes())
            except (ValueError, OSError) as error:
                raise ReaderError(f"{info}: not JSON ({error}). {_REMEDY}") from error
            return _features(found)
    notes = notes_of(path, _schema(path), _REMEDY)
    try:
        return _features(load_json(notes or b"{}").get("info"))
    except (ValueError, AttributeError):
        return {}


def _features(info: Any) -> dict[str, Any]:
    features = info.get("features") if isinstance(info, dict) else None
    return features if isinstance(features, dict) else {}


def _decoder(feature: Any) -> _Decoder:
    """Return what turns a value of a feature into names: those of a ClassLabel, also in lists."""
    if isinstance(feature, list) and len(feature) == 1:
        return partial(_each, _decoder(feature[0]))
    if not isinstance(feature, dict):
        return _unchanged
    names = feature.get("names")
    if feature.get("_type") == "ClassLabel" and isinstance(names, list):
        return partial(_named, tuple(map(as_json, names)))
    if isinstance(feature.get("feature"), dict):
        return partial(_each, _decoder(feature["feature"]))
    if "_type" not in feature:
        return partial(_fields, {name: _decoder(part) for name, part in feature.items()})
    return _unchanged


def _unchanged(value: Any) -> Any:
    return value


def _named(names: tuple[str, ...], value: Any) -> Any:
    # -1 stands for an unknown category.
    if isinstance(value, int) and not isinstance(value, bool):
        return names[value] if 0 <= value < len(names) else None
    return value


def _each(decode: _Decoder, value: Any) -> Any:
    if isinstance(value, dict):
        return decode(value)
    return [decode(part) for part in value] if isinstance(value, list) else value


def _fields(decoders: dict[str, _Decoder], value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        name: [decoders[name](v) for v in part]
        if isinstance(part, list) and name in decoders
        else decoders.get(name, _unchanged)(part)
        for name, part in value.items()
    }


FORMAT = ExportFormat(
    name="hugging_face",
    title="a data set of Hugging Face",
    recognise=_recognise,
    read=_read,
    note=(
        "A saved data set (Arrow or Parquet) whose columns are in one of the known layouts; the "
        "names of a ClassLabel replace its numbers."
    ),
)
