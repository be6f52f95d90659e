"""What the commands share: lists in options, folders to write to, errors."""

from __future__ import annotations

import csv
import os
from contextvars import ContextVar
from pathlib import Path
from typing import Literal, NoReturn

import typer

from annobench.core.errors import AnnotationError

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
    """Read names with commas between."""
    if text is None:
        return None
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def note(text: str) -> None:
    """Print a note on the error stream, unless the user wants quiet."""
    if _said.get() != "quiet":
        typer.echo(text, err=True)


def is_verbose() -> bool:
    """Whether the user wants to see every step."""
    return _said.get() == "verbose"


def set_verbosity(level: Literal["quiet", "usual", "verbose"]) -> None:
    """Choose how much is printed on the error stream."""
    _said.set(level)


def fail(error: Exception) -> NoReturn:
    typer.echo(f"annobench: {error}", err=True)
    raise typer.Exit(1)
