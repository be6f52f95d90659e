"""Relevance judgements of TREC: a file an assessor, a line a query, a document and a grade."""

import pytest
from proposals import follow

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io import select_labels
from annobench.io.formats import read_export, recognise

#: Grades of six documents by two assessors, of whom the second saw no d6.
GRADES = {"mara": [2, 0, 1, 0, 3, -1], "noel": [2, 0, 2, 0, 3]}


def lines(grades, between=" "):
    rows = [("t1" if n < 3 else "t2", "0", f"d{n + 1}", str(g)) for n, g in enumerate(grades)]
    return "".join(between.join(row) + "\n" for row in rows)


@pytest.fixture
def home(write, tmp_path):
    for who, grades in GRADES.items():
        write(lines(grades), f"qrels/{who}.qrels")
    return tmp_path / "qrels"


def by_hand(home):
    """The judgements as anybody would read them: words between blanks."""
    found = set()
    for path in sorted(home.glob("*.qrels")):
        for line in path.read_text().splitlines():
            query, _, document, grade = line.split()
            found.add((f"{query} / {document}", path.stem, grade))
    return found


def test_files_are_assessors(home, monkeypatch, tmp_path):
    assert recognise(home) == {"trec_qrels": "a file per assessor"}
    labels = select_labels(home).labels
    assert set(labels.to_frame().itertuples(index=False, name=None)) == by_hand(home)
    assert labels.categories == ("-1", "0", "1", "2", "3")
    # Of five pairs one differs; the categories of both are 0: 4, 1: 1, 2: 3, 3: 2.
    disagreement = (10 * 10 - (4**2 + 1 + 3**2 + 2**2)) / (10 * 9)
    assert krippendorff_alpha(labels).estimate == pytest.approx(1 - 0.2 / disagreement)
    monkeypatch.chdir(home)
    assert [each.split()[1] for each in follow(".", monkeypatch)] == [
        *("report", "consensus", "convert")
    ]


def test_one_file_is_one_assessor(home):
    path = home / "mara.qrels"
    assert recognise(path) == {"trec_qrels": "one assessor"}
    export = read_export(path)
    assert export.labels().annotators == ("mara",)
    assert "One file is one assessor" in export.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        lines(GRADES["mara"], "\t").encode(),
        lines(GRADES["mara"], "   ").replace("\n", " \r\n\r\n").encode(),
        b"\xef\xbb\xbf" + lines(GRADES["mara"]).replace(" 0 d", " Q0 d").encode(),
        lines(GRADES["mara"]).encode("utf-16"),
    ],
)
def test_white_space_line_ends_and_encodings(write, home, text):
    write(text, "qrels/mara.qrels")
    labels = select_labels(home).labels
    assert set(labels.to_frame().itertuples(index=False, name=None)) == {
        (f"t{1 + (n > 2)} / d{n + 1}", who, str(grade))
        for who, grades in GRADES.items()
        for n, grade in enumerate(grades)
    }


def test_notes_are_counted_and_other_lines_refused(write, home):
    write("Judged in spring.\n", "qrels/README.md")
    write("", "qrels/olga")
    export = read_export(home)
    assert {each.reason: each.n for each in export.left_out} == {
        "files of other kinds": 1,
        "empty files": 1,
    }
    write(lines(GRADES["noel"]) + "t2 0 d9\nt2 0 d8 high\n", "qrels/noel.qrels")
    write(lines([1, 2, 3]), "qrels/pia.qrels")
    with pytest.raises(ReaderError, match=r"noel.qrels, line 6: 't2 0 d9' is not 'query 0 .*\n.*7"):
        read_export(home)


def test_a_document_judged_twice_is_named(write, home):
    write(lines(GRADES["noel"]) + "t1 0 d1 0\n", "qrels/noel.qrels")
    with pytest.raises(AnnotationError, match=r"'noel' on 't1 / d1' \(noel.qrels, line 6\)"):
        select_labels(home)


@pytest.mark.parametrize(
    "text",
    [
        "item 0 document grade\nq1 0 d1 2\n",
        "t1 Q0 d1 1 12.5 run\n",
        "t1 1 d1 1\n",
        "There are 3 documents\n",
        "t1,0,d1,1\n",
    ],
)
def test_other_lines_are_no_judgements(write, text):
    assert "trec_qrels" not in recognise(write(text, "labels.txt"))


def test_a_folder_with_tables_is_none_of_judgements(write, home):
    write("item,annotator,label\nx,a,1\n", "qrels/labels.csv")
    assert recognise(home) == {}
