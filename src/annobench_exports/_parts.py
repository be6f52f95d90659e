"""Parts of a record of JSON, checked, and the files of a folder that are of one format."""

from __future__ import annotations

import math
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annobench.core.errors import FullDiskError, ReaderError
from annobench.core.names import MadeName
from annobench.io.archives import unpack
from annobench.io.formats.base import DAMAGED_ARCHIVE, Intake, Source
from annobench.io.formats.records import MisshapenError as MisshapenError

#: Endings of files that hold records; configurations and pictures are not looked at.
ENDINGS = {".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".parquet"}

#: Numbers of records fit into 64 bits; ids in a file may not.
_LARGEST = 2**63 - 1

_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")


def mapping(value: Any, what: str) -> dict[str, Any]:
    """Return a JSON object, an empty one for null."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise MisshapenError(f"{what} is {_shown(value)}, not an object")
    return value


def listing(value: Any, what: str) -> list[Any]:
    """Return a JSON array, an empty one for null."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise MisshapenError(f"{what} is {_shown(value)}, not a list")
    return value


def name(value: Any, what: str) -> str:
    """Return a name or whole number as text."""
    found = maybe_name(value)
    if found is None:
        raise MisshapenError(f"{what} is {_shown(value)}, not a name or a number")
    return found


def maybe_name(value: Any) -> str | None:
    """Return a name or whole number as text, None for anything else."""
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # whole numbers with a missing one among them become floats
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


def word(value: Any) -> str:
    """Return a text that names a kind, an empty one for anything else."""
    return value if isinstance(value, str) else ""


def offsets(start: Any, end: Any, what: str) -> tuple[int, int]:
    """Return where a mark begins and ends, in characters."""
    for value in (start, end):
        if not isinstance(value, int) or isinstance(value, bool):
            raise MisshapenError(f"{what} begins at {_shown(start)} and ends at {_shown(end)}")
    if not 0 <= start <= end <= _LARGEST:
        raise MisshapenError(f"{what} begins at {_shown(start)} and ends at {_shown(end)}")
    return start, end


def as_number(text: str) -> float | None:
    """Return a number that stands in a text as JSON would have it, signs and blanks aside."""
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text.strip())  # of fewer kinds of blanks than the pattern knows
    is_exact = math.isfinite(number) and (abs(number) < 2**53 or not _WHOLE.fullmatch(text))
    return number if is_exact else None


def options(values: list[str]) -> str | frozenset[str] | None:
    """Return what was chosen as an answer: one option, several, or nothing."""
    if len(values) > 1:
        return frozenset(values)
    return values[0] if values else None


def number_of(value: Any, otherwise: int) -> int:
    """Return an id that can stand as a number of a record, or another number."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= _LARGEST else otherwise


def variant_of(source: Source, recognise: Callable[[Source], str | None]) -> str | None:
    """Return the variant of a file, or of a folder whose files of records are all of the format."""
    if not source.is_folder:
        return recognise(source)
    found = set()
    for path in _with_records(source):
        part = source.inside(path)
        if not part.head.strip():
            continue
        variant = recognise(part)
        if variant is None:
            return None
        found.add(variant)
    return ", ".join(sorted(found)) or None


@contextmanager
def unpacked(source: Source, intake: Intake | None = None) -> Iterator[Source]:
    """Give an archive's files of records as a folder, for as long as it is needed."""
    if not source.head.startswith(b"PK"):
        yield source
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(source.path) as archive:
                others = unpack(archive, Path(folder), source.path, ENDINGS)
        except (ReaderError, FullDiskError):
            raise
        except DAMAGED_ARCHIVE as error:
            raise ReaderError(
                f"{source.path}: a damaged or encrypted archive ({error}). Unpack it yourself, and "
                "give the folder."
            ) from error
        unpacked = Source(folder)
        yield unpacked
        if intake is not None:
            intake.leave_out_others(unpacked)
            for name in others:
                intake.begin(name, "file")
                intake.read()
                intake.leave_out(1, "files of other kinds")


def named_by_file(path: Path, root: Path) -> MadeName:
    """Name an annotator by a file, such as that of a member: other files are those of others."""
    is_inside = root in path.parents
    return MadeName(path.stem, str(path.relative_to(root)) if is_inside else "")


def each_file(source: Source) -> Iterator[tuple[str, Source]]:
    """Yield the files of a folder by their names inside it, or the file itself without a name."""
    if not source.is_folder:
        yield "", source
        return
    for path in _with_records(source):
        part = source.inside(path)
        if part.head.strip():  # the file of a member who has done nothing is empty
            yield str(path.relative_to(source.path)), part


def _with_records(source: Source) -> Iterator[Path]:
    return (path for path in source.files if path.suffix.lower() in ENDINGS)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
