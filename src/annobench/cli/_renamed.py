"""Old names of options of the command line, which are taken for one more version with a note."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typer.core import TyperCommand

from annobench.cli._shared import note


def taking_old_names(names: Mapping[str, str]) -> type[TyperCommand]:
    """Return the class of a command that takes options by old names, which its help hides."""

    class Renamed(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            return super().parse_args(ctx, [_new(each, names) for each in args])

    return Renamed


def _new(argument: str, names: Mapping[str, str]) -> str:
    option, equals, value = argument.partition("=")
    if option not in names:
        return argument
    note(f"Note: {option} is called {names[option]}; the old name is taken until the next version.")
    return names[option] + equals + value
