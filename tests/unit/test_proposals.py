"""What `inspect` proposes succeeds as printed; what can't succeed is left out, with a reason."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from faults.second_layouts import TABLES
from faults.test_fuzz_exports import FORMATS
from partitioning import partitioned
from proposals import follow, run

from annobench.aggregation import consensus
from annobench.labels.annotations import Annotations

pytestmark = pytest.mark.commands


def result(kind, name, **value):
    return {"id": "r1", "type": kind, "from_name": name, "to_name": "text", "value": value}


def project(path, give, *, kind="choices", name="quality", cancelled=False):
    """Write tasks of Label Studio that two people did."""
    tasks = [
        {
            "id": n,
            "data": {"text": f"Text {n}."},
            "annotations": [
                {
                    "id": 10 * n + who,
                    "completed_by": who,
                    "was_cancelled": cancelled,
                    "result": [result(kind, name, **give(n, who))],
                }
                for who in (1, 2)
            ],
        }
        for n in range(6)
    ]
    path.write_text(json.dumps(tasks))


def answer(text, who, choice, when):
    number = int(text[1:])
    return {
        **{"text": text, "label": "SPAM", "_input_hash": number, "_task_hash": 10 + number},
        **{"_view_id": "classification", "answer": choice, "_annotator_id": who},
        "_timestamp": when,
    }


def write_repeats(path):
    records = [
        *(answer(f"t{n}", who, "accept", 1) for n in range(5) for who in ("ds-ann", "ds-bob")),
        answer("t2", "ds-ann", "reject", 2),
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def table(*rows):
    return "item,annotator,label\n" + "".join(",".join(row) + "\n" for row in rows)


CROWD = [(f"i{n}", a, "yn"[n % 2]) for n in range(8) for a in ("ann", "bob", "gpt-4o")]
#: By what is in the file: its name, what writes it, and the commands that are proposed.
CASES = {
    "one task twice": (
        "t.jsonl",
        write_repeats,
        ["report t.jsonl --repeats first", "consensus t.jsonl", "convert t.jsonl labels.parquet"],
    ),
    "ratings": (
        "t.json",
        lambda p: project(p, lambda n, who: {"rating": 1 + (n + who) % 5}, kind="rating"),
        ["report t.json", "convert t.json labels.parquet"],
    ),
    "free text": (
        "t.json",
        lambda p: project(p, lambda n, who: {"text": [f"my words {n} {who}"]}, kind="textarea"),
        [],
    ),
    "no finished answer": (
        "t.json",
        lambda p: project(p, lambda n, who: {"choices": ["a"]}, cancelled=True),
        [],
    ),
    "sets": (
        "t.json",
        lambda p: project(p, lambda n, who: {"choices": ["a", "b"] if n % 2 else ["a"]}),
        [
            "report t.json",
            "consensus t.json --question quality=a",
            "convert t.json --question quality=a labels.parquet",
        ],
    ),
    "spans": (
        "t.json",
        lambda p: project(
            p, lambda n, who: {"start": 0, "end": 4, "labels": ["ORG"]}, kind="labels"
        ),
        ["report t.json"],
    ),
    "one annotator": ("t.csv", lambda p: p.write_text(table("axy", "bxn", "cxy")), []),
    "no item in common": ("t.csv", lambda p: p.write_text(table("axy", "bzn", "cxy")), []),
    "repeats": (
        "t.csv",
        lambda p: p.write_text(table("axy", "azn", "axn", "bxn", "bzn")),
        ["report t.csv --repeats first", "consensus t.csv"],
    ),
    "a judge": (
        "t.csv",
        lambda p: p.write_text(table(*CROWD)),
        ["report t.csv", "consensus t.csv", "judge t.csv --judge gpt-4o"],
    ),
    "a judge and nobody beside one human": (
        "t.csv",
        lambda p: p.write_text(table(*(row for row in CROWD if row[1] != "bob"))),
        ["report t.csv", "consensus t.csv"],
    ),
    "a name to quote": (
        "it's $HOME; of two.csv",
        lambda p: p.write_text(table("axy", "azy", "bxn", "bzn")),
        [
            "report 'it'\"'\"'s $HOME; of two.csv'",
            "consensus 'it'\"'\"'s $HOME; of two.csv'",
        ],
    ),
    "a name like an option": (
        "-t.csv",
        lambda p: p.write_text(table("axy", "azy", "bxn", "bzn")),
        ["report ./-t.csv", "consensus ./-t.csv"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_proposed_succeeds_as_printed(case, tmp_path, monkeypatch):
    name, write, expected = CASES[case]
    monkeypatch.chdir(tmp_path)
    write(tmp_path / name)
    path = f"./{name}" if name.startswith("-") else name
    assert follow(path, monkeypatch) == [f"annobench {words}" for words in expected]


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("ratings", "`annobench consensus` needs categories"),
        ("free text", "Free-text answers are not compared"),
        ("no finished answer", "No answer is finished"),
        ("one annotator", "All labels are of one annotator"),
        ("no item in common", "No item has labels of two annotators"),
    ],
)
def test_what_is_not_proposed_has_a_reason(case, reason, tmp_path):
    name, write, _ = CASES[case]
    write(tmp_path / name)
    assert reason in " ".join(run("inspect", tmp_path / name).output.split())


@pytest.mark.parametrize("case", CASES)
def test_no_refusal_sends_back_to_the_command_that_refused(case, tmp_path, monkeypatch):
    name, write, _ = CASES[case]
    write(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(consensus, "_bootstrap", lambda *a: (None, []))
    path = f"./{name}"
    for command in ("report", "consensus", "convert", "certificate", "audit", "plan"):
        done = run(command, path, *(["out.csv"] if command == "convert" else []))
        if done.exit_code:
            assert f"annobench {command}" not in done.output
            assert done.output.rstrip().endswith(".")


def test_one_annotator_is_not_several(tmp_path):
    CASES["one annotator"][1](tmp_path / "t.csv")
    said = run("inspect", tmp_path / "t.csv").output
    assert "3 labels of 1 annotator for 3 items, 2 categories: n, y" in " ".join(said.split())


def test_free_text_is_to_be_sorted(tmp_path):
    CASES["free text"][1](tmp_path / "t.json")
    done = run("report", tmp_path / "t.json")
    assert done.exit_code == 1
    assert "Code them into categories" in " ".join(done.output.split())


def test_a_file_that_is_there_is_not_proposed_to_be_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.parquet").write_text("mine")
    CASES["ratings"][1](tmp_path / "t.json")
    assert "annobench convert t.json labels_2.parquet" in follow("t.json", monkeypatch)
    assert (tmp_path / "labels.parquet").read_text() == "mine"


def test_options_of_inspect_are_carried_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CASES["ratings"][1](tmp_path / "t.json")
    commands = follow("t.json", monkeypatch, "--from", "label_studio")
    assert commands
    assert all("--from label_studio" in command for command in commands)


def test_a_folder_of_partitions_is_described_and_can_be_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    partitioned(Annotations.from_arrays(*zip(*CROWD, strict=True)), tmp_path / "parts", 2)
    said = " ".join(run("inspect", "parts").output.split())
    assert "A folder of 2 partitions: 24 labels of 3 annotators for 8 items" in said
    commands = follow("parts", monkeypatch)
    assert commands[:2] == ["annobench report parts", "annobench consensus parts"]


@pytest.mark.parametrize("format", TABLES)
def test_what_is_proposed_for_tables_of_other_tools_succeeds(format, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for n, rows in enumerate(TABLES[format]):
        pd.DataFrame(rows[1:], columns=rows[0]).to_csv(tmp_path / f"{n}.csv", index=False)
        follow(f"{n}.csv", monkeypatch)


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_proposed_for_exports_succeeds(format, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    records, lines = FORMATS[format]
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    (tmp_path / "export.json").write_text(text)
    follow("export.json", monkeypatch)
    follow("export.json", monkeypatch, "--from", format)
