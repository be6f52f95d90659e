"""The reader of Prodigy, on small files of our own and on exported ones counted by hand."""

import pytest
from written import json_lines

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import Span

OPTIONS = [{"id": "POS", "text": "positive"}, {"id": "NEG", "text": "negative"}]
NUMBERED = [{"id": 1, "text": "positive"}, {"id": 2, "text": "negative"}]


def record(number, answer="accept", who="news-ann", **more):
    task = {"text": f"t{number}", "_input_hash": number, "_task_hash": -number, "answer": answer}
    return task | {"_annotator_id": who, "_session_id": who} | more


def chosen(number, *accept, options=OPTIONS, **more):
    return record(number, options=options, accept=list(accept), _view_id="choice", **more)


def marked(number, *spans, **more):
    entries = [{"start": start, "end": end, "label": label} for start, end, label in spans]
    return record(number, tokens=[], spans=entries, **more)


@pytest.fixture
def write(tmp_path):
    def call(*rows, name="ann.jsonl"):
        return json_lines(tmp_path / name, *rows)

    return call


def steps(selection):
    return dict(zip(selection.ledger["what"], selection.ledger["rows"], strict=True))


def given(labels):
    frame = labels.to_frame()
    columns = (frame[name].astype(str) for name in ("item", "annotator", "label"))
    return {(item, who): label for item, who, label in zip(*columns, strict=True)}


def test_a_choice_is_accepted_rejected_or_ignored(write):
    path = write(
        chosen(1, "POS"),
        chosen(1, "NEG", who="news-bob"),
        chosen(2, answer="reject"),
        chosen(3, "NEG", answer="ignore"),
        chosen(4),
        {"text": "t5", "_input_hash": 5, "_task_hash": 5},
    )
    assert recognise(path) == {"prodigy": "JSON lines"}
    export = read_export(path, keep_names=True)
    found = export.select()
    assert given(found.labels) == {("1", "news-ann"): "POS", ("1", "news-bob"): "NEG"}
    assert steps(found) == {
        "records read": 6,
        "left out: tasks without an answer": 1,
        "records with answers": 5,
        "answers to 'choice'": 5,
        "left out: rejected answers": 1,
        "left out: skipped or ignored answers": 1,
        "left out: answers that chose nothing": 1,
        "labels": 2,
    }
    assert found.texts["1"] == "t1"
    assert read_export(path).labels().annotators == ("person-1", "person-2")


def test_several_options_are_a_set(write):
    labels = read_export(write(chosen(1, "POS", "NEG"), chosen(2, "POS"))).labels()
    assert (labels.scale, labels.categories) == ("set", ("{POS}", "{NEG, POS}"))


def test_options_with_numbers_are_called_by_their_texts(write):
    labels = read_export(write(chosen(1, 2, options=NUMBERED))).labels()
    assert labels.categories == ("negative",)
    same = [{"id": 1, "text": "x"}, {"id": 2, "text": "x"}]
    labels = read_export(write(chosen(1, 2, options=same))).labels()
    assert labels.categories == ("2",)


def test_a_proposed_label_is_answered_with_yes_and_no(write):
    path = write(
        record(1, label="SPAM"),
        record(2, "reject", label="SPAM"),
        record(3, "ignore", label="SPAM"),
        record(1, "reject", label="RUDE"),
    )
    export = read_export(path, keep_names=True)
    assert given(export.labels("SPAM")) == {("1", "news-ann"): "yes", ("2", "news-ann"): "no"}
    assert given(export.labels("RUDE")) == {("1", "news-ann"): "no"}
    with pytest.raises(AnnotationError, match=r"2 questions: 'SPAM', 'RUDE'.*--question"):
        export.labels()


def test_a_proposed_span_is_an_item_of_its_own(write):
    spans = [{"start": 0, "end": 2, "label": "ORG"}]
    path = write(
        record(1, "reject", spans=spans, tokens=[], _view_id="ner"),
        record(2, spans=[*spans, {"start": 4, "end": 5, "label": "PER"}], _view_id="ner"),
        record(3, _view_id="html"),
    )
    export = read_export(path)
    assert export.labels("ORG").items == ("1 0-2",)
    assert given(export.labels("ORG")) == {("1 0-2", "person-1"): "no"}
    assert export.labels("answer").items == ("2", "3")
    assert not export.marks()


