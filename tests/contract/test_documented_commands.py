"""Every command that the documentation shows runs, or says beside it why no test runs it."""

import re
import sys
from pathlib import Path

import documented
import makefile
import pandas as pd
import pytest
from documented_files import OF_PAGES, WRITERS
from typer.testing import CliRunner

from annobench import datasets
from annobench.cli import app
from annobench.io.formats import discover

pytestmark = pytest.mark.commands

COMMANDS = {page: documented.commands(page) for page in documented.PAGES}
ALL = [command for commands in COMMANDS.values() for command in commands]
#: Pages that this test follows.
FOLLOWED = [
    page
    for page, commands in COMMANDS.items()
    if any(command.runner == documented.HERE for command in commands)
    or any(documented.scripts(page))
]
#: What stands for a word that a reader replaces.
REPLACED = {"<id>": "anesthesia", "...": "labels.csv"}
#: What makes a command quick that says nothing of its own.
QUICK = {"compare": ["--data", "snow2008_wsd", "--against", "voting", "--replicates", "10"]}


def words(text):
    """Split into words, as the width of the terminal breaks lines anywhere."""
    return " ".join(text.split())


def test_the_commands_of_a_page_are_found():
    assert len(ALL) > 150
    texts = {command.text for command in COMMANDS["README.md"]}
    assert {"make results", "annobench report labels.csv", "annobench plan pilot.csv"} <= texts


@pytest.mark.parametrize("page", documented.PAGES)
def test_a_command_is_run_or_its_page_says_why_not(page):
    unknown = [each.text for each in COMMANDS[page] if not each.runner and not each.reason]
    assert not unknown, "put `<!-- not run: the reason -->` before the block or behind the code"


@pytest.mark.parametrize("page", documented.PAGES)
def test_a_reason_stands_beside_a_command_that_is_not_run(page):
    reasons = {words(reason) for reason in documented.MARK.findall(documented.text_of(page))}
    assert reasons == {each.reason for each in COMMANDS[page] if not each.runner}


def test_every_target_of_make_exists():
    known = set(makefile.targets())
    named = {each.words[1] for each in ALL if each.words[0] == "make"}
    assert named
    assert not named - known


def fill_in(name):
    """Write a category for each item that is to be checked, as the page asks the reader to do."""
    frame = pd.read_csv(name, dtype=str)
    if frame["gold"].isna().all():
        frame.assign(gold="1").to_csv(name, index=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder without a network, where a mistake of a page finds nothing of another one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ANNOBENCH_DATA_MIRROR", raising=False)
    monkeypatch.setattr(datasets, "_reachable", lambda *_: (False, "the network is off"))
    return tmp_path


def write_files(page, folder):
    """Write the files that a page shows, and those that it names and does not show."""
    shown = documented.files(page)
    for name, text in shown.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    text = documented.text_of(page)
    made = {
        word for each in COMMANDS[page] if each.words[1] == "convert" for word in each.words[3:4]
    }
    for name, write in WRITERS.items():
        if name not in {*shown, *made} and re.search(
            rf"(?<![\w./-]){re.escape(name)}(?![\w-]|\.\w)", text
        ):
            OF_PAGES.get((page, name), write)(folder / name)


def run(command):
    """Run a command of annobench, and compare what it prints with what the page shows."""
    _, *arguments = [REPLACED.get(word, word) for word in command.words]
    for word in arguments:
        if word.endswith("to_check.csv"):
            fill_in(word)
    arguments += [
        word for word in QUICK.get(arguments[0], []) if not {"--data", "--labels"} & set(arguments)
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, f"{command.text}\n{result.output}"
    for folder, names in re.findall(r"written to ([^\s:]+): ([^\n]+)", result.output):
        assert [name for name in names.split(", ") if not any(Path(folder).glob(name))] == []
    if documented.files(command.page):
        for line in command.prints.splitlines():
            assert words(line) in words(result.output), f"{command.text}\n{result.output}"


@pytest.mark.parametrize("page", FOLLOWED)
def test_a_page_can_be_followed_in_its_order(page, folder):
    write_files(page, folder)
    steps = [(each.start, each) for each in COMMANDS[page] if each.runner == documented.HERE]
    names = {}
    for _, step in sorted([*steps, *documented.scripts(page)], key=lambda step: step[0]):
        if isinstance(step, str):
            exec(compile(step, page, "exec"), names)
        else:
            run(step)
    for name in re.findall(r"\bwrites [a-z ]*`([\w./-]+\.\w+)`", documented.text_of(page)):
        assert any(path.match(name) for path in folder.rglob("*")), name


@pytest.mark.parametrize("name", ["label_studio", "prodigy", "doccano", "argilla"])
def test_a_format_has_a_page(name):
    page = f"docs/how-to/exports/{name.replace('_', '-')}.md"
    assert discover()[name].title in documented.text_of(page)
    assert documented.files(page)
