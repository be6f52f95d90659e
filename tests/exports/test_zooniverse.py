"""Classification exports of Zooniverse: every kind of task, users who were not logged in."""

import json

import pytest
from written import csv_file

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise

HEADER = [
    "classification_id",
    "user_name",
    "user_id",
    "user_ip",
    "workflow_id",
    "workflow_name",
    "workflow_version",
    "created_at",
    "gold_standard",
    "expert",
    "metadata",
    "annotations",
    "subject_data",
    "subject_ids",
]


def row(user, subject, answers, *, workflow="1", version="3.7", gold=""):
    tasks = [{"task": task, "task_label": f"{task}?", "value": v} for task, v in answers.items()]
    data = json.dumps({subject: {"retired": None, "image": f"img{subject}.png"}})
    about = ["c", user, "", "hash", workflow, "A workflow", version, "2024-05-01 10:00:01 UTC"]
    return [*about, gold, "", "{}", json.dumps(tasks), data, subject]


def write(path, *rows, header=HEADER):
    return csv_file(path, header, *rows)


def test_users_classify_subjects(tmp_path):
    answers = {"101": "YYY", "102": "NYN", "103": "NNN", "104": "YNY"}
    users = ["ann", "bob", "not-logged-in-1"]
    path = write(
        tmp_path / "classifications.csv",
        *(
            row(who, subject, {"T0": {"Y": "Yes", "N": "No"}[answer]})
            for subject, given in answers.items()
            for who, answer in zip(users, given, strict=True)
        ),
    )
    assert recognise(path) == {"zooniverse": "classifications"}
    export = read_export(path)
    labels = export.labels("T0")
    assert labels.items == ("101", "102", "103", "104")
    assert labels.annotators == ("person-1", "person-2", "person-3")
    # 4 of 12 pairs disagree; of 12 labels 6 are Yes: 1 - (4 / 12) / (2 * 6 * 6 / (12 * 11))
    assert krippendorff_alpha(labels).estimate == pytest.approx(7 / 18)
    assert export.texts["101"] == "image: img101.png"
    [note] = export.notes
    assert note.startswith("Annotators who were not logged in: 1.")
    assert read_export(path, keep_names=True).annotators == tuple(users)


def test_each_kind_of_task_has_its_answers(tmp_path):
    dropdown = [
        {"select_label": "Country", "option": True, "value": "a1b2", "label": "Peru"},
        {"select_label": "Year", "option": False, "value": "1901"},
    ]
    fox = {"HOWMANY": "2", "DOING": ["RUNNING", "EATING"]}
    survey = [
        {"choice": "FOX", "answers": fox, "filters": {"LIKE": "DOG"}},
        {"choice": "HARE", "answers": {}, "filters": {}},
    ]
    drawn = [
        {"x": 1.5, "y": 2, "tool": 0, "frame": 0, "details": [{"value": 1}], "tool_label": "Palm"},
        {"x": 3.5, "y": 4, "tool": 1, "frame": 0, "details": []},
    ]
    combo = [{"task": "T7", "value": "day"}, {"task": "T8", "value": ["a"]}]
    answers = {
        "T0": "Yes",
        "T1": ["red", "green"],
        "T2": [],
        "T3": None,
        "T4": survey,
        "T5": dropdown,
        "T6": drawn,
        "T9": combo,
        "T10": {"text": "Dear", "x": 1},
        "T11": 4,
        "T12": {"selection": 6, "option": True},
        "T13": "so long a text that nobody will ever write it in the same words again",
    }
    path = write(tmp_path / "classifications.csv", row("ann", "1", answers))
    export = read_export(path)
    found = export.questions.set_index("question")
    assert found.categories.to_dict() == {
        "T0": ["Yes"],
        "T1": ["green", "red"],
        "T2": [],
        "T3": [],
        "T4": ["FOX", "HARE"],
        "T4.FOX.HOWMANY": ["2"],
        "T4.FOX.DOING": ["EATING", "RUNNING"],
        "T5.Country": ["Peru"],
        "T5.Year": ["1901"],
        "T6": ["Palm", "tool 1"],
        "T7": ["day"],
        "T8": ["a"],
        "T11": ["4"],
        "T12": ["6"],
        "T13": [answers["T13"]],
    }
    assert found.kind["T4"] == "choices"
    assert found.kind["T13"] == "text"
    assert {reason: n for reason, n, _ in export.left_out} == {
        "answers about single marks on a subject": 1,
        "answers of tasks that are not questions": 1,
    }


def test_gold_standards_are_known_answers_and_no_work_of_volunteers(tmp_path):
    path = write(
        tmp_path / "classifications.csv",
        row("ann", "1", {"T0": "Yes", "T1": ["b", "a"]}),
        row("expert", "1", {"T0": "No", "T1": ["b", "a"]}, gold="true"),
    )
    export = read_export(path)
    assert export.select("T0").gold == {"1": "No"}
    assert export.select("T1").gold == {"1": "a; b"}
    assert export.labels("T0").annotators == ("person-1",)
    assert export.labels("T0", status=("done", "curated")).n_labels == 2


def test_tasks_of_several_workflows_are_different_questions(tmp_path):
    path = write(
        tmp_path / "classifications.csv",
        row("ann", "1", {"T0": "Yes"}, workflow="7", version="1.5"),
        row("ann", "1", {"T0": "cat"}, workflow="8"),
        row("bob", "1", {"T0": "Yes"}, workflow="7", version="2.1"),
    )
    export = read_export(path)
    assert export.questions.question.tolist() == ["7/T0", "8/T0"]
    assert export.notes == [
        "Workflow 7 has several major versions, between which its tasks may have changed: 1, 2."
    ]


def test_older_exports_name_the_subject_in_its_data_alone(tmp_path):
    path = write(
        tmp_path / "classifications.csv",
        row("ann", "12", {"T0": "Yes"})[:-1],
        header=HEADER[:-1],
    )
    assert read_export(path).labels("T0").items == ("12",)


def test_rows_without_a_user_or_an_answer_are_counted(tmp_path):
    path = write(
        tmp_path / "classifications.csv",
        row("", "1", {"T0": "Yes"}),
        row("ann", "1", {}),
        row("ann", "2", {"T0": {"points": []}}),
        row("ann", "3", {"T0": "Yes"}),
    )
    export = read_export(path)
    assert {reason: n for reason, n, _ in export.left_out} == {
        "classifications without a user": 1,
        "classifications without an answer that can be compared": 2,
    }
    assert export.totals()["records"] == 4


def test_answers_that_are_no_json_are_refused_with_their_rows(tmp_path):
    broken = row("ann", "1", {"T0": "Yes"})
    broken[11] = "[{"
    path = write(tmp_path / "classifications.csv", broken)
    with pytest.raises(ReaderError, match="row 1: the annotations are not JSON"):
        read_export(path)
    path = write(tmp_path / "some.csv", ["ann", "1"], header=["user_name", "workflow_id"])
    assert recognise(path) == {}
    with pytest.raises(ReaderError, match="Download the classification export"):
        read_export(path, format="zooniverse")
