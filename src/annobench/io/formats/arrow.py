"""Arrow and Parquet files: magic bytes and columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from annobench.core.errors import ReaderError
from annobench.core.optional import optional
from annobench.io._parquet import batches as batches

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = optional("pyarrow", "Parquet")
    pq = optional("pyarrow.parquet", "Parquet")

__all__ = ["begins"]

#: How a file of Parquet begins.
PARQUET = b"PAR1"
#: Under which `datasets` notes the types of columns, and the names of classes.
_NOTES = b"huggingface"


def begins(path: Path, magic: bytes) -> bool:
    """Return whether a file begins with given bytes.

    Parameters
    ----------
    path : Path
        The file.
    magic : bytes
        The bytes.

    Returns
    -------
    bool
        Whether they come first.
    """
    with path.open("rb") as stream:
        return stream.read(len(magic)) == magic


def schema_of(path: Path, read: Callable[[Path], pa.Schema], fault: str, remedy: str) -> pa.Schema:
    """Return a file's columns, whose names must be unique."""
    try:
        schema = read(path)
        names = schema.names
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ReaderError(f"{path}: {fault} ({error}). {remedy}") from error
    if len(set(names)) < len(names):
        raise ReaderError(f"{path}: two columns have the same name. Give each a unique name.")
    return schema


def notes_of(path: Path, schema: pa.Schema, remedy: str) -> bytes | None:
    """Return the metadata of columns written by `datasets`."""
    notes: bytes | None = (schema.metadata or {}).get(_NOTES)
    if begins(path, PARQUET) and notes != (pq.read_metadata(path).metadata or {}).get(_NOTES):
        raise ReaderError(
            f"{path}: damaged: its two copies of the names of classes differ. {remedy}"
        )
    return notes
