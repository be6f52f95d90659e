"""Potato's folders of users, old and new, its tables, and POPQUORN."""

import csv
import json
from collections import Counter

import pytest

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import Span


def state(user, labels, spans=None, assigned=()):
    return {
        "user_id": user,
        "instance_id_ordering": list(assigned),
        "instance_id_to_label_to_value": labels,
        "instance_id_to_span_to_value": spans or {},
        "phase_to_page_to_label_to_value": {"consent": {}},
    }


def pair(schema, name, value="true"):
    return [{"schema": schema, "name": name}, value]


def write_states(folder):
    """Two users; the first annotated two of three instances, and marked a span."""
    ann = state(
        "user1@example.org",
        {
            "i1": [pair("tone", "good"), pair("why", "plot"), pair("why", "cast")],
            "i2": [pair("tone", "bad"), pair("grade", "slider", "3")],
        },
        {"i1": [[{"schema": "names", "name": "person", "start": 0, "end": 4}, "true"]]},
        assigned=["i1", "i2", "i3"],
    )
    bob = state("u2", {"i1": {"tone": {"labels": {"bad": True}}, "note": {"text_box": "dull"}}})
    for name, content in (("ann", ann), ("bob", bob)):
        (folder / name).mkdir(parents=True)
        (folder / name / "user_state.json").write_text(json.dumps(content, indent=1))
    return folder


def test_every_folder_is_a_user(tmp_path):
    folder = write_states(tmp_path / "annotation_output")
    assert recognise(folder) == {"potato": "folders of users"}
    export = read_export(folder)
    selection = export.select("tone")
    assert selection.labels.to_frame().values.tolist() == [
        ["i1", "person-1", "good"],
        ["i2", "person-1", "bad"],
        ["i1", "u2", "bad"],
    ]
    assert export.pseudonyms == {"user1@example.org": "person-1"}
    assert selection.ledger[["what", "rows"]].values.tolist()[:4] == [
        ["records read", 6],
        ["left out: instances that were assigned and not annotated", 1],
        ["left out: pages of the study that are no instances", 2],
        ["records with answers", 3],
    ]
    kinds = export.questions.set_index("question").kind
    assert kinds.to_dict() == {
        "tone": "choice",
        "why": "choices",
        "grade": "choice",
        "note": "choice",
        "names": "spans",
    }
    assert export.questions.set_index("question").categories["grade"] == ["3"]
    [marks] = export.marks("names")
    assert marks.spans == (Span(0, 4, "person"),)
    assert marks.place == "ann/user_state.json, instance 1"


def test_a_folder_above_the_output_is_recognised_and_one_with_states_elsewhere_is_not(tmp_path):
    write_states(tmp_path / "task" / "annotation_output")
    assert recognise(tmp_path / "task") == {"potato": "folders of users"}
    write_states(tmp_path / "many" / "tools" / "of" / "potato")
    assert recognise(tmp_path / "many") == {}


def test_names_without_a_digit_are_those_of_people(tmp_path):
    path = tmp_path / "user_state.json"
    path.write_text(json.dumps(state("alice", {"i1": [pair("tone", "good")]})))
    assert recognise(path) == {"potato": "state of a user"}
    assert read_export(path).labels("tone").annotators == ("person-1",)
    assert read_export(path, keep_names=True).labels("tone").annotators == ("alice",)


def test_instances_of_old_versions_hold_pages_too(tmp_path):
    records = [
        {
            "id": "1",
            "displayed_text": "<b>x</b>",
            "label_annotations": {"tone": {"good": "true"}},
            "span_annotations": {"names": [{"start": 1, "end": 3, "annotation": "person"}]},
        },
        {
            "id": "study-consent.html",
            "label_annotations": {"I agree": {"Yes": "true"}},
            "span_annotations": {},
        },
    ]
    folder = tmp_path / "annotation_output" / "user7"
    folder.mkdir(parents=True)
    path = folder / "annotated_instances.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert recognise(path) == {"potato": "instances of a user"}
    assert recognise(tmp_path) == {"potato": "folders of instances"}
    export = read_export(tmp_path)
    assert export.labels("tone").to_frame().values.tolist() == [["1", "user7", "good"]]
    assert export.texts == {"1": "<b>x</b>"}
    assert export.marks("names")[0].spans == (Span(1, 3, "person"),)
    assert "I agree" not in export.questions.question.tolist()


