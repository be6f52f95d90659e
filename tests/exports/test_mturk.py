"""Batch results of Mechanical Turk: whole and ragged rows, rejected work, every kind of answer."""

import csv
import json
from collections import Counter

import pytest
from written import csv_file

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io import select_labels
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import Span

HEADER = "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.id,Input.text"


def test_rejected_work_is_kept_apart_and_rows_may_lack_their_last_columns(tmp_path):
    path = csv_file(
        tmp_path / "batch.csv",
        HEADER + ",Answer.sentiment,Approve,Reject",
        ["h1", "a1", "W1", "Approved", "t1", "good", "pos"],
        ["h1", "a2", "W2", "Rejected", "t1", "good", "neg"],
        ["h2", "a3", "W1", "Submitted", "t2", "bad", "neg"],
        # A reason for rejecting it, which takes effect when the file is uploaded
        ["h2", "a4", "W2", "Submitted", "t2", "bad", "pos", "", "careless"],
        ["h3", "", "", "", "t3", "so so", ""],
    )
    assert recognise(path) == {"mturk": "batch results"}
    export = read_export(path)
    selection = export.select()
    assert selection.labels.to_frame().values.tolist() == [
        ["t1", "W1", "pos"],
        ["t2", "W1", "neg"],
    ]
    steps = dict(zip(selection.ledger.what, selection.ledger.rows, strict=True))
    assert steps["records read"] == 5
    assert steps["left out: HITs that nobody worked on"] == 1
    assert steps["records with answers"] == 4
    assert steps["left out: rejected answers"] == 2
    assert export.texts["t1"] == "id: t1\ntext: good"
    everything = export.labels(status=("done", "rejected"))
    assert everything.n_labels == 4
    assert select_labels(path, status=("done", "rejected")).labels.n_labels == 4
    assert select_labels(path).labels.n_labels == 2


def test_two_batches_that_show_the_same_are_of_the_same_items(tmp_path):
    path = csv_file(
        tmp_path / "batch.csv",
        HEADER + ",Answer.q",
        ["h1", "a1", "W1", "Approved", "t1", "good", "pos"],
        ["h9", "a2", "W2", "Approved", "t1", "good", "neg"],
        ["h2", "a3", "W1", "Approved", "t2", "bad", "neg"],
    )
    assert read_export(path).labels().items == ("t1", "t2")


def test_without_an_input_that_tells_hits_apart_the_hit_is_the_item(tmp_path):
    path = csv_file(
        tmp_path / "batch.csv",
        HEADER + ",Answer.q",
        ["h1", "a1", "W1", "Approved", "t1", "left", "pos"],
        ["h2", "a2", "W1", "Approved", "t1", "right", "neg"],
        ["h3", "a3", "W1", "Approved", "t2", "left", "neg"],
        ["h4", "a4", "W2", "Approved", "t2", "left", "neg"],
    )
    assert read_export(path).labels().items == ("h1", "h2", "h3")


def pairs(hits, workers, inputs):
    """Give a row for each worker and HIT, all with the same twelve labels."""
    labels = ["pos", "pos", "pos", "neg", "pos", "neg", "neg", "neg", "neg", "pos", "neg", "pos"]
    work = [(hit, who, shown) for hit, shown in zip(hits, inputs, strict=True) for who in workers]
    return [
        [hit, who, "Approved", shown, label]
        for (hit, who, shown), label in zip(work, labels, strict=True)
    ]


@pytest.mark.parametrize("inputs", [["v2"] * 4, ["v2", "v2", "v3", "v3"], ["", "", "", ""]])
def test_an_input_that_is_a_setting_of_the_batch_names_no_item(tmp_path, inputs):
    path = csv_file(
        tmp_path / "batch.csv",
        "HITId,WorkerId,AssignmentStatus,Input.template,Answer.q",
        *pairs(["h1", "h2", "h3", "h4"], ["W1", "W2", "W3"], inputs),
    )
    export = read_export(path)
    labels = export.labels()
    assert labels.items == ("h1", "h2", "h3", "h4")
    # 4 of 12 pairs disagree; of 12 labels 6 are pos: 1 - (4 / 12) / (2 * 6 * 6 / (12 * 11))
    assert krippendorff_alpha(labels).estimate == pytest.approx(7 / 18)
    assert export.notes == ["The Input columns do not distinguish the HITs: each HIT is an item."]


