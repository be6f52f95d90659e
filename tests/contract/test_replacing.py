"""No command replaces what it reads, nor, without --force, a file that it did not write."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
import typer.main
from typer.testing import CliRunner

from annobench.cli import app
from annobench.cli._replacing import RECORD
from annobench_course.teacher import grading

pytestmark = pytest.mark.commands

#: Any long text may be one.
SECRET = ("--secret", __file__)
#: Commands that write nothing.
READ_ONLY = {("inspect",), ("data", "list"), ("course", "project")}


def all_commands(group, *path):
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "commands"):
            yield from all_commands(command, *path, name)
        else:
            yield (*path, name), command


COMMANDS = dict(all_commands(typer.main.get_command(app)))


def run(*words):
    return CliRunner().invoke(app, list(map(str, words)))


def said(done):
    return " ".join(done.output.split())


def write_table(path, n_items=20):
    rows = [
        (f"i{n}", a, "yn"[(n + (a == "c" and n % 5 == 0)) % 2], "yn"[n % 2])
        for n in range(n_items)
        for a in "abc"
    ]
    pd.DataFrame(rows, columns=["item", "annotator", "label", "gold"]).to_csv(path, index=False)


def write_checks(path):
    """Draw an audit into the folder of `path`, and check its items."""
    write_table(path.with_name("crowd.csv"))
    words = ("--model", "voting", "--checks", 10, "--out", path.with_name("drawn"))
    run("audit", path.with_name("crowd.csv"), *words)
    table = pd.read_csv(path.with_name("drawn") / "to_check.csv", dtype=str)
    path.with_name("design.csv").write_bytes((path.with_name("drawn") / "design.csv").read_bytes())
    table.assign(gold="y").to_csv(path, index=False)


def write_grades(path):
    """Write a table of grades, and a list of participants beside it."""
    row = dict.fromkeys(grading.COLUMNS, "") | {"student": "Ann", "exercise": "total"}
    pd.DataFrame([row | {"session": "01_chance", "passed": 1, "of": 2}]).to_csv(path, index=False)
    path.with_name("people.csv").write_text("Username,Email address\nAnn,ann@u.org\n")


def write_lines(path):
    path.write_text("Ann\nBob\n")


def write_pairs(path):
    rows = [("a", "b", "ab"[n % 3 == 0], "xy"[n % 2]) for n in range(12)]
    table = pd.DataFrame(rows, columns=["left", "right", "winner", "annotator"])
    table.to_csv(path, index=False)


def write_method(path):
    path.write_text(
        "import numpy as np\n"
        "def fit(labels, rng):\n"
        "    return np.full((labels.n_items, labels.n_categories), 1 / labels.n_categories)\n"
    )


@dataclass(frozen=True)
class Recipe:
    """How a command is called: what it reads, and the words before and after that."""

    words: Callable[[Path, Path], tuple[object, ...]]
    source: Callable[[Path], None] | None = write_table
    #: Of its one file, if the command is told a file and no folder.
    file: str | None = None


def of_labels(*words, after=()):
    return Recipe(lambda source, out: (*words, source, "--out", out, *after))


RECIPES = {
    ("convert",): Recipe(lambda source, out: ("convert", source, out), file="out.csv"),
    ("convert", "--ledger"): Recipe(
        lambda source, out: ("convert", source, out.parent / "o.parquet", "--ledger", out),
        file="ledger.csv",
    ),
    ("consensus",): of_labels("consensus", after=("--model", "voting", "--gold", "gold")),
    ("report",): of_labels("report"),
    ("certificate",): of_labels("certificate"),
    ("audit",): of_labels("audit", after=("--model", "voting", "--checks", 10)),
    ("audit", "--checked"): Recipe(
        lambda source, out: (
            *("audit", source.with_name("crowd.csv"), "--checked", source, "--out", out),
        ),
        source=write_checks,
    ),
    ("plan",): of_labels("plan", after=("--model", "voting")),
    ("judge",): of_labels("judge", after=("--judge", "c")),
    ("rank",): Recipe(lambda source, out: ("rank", source, "--out", out), source=write_pairs),
    ("compare",): Recipe(
        lambda source, out: (
            *("compare", "--labels", source, "--gold", "gold", "--against", "voting"),
            *("--replicates", 2, "--out", out),
        )
    ),
    ("compare", "METHOD"): Recipe(
        lambda source, out: (
            *("compare", source, "--labels", source.parent / "beside.csv", "--gold", "gold"),
            *("--against", "voting", "--replicates", 2, "--out", out),
        ),
        source=lambda path: (write_method(path), write_table(path.parent / "beside.csv")),
    ),
    ("data", "fetch"): Recipe(
        lambda source, out: (
            *("data", "fetch", "snow2008_rte", "--mode", "simulated", "--out", out),
        ),
        source=None,
    ),
    ("course", "grade"): Recipe(
        lambda source, out: ("course", "grade", source.parent, "--out", out),
        source=lambda path: path.write_text("{}"),
        file="grades.csv",
    ),
    ("course", "gradebook"): Recipe(
        lambda source, out: (
            *("course", "gradebook", source, source.with_name("people.csv"), "--out", out),
        ),
        source=write_grades,
        file="gradebook.csv",
    ),
    ("course", "exam"): Recipe(
        lambda source, out: ("course", "exam", source, *SECRET, "--questions", 1, "--out", out),
        source=write_lines,
    ),
}
#: By the ending of its file a command may go.
ENDINGS = {("compare", "METHOD"): ".py", ("course", "grade"): ".ipynb"}
#: Tried in tests/unit/test_partition.py, as it takes Dask's workers.
ELSEWHERE = {("partition",)}


@pytest.fixture(autouse=True)
def graded(monkeypatch):
    """Grade without the seconds that running notebooks takes."""
    row = dict.fromkeys(grading.COLUMNS, "") | {"file": "a.ipynb", "passed": True}
    monkeypatch.setattr(grading, "grade", lambda *a, **k: pd.DataFrame([row]))


def named(key):
    return " ".join(key)


def places(key, tmp_path):
    """Return where a command reads and where it writes."""
    source = tmp_path / "read" / f"source{ENDINGS.get(key, '.csv')}"
    out = tmp_path / "out"
    return source, out if RECIPES[key].file is None else out / RECIPES[key].file


def made(recipe, key, tmp_path):
    """Write the source of a command; return it and where the command is to write."""
    source, out = places(key, tmp_path)
    source.parent.mkdir()
    if recipe.source is not None:
        recipe.source(source)
    return source, out


def test_every_command_that_writes_is_tried_and_can_be_told_to_replace():
    writing = set(COMMANDS) - READ_ONLY
    tried = {next(key[:n] for n in (1, 2) if key[:n] in COMMANDS) for key in RECIPES}
    assert tried | ELSEWHERE == writing, "write a recipe for the new command"
    for path in writing:
        options = {option for parameter in COMMANDS[path].params for option in parameter.opts}
        assert "--force" in options, path


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != RECORD
    }


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return a function that gives a folder in which a command has been run once."""
    known = {}

    def of(key):
        if key not in known:
            known[key] = tmp_path_factory.mktemp("first")
            done = run(*RECIPES[key].words(*made(RECIPES[key], key, known[key])))
            assert done.exit_code == 0, done.output
            assert content(known[key] / "out")
        return known[key]

    return of


