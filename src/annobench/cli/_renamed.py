"""Old option names, accepted with a note for one more version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typer.core import TyperCommand

from annobench.cli._shared import note


def taking_old_names(names: Mapping[str, str]) -> type[TyperCommand]:
    """Return a command class that accepts old option names without listing them in its help."""

    class Renamed(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            return super().parse_args(ctx, [_new(each, names) for each in args])

    return Renamed


def _new(argument: str, names: Mapping[str, str]) -> str:
    option, equals, value = argument.partition("=")
    if option not in names:
        return argument
    note(f"Note: {option} is called {names[option]}; the old name works until the next version.")
    return names[option] + equals + value
