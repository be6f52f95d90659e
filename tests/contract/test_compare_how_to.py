"""The page on comparing a method: its files and commands run as they stand there."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest
from panels import skilled
from typer.testing import CliRunner

from annobench import datasets
from annobench.cli import app
from annobench.io import write_labels

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "compare-a-method.md"
TEXT = PAGE.read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`([\w.]+)`\n\n```\w+\n(.*?)^```$", TEXT, flags=re.M | re.S))
COMMANDS = re.findall(r"^```sh\n(.*?)\n```$", TEXT, flags=re.M | re.S)
#: What makes a command quick, where it does not say otherwise.
QUICK = {"--data": "snow2008_wsd", "--against": "voting", "--replicates": "10"}


def test_the_page_has_a_file_and_a_command_for_each_door():
    assert set(FILES) == {"my_method.py", "my_class.py", "my_frame.py", "votes.py", "votes.R"}
    assert len(COMMANDS) == 9
    for name in FILES:
        assert any(name in command for command in COMMANDS), name


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the page's files, and labels with gold."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.delenv("ANNOBENCH_DATA_MIRROR", raising=False)
    monkeypatch.setattr(datasets, "_reachable", lambda *_: (False, "the network is off"))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    made = skilled(40, 5, missing=0.1)
    write_labels(made.annotations, tmp_path / "labels.csv")
    gold = pd.DataFrame({"item": made.annotations.items, "gold": made.category})
    gold.to_csv(tmp_path / "gold.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(folder, command):
    if "Rscript" in command and shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    program, *words = shlex.split(command)
    assert program == "annobench"
    more = dict(QUICK)
    if "--labels" in words:
        del more["--data"]
    for option, value in more.items():
        if option not in words:
            words += [option, value]
    result = CliRunner().invoke(app, [*words, "--out", "found"])
    assert result.exit_code == 0, result.output
    fits = pd.read_csv(folder / "found" / "fits.csv")
    assert (fits["status"] == "scored").all(), fits["note"].tolist()
    assert "<title>" in (folder / "found" / "index.html").read_text(encoding="utf-8")


def test_the_checks_of_the_page_are_those_that_are_made(folder):
    result = CliRunner().invoke(
        app, ["compare", "my_method.py", "--out", "found", *(w for o in QUICK.items() for w in o)]
    )
    assert "my_method passes 6 of 6 checks" in result.output
    from annobench.benchmark import external_methods

    findings = external_methods.check(external_methods.from_python("my_class.py"), limit=20, seed=1)
    for finding in findings:
        assert f"| {finding.check} |" in TEXT