def empty(folder):
    for path in folder.iterdir():
        path.unlink()


@pytest.mark.parametrize("key", RECIPES, ids=named)
def test_a_foreign_file_in_the_way_is_replaced_only_with_force(key, runs, tmp_path):
    shutil.copytree(runs(key), tmp_path, dirs_exist_ok=True)
    words = RECIPES[key].words(*places(key, tmp_path))
    folder = tmp_path / "out"
    names = sorted(content(folder))
    again = run(*words)
    if key[0] == "convert":
        assert again.exit_code == 1, "a file that the user named is one of the user's"
    elif key == ("audit",):
        assert "items were drawn before" in said(again)
    else:
        assert again.exit_code == 0, again.output
        (folder / names[-1]).write_text("changed by hand")
        assert run(*words).exit_code == 1
        assert (folder / names[-1]).read_text() == "changed by hand"
    for name in names:
        empty(folder)
        (folder / name).write_text("mine")
        done = run(*words)
        assert done.exit_code == 1, name
        assert "--force" in said(done)
        assert content(folder) == {name: b"mine"}, "nothing is written beside it either"
    done = run(*words, "--force")
    assert done.exit_code == 0, done.output
    assert content(folder)[name] != b"mine"


WAYS = ["itself", "a relative path", "a symbolic link", "a hard link"]
#: A method can't go by the name of a table.
CASES = [
    (key, way)
    for key, recipe in RECIPES.items()
    if recipe.source
    for way in (WAYS[2:] if key == ("compare", "METHOD") else WAYS)
]


