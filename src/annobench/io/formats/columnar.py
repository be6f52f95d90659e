"""Tables in Parquet and Arrow files, with category names recorded by `datasets`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annobench.core.errors import ReaderError
from annobench.core.optional import optional
from annobench.io.formats.arrow import PARQUET, batches, begins, notes_of, schema_of
from annobench.io.formats.base import Source, as_json
from annobench.io.formats.records import load_json
from annobench.io.formats.tables import Table, as_cell

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = optional("pyarrow", "Parquet")
    pq = optional("pyarrow.parquet", "Parquet")

__all__ = ["REMEDY", "tables_of"]

#: The file in which `datasets` describes a data set.
INFO = "dataset_info.json"
_PARQUET, _ARROW = ".parquet", ".arrow"
#: What to do with a damaged file.
REMEDY = "Save the data set again with save_to_disk or to_parquet."

#: Rows that are turned into values together: a header takes one, a preview some.
_AT_ONCE = 64

#: From a value of a column to a cell.
_Decoder = Callable[[Any], Any]


def files_of(source: Source) -> list[Path]:
    """Return the files of rows."""
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


def tables_of(source: Source, files: list[Path]) -> list[Table]:
    """Return a table for each file, named by its path in the folder.

    Parameters
    ----------
    source : Source
        The file or folder.
    files : list of Path
        The source's files of rows.

    Returns
    -------
    list of Table
        The tables, with numbers of a ClassLabel replaced by names.

    Raises
    ------
    ReaderError
        If a file can't be read.
    """
    found = []
    for path in files:
        features = features_of(source, path)
        decoders = {name: _decoder(features.get(name)) for name in _schema(path).names}
        header = _header(path, decoders)
        name = str(path.relative_to(source.path)) if source.is_folder else ""
        found.append(Table(path, header, partial(_filled, path, decoders, header), name))
    return found


def _schema(path: Path) -> pa.Schema:
    return schema_of(path, _read_schema, "can't be read", REMEDY)


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
            f"{path}, after row {number}: can't be read ({error}). {REMEDY}"
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


def features_of(source: Source, path: Path) -> dict[str, Any]:
    """Return the features of a data set, which name the categories."""
    for folder in (path.parent, source.path):
        info = folder / INFO
        if info.is_file():
            try:
                found = load_json(info.read_bytes())
            except (ValueError, OSError) as error:
                raise ReaderError(f"{info}: not JSON ({error}). {REMEDY}") from error
            return _features(found)
    notes = notes_of(path, _schema(path), REMEDY)
    try:
        return _features(load_json(notes or b"{}").get("info"))
    except (ValueError, AttributeError):
        return {}


def _features(info: Any) -> dict[str, Any]:
    features = info.get("features") if isinstance(info, dict) else None
    return features if isinstance(features, dict) else {}


def _decoder(feature: Any) -> _Decoder:
    """Return a function that converts a feature's values to names (ClassLabel, also in lists)."""
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
