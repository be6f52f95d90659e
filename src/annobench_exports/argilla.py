"""Argilla: records of 1.x and 2.x, as JSON and as Parquet.

Records stand in four layouts: responses by user (1.x), by question (2.x), in columns of a data
set (both), and with the one annotation of the older text classification, token classification
and text generation.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from annobench.core.errors import ReaderError
from annobench.core.names import MadeName, Name
from annobench.core.optional import optional
from annobench.io.formats.arrow import PARQUET, batches, begins, notes_of, schema_of
from annobench.io.formats.base import ExportFormat, Intake, Kind, Source, Span, Status
from annobench.io.formats.records import json_records, load_json
from annobench_exports._parts import (
    MisshapenError,
    listing,
    mapping,
    maybe_name,
    name,
    offsets,
    options,
    word,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = optional("pyarrow", "Parquet")
    pq = optional("pyarrow.parquet", "Parquet")

_STATUS: dict[str | None, Status] = {
    None: "done",  # the JSON of 2.x does not say
    "submitted": "done",
    "discarded": "skipped",
    "draft": "unfinished",
    "pending": "unfinished",
}

#: Of a record with one annotation, in the layout of text and token classification.
_OLD_STATUS: dict[str, Status] = {
    "Validated": "done",
    "Discarded": "skipped",
    "Edited": "unfinished",
}

#: The question of a record with one annotation.
_ANNOTATION = "annotation"

_KINDS: dict[str, Kind] = {
    "label_selection": "choice",
    "multi_label_selection": "choices",
    "rating": "rating",
    "text": "text",
    "span": "spans",
}

_RESPONSES = ".responses"
_REMEDY = "Write it again."


class _Response(NamedTuple):
    """The answer of one user to one question.

    Attributes
    ----------
    user : str or None
        Id of the user.
    question : str
        What was asked.
    value : object
        The answer, as it stands in the file.
    status : str or None
        How far it came.
    changed : object
        When it was last changed, which the server says and exports of data sets do not.
    """

    user: str | None
    question: str
    value: Any
    status: str | None
    changed: Any


def _recognise(source: Source) -> str | None:
    """Return the variant of an export of Argilla, or None."""
    records = _file(source)
    if records is None:
        return None
    if records.head.startswith(PARQUET):
        try:
            names = set(_schema(records.path).names)
        except ReaderError:
            return None
        if any(f"{n}.users" in names for n in names):
            return "2.x, Parquet"
        if any(f"{n}-suggestion" in names for n in names):
            return "1.x, Parquet"
        return "1.x, one annotation a record, Parquet" if _is_old(names) else None
    record = records.first_record
    if record is None:
        return None
    if isinstance(record.get("fields"), dict) and "responses" in record:
        if isinstance(record["responses"], dict):
            return "2.x, JSON, without the status of responses"
        return "1.x, JSON"
    return "1.x, one annotation a record, JSON" if _is_old(set(record)) else None


def _is_old(names: set[str]) -> bool:
    return names >= {"annotation", "annotation_agent", "prediction", "status"}


def _file(source: Source) -> Source | None:
    """Return the file of records: the source itself, or that in the folder of a data set."""
    if not source.is_folder:
        return source
    named = [path for path in source.files if path.name in ("records.json", "records.jsonl")]
    found = named or [path for path in source.files if path.suffix == ".parquet"]
    return source.inside(found[0]) if len(found) == 1 else None


def _schema(path: Path) -> pa.Schema:
    return schema_of(path, pq.read_schema, "truncated or no Parquet file", _REMEDY)


def _read(source: Source, intake: Intake) -> None:
    """Read an export of Argilla."""
    records = _file(source)
    if records is None:
        raise ReaderError(
            f"{source.path}: not one file of records. Give the path of the file itself."
        )
    if source.is_folder:
        _declare(source.path / ".argilla" / "settings.json", intake)
    path = records.path
    intake.begin(path.relative_to(source.path) if source.is_folder else "", "record")
    # A list without elements may hold options or spans: other answers to the question tell.
    layers: set[str] = set()
    for _, record in _records(path):
        with suppress(MisshapenError):  # reported below
            layers.update(r.question for r in _responses(record) if _spans(r.value))
    for number, record in _records(path):
        intake.read()
        try:
            if _is_old(set(record)):
                _take_old(record, number, MadeName(path.stem), intake)
            else:
                _take(record, number, MadeName(path.stem), layers, intake)
        except MisshapenError as error:
            intake.fault(number, str(error))


def _declare(path: Path, intake: Intake) -> None:
    """Declare the questions that the settings of a data set list."""
    if not path.is_file():
        return
    for _, settings in json_records(path):
        for entry in listing(settings.get("questions"), "questions"):
            question = mapping(entry, "a question")
            about = mapping(question.get("settings"), "the settings of a question")
            kind = _KINDS.get(word(about.get("type")))
            if kind is None:
                continue
            given = None
            if kind in ("choice", "choices"):
                entries = listing(about.get("options"), "options")
                given = [name(mapping(n, "an option").get("value"), "an option") for n in entries]
            intake.question(name(question.get("name"), "the name of a question"), kind, given)


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if not begins(path, PARQUET):
        yield from json_records(path)
        return
    names = _class_names(notes_of(path, _schema(path), _REMEDY))
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for row in chain.from_iterable(batch.to_pylist() for batch in batches(file, 1_000)):
                number += 1
                for column, words in names.items():
                    # What is no list is refused where responses are.
                    if isinstance(row.get(column), list):
                        row[column] = [
                            words[n] if isinstance(n, int) and 0 <= n < len(words) else n
                            for n in row[column]
                        ]
                yield number, row
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ReaderError(f"{path}: damaged after record {number} ({error}). {_REMEDY}") from error


def _class_names(notes: bytes | None) -> dict[str, list[str]]:
    """Return the names of the classes of columns of responses that hold numbers of classes."""
    try:
        about = load_json(notes or b"{}")
        features = mapping(mapping(about, "").get("info"), "").get("features")
        inner = {
            column: mapping(mapping(feature, "").get("feature"), "")
            for column, feature in mapping(features, "").items()
            if column.endswith(_RESPONSES)
        }
        return {
            column: [str(n) for n in listing(feature.get("names"), "")]
            for column, feature in inner.items()
            if feature.get("_type") == "ClassLabel"
        }
    except ValueError:
        return {}  # damaged notes of another library; the numbers then stand for themselves


def _responses(record: dict[str, Any]) -> Iterator[_Response]:
    """Yield the answers of a record, in whichever layout it has."""
    nested = record.get("responses")
    if isinstance(nested, dict):
        for question, entries in nested.items():
            yield from _of_question(question, entries)
    elif nested is not None:
        for entry in listing(nested, "responses"):
            response = mapping(entry, "a response")
            for question, value in mapping(response.get("values"), "values").items():
                yield _response(response, question, mapping(value, "a value").get("value"))
    for key, column in record.items():
        if key.endswith(_RESPONSES):
            values = listing(column, key)
            users, states = (
                listing(record.get(f"{key}.{part}"), f"{key}.{part}")
                for part in ("users", "status")
            )
            if len(users) != len(values) or (states and len(states) != len(values)):
                raise MisshapenError(f"{key} has {len(values)} values and {len(users)} users")
            for n, value in enumerate(values):
                about = {"user_id": users[n], "status": states[n] if states else None}
                yield _response(about, key.removesuffix(_RESPONSES), value)
        elif f"{key}-suggestion" in record:
            yield from _of_question(key, _rows(column))


def _of_question(question: str, entries: Any) -> Iterator[_Response]:
    for entry in listing(entries, f"the responses to {question!r}"):
        response = mapping(entry, f"a response to {question!r}")
        yield _response(response, question, response.get("value"))


def _response(about: dict[str, Any], question: str, value: Any) -> _Response:
    status = about.get("status")
    status = status if status is None else word(status).lower()
    if status not in _STATUS:
        raise MisshapenError(f"the status of a response is {about['status']!r}")
    changed = about.get("updated_at") or about.get("inserted_at")
    return _Response(maybe_name(about.get("user_id")), question, value, status, changed)


def _rows(value: Any) -> Any:
    """Turn an object of lists, as Parquet may hold a list of objects, into that list."""
    if not isinstance(value, dict) or not value:
        return value
    lists = list(value.values())
    if not all(isinstance(n, list) for n in lists):
        return value
    if len(set(map(len, lists))) > 1:
        raise MisshapenError(f"{value!r:.60} has lists of several lengths")
    return [dict(zip(value, parts, strict=True)) for parts in zip(*lists, strict=True)]


def _spans(value: Any) -> list[Span]:
    """Return the spans that an answer consists of; none if it is something else."""
    entries = _rows(value)
    if not isinstance(entries, list):
        return []
    return [
        Span(
            *offsets(entry["start"], entry.get("end"), "a span"),
            name(entry.get("label"), "the label of a span"),
        )
        for entry in entries
        if isinstance(entry, dict) and "start" in entry
    ]


def _take(
    record: dict[str, Any], number: int, stem: Name, layers: set[str], intake: Intake
) -> None:
    item = maybe_name(record.get("external_id")) or _own_name(record, number)
    fields = record.get("fields")
    text = _text(fields if isinstance(fields, dict) else record, intake)
    if text is not None:
        intake.text(item, text)
    responses = list(_responses(record))
    if not responses:
        intake.leave_out(number, "records without a response")
    for response in responses:
        user = None if intake.options.annotator_from == "file" else response.user
        who: dict[str, Any] = {"where": number, "status": _STATUS[response.status]}
        intake.at(response.changed, "updated_at")
        annotator, question, value = user or stem, response.question, _rows(response.value)
        spans = _spans(value)
        if spans or (question in layers and not value):
            intake.marks(item, annotator, question, spans, **who)
            if text is not None:
                intake.document(item, text)
        elif isinstance(value, list) and any(isinstance(n, dict) for n in value):
            intake.read()
            intake.leave_out(number, "rankings")
        elif isinstance(value, list):
            chosen = [name(n, f"an answer to {question!r}") for n in value]
            intake.answer(item, annotator, question, options(chosen), **who)
        elif value is None or isinstance(value, str | int | float):
            intake.answer(item, annotator, question, value, **who)
        else:
            raise MisshapenError(f"the answer to {question!r} is {value!r:.60}")
    suggested = _suggestions(record)
    if suggested:
        intake.read(suggested)
        intake.leave_out(number, "suggestions of a model", suggested)


def _own_name(record: dict[str, Any], number: int) -> MadeName:
    """Name a record by its id or number, which another's name from outside may equal."""
    own = maybe_name(record.get("id"))
    return MadeName(own, f"id {own}") if own else MadeName(str(number), f"record {number}")


