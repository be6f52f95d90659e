"""What the commands share: lists in options, folders to write to, what they print, errors."""

from __future__ import annotations

import csv
import logging
import os
from collections.abc import Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import typer

from annobench.core.errors import AnnotationError, UnclearLayoutError
from annobench.core.texts import is_formula, visible

if TYPE_CHECKING:
    from rich.console import Console

#: By the ending of a file of text.
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}

#: A text that begins with one of these may be a formula.
_SIGNS = b"=+-@\t\r"

_said: ContextVar[str] = ContextVar("verbosity", default="usual")


def check_folder(out: Path, command: str) -> None:
    """Refuse a folder that can't be written, before any time is spent."""
    home = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise AnnotationError(
            f"{command}: --out {out} can't be written, as {home} is not a folder that can be. "
            "Name another folder."
        )


def listed(text: str | None) -> list[str] | None:
    """Read names separated by commas; spaces alone are a name, as of a missing label."""
    if text is None:
        return None
    if text.isspace():
        return [text]
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def say(text: str) -> None:
    """Print a result; whatever names it holds, the terminal only shows them."""
    typer.echo(visible(text))


def terminal(*, stderr: bool = False) -> Console:
    """Return rich's console for tables, which shows texts as `say` does."""
    from annobench.cli._console import VisibleConsole

    return VisibleConsole(stderr=stderr)


def say_written(folder: Path, names: Iterable[str]) -> None:
    """Print what was written, and what a spreadsheet would compute of it."""
    names = list(names)
    note_formulas(folder / name for name in names)
    say(f"written to {folder}: {', '.join(names)}")


def note_formulas(paths: Iterable[Path]) -> None:
    """Note which text files hold cells that a spreadsheet takes for formulas."""
    found = {
        path.name: cell
        for path in paths
        if path.suffix.lower() in _DELIMITERS and path.is_file()
        for cell in [_first_formula(path)]
        if cell
    }
    if found:
        cell = next(iter(found.values()))
        shown = repr(cell if len(cell) <= 40 else f"{cell[:37]}...")
        note(
            f"Note: a spreadsheet would compute cells of {', '.join(found)}, such as {shown}. "
            "Import their columns as text, don't open the files by a double click."
        )


def _first_formula(path: Path) -> str | None:
    delimiter = _DELIMITERS[path.suffix.lower()]
    with path.open("rb") as raw:
        # Most files have no such cell, which is seen in a hundredth of the time to parse them.
        blocks = iter(lambda: raw.read(1 << 20) + raw.readline(), b"")
        if not any(_may_begin_formula(b"\n" + block, delimiter) for block in blocks):
            return None
    with path.open(encoding="utf-8", newline="") as stream:
        cells = (cell for row in csv.reader(stream, delimiter=delimiter) for cell in row)
        return next(filter(is_formula, cells), None)


def _may_begin_formula(lines: bytes, delimiter: str) -> bool:
    """Say whether such a sign follows a delimiter or line break, with or without a quote."""
    import numpy as np

    signs = np.frombuffer(lines, dtype=np.uint8)
    begins = np.isin(signs, np.frombuffer(_SIGNS, dtype=np.uint8))
    before = (signs == ord("\n")) | (signs == ord(delimiter))
    quoted = before[:-2] & (signs[1:-1] == ord('"')) & begins[2:]
    return bool((before[:-1] & begins[1:]).any() or quoted.any())


def note(text: str) -> None:
    """Print a note on the error stream, unless the user wants quiet."""
    if _said.get() != "quiet":
        typer.echo(visible(text), err=True)


def is_verbose() -> bool:
    """Whether the user wants to see every step."""
    return _said.get() == "verbose"


def set_verbosity(level: Literal["quiet", "usual", "verbose"]) -> None:
    """Choose how much is printed on the error stream, by the library's log, too."""
    _said.set(level)
    quiet = level == "quiet"
    logging.getLogger("annobench").setLevel(logging.ERROR if quiet else logging.NOTSET)


def fail(error: Exception) -> NoReturn:
    typer.echo(visible(f"annobench: {error}"), err=True)
    if isinstance(error, UnclearLayoutError):
        from annobench.cli._readings import said_of_readings

        for line in said_of_readings(error):
            typer.echo(visible(line), err=True)
    raise typer.Exit(1)
