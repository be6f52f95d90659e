"""SNLI and MNLI: sentence pairs with the labels of the pair's author and of validators."""

from __future__ import annotations

from typing import Any

from annobench.core.names import MadeName
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.records import json_records
from annobench_exports._parts import (
    MisshapenError,
    each_file,
    listing,
    name,
    variant_of,
    word,
)

_FIELDS = {"annotator_labels", "gold_label", "pairID", "sentence1", "sentence2"}

#: The gold label of a pair without a majority.
_NO_MAJORITY = "-"

QUESTION = "label"

#: Who gave the first label; the others are called by their place.
AUTHOR = MadeName("author")

_NOTE = (
    "The file does not say who wrote or validated a pair: the names of annotators are places in "
    "its list. Methods that depend on who gave which label reject these."
)


def _recognise(source: Source) -> str | None:
    return variant_of(source, _variant)


def _variant(source: Source) -> str | None:
    record = source.first_record or {}
    fits = record.keys() >= _FIELDS and isinstance(record["annotator_labels"], list)
    if not fits:
        return None
    return "MNLI" if "genre" in record else "SNLI"


def _read(source: Source, intake: Intake) -> None:
    for place, part in each_file(source):
        intake.begin(place, "line")
        for where, record in json_records(part.path):
            intake.read()
            try:
                _push(record, where, intake)
            except MisshapenError as error:
                intake.fault(where, str(error))
    intake.anonymous = True
    intake.notes.append(_NOTE)


def _push(record: dict[str, Any], where: int, intake: Intake) -> None:
    item = name(record.get("pairID"), "pairID")
    labels = listing(record.get("annotator_labels"), "annotator_labels")
    if not any(labels):
        intake.leave_out(where, "pairs without labels")
        return
    texts = {key: value for key, value in record.items() if isinstance(value, str)}
    asked = intake.asked_text(texts)
    if asked is not None:
        intake.text(item, texts[asked])
    elif intake.options.text is None:
        shown = (word(record.get(key)) for key in ("sentence1", "sentence2"))
        intake.text(item, "\n".join(filter(None, shown)))
    for number, label in enumerate(labels, start=1):
        if label == "":
            continue  # a place that no validator filled
        who = AUTHOR if number == 1 else MadeName(f"label {number}")
        intake.answer(item, who, QUESTION, name(label, "a label"), where=where)
    gold = word(record.get("gold_label"))
    if gold and gold != _NO_MAJORITY:
        intake.gold(item, QUESTION, gold)


FORMAT = ExportFormat(
    name="nli",
    title="SNLI and MNLI",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a pair of sentences, the labels are those of its author and of up to four "
        "validators, who are anonymous; the gold label is their majority."
    ),
)
