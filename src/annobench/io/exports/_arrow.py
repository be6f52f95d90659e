"""Files of Arrow and Parquet: how they begin, and their columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from annobench.core.errors import ReaderError

#: How a file of Parquet begins.
PARQUET = b"PAR1"


def begins(path: Path, magic: bytes) -> bool:
    """Say whether a file begins with given bytes."""
    with path.open("rb") as stream:
        return stream.read(len(magic)) == magic


def schema_of(path: Path, read: Callable[[Path], pa.Schema], fault: str, remedy: str) -> pa.Schema:
    """Return a file's columns, which must have names of their own.

    Parameters
    ----------
    path : Path
        The file.
    read : callable
        Reads the schema.
    fault, remedy : str
        What to say of a file that can't be read, and what to do.

    Returns
    -------
    Schema
        Names and types.

    Raises
    ------
    ReaderError
        If it can't be read, or two columns have one name.
    """
    try:
        schema = read(path)
        names = schema.names
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ReaderError(f"{path}: {fault} ({error}). {remedy}") from error
    if len(set(names)) < len(names):
        raise ReaderError(f"{path}: two columns have one name. Give each a name of its own.")
    return schema
