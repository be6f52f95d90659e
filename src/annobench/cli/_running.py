"""The command that runs, and whether it is only tried."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple


class Running(NamedTuple):
    """A command, the words that follow its name, and the program."""

    program: Any = None
    command: Any = None
    words: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the command; empty if none runs."""
        return getattr(self.command, "name", None) or ""

    def context(self) -> Any:
        """Return a context with the command's parameters; None if none runs."""
        if self.command is None:
            return None
        return self.command.make_context(self.name, [*self.words], resilient_parsing=True)


_NONE = Running()
_running: ContextVar[Running] = ContextVar("running", default=_NONE)

#: Whether the command is only tried.
trying: ContextVar[bool] = ContextVar("trying", default=False)


def set_command(program: Any, command: Any, words: Sequence[str]) -> None:
    """Set the command that runs."""
    _running.set(Running(program, command, tuple(words)))


def running() -> Running:
    """Return the command that runs."""
    return _running.get()
