"""The reader of doccano, on small files of our own and on exported ones counted by hand."""

import json
import zipfile

import pytest

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import Span
from annobench.io.formats.layers import select_layer

FILE = "ann.jsonl"


def steps(selection):
    return dict(zip(selection.ledger["what"], selection.ledger["rows"], strict=True))


def given(labels):
    frame = labels.to_frame()
    columns = (frame[name].astype(str) for name in ("item", "annotator", "label"))
    return {(item, who): label for item, who, label in zip(*columns, strict=True)}


SILENT = (
    "left out: documents without a label, of which doccano does not say whether they were opened"
)


def test_a_member_is_an_annotator_of_what_is_labelled_and_of_nothing_else(write, tmp_path):
    texts = [{"id": n, "text": f"t{n}", "Comments": []} for n in (1, 2, 3)]
    labels = {"ann": [["pos"], ["neg"], []], "bob": [["neg"], [], []], "cy": [[], [], []]}
    for member, given_labels in labels.items():
        rows = [t | {"label": label} for t, label in zip(texts, given_labels, strict=True)]
        write(rows, f"export/{member}.jsonl")
    assert recognise(tmp_path / "export") == {"doccano": "JSON"}
    export = read_export(tmp_path / "export", keep_names=True)
    found = export.select()
    # Cy never worked, and is no annotator who saw nothing.
    assert given(found.labels) == {("1", "ann"): "pos", ("2", "ann"): "neg", ("1", "bob"): "neg"}
    assert steps(found) == {
        "records read": 9,
        SILENT: 6,
        "records with answers": 3,
        "answers to 'label'": 3,
        "labels": 3,
    }
    assert found.texts == {"1": "t1", "2": "t2", "3": "t3"}
    assert read_export(tmp_path / "export").pseudonyms == {"ann": "person-1", "bob": "person-2"}
    with pytest.raises(ReaderError, match=r"no annotator's answer.*whether they were opened"):
        read_export(tmp_path / "export" / "cy.jsonl")


def test_the_archive_that_doccano_gives_is_read_as_it_is(tmp_path):
    rows = {"ann": ["pos"], "bob": ["neg"]}
    path = tmp_path / "project.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, label in rows.items():
            # Names in an archive may try to lead elsewhere.
            record = {"id": 1, "text": "t1", "label": label}
            archive.writestr(f"../../{member}.jsonl", json.dumps(record))
        archive.writestr("__MACOSX/._ann.jsonl", b"\0")
    assert recognise(path) == {"doccano": "JSON, packed"}
    found = read_export(path, keep_names=True).select()
    assert given(found.labels) == {("1", "ann"): "pos", ("1", "bob"): "neg"}
    assert [file.name for file in tmp_path.iterdir()] == ["project.zip"]
    assert found.ledger.set_index("what").loc["answers to 'label'", "first"] == (
        "ann.jsonl, record 1"
    )


def test_an_archive_that_cannot_be_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "project.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ann.jsonl", json.dumps({"id": 1, "text": "t" * 5_000, "label": ["x"]}))
    whole = path.read_bytes()
    path.write_bytes(whole[:40] + b"xxxx" + whole[44:])
    with pytest.raises(ReaderError, match=r"damaged or encrypted archive.*give the folder"):
        read_export(path, format="doccano")
    path.write_bytes(whole)
    monkeypatch.setattr("annobench.io.archives._MAX_BYTES", 4_000)
    with pytest.raises(ReaderError, match="the archive holds more than"):
        read_export(path, format="doccano")


def test_labels_that_members_share_are_no_persons(write):
    path = write([{"id": 1, "text": "t1", "label": ["pos"]}], "all.jsonl")
    assert read_export(path).labels().annotators == ("all",)


def test_several_labels_are_a_set(write):
    rows = [{"id": 1, "text": "a", "label": ["x", "y"]}, {"id": 2, "text": "b", "label": ["x"]}]
    labels = read_export(write(rows)).labels()
    assert (labels.scale, labels.categories) == ("set", ("{x}", "{x, y}"))


