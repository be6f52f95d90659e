"""The pages on exports: their files and commands run in order, and print what the pages show."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench.io.exports import discover

DOCS = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "exports"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
FILES = re.compile(r"^`([\w./-]+)`\n\n```\w+\n(.*?)^```$", flags=re.M | re.S)
#: A command, and what it prints if the page shows it.
COMMANDS = re.compile(r"^```sh\n(.*?)\n```$(?:\n\n```text\n(.*?)\n```$)?", flags=re.M | re.S)
FOLLOWED = [name for name, text in PAGES.items() if FILES.search(text)]


def words(text):
    """Split into words, as the width of the terminal breaks lines anywhere."""
    return " ".join(text.split())


def test_there_are_pages_to_follow():
    assert {"argilla", "doccano", "label-studio", "mturk", "prodigy"} <= set(FOLLOWED)


@pytest.mark.parametrize("name", FOLLOWED)
def test_the_commands_of_a_page_print_what_it_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for file, text in FILES.findall(PAGES[name]):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    commands = COMMANDS.findall(PAGES[name])
    assert commands
    for command, shown in commands:
        program, *arguments = shlex.split(command)
        assert program == "annobench"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{command}\n{result.output}"
        for line in shown.splitlines():
            assert words(line) in words(result.output), f"{command}\n{result.output}"
    for file in re.findall(r"\bwrites [a-z ]*`([\w./-]+)`", PAGES[name]):
        assert (tmp_path / file).exists(), file


@pytest.mark.parametrize("name", ["label_studio", "prodigy", "doccano", "argilla"])
def test_a_format_has_a_page(name):
    assert discover()[name].title in PAGES[name.replace("_", "-")]
