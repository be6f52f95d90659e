"""Prodigy: JSON lines as `prodigy db-out` writes them.

A record is one task as one annotator left it. What was asked shows in its parts: `options` a
choice, `tokens` or spans with labels a text to mark, a `label` alone whether it applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from annobench.core.names import Name, joined
from annobench.io.formats.base import ExportFormat, Intake, Relation, Source, Span, Status
from annobench.io.formats.records import json_records
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
    variant_of,
    word,
)

_STATUS: dict[str, Status] = {"accept": "done", "reject": "rejected", "ignore": "skipped"}

#: The answers to whether a label applies.
_YES_NO = {"accept": "yes", "reject": "no", "ignore": None}

#: A session that was not named is called by its time, with or without the data set before it.
_TIME = re.compile(r"(?:^|-)\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$")

#: Interfaces that show spans and ask whether they are right; others let annotators mark them.
_BINARY = {"ner", "spans", "pos", "dep", "classification", "text", "html", "image", "compare"}

#: The question of a list of options, of spans, and of a task without a label.
_CHOICE, _SPANS, _ANSWER, _INPUT = "choice", "spans", "answer", "user_input"


def _recognise(source: Source) -> str | None:
    """Return the variant of an export of Prodigy, or None."""
    return variant_of(source, _variant)


def _variant(source: Source) -> str | None:
    record = source.first_record
    if record is None:
        return None
    hashed = record.keys() >= {"_input_hash", "_task_hash"}
    return "JSON lines" if hashed or _is_answered(record) else None


def _is_answered(record: dict[str, Any]) -> bool:
    task = {"text", "tokens", "spans", "options", "label", "image", "html", "audio"}
    return word(record.get("answer")) in _STATUS and bool(task & record.keys())


def _read(source: Source, intake: Intake) -> None:
    """Read an export of Prodigy; the files of a folder are read together."""
    for file, part in each_file(source):
        intake.begin(file, "line")
        stem = named_by_file(part.path, intake.path)
        for number, record in json_records(part.path):
            intake.read()
            try:
                _take(record, number, stem, intake)
            except MisshapenError as error:
                intake.fault(number, str(error))


def _take(record: dict[str, Any], number: int, stem: Name, intake: Intake) -> None:
    answer = word(record.get("answer"))
    if answer not in _STATUS:
        if record.get("answer") is not None:
            raise MisshapenError(f"the answer is {answer!r}, not accept, reject or ignore")
        intake.leave_out(number, "tasks without an answer")
        return
    text = record.get("text")
    item = maybe_name(record.get("_input_hash")) or maybe_name(text)
    if item is None:
        raise MisshapenError("neither _input_hash nor text says which item this is")
    annotator, personal = _annotator(record, stem, intake.options.annotator_from)
    who: dict[str, Any] = {"where": number, "personal": personal}
    intake.at(record.get("_timestamp"), "_timestamp")
    texts = [key for key, value in record.items() if isinstance(value, str)]
    field = "text" if intake.options.text is None else intake.asked_text(texts)
    shown = record.get(field or "")
    if isinstance(shown, str):
        intake.text(item, shown)
    view = word(record.get("_view_id"))
    manual = False
    if view not in _BINARY:
        status = _STATUS[answer]
        if "options" in record or "accept" in record:
            manual = True
            chosen = options(_chosen(record))
            intake.answer(item, annotator, _CHOICE, chosen, status=status, **who)
        spans = list(_spans(record))
        if spans or ("tokens" in record and not _has_regions(record)):
            manual = True
            relations = list(_relations(record))
            intake.marks(item, annotator, _SPANS, spans, status=status, relations=relations, **who)
            if isinstance(text, str):
                intake.document(item, text)
        if isinstance(record.get(_INPUT), str):
            manual = True
            intake.question(_INPUT, "text")
            intake.answer(item, annotator, _INPUT, record[_INPUT], status=status, **who)
    if manual:
        return
    if _has_regions(record):
        intake.leave_out(number, "regions in images, audio or video")
        return
    question, asked_of = _binary(record, item)
    decision = _YES_NO[answer]
    status = "skipped" if decision is None else "done"
    intake.answer(asked_of, annotator, question, decision, status=status, **who)


def _annotator(record: dict[str, Any], stem: Name, source: str | None) -> tuple[Name, bool]:
    """Return who answered: a named person or session, or else the file."""
    keys = {"session": ("_session_id",), "file": ()}.get(
        source or "", ("_annotator_id", "_session_id")
    )
    for key in keys:
        found = maybe_name(record.get(key))
        if found is not None and (source == "session" or not _TIME.search(found)):
            return found, not _TIME.search(found)
    return stem, True


def _chosen(record: dict[str, Any]) -> list[str]:
    """Return the options chosen: their ids, or their texts where ids are mere numbers."""
    accepted = record.get("accept")
    if not isinstance(accepted, list):
        accepted = [] if accepted is None else [accepted]
    if all(isinstance(chosen, str) for chosen in accepted):
        return accepted
    texts = {
        option.get("id"): option.get("text")
        for option in listing(record.get("options"), "options")
        if isinstance(option, dict) and isinstance(option.get("id"), int)
    }
    distinct = len(set(map(str, texts.values()))) == len(texts)
    return [
        (maybe_name(texts.get(chosen)) if distinct and isinstance(chosen, int) else None)
        or name(chosen, "an option chosen")
        for chosen in accepted
    ]


def _spans(record: dict[str, Any]) -> Iterator[Span]:
    """Yield the spans with a label; those without one are matches of a pattern, for the eye."""
    for entry in listing(record.get("spans"), "spans"):
        span = mapping(entry, "a span")
        if span.get("label") is not None and not _is_region(span):
            start, end = offsets(span.get("start"), span.get("end"), "a span")
            yield Span(start, end, name(span["label"], "the label of a span"))


def _relations(record: dict[str, Any]) -> Iterator[Relation]:
    for entry in listing(record.get("relations"), "relations"):
        relation = mapping(entry, "a relation")
        ends = []
        for key in ("head_span", "child_span"):
            span = mapping(relation.get(key), key)
            start, end = offsets(span.get("start"), span.get("end"), f"the {key} of a relation")
            ends.append(Span(start, end, maybe_name(span.get("label")) or ""))
        source, target = ends
        yield Relation(source, target, name(relation.get("label"), "the label of a relation"))


def _is_region(span: dict[str, Any]) -> bool:
    """Return whether a span is part of an image, or of a recording in seconds."""
    return "points" in span or "x" in span or isinstance(span.get("start"), float)


def _has_regions(record: dict[str, Any]) -> bool:
    spans = [
        *listing(record.get("spans"), "spans"),
        *listing(record.get("audio_spans"), "audio_spans"),
    ]
    return any(isinstance(span, dict) and _is_region(span) for span in spans)


def _binary(record: dict[str, Any], item: str) -> tuple[str, Name]:
    """Return what was asked with yes and no, and of what: a label of an item or of one span."""
    label = maybe_name(record.get("label"))
    if label is not None:
        return label, item
    spans = list(_spans(record))
    if len(spans) == 1:
        [span] = spans
        return span.label, joined([item, f"{span.start}-{span.end}"], " ")
    return _ANSWER, item


FORMAT = ExportFormat(
    name="prodigy",
    title="Prodigy",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is an input, an annotator is a named session or else the file, and a label is an "
        "option, or yes and no (accept and reject) where a label was proposed."
    ),
    annotators=("person", "file", "session"),
)
