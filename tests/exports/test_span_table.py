"""Tables with a row per span: document, annotator, start, end and label."""

import csv
from collections import defaultdict

import pytest
from proposals import follow

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.layers import select_layer
from annobench.spans import gamma_agreement, pairwise_f1, unitizing_alpha

FILE = "spans.csv"

HEADER = "doc,annotator,start,end,label"
ROWS = """a,kim,0,3,PER
a,kim,8,14,PER
a,kim,20,26,LOC
a,lou,0,3,PER
a,lou,8,17,PER
b,kim,4,9,ORG
b,lou,4,9,LOC
b,lou,10,12,ORG
"""


def by_hand(text):
    """The spans of each annotator in each document, sorted."""
    found = defaultdict(list)
    for document, annotator, start, end, label in list(csv.reader(text.splitlines()))[1:]:
        found[document, annotator].append((int(start), int(end), label))
    return {key: sorted(spans) for key, spans in found.items()}


def spans_of(marks):
    return {
        (marks.documents[d], marks.annotators[j]): [tuple(span[:3]) for span in spans]
        for (d, j), spans in marks.spans.items()
    }


def test_rows_are_spans(write, monkeypatch):
    path = write(f"{HEADER}\n{ROWS}")
    assert recognise(path) == {"span_table": "a row per span"}
    export = read_export(path)
    assert spans_of(select_layer(export).marks) == by_hand(path.read_text())
    assert export.read_as == (
        "A row is a span, from 'start' to 'end' of 'doc', labelled 'label' by 'annotator'."
    )
    assert follow(path, monkeypatch) == [f"annobench report {path}"]


def test_agreement_is_that_of_the_same_spans_from_brat(write, tmp_path):
    path = write(f"{HEADER}\n{ROWS}")
    for (document, annotator), spans in by_hand(path.read_text()).items():
        lines = [f"T{n}\t{label} {start} {end}\tx\n" for n, (start, end, label) in enumerate(spans)]
        write("".join(lines), f"project/{annotator}/{document}.ann")
    ours, brat = (select_layer(read_export(each)).marks for each in (path, tmp_path / "project"))
    assert pairwise_f1(ours).estimate == pairwise_f1(brat).estimate
    assert unitizing_alpha(ours).u == unitizing_alpha(brat).u
    assert gamma_agreement(ours, rng=1).estimate == gamma_agreement(brat, rng=1).estimate


@pytest.mark.parametrize(
    ("header", "unused"),
    [
        ("id,worker_id,begin_offset,stop,tag", ""),
        ("filename,coder,from,to,code", ""),
        ("Text,rater,von,bis,category", ""),
        ("doc,annotator,a,b,kind", ""),
        ("document,user,span_start,span_end,entity,note", "x"),
    ],
)
def test_names_and_cells_tell_the_columns(write, header, unused):
    rows = ROWS.replace("\n", f",{unused}\n") if unused else ROWS
    path = write(f"{header}\n{rows}".replace(",", "\t"))
    assert recognise(path) == {"span_table": "a row per span"}
    marks = select_layer(read_export(path)).marks
    assert spans_of(marks) == by_hand(f"{HEADER}\n{ROWS}")


def test_a_row_without_limits_is_a_document_without_spans(write):
    path = write(f"{HEADER}\n{ROWS}c,kim,1,2,\nc,lou,,,\n,lou,1,2,PER\n")
    export = read_export(path)
    spans = spans_of(select_layer(export).marks)
    assert (spans["c", "kim"], spans["c", "lou"]) == ([(1, 2, "*")], [])
    assert [each[:2] for each in export.left_out] == [
        ("rows without a document or an annotator", 1)
    ]
    assert export.totals()["records"] == 6 + 1


@pytest.mark.parametrize("cells", ["5,5", "9,5", "-1,5", "1.5,5", "x,5", "1,", f"1,{'9' * 400}"])
def test_what_is_no_span_is_refused_with_its_row(write, cells):
    path = write(f"{HEADER}\n{ROWS}a,kim,{cells},PER\n")
    with pytest.raises(ReaderError, match=r"spans\.csv:\n  row 9: '.*' is no span"):
        read_export(path, format="span_table")


@pytest.mark.parametrize(
    "text",
    [
        # A label of each annotator for each item: nothing is repeated.
        "item,annotator,label,start,end\nx,a,yes,1,5\ny,a,no,6,9\nx,b,yes,1,5\n",
        # When somebody began and ended.
        "item,annotator,label,start_time,end_time\nx,a,yes,1,5\nx,a,no,6,9\nx,b,yes,1,5\n",
        "item,annotator,label,row,page\nx,a,yes,1,50\nx,a,no,2,60\nx,b,yes,3,50\n",
        "item,annotator,label,began,ended\n"
        "x,a,yes,1767225600,1767225610\nx,a,no,1767225620,1767225650\n",
        "id,text,label,user,annotation_approver,start_offset,end_offset\n"
        "1,Ada,PER,2,,0,3\n1,Ada,LOC,2,,4,5\n",
        "doc,start,end,label\na,0,3,PER\na,5,9,LOC\n",
    ],
)
def test_other_tables_have_no_spans(write, text):
    assert "span_table" not in recognise(write(text))


def test_columns_that_are_missing_are_named(write):
    path = write("doc,who,label\na,kim,PER\n")
    with pytest.raises(ReaderError, match="no columns document, annotator, start, end and label"):
        read_export(path, format="span_table")
