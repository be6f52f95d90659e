"""Checkpoints of a fit: arrays in files, verified by digests."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.core.files import replacing

#: How the files' names end.
ENDING = ".checkpoint"
_N_DIGEST = hashlib.sha256().digest_size


def write_arrays(path: Path, of: str, arrays: Mapping[str, Any]) -> None:
    """Write arrays with their digest, atomically."""
    stream = io.BytesIO()
    np.savez(stream, fit=of, **arrays)
    content = stream.getvalue()
    with replacing(path) as draft:
        draft.write_bytes(hashlib.sha256(content).digest() + content)


def read_arrays(path: Path, of: str) -> dict[str, NDArray[Any]]:
    """Read arrays."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise AnnotationError(
            f"{path}: there is no complete checkpoint ({error}). Start again without resuming."
        ) from error
    if hashlib.sha256(content[_N_DIGEST:]).digest() != content[:_N_DIGEST]:
        raise AnnotationError(
            f"{path}: the checkpoint was damaged after it was written. "
            "Start again without resuming."
        )
    with np.load(io.BytesIO(content[_N_DIGEST:])) as found:
        arrays = dict(found)
    if str(arrays.pop("fit")) != of:
        raise AnnotationError(
            f"{path}: the checkpoint is of other labels, another model or other options. Start "
            "again without resuming."
        )
    return arrays


@dataclass(frozen=True)
class KeptItems:
    """Parameters of items, in files by partition and version.

    Versions are never overwritten, so a pass may be repeated, and an interrupted fit resumes from
    the version named by its checkpoint.

    Attributes
    ----------
    folder : Path
        Folder accessible to workers.
    of : str
        Identifier of the fit.
    """

    folder: Path
    of: str

    def write(self, number: int, version: int, values: NDArray[np.float64]) -> None:
        """Write the values of a partition's items."""
        write_arrays(self._path(number, version), self._name(number, version), {"values": values})

    def read(self, number: int, version: int) -> NDArray[np.float64]:
        """Read the values of a partition's items."""
        return read_arrays(self._path(number, version), self._name(number, version))["values"]

    def forget(self, before: int) -> None:
        """Remove older versions of all partitions."""
        for path in self.folder.glob(f"*{ENDING}"):
            if int(path.stem.partition("-")[2]) < before:
                path.unlink(missing_ok=True)

    def _path(self, number: int, version: int) -> Path:
        return self.folder / f"{number:05d}-{version}{ENDING}"

    def _name(self, number: int, version: int) -> str:
        return f"{self.of} {number} {version}"