def test_workers_of_their_own_do_not_make_a_constant_input_a_name(tmp_path):
    path = csv_file(
        tmp_path / "batch.csv",
        "HITId,WorkerId,AssignmentStatus,Input.template,Answer.q",
        ["h1", "W1", "Approved", "v2", "pos"],
        ["h1", "W2", "Approved", "v2", "pos"],
        ["h2", "W3", "Approved", "v2", "neg"],
    )
    assert read_export(path).labels().items == ("h1", "h2")


def test_one_item_done_twice_does_not_undo_the_names_of_the_others(tmp_path):
    path = csv_file(
        tmp_path / "batch.csv",
        HEADER + ",Answer.q",
        ["h1", "a1", "W1", "Approved", "t1", "good", "pos"],
        ["h9", "a2", "W1", "Approved", "t1", "good", "neg"],
        ["h2", "a3", "W1", "Approved", "t2", "bad", "neg"],
        ["h3", "a4", "W1", "Approved", "t3", "so so", "neg"],
        ["h4", "a5", "W1", "Approved", "t4", "fine", "pos"],
    )
    export = read_export(path)
    assert export.labels(repeats="first").items == ("t1", "t2", "t3", "t4")
    assert export.notes == []


def test_an_input_longer_than_a_name_is_a_text(tmp_path):
    long = ["x" * 201, "y" * 201]
    path = csv_file(
        tmp_path / "batch.csv",
        "HITId,WorkerId,AssignmentStatus,Input.text,Answer.q",
        ["h1", "W1", "Approved", long[0], "pos"],
        ["h2", "W1", "Approved", long[1], "neg"],
    )
    export = read_export(path)
    assert export.labels().items == ("h1", "h2")
    assert export.texts == {"h1": long[0], "h2": long[1]}


def test_check_boxes_and_radio_buttons_have_a_column_an_option(tmp_path):
    path = csv_file(
        tmp_path / "batch.csv",
        "HITId,WorkerId,AssignmentStatus,Answer.topic.sport,Answer.topic.war,Answer.sure.on",
        ["h1", "W1", "Approved", "true", "true", "false"],
        ["h2", "W1", "Approved", "false", "TRUE", "true"],
        ["h3", "W1", "Approved", "false", "false", "true"],
    )
    export = read_export(path)
    assert export.questions.question.tolist() == ["topic", "sure.on"]
    assert export.questions.kind.tolist() == ["choices", "choice"]
    topics = export.labels("topic", empty="category")
    assert topics.scale == "set"
    assert topics.n_labels == 3
    assert export.labels("topic").n_labels == 2
    assert export.labels("sure.on").to_frame().label.tolist() == ["false", "true", "true"]


def test_check_boxes_of_one_name_have_bars_between(tmp_path):
    path = csv_file(
        tmp_path / "batch.csv",
        "HITId,WorkerId,AssignmentStatus,Answer.colours,Answer.comment",
        ["h1", "W1", "Approved", "red|green", "I like a | in a text"],
        ["h2", "W1", "Approved", "red", ""],
    )
    export = read_export(path)
    kinds = export.questions.set_index("question").kind
    assert kinds.to_dict() == {"colours": "choices", "comment": "choice"}
    assert export.questions.categories.tolist()[1] == ["I like a | in a text"]


def test_forms_of_crowd_elements_are_one_column_of_json(tmp_path):
    forms = [
        {
            "sentiment": {"label": "Positive"},
            "topics": {"labels": ["sport", "war"]},
            "toxic": {"on": True},
            "grade": 4,
            "group": {"yes": False, "no": True},
            "entities": {"entities": [{"startOffset": 0, "endOffset": 4, "label": "person"}]},
        }
    ]
    path = csv_file(
        tmp_path / "batch.csv",
        "HITId,WorkerId,AssignmentStatus,Input.text,Answer.taskAnswers",
        ["h1", "W1", "Approved", "Anna wins", json.dumps(forms)],
    )
    assert recognise(path) == {"mturk": "answers as JSON"}
    export = read_export(path)
    given = dict(zip(export.questions.question, export.questions.categories, strict=True))
    assert given == {
        "sentiment": ["Positive"],
        "topics": ["sport", "war"],
        "toxic": ["on"],
        "grade": ["4"],
        "group": ["no"],
        "entities": ["person"],
    }
    [marks] = export.marks("entities")
    assert (marks.document, marks.annotator) == ("Anna wins", "W1")
    assert marks.spans == (Span(0, 4, "person"),)


