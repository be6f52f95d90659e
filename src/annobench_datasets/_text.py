"""Read delimited text and JSON, naming file and line of whatever is wrong."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.errors import ParserWarning

from annobench.core.errors import ReaderError, report_faults


def read_text(path: Path) -> str:
    """Read a UTF-8 file, or say at which byte it is not one."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReaderError(
            f"{path}, byte {error.start}: not UTF-8. Supply the pinned file."
        ) from error


def wrong(path: Path, what: str) -> ReaderError:
    """Return the error that a file is not what is pinned."""
    return ReaderError(f"{path}: {what}. Supply the pinned file.")


def read_json(path: Path) -> Any:
    """Read a file of JSON, or say at which line it is none."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise wrong(path, f"line {error.lineno} is no JSON ({error.msg})") from error


def read_json_lines(path: Path) -> Iterator[Any]:
    """Read a file with a JSON value in each line that is not empty."""
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        try:
            if line.strip():
                yield json.loads(line)
        except json.JSONDecodeError as error:
            raise wrong(path, f"line {number} is no JSON ({error.msg})") from error


def read_rows(
    path: Path,
    columns: Sequence[str],
    *,
    delimiter: str = "\t",
    comment: str | None = None,
) -> pd.DataFrame:
    """Read a table with a header as text, with the line of every row as its index."""
    lines = [
        (number, line.removesuffix("\r"))
        for number, line in enumerate(read_text(path).split("\n"), start=1)
        if line and not (comment and line.startswith(comment))
    ]
    header = lines[0][1].split(delimiter) if lines else []
    if header != list(columns):
        raise ReaderError(
            f"{path}: the header is {header[:10]}, but must be {list(columns)}. "
            "Supply the pinned file."
        )
    rows = [(number, line.split(delimiter)) for number, line in lines[1:]]
    report(
        path,
        (
            (number, f"{len(fields)} fields where {len(columns)} are needed")
            for number, fields in rows
            if len(fields) != len(columns)
        ),
    )
    frame = pd.DataFrame([fields for _, fields in rows], columns=list(columns), dtype="str")
    frame.index = pd.Index([number for number, _ in rows])
    return frame


def report(path: Path, faults: Iterable[tuple[object, str]]) -> None:
    """Raise one error for the faults, given as pairs of line and text."""
    found = [f"line {line}: {text}" for line, text in faults]
    report_faults(path, found, "Correct these rows, or supply the pinned file.")


def one_per_item(path: Path, items: pd.Series[str], values: pd.Series[str], what: str) -> None:
    """Check that all rows of an item carry the same value."""
    first = values.groupby(items).transform("first")
    report(
        path,
        (
            (line, f"item {items[line]!r} has {what} {values[line]!r}, but {first[line]!r} above")
            for line in values.index[values != first]
        ),
    )


def numbers(path: Path, values: pd.Series[str], what: str) -> pd.Series[float]:
    """Read numbers; "00" and "-0" both are 0."""
    result = pd.to_numeric(values, errors="coerce").astype(float)
    bad = result.index[~result.abs().lt(float("inf"))]
    report(path, ((line, f"{what} {values[line]!r} is not a number") for line in bad))
    return result + 0.0


def read_integers(path: Path, header: tuple[str, ...], delimiter: str) -> NDArray[np.int64]:
    """Read a table of integers; faults are reported with their lines."""
    try:
        with warnings.catch_warnings():
            # Of rows with a field too many: else it is left out, or taken for the row's name.
            warnings.simplefilter("error", ParserWarning)
            frame = pd.read_csv(
                path, sep=delimiter, dtype=np.int64, encoding="utf-8", index_col=False
            )
    except (ValueError, OverflowError, ParserWarning):
        frame = None
    if frame is None or tuple(frame.columns) != header:
        text = read_rows(path, header, delimiter=delimiter)
        report(
            path,
            (
                (line, f"{column} {text[column][line]!r} is not a whole number")
                for column in header
                for line in text.index[~text[column].str.fullmatch(r"-?[0-9]{1,9}")]
            ),
        )
        frame = text.astype(np.int64)
    if frame.empty:
        raise ReaderError(f"{path}: no rows. Supply the pinned file.")
    return frame.to_numpy()
