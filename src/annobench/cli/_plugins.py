"""Commands of other packages, found through entry points and imported on demand.

A package adds a command, or a group of commands, as an entry point of the group
`annobench.commands`. The name of the entry point is the command's, and its value is a
`typer.Typer`::

    [project.entry-points."annobench.commands"]
    our_lab = "our_lab.commands:app"

The course adds its commands in this way.
"""

from __future__ import annotations

import shlex
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from annobench.cli._running import set_command
from annobench.cli._shared import fail
from annobench.core.errors import ReaderError

#: The group of entry points.
GROUP = "annobench.commands"


class Commands(TyperGroup):
    """The library's commands, followed by those of other packages."""

    def list_commands(self, ctx: Any) -> list[str]:
        own = super().list_commands(ctx)
        return [*own, *sorted(_points().keys() - set(own))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        if cmd_name in _points():
            return _loaded(cmd_name)
        if Path(cmd_name).exists():
            _refuse_file(Path(cmd_name))
        return None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        set_command(self, command, rest)
        return name, command, rest


def _refuse_file(path: Path) -> NoReturn:
    """Say what to do with a file that is named in place of a command."""
    from annobench.io._foreign import what_it_is

    head = path.read_bytes()[:1_000] if path.is_file() else b""
    what = what_it_is(head, path) or (
        f"a {'folder' if path.is_dir() else 'file'}, not a command. See what it contains: "
        f"annobench inspect {shlex.quote(str(path))}."
    )
    fail(ReaderError(f"{path}: {what}"))


def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


@cache
def _loaded(name: str) -> Any:
    """Return the command of an entry point, or a command that says why it can't be used."""
    point = _points()[name]
    try:
        found = point.load()
        if not isinstance(found, typer.Typer):
            raise TypeError(f"{point.value} is of type {type(found).__name__}, not typer.Typer")
        command = typer.main.get_command(found)
    except Exception as error:  # whatever the code of others raises
        command = typer.main.get_command(_broken(point, error))
    command.name = name
    return command


def _broken(point: EntryPoint, error: Exception) -> typer.Typer:
    whose = point.dist.name if point.dist else "unknown origin"
    why = ImportError(
        f"{point.name}: this command of {point.value} (of {whose}) can't be used. "
        f"{type(error).__name__}: {str(error).rstrip('.')}. Fix or uninstall it."
    )
    app = typer.Typer(add_completion=False)
    app.command(
        help="Can't be used; run it to see why.",
        add_help_option=False,  # whatever is asked of it, this is the answer
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )(lambda: fail(why))
    return app
