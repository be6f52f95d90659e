"""Texts of formats without a header: their lines, and the files of a folder that are of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from annobench.core.errors import ReaderError
from annobench.core.names import Name
from annobench.io.formats.base import HEAD_BYTES, Source
from annobench.io.texts import is_utf_16
from annobench_exports._parts import named_by_file
from annobench_exports.brat import has_folders

#: Endings of files that may be notes: each is taken only if it is of the format itself.
_NOTES = {"", ".txt", ".md", ".rst"}

#: Endings of files of other formats, which a folder of one format does not hold.
_RECORDS = {".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xml", ".parquet", ".xlsx", ".ann"}


def text_of(path: Path) -> str:
    """Return a text in UTF-8, or in UTF-16 with a byte order mark."""
    data = path.read_bytes()
    encoding = _encoding(data)
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        number = data[: error.start].decode(encoding, errors="replace").count("\n") + 1
        name = encoding.upper()
        raise ReaderError(f"{path}, line {number}: not {name}. Save the file as UTF-8.") from error


def head_of(source: Source) -> str:
    """Return the beginning of a file as a text, empty if it is none."""
    text = source.head.decode(_encoding(source.head), errors="replace").removeprefix("\ufeff")
    return "" if "\0" in text else text


def head_lines(source: Source) -> list[str]:
    """Return the complete lines at the beginning of a text, blank ones included."""
    lines = head_of(source).split("\n")
    return lines[:-1] if len(source.head) == HEAD_BYTES else lines


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, without the blanks around them."""
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        yield number, line.strip(" \r")


def alike(source: Source, fits: Callable[[Source], bool]) -> list[Path]:
    """Return the file, or the files of a folder that are of a format.

    If all files of one ending but one fit, that one is taken, too: a reader says what is wrong
    with it.
    """
    if not source.is_folder:
        return [source.path]
    fitting = {path for path in source.files if fits(source.inside(path))}
    endings = [path.suffix.lower() for path in source.files]
    taken = [path.suffix.lower() for path in fitting]
    all_but_one = {end for end in taken if taken.count(end) >= endings.count(end) - 1} - _NOTES
    return [path for path in source.files if path in fitting or path.suffix.lower() in all_but_one]


def of_folder(source: Source, fits: Callable[[Source], bool]) -> list[Path]:
    """Return the files of a folder that is of this format and of no other one, else none."""
    # No file need be opened if one ends as those of other formats do.
    if any(path.suffix.lower() in _RECORDS - {".tsv"} for path in source.files):
        return []
    files = alike(source, fits)
    return files if are_only(source, files) else []


def are_only(source: Source, files: list[Path]) -> bool:
    """Say whether a folder holds nothing but these files and what is of no format."""
    return bool(files) and not any(
        path.suffix.lower() in _RECORDS for path in source.files if path not in files
    )


def annotator_and_document(path: Path, source: Source, files: list[Path]) -> tuple[Name, str]:
    """Name the annotator, a folder in the folder or else a file, and the document."""
    if source.is_folder and has_folders(source.path, files):
        annotator, *inner = path.relative_to(source.path).parts
        return annotator, Path(*inner).with_suffix("").as_posix()
    return named_by_file(path, source.path), "document"


def _encoding(data: bytes) -> str:
    return "utf-16" if is_utf_16(data) else "utf-8"
