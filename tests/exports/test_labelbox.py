"""Exports of Labelbox: questions of every kind, objects, several projects, unnamed creators."""

import json

import pytest
from written import json_lines

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import Span


def radio(question, option, *nested):
    return {"name": question, "radio_answer": {"name": option, "classifications": list(nested)}}


def checklist(question, *options):
    return {"name": question, "checklist_answers": [{"name": option} for option in options]}


def label(who, *classifications, objects=(), **more):
    return {
        "label_kind": "Default",
        "label_details": {"created_by": who} if who else {},
        "annotations": {"objects": list(objects), "classifications": list(classifications)},
    } | more


def row(name, *labels, project="p", **about):
    projects = {project: {"name": f"project {project}", "labels": list(labels)}}
    return {"data_row": {"id": name, "row_data": f"text {name}"} | about, "projects": projects}


ANN, BOB = "ann@example.org", "bob@example.org"


def test_several_labels_of_a_data_row_are_compared(tmp_path):
    answers = {
        "r0": ("pos", "pos"),
        "r1": ("neg", "pos"),
        "r2": ("neg", "neg"),
        "r3": ("pos", "pos"),
    }
    path = json_lines(
        tmp_path / "export.ndjson",
        *(
            row(name, label(ANN, radio("Tone", first)), label(BOB, radio("Tone", second)))
            for name, (first, second) in answers.items()
        ),
    )
    assert recognise(path) == {"labelbox": "export of data rows"}
    export = read_export(path)
    labels = export.labels("Tone")
    assert labels.items == tuple(answers)
    assert labels.annotators == ("person-1", "person-2")
    # One of 4 pairs disagrees; of 8 labels 5 are pos: 1 - (1 / 4) / (2 * 5 * 3 / (8 * 7))
    assert krippendorff_alpha(labels).estimate == pytest.approx(8 / 15)
    assert export.texts["r0"] == "text r0"
    listed = tmp_path / "export.json"
    listed.write_text(json.dumps([json.loads(line) for line in path.read_text().splitlines()]))
    assert read_export(listed).labels("Tone").n_labels == 8


def test_each_kind_of_classification_has_its_answers(tmp_path):
    why = {"name": "Why", "text_answer": {"content": "short"}}
    long = {"name": "Note", "text_answer": {"content": "word " * 20}}
    path = json_lines(
        tmp_path / "export.ndjson",
        row("1", label(ANN, radio("Tone", "rude", why), checklist("Topics", "a", "b"), long)),
        row("2", label(ANN, radio("Tone", "kind"), checklist("Topics"))),
        row("3", label(ANN, {"name": "Other", "slider": 3})),
    )
    export = read_export(path)
    found = export.questions.set_index("question")
    assert found.categories.to_dict() == {
        "Tone": ["kind", "rude"],
        "Topics": ["a", "b"],
        "Note": ["word " * 20],
        "Tone.rude.Why": ["short"],
    }
    # Nothing was chosen by the others, who were asked; a nested question they were not.
    assert found.answers.to_dict() == {"Tone": 3, "Topics": 3, "Note": 3, "Tone.rude.Why": 1}
    assert found.kind.to_dict()["Note"] == "text"
    assert export.left_out[0][:2] == ("classifications of an unknown kind", 1)


def test_entities_are_spans_and_other_objects_are_present_or_not(tmp_path):
    about = {"annotation_kind": "TextEntity", "classifications": []}
    objects = [
        about | {"name": "PER", "location": {"start": 0, "end": 2}},
        about | {"name": "PER", "location": {"start": 4, "end": 6, "token": "met"}},
        about | {"name": "LOC", "location": {"start": 8, "end": 11, "token": "Rom"}},
    ]
    box = {
        "name": "dog",
        "annotation_kind": "ImageBoundingBox",
        "classifications": [radio("a", "b")],
    }
    path = json_lines(
        tmp_path / "export.ndjson",
        row("1", label(ANN, objects=objects), row_data="Ada met Rom"),
        row("2", label(ANN, objects=[box, box]), label(BOB)),
    )
    export = read_export(path)
    first, *others = export.marks("entities")
    assert first.spans == (Span(0, 3, "PER"), Span(4, 7, "PER"), Span(8, 11, "LOC"))
    assert [marks.spans for marks in others] == [(), ()]
    assert export.documents["1"] == "Ada met Rom"
    objects = export.questions.set_index("question").loc["objects"]
    assert (objects.categories, objects.answers) == (["dog"], 3)
    assert export.left_out[0][:2] == ("answers about single objects", 2)


def test_labels_without_a_creator_or_of_another_kind_are_left_out(tmp_path):
    path = json_lines(
        tmp_path / "export.ndjson",
        row("1", label("", radio("q", "a")), label(ANN, radio("q", "a"), label_kind="Model")),
        row("2"),
        row("3", label(ANN, radio("q", "b"), performance_details={"skipped": True})),
        row("4", label(ANN, radio("q", "b")) | {"annotations": {"relationships": [{}]}}),
    )
    export = read_export(path)
    assert {reason: n for reason, n, _ in export.left_out} == {
        "labels of which the export does not name the creator": 1,
        "labels of the kind 'Model'": 1,
        "data rows without labels": 1,
        "relationships between objects": 1,
    }
    assert export.notes == [
        "The export does not name who made some labels: export with label details."
    ]
    assert export.totals()["skipped or ignored answers"] == 1


def test_questions_of_several_projects_are_kept_apart(tmp_path):
    path = json_lines(
        tmp_path / "export.ndjson",
        row("1", label(ANN, radio("q", "a")), project="x", global_key="key 1"),
        row("1", label(ANN, radio("q", "b")), project="y", global_key="key 1"),
    )
    export = read_export(path, text="global_key")
    assert export.questions.question.tolist() == ["project x/q", "project y/q"]
    assert export.texts == {"key 1": "key 1"}
    assert export.labels("project x/q").n_labels == 1


def test_misshapen_data_rows_are_refused_with_their_place(tmp_path):
    path = json_lines(tmp_path / "export.ndjson", row("1", label(ANN, {"name": 1.5})))
    with pytest.raises(ReaderError, match=r"data row 1: the name of a classification is 1\.5"):
        read_export(path)
    other = json_lines(tmp_path / "v1.json", {"ID": "l", "DataRow ID": "r", "Label": {}})
    assert recognise(other) == {}
