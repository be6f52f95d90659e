"""The reader of Argilla, on small files of our own in the layouts of its versions."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import Span

ANN, BOB = "0a1b", "2c3d"
SPANS = [{"start": 0, "end": 2, "label": "ORG"}]


@pytest.fixture
def write(tmp_path):
    def call(rows, name="records.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if name.endswith(".parquet"):
            pq.write_table(rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows), path)
        else:
            path.write_text(json.dumps(rows))
        return path

    return call


def steps(selection):
    return dict(zip(selection.ledger["what"], selection.ledger["rows"], strict=True))


def given(labels):
    frame = labels.to_frame()
    columns = (frame[name].astype(str) for name in ("item", "annotator", "label"))
    return {(item, who): label for item, who, label in zip(*columns, strict=True)}


def by_user(user, status="submitted", **answers):
    values = {question: {"value": value} for question, value in answers.items()}
    return {"user_id": user, "status": status, "values": values}


def fields(number, *responses, **more):
    record = {"id": f"r{number}", "fields": {"text": f"t{number}"}, "suggestions": []}
    return record | {"responses": list(responses)} | more


RECORDS = [
    fields(1, by_user(ANN, mood="good"), by_user(BOB, mood="bad")),
    fields(2, by_user(ANN, mood="good"), by_user(BOB, "draft", mood="bad")),
    fields(3, by_user(ANN, "discarded", mood="good")),
    fields(4, suggestions=[{"question_name": "mood", "value": "good"}]),
]
LABELS = {("r1", ANN): "good", ("r1", BOB): "bad", ("r2", ANN): "good"}
LEDGER = {
    "records read": 5,  # four, and a suggestion
    "left out: records without a response": 1,
    "left out: suggestions of a model": 1,
    "records with answers": 3,
    "answers to 'mood'": 5,
    "left out: skipped or ignored answers": 1,
    "left out: unfinished or expired answers": 1,
    "labels": 3,
}


def in_columns(record, version):
    """Write a record by user as a row of a data set."""
    row = {"text": record["fields"]["text"]}
    answers = [
        {"user_id": r["user_id"], "value": r["values"]["mood"]["value"], "status": r["status"]}
        for r in record["responses"]
    ]
    suggested = record["suggestions"][0]["value"] if record["suggestions"] else None
    if version == 1:
        row |= {"external_id": record["id"], "mood": answers, "mood-suggestion": suggested}
        return row
    columns = {"": "value", ".users": "user_id", ".status": "status"}
    row |= {f"mood.responses{end}": [a[key] for a in answers] for end, key in columns.items()}
    return row | {"id": record["id"], "status": "completed", "mood.suggestion": suggested}


@pytest.mark.parametrize(
    ("name", "make", "variant"),
    [
        ("records.json", lambda record: record, "1.x, JSON"),
        ("records.parquet", lambda record: in_columns(record, 1), "1.x, Parquet"),
        ("records.parquet", lambda record: in_columns(record, 2), "2.x, Parquet"),
    ],
)
def test_only_submitted_responses_are_labels(write, name, make, variant):
    path = write([make(record) for record in RECORDS], name)
    assert recognise(path)["argilla"] == variant
    export = read_export(path, format="argilla")
    found = export.select()
    assert given(found.labels) == LABELS
    assert steps(found) == LEDGER
    assert found.texts["r1"] == "t1"
    with_drafts = export.labels(status=("done", "unfinished", "skipped"))
    assert given(with_drafts)["r2", BOB] == "bad"


def test_json_of_version_2_does_not_say_what_was_submitted(write):
    answers = [{"value": "good", "user_id": ANN}, {"value": "bad", "user_id": BOB}]
    record = {"id": "r1", "fields": {"text": "t1"}, "metadata": {}, "vectors": {}}
    record |= {"suggestions": {"mood": {"value": "good"}}, "responses": {"mood": answers}}
    path = write([record])
    assert recognise(path) == {"argilla": "2.x, JSON, without the status of responses"}
    found = read_export(path).select()
    assert given(found.labels) == {("r1", ANN): "good", ("r1", BOB): "bad"}
    assert steps(found)["left out: suggestions of a model"] == 1


def test_each_question_has_its_kind(write):
    answers = {
        "mood": "good",
        "topics": ["a", "b"],
        "stars": 4,
        "ner": SPANS,
        "order": [{"value": "x", "rank": 1}, {"value": "y", "rank": 2}],
    }
    none = {"topics": [], "ner": []}
    export = read_export(write([fields(1, by_user(ANN, **answers), by_user(BOB, **none))]))
    frame = export.questions.set_index("question")
    kinds = {"mood": "choice", "topics": "choices", "stars": "rating", "ner": "spans"}
    assert frame["kind"].to_dict() == kinds
    first, second = export.marks("ner")
    assert (first.spans, second.spans) == ((Span(0, 2, "ORG"),), ())
    assert export.documents == {"r1": "t1"}
    assert steps(export.select("topics"))["left out: answers that chose nothing"] == 1
    assert steps(export.select("topics"))["left out: rankings"] == 1


def test_a_folder_of_a_data_set_declares_its_questions(write, tmp_path):
    options = [{"value": name, "text": name.title()} for name in ("bad", "fair", "good")]
    settings = [
        {"name": "mood", "settings": {"type": "label_selection", "options": options}},
        {"name": "why", "settings": {"type": "text"}},
        {"name": "order", "settings": {"type": "ranking"}},
    ]
    write([fields(1, by_user(ANN, mood="good", why="Because."))], "set/records.json")
    (tmp_path / "set" / ".argilla").mkdir()
    write({"questions": settings}, "set/.argilla/settings.json")
    export = read_export(tmp_path / "set")
    assert export.kind("why") == "text"
    assert export.labels().categories == ("bad", "fair", "good")


def test_parquet_may_hold_numbers_of_classes_and_objects_of_lists(write):
    about = {"feature": {"names": ["bad", "good"], "_type": "ClassLabel"}, "_type": "Sequence"}
    info = {"info": {"features": {"mood.responses": about, "text": {"dtype": "string"}}}}
    spans = {key: [span[key] for span in SPANS] for key in SPANS[0]}
    row = {"id": "r1", "text": "t1"}
    for question, value in {"mood": 1, "ner": spans}.items():
        row |= {f"{question}.responses": [value], f"{question}.responses.users": [ANN]}
        row |= {f"{question}.responses.status": ["submitted"]}
    table = pa.Table.from_pylist([row])
    export = read_export(
        write(table.replace_schema_metadata({"huggingface": json.dumps(info)}), "a.parquet"),
        format="argilla",
    )
    assert export.labels("mood").categories == ("good",)
    assert export.marks("ner")[0].spans == (Span(0, 2, "ORG"),)


def test_names_of_classes_of_a_column_that_is_not_there(write):
    about = {"feature": {"names": ["bad"], "_type": "ClassLabel"}, "_type": "Sequence"}
    info = {"info": {"features": {"stars.responses": about}}}
    table = pa.Table.from_pylist([in_columns(RECORDS[0], 2)])
    path = write(table.replace_schema_metadata({"huggingface": json.dumps(info)}), "a.parquet")
    assert read_export(path, format="argilla").labels("mood").categories == ("bad", "good")


def test_names_of_classes_that_contradict_their_copy_are_refused(write):
    about = {"feature": {"names": ["bad", "good"], "_type": "ClassLabel"}, "_type": "Sequence"}
    info = {"info": {"features": {"mood.responses": about}}}
    row = {"id": "r1", "mood.responses": [1], "mood.responses.users": [ANN]}
    table = pa.Table.from_pylist([row])
    path = write(table.replace_schema_metadata({"huggingface": json.dumps(info)}), "a.parquet")
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"good"', b'"food"', 1))
    with pytest.raises(ReaderError, match="two copies of the names of classes differ"):
        read_export(path, format="argilla")


def test_lists_of_an_object_are_of_one_length(write):
    spans = {"start": [0, 3], "end": [2], "label": ["A", "B"]}
    row = {"id": "r1", "text": "t1", "ner.responses": [spans], "ner.responses.users": [ANN]}
    with pytest.raises(ReaderError, match=r"record 1: .* has lists of several lengths"):
        read_export(write([row], "a.parquet"), format="argilla")


def old(number, annotation, status="Validated", **more):
    record = {"id": number, "text": f"t{number}", "prediction": None, "annotation": annotation}
    return record | {"annotation_agent": "ann", "status": status} | more


def test_older_records_have_one_annotation(write):
    path = write(
        [
            old(1, "good"),
            old(2, "bad", "Discarded", prediction=[{"label": "bad", "score": 0.9}]),
            old(3, None, "Default"),
        ]
    )
    assert recognise(path) == {"argilla": "1.x, one annotation a record, JSON"}
    export = read_export(path, keep_names=True)
    found = export.select()
    assert given(found.labels) == {("1", "ann"): "good"}
    assert steps(found) == {
        "records read": 4,
        "left out: predictions of a model": 1,
        "left out: records without an annotation": 1,
        "records with answers": 2,
        "answers to 'annotation'": 2,
        "left out: skipped or ignored answers": 1,
        "labels": 1,
    }
    assert read_export(path).pseudonyms == {"ann": "person-1"}
    several = read_export(write([old(1, ["a", "b"], multi_label=True)])).labels()
    assert several.categories == ("{a, b}",)
    tokens = read_export(
        write([old(1, SPANS, tokens=["t1"]), old(2, [["ORG", 0, 2]], tokens=["t2"])])
    )
    assert [marks.spans for marks in tokens.marks()] == [(Span(0, 2, "ORG"),)] * 2


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"responses": 3}, "record 2: responses is 3, not a list"),
        ({"responses": [by_user(ANN, "lost", mood="x")]}, "the status of a response is 'lost'"),
        ({"responses": [by_user(ANN, mood={"x": 1})]}, "the answer to 'mood' is"),
        ({"responses": [by_user(ANN, mood=[{"start": 3, "end": 1}])]}, "begins at 3 and ends at 1"),
    ],
)
def test_a_malformed_record_is_named(write, broken, message):
    with pytest.raises(ReaderError, match=message):
        read_export(write([RECORDS[0], RECORDS[1] | broken]))


def test_columns_that_do_not_fit_are_named(write):
    row = in_columns(RECORDS[0], 2)
    row["mood.responses.users"] = [ANN]
    with pytest.raises(ReaderError, match=r"record 1: mood\.responses has 2 values and 1 users"):
        read_export(write([row], "a.parquet"), format="argilla")


def test_a_damaged_parquet_file_is_refused(write):
    path = write([in_columns(record, 2) for record in RECORDS], "a.parquet")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ReaderError, match="truncated or no Parquet file"):
        read_export(path, format="argilla")
