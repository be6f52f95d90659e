"""Folders of brat, of our own making and the example project of bratiaa."""

from __future__ import annotations

import pytest

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.layers import layers, select_layer
from annobench.spans import Relation, Span, alpha_u, gamma_agreement, pairwise_f1, unitizing_alpha

TEXT = "Ada Lovelace met Mr. Babbage in\nLondon; they talked."

ANN = """T1\tPER 0 12\tAda Lovelace
T2\tPER 17 20;21 28\tMr. Babbage
T3\tMeet 13 16\tmet
R1\tKnows Arg1:T1 Arg2:T2\t
E1\tMeet:T3 Who:T1 Who2:T2
A1\tNegated E1
A2\tCertainty T1 High
N1\tReference T1 Wikidata:Q7259\tAda Lovelace
*\tEquiv T1 T2
#1\tAnnotatorNotes T1\tis it she?
"""


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


@pytest.fixture
def project(tmp_path):
    return write(
        tmp_path / "project",
        {
            "annotation.conf": "[entities]\nPER\n\tWRITER # below\n!OTHER\n[events]\nMeet\n",
            "ann/d1.txt": TEXT,
            "ann/d1.ann": ANN,
            "ann/sub/d2.txt": "Nobody.",
            "ann/sub/d2.ann": "",
            "bob/d1.txt": TEXT,
            "bob/d1.ann": "T1\tPER 0 12\tAda Lovelace\nT2\tLOC 32 38\tLondon\n",
            "bob/sub/d2.txt": "Nobody.",
        },
    )


def test_every_kind_of_line(project):
    export = read_export(project)
    assert (export.format.name, export.variant) == ("brat", "one folder per annotator")
    assert layers(export) == ["spans", "attribute Negated", "attribute Certainty", "normalisations"]
    marks = select_layer(export, "spans").marks
    ada, babbage = Span(0, 12, "PER"), Span(17, 28, "PER", ((17, 20), (21, 28)))
    met = Span(13, 16, "Meet")
    assert marks.spans[0, 0] == (ada, met, babbage)
    assert marks.relations[0, 0] == (
        Relation(ada, babbage, "Knows"),
        Relation(met, ada, "Who"),
        Relation(met, babbage, "Who2"),
        Relation(ada, babbage, "Equiv"),
    )
    negated = select_layer(export, "attribute Negated").marks
    assert negated.spans[0, 0] == (met._replace(label="Negated"),)
    assert negated.spans[0, 1] == ()
    assert select_layer(export, "attribute Certainty").marks.labels == ("High",)
    assert select_layer(export, "normalisations").marks.labels == ("Wikidata:Q7259",)


def test_opened_without_a_mark_differs_from_never_opened(project):
    marks = select_layer(read_export(project), "spans").marks
    assert marks.documents == ("d1", "sub/d2")
    assert marks.annotators == ("ann", "bob")
    assert marks.opened_by(1) == (0,)
    assert marks.spans[1, 0] == ()
    assert marks.unmarked == (1,)


def test_the_ledger_adds_up(project):
    ledger = select_layer(read_export(project), "spans").ledger
    assert dict(zip(ledger["what"], ledger["rows"], strict=True)) == {
        "records read": 5,  # three .ann files, a note, a text that bob never opened
        "left out: notes": 1,
        "left out: texts without an .ann file": 1,
        "documents in 'spans'": 3,
        "documents by annotator": 3,
        "spans": 5,
        "relations": 4,
    }
    assert ledger.set_index("what").loc["left out: notes", "first"] == "ann/d1.ann, line 10"


def test_declared_types(project):
    assert read_export(project)._intake.kinds["spans"] == ("spans", ("PER", "WRITER", "Meet"))


def test_one_folder_is_one_annotator_and_texts_may_be_shared(tmp_path):
    alone = write(tmp_path / "me", {"d.txt": TEXT, "d.ann": "T1\tPER 0 3\tAda\n"})
    assert recognise(alone) == {"brat": "one annotator"}
    marks = select_layer(read_export(alone)).marks
    assert marks.annotators == ("me",)
    shared = write(
        tmp_path / "both",
        {"d.txt": TEXT, "a/d.ann": "T1\tPER 0 3\tAda\n", "b/d.ann": "T1\tPER 0 3\tAda\n"},
    )
    marks = select_layer(read_export(shared)).marks
    assert marks.texts == (TEXT,)
    assert pairwise_f1(marks).estimate == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("T9\tPER 5 2\tx", "T9: the offsets '5 2' hold no text"),
        ("T9\tPER 5\tx", "T9: 'PER 5' is no type with offsets"),
        ("T9\tPER 40 99\tx", "T9: it ends at 99, and the text has 52 characters"),
        ("T1\tPER 0 3\tAda", "T1 stands there twice"),
        ("R9\tKnows Arg1:T1 Arg2:T77", "R9: it refers to T77, which is not there"),
        ("R9\tKnows Arg1:T1", "R9: a relation has two arguments"),
        ("E9\tMeet:T77 Who:T1", "E9: it refers to T77, which is not there"),
        ("A9\tNegated T77", "A9: it is about T77, which is not there"),
        ("N9\tReference T1", "N9: it is about T1, which is not there"),
        ("nonsense", "'nonsense' is no annotation of brat"),
    ],
)
def test_faults_name_file_line_and_remedy(project, line, said):
    path = project / "ann" / "d1.ann"
    path.write_text(ANN + line + "\n")
    with pytest.raises(ReaderError) as raised:
        read_export(project)
    message = str(raised.value)
    assert f"ann/d1.ann, line 11: {said}" in message
    assert "Correct these records" in message


