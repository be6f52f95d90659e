"""What `inspect` proposes, typed as it is printed."""

from __future__ import annotations

import shlex
from pathlib import Path

from typer.testing import CliRunner, Result

from annobench.aggregation import consensus
from annobench.cli import app


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def proposed(path: Path, *options: object) -> list[str]:
    """Return the commands under Next, none if the file can't be read."""
    done = run("inspect", path, *options)
    lines = [line.strip() for line in done.output.split("Next:")[-1].splitlines()]
    return [line for line in lines if line.startswith("annobench ") and "Next:" in done.output]


def follow(path: Path, monkeypatch, *options: object) -> list[str]:
    """Type each proposed command as printed, be sure that it succeeds, and return them."""
    # What a command is refused for, it is refused for before its pictures and intervals.
    monkeypatch.setattr(consensus, "_bootstrap", lambda *a: (None, []))
    monkeypatch.setattr(consensus, "draw", lambda found, folder: [])
    monkeypatch.setattr(consensus, "_other_optima", lambda *a: [])
    commands = proposed(path, *options)
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command)[1:], catch_exceptions=False)
        assert done.exit_code == 0, f"{command}: {done.output!r} {done.exception!r}"
    return commands