def test_spans_are_lists_or_objects(write):
    entities = [
        {"id": 10, "start_offset": 0, "end_offset": 6, "label": "ORG"},
        {"id": 11, "start_offset": 22, "end_offset": 39, "label": "DATE"},
    ]
    relations = [{"id": 0, "from_id": 11, "to_id": 10, "type": "when"}]
    for name, row in {
        "lists.jsonl": {"label": [[0, 6, "ORG"], [22, 39, "DATE"]]},
        "old.jsonl": {"labels": [[0, 6, "ORG"], [22, 39, "DATE"]], "annotation_approver": None},
        "objects.jsonl": {"entities": entities, "relations": relations},
        "intents.jsonl": {"cats": ["book"], "entities": [[0, 6, "ORG"], [22, 39, "DATE"]]},
    }.items():
        export = read_export(write([{"id": 1, "text": "Text.", **row}], name))
        [marks] = export.marks("entities")
        assert marks.spans == (Span(0, 6, "ORG"), Span(22, 39, "DATE")), name
        assert export.documents == {"1": "Text."}
        expected = (
            ((Span(22, 39, "DATE"), Span(0, 6, "ORG"), "when"),) if "relations" in row else ()
        )
        assert marks.relations == expected
        if "cats" in row:
            assert export.labels().categories == ("book",)


OLD = [
    {"id": 1, "text": "t1", "annotations": [{"label": 3, "user": 7}, {"label": 4, "user": 8}]},
    {"id": 2, "text": "t2", "annotations": []},
    {"id": 3, "text": "t3", "annotations": [{"label": 3, "user": 7}, {"label": 4, "user": 7}]},
]


def test_old_projects_name_users_and_labels_by_numbers(write):
    path = write([row | {"meta": {}, "annotation_approver": None} for row in OLD], "project.jsonl")
    assert recognise(path) == {"doccano": "JSON of version 1.4 and before"}
    found = read_export(path).select()
    expected = {("1", "7"): "{3}", ("1", "8"): "{4}", ("3", "7"): "{3, 4}"}
    assert given(found.labels) == expected
    assert steps(found)[SILENT] == 1


def test_a_file_without_users_is_one_annotator_in_the_old_layout_and_the_new(write):
    rows = [
        {"id": 1, "text": "t1", "annotations": [{"label": 3}]},
        {"id": 2, "text": "t2", "label": ["x"]},
    ]
    labels = read_export(write(rows, "ann.jsonl"), keep_names=True).select().labels
    assert set(given(labels)) == {("1", "ann"), ("2", "ann")}


def test_a_user_called_as_the_file_is_somebody_else(write):
    rows = [{"id": 1, "text": "t1", "annotations": [{"label": 3}, {"label": 4, "user": 7}]}]
    labels = read_export(write(rows, "7.jsonl")).select().labels
    assert given(labels) == {("1", "7 (2)"): "3", ("1", "7"): "4"}


def test_old_projects_mark_spans_and_write_texts(write):
    spans = [{"label": 3, "start_offset": 0, "end_offset": 2, "user": user} for user in (7, 8)]
    texts = [{"text": "Guten Tag", "user": 7}]
    rows = [
        {"id": 1, "text": "t1", "annotations": spans},
        {"id": 2, "text": "t2", "annotations": texts},
    ]
    export = read_export(write(rows))
    first, second = export.marks()
    assert (first.annotator, first.spans) == ("7", (Span(0, 2, "3"),))
    assert (second.annotator, second.spans) == ("8", (Span(0, 2, "3"),))
    frame = export.questions.set_index("question")
    assert frame.loc["text", ["kind", "categories"]].tolist() == ["text", ["Guten Tag"]]


def test_old_csv_has_a_row_an_annotation(write):
    path = write(
        "id,text,annotation_approver,label,user,start_offset,end_offset\n"
        "1,t1,,3,7,0,2\n1,t1,,4,7,3,5\n1,t1,,3,8,0,2\n2,t2,,3,8,1,2\n",
        "project.csv",
    )
    assert recognise(path) == {"doccano": "CSV of version 1.4 and before"}
    found = {(m.document, m.annotator): m.spans for m in read_export(path).marks()}
    assert found == {
        ("1", "7"): (Span(0, 2, "3"), Span(3, 5, "4")),
        ("1", "8"): (Span(0, 2, "3"),),
        ("2", "8"): (Span(1, 2, "3"),),
    }


