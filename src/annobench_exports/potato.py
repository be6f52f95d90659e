"""Potato: `user_state.json` of every user, `annotated_instances.jsonl`, and tables of both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annobench.core.errors import ReaderError
from annobench.io.formats.base import ExportFormat, Intake, Source, Span, as_json
from annobench.io.formats.records import csv_records, json_records
from annobench_exports._parts import MisshapenError, listing, mapping, name, offsets
from annobench_exports._structured import Label

_STATE, _INSTANCES = "user_state.json", "annotated_instances.jsonl"
_OUTPUT = "annotation_output"
_LABELS, _SPANS = "instance_id_to_label_to_value", "instance_id_to_span_to_value"

#: What stands between a question and its option in the header of a table.
_JOINT = ":::"

#: What a ticked box or button has as its value; anything else is what was typed or slid to.
_TICKED = ("true", "True", "on")

#: What an empty one has.
_EMPTY = ("", "false", "False")


@dataclass(frozen=True)
class _Instance:
    """What a user did with one instance: options by question, spans by layer."""

    item: str
    labels: dict[str, dict[str, Any]]
    spans: dict[str, list[Span]]
    text: str = ""
    is_page: bool = False


#: The name and the file of an annotator, and what that file holds.
_Work = tuple[str, Path, list[_Instance]]


def _recognise(source: Source) -> str | None:
    """Return the variant: states of users, instances of one user, or a table of all."""
    if source.is_folder:
        if _files_named(_STATE, source):
            return "folders of users"
        return "folders of instances" if _files_named(_INSTANCES, source) else None
    if _is_table(source):
        return "table of instances"
    first = source.first_record or {}
    if _LABELS in first:
        return "state of a user"
    if "label_annotations" in first and "id" in first:
        return "instances of a user"
    return "instances of users" if {"instance_id", "user_id", "labels"} <= set(first) else None


def _is_table(source: Source) -> bool:
    header = source.header or ()
    return {"user", "instance_id"} <= set(header) and any(_JOINT in name for name in header)


def _files_named(name: str, source: Source) -> list[Path]:
    """Return the files of that name in users' folders: in the folder, or in a task's output."""
    found = []
    for path in source.files:
        above = path.relative_to(source.path).parts[:-2]
        if path.name == name and (not above or _OUTPUT in (source.path.name, *above)):
            found.append(path)
    return found


def _read(source: Source, intake: Intake) -> None:
    """Push what every user chose on every instance."""
    if not source.is_folder:
        found = list(_works(source, source.path))
    else:
        states, listed = (_files_named(name, source) for name in (_STATE, _INSTANCES))
        # Beside the state of a user the instances say the same again.
        known = {path.parent for path in states}
        intake.uses(*(path for path in listed if path.parent in known))
        paths = [*states, *(path for path in listed if path.parent not in known)]
        found = [work for path in paths for work in _works(source.inside(path), path)]
    asked: dict[str, None] = {}
    several: set[str] = set()
    for _, _, instances in found:
        for instance in instances:
            if not instance.is_page:
                asked.update(dict.fromkeys(instance.labels))
                chosen = instance.labels.items()
                several.update(name for name, options in chosen if len(_ticked(options)) > 1)
    for question in several:
        intake.question(question, "choices")
    for annotator, path, instances in found:
        shown = path.relative_to(source.path) if source.is_folder else ""
        intake.begin(shown, "instance")
        personal = not any(character.isdigit() for character in annotator)
        for where, instance in enumerate(instances, start=1):
            intake.read()
            item, labels = instance.item, instance.labels
            if instance.is_page:
                intake.leave_out(where, "pages of the study that are no instances")
                continue
            if not labels and not instance.spans:
                intake.leave_out(where, "instances that were assigned and not annotated")
                continue
            if instance.text:
                intake.text(item, instance.text)
            for question in asked if labels else ():
                intake.answer(
                    item,
                    annotator,
                    question,
                    _label(labels.get(question, {})),
                    where=where,
                    personal=personal,
                )
            for layer, marked in instance.spans.items():
                intake.marks(item, annotator, layer, marked, where=where, personal=personal)


def _works(source: Source, path: Path) -> Iterator[_Work]:
    """Yield the work of every user whom a file speaks of."""
    if _is_table(source):
        yield from _table(source)
        return
    by_user: dict[str, list[_Instance]] = defaultdict(list)
    for number, record in json_records(path):
        try:
            user = record.get("user_id")
            user = path.parent.name if user in (None, "") else name(user, "the id of a user")
            by_user[user] += _state(record) if _LABELS in record else [_instance(record)]
        except MisshapenError as error:
            raise ReaderError(f"{path}, record {number}: {error}. Export it again.") from error
    for user, instances in by_user.items():
        yield user, path, instances


def _instance(record: dict[str, Any]) -> _Instance:
    item = name(record.get("instance_id", record.get("id")), "the id of an instance")
    labels = record.get("labels", record.get("label_annotations"))
    spans = record.get("spans", record.get("span_annotations"))
    # Pages of consent and of a survey stand among the instances of old versions.
    page = item.endswith((".html", ".jsonl"))
    text = as_json(record.get("displayed_text") or "")
    return _Instance(item, _labels(labels), _spans(spans), text, page)


def _state(record: dict[str, Any]) -> Iterator[_Instance]:
    labels, spans = _mapping(record.get(_LABELS)), _mapping(record.get(_SPANS))
    assigned = record.get("instance_id_ordering")
    names = dict.fromkeys(map(str, assigned)) if isinstance(assigned, list) else {}
    names |= dict.fromkeys([*labels, *spans])
    for item in names:
        yield _Instance(item, _labels(labels.get(item)), _spans(spans.get(item)))
    for page in _mapping(record.get("phase_to_page_to_label_to_value")):
        yield _Instance(page, {}, {}, is_page=True)


def _table(source: Source) -> Iterator[_Work]:
    header = source.header or ()
    columns = [name.split(_JOINT, 1) for name in header if _JOINT in name]
    by_user: dict[str, list[_Instance]] = defaultdict(list)
    for _, row in csv_records(source.path, source.delimiter):
        labels: dict[str, dict[str, Any]] = defaultdict(dict)
        for question, option in columns:
            value = row[f"{question}{_JOINT}{option}"]
            if value and question != "span_annotations":
                labels[question][option] = value
        text = row.get("displayed_text", "")
        by_user[row["user"]].append(_Instance(row["instance_id"], dict(labels), {}, text))
    for user, instances in by_user.items():
        yield user, source.path, instances


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _labels(value: Any) -> dict[str, dict[str, Any]]:
    """Return what was chosen, by question and option."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    if isinstance(value, list):
        for pair in value:
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict):
                key, chosen = pair
                found[str(key.get("schema"))][str(key.get("name"))] = chosen
    for question, options in _mapping(value).items():
        chosen = _mapping(options)
        found[question] |= _mapping(chosen.get("labels")) or chosen
    return {question: options for question, options in found.items() if _ticked(options)}


