"""Damaged exports that once ended in a traceback, or were read as what they do not say."""

from __future__ import annotations

import io
import json
import zipfile

import openpyxl
import pyarrow as pa
import pytest

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export


def labels(path, format, **choices):
    return read_export(path, format=format, keep_names=True).labels(**choices).to_frame()


def triples(frame):
    return list(frame.itertuples(index=False, name=None))


OLD_DOCCANO = "id,text,label,user,annotation_approver,start_offset,end_offset\n"
PRODIGY = '{"text": "t", "_input_hash": 1, "options": [], "accept": ["a"], "answer": "accept"}'


@pytest.mark.parametrize(
    ("format", "content", "said"),
    [
        # Which of the two is meant nobody knows.
        ("prodigy", PRODIGY.replace('"text": "t"', '"answer": "reject"'), "'answer' occurs twice"),
        ("prodigy", f"[{PRODIGY.replace('_input_hash', 'text')}]", "'text' occurs twice"),
        ("prodigy", PRODIGY.encode().replace(b'"t"', b'"\xed\xa0\x80"'), "not UTF-8"),
        (
            "inspect_log",
            {
                "status": "",
                "eval": {"task": "t"},
                "samples": [{"id": None, "output": {"completion": "x"}}],
            },
            "sample 1: the id is 'null', no name",
        ),
        ("inspect_log", '{"eval": {"task": "t"}, "status": ""}\n{"eval": {}}', "more than one log"),
        (
            "potato",
            {"instance_id": "i", "user_id": [1], "labels": {"q": {"a": "true"}}},
            r"record 1: the id of a user is \[1\]",
        ),
        (
            "potato",
            {"instance_id": "i", "spans": {"s": [{"start": 0, "end": 1}]}},
            "record 1: the label of a span of 's' is None",
        ),
        (
            "potato",
            {"instance_id": "i", "spans": {"s": [{"start": 4, "end": 1, "label": "x"}]}},
            "a span of 's' begins at 4 and ends at 1",
        ),
        (
            "doccano",
            {
                "id": 1,
                "text": "t",
                "entities": 2 * [{"id": 1, "start_offset": 0, "end_offset": 1, "label": "x"}],
            },
            "two spans have the id '1'",
        ),
        ("doccano", b"__label__good fine\n__label__b\xffd poor\n", "line 2: not UTF-8"),
        (
            "doccano",
            f"{OLD_DOCCANO}1,t,x,2,,0,3.0\n",
            "begins at 0 and ends at '3.0'",
        ),
        (
            "doccano",
            f"{OLD_DOCCANO}1,t,x,2,,0,{'9' * 5000}\n",
            "begins at 0 and ends at",
        ),
        (
            "popquorn",
            "instance_id,who,gender,age,q\ni,u,f,2,1\n",
            "no columns instance_id and user_id",
        ),
        ("mturk", "HIT,WorkerId,Answer.q\nh,w,x\n", "no columns HITId, WorkerId and"),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(write, format, content, said):
    with pytest.raises(ReaderError, match=f"(?s)export.json.*{said}"):
        read_export(write(content), format=format)


@pytest.mark.parametrize(
    ("format", "opening", "closing"),
    [
        ("toloka", "", ""),
        ("argilla", '{"fields": {}, "responses": {"q": [{"user_id": "u", "value": ', "}]}}"),
        ("lewidi", '{"1": {"annotations": {"a": ', '}, "soft_label": {}}}'),
        ("judge_log", '{"item": "x", "judge": "y", "verdict": ', "}"),
        (
            "inspect_log",
            '{"eval": {"task": "t"}, "samples": [{"id": 1, "scores": {"s": {"value": ',
            "}}}]}",
        ),
        ("potato", '{"instance_id": "i", "labels": {"q": {"a": ', "}}}"),
        ("comparisons", '{"model": "m", "judge": "j", "games": ', "}"),
        ("comparisons", '{"model": "m", "games": [{"score": "A>B"}], "judge": ', "}"),
    ],
)
def test_deep_nesting_is_read_or_refused(write, format, opening, closing):
    for n in (100, 300, 480, 900, 990, 5_000):
        deep = '{"a": ' * n + "1" + "}" * n
        content = f"{opening}{deep}{closing}"
        if format == "toloka":
            cell = '"' + deep.replace('"', '""') + '"'
            content = f"INPUT:x,OUTPUT:q,ASSIGNMENT:worker_id\nt,{cell},w\n"
        try:
            read_export(write(content), format=format)
        except ReaderError as error:
            assert "export.json" in str(error)  # noqa: PT017


def test_large_whole_numbers_stay_apart(write):
    records = [
        {"item": n, "judge": "j", "verdict": verdict}
        for n, verdict in enumerate([2**53, 2**53 + 1, 10**400, 10**400 + 1])
    ]
    found = labels(write(records), "judge_log")
    assert found.label.tolist() == [str(record["verdict"]) for record in records]
    result = {"type": "rating", "from_name": "q", "value": {"rating": 10**400}}
    task = {"id": 1, "data": {}, "annotations": [{"id": 1, "completed_by": 1, "result": [result]}]}
    assert labels(write([task]), "label_studio").label.tolist() == [str(10**400)]


def test_what_python_takes_for_a_number_need_not_be_one(write):
    path = write(
        "instance_id,user_id,gender,age,q\ni,u,f,2,1_0\nj,u,f,2,１\nk,u,f,2,2.50\nl,u,f,2,3\x1d\n"
    )
    assert labels(path, "popquorn").label.tolist() == ["1_0", "１", "2.5", "3"]
    entry = {"annotation task": "sarcasm", "soft_label": {}, "annotators": "a,b,c"}
    entry["annotations"] = {"a": "1_0", "b": None, "c": 2**53 + 1}
    path = write({"1": entry})
    assert triples(labels(path, "lewidi")) == [("1", "a", "1_0"), ("1", "c", str(2**53 + 1))]
    path = write({"1": entry | {"annotations": ["1", None, "0"], "annotators": ["a", "b", "c"]}})
    assert triples(labels(path, "lewidi", scale="nominal")) == [("1", "a", "1"), ("1", "c", "0")]


def test_numbers_of_potato_are_answers_and_no_ticks(write):
    lines = [
        {"instance_id": f"i{n}", "user_id": "u1", "labels": {"grade": {"slider": n}}}
        for n in (0, 1, 2)
    ]
    path = write("\n".join(map(json.dumps, lines)))
    assert labels(path, "potato").label.tolist() == ["0", "1", "2"]


def test_a_table_with_more_tabs_than_its_reader_looked_for(write):
    path = write("user\tinstance_id\tq:::a, b\tq:::c\nu1\ti\ttrue\t\n")
    assert triples(labels(path, "potato")) == [("i", "u1", "a, b")]
    path = write("id\ttext\tlabel\n1\tt\tgood\n")
    assert triples(labels(path, "doccano")) == [("1", "export", "good")]
    path = write('"id";"rater ""1""";"rater2"\nx;a;b\n')
    assert len(read_export(path, format="wide").labels().to_frame()) == 2


def test_marked_text_in_results_of_toloka(write):
    cell = json.dumps({"entities": [{"startOffset": 0, "endOffset": 2, "label": "ORG"}]})
    quoted = cell.replace('"', '""')
    path = write(f'INPUT:x,OUTPUT:q,ASSIGNMENT:worker_id\nt,"{quoted}",w\n')
    [marks] = read_export(path, format="toloka").marks()
    assert marks.spans[0][:3] == (0, 2, "ORG")


def test_answers_of_inspect_that_are_no_messages(write):
    samples = [
        {"id": n, "output": {"choices": choices}}
        for n, choices in enumerate([["x"], [{"message": "x"}], [{"message": {"content": "yes"}}]])
    ]
    path = write({"status": "", "eval": {"task": "t", "model": "m"}, "samples": samples})
    assert triples(labels(path, "inspect_log")) == [("2", "m", "yes")]


def test_an_index_without_a_name_is_no_status(write):
    path = write(",HITId,WorkerId,Answer.q\n0,h,w1,x\n1,h,w2,y\n")
    assert labels(path, "mturk").label.tolist() == ["x", "y"]


@pytest.mark.parametrize("content", [b"id,label\nx,y\0es\n", "id,label\nx,é\n".encode("latin-1")])
def test_a_damaged_table_does_not_pass_for_a_note(write, tmp_path, content):
    for name in ("ann.csv", "bob.csv"):
        write("id,label\nx,yes\n", f"labels/{name}")
    write("as we agreed", "labels/notes.txt")
    write(content, "labels/zoe.csv")
    with pytest.raises(ReaderError, match=r"zoe\.csv.*UTF-8|not UTF-8"):
        labels(tmp_path / "labels", "folder")


def test_names_that_are_no_unicode_are_refused_with_their_file(write):
    path = write('{"item": "x", "judge": "j", "verdict": "\\ud800"}')
    with pytest.raises(AnnotationError, match=r"export\.json.*not valid Unicode"):
        labels(path, "judge_log")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("E1\t ", "is no annotation of brat"),
        (f"T1\tPER 0 {'9' * 5000}\tx", "are impossible"),
        ("T1\tPER ٠ ٣\tAda", "is no type with offsets"),
    ],
)
def test_damaged_lines_of_brat(tmp_path, line, said):
    (tmp_path / "d.txt").write_text("Ada")
    (tmp_path / "d.ann").write_text(line + "\n")
    with pytest.raises(ReaderError, match=f"line 1: .*{said}"):
        read_export(tmp_path, format="brat")


HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|f\n"
TOKEN = "1-1\t0-3\tAda\tPER\t\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"{HEAD}{TOKEN}{TOKEN.replace('0-3', '8-11')}",
            "line 4: the token 1-1 stands there twice",
        ),
        (f"{HEAD}#T_CH=custom.Span|a|b\n{TOKEN}", "'custom.Span' is announced twice"),
        (
            "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|f|f\n1-1\t0-3\tAda\tPER\tLOC\t\n",
            "line 2: a feature of the type 'custom.Span' is announced twice",
        ),
        (f"{HEAD}1-1\t0-{'9' * 5000}\tAda\tPER\t\n", "are impossible"),
        (
            f"{HEAD[:24]}1-2\t4-7\tmet\n{HEAD[24:]}{TOKEN}",
            "line 2: 0 columns where the head announces 1",
        ),
        (f"{HEAD}1-1\t٠-٣\tAda\tPER\t\n", "is no line of WebAnno"),
    ],
)
def test_damaged_lines_of_webanno(tmp_path, text, said):
    path = tmp_path / "ann.tsv"
    path.write_text(text)
    with pytest.raises(ReaderError, match=said):
        read_export(path)


def test_a_member_of_an_archive_without_a_name(tmp_path):
    path = tmp_path / "project.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("exportedproject1.json", '{"annotation_documents": []}')
        archive.writestr(".", "x")
    with pytest.raises(ReaderError, match="leads out of the archive"):
        read_export(path, format="inception")