def _suggestions(record: dict[str, Any]) -> int:
    nested = record.get("suggestions")
    columns = sum(
        value is not None
        for key, value in record.items()
        if key.endswith((".suggestion", "-suggestion"))
    )
    return columns + (len(nested) if isinstance(nested, dict | list) else 0)


def _text(fields: dict[str, Any], intake: Intake) -> str | None:
    texts = {key: value for key, value in fields.items() if isinstance(value, str)}
    field = intake.asked_text(texts)
    if intake.options.text is None:
        field = next(iter(texts)) if len(fields) == len(texts) == 1 else "text"
    return None if field is None else texts.get(field)


def _take_old(record: dict[str, Any], number: int, stem: Name, intake: Intake) -> None:
    """Take the one annotation of a record."""
    item = _own_name(record, number)
    text = _text(record, intake)
    if text is not None:
        intake.text(item, text)
    agent = maybe_name(record.get("annotation_agent"))
    who: dict[str, Any] = {"where": number, "personal": True}
    who["status"] = _OLD_STATUS.get(word(record.get("status")), "unfinished")
    value = _rows(record.get("annotation"))
    if value is None:
        intake.leave_out(number, "records without an annotation")
    elif isinstance(value, str | int | float):
        label = name(value, "the annotation")
        intake.answer(item, agent or stem, _ANNOTATION, label, **who)
    elif record.get("tokens") is not None:
        marks = [_old_span(entry) for entry in listing(value, "the annotation")]
        intake.marks(item, agent or stem, _ANNOTATION, marks, **who)
        if text is not None:
            intake.document(item, text)
    else:
        chosen = [name(n, "one of the annotation") for n in listing(value, "the annotation")]
        intake.answer(item, agent or stem, _ANNOTATION, options(chosen), **who)
    if record.get("prediction") is not None:
        intake.read()
        intake.leave_out(number, "predictions of a model")


def _old_span(entry: Any) -> Span:
    if isinstance(entry, list) and len(entry) >= 3:
        label, start, end = entry[:3]
    else:
        span = mapping(entry, "a span")
        label, start, end = span.get("label"), span.get("start"), span.get("end")
    return Span(*offsets(start, end, "a span"), name(label, "the label of a span"))


FORMAT = ExportFormat(
    name="argilla",
    title="Argilla",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a record, an annotator is a user, a question is one of the data set, and only "
        "submitted responses count; suggestions of models are not annotations."
    ),
    annotators=("person", "file"),
)