def test_marked_spans_and_relations(write):
    head = {"start": 0, "end": 2, "label": "ORG"}
    child = {"start": 4, "end": 5, "label": "PER"}
    pattern = {"start": 7, "end": 9, "pattern": 3}
    related = {"head": 0, "child": 1, "head_span": head, "child_span": child, "label": "OWNS"}
    path = write(
        marked(1, (0, 2, "ORG"), (4, 5, "PER"), relations=[related], _view_id="relations"),
        marked(2, who="news-bob"),
        marked(3, (0, 1, "ORG"), answer="reject"),
        record(4, tokens=[], spans=[pattern]),
    )
    export = read_export(path, keep_names=True)
    first, second, fourth = export.marks("spans")
    assert first.spans == (Span(0, 2, "ORG"), Span(4, 5, "PER"))
    assert first.relations == ((Span(0, 2, "ORG"), Span(4, 5, "PER"), "OWNS"),)
    assert (second.document, second.annotator, second.spans) == ("2", "news-bob", ())
    assert fourth.spans == ()  # what a pattern matched was marked by nobody
    assert [marks.document for marks in export.marks(status=("rejected",))] == ["3"]
    assert export.documents["1"] == "t1"


def test_a_task_of_several_parts_has_several_questions(write):
    path = write(
        chosen(1, "POS") | {"tokens": [], "user_input": "Because."},
        chosen(2, "NEG") | {"tokens": [], "spans": [{"start": 0, "end": 1, "label": "A"}]},
    )
    frame = read_export(path).questions.set_index("question")
    assert frame["kind"].to_dict() == {"choice": "choice", "user_input": "text", "spans": "spans"}
    assert frame["answers"].to_dict() == {"choice": 2, "user_input": 1, "spans": 1}


def test_regions_in_images_and_recordings_are_left_out(write):
    path = write(
        record(1, spans=[{"points": [[0, 0], [1, 1]], "label": "CAR"}], image="a.jpg"),
        record(2, audio_spans=[{"start": 0.5, "end": 1.5, "label": "SPEECH"}], audio="a.mp3"),
        chosen(3, "POS"),
    )
    found = read_export(path).select()
    assert steps(found)["left out: regions in images, audio or video"] == 2
    assert found.labels.n_labels == 1


TIME, LATER = "2024-05-02_14-07-49", "news-2024-05-04_17-34-15"


def test_an_annotator_is_a_named_session_or_else_the_file(write):
    path = write(
        chosen(1, "POS", who=TIME), chosen(2, "POS", who=LATER), chosen(3, "POS", who=None)
    )

    def annotators(annotator_from=None):
        return read_export(path, annotator_from=annotator_from, keep_names=True).labels().annotators

    # A session that nobody named is called by its time, and a person may have had several.
    assert annotators() == annotators("person") == annotators("file") == ("ann",)
    assert annotators("session") == (TIME, LATER, "ann")


def test_the_file_can_stand_for_the_annotator_in_place_of_the_session(write):
    path = write(chosen(1, "POS", who="news-bob"))
    assert read_export(path, keep_names=True).labels().annotators == ("news-bob",)
    by_file = read_export(path, annotator_from="file", keep_names=True)
    assert by_file.labels().annotators == ("ann",)


