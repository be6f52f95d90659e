"""What `inspect` proposes, typed as it is printed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from annobench.aggregation import consensus
from annobench.cli import app
from annobench.io.formats.export import Export
from annobench.reporting import consensus_page, judge_page, report_page, spans_page

#: Commands of one test.
_MOST = 2


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def proposed(path: Path, *options: object) -> list[str]:
    """Return the commands under Next, none if the file can't be read."""
    done = run("inspect", path, *options)
    lines = [line.strip() for line in done.output.split("Next:")[-1].splitlines()]
    return [line for line in lines if line.startswith("annobench ") and "Next:" in done.output]


def be_quick(monkeypatch) -> None:
    """Leave out what takes long: a command is refused before its pictures and intervals."""
    monkeypatch.setattr(consensus, "_bootstrap", lambda *a: (None, []))
    monkeypatch.setattr(consensus, "draw", lambda found, folder: [])
    monkeypatch.setattr(consensus, "guard", lambda *a, **k: [])


def without_pages(monkeypatch) -> None:
    """Render no page, which takes most of the time."""
    for page in (consensus_page, judge_page, report_page, spans_page):
        monkeypatch.setattr(page, "render", lambda *a, **k: "")


def follow(path: Path, monkeypatch, *options: object) -> list[str]:
    """Type each proposed command as printed, be sure that it succeeds, and return them."""
    be_quick(monkeypatch)
    commands = proposed(path, *options)
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command)[1:], catch_exceptions=False)
        assert done.exit_code == 0, f"{command}: {done.output!r} {done.exception!r}"
    return commands


@pytest.fixture(autouse=True)
def proposals_succeed(tmp_path, tmp_path_factory):
    patch = pytest.MonkeyPatch()
    read = {}
    made = Export.__init__

    def noted(self, *arguments, **options):
        made(self, *arguments, **options)
        read[self.path] = None

    patch.setattr(Export, "__init__", noted)
    yield
    patch.undo()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("typed"))
        without_pages(patch)
        paths = [path for path in read if path.exists() and path.is_relative_to(tmp_path)]
        for path in paths[:_MOST]:
            follow(path, patch)
