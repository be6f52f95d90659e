"""What the commands share: lists in options, output folders, printing and errors."""

from __future__ import annotations

import csv
import logging
import os
from collections.abc import Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import typer

from annobench.cli._running import running, trying
from annobench.core.errors import AnnotationError, UnclearLayoutError
from annobench.core.texts import allow_long_cells, is_formula, visible

if TYPE_CHECKING:
    from rich.console import Console

#: By the ending of a file of text.
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}

#: A text that begins with one of these may be a formula.
_SIGNS = b"=+-@\t\r"

_said: ContextVar[str] = ContextVar("verbosity", default="usual")


def check_folder(out: Path, command: str) -> None:
    """Check in advance that the output folder can be written."""
    home = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise AnnotationError(
            f"{command}: --out {out} can't be written, as {home} is not a writable folder. "
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
    """Print a result, with untrusted names shown literally."""
    typer.echo(visible(text))


def terminal(*, stderr: bool = False) -> Console:
    """Return a rich console for tables, which escapes text as `say` does."""
    from annobench.cli._console import VisibleConsole

    return VisibleConsole(stderr=stderr)


def say_written(folder: Path, names: Iterable[str]) -> None:
    """Print which files were written, and warn about cells that look like formulas."""
    names = list(names)
    note_formulas(folder / name for name in names)
    say(f"written to {folder}: {', '.join(names)}")


def note_formulas(paths: Iterable[Path]) -> None:
    """Warn about text files with cells that a spreadsheet would evaluate as formulas."""
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
            f"Note: a spreadsheet would evaluate cells of {', '.join(found)}, such as {shown}, as "
            "formulas. Import their columns as text; do not open the files by double-clicking."
        )


def _first_formula(path: Path) -> str | None:
    delimiter = _DELIMITERS[path.suffix.lower()]
    with path.open("rb") as raw:
        # Most files have no such cell, which is seen in a hundredth of the time to parse them.
        blocks = iter(lambda: raw.read(1 << 20) + raw.readline(), b"")
        if not any(_may_begin_formula(b"\n" + block, delimiter) for block in blocks):
            return None
    allow_long_cells()
    with path.open(encoding="utf-8", newline="") as stream:
        cells = (cell for row in csv.reader(stream, delimiter=delimiter) for cell in row)
        return next(filter(is_formula, cells), None)


def _may_begin_formula(lines: bytes, delimiter: str) -> bool:
    """Return whether a formula's first character follows a delimiter or line break."""
    import numpy as np

    signs = np.frombuffer(lines, dtype=np.uint8)
    begins = np.isin(signs, np.frombuffer(_SIGNS, dtype=np.uint8))
    before = (signs == ord("\n")) | (signs == ord(delimiter))
    quoted = before[:-2] & (signs[1:-1] == ord('"')) & begins[2:]
    return bool((before[:-1] & begins[1:]).any() or quoted.any())


def note(text: str) -> None:
    """Print a note on the error stream, unless --quiet is given."""
    if _said.get() != "quiet":
        typer.echo(visible(_as_typed(text)), err=True)


def _as_typed(text: str) -> str:
    from annobench.cli._options import as_typed

    return as_typed(text, running().name)


def is_verbose() -> bool:
    """Whether --verbose is given."""
    return _said.get() == "verbose"


def set_verbosity(level: Literal["quiet", "usual", "verbose"]) -> None:
    """Set how much is printed and logged on the error stream."""
    _said.set(level)
    quiet = level == "quiet"
    logging.getLogger("annobench").setLevel(logging.ERROR if quiet else logging.NOTSET)


def fail(error: Exception) -> NoReturn:
    """Print an error, with the readings of an ambiguous table that succeed, and exit."""
    text = error.statement if isinstance(error, UnclearLayoutError) else str(error)
    typer.echo(visible(f"annobench: {_as_typed(text)}"), err=True)
    if isinstance(error, UnclearLayoutError) and not trying.get():
        from annobench.cli._readings import said_of_readings

        for line in said_of_readings(error):
            typer.echo(visible(line), err=True)
    raise typer.Exit(1)