def test_the_files_of_a_folder_are_read_together(write, tmp_path):
    write(chosen(1, "POS", who=TIME), name="export/ann.jsonl")
    write(chosen(1, "NEG", who=TIME), chosen(2, who=TIME), name="export/bob.jsonl")
    export = read_export(tmp_path / "export", keep_names=True)
    found = export.select()
    assert given(found.labels) == {("1", "ann"): "POS", ("1", "bob"): "NEG"}
    ledger = found.ledger.set_index("what")
    assert ledger.loc["left out: answers that chose nothing", "first"] == "bob.jsonl, line 2"
    write({"unlike": 1}, name="export/other.jsonl")
    assert recognise(tmp_path / "export") == {}


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"answer": "maybe"}, "line 2: the answer is 'maybe', not accept, reject or ignore"),
        ({"_input_hash": None, "text": None}, "line 2: neither _input_hash nor text"),
        ({"options": {}, "accept": [{}]}, "options is {}, not a list"),
        ({"spans": [3], "tokens": []}, "line 2: a span is 3, not an object"),
        ({"relations": [{"label": "X"}], "tokens": []}, "the head_span of a relation begins at"),
    ],
)
def test_a_malformed_record_is_named(write, broken, message):
    with pytest.raises(ReaderError, match=message):
        read_export(write(chosen(1, "POS"), record(2) | broken))


def test_a_line_that_is_no_json_is_named(write):
    path = write(chosen(1, "POS"))
    path.write_text(path.read_text() + '{"text": "t2", ')
    with pytest.raises(ReaderError, match=r"ann\.jsonl, line 2: not JSON"):
        read_export(path)


#: Counted with a loop over the lines of each of four files of fifty: accepted, rejected, options
#: chosen and spans with a label in accepted ones.
PSYNAMIC = {
    "annotator032": (48, 2, 924, 116),
    "annotator033": (47, 3, 890, 136),
    "annotator034": (49, 1, 941, 145),
    "annotator035": (47, 3, 951, 114),
}


@pytest.mark.parametrize("name", PSYNAMIC)
def test_the_ledger_of_an_exported_file_is_as_counted_by_hand(mirror, name):
    accepted, rejected, n_options, n_spans = PSYNAMIC[name]
    export = read_export(mirror / "exports" / "prodigy" / f"prodigy_export_{name}_50.jsonl")
    found = export.select()
    assert steps(found) == {
        "records read": 50,
        "records with answers": 50,
        "answers to 'choice'": 50,
        "left out: rejected answers": rejected,
        "labels": accepted,
    }
    # The four sessions of the last file are one person's.
    assert found.labels.n_annotators == 1
    sets = found.labels.membership[found.labels.label]
    assert sets.sum() == n_options
    assert sum(len(marks.spans) for marks in export.marks()) == n_spans


def test_four_annotators_of_one_project_are_a_folder(mirror, tmp_path):
    for path in (mirror / "exports" / "prodigy").glob("prodigy_export_*.jsonl"):
        (tmp_path / path.name).symlink_to(path)
    found = read_export(tmp_path).select()
    assert steps(found)["labels"] == sum(accepted for accepted, *_ in PSYNAMIC.values()) == 191
    assert (found.labels.n_items, found.labels.n_annotators) == (49, 4)


def test_exported_spans_and_relations_are_as_counted_by_hand(mirror):
    folder = mirror / "exports" / "prodigy"
    related = read_export(folder / "annotations.jsonl").marks()
    assert [len(related), sum(len(marks.spans) for marks in related)] == [149, 466]
    assert sum(len(marks.relations) for marks in related) == 267
    drugs = read_export(folder / "drugs_eval.jsonl").marks()
    assert [len(drugs), sum(len(marks.spans) for marks in drugs)] == [500, 362]
    assert sum(not marks.spans for marks in drugs) == 357


def test_a_damaged_exported_file_is_refused_and_once_mended_read(mirror, tmp_path):
    # In the mirror's copy, what looked like an address of e-mail was replaced, and with it half
    # of an escaped line end.
    path = mirror / "exports" / "prodigy" / "docs_issues_eval.jsonl"
    with pytest.raises(ReaderError, match=r"line 249: not JSON \(Invalid \\escape"):
        read_export(path)
    mended = tmp_path / "mended.jsonl"
    mended.write_text(path.read_text().replace(r"\someone@example.org", r"\nsomeone@example.org"))
    found = read_export(mended).select("DOCUMENTATION")
    labels, counts = found.labels.categories, found.labels.counts.sum(axis=0)
    assert dict(zip(labels, counts.tolist(), strict=True)) == {"no": 335, "yes": 165}
    assert found.labels.n_items == 500
