"""`inspect` takes the options that its own messages propose, and hands them on."""

import json
import re
import shlex

import pytest
from typer.testing import CliRunner

import annobench
from annobench.cli import app


def run(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    return done.exit_code, " ".join(done.output.split())


def proposed(said):
    """Return the commands that stand under Next."""
    return re.findall(r"annobench \w+ .+?(?= annobench|$)", said.partition("Next:")[2])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "labels.csv"
    rows = [(f"t{n}", who, "ab"[n % 2], "xy"[n // 2 % 2]) for n in range(8) for who in ("w", "v")]
    path.write_text("thing,coder,tone,topic\n" + "".join(",".join(row) + "\n" for row in rows))
    return path


def test_the_columns_that_an_error_asks_for_can_be_named(table):
    status, said = run("inspect", table)
    assert status == 1
    wanted = dict.fromkeys(re.findall(r"--(item|annotator|label)\b", said))
    assert {"label"} <= set(wanted)
    words = ["--item", "thing", "--annotator", "coder", "--label", "topic"]
    status, said = run("inspect", table, *words)
    assert status == 0, said
    assert "16 labels of 2 annotators for 8 items, 2 categories: x, y" in said
    assert proposed(said)
    for command in proposed(said):
        assert shlex.split(command)[3:9] == words
        assert run(*shlex.split(command)[1:])[0] == 0, command


def test_another_column_of_labels_gives_other_categories(table):
    words = ["inspect", table, "--item", "thing", "--annotator", "coder", "--label"]
    assert "categories: a, b" in run(*words, "tone")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--label", "nobody"], "'nobody'"),
        (["--label", "tone", "--question", "q"], "--question has no effect on a table"),
        (["--label", "tone", "--from", "wide"], "--label has no effect on a table with a column"),
    ],
)
def test_an_option_that_does_not_apply_is_refused(table, words, message):
    status, said = run("inspect", table, *words)
    assert status == 1
    assert message in said


@pytest.fixture
def rows(tmp_path):
    """An export in which nothing tells answers from data: everybody agreed."""
    path = tmp_path / "project.json"
    found = [
        {"id": n, "mood": f"m{n}", "tone": f"t{n}", "annotator": who, "annotation_id": 10 * n + who}
        | {"lead_time": 1.0}
        for n in range(3)
        for who in (1, 2)
    ]
    path.write_text(json.dumps(found))
    return path


def test_the_question_that_an_error_asks_for_can_be_named(rows):
    status, said = run("inspect", rows)
    assert status == 1
    assert "Name it with --question" in said
    status, said = run("inspect", rows, "--question", "tone")
    assert status == 0, said
    assert "t0, t1, t2" in said
    assert [shlex.split(command)[3:5] for command in proposed(said)] == [
        ["--question", "tone"],
        ["--question", "tone"],
        ["--question", "tone"],
    ]
    assert run("inspect", rows, "--question", "tune")[0] == 1


def test_the_version_is_printed():
    assert run("--version") == (0, annobench.__version__)


def test_who_gave_anonymous_labels_is_shown_as_unknown(tmp_path):
    path = tmp_path / "dev.jsonl"
    pairs = [
        {"annotator_labels": labels, "gold_label": "-", "pairID": name}
        | {"sentence1": "one", "sentence2": "two"}
        for name, labels in (("1", ["a", "b"]), ("2", ["b", "b"]))
    ]
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    status, said = run("inspect", path)
    assert status == 0, said
    header = "question kind answers items annotators categories"
    assert f"{header} label choice 4 2 unknown a, b" in said