def test_csv_joins_the_labels_of_a_document(write):
    path = write('id,data,label,Comments\n1,"a, b",x#y,\n2,c,x,\n3,d,,\n', "ann.csv")
    found = read_export(path, keep_names=True).select()
    assert given(found.labels) == {("1", "ann"): "{x, y}", ("2", "ann"): "{x}"}
    assert steps(found)[SILENT] == 1


@pytest.mark.parametrize("column", ["annotator", "coded by"])
def test_a_table_that_may_name_annotators_is_none_of_doccano(write, column):
    path = write(f"text,{column},label\na,ann,x\n", "labels.csv")
    assert "doccano" not in recognise(path)


def test_fasttext_has_labels_before_the_text(write):
    path = write("__label__x __label__y A text.\n\n__label__x B\n", "ann.txt")
    assert recognise(path) == {"doccano": "fastText"}
    labels = read_export(path, keep_names=True).labels()
    assert given(labels) == {("A text.", "ann"): "{x, y}", ("B", "ann"): "{x}"}


def test_regions_of_images_are_left_out(write):
    rows = [{"id": 1, "filename": "a.png", "bbox": [{"x": 1}]}]
    with pytest.raises(ReaderError, match=r"regions in images, audio or video \(1\)"):
        read_export(write(rows))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"label": [[0, 6]]}, r"line|record 2: a span is \[0, 6\], not start, end and label"),
        ({"label": [[6, 0, "X"]]}, "begins at 6 and ends at 0"),
        ({"label": "X"}, "label is 'X', not a list"),
        ({"entities": [], "relations": [{"from_id": 1}]}, "from_id of a relation is 1, none of"),
        ({"id": None, "text": ""}, "neither id nor text"),
    ],
)
def test_a_malformed_record_is_named(write, broken, message):
    rows = [{"id": n, "text": f"t{n}", "label": ["x"]} for n in (1, 2)]
    rows[1] |= broken
    with pytest.raises(ReaderError, match=message):
        read_export(write(rows))


def test_the_ledger_of_an_exported_project_is_as_counted_by_hand(mirror):
    # Counted with a loop: of 447 documents of each member, one marked 370 and the other none.
    folder = mirror / "exports" / "doccano" / "sief"
    export = read_export(folder)
    intake = export._intake
    assert (intake.n_read, intake.n_used) == (894, 370)
    [left_out] = intake.left_out.values()
    assert left_out.n == 77 + 447
    marked = export.marks()
    assert {marks.annotator for marks in marked} == {"person-1"}
    assert export.pseudonyms == {"member_a": "person-1"}
    assert sum(len(marks.spans) for marks in marked) == 18_288
    assert sum(len(marks.relations) for marks in marked) == 9_056
    with pytest.raises(ReaderError, match=r"whether they were opened \(447\)"):
        read_export(folder / "member_b.jsonl")


@pytest.mark.parametrize(
    ("file", "labels", "spans"),
    [
        ("text_classification/example.csv", 3, 0),
        ("text_classification/example.json", 3, 0),
        ("text_classification/example.jsonl", 3, 0),
        ("text_classification/example.txt", 3, 0),
        ("sequence_labeling/example.jsonl", 0, 4),
        ("relation_extraction/example.jsonl", 0, 4),
    ],
)
def test_the_examples_of_doccano_are_read(mirror, file, labels, spans):
    export = read_export(mirror / "exports" / "doccano" / "examples" / file)
    assert sum(len(marks.spans) for marks in export.marks()) == spans
    if labels:
        found = export.labels()
        assert (found.n_labels, found.categories) == (labels, ("negative", "positive"))


def test_offsets_are_those_of_a_browser(write):
    # An emoji is one character, and two units of UTF-16.
    record = {"id": 1, "text": "\U0001f600 Ada met Bob", "label": [[3, 6, "PER"], [11, 14, "PER"]]}
    path = write([record])
    [marked] = read_export(path).marks("entities")
    assert [record["text"][span.start : span.end] for span in marked.spans] == ["Ada", "Bob"]


def test_spans_behind_emojis_of_an_exported_project_are_words(mirror):
    export = read_export(mirror / "exports" / "doccano" / "sief" / "member_a.jsonl")
    marks = select_layer(export).marks
    text = marks.texts[marks.documents.index("9056")]
    spans = marks.spans[marks.documents.index("9056"), 0]
    assert any(ord(character) > 0xFFFF for character in text)
    assert text[spans[-1].start : spans[-1].end] == "China"
