"""A source of labels is recognised once: its kind, and how often its file is opened and read."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter

import pytest
from typer.testing import CliRunner

import annobench as ab
from annobench.cli import app
from annobench.core.errors import ReaderError
from annobench.io import select_labels, write_labels
from annobench.io.formats import base, recognise, recognition
from annobench.io.formats.base import HEAD_BYTES
from annobench.io.source import Source

PEOPLE = ("ann", "bob", "gpt-4")

#: The file that is watched, and how often it was opened. A hook can't be taken off again.
_watched: list[str] = []
_opened: Counter[str] = Counter()


def _watch(event, arguments):
    if event == "open" and _watched and isinstance(arguments[0], str | bytes | os.PathLike):
        _opened.update({os.fsdecode(arguments[0])} & set(_watched))


@pytest.fixture(scope="module")
def openings():
    """A function that runs a program and counts how often a file was opened by it."""
    sys.addaudithook(_watch)

    def count(path, run):
        _opened.clear()
        _watched[:] = [str(path)]
        try:
            run()
        finally:
            _watched.clear()
        return _opened[str(path)]

    return count


def answers(n_items):
    """Yield items, annotators and labels: everybody errs on some items, and nobody on all."""
    for i in range(n_items):
        for j, annotator in enumerate(PEOPLE):
            yield f"item {i}", annotator, ("no", "yes")[(i + (i % 7 == j)) % 2]


def plain(path):
    rows = (
        f"{item},{annotator},{label},text {item},yes,part {len(item)}\n"
        for item, annotator, label in answers(30)
    )
    path.write_text("item,annotator,label,text,gold,part\n" + "".join(rows))


def usual(path, n_items=30):
    rows = (
        f"{item},{annotator},{label},text {item}\n" for item, annotator, label in answers(n_items)
    )
    path.write_text("item,annotator,label,text\n" + "".join(rows))


def large(path):
    usual(path, 1000)
    assert path.stat().st_size > HEAD_BYTES


def wide(path):
    rows = list(answers(30))
    lines = (",".join([rows[i][0], *(row[2] for row in rows[i : i + 3])]) for i in range(0, 90, 3))
    path.write_text("item,annotator_1,annotator_2,annotator_3\n" + "\n".join(lines) + "\n")


def doccano(path):
    codes = {"no": 1, "yes": 2}
    rows = list(answers(30))
    lines = (
        json.dumps(
            {
                "id": i,
                "text": f"text {i}",
                "annotations": [
                    {"label": codes[label], "user": j}
                    for j, (_, _, label) in enumerate(rows[3 * i : 3 * i + 3])
                ],
            }
        )
        for i in range(30)
    )
    path.write_text("\n".join(lines) + "\n")


def marked(path):
    lines = (
        json.dumps(
            {
                "text": f"some text {i}",
                "_input_hash": i,
                "_task_hash": i,
                "_annotator_id": annotator,
                "spans": [{"start": 0, "end": 4, "label": "X"}],
                "answer": "accept",
            }
        )
        for i in range(6)
        for annotator in ("ann", "bob")
    )
    path.write_text("\n".join(lines) + "\n")


FILES = {
    "usual.csv": usual,
    "plain.csv": plain,
    "large.csv": large,
    "wide.csv": wide,
    "doccano.jsonl": doccano,
    "marked.jsonl": marked,
}
KINDS = {
    "usual.csv": "long",
    "plain.csv": "long",
    "large.csv": "long",
    "wide.csv": "wide",
    "doccano.jsonl": "export",
    "marked.jsonl": "spans",
}
#: How often each file may be opened. A table that fits into the head is read with it; the head of a
#: larger one and all of it are read once each, as often as labels, texts and gold are asked for.
#: JSON is read record by record, to say of which format it is and whether its lines are records.
MOST = {
    "usual.csv": 1,
    "plain.csv": 1,
    "large.csv": 2,
    "wide.csv": 1,
    "doccano.jsonl": 3,
    "marked.jsonl": 3,
}
COMMANDS = {
    "inspect": (),
    "report": (),
    "consensus": ("--model", "voting"),
    "certificate": (),
    "judge": ("--judge", "gpt-4"),
    "audit": ("--model", "voting"),
    "plan": ("--model", "voting"),
    "convert": (),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    for name, write in FILES.items():
        write(folder / name)
    return folder


def run(command, path, out, *options):
    words = [command, str(path), *COMMANDS[command], *options]
    if command == "convert":
        words.insert(2, str(out / "labels.parquet"))
    elif command != "inspect":
        words += ["--out", str(out)]

    def program():
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output

    return program


#: All commands read one table, and some commands read all files: they share what reads them.
CASES = [
    *((command, "plain.csv") for command in COMMANDS),
    *(("report", name) for name in FILES if name != "plain.csv"),
    *(("inspect", name) for name in FILES if name != "plain.csv"),
    *(("convert", name) for name in ("large.csv", "wide.csv", "doccano.jsonl")),
]


@pytest.mark.parametrize(("command", "name"), CASES)
def test_a_command_opens_its_file_as_often_as_it_needs(openings, files, tmp_path, command, name):
    n = openings(files / name, run(command, files / name, tmp_path))
    # Each of the three commands that `inspect` proposes is tried before.
    assert 1 <= n <= MOST[name] * (4 if command == "inspect" else 1)


MORE = [
    ("report", ("--text", "text"), 1),
    ("consensus", ("--text", "text", "--gold", "gold"), 2),
    ("judge", ("--gold", "gold", "--clusters", "part"), 2),
]


@pytest.mark.parametrize(
    ("command", "options", "more", "name"),
    [(*case, "plain.csv") for case in MORE] + [(*MORE[0], "large.csv")],
)
def test_a_further_column_is_at_most_one_opening_more(
    openings, files, tmp_path, command, options, more, name
):
    n = openings(files / name, run(command, files / name, tmp_path, *options))
    # Of a table that fits into the head they are read there.
    assert n <= MOST[name] + (more if name == "large.csv" else 0)


@pytest.mark.parametrize("name", FILES)
def test_labels_are_read_in_python_as_sparingly(openings, files, name):
    if name == "marked.jsonl":
        return
    assert 1 <= openings(files / name, lambda: ab.read_labels(files / name)) <= MOST[name]


@pytest.mark.parametrize("name", FILES)
def test_each_kind_is_recognised(files, name):
    source = Source.of(files / name)
    assert source.kind == KINDS[name]
    assert [source.format.name] == (list(recognise(files / name)) or ["long"])


def test_a_question_decides_whether_spans_are_meant(tmp_path):
    """One record of a tool has both: a choice, and spans."""
    record = {
        "id": 1,
        "data": {"text": "t1"},
        "annotations": [
            {
                "completed_by": 1,
                "result": [
                    {
                        "type": "labels",
                        "from_name": "ner",
                        "value": {"start": 0, "end": 2, "labels": ["ORG"]},
                    },
                    {"type": "choices", "from_name": "mood", "value": {"choices": ["good"]}},
                ],
            }
        ],
    }
    path = tmp_path / "export.json"
    path.write_text(json.dumps([record]))
    assert Source.of(path).kind == "export"
    assert Source.of(path, question="mood").kind == "export"
    assert Source.of(path, question="ner").kind == "spans"


def test_a_table_with_the_usual_columns_asks_no_format(files, monkeypatch):
    def refused(*_):
        raise AssertionError("a format was asked")

    monkeypatch.setattr(recognition, "discover", refused)
    assert Source.of(files / "usual.csv").kind == "long"
    assert ab.read_labels(files / "usual.csv").n_labels == 90


def test_each_format_is_asked_once(files, monkeypatch):
    asked: Counter[str] = Counter()
    known = recognition.discover()

    def counting(format):
        def recognise(content):
            asked[format.name] += 1
            return format.recognise(content)

        return base.ExportFormat(
            format.name, format.title, recognise, format.read, format.note, format.kind
        )

    counted = {name: counting(format) for name, format in known.items()}
    monkeypatch.setattr(recognition, "discover", lambda: counted)
    for name in ("plain.csv", "wide.csv", "doccano.jsonl"):
        asked.clear()
        select_labels(files / name, repeats="all")
        assert set(asked.values()) == {1}, name


TABLES = {
    "a list in a cell": "item,annotator,label\nx,\"['a', 'b']\",\"[1, 2]\"\n",
    "columns of Label Studio": (
        "annotation_id,annotator,created_at,id,label,lead_time,text,updated_at\n"
        "1,2,x,1,good,1.0,t1,y\n2,3,x,1,bad,1.0,t1,y\n"
    ),
    "columns of 0 and 1": "item,annotator,happy,sad\nx,ann,0,1\ny,ann,1,0\n",
    "scores of 0 and 1": "item,annotator,score,vote\nx,ann,0,1\ny,ann,1,0\n",
    "doccano": "id,text,label\n1,t,good\n2,t,bad\n",
    "pairs": "worker,left,right,label\nann,a,b,a\nbob,a,b,b\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_usual_columns_hide_no_format(tmp_path, name):
    path = tmp_path / "table.csv"
    path.write_text(TABLES[name])
    [known] = recognise(path)
    assert Source.of(path).format.name == known


def test_partitions_are_a_kind_of_their_own(files, tmp_path):
    pytest.importorskip("distributed", reason="the extra `scale` is not installed")
    from partitioning import partitioned

    labels = ab.read_labels(files / "usual.csv")
    written = partitioned(labels, tmp_path, 2)
    source = Source.of(written.folder)
    assert (source.kind, source.format) == ("partitions", None)
    assert source.partitions.n_labels == labels.n_labels


def test_parquet_is_a_table(files, tmp_path):
    write_labels(ab.read_labels(files / "usual.csv"), tmp_path / "labels.parquet")
    assert Source.of(tmp_path / "labels.parquet").kind == "long"


def test_a_column_that_is_named_makes_a_file_a_table(files):
    assert Source.of(files / "wide.csv", label="annotator_1").kind == "long"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (None, {}, r"nothing\.csv: does not exist"),
        (
            "item\n",
            {"format": "prodigi"},
            r"no format is called 'prodigi'\. Did you mean 'prodigy'",
        ),
        ('{"a": 1}\n{"a": 2}\n', {}, r"unknown format\. Its records have the fields 'a'"),
    ],
)
def test_what_can_not_be_recognised_is_an_error(tmp_path, text, options, message):
    path = tmp_path / "nothing.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ReaderError, match=message):
        Source.of(path, **options)
