"""What becomes of answers that a reader pushes: labels, and a ledger that adds up."""

import json

import numpy as np
import pytest

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats.base import ExportFormat, Intake, Options, Source, Span
from annobench.io.formats.export import NOTHING, Export, read_export
from annobench.io.formats.records import csv_records, json_records

FORMAT = ExportFormat("made", "Made", lambda source: "here", lambda source, intake: None, "A note.")


@pytest.fixture
def intake(tmp_path):
    return Intake(tmp_path / "made.jsonl")


def push(intake, rows, **options):
    for where, (item, annotator, label, *rest) in enumerate(rows, start=1):
        intake.read()
        intake.answer(item, annotator, "tone", label, where=where, **dict(*rest), **options)


def names(labels):
    return labels.to_frame().astype(str).to_numpy().tolist()


def ledger(selection):
    return dict(zip(selection.ledger["what"], selection.ledger["rows"], strict=True))


def test_finished_answers_become_labels_and_the_others_are_counted(intake):
    push(
        intake,
        [
            ("x", "ann", "good"),
            ("x", "bob", "bad", {"status": "rejected"}),
            ("y", "ann", "bad", {"status": "skipped"}),
            ("y", "bob", "bad"),
            ("z", "ann", None),
            ("t", "ann", "good", {"control": True}),
        ],
    )
    intake.read(2)
    intake.leave_out(7, "tasks without annotations", 2)
    found = Export(intake, FORMAT, "here").select()
    assert names(found.labels) == [["x", "ann", "good"], ["y", "bob", "bad"]]
    assert ledger(found) == {
        "records read": 8,
        "left out: tasks without annotations": 2,
        "records with answers": 6,
        "answers to 'tone'": 6,
        "left out: rejected answers": 1,
        "left out: skipped or ignored answers": 1,
        "left out: answers on control items": 1,
        "left out: answers that chose nothing": 1,
        "labels": 2,
    }
    assert found.ledger.set_index("what")["first"]["left out: rejected answers"] == "record 2"


def test_status_control_items_and_empty_answers_can_be_used(intake):
    push(
        intake,
        [("x", "ann", "a", {"status": "rejected"}), ("y", "ann", None), ("z", "ann", "b")],
        control=True,
    )
    found = Export(intake, FORMAT, "here").select(
        status=("done", "rejected"), gold_items="use", empty="category"
    )
    assert [row[2] for row in names(found.labels)] == ["a", NOTHING, "b"]


@pytest.mark.parametrize(("repeats", "kept"), [("first", "ac"), ("last", "bc"), ("all", "abc")])
def test_repeated_answers(intake, repeats, kept):
    push(intake, [("x", "ann", "a"), ("x", "ann", "b"), ("x", "bob", "c")])
    export = Export(intake, FORMAT, "here")
    with pytest.raises(AnnotationError, match=r"1 of 3 labels .* 'ann' on 'x' \(record 2\)"):
        export.select()
    found = export.select(repeats=repeats)
    assert "".join(row[2] for row in names(found.labels)) == kept
    assert export.totals()["repeated answers"] == 1


def test_people_get_pseudonyms_in_the_order_of_the_file(intake):
    push(intake, [("x", "a.b@example.org", "a"), ("x", "w7", "b")])
    push(intake, [("y", "Ann Lee", "a")], personal=True)
    hidden = Export(intake, FORMAT, "here")
    assert hidden.labels().annotators == ("person-1", "w7", "person-2")
    assert hidden.pseudonyms == {"a.b@example.org": "person-1", "Ann Lee": "person-2"}
    intake.options = Options(keep_names=True)
    shown = Export(intake, FORMAT, "here")
    assert shown.labels().annotators == ("a.b@example.org", "w7", "Ann Lee")
    assert shown.personal == ("a.b@example.org", "Ann Lee")


def test_several_options_are_sets_and_ratings_are_numbers(intake):
    push(intake, [("x", "ann", ["b", "a"]), ("x", "bob", ["a"]), ("y", "ann", [])])
    labels = Export(intake, FORMAT, "here").labels()
    assert labels.scale == "set"
    assert [set(labels.members[code]) for code in labels.label] == [{"a", "b"}, {"a"}, set()]
    other = Intake(intake.path)
    push(other, [("x", "ann", 4), ("x", "bob", 2.5)])
    ratings = Export(other, FORMAT, "here").labels()
    assert ratings.scale == "interval"
    np.testing.assert_array_equal(ratings.category_values[ratings.label], [4, 2.5])


def test_declared_options_are_the_categories_in_their_order(intake):
    intake.question("tone", "choice", ["worse", "same", "better"])
    push(intake, [("x", "ann", "same"), ("x", "bob", "old")])
    assert Export(intake, FORMAT, "here").labels().categories == ("worse", "same", "better", "old")


def test_one_of_several_questions_has_to_be_named(intake):
    push(intake, [("x", "ann", "a")])
    intake.answer("x", "ann", "topic", "b", where=1)
    export = Export(intake, FORMAT, "here")
    with pytest.raises(AnnotationError, match=r"'tone', 'topic'\. Name one with --question"):
        export.labels()
    with pytest.raises(AnnotationError, match="Did you mean 'topic'"):
        export.labels("topics")
    assert names(export.labels("topic")) == [["x", "ann", "b"]]


