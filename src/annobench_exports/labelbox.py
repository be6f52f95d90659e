"""Exports of Labelbox: one JSON object a data row, with the labels of each project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from annobench.io.formats.base import ExportFormat, Intake, Source, Span, Status, as_json
from annobench.io.formats.records import json_records
from annobench_exports._parts import (
    MisshapenError,
    each_file,
    listing,
    mapping,
    maybe_name,
    name,
    offsets,
    variant_of,
    word,
)

Label = str | frozenset[str] | None

#: Questions of our own: which objects were marked, and where entities of a text are.
OBJECTS, ENTITIES = "objects", "entities"

#: A longer free text is no category.
_MAX_ANSWER_LENGTH = 60

_NO_CREATOR = "labels of which the export does not name the creator"
_REMEDY = "The export does not name who made some labels: export with label details."


@dataclass
class _Work:
    """A label of a data row, which several people may have made of it.

    Attributes
    ----------
    number : int
        Of all labels of the file.
    item, annotator : str
        Names.
    prefix : str
        Stands before the names of questions, where a file holds several projects.
    created : object
        When, as the file writes it.
    status : str
        How far it came.
    answers, nested : dict of str to (str or frozenset of str or None)
        By question; nested ones are asked only if the option was chosen that they belong to.
    objects : set of str
        Names of what was marked.
    spans : list of Span
        Entities of a text.
    others : list of str
        Reasons why parts of it are no labels.
    """

    number: int
    item: str
    annotator: str
    prefix: str
    created: object = None
    status: Status = "done"
    answers: dict[str, Label] = field(default_factory=dict)
    nested: dict[str, Label] = field(default_factory=dict)
    objects: set[str] = field(default_factory=set)
    spans: list[Span] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def _recognise(source: Source) -> str | None:
    """Return the variant of an export of Labelbox, or None."""
    return variant_of(source, _variant)


def _variant(source: Source) -> str | None:
    record = source.first_record or {}
    row, projects = record.get("data_row"), record.get("projects")
    if not isinstance(row, dict) or "id" not in row or not isinstance(projects, dict):
        return None
    fits = all(isinstance(each, dict) and "labels" in each for each in projects.values())
    return "export of data rows" if fits else None


def _read(source: Source, intake: Intake) -> None:
    for place, part in each_file(source):
        works = _works(part, place, intake)
        intake.begin(place, "label")
        _push_all(works, intake)


def _works(part: Source, place: str, intake: Intake) -> list[_Work]:
    """Read the labels of all data rows; questions are named by project if there are several."""
    records = list(json_records(part.path))
    projects = {key for _, record in records for key in _projects(record)}
    works: list[_Work] = []
    number = 0
    for where, record in records:
        try:
            item = _item(record, intake)
            labels = list(_labels(record, len(projects) > 1))
            if not labels:
                intake.begin(place, "data row")
                intake.read()
                intake.leave_out(where, "data rows without labels")
            intake.begin(place, "label")
            for prefix, label in labels:
                number += 1
                intake.read()
                work = _work(number, item, prefix, label, intake)
                if work is not None:
                    works.append(work)
        except MisshapenError as error:
            intake.begin(place, "data row")
            intake.fault(where, str(error))
    return works


def _projects(record: dict[str, Any]) -> dict[str, Any]:
    projects = record.get("projects")
    return projects if isinstance(projects, dict) else {}


def _item(record: dict[str, Any], intake: Intake) -> str:
    """Name a data row, and hand over what was shown."""
    row = mapping(record.get("data_row"), "data_row")
    item = maybe_name(row.get("global_key")) or name(row.get("id"), "the id of a data row")
    texts = {key: value for key, value in row.items() if isinstance(value, str)}
    shown = intake.asked_text(texts) or (None if intake.options.text else "row_data")
    if shown in texts:
        intake.text(item, texts[shown])
        intake.document(item, texts[shown])
    return item


def _labels(record: dict[str, Any], several: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, entry in mapping(record.get("projects"), "projects").items():
        project = mapping(entry, f"project {key!r}")
        prefix = f"{maybe_name(project.get('name')) or key}/" if several else ""
        for label in listing(project.get("labels"), "labels"):
            yield prefix, mapping(label, "a label")


def _work(
    number: int, item: str, prefix: str, label: dict[str, Any], intake: Intake
) -> _Work | None:
    kind = label.get("label_kind", "Default")
    details = mapping(label.get("label_details"), "label_details")
    creator = details.get("created_by")
    if kind != "Default":
        intake.leave_out(number, f"labels of the kind {as_json(kind)[:40]!r}")
        return None
    if maybe_name(creator) is None:
        intake.leave_out(number, _NO_CREATOR)
        if _REMEDY not in intake.notes:
            intake.notes.append(_REMEDY)
        return None
    work = _Work(number, item, name(creator, "created_by"), prefix, details.get("created_at"))
    if mapping(label.get("performance_details"), "performance_details").get("skipped") is True:
        work.status = "skipped"
    annotations = mapping(label.get("annotations"), "annotations")
    for entry in listing(annotations.get("classifications"), "classifications"):
        _take_classification(work, work.answers, prefix, mapping(entry, "a classification"))
    for entry in listing(annotations.get("objects"), "objects"):
        _take_object(work, mapping(entry, "an object"))
    others = len(listing(annotations.get("relationships"), "relationships"))
    work.others += ["relationships between objects"] * others
    work.others += ["annotations of single frames"] * bool(annotations.get("frames"))
    return work


def _take_classification(
    work: _Work, answers: dict[str, Label], prefix: str, entry: dict[str, Any]
) -> None:
    """Take the answer to a question, and to the questions nested in the options chosen."""
    question = prefix + name(entry.get("name"), "the name of a classification")
    if "checklist_answers" in entry:
        chosen = listing(entry["checklist_answers"], f"the answers to {question!r}")
    elif "radio_answer" in entry:
        chosen = [entry["radio_answer"]]
    elif "text_answer" in entry:
        text = mapping(entry["text_answer"], f"the answer to {question!r}").get("content")
        answers[question] = word(text) or None
        return
    else:
        work.others.append("classifications of an unknown kind")
        return
    options = []
    for each in chosen:
        answer = mapping(each, f"an answer to {question!r}")
        options.append(name(answer.get("name"), f"an answer to {question!r}"))
        for nested in listing(answer.get("classifications"), "nested classifications"):
            below = f"{question}.{options[-1]}."
            _take_classification(work, work.nested, below, mapping(nested, "a classification"))
    several = "checklist_answers" in entry
    answers[question] = (frozenset(options) or None) if several else options[0]


def _take_object(work: _Work, entry: dict[str, Any]) -> None:
    """Take an entity of a text with its place; of other objects only what they are."""
    label = name(entry.get("name"), "the name of an object")
    if word(entry.get("annotation_kind")) == "TextEntity":
        place = mapping(entry.get("location"), f"the location of {label!r}")
        start, end = offsets(place.get("start"), place.get("end"), f"a span of {label!r}")
        # The last character belongs to an entity, as its token shows where it is exported.
        token = place.get("token")
        exclusive = isinstance(token, str) and len(token) == end - start
        work.spans.append(Span(start, end if exclusive else end + 1, label))
    else:
        work.objects.add(label)
    if listing(entry.get("classifications"), "classifications"):
        work.others.append("answers about single objects")


def _push_all(works: list[_Work], intake: Intake) -> None:
    """Push what was read; where others of its project have an answer, a label chose nothing."""
    asked: dict[str, dict[str, None]] = defaultdict(dict)
    for work in works:
        asked[work.prefix] |= dict.fromkeys(work.answers)
    with_objects = {work.prefix for work in works if work.objects}
    with_spans = {work.prefix for work in works if work.spans}
    for work in works:
        answers = {**asked[work.prefix], **work.answers, **work.nested}
        if work.prefix in with_objects:
            answers[work.prefix + OBJECTS] = frozenset(work.objects) or None
        _push_answers(work, answers, intake)
        if work.prefix in with_spans:
            intake.marks(
                work.item,
                work.annotator,
                work.prefix + ENTITIES,
                work.spans,
                where=work.number,
                status=work.status,
                personal=True,
            )
        elif not answers:
            intake.leave_out(work.number, "labels without an annotation")
        for reason in work.others:
            intake.read()
            intake.leave_out(work.number, reason)


def _push_answers(work: _Work, answers: dict[str, Label], intake: Intake) -> None:
    intake.at(work.created, "created_at")
    for question, label in answers.items():
        intake.answer(
            work.item,
            work.annotator,
            question,
            label,
            where=work.number,
            status=work.status,
            personal=True,
        )
        if isinstance(label, str) and len(label) > _MAX_ANSWER_LENGTH:
            intake.question(question, "text")


FORMAT = ExportFormat(
    name="labelbox",
    title="Labelbox",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a data row, an annotator is the person who created a label, a question is a "
        "classification. Of objects in an image the names are compared, not their positions."
    ),
)
