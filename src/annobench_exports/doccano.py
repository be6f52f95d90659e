"""doccano: JSON lines, JSON, CSV and fastText, of projects old and new.

Since version 1.5 a project gives one file a member, named after the member, or, if members
share their labels, one file `all`. Older ones give one file with the numbers of users.
Nothing says which documents a member opened: one without a label tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from annobench.core.errors import ReaderError
from annobench.core.names import MadeName, Name
from annobench.io.formats.base import ExportFormat, Intake, Relation, Source, Span
from annobench.io.formats.records import csv_records, json_records
from annobench_exports._parts import (
    MisshapenError,
    each_file,
    listing,
    mapping,
    maybe_name,
    name,
    named_by_file,
    offsets,
    options,
    unpacked,
    variant_of,
)
from annobench_exports._utf16 import from_utf16

#: Where a record holds its document, and where its labels; both in the order of preference.
_DOCUMENT = ("text", "data", "filename")
_LABELS = ("label", "labels", "cats")

_FASTTEXT = "__label__"

#: The file of a project whose members share their labels.
_SHARED = "all"

#: The question and the layer of exports, which name neither.
_LABEL, _ENTITIES = "label", "entities"

#: Of an offset: Python reads only so many.
_DIGITS = 18

_SILENT = "documents without a label, of which doccano does not say whether they were opened"


#: What doccano does not call the user of an annotation.
_OTHERS_WHO = {"annotator", "annotator_id", "worker", "worker_id", "rater", "coder"}


def _recognise(source: Source) -> str | None:
    """Return the variant of an export of doccano, or None."""
    if not source.head.startswith(b"PK"):
        return variant_of(source, _variant)
    try:
        with unpacked(source) as folder:
            variant = variant_of(folder, _variant)
    except ReaderError:
        return None  # a spreadsheet or an archive of another tool
    return variant and f"{variant}, packed"


def _variant(source: Source) -> str | None:
    record = source.first_record
    if record is not None:
        if not any(isinstance(record.get(key), str) for key in _DOCUMENT):
            return None
        if isinstance(marks := record.get("annotations"), list):
            # Label Studio's tasks have their text inside `data`; other tools name the annotator.
            if any(isinstance(mark, dict) and mark.keys() & _OTHERS_WHO for mark in marks):
                return None
            return "JSON of version 1.4 and before"
        if "answer" in record or "_input_hash" in record:
            return None
        lists = (*_LABELS, _ENTITIES, "bbox", "segmentation")
        return "JSON" if any(isinstance(record.get(key), list) for key in lists) else None
    if source.head.startswith(_FASTTEXT.encode()):
        return "fastText"
    header = set(source.header or ())
    if _LABEL in header and header & set(_DOCUMENT):
        if {"user", "annotation_approver"} <= header:
            return "CSV of version 1.4 and before"
        # Any other column may name annotators: the table is then not one of doccano's.
        return "CSV" if "Comments" in header or header <= {"id", _LABEL, *_DOCUMENT} else None
    return None


def _read(source: Source, intake: Intake) -> None:
    """Read an export of doccano; in a folder or archive, one file a member."""
    with unpacked(source, intake) as files:
        _read_files(files, intake)


def _read_files(source: Source, intake: Intake) -> None:
    for file, part in each_file(source):
        variant = _variant(part)
        if variant == "fastText":
            intake.begin(file, "line")
            records: Iterator[tuple[int, dict[str, Any]]] = _fasttext(part)
        elif variant is not None and variant.startswith("CSV"):
            intake.begin(file, "row")
            records = _table(part)
        else:
            intake.begin(file, "record")
            records = json_records(part.path)
        for number, record in records:
            intake.read()
            try:
                _take(record, number, part, intake)
            except MisshapenError as error:
                intake.fault(number, str(error))


def _fasttext(part: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    with part.path.open("rb") as stream:
        for number, data in enumerate(stream, start=1):
            try:
                line = data.decode("utf-8")
            except UnicodeDecodeError as error:
                raise ReaderError(
                    f"{part.path}, line {number}: not UTF-8. Save the file as UTF-8."
                ) from error
            words = line.split()
            labels = [word for word in words if word.startswith(_FASTTEXT)]
            text = line.strip()
            for label in labels:
                text = text.removeprefix(label).lstrip()
            if words:
                yield number, {"text": text, "label": [n.removeprefix(_FASTTEXT) for n in labels]}


def _table(part: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read the rows of CSV as records of JSON."""
    if "annotation_approver" in (part.header or ()):
        rows = groupby(csv_records(part.path, part.delimiter), key=lambda row: row[1].get("id"))
        for _, group in rows:
            (number, first), *others = group
            marks = [_mark(row) for row in (first, *(row for _, row in others))]
            yield number, {**first, "annotations": [mark for mark in marks if "label" in mark]}
        return
    for number, row in csv_records(part.path, part.delimiter):
        # Several labels of a document stand in one cell, joined.
        labels = [label for label in row[_LABEL].split("#") if label]
        yield number, {**row, _LABEL: labels}


def _mark(row: dict[str, str]) -> dict[str, Any]:
    mark: dict[str, Any] = {key: row[key] for key in ("label", "user") if row.get(key)}
    for key in ("start_offset", "end_offset"):
        cell = row.get(key, "")
        if cell:
            # What is no number is refused with its place, as in JSON.
            mark[key] = int(cell) if cell.isdecimal() and len(cell) < _DIGITS else cell
    return mark


