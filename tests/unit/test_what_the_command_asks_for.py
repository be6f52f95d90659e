"""What a command asks for is evidence of what a table holds, and is refused if it can't be had."""

from __future__ import annotations

import inspect
import re
import typing

import option_fixtures as inputs
import pandas as pd
import pytest
import tables_in_use
from proposals import be_quick, without_pages
from typer.testing import CliRunner

from annobench.cli import _trials, app
from annobench.cli._options import COMMANDS, ONE_LABEL, as_typed
from annobench.core.errors import UnclearLayoutError
from annobench.io import select_labels
from annobench.io.options import written
from annobench.labels.columns import named_columns

pytestmark = pytest.mark.commands


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    be_quick(monkeypatch)
    without_pages(monkeypatch)
    for name, write in tables_in_use.WRITERS.items():
        write(tmp_path / name)


@pytest.mark.parametrize("file", ["with_judge.csv", "with_names.csv"])
def test_a_judge_that_is_named_is_a_column_of_labels(file):
    status, said = run("judge", file, "--judge", "gpt")
    assert status == 0, said
    assert re.search(r"annotators: .*'gpt'", said)


@pytest.mark.parametrize("file", ["with_judge.csv", "with_names.csv"])
def test_a_column_that_is_named_as_gold_is_no_annotator(file):
    status, said = run("report", file, "--gold", "gpt")
    assert status == 0, said
    assert "120 labels of 3 annotators for 40 items" in said
    assert "known categories: 'gpt'" in said
    assert "was not used" not in said


def test_gold_alone_makes_no_annotators_of_columns_with_other_values(tmp_path):
    frame = pd.DataFrame(
        {"thing": list("xxyy"), "who": list("pqpq"), "tone": list("abab"), "truth": list("aabb")}
    )
    frame.to_csv("t.csv", index=False)
    assert run("report", "t.csv", "--gold", "truth")[0] == 1


def test_known_categories_of_counts_are_categories():
    words = ("counts_with_total.csv", "--counts", "--gold")
    status, said = run("report", *words, "class")
    assert status == 1
    assert "holds '0', '1', '2', and none of the categories 'rude', 'plain', 'kind'" in said
    frame = pd.read_csv("counts_with_total.csv")
    chosen = frame["class"].map(dict(enumerate(["rude", "plain", "kind"])))
    frame.assign(best=chosen).to_csv("counts_with_total.csv", index=False)
    status, said = run("report", *words, "best")
    assert status == 0, said
    assert "known categories: 'best'" in said


def test_repetitions_are_compared_by_the_first_of_each():
    columns = ["--item", "response_id", "--annotator", "judge_name", "--label", "accuracy"]
    said = run("inspect", "runs.csv", *columns)[1]
    assert said.count("--repeats first") == 3  # once in words, and in both commands
    assert "response_id,run_index" not in said


def test_columns_without_usual_names_are_proposed_by_their_cells():
    said = run("inspect", "many_questions.csv")[1]
    assert "With --item response_id --annotator reviewer --label accuracy: 30 labels of 3" in said
    assert "and 2 more readings" in said
    with pytest.raises(UnclearLayoutError, match="label='accuracy'"):
        select_labels("many_questions.csv")


def test_what_loses_more_than_it_keeps_is_not_proposed():
    said = run("inspect", "second_look.csv")[1]
    assert "annobench report second_look.csv" not in said.partition("Next:")[2]
    assert "keeps 10 and leaves out 30" in said


def test_a_column_that_numbers_items_is_not_proposed_as_an_annotator():
    said = run("report", "numbered_items.csv")[1]
    assert "With --from wide --item num: 120 labels of 3 annotators" in said
    assert "--annotators num" not in said


def test_votes_with_their_sum_are_read_as_votes_only():
    said = run("report", "counts_with_total.csv")[1]
    assert "'count' is the sum of others" in said
    assert re.findall(r"With (\S+)", said) == ["--counts:"]


def test_a_large_file_is_tried_on_its_first_rows(monkeypatch):
    run("version")  # which sets the program
    whole = _trials.tried(["report", "coded.csv"], "coded.csv")
    monkeypatch.setattr(_trials, "_BYTES", 50)
    part = _trials.tried(["report", "coded.csv"], "coded.csv")
    assert (whole.refusal, part.refusal, part.in_part) == ("", "", True)
    assert part.selection.labels.n_labels < whole.selection.labels.n_labels


@pytest.mark.parametrize(
    ("command", "option"), [("report", "--order"), ("consensus", "--categories")]
)
def test_a_refusal_names_the_option_of_the_command(command, option):
    assert as_typed("Give all in order with categories=, lowest first.", command) == (
        f"Give all in order with {option}, lowest first."
    )


def test_flags_are_written_without_a_value():
    assert as_typed("Read it with format='wide', transpose=True.") == (
        "Read it with --from wide, --transpose."
    )


def test_lists_that_are_cut_say_so():
    assert named_columns(map(str, range(5)), most=3) == "'0', '1', '2' and 2 more"


#: Where a value of an option matters; else on plain labels.
ON = {
    "repeats": (inputs.long, "repeated"),
    "empty": (inputs.long, "gappy"),
    "gold_items": (inputs.export, "controls"),
    "annotator_from": (inputs.export, "session"),
    "spans": (inputs.spans, ""),
    "set": (inputs.long, "sets"),
}
#: What a command is given to succeed.
ALONE = {
    "certificate": ["--guess-distribution", "0.2,0.3,0.5"],
    "audit": ["--checks", "10"],
    "judge": ["--judge", "person-1"],
    "convert": ["labels_of.csv"],
    ("certificate", "empty"): ["--guess-distribution", "0.2,0.3,0.3,0.2"],
    ("judge", "gold_items"): ["--judge", "a"],
}


def literals(annotation):
    """Return the values that an annotation lists, however deep."""
    if typing.get_origin(annotation) is typing.Literal:
        return list(typing.get_args(annotation))
    inner = getattr(annotation, "__args__", None) or typing.get_args(annotation)
    return [value for part in inner for value in literals(part)]


#: What other tests cover, and values that are the default or refuse on purpose.
ELSEWHERE = {"engine", "table_format", "model"}
USUAL = {"person", "session", "error", "leave-out", "missing", "accuracy"}
CHOICES = [
    (each.callback.__name__, name, value)
    for each in app.registered_commands
    if each.callback.__name__ in COMMANDS and each.callback.__name__ != "compare"
    for name, parameter in inspect.signature(each.callback).parameters.items()
    for value in literals(parameter.annotation)
    if name not in ELSEWHERE and value not in USUAL
]


@pytest.mark.parametrize(("command", "name", "value"), CHOICES)
def test_each_value_that_an_option_offers_is_honoured(command, name, value, tmp_path):
    make, variant = ON.get(value) or ON.get(name) or (inputs.long, "")
    words = [written(name), value, *(ALONE.get((command, name)) or ALONE.get(command, []))]
    if variant == "session":
        words += ["--repeats", "first"]
    if value == "set":
        words += ["--separator", ","]
    status, said = run(command, make(tmp_path, variant), *words)
    assert status == 0, said


@pytest.mark.parametrize("command", ONE_LABEL)
def test_all_repeated_labels_are_refused_at_the_door(command, tmp_path):
    status, said = run(command, inputs.long(tmp_path, "repeated"), "--repeats", "all")
    assert status == 2
    assert "'all' is not one of 'error', 'first', 'last'" in said.replace("│ ", "")
