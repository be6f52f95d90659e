"""The reader of Label Studio, on small files of our own and on exported ones counted by hand."""

import csv
import json

import pytest
from typer.testing import CliRunner

from annobench.agreement import krippendorff_alpha
from annobench.cli import app
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io import read_labels
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import Span

FILE = "project.json"

ANN = {"id": 11, "email": "ann@example.org", "first_name": "", "last_name": ""}
BOB = {"id": 12, "email": "bob@example.org", "first_name": "", "last_name": ""}


def result(kind, question, **value):
    return {"id": "r1", "type": kind, "from_name": question, "to_name": "text", "value": value}


def choice(*options):
    return result("choices", "sentiment", choices=list(options))


def span(start, end, *labels, region="r1"):
    value = {"start": start, "end": end, "text": "", "labels": list(labels)}
    return {"id": region, "type": "labels", "from_name": "ner", "to_name": "text", "value": value}


def annotation(number, who, *results, **more):
    return {"id": number, "completed_by": who, "result": list(results), **more}


def task(number, *annotations, **more):
    data = {"text": f"The text of {number}."}
    return {"id": number, "data": data, "annotations": list(annotations), **more}


def steps(selection):
    return dict(zip(selection.ledger["what"], selection.ledger["rows"], strict=True))


def given(selection):
    """Return what each annotator gave each item."""
    frame = selection.labels.to_frame()
    columns = (frame[name].astype(str) for name in ("item", "annotator", "label"))
    return {(item, who): label for item, who, label in zip(*columns, strict=True)}


def test_an_answer_is_an_annotation_and_not_a_prediction_or_a_draft(write):
    path = write(
        [
            task(
                1,
                annotation(101, ANN, choice("good")),
                annotation(102, BOB, choice("bad")),
                predictions=[{"id": 7, "result": [choice("bad")]}],
                drafts=[{"id": 5, "user": "bob@example.org", "result": [choice("good")]}],
            ),
            task(
                2,
                annotation(103, ANN, choice("good"), was_cancelled=True),
                annotation(104, BOB, choice("good")),
            ),
            task(3),
        ]
    )
    assert recognise(path) == {"label_studio": "JSON"}
    export = read_export(path, keep_names=True)
    found = export.select()
    assert given(found) == {
        ("1", "ann@example.org"): "good",
        ("1", "bob@example.org"): "bad",
        ("2", "bob@example.org"): "good",
    }
    assert steps(found) == {
        "records read": 7,  # four annotations, a draft, a prediction, a task without annotations
        "left out: predictions of a model": 1,
        "left out: tasks without annotations": 1,
        "records with answers": 5,
        "answers to 'sentiment'": 5,
        "left out: skipped or ignored answers": 1,
        "left out: unfinished or expired answers": 1,
        "labels": 3,
    }
    assert found.texts["1"] == "The text of 1."
    with_drafts = export.select(status=("done", "unfinished"), repeats="last")
    assert given(with_drafts)["1", "bob@example.org"] == "good"


@pytest.mark.parametrize(
    ("who", "name"),
    [
        (11, "11"),
        (ANN, "ann@example.org"),
        ({"id": 11, "email": "", "first_name": "Ann", "last_name": "Lee"}, "Ann Lee"),
        ({"id": 11}, "11"),
        (None, "project"),
    ],
)
def test_an_annotator_is_a_number_or_a_person(write, who, name):
    path = write([task(1, annotation(101, who, choice("good")))])
    assert read_export(path, keep_names=True).labels().annotators == (name,)
    pseudonym = "11" if name == "11" else "person-1"
    assert read_export(path).labels().annotators == (pseudonym,)
    by_file = read_export(path, annotator_from="file", keep_names=True)
    assert by_file.labels().annotators == ("project",)


def test_an_annotation_without_an_answer_chose_nothing(write):
    path = write([task(1, annotation(101, 11, choice("good")), annotation(102, 12))])
    export = read_export(path)
    assert steps(export.select())["left out: answers that chose nothing"] == 1
    assert given(export.select(empty="category"))["1", "12"] == "(nothing)"


