"""Exports of SuperAnnotate: a JSON file for each text or image of a project."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annobench.core.names import MadeName, Name
from annobench.io.formats.base import ExportFormat, Intake, Source, Span, Status
from annobench.io.formats.records import json_records
from annobench_exports._parts import (
    MisshapenError,
    listing,
    mapping,
    maybe_name,
    name,
    offsets,
    word,
)

#: Questions of our own: tags of an item, names of objects in an image, entities of a text.
TAGS, OBJECTS, ENTITIES, FREE_TEXT = "tags", "objects", "entities", "free text"

_STATUS: dict[str, Status] = {
    "completed": "done",
    "qualitycheck": "done",
    "returned": "rejected",
    "skipped": "skipped",
    "notstarted": "unfinished",
    "inprogress": "unfinished",
}

#: Folder of an export that holds the classes, not annotations.
_CLASSES = "classes"

#: Who annotated what the export names nobody for.
UNKNOWN = MadeName("annotator")


@dataclass
class _Item:
    """What one file holds.

    Attributes
    ----------
    place : str
        Its name in the folder.
    name : str
        That of the text or image.
    annotator : str or MadeName
        Who annotated it.
    status : str
        How far the work came.
    tags, objects : set of str
        Tags, and classes of what was drawn.
    groups : dict of str to set of str
        Attributes of tags, by question.
    spans : list of Span
        Entities.
    free_text : str
        What was written about it.
    changed : object
        When it was changed last, in milliseconds since 1970.
    others : list of str
        Reasons why parts of it are no labels.
    """

    place: str
    name: str
    annotator: Name
    status: Status
    tags: set[str] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)
    groups: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    spans: list[Span] = field(default_factory=list)
    free_text: str = ""
    changed: Any = None
    others: list[str] = field(default_factory=list)


def _recognise(source: Source) -> str | None:
    """Return the variant of a file, or of a folder whose files of JSON are all of the format."""
    if not source.is_folder:
        return "annotations of an item" if _fits(source) else None
    files = _files(source)
    fits = bool(files) and all(_fits(source.inside(path)) for path in files)
    return "annotations of a project" if fits else None


def _files(source: Source) -> list[Path]:
    return [
        path
        for path in source.files
        if path.suffix.lower() == ".json" and path.parent.name != _CLASSES
    ]


def _fits(source: Source) -> bool:
    record = source.first_record or {}
    about = record.get("metadata")
    return (
        isinstance(record.get("instances"), list)
        and isinstance(about, dict)
        and "name" in about
        and bool(about.keys() & {"status", "annotatorEmail", "lastAction"})
    )


def _read(source: Source, intake: Intake) -> None:
    items: list[_Item] = []
    for path in _files(source) if source.is_folder else [source.path]:
        place = str(path.relative_to(source.path)) if source.is_folder else ""
        intake.begin(place, "record")
        for where, record in json_records(path):
            try:
                items.append(_item(place, record))
            except MisshapenError as error:
                intake.fault(where, str(error))
    _push_all(items, intake)


def _item(place: str, record: dict[str, Any]) -> _Item:
    about = mapping(record.get("metadata"), "metadata")
    last = mapping(about.get("lastAction"), "lastAction")
    who = maybe_name(about.get("annotatorEmail")) or maybe_name(last.get("email"))
    status = word(about.get("status")).replace(" ", "").casefold()
    item = _Item(
        place,
        name(about.get("name"), "the name of an item"),
        who or UNKNOWN,
        _STATUS.get(status, "unfinished" if status else "done"),
        free_text=word(record.get("freeText")).strip(),
        changed=last.get("timestamp"),
    )
    for tag in listing(record.get("tags"), "tags"):
        item.tags.add(name(tag, "a tag"))
    for entry in listing(record.get("instances"), "instances"):
        _take(item, mapping(entry, "an instance"))
    item.others += ["comments"] * len(listing(record.get("comments"), "comments"))
    return item


def _take(item: _Item, instance: dict[str, Any]) -> None:
    """Take an entity with its place, a tag with its attributes, of others only their class."""
    label = name(instance.get("className"), "the className of an instance")
    attributes = listing(instance.get("attributes"), "attributes")
    kind = word(instance.get("type"))
    if kind == "tag":
        item.tags.add(label)
        for entry in attributes:
            attribute = mapping(entry, "an attribute")
            group = name(attribute.get("groupName"), "the groupName of an attribute")
            value = name(attribute.get("name"), "the name of an attribute")
            item.groups[f"{label}.{group}"].add(value)
        return
    if kind == "entity":
        start, last = offsets(instance.get("start"), instance.get("end"), f"an entity {label!r}")
        item.spans.append(Span(start, last + 1, label))  # `end` is the last character's
    else:
        item.objects.add(label)
    if attributes:
        item.others.append("attributes of single instances")


def _push_all(items: list[_Item], intake: Intake) -> None:
    """Push what was read; without a tag, where other items have some, an annotator chose none."""
    tagged, drawn, marked = (
        any(getattr(item, kind) for item in items) for kind in ("tags", "objects", "spans")
    )
    for item in items:
        intake.begin(item.place, "record")
        intake.read()
        intake.at(item.changed, "lastAction")
        answers: dict[str, str | frozenset[str] | None] = {}
        if tagged:
            answers[TAGS] = frozenset(item.tags) or None
        if drawn:
            answers[OBJECTS] = frozenset(item.objects) or None
        answers |= {question: _one_or_several(found) for question, found in item.groups.items()}
        if item.free_text:
            intake.question(FREE_TEXT, "text")
            answers[FREE_TEXT] = item.free_text
        for question, label in answers.items():
            intake.answer(
                item.name,
                item.annotator,
                question,
                label,
                where=1,
                status=item.status,
                personal=item.annotator != UNKNOWN,
            )
        if marked:
            intake.marks(
                item.name,
                item.annotator,
                ENTITIES,
                item.spans,
                where=1,
                status=item.status,
                personal=item.annotator != UNKNOWN,
            )
        elif not answers:
            intake.leave_out(1, "items without annotations")
        for reason in item.others:
            intake.read()
            intake.leave_out(1, reason)


def _one_or_several(found: set[str]) -> str | frozenset[str]:
    return next(iter(found)) if len(found) == 1 else frozenset(found)


FORMAT = ExportFormat(
    name="superannotate",
    title="SuperAnnotate",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a text or an image, its annotator the person to whom it is assigned, or else "
        "who changed it last. Of objects in an image the classes are compared, not their "
        "positions."
    ),
)
