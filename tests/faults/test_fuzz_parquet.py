"""Mutated records of Argilla in Parquet: columns harmed before, bytes after they are written."""

from __future__ import annotations

import datetime
import io
import json
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from faults.exported import compare_labels, held
from faults.fuzzing import FEWER, UnclearError, count, feed, folder_in_memory
from faults.mutations import mixed, of_bytes, of_parts
from faults.second_readers import Answer, Found, Mark, OddError, lists, name, options, plain

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import discover, read_export

AREA = "Documents, sheets and columns"
SPAN = {"start": 0, "end": 2, "label": "ORG"}
DONE, DRAFT = "submitted", "draft"
STATES = {None: "done", DONE: "done", "discarded": "skipped", DRAFT: "unfinished"}
STATES |= {"pending": "unfinished"}
TIME = datetime.datetime(2024, 5, 1, 12, 30)


def column(question: str, values: list[Any], users: list[Any], states: list[Any]) -> dict[str, Any]:
    key = f"{question}.responses"
    return {key: values, f"{key}.users": users, f"{key}.status": states}


#: Of 2.x, of 1.x, and spans as an object of lists.
COLUMNS = [
    [
        {"id": "r1", "text": "t1", "inserted_at": TIME}
        | column("mood", ["good", "bad"], ["u1", "u2"], [DONE, DRAFT])
        | column("topics", [["a", "b"]], ["u1"], [DONE])
        | column("ner", [[SPAN, SPAN]], ["u1"], [DONE])
        | column("stars", [4], ["u1"], [DONE]),
        {"id": "r2", "text": "t2", "inserted_at": TIME}
        | column("mood", ["bad"], ["u2"], ["discarded"])
        | column("topics", [["a"], ["b"]], ["u1", "u2"], [DONE, DONE])
        | column("ner", [[]], ["u1"], [DONE])
        | column("stars", [], [], []),
    ],
    [
        {"id": n, "text": f"t{n}", "mood": [{"user_id": "u1", "value": label, "status": DONE}]}
        | {"mood-suggestion": "good", "stars": None, "stars-suggestion": None}
        for n, label in enumerate(("good", "bad", "good"))
    ],
    [
        {"id": "r1", "text": "t"}
        | column("ner", [{"start": [0, 3], "end": [2, 5], "label": ["A", "B"]}], ["u1"], [DONE])
        | column("mood", [1], ["u1"], [DONE]),
        {"id": "r2", "text": "u"}
        | column("ner", [{"start": [1], "end": [2], "label": ["A"]}], ["u2"], [DONE])
        | column("mood", [0, 5], ["u1", "u2"], [DONE, DONE]),
    ],
]
WORDS = ["bad", "good"]
FEATURES = {
    "mood.responses": {"feature": {"names": WORDS, "_type": "ClassLabel"}, "_type": "Sequence"},
    "text": {"dtype": "string", "_type": "Value"},
}


def written(records: list[dict[str, Any]], draw: Random, *, sound: bool = False) -> bytes:
    """Write records, numbers of classes with the names of the classes."""
    table = pa.Table.from_pylist(records)
    if records[0].get("mood.responses") in ([1], [0, 5]) or draw.random() < 0.05:
        about: Any = {"info": {"features": FEATURES}}
        if not sound and draw.random() < 0.3:
            about = of_parts(about, draw)
        table = table.replace_schema_metadata({"huggingface": json.dumps(about)})
    sink = io.BytesIO()
    compression = draw.choice(("none", "snappy"))
    pq.write_table(table, sink, compression=compression, row_group_size=draw.choice((1, 100)))
    return sink.getvalue()


def parquet_of(draw: Random) -> bytes:
    """Harm records, so far as Arrow finds a type for what comes of it."""
    while True:
        records = of_parts(draw.choice(COLUMNS), draw)
        try:
            return written(records, draw)
        except (pa.ArrowException, ValueError, OverflowError, TypeError, AttributeError):
            continue