def test_a_repeated_annotation_has_to_be_decided_on(write):
    first, second = choice("good"), choice("bad")
    path = write([task(1, annotation(101, 11, first), annotation(102, 11, second))])
    export = read_export(path)
    with pytest.raises(AnnotationError, match=r"annotation 102.*--repeats first"):
        export.labels()
    assert given(export.select(repeats="last")) == {("1", "11"): "bad"}


def test_what_a_reviewer_rejected_is_rejected(write):
    path = write(
        [
            task(1, annotation(101, 11, choice("good"), last_action="rejected")),
            task(2, annotation(102, 11, choice("bad"), last_action="accepted")),
        ]
    )
    assert steps(read_export(path).select())["left out: rejected answers"] == 1


def test_a_ground_truth_is_a_known_answer_and_its_annotators_label(write):
    path = write([task(1, annotation(101, 11, choice("good"), ground_truth=True))])
    found = read_export(path).select()
    assert found.gold == {"1": "good"}
    assert given(found) == {("1", "11"): "good"}


def test_each_control_is_a_question_of_its_kind(write):
    path = write(
        [
            task(
                1,
                annotation(
                    101,
                    11,
                    choice("good", "short"),
                    result("taxonomy", "topic", taxonomy=[["sports"], ["sports", "tennis"]]),
                    result("rating", "stars", rating=4),
                    result("number", "age", number=41.5),
                    result("textarea", "why", text=["First.", "Second."]),
                    result("pairwise", "better", selected="left"),
                ),
            )
        ]
    )
    export = read_export(path)
    kinds = dict(zip(export.questions["question"], export.questions["kind"], strict=True))
    assert kinds == {
        "sentiment": "choices",
        "topic": "choices",
        "stars": "rating",
        "age": "rating",
        "why": "text",
        "better": "choice",
    }
    assert export.labels("sentiment").scale == "set"
    assert export.labels("topic").categories == ("{sports, sports / tennis}",)
    assert export.labels("stars").categories == ("4",)
    assert export.labels("better").categories == ("left",)
    frame = export.questions.set_index("question")
    assert frame.loc["why", "categories"] == ["First.\nSecond."]


