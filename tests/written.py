"""Files that tests write: each function makes the folder and returns the path."""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path


def text_file(path: Path, content: str | bytes) -> Path:
    """Write a text, or bytes as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def json_file(path: Path, content: object) -> Path:
    """Write JSON."""
    return text_file(path, json.dumps(content))


def json_lines(path: Path, *records: object) -> Path:
    """Write JSON, a line a record."""
    return text_file(path, "".join(json.dumps(record) + "\n" for record in records))


def csv_file(path: Path, header: str | Sequence[str], *rows: Iterable[object]) -> Path:
    """Write CSV; the header may be a text with commas."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([_columns(header), *rows])
    return path


def _columns(header: str | Sequence[str]) -> Sequence[str]:
    return header.split(",") if isinstance(header, str) else header


def named_file(path: Path, content: object) -> Path:
    """Write a text as it is, records as JSON or, where the file's name says so, as JSON lines."""
    if isinstance(content, str | bytes):
        return text_file(path, content)
    return json_lines(path, *content) if path.suffix == ".jsonl" else json_file(path, content)