def test_tables_have_a_column_an_option(tmp_path):
    path = tmp_path / "annotated_instances.tsv"
    path.write_text(
        "user\tinstance_id\tdisplayed_text\ttone:::good\ttone:::bad\n"
        "u1\ti1\tx\ttrue\t\nu2\ti1\tx\t\ttrue\n"
    )
    assert recognise(path) == {"potato": "table of instances"}
    assert read_export(path).labels().to_frame().label.tolist() == ["good", "bad"]
    assert read_export(path).texts == {"i1": "x"}


def test_an_instance_without_an_id_is_named(tmp_path):
    path = tmp_path / "annotated_instances.jsonl"
    lines = [{"id": "1", "label_annotations": {}}, {"label_annotations": {"a": {"b": "true"}}}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(ReaderError, match="record 2: the id of an instance is None"):
        read_export(path)


def test_numbers_are_ratings_in_a_table_with_demography(tmp_path):
    path = tmp_path / "raw_data.csv"
    path.write_text(
        "instance_id,user_id,text,offensiveness,reason,gender,age\n"
        "1,7,x,2.0,rude,Man,>65\n1,8,x,1.0,,Woman,18-24\n,8,x,1.0,,Woman,18-24\n"
    )
    assert recognise(path) == {"popquorn": "ratings with the annotators' demography"}
    export = read_export(path)
    assert export.questions.kind.tolist() == ["rating", "choice"]
    labels = export.labels("offensiveness")
    assert labels.scale == "interval"
    assert labels.to_frame().label.tolist() == ["2", "1"]
    steps = export.select("reason").ledger.set_index("what").rows
    assert steps["left out: rows without an instance or a user"] == 1
    assert steps["left out: answers that chose nothing"] == 1
    assert export.texts == {"1": "x"}


def test_the_example_of_two_users_holds_what_was_counted(mirror):
    folder = mirror / "exports" / "potato"
    ticked = {}
    for user in ("alice", "bob"):
        content = json.loads((folder / user / "user_state.json").read_text())
        ticked[user] = {
            item: sorted((mark["schema"], mark["name"]) for mark, value in pairs if value == "true")
            for item, pairs in content["instance_id_to_label_to_value"].items()
        }
    for user, n_aspects in (("alice", 6), ("bob", 4)):
        by_schema = Counter(schema for marks in ticked[user].values() for schema, _ in marks)
        assert by_schema == {"sentiment": 6, "aspects": n_aspects}
    # The folder holds POPQUORN's table, too, which is not read with it.
    export = read_export(folder, keep_names=True)
    sentiment = export.select("sentiment")
    assert sentiment.ledger[["what", "rows"]].values.tolist() == [
        ["records read", 13],
        ["left out: files of other kinds", 1],
        ["records with answers", 12],
        ["answers to 'sentiment'", 12],
        ["labels", 12],
    ]
    frame = sentiment.labels.to_frame()
    given = {(row.annotator, row.item): row.label for row in frame.itertuples()}
    assert given == {
        (user, item): name
        for user, items in ticked.items()
        for item, marks in items.items()
        for schema, name in marks
        if schema == "sentiment"
    }
    aspects = export.select("aspects")
    # Two of alice's instances and two of bob's have no aspect.
    empty = sum(
        "aspects" not in dict(marks) for items in ticked.values() for marks in items.values()
    )
    assert aspects.labels.n_labels == 12 - empty
    assert aspects.labels.scale == "set"


def test_popquorn_holds_what_was_counted(mirror):
    path = mirror / "exports" / "potato" / "popquorn_offensiveness.csv"
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    counts = Counter(row["offensiveness"] for row in rows)
    assert counts == {"1.0": 7516, "2.0": 2190, "3.0": 1590, "4.0": 1039, "5.0": 701}
    selection = read_export(path).select()
    assert selection.ledger[["what", "rows"]].values.tolist() == [
        ["records read", 13036],
        ["records with answers", 13036],
        ["answers to 'offensiveness'", 13036],
        ["labels", 13036],
    ]
    labels = selection.labels
    assert (labels.n_items, labels.n_annotators, labels.scale) == (1500, 262, "interval")
    given = Counter(labels.to_frame().label)
    assert given == {name.partition(".")[0]: n for name, n in counts.items()}
    assert len(selection.texts) == 1500