def test_spans_and_relations_are_marks_of_a_document(write):
    spans = [span(0, 3, "ORG", region="a"), span(8, 11, "PER", "LOC", region="b")]
    right = {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"}
    left = right | {"direction": "left", "labels": ["owns"]}
    lost = right | {"to_id": "z"}
    path = write([task(1, annotation(101, 11, *spans, right, left, lost), annotation(102, 12))])
    export = read_export(path)
    first, second = export.marks("ner")
    assert first.spans == (Span(0, 3, "ORG"), Span(8, 11, "PER"), Span(8, 11, "LOC"))
    assert first.relations == (
        (Span(0, 3, "ORG"), Span(8, 11, "PER"), "relation"),
        (Span(8, 11, "PER"), Span(0, 3, "ORG"), "owns"),
    )
    assert (second.annotator, second.spans) == ("12", ())  # saw the text and marked nothing
    assert export.documents == {"1": "The text of 1."}
    [reason] = export._intake.left_out.values()
    assert reason[:2] == ("relations between regions that are not spans of text", 1)


@pytest.mark.parametrize(("start", "end"), [(12, 22), (13, 23)])
def test_spans_after_an_emoji_are_counted_in_characters(write, start, end):
    # JavaScript counts the emoji as two, and so did older versions.
    marked = span(start, end, "X")
    marked["value"]["text"] = "annotation"
    one = task(1, annotation(101, 11, marked)) | {
        "data": {"text": "\U0001f4a9This is an annotation."}
    }
    export = read_export(write([one]))
    assert export.marks("ner")[0].spans == (Span(12, 22, "X"),)
    assert export.documents["1"][12:22] == "annotation"


def test_spans_of_html_stand_at_their_place_in_the_text(write):
    place = {"start": "/p[1]/text()[1]", "end": "/p[1]/text()[1]", "startOffset": 2, "endOffset": 4}
    whole = place | {"globalOffsets": {"start": 12, "end": 14}, "hypertextlabels": ["X"]}
    lost = place | {"hypertextlabels": ["X"]}
    results = [result("hypertextlabels", "ner", **value) for value in (whole, lost)]
    export = read_export(write([task(1, annotation(101, 11, *results))]))
    [marks] = export.marks()
    assert marks.spans == (Span(12, 14, "X"),)
    assert "left out: spans of HTML or dialogues without a position in the text" in {
        f"left out: {reason}" for reason in export._intake.left_out
    }


BOX = {"x": 1.0, "y": 2.0, "width": 3.0, "height": 4.0}


def shape(label, kind="rectanglelabels"):
    return result(kind, "box", **BOX, **{kind: [label]})


def test_shapes_on_an_image_are_present_or_not(write):
    tasks = [
        task(1, annotation(101, 11, shape("Car")), annotation(102, 12, shape("Car"))),
        task(2, annotation(103, 11, shape("Bus")), annotation(104, 12, shape("Car"))),
        task(3, annotation(105, 11, shape("Bus")), annotation(106, 12, shape("Bus"))),
        task(4, annotation(107, 11, shape("Car")), annotation(108, 12, shape("Car"))),
    ]
    labels = read_export(write(tasks)).labels("box")
    # One of 4 pairs disagrees; of 8 labels 5 are Car: 1 - (1 / 4) / (2 * 5 * 3 / (8 * 7))
    assert krippendorff_alpha(labels).estimate == pytest.approx(8 / 15)
    several = annotation(101, 11, shape("Car"), shape("Car"), shape("Sky", "polygonlabels"))
    export = read_export(write([task(1, several, annotation(102, 12))]))
    assert export.combined_options("box") == ("Car", "Sky")
    assert export.labels("box", empty="category").n_labels == 2
    assert export.labels("box=Car", empty="category").to_frame().label.tolist() == ["yes", "no"]


def test_each_element_of_a_ranking_is_an_item(write):
    def ranked(*elements):
        return result("ranker", "rank", ranker={"rank": list(elements)})

    tasks = [task(1, annotation(101, 11, ranked("p", "q")), annotation(102, 12, ranked("q", "p")))]
    export = read_export(write(tasks))
    assert export.kind("rank") == "rating"
    assert export.labels("rank").to_frame().values.tolist() == [
        ["1 p", "11", "1"],
        ["1 q", "11", "2"],
        ["1 q", "12", "1"],
        ["1 p", "12", "2"],
    ]
    buckets = {"good": ["p"], "bad": ["q"], "_": ["r"]}
    export = read_export(
        write([task(1, annotation(101, 11, result("ranker", "b", ranker=buckets)))])
    )
    assert export.labels("b").to_frame().values.tolist() == [
        ["1 p", "11", "good"],
        ["1 q", "11", "bad"],
    ]
    assert export.totals()["answers that chose nothing"] == 1


def test_regions_and_answers_about_them_are_counted_and_left_out(write):
    box = BOX
    results = [
        choice("good"),
        result("rectanglelabels", "box", **box, rectanglelabels=[]),
        result("choices", "colour", **box, choices=["red"]),
        result("labels", "sound", start=0.5, end=1.5, channel=0, labels=["Speech"]),
    ]
    found = read_export(write([task(1, annotation(101, 11, *results))])).select()
    assert steps(found) == {
        "records read": 4,  # the annotation, and three of its results
        "left out: regions without a label": 1,
        "left out: answers about a region of an item": 1,
        "left out: regions in images, audio or video": 1,
        "records with answers": 1,
        "answers to 'sentiment'": 1,
        "labels": 1,
    }


def test_the_files_of_a_folder_are_projects_of_their_own(write, tmp_path):
    write([task(1, annotation(101, 11, choice("good")))], "one.json")
    stars = result("rating", "stars", rating=4)
    write([task(2, annotation(102, 11, stars))], "two.json")
    write("<View/>", "config.xml")
    export = read_export(tmp_path)
    # The question of one project was not asked in the other, so nothing was left open there.
    assert dict(zip(export.questions["question"], export.questions["answers"], strict=True)) == {
        "sentiment": 1,
        "stars": 1,
    }
    ledger = export.select("stars").ledger.set_index("what")["first"]
    assert ledger["answers to 'stars'"] == "two.json, annotation 102"
    assert ledger["left out: files of other kinds"] == "config.xml, file 1"


OLD = {"id": 1, "data": {"text": "x"}, "completions": [{"id": 1, "result": [choice("good")]}]}


def test_old_exports_call_annotations_completions(write):
    export = read_export(write([OLD]), keep_names=True)
    assert given(export.select()) == {("1", "project"): "good"}


MIN = [
    {"text": "t1", "id": 1, "sentiment": "good", "annotator": 11, "annotation_id": 101},
    {"text": "t1", "id": 1, "sentiment": "bad", "annotator": 12, "annotation_id": 102},
    {"text": "t2", "id": 2, "sentiment": {"choices": ["good", "bad"]}, "annotator": 11}
    | {"annotation_id": 103},
    {"text": "t3", "id": 3, "annotator": None, "annotation_id": None},
]
LABELS = {("1", "11"): "{good}", ("1", "12"): "{bad}", ("2", "11"): "{bad, good}"}


def test_json_min_mixes_answers_and_data(write):
    path = write([row | {"lead_time": 1.5} for row in MIN])
    assert recognise(path) == {"label_studio": "JSON-MIN"}
    found = read_export(path).select()
    assert given(found) == LABELS
    assert found.question == "sentiment"
    assert steps(found)["left out: tasks without annotations"] == 1
    assert found.texts == {"1": "t1", "2": "t2"}


@pytest.mark.parametrize(("delimiter", "variant"), [(",", "CSV"), ("\t", "TSV")])
def test_csv_is_read_with_commas_and_with_tabs(tmp_path, delimiter, variant):
    path = tmp_path / "project.csv"
    names = ["annotation_id", "annotator", "id", "lead_time", "sentiment", "ner", "text"]
    spans = [{"start": 0, "end": 2, "text": "t1", "labels": ["X"]}]
    rows = [
        [101, "ann@example.org", 1, 1.5, "good", json.dumps(spans), "t1, with a\nline end"],
        [102, "bob@example.org", 1, 1.5, "bad", "", "t1, with a\nline end"],
        [103, "ann@example.org", 2, 1.5, '{"choices": ["good", "bad"]}', "", "t2"],
        ["", "", 3, "", "", "", "t3"],
    ]
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerows([names, *rows])
    assert recognise(path) == {"label_studio": variant}
    export = read_export(path)
    found = export.select("sentiment")
    assert found.labels.n_labels == 3
    assert found.labels.n_annotators == 2
    assert export.pseudonyms == {"ann@example.org": "person-1", "bob@example.org": "person-2"}
    assert export.marks("ner")[0].spans == (Span(0, 2, "X"),)
    assert steps(found)["left out: tasks without annotations"] == 1


def test_a_column_of_answers_that_cannot_be_told_is_asked_for(write):
    rows = [
        {"text": f"t{n}", "genre": "news", "mood": "good", "id": n, "annotator": 11}
        | {"annotation_id": 100 + n, "lead_time": 1.0}
        for n in range(4)
    ]
    path = write(rows)
    with pytest.raises(ReaderError, match=r"'genre', 'mood', 'text'\. Name it with --question"):
        read_export(path)
    assert read_export(path, question="mood").labels("mood").n_labels == 4


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"id": None}, r"record 1: the id of a task is None"),
        ({"annotations": [3]}, r"record 1: one of the annotations is 3, not an object"),
        ({"annotations": [annotation(1, 11, choice("a") | {"value": 5})]}, r"not an object"),
        ({"annotations": [annotation(1, 11, result("rating", "q", rating="a"))]}, "not a number"),
        ({"annotations": [annotation(1, 11, span(5, 2, "A"))]}, r"begins at 5 and ends at 2"),
    ],
)
def test_a_malformed_task_is_named(write, broken, message):
    with pytest.raises(ReaderError, match=message):
        read_export(write([task(1) | broken]))


