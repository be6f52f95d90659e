"""Records of text files with their positions: JSON, JSON lines, CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from annobench.core.errors import ReaderError
from annobench.core.texts import allow_long_cells
from annobench.io._foreign import SECOND_HEADER
from annobench.io.formats.headers import Header

_BOM = b"\xef\xbb\xbf"

#: Bytes of a file of one JSON object that is read whole.
_WHOLE = 256 * 2**20

#: Characters of a list that are read at a time.
_CHUNK = 2**20

#: A fault nearer to the end of what was read may be a word cut in two, such as `fal`.
_TOKEN = 12

_SPACE = frozenset(" \t\r\n")


class MisshapenError(ValueError):
    """A part of a record that is not what the format says; its reader adds where it is."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:40]!r} occurs twice in one object")
    return found


#: Which of two values of one name is meant nobody knows; Python alone would take the last.
_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def load_json(text: str | bytes) -> Any:
    """Parse untrusted JSON."""
    try:
        return _DECODER.decode(text.decode("utf-8") if isinstance(text, bytes) else text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def first_object(path: Path, head: bytes, content: bytes | None = None) -> dict[str, Any] | None:
    """Return the first JSON object of a file of JSON or JSON lines."""
    start = head.removeprefix(_BOM).lstrip()[:1]
    if start not in (b"{", b"["):
        return None
    try:
        _, found = next(json_records(path, content), (0, None))
    except (ReaderError, OSError):
        return None
    return found


def _opened(path: Path, content: bytes | None) -> BinaryIO:
    return path.open("rb") if content is None else io.BytesIO(content)


def _opened_text(path: Path, content: bytes | None) -> TextIO:
    return io.TextIOWrapper(_opened(path, content), encoding="utf-8-sig", newline="")


def json_records(path: Path, content: bytes | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read the objects of a file of JSON or JSON lines, one after the other."""
    with _opened(path, content) as stream:
        head = stream.read(65_536)
    start = head.removeprefix(_BOM).lstrip()[:1]
    if not start:
        raise ReaderError(f"{path}: the file is empty. Export it again.")
    if start == b"[":
        yield from _elements(path, content)
        return
    first = head.removeprefix(_BOM).lstrip().partition(b"\n")[0].strip()
    try:
        alone = first in (b"{", b"") or not isinstance(load_json(first), dict)
    except ValueError:
        # A first line longer than what was looked at, or an object over several lines.
        alone = b"\n" in head.strip()
    if alone:
        yield 1, _whole(path, content)
        return
    yield from _lines(path, content)


def is_json_lines(path: Path) -> bool:
    """Return whether a file has one JSON object per line."""
    with path.open("rb") as stream:
        line = stream.readline().removeprefix(_BOM)
    try:
        return isinstance(load_json(line), dict)
    except ValueError:
        return False


def _lines(path: Path, content: bytes | None) -> Iterator[tuple[int, dict[str, Any]]]:
    with _opened(path, content) as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                line = line.removeprefix(_BOM)
            if not line.strip():
                continue
            try:
                found = load_json(line)
            except UnicodeDecodeError as error:
                raise ReaderError(
                    f"{path}, line {number}: not UTF-8. Save the file as UTF-8."
                ) from error
            except ValueError as error:
                raise ReaderError(
                    f"{path}, line {number}: not JSON ({_short(error)}). The file may have been "
                    "cut off; export it again."
                ) from error
            if not isinstance(found, dict):
                raise ReaderError(
                    f"{path}, line {number}: a JSON {type(found).__name__} where an object is "
                    "expected. Give one object per line."
                )
            yield number, found


def _elements(path: Path, content: bytes | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read a list element by element."""
    number, chunk = 0, _CHUNK
    try:
        with _opened_text(path, content) as stream:
            buffer = stream.read(chunk)
            at = buffer.index("[") + 1
            while True:
                at = _past_space(buffer, at)
                if number == 0 and buffer[at : at + 1] == "]":
                    return
                found, end = _decoded(buffer, at)
                if end is None:
                    more = stream.read(chunk)
                    if not more:
                        raise ReaderError(
                            f"{path}, after record {number}: the list does not end. The file may "
                            "have been cut off; export it again."
                        )
                    # An element may be of any length: twice as much is read each time.
                    buffer, at, chunk = buffer[at:] + more, 0, 2 * chunk
                    continue
                number, chunk = number + 1, _CHUNK
                if not isinstance(found, dict):
                    raise ReaderError(
                        f"{path}, record {number}: a JSON {type(found).__name__} where an object "
                        "is expected. Give a list of objects."
                    )
                yield number, found
                if buffer[end] == "]":
                    if buffer[end + 1 :].strip() or stream.read(_CHUNK).strip():
                        raise ReaderError(
                            f"{path}: text after the end of the list, record {number}. Give one "
                            "list."
                        )
                    return
                if buffer[end] != ",":
                    raise ReaderError(
                        f"{path}, after record {number}: not JSON (no comma between elements). "
                        "Export the file again."
                    )
                at = end + 1
    except UnicodeDecodeError as error:
        raise ReaderError(
            f"{path}, after record {number}: not UTF-8. Save the file as UTF-8."
        ) from error
    except ReaderError:
        raise
    except (ValueError, RecursionError) as error:  # also of a number of too many digits
        raise ReaderError(
            f"{path}, after record {number}: not JSON ({_short(error)}). Export the file again."
        ) from error


def _decoded(buffer: str, at: int) -> tuple[Any, int | None]:
    """Return an element and the position after it, or None if the buffer ends before."""
    try:
        found, end = _DECODER.raw_decode(buffer, at)
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated") or error.pos >= len(buffer) - _TOKEN:
            return None, None
        raise
    end = _past_space(buffer, end)
    return found, end if end < len(buffer) else None


def _past_space(buffer: str, at: int) -> int:
    while buffer[at : at + 1] in _SPACE:
        if at >= len(buffer):
            break
        at += 1
    return at


def _whole(path: Path, content: bytes | None) -> dict[str, Any]:
    if path.stat().st_size > _WHOLE:
        raise ReaderError(
            f"{path}: one JSON object of more than {_WHOLE // 2**20} MiB. Export JSON lines."
        )
    try:
        data = path.read_bytes() if content is None else content
        found = load_json(data.removeprefix(_BOM))
    except UnicodeDecodeError as error:
        raise ReaderError(f"{path}: not UTF-8. Save the file as UTF-8.") from error
    except ValueError as error:
        raise ReaderError(
            f"{path}: not JSON ({_short(error)}). The file may have been cut off; export it again."
        ) from error
    if not isinstance(found, dict):
        raise ReaderError(
            f"{path}: a JSON {type(found).__name__} where an object is expected. Export it again."
        )
    return found


def csv_records(
    path: Path,
    delimiter: str = ",",
    *,
    ragged: bool = False,
    content: bytes | None = None,
    header: Header | None = None,
) -> Iterator[tuple[int, dict[str, str]]]:
    """Read the rows of a text file with a header, by default its first row."""
    allow_long_cells()
    number = 0
    try:
        with _opened_text(path, content) as stream:
            # Strict: a file that ends within quotes was cut off.
            rows = csv.reader(stream, delimiter=delimiter, strict=True)
            names = next((row for row in rows if row), [])
            if header is not None:
                filled = (row for row in rows if any(row))
                # The first of its rows is read.
                for _ in range(header.skip + header.rows - 1):
                    next(filled)
                names = list(header.names)
            if not any(names):
                raise ReaderError(f"{path}: the file is empty. Export it again.")
            twice = sorted({name for name in names if name and names.count(name) > 1})
            if twice:
                raise ReaderError(
                    f"{path}: the header names {', '.join(map(repr, twice[:5]))} twice. Give every "
                    "column a unique name."
                )
            width = len(names)
            for row in rows:
                if not row:
                    continue
                number += 1
                if row == names:
                    raise ReaderError(
                        f"{path}, row {number} (line {rows.line_num}): {SECOND_HEADER}"
                    )
                if len(row) == width:
                    yield number, dict(zip(names, row, strict=True))
                    continue
                if len(row) > width or not ragged:
                    raise ReaderError(
                        f"{path}, row {number} (line {rows.line_num}): {len(row)} fields where the "
                        f"header has {width}. Quote fields that hold a delimiter or line end."
                    )
                yield number, dict.fromkeys(names, "") | dict(zip(names, row, strict=False))
    except UnicodeDecodeError as error:
        raise ReaderError(
            f"{path}, after row {number}: not UTF-8. Save the file as UTF-8; from Excel, "
            "as 'CSV UTF-8'."
        ) from error
    except csv.Error as error:
        raise ReaderError(
            f"{path}, after row {number}: {error}. Quote fields according to CSV; if the file was "
            "cut off, export it again."
        ) from error


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