def test_damaged_columns_of_arrow(tmp_path):
    columns = {"item_id": ["x", "y"], "worker": ["a", "b"], "label": ["yes", "no"]}
    table = pa.table(columns)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table)
    whole = sink.getvalue()
    path = tmp_path / "data.arrow"
    # The offsets of the texts "x" and "y".
    at = whole.index(b"\0\0\0\0\1\0\0\0\2\0\0\0")
    path.write_bytes(whole[: at + 8] + b"\xff\xff\xff\x7f" + whole[at + 12 :])
    with pytest.raises(ReaderError, match="can't be read"):
        read_export(path, format="hugging_face")
    path.write_bytes(whole.replace(b"worker", b"work\xff\xff"))
    with pytest.raises(ReaderError, match="can't be read"):
        read_export(path, format="hugging_face")


def test_texts_that_are_kept_as_bytes(tmp_path):
    path = tmp_path / "data.arrow"
    for label in (b"y\xc3\xa9", b"\xff"):
        table = pa.table({"item_id": ["x"], "worker": ["a"], "label": [label]})
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as out:
            out.write_table(table)
        if label == b"\xff":
            with pytest.raises(ReaderError, match="can't be read"):
                read_export(path, format="hugging_face")
        else:
            assert triples(labels(path, "hugging_face")) == [("x", "a", "yé")]


def test_an_item_without_records_has_no_answer(tmp_path):
    path = tmp_path / "data.arrow"
    records = [[{"annotator": "a", "label": "yes"}], []]
    table = pa.table({"id": ["x", "y"], "annotations": records})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table)
    assert triples(labels(path, "hugging_face")) == [("x", "a", "yes")]


def workbook(path, number, size):
    """Write a workbook; its second row has another number, and it says another size."""
    book = openpyxl.Workbook()
    for row in (["item", "annotator", "label"], ["x", "a", "yes"]):
        book.active.append(row)
    book.save(path)
    book.close()
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    members[sheet] = members[sheet].replace(b'r="2"', b'r="%d"' % number)
    members[sheet] = members[sheet].replace(b'"A1:C2"', b'"%s"' % size)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_rows_beyond_the_size_that_a_sheet_says_are_read(tmp_path):
    path = workbook(tmp_path / "labels.xlsx", 2, b"A1")
    assert triples(labels(path, "spreadsheet")) == [("x", "a", "yes")]


def test_a_number_of_a_row_that_no_sheet_has(tmp_path):
    path = workbook(tmp_path / "labels.xlsx", 987654321, b"A1:C2")
    with pytest.raises(ReaderError, match="more than 1,048,576 rows"):
        read_export(path, format="spreadsheet")
