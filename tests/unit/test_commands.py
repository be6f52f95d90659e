"""What holds for all commands: an example in the help, one way to read, to write and to speak."""

import json
import re
import shlex

import pandas as pd
import pytest
import typer.main
from typer.testing import CliRunner

from annobench.cli import app


def all_commands(group, *path):
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "commands"):
            yield from all_commands(command, *path, name)
        else:
            yield (*path, name), command


COMMANDS = dict(all_commands(typer.main.get_command(app)))
READING = [
    path for path, command in COMMANDS.items() if "gold_items" in {p.name for p in command.params}
]


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture
def labels(tmp_path):
    rows = [
        (f"i{n}", a, "yn"[(n + (a == "c" and n % 5 == 0)) % 2]) for n in range(20) for a in "abc"
    ]
    path = tmp_path / "labels.csv"
    pd.DataFrame(rows, columns=["item", "annotator", "label"]).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_help_has_an_example_whose_options_there_are(path):
    command = COMMANDS[path]
    example = re.search(r"Example: annobench (.+)", " ".join((command.help or "").split()))
    assert example, "no example"
    words = shlex.split(example[1].split(";")[0])
    assert tuple(words[: len(path)]) == path
    known = {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    assert {word for word in words if word.startswith("--")} <= known


def test_commands_that_read_labels_have_the_same_options():
    assert len(READING) >= 5
    known = {}
    for path in READING:
        for option in COMMANDS[path].params:
            if option.rich_help_panel == "Reading labels" and option.name != "labels":
                assert known.setdefault(option.name, option.opts) == option.opts
    assert {"item", "annotator", "label", "question", "status", "repeats"} <= set(known)


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_tables_are_written_in_the_format_wanted(run, labels, tmp_path, format):
    out = tmp_path / "out"
    done = run("consensus", labels, "--out", out, "--format", format, "--replicates", "0")
    assert done.exit_code == 0, done.output
    path = out / f"items.{format}"
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet}.get(format)
    items = read(path) if read else pd.DataFrame(json.loads(path.read_text()))
    assert items["item"].tolist() == [f"i{n}" for n in range(20)]


def test_files_of_somebody_else_are_not_replaced(run, labels, tmp_path):
    (tmp_path / "items.csv").write_text("mine")
    words = ("consensus", labels, "--out", tmp_path, "--replicates", "0")
    done = run(*words)
    assert done.exit_code == 1
    assert "holds items.csv, which this command did not write" in " ".join(done.output.split())
    assert (tmp_path / "items.csv").read_text() == "mine"
    assert run(*words, "--force").exit_code == 0
    assert run(*words).exit_code == 0, "its own files it replaces"


def test_quiet_prints_results_and_verbose_every_step(run, labels):
    usual, quiet, verbose = (
        run(*option, "report", labels, "--repeats", "first") for option in ((), ("-q",), ("-v",))
    )
    assert "Note: " in usual.stderr
    assert not quiet.stderr
    assert quiet.stdout == usual.stdout
    assert "60  rows read" in verbose.stderr
    assert run("-q", "-v", "report", labels).exit_code == 2


def test_gold_without_labels_is_refused(run, tmp_path):
    assert run("compare", "--gold", tmp_path / "gold.csv").exit_code == 1