def test_texts_that_differ_between_annotators_are_refused(project):
    (project / "bob" / "d1.txt").write_text(TEXT.replace("\n", "\r\n"))
    with pytest.raises(ReaderError, match="its text differs from that of 'd1'"):
        read_export(project)


def test_other_encodings_are_refused(project):
    (project / "bob" / "d1.ann").write_bytes(b"T1\tPER 0 12\tAd\xe1\n")
    with pytest.raises(ReaderError, match=r"bob/d1.ann, byte 14: not UTF-8"):
        read_export(project)


def refusal(path):
    """Return what is said of a damaged folder; its name if it can still be read."""
    try:
        select_layer(read_export(path), "spans")
    except (ReaderError, AnnotationError) as error:
        return str(error)
    return str(path)


def test_damage_never_ends_in_a_traceback(project, rng):
    path = project / "ann" / "d1.ann"
    whole = path.read_bytes()
    for _ in range(60):
        data = bytearray(whole)
        for at in rng.integers(0, len(data), 3):
            data[at] = rng.integers(0, 256)
        path.write_bytes(bytes(data[: rng.integers(1, len(data))]))
        assert str(project) in refusal(project)


def test_hostile_names_are_only_text(tmp_path):
    name = "<script>alert(1)</script>"
    write(tmp_path, {"a/d.ann": f"T1\t{name} 0 3\tx\n", "b/d.ann": f"T1\t{name} 0 3\tx\n"})
    assert select_layer(read_export(tmp_path)).marks.labels == (name,)


# The example project of bratiaa, and the values that its README, report and notebook print.

PUBLISHED = {
    "LOC": (0.819, 0.131),
    "MISC": (0.840, 0.090),
    "ORG": (0.906, 0.053),
    "PER": (0.938, 0.039),
}


@pytest.fixture(scope="module")
def example(mirror):
    return read_export(mirror / "exports" / "brat")


def test_the_example_project_is_read_whole(example):
    found = select_layer(example)
    assert dict(zip(found.ledger["what"], found.ledger["rows"], strict=True)) == {
        "records read": 30,  # four folders of seven .ann files, and two other files
        "left out: files of other kinds": 2,
        "documents in 'spans'": 28,
        "documents by annotator": 28,
        "spans": 1567,  # lines of all .ann files: wc -l
        "relations": 0,
    }
    assert found.marks.annotators == ("Lisa", "Maria", "Max", "Peter")
    by_annotator = [
        sum(len(own) for (_, j), own in found.marks.spans.items() if j == k) for k in range(4)
    ]
    assert by_annotator == [404, 404, 358, 401]


def test_the_published_f1_of_the_example_project(example):
    found = pairwise_f1(select_layer(example).marks)
    assert (round(found.estimate, 3), round(found.sd, 3)) == (0.890, 0.053)
    table = found.by_label().set_index("label").round(3)
    assert {k: (row["f1"], row["sd"]) for k, row in table.iterrows()} == PUBLISHED


def test_the_published_token_f1_of_the_example_project(example):
    # Printed for tokens between blanks
    found = pairwise_f1(select_layer(example).marks, "token", token=r"\S+")
    assert (round(found.estimate, 3), round(found.sd, 3)) == (0.964, 0.015)


def test_what_else_is_measured_of_the_example_project(example):
    marks = select_layer(example).marks
    overlap = pairwise_f1(marks, "overlap").estimate
    assert pairwise_f1(marks).estimate < overlap < 1
    alpha = unitizing_alpha(marks)
    assert 0.8 < alpha.u < alpha.cu < 1
    assert 0.5 < alpha_u(marks).iloc[-1]["alpha"] < 1
    pair = marks.select(annotators=["Lisa", "Maria"], documents=marks.documents[:2])
    assert 0.8 < gamma_agreement(pair, draws=5, rng=1).estimate < 1