#: Counted with a loop over the JSON of each file: annotations, drafts, drafts without a result,
#: skipped annotations, annotations without a category, repeated answers, labels, spans, tasks
#: with a known answer.
LEOKA = {
    1: (389, 5, 2, 0, 6, 0, 383, 3260, 128),
    2: (390, 2, 0, 2, 2, 0, 386, 3260, 130),
    3: (390, 11, 1, 0, 3, 0, 387, 3512, 129),
    4: (361, 7, 2, 2, 2, 0, 357, 3093, 130),
    6: (332, 17, 3, 0, 2, 1, 329, 2626, 130),
}


@pytest.mark.parametrize("team", LEOKA)
def test_the_ledger_of_an_exported_project_is_as_counted_by_hand(mirror, team):
    made, drafts, empty, skipped, nothing, again, labels, spans, truths = LEOKA[team]
    export = read_export(mirror / "exports" / "label_studio" / f"LEOKA_team_{team}.json")
    found = export.select("Category", repeats="last")
    ledger = steps(found)
    assert ledger.pop("records read") == made + drafts
    assert ledger.pop("left out: drafts without an answer or a span", 0) == empty
    assert ledger.pop("records with answers") == made + drafts - empty
    assert ledger.pop("answers to 'Category'") >= made
    assert ledger.pop("left out: skipped or ignored answers", 0) == skipped
    assert ledger.pop("left out: unfinished or expired answers") <= drafts - empty
    assert ledger.pop("left out: answers that chose nothing") == nothing
    assert ledger.pop("left out: repeated labels, of which the last is kept", 0) == again
    assert ledger.pop("labels") == labels == found.labels.n_labels
    assert not ledger
    assert sum(len(marks.spans) for marks in export.marks("label")) == spans
    assert len(found.gold) == truths
    assert found.labels.n_annotators == 3
    assert all(name.startswith("person-") for name in found.labels.annotators)