def _ticked(options: dict[str, Any]) -> list[str]:
    return [
        option if value is True or value in _TICKED else as_json(value)
        for option, value in options.items()
        if value is not None and value is not False and value not in _EMPTY
    ]


def _label(options: dict[str, Any]) -> Label:
    chosen = _ticked(options)
    return tuple(chosen) if len(chosen) > 1 else next(iter(chosen), None)


def _spans(value: Any) -> dict[str, list[Span]]:
    """Return the marked spans, by layer."""
    found: dict[str, list[Span]] = defaultdict(list)
    if isinstance(value, list):
        for pair in value:
            mark = pair[0] if isinstance(pair, list) and pair else pair
            _add_span(found, str(_mapping(mark).get("schema")), mark)
    for layer, marks in _mapping(value).items():
        for mark in listing(marks, f"the spans of {layer!r}"):
            _add_span(found, layer, mark)
    return dict(found)


def _add_span(found: dict[str, list[Span]], layer: str, mark: Any) -> None:
    mark = mapping(mark, f"a span of {layer!r}")
    label = mark.get("name") or mark.get("label") or mark.get("annotation")
    start, end = offsets(mark.get("start"), mark.get("end"), f"a span of {layer!r}")
    found[layer].append(Span(start, end, name(label, f"the label of a span of {layer!r}")))


FORMAT = ExportFormat(
    name="potato",
    title="Potato",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is an instance, an annotator is a user, the questions are the schemas; an "
        "instance that was assigned and not annotated is left out."
    ),
)
