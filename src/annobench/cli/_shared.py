"""What the commands share: lists in options, folders to write to, errors."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from annobench.core.errors import AnnotationError

# What a command alone needs it imports itself: the others, and the help, answer at once.
if TYPE_CHECKING:
    pass


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


def fail(error: Exception) -> NoReturn:
    typer.echo(f"annobench: {error}", err=True)
    raise typer.Exit(1)