def argilla(data: bytes) -> Found:
    """The responses of each record, in the order of the columns."""
    # `read_table` also looks at types that the file states once more, of which nothing depends.
    file = pq.ParquetFile(io.BytesIO(data))
    table = file.read()
    table.validate(full=True)
    about, again = (m.metadata or {} for m in (file.schema_arrow, file.metadata))
    assert about.get(b"huggingface") == again.get(b"huggingface")
    words = class_names(about.get(b"huggingface"))
    rows = table.to_pylist()
    names = table.column_names
    asked = [n for n in names if n.endswith(".responses") or f"{n}-suggestion" in names]
    if {"annotation_agent", "responses", "fields"} & set(names) or len(set(names)) < len(names):
        raise UnclearError
    given = []
    for number, row in enumerate(rows, start=1):
        ids = [name(row[k]) for k in ("external_id", "id") if named(row.get(k))]
        item = ids[0] if ids else str(number)
        for key in asked:
            if key.endswith(".responses"):
                lists(row[key], row.get(f"{key}.users"), row.get(f"{key}.status"))
                values, users = row[key] or [], row.get(f"{key}.users") or []
                states = row.get(f"{key}.status") or [None] * len(values)
                assert len(values) == len(users) == len(states)
                if key in words:
                    values = [in_words(value, words[key]) for value in values]
            else:
                if isinstance(row[key], dict):
                    raise UnclearError
                lists(row[key])
                entries = [{} if entry is None else entry for entry in row[key] or []]
                users, values, states = (
                    [entry.get(n) for entry in entries] for n in ("user_id", "value", "status")
                )
            question = key.removesuffix(".responses")
            for user, value, state in zip(users, values, states, strict=True):
                state = STATES[state if state in STATES else state.lower()]
                who = name(user) if named(user) else "records"
                given.append((item, who, question, listed(value), state))
    layers = {q for _, _, q, value, _ in given if isinstance(value, list) and is_marked(value)}
    answers: list[Answer] = []
    marks: list[Mark] = []
    for item, who, question, value, state in given:
        if (isinstance(value, list) and is_marked(value)) or (question in layers and not value):
            spans = [ends_of(n) for n in value or [] if isinstance(n, dict) and "start" in n]
            marks.append((item, who, question, spans, state))
        elif isinstance(value, list) and any(isinstance(n, dict) for n in value):
            continue
        elif isinstance(value, list):
            answers.append((item, who, question, options([name(n) for n in value]), state))
        else:
            assert value is None or isinstance(value, str | int | float)
            answers.append((item, who, question, plain(value), state))
    return answers, marks


def named(value: Any) -> bool:
    return not isinstance(value, bool) and (
        (isinstance(value, str) and value.strip() != "")
        or isinstance(value, int)
        or (isinstance(value, float) and value.is_integer())
    )


def is_marked(value: list[Any]) -> bool:
    return any(isinstance(n, dict) and "start" in n for n in value)


def ends_of(span: dict[str, Any]) -> tuple[int, int, str]:
    start, end = span["start"], span["end"]
    assert type(start) is int
    assert type(end) is int
    assert 0 <= start <= end
    return start, end, name(span["label"])


def listed(value: Any) -> Any:
    """An object of lists as the list of objects that it stands for."""
    if not isinstance(value, dict):
        return value
    if not value or not all(isinstance(n, list) for n in value.values()):
        raise OddError("an object")
    [length] = {len(n) for n in value.values()}
    return [{key: value[key][n] for key in value} for n in range(length)]


def class_names(about: bytes | None) -> dict[str, list[str]]:
    """The names of classes by column; what is not as it should be is unclear."""
    if about is None:
        return {}
    try:
        found = json.loads(about)
    except (ValueError, RecursionError) as error:
        raise UnclearError from error
    if found == {"info": {"features": FEATURES}}:
        return {"mood.responses": WORDS}
    raise UnclearError


def in_words(value: Any, words: list[str]) -> Any:
    if isinstance(value, bool):
        raise UnclearError
    return words[value] if isinstance(value, int) and 0 <= value < len(words) else value


def test_argilla(tried, tmp_path, tmp_path_factory):
    path = folder_in_memory(tmp_path_factory) / "records.parquet"
    seeds = [written(records, Random(n), sound=True) for records in COLUMNS for n in range(4)]
    turn = iter(range(10**9))

    def read(data):
        path.write_bytes(data)
        export = read_export(path, format="argilla", keep_names=True)
        if next(turn) % 100 == 0:
            compare_labels(export)
        return held(export)

    outcome = feed(
        read,
        argilla,
        mixed(lambda draw: of_bytes(seeds, draw), parquet_of, parquet_of),
        refusals=(ReaderError, AnnotationError),
        folder=tmp_path,
        seed="argilla parquet",
        named="records.parquet",
        times=FEWER,
    )
    count(outcome, tried, AREA, f"{discover()['argilla'].title}, Parquet: bytes and records")