#: By file of the converter's own tests: records read, and what becomes of them.
CONVERTER = {
    "test_export_csv/csv_test2.json": ("uri_selection", 1),
    "test_export_csv/csv_test_colliding_keys.json": ("text", 1),
    "test_export_csv/csv_test_colliding_keys_mixed.json": ("text", 1),
    "test_export_csv/csv_test_history.json": ("sentiment", 1),
    "test_export_json_min/data.json": ("label", 1),
    "test_export_json_min/data_repeater.json": ("labels_0", 1),
}


@pytest.mark.parametrize("file", CONVERTER)
def test_the_files_of_the_converters_tests_are_read(mirror, file):
    question, labels = CONVERTER[file]
    found = read_export(mirror / "exports" / "label_studio" / "sdk" / file).select()
    assert (found.question, found.labels.n_labels) == (question, labels)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("test_export_csv/csv_test2_result.csv", "which column holds the answers can't be told"),
        ("test_export_json_min/chat_data.json", r"results that are no labels \(4\)"),
        ("test_export_json_min/label_config_repeater.json", "unknown format"),
    ],
)
def test_a_file_without_labels_is_refused_with_the_reason(mirror, file, message):
    with pytest.raises(ReaderError, match=message):
        read_export(mirror / "exports" / "label_studio" / "sdk" / file)


def test_the_tokens_of_a_document_that_nobody_marked_are_items(write, tmp_path):
    marked = [annotation(101, 11, span(0, 3, "X")), annotation(102, 12)]
    blank = [annotation(201, 11), annotation(202, 12)]
    path = write([task(1, *marked), task(2, *blank)])
    assert read_export(path).documents == {"1": "The text of 1.", "2": "The text of 2."}
    words = ["convert", str(path), str(tmp_path / "tokens.csv"), "--spans", "tokens"]
    assert CliRunner().invoke(app, words).exit_code == 0
    labels = read_labels(tmp_path / "tokens.csv")
    # Two texts of five tokens, of which one is marked by one annotator of two: of 20 labels one
    # is an X, so that 1 pair of 10 differs, and 19 of 190 pairs of labels do.
    assert labels.n_items == 10
    assert krippendorff_alpha(labels).estimate == pytest.approx(0, abs=1e-12)