@pytest.mark.parametrize(
    ("key", "way"), CASES, ids=lambda part: part if part in WAYS else named(part)
)
def test_a_source_is_never_replaced(key, way, runs, tmp_path, monkeypatch):
    shutil.copytree(runs(key), tmp_path, dirs_exist_ok=True)
    source, out = places(key, tmp_path)
    folder = tmp_path / "out"
    name = next(name for name in sorted(content(folder)) if not name.endswith(".html"))
    empty(folder)
    if key == ("course", "grade"):  # what it reads are the notebooks of a folder
        out = folder / "notebook"
        name = out.name
    target = folder / name
    if way == "a symbolic link":
        target.symlink_to(source)
    elif way == "a hard link":
        os.link(source, target)
    elif key == ("course", "grade"):
        out = source
    else:
        # A source may have any name: that of a file of the command, too.
        for beside in source.parent.iterdir():
            beside.rename(folder / (name if beside == source else beside.name))
        source = target
    if way == "a relative path":
        monkeypatch.chdir(out if out.is_dir() else out.parent)
        out = Path("..", Path.cwd().name, *([] if out.is_dir() else [out.name]))
    before = content(tmp_path)
    done = run(*RECIPES[key].words(source, out), "--force")
    assert done.exit_code == 1, done.output
    assert "never replaced" in said(done)
    assert content(tmp_path) == before


@pytest.mark.parametrize("command", ["convert", "report"])
def test_a_key_to_pseudonyms_replaces_neither_source_nor_foreign_file(command, tmp_path):
    source = tmp_path / "s.jsonl"
    source.write_text(
        "".join(
            f'{{"text":"t{n}","label":"A","_input_hash":{n},"_task_hash":{n},"_view_id":'
            f'"classification","answer":"{answer}","_annotator_id":"{who}@example.org",'
            f'"_timestamp":1}}\n'
            for n in range(4)
            for who, answer in (("ann", "accept"), ("bob", "reject"))
        )
    )
    before = source.read_bytes()
    words = (command, source, *(["o.csv"] if command == "convert" else []))
    words = [tmp_path / word if word == "o.csv" else word for word in words]
    refused = run(*words, "--key", source, "--force")
    assert refused.exit_code == 1
    assert "never replaced" in said(refused)
    assert source.read_bytes() == before
    key = tmp_path / "key.csv"
    key.write_text("mine")
    assert run(*words, "--key", key).exit_code == 1
    assert key.read_text() == "mine"
    done = run(*words, "--key", key, "--force")
    assert done.exit_code == 0, done.output
    assert "ann@example.org" in key.read_text()


def test_two_outputs_are_two_files(tmp_path):
    write_table(tmp_path / "s.csv")
    out = tmp_path / "o.csv"
    done = run("convert", tmp_path / "s.csv", out, "--ledger", tmp_path / "." / "o.csv")
    assert done.exit_code == 1
    assert "name of two outputs" in said(done)
    assert not out.exists()


def test_a_file_of_a_folder_that_is_read_is_part_of_the_source(tmp_path):
    folder = tmp_path / "answers"
    folder.mkdir()
    for who in "ab":
        (folder / f"{who}.csv").write_text("item,label\n" + "".join(f"i{n},y\n" for n in range(5)))
    done = run("convert", folder, folder / "a.csv", "--force")
    assert done.exit_code == 1
    assert "never replaced" in said(done)
    assert (folder / "a.csv").read_text().startswith("item,label")


@pytest.mark.parametrize(
    "words", [["convert", "answers/all.csv"], ["consensus", "--out", "answers"]]
)
def test_nothing_is_written_beside_the_files_of_a_source(tmp_path, words, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("answers").mkdir()
    for who in "ab":
        rows = "".join(f"i{n},y\n" for n in range(5))
        Path("answers", f"{who}.csv").write_text(f"item,label\n{rows}")
    command, *rest = words
    done = run(command, "answers", *rest, "--force")
    assert done.exit_code == 1
    assert "is part of the input" in said(done)
    assert sorted(path.name for path in Path("answers").iterdir()) == ["a.csv", "b.csv"]


def test_what_another_command_wrote_is_foreign(tmp_path):
    write_table(tmp_path / "s.csv")
    out = tmp_path / "out"
    assert run("consensus", tmp_path / "s.csv", "--model", "voting", "--out", out).exit_code == 0
    run("audit", tmp_path / "s.csv", "--model", "voting", "--checks", 10, "--out", out)
    before = (out / "items.csv").read_bytes()
    done = run("audit", tmp_path / "s.csv", "--checked", out / "to_check.csv", "--out", out)
    assert done.exit_code == 1
    assert "items.csv" in said(done)
    assert (out / "items.csv").read_bytes() == before