def test_several_questions_have_to_be_named(tmp_path):
    path = csv_file(
        tmp_path / "batch.csv",
        "HITId,WorkerId,AssignmentStatus,Answer.q1,Answer.q2,Answer.empty",
        ["h1", "W1", "Approved", "a", "b", "{}"],
    )
    with pytest.raises(AnnotationError, match=r"'q1', 'q2'\. Name one with --question"):
        read_export(path).labels()


def test_hits_without_results_are_refused(tmp_path):
    path = csv_file(tmp_path / "hits.csv", "HITId,WorkerId,Input.text", ["h1", "", "x"])
    with pytest.raises(ReaderError, match=r"HITs without results\. Download the results"):
        read_export(path)


def test_a_column_of_texts_that_is_not_there_is_named(tmp_path):
    path = csv_file(
        tmp_path / "batch.csv",
        "HITId,WorkerId,AssignmentStatus,Input.text,Answer.q",
        ["h1", "W1", "Approved", "x", "a"],
    )
    with pytest.raises(
        ReaderError, match=r"'Input\.txt', given with --text\. Did you mean 'Input\.text'"
    ):
        read_export(path, text="Input.txt")
    assert read_export(path, text="Input.text").texts == {"x": "x"}


@pytest.mark.parametrize("n_slots", [2, 4])
def test_numbered_inputs_and_answers_are_items_of_their_own(tmp_path, n_slots):
    slots = range(1, n_slots + 1)
    inputs = [name for k in slots for name in (f"Input.item_{k}_set", f"Input.field_{k}_1")]
    answers = [f"Answer.Choice{k}" for k in slots]
    header = ",".join(["HITId,AssignmentId,WorkerId,AssignmentStatus", *inputs, *answers])
    rows, labels = [], []
    for hit in range(5):
        for worker in range(3):
            given = [str((hit + k + (worker == 2) * (k % 2)) % 3) for k in slots]
            texts = [name for k in slots for name in ("a", f"Sentence {hit} {k}.")]
            rows.append([f"h{hit}", f"a{hit}{worker}", f"W{worker}", "Approved", *texts, *given])
            rows[-1].append("yes")
            labels += [
                [f"Sentence {hit} {k}.", f"W{worker}", label]
                for k, label in zip(slots, given, strict=True)
            ]
    path = csv_file(tmp_path / "batch.csv", header + ",Answer.english", *rows)
    export = read_export(path)
    if n_slots == 2:  # both answers may be about both sentences
        assert export.questions["question"].tolist() == ["Choice1", "Choice2", "english"]
        return
    selection = select_labels(path)
    assert selection.question == "Choice"
    assert sorted(selection.labels.to_frame().values.tolist()) == sorted(labels)
    assert selection.texts["Sentence 3 2."] == "a\nSentence 3 2."
    assert any("A HIT shows 4 items" in remark for remark in selection.remarks)
    assert any("not compared: 'english'" in remark for remark in selection.remarks)


def test_the_race_numbers_hold_what_was_counted(mirror):
    path = mirror / "exports" / "mturk" / "race_numbers.csv"
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    # Every row lacks the last two of 33 columns.
    assert Counter(len([v for v in row.values() if v is not None]) for row in rows) == {31: 2232}
    assert Counter(row["AssignmentStatus"] for row in rows) == {"Approved": 2096, "Rejected": 136}
    export = read_export(path)
    assert export.variant == "batch results"
    # The boxes, with the numbers as labels; the column of {} is no question.
    assert export.questions.question.tolist() == ["annotation_data"]
    selection = export.select()
    assert selection.ledger[["what", "rows"]].values.tolist() == [
        ["records read", 2232],
        ["records with answers", 2232],
        ["answers to 'annotation_data'", 2232],
        ["left out: rejected answers", 136],
        ["labels", 2096],
    ]
    # An item for every picture, by the shorter of the two inputs that name it
    assert selection.labels.n_items == len({row["Input.image_url"] for row in rows}) == 2096
    assert set(selection.labels.items) == {row["Input.objects_to_find"] for row in rows}
    approved = {row["WorkerId"] for row in rows if row["AssignmentStatus"] == "Approved"}
    assert set(selection.labels.annotators) == approved
    numbers = {
        row["Input.objects_to_find"]: {
            box["label"] for box in json.loads(row["Answer.annotation_data"])
        }
        for row in rows
        if row["AssignmentStatus"] == "Approved"
    }
    assert export.questions.categories[0] == sorted(set().union(*numbers.values()))
    # Each picture was approved once: its label is the set of numbers on it.
    labels = selection.labels
    given = {
        labels.items[i]: set(labels.members[k])
        for i, k in zip(labels.item, labels.label, strict=True)
    }
    assert given == numbers