def _take(record: dict[str, Any], number: int, part: Source, intake: Intake) -> None:
    file = named_by_file(part.path, intake.path)
    # A file is named after its member, also in the folder of another batch.
    member = file if file.short == _SHARED else MadeName(file.short)
    text = next((record[key] for key in _DOCUMENT if isinstance(record.get(key), str)), None)
    item = maybe_name(record.get("id")) or maybe_name(text)
    if item is None:
        raise MisshapenError("neither id nor text says which document this is")
    asked = intake.asked_text(key for key, value in record.items() if isinstance(value, str))
    shown = text if intake.options.text is None else record.get(asked or "")
    if shown is not None:
        intake.text(item, shown)
    if isinstance(record.get("annotations"), list):
        _take_old(record["annotations"], item, text, number, file, intake)
        return
    if "bbox" in record or "segmentation" in record:
        intake.leave_out(number, "regions in images, audio or video")
        return
    if not _take_member(record, item, text, number, member, intake):
        intake.leave_out(number, _SILENT)


def _take_member(
    record: dict[str, Any],
    item: str,
    text: str | None,
    number: int,
    member: MadeName,
    intake: Intake,
) -> bool:
    """Take what one member gave a document; say whether it was anything."""
    chosen: list[str] = []
    spans: dict[str, Span] = {}
    position = from_utf16(text)
    for key in _LABELS:
        for place, entry in enumerate(listing(record.get(key), key)):
            if isinstance(entry, list):
                spans[f"{key} {place}"] = _span(entry, position)
            else:
                chosen.append(name(entry, f"one of {key}"))
    for place, entry in enumerate(listing(record.get(_ENTITIES), _ENTITIES)):
        known = maybe_name(entry.get("id")) if isinstance(entry, dict) else None
        if known in spans:
            raise MisshapenError(f"two spans have the id {known!r:.40}")
        spans[known or f"{_ENTITIES} {place}"] = _span(entry, position)
    relations = [_relation(entry, spans) for entry in listing(record.get("relations"), "relations")]
    personal = member.short != _SHARED
    if chosen:
        intake.answer(item, member, _LABEL, options(chosen), where=number, personal=personal)
    if spans:
        intake.marks(
            item,
            member,
            _ENTITIES,
            spans.values(),
            where=number,
            relations=relations,
            personal=personal,
        )
        if text is not None:
            intake.document(item, text)
    return bool(chosen or spans)


def _span(entry: Any, position: Callable[[int], int]) -> Span:
    """Read a span, a list of start, end and label or an object; a browser counted its offsets."""
    if isinstance(entry, list):
        if len(entry) < 3:
            raise MisshapenError(f"a span is {entry!r}, not start, end and label")
        start, end, label = entry[:3]
    else:
        parts = mapping(entry, "a span")
        start, end, label = (parts.get(key) for key in ("start_offset", "end_offset", "label"))
    begin, stop = offsets(start, end, "a span")
    return Span(position(begin), position(stop), name(label, "the label of a span"))


def _relation(entry: Any, spans: dict[str, Span]) -> Relation:
    relation = mapping(entry, "a relation")
    ends = []
    for key in ("from_id", "to_id"):
        span = spans.get(maybe_name(relation.get(key)) or "")
        if span is None:
            raise MisshapenError(f"{key} of a relation is {relation.get(key)!r}, none of its spans")
        ends.append(span)
    source, target = ends
    return Relation(source, target, name(relation.get("type"), "the type of a relation"))


def _take_old(
    annotations: list[Any], item: str, text: str | None, number: int, file: Name, intake: Intake
) -> None:
    """Take the labels of all users of a document, in the layout with their numbers."""
    chosen: dict[Name, list[str]] = {}
    spans: dict[Name, list[Span]] = {}
    texts: dict[Name, list[str]] = {}
    position = from_utf16(text)
    for entry in annotations:
        mark = mapping(entry, "an annotation")
        by_file = intake.options.annotator_from == "file"
        user = (None if by_file else maybe_name(mark.get("user"))) or file
        if mark.get("label") is None:
            texts.setdefault(user, []).append(name(mark.get("text"), "the text of an annotation"))
        elif "start_offset" in mark:
            spans.setdefault(user, []).append(_span(mark, position))
        else:
            chosen.setdefault(user, []).append(name(mark["label"], "the label of an annotation"))
    for user, labels in chosen.items():
        intake.answer(item, user, _LABEL, options(labels), where=number, personal=_named(user))
    for user, written in texts.items():
        intake.question("text", "text")
        intake.answer(item, user, "text", "\n".join(written), where=number, personal=_named(user))
    for user, marked in spans.items():
        intake.marks(item, user, _ENTITIES, marked, where=number, personal=_named(user))
    if spans and text is not None:
        intake.document(item, text)
    if not annotations:
        intake.leave_out(number, _SILENT)


def _named(user: Name) -> bool:
    return not (user if isinstance(user, str) else user.short).isdecimal()


FORMAT = ExportFormat(
    name="doccano",
    title="doccano",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a document, an annotator is a member, whose name is that of the file, and a "
        "document without a label is left out: doccano does not say whether it was opened."
    ),
    annotators=("person", "file"),
)