def test_an_annotator_who_marked_nothing_is_not_one_who_never_looked(intake):
    intake.read(2)
    intake.marks("d", "ann", "names", [Span(0, 3, "PER")], where=1)
    intake.marks("d", "bob", "names", [], where=2)
    export = Export(intake, FORMAT, "here")
    assert [(m.annotator, len(m.spans)) for m in export.marks("names")] == [("ann", 1), ("bob", 0)]
    assert export.questions.loc[0, ["kind", "answers", "annotators"]].tolist() == ["spans", 1, 2]


def test_a_file_without_an_answer_says_what_it_holds(intake):
    with pytest.raises(ReaderError, match=r"no annotator's answer was found\. Export"):
        intake.check()
    intake.read(3)
    intake.leave_out(1, "tasks without annotations", 2)
    intake.leave_out(3, "predictions of a model")
    what = r"There are tasks without annotations \(2\); predictions of a model \(1\)\."
    with pytest.raises(ReaderError, match=what):
        intake.check()


def test_an_unknown_file_says_what_would_be_known(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("hello")
    with pytest.raises(ReaderError, match=r"a\.txt: unknown format\. Known are tables"):
        read_export(path)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is empty"),
        ('{"a": 1}\n{"a":', "line 2: not JSON"),
        ('{"a": 1}\n[1]\n', "line 2: a JSON list where an object"),
        ('[{"a": 1}, {"a"', "after record 1: the list does not end"),
        ('[{"a": 1} {"a": 2}]', "after record 1: not JSON"),
        ('[{"a": 1}, {"a" 2}, {"a": 3, "b": "long enough"}]', "after record 1: not JSON"),
        ('[{"a": 1}][{"a": 2}]', "text after the end of the list, record 1"),
        ('[{"a": 1}, 2]', "record 2: a JSON int where an object"),
        ('{\n"a": 1', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('[{"a": 1}, {"a": ' + "1" * 5_000 + "}]", "after record 1: not JSON"),
        ('{"a": ' + "1" * 5_000 + "}", "not JSON"),
    ],
)
def test_damaged_json_names_the_place(tmp_path, text, fault):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ReaderError, match=fault):
        list(json_records(path))


@pytest.mark.parametrize("layout", ["lines", "list", "one", "bom"])
def test_json_records_of_every_layout(tmp_path, layout):
    path = tmp_path / "a.json"
    rows = [{"a": 1.5, "b": "é"}] if layout == "one" else [{"a": 1.5, "b": "é"}, {"a": None}]
    text = {
        "lines": "\n".join(map(json.dumps, rows)) + "\n\n",
        "list": json.dumps(rows, indent=1),
        "one": json.dumps(rows[0], indent=1),
        "bom": "\ufeff" + "\n".join(map(json.dumps, rows)),
    }[layout]
    path.write_text(text, encoding="utf-8")
    assert [row for _, row in json_records(path)] == rows


def test_csv_rows_may_be_short_only_if_the_format_says_so(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,b,c\n1,"x\ny",3\n1,2\n', encoding="utf-8")
    rows = list(csv_records(path, ragged=True))
    assert rows == [(1, {"a": "1", "b": "x\ny", "c": "3"}), (2, {"a": "1", "b": "2", "c": ""})]
    with pytest.raises(ReaderError, match=r"row 2 \(line 4\): 2 fields where the header has 3"):
        list(csv_records(path))


def test_elements_longer_than_what_is_read_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("annobench.io.formats.records._CHUNK", 3)
    rows = [{"a": "é" * n, "b": [n, None, True, {"c": -1.5e3}]} for n in range(40)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    assert [row for _, row in json_records(path)] == rows
    path.write_text("[ ]")
    assert list(json_records(path)) == []


def test_whether_an_option_was_chosen_is_a_question_of_its_own(intake):
    push(intake, [("x", "ann", ["b", "a"]), ("x", "bob", ["b"]), ("y", "ann", ["c"])])
    export = Export(intake, FORMAT, "here")
    assert export.questions.loc[0, "categories"] == ["a", "b", "c"]
    assert [row[2] for row in names(export.labels("tone=a"))] == ["yes", "no", "no"]
    assert export.labels("tone=b").categories == ("no", "yes")
    with pytest.raises(AnnotationError, match=r"no option 'd'.* There are 'a', 'b', 'c'"):
        export.labels("tone=d")


def test_an_answer_without_a_name_is_a_fault(intake):
    push(intake, [("x", "ann", "good"), ("", "ann", "bad"), ("y", "", "bad")])
    with pytest.raises(ReaderError) as caught:
        intake.check()
    assert "record 2: an answer without the name" in str(caught.value)
    assert "record 3: an answer without the name" in str(caught.value)


def test_a_label_that_is_no_number_to_calculate_with(intake):
    push(intake, [("x", "ann", float("nan")), ("y", "ann", 10**400), ("z", "ann", -float("inf"))])
    found = Export(intake, FORMAT, "here").select()
    assert names(found.labels) == [["y", "ann", str(10**400)], ["z", "ann", "-inf"]]
    assert ledger(found)["left out: answers that chose nothing"] == 1


def test_a_folder_of_many_files_is_listed_whole(tmp_path):
    n = 10_010
    for number in range(n):
        (tmp_path / f"{number}.csv").touch()
    assert len(Source(tmp_path).files) == n
