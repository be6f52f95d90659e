"""Every command that `inspect` prints under Next, and every option that an error names, works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import documented_files
import option_fixtures as inputs
import pytest
import tables_in_use
from proposals import be_quick, follow, run, without_pages

pytestmark = pytest.mark.commands

#: Options that an error may name with a value, or that have none.
_VALUED = "item|annotator|annotators|label|from|question|repeats|status|gold-items|weight|missing"
_VALUE = r"(?:'[^']*'|\"[^\"]*\"|[^\s;:?]+)"
_OPTION = re.compile(rf"(?:--(?:{_VALUED}) {_VALUE} ?|--(?:transpose|counts)\b ?)+")
#: Words that follow an option in a sentence, and are no value.
_WORDS = frozenset(("if", "and", "or", "changes", "has", "is", "where", "on", "in", "with", "to"))

COMMANDS = {"report": (), "consensus": (), "judge": ("--judge", "gpt"), "inspect": ()}

VARIANTS = {
    inputs.long: ("", "columns", "repeated", "dated", "gappy", "sets", "pairs"),
    inputs.wide: (
        "",
        "repeated",
        "backwards",
        "lists",
        "people",
        "tallied",
        "headed",
        "book",
        "sets",
    ),
    inputs.export: (
        "",
        "questions",
        "sets",
        "empty",
        "skipped",
        "dated",
        "repeated",
        "session",
        "controls",
        "book",
    ),
    inputs.spans: ("", "layers", "skipped", "repeated", "session"),
    inputs.partitions: ("", "repeated"),
}
OF_OPTIONS = {f"{make.__name__} {name}": (make, name) for make, n in VARIANTS.items() for name in n}
OF_PAGES = [name for name in documented_files.WRITERS if not name.endswith((".py", ".txt"))]
FILES = [*tables_in_use.WRITERS, *OF_OPTIONS, *OF_PAGES]


@pytest.fixture
def file(request, tmp_path, monkeypatch):
    """Write a file, and leave out what takes long and refuses nothing."""
    monkeypatch.chdir(tmp_path)
    be_quick(monkeypatch)
    without_pages(monkeypatch)
    name = request.param
    if name in OF_OPTIONS:
        make, variant = OF_OPTIONS[name]
        return make(tmp_path, variant).relative_to(tmp_path)
    path = Path(name)
    (tables_in_use.WRITERS.get(name) or documented_files.WRITERS[name])(path)
    return path


def named(said: str) -> list[list[str]]:
    """Return the options that an error names with their values, those of a reading together."""
    lines = said.splitlines()
    readings = [
        line.partition("With ")[2].partition(": ")[0] for line in lines if line.startswith("With ")
    ]
    text = " ".join(line for line in lines if not line.startswith("With "))
    words = [shlex.split(match[0].rstrip("., ")) for match in _OPTION.finditer(text)]
    words = [options for options in words if _WORDS.isdisjoint(options)]
    return [shlex.split(reading) for reading in readings] + words


@pytest.mark.parametrize("file", FILES, indirect=True)
def test_every_command_under_next_succeeds(file, monkeypatch):
    follow(file, monkeypatch)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("file", FILES, indirect=True)
def test_every_option_that_an_error_names_succeeds(file, command):
    words = [command, file, *COMMANDS[command]]
    refused = run(*words)
    if not refused.exit_code:
        return
    for options in named(refused.output):
        done = run(*words, *options)
        is_reading = f"With {shlex.join(options)}:" in refused.output
        # A second thing may be missing, which is said then; the same refusal helps nobody.
        others = "--" in done.output or "Correct the name" in done.output
        again = not is_reading and done.output != refused.output and others
        assert not done.exit_code or again, (options, refused.output, done.output)
