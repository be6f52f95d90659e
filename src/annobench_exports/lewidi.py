"""Files of the shared tasks on learning with disagreements (LeWiDi), 2023 and 2025."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annobench.io.formats.base import ExportFormat, Intake, Source, as_json
from annobench.io.formats.records import json_records
from annobench_exports._parts import as_number

#: The question of an item that does not say what was asked.
_UNNAMED = "label"

#: Tasks of 2025 in which annotators give numbers.
_RATED = ("sarcasm", "paraphrase")


def _recognise(source: Source) -> str | None:
    """Return the variant by the first item: annotations in a list or by annotator."""
    first = next(iter((source.first_record or {}).values()), None)
    if not isinstance(first, dict) or not {"annotations", "annotators", "soft_label"} <= set(first):
        return None
    return "LeWiDi 2025" if "number of annotators" in first else "LeWiDi 2023"


def _read(source: Source, intake: Intake) -> None:
    """Push the annotations of every item; soft and hard labels are made of them and not read."""
    intake.begin("", "item")
    number = 0
    for _, collection in json_records(source.path):
        for name, entry in collection.items():
            number += 1
            intake.read()
            if not isinstance(entry, dict):
                intake.fault(number, f"{as_json(entry)[:40]!r} where an object is expected")
                continue
            if entry.get("annotations") in (None, "", [], {}):
                intake.leave_out(number, "items without annotations")
                continue
            _push_text(intake, name, entry.get("text"))
            _push(intake, name, entry, number)


def _push(intake: Intake, item: str, entry: dict[str, Any], where: int) -> None:
    question = str(entry.get("annotation task") or entry.get("annotation_task") or _UNNAMED)
    annotators = _names(entry.get("annotators"))
    found = entry["annotations"]
    if isinstance(found, dict):
        rated = any(word in question.casefold() for word in _RATED)
        for annotator, label in found.items():
            intake.answer(item, annotator, question, _label(label, rated), where=where)
        return
    for asked, labels in _lists(question, entry):
        if len(labels) != len(annotators):
            intake.fault(where, f"{len(labels)} annotations of {asked!r}, {len(annotators)} names")
            return
        for annotator, label in zip(annotators, labels, strict=True):
            intake.answer(item, annotator, asked, label or None, where=where)


def _lists(question: str, entry: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield the questions of an item of 2023: its own, and those among the further information."""
    yield question, _names(entry["annotations"])
    further = entry.get("other_info")
    others = further.get("other annotations") if isinstance(further, dict) else None
    for name, labels in others.items() if isinstance(others, dict) else ():
        if isinstance(labels, str | list):
            yield str(name), _names(labels)


def _names(value: Any) -> list[str]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list):
        return []
    return ["" if part is None else as_json(part).strip() for part in parts]


def _label(value: Any, rated: bool) -> str | float | tuple[str, ...] | None:
    if value is None or value != value:
        return None
    parts = _names(as_json(value))
    if len(parts) > 1:
        return tuple(parts)
    if rated:
        number = as_number(parts[0])
        return (parts[0] or None) if number is None else number
    return parts[0] or None


def _push_text(intake: Intake, item: str, text: Any) -> None:
    if isinstance(text, dict):
        asked = intake.asked_text(text)
        if intake.options.text is not None:
            text = {} if asked is None else {asked: text[asked]}
        text = "\n".join(f"{name}: {as_json(part)}" for name, part in text.items())
    if isinstance(text, str):
        intake.text(item, text)


FORMAT = ExportFormat(
    name="lewidi",
    title="LeWiDi",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is an entry, its annotators and their labels are listed in it; the question is "
        "the annotation task, and further annotations of 2023 are separate questions. Soft "
        "and hard labels are computed from the labels and are not read."
    ),
)
