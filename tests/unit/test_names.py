"""A name that is made is none that is there already: three people stay three."""

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from annobench.cli import app
from annobench.core.names import MadeName, pseudonyms, settle, unused
from annobench.io import read_export, select_labels
from annobench.io.formats.layers import select_layer

PEOPLE = ["ann@example.org", "bob@example.org"]

some = st.sampled_from(["person-1", "person-2", "person-01", "a", "a (2)", "b", *PEOPLE])


@given(st.sets(some))
def test_pseudonyms_are_as_many_as_people_and_none_is_a_name(names):
    people = sorted(names & set(PEOPLE))
    found = pseudonyms(people, names)
    assert list(found) == people
    assert len({*found.values(), *names}) == len(people) + len(names)


@given(st.lists(st.one_of(some, st.builds(MadeName, some, st.one_of(st.just(""), some)))))
def test_settled_names_are_as_many_as_things(names):
    things = list(dict.fromkeys(names))
    found = settle(names)
    assert len({found.get(thing, thing) for thing in things}) == len(things)
    assert unused("a", set(found.values())) not in found.values()


def test_a_free_short_name_is_kept_and_equal_ones_get_the_long_form():
    found = settle([MadeName("x", "f/x"), MadeName("x", "g/x"), MadeName("y", "f/y"), "z"])
    assert list(found.values()) == ["f/x", "g/x", "y"]


def table(folder):
    path = folder / "labels.csv"
    rows = [("x", who, label) for who, label in zip(["person-1", *PEOPLE], "aab", strict=True)]
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("item", "annotator", "label"), *rows])
    return path


def label_studio(folder):
    who = ["person-1", *({"email": name} for name in PEOPLE)]
    task = {
        "id": "x",
        "data": {"text": "a text"},
        "annotations": [
            {
                "id": n,
                "completed_by": one,
                "result": [
                    {"type": "choices", "from_name": "q", "value": {"choices": [label]}},
                    {
                        "type": "labels",
                        "from_name": "ner",
                        "value": {"start": 0, "end": 1 + n, "labels": ["A"]},
                    },
                ],
            }
            for n, (one, label) in enumerate(zip(who, "aab", strict=True))
        ],
    }
    path = folder / "export.json"
    path.write_text(json.dumps([task]))
    return path


@pytest.mark.parametrize("made", [table, label_studio])
def test_a_real_annotator_called_person_1_stays_one(tmp_path, made):
    path = made(tmp_path)
    found = select_labels(path, question="q" if made is label_studio else None)
    assert found.labels.n_annotators == 3
    assert found.labels.n_labels == 3
    by_name = {found.pseudonyms.get(name, name) for name in ["person-1", *PEOPLE]}
    assert by_name == set(found.labels.annotators)
    assert found.labels.annotators[0] == "person-1" or made is label_studio


def test_marks_of_a_real_annotator_called_person_1_stay_hers(tmp_path):
    found = select_layer(read_export(label_studio(tmp_path)), "ner")
    assert len(found.marks.annotators) == 3
    assert set(found.pseudonyms) >= set(PEOPLE)


@pytest.mark.parametrize("made", [table, label_studio])
@pytest.mark.parametrize("command", ["convert", "report"])
def test_the_key_names_everybody_who_got_a_pseudonym(tmp_path, made, command):
    path = made(tmp_path)
    key = tmp_path / "key.csv"
    arguments = {
        "convert": ["convert", path, tmp_path / "out.csv", "--question", "q"],
        "report": ["report", path, "--question", "ner"],
    }[command]
    if made is table:
        arguments = arguments[:-2]
    done = CliRunner().invoke(app, [*map(str, arguments), "--key", str(key)])
    assert done.exit_code == 0, done.output
    with key.open(newline="") as stream:
        names = {row["name"]: row["pseudonym"] for row in csv.DictReader(stream)}
    assert set(names) >= set(PEOPLE)
    assert names.get("person-1", "person-1") not in {names[person] for person in PEOPLE}
    assert "person-1" not in {names[person] for person in PEOPLE}


def test_nothing_chosen_is_no_category_that_an_annotator_gave(tmp_path):
    path = tmp_path / "export.jsonl"
    rows = [("x", "1", ["(nothing)"]), ("x", "2", []), ("y", "1", ["a"]), ("y", "2", ["a"])]
    path.write_text(
        "\n".join(
            json.dumps(
                {"text": item, "_session_id": who, "options": [], "accept": given}
                | {"answer": "accept"}
            )
            for item, who, given in rows
        )
    )
    labels = select_labels(path, empty="category").labels
    assert labels.n_categories == 3
