"""Labeling jobs of SageMaker Ground Truth: worker responses, consolidation requests, manifests.

The answers of workers are in `annotations/worker-response`, a file per object, and again in the
request that Ground Truth makes of a consolidation function. The output manifest has their
consensus only.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annobench.core.errors import ReaderError
from annobench.core.names import MadeName, Name
from annobench.io.formats.base import ExportFormat, Intake, Source, Span
from annobench.io.formats.records import json_records
from annobench_exports._parts import MisshapenError, listing, mapping, maybe_name, name, word
from annobench_exports._structured import Label, entities, flatten, parse_json

RESPONSES, REQUEST, MANIFEST = "worker responses", "consolidation request", "output manifest"
_RESPONSE = "consolidation response"

#: Annotators of a manifest: all workers of an object together, and the model of the job.
CONSENSUS, MODEL = MadeName("consensus"), MadeName("model")

_METADATA = "-metadata"
_REMEDY = "Give the folder worker-response of the job's output, or a consolidation request."


def _recognise(source: Source) -> str | None:
    """Return the variant of a file, or of a folder that holds nothing else."""
    if not source.is_folder:
        variant = _variant(source)
        return None if variant == _RESPONSE else variant
    found = {_variant(source.inside(path)) for path in _files(source)}
    return None if None in found else _meant(found)


def _files(source: Source) -> list[Path]:
    """Return the files that may hold answers; a manifest beside them repeats their consensus."""
    return [path for path in source.files if path.suffix.lower() == ".json"]


def _meant(variants: set[str | None]) -> str | None:
    """Return the variant that is read of several which hold the same answers."""
    return next((each for each in (RESPONSES, REQUEST) if each in variants), None)


def _variant(source: Source) -> str | None:
    record = source.first_record
    if record is None:
        return None
    if "datasetObjectId" in record:
        if isinstance(record.get("annotations"), list):
            return REQUEST
        return _RESPONSE if "consolidatedAnnotation" in record else None
    answers = record.get("answers")
    if isinstance(answers, list) and all(
        isinstance(each, dict) and each.keys() >= {"answerContent", "workerId"} for each in answers
    ):
        return RESPONSES if answers or len(record) == 1 else None
    return MANIFEST if any(True for _ in _labels(record)) else None


def _labels(record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the label attributes of a line of a manifest, and what is said of each."""
    if not record.keys() & {"source", "source-ref"}:
        return
    for key, about in record.items():
        attribute = key.removesuffix(_METADATA)
        if attribute == key or not isinstance(about, dict):
            continue
        if word(about.get("type")).startswith("groundtruth/"):
            yield attribute, about


def _read(source: Source, intake: Intake) -> None:
    if not source.is_folder:
        _read_file(source, _variant(source), "", source.path.stem, intake)
        return
    variants = {path: _variant(source.inside(path)) for path in _files(source)}
    wanted = _meant(set(variants.values()))
    for path, variant in variants.items():
        if variant == wanted:
            place = path.relative_to(source.path)
            # The folder is called by the object's number, the file by the time.
            item = place.parent.name or path.stem
            _read_file(source.inside(path), variant, str(place), item, intake)


def _read_file(source: Source, variant: str | None, place: str, item: str, intake: Intake) -> None:
    if variant == RESPONSES:
        _read_responses(source, place, item, intake)
    elif variant == REQUEST:
        _read_request(source, place, intake)
    elif variant == MANIFEST:
        _read_manifest(source, intake)
    else:
        raise ReaderError(f"{source.path}: no answers of workers and no labels. {_REMEDY}")


def _read_responses(source: Source, place: str, item: str, intake: Intake) -> None:
    """Push the answers about one object."""
    for _, record in json_records(source.path):
        intake.begin(place, "answer")
        answers = record.get("answers")
        if not isinstance(answers, list):
            intake.fault(1, "there is no list of answers")
            continue
        if not answers:
            intake.read()
            intake.leave_out(1, "objects that nobody annotated")
        for where, entry in enumerate(answers, start=1):
            intake.read()
            try:
                answer = mapping(entry, "an answer")
                content = mapping(answer.get("answerContent"), "answerContent")
                intake.at(answer.get("submissionTime"), "submissionTime")
                _push(intake, item, name(answer.get("workerId"), "workerId"), content, where)
            except MisshapenError as error:
                intake.fault(where, str(error))


def _read_request(source: Source, place: str, intake: Intake) -> None:
    """Push the annotations of all objects of a request, numbered through."""
    where = 0
    for number, record in json_records(source.path):
        try:
            item = name(record.get("datasetObjectId"), "datasetObjectId")
            _push_text(intake, item, _text(mapping(record.get("dataObject"), "dataObject")))
            annotations = listing(record.get("annotations"), "annotations")
            intake.begin(place, "record")
            if not annotations:
                intake.read()
                intake.leave_out(number, "objects that nobody annotated")
            intake.begin(place, "annotation")
            for where, entry in enumerate(annotations, start=where + 1):  # noqa: B020
                intake.read()
                _push_annotation(intake, item, mapping(entry, "an annotation"), where)
        except MisshapenError as error:
            intake.begin(place, "record")
            intake.fault(number, str(error))


def _push_annotation(intake: Intake, item: str, annotation: dict[str, Any], where: int) -> None:
    worker = name(annotation.get("workerId"), "workerId")
    data = mapping(annotation.get("annotationData"), "annotationData")
    if "content" not in data:
        intake.leave_out(where, "annotations of which the request contains only the address")
        return
    content = data["content"]
    if isinstance(content, str):
        content = parse_json(content) if content.startswith("{") else content
        if content is None:
            raise MisshapenError("the content of an annotation is not JSON")
    _push(intake, item, worker, mapping(content, "the content of an annotation"), where)


def _read_manifest(source: Source, intake: Intake) -> None:
    """Push the labels of all objects of a manifest."""
    intake.begin("", "line")
    intake.notes.append(
        "An output manifest contains one label per object, the consensus of its workers. Agreement "
        "cannot be computed from it; give the worker responses."
    )
    for where, record in json_records(source.path):
        intake.read()
        try:
            _push_line(where, record, intake)
        except MisshapenError as error:
            intake.fault(where, str(error))


def _text(shown: dict[str, Any]) -> str:
    """Return what workers saw: the text itself, or that of a line of the manifest."""
    content = shown.get("content")
    found = parse_json(content) if isinstance(content, str) else content
    return word(found.get("source")) if isinstance(found, dict) else word(content)


def _push_text(intake: Intake, item: Name, text: str) -> None:
    if text:
        intake.text(item, text)
        intake.document(item, text)


def _push(intake: Intake, item: Name, worker: Name, content: dict[str, Any], where: int) -> None:
    if not content:
        intake.leave_out(where, "answers without content")
    for question, value in content.items():
        for asked, label in flatten(question, value):
            _push_answer(intake, item, worker, asked, label, where)


def _push_answer(
    intake: Intake, item: Name, who: Name, question: str, label: Label | list[Span], where: int
) -> None:
    if isinstance(label, list):
        intake.marks(item, who, question, label, where=where)
    else:
        intake.answer(item, who, question, label, where=where)


def _push_line(where: int, record: dict[str, Any], intake: Intake) -> None:
    item: Name = maybe_name(record.get("source-ref")) or MadeName(f"line {where}")
    _push_text(intake, item, word(record.get("source")))
    pushed = False
    for attribute, about in _labels(record):
        label = _label(record.get(attribute), about)
        if label is None:
            continue
        who = MODEL if about.get("human-annotated") == "no" else CONSENSUS
        _push_answer(intake, item, who, attribute, label, where)
        pushed = True
    if not pushed:
        intake.leave_out(where, "lines without a label that can be compared")


def _label(value: Any, about: dict[str, Any]) -> Label | list[Span]:
    """Return the class of an object, its classes, those of its boxes, or its entities."""
    if maybe_name(about.get("class-name")):
        return maybe_name(about["class-name"])
    marked = value.get("annotations") if isinstance(value, dict) else value
    if isinstance(marked, dict) and isinstance(marked.get("entities"), list):
        return entities(marked["entities"])
    classes = mapping(about.get("class-map"), "class-map")
    if not isinstance(marked, list) or not classes:
        return None
    numbers = [each.get("class_id") if isinstance(each, dict) else each for each in marked]
    return tuple(
        dict.fromkeys(name(classes.get(str(number)), f"the class {number}") for number in numbers)
    )


FORMAT = ExportFormat(
    name="ground_truth",
    title="SageMaker Ground Truth",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is an object of the data set, an annotator is a worker, the questions are the "
        "elements of the template. Of boxes drawn on an image the labels are compared, not their "
        "positions. The labels of a manifest are those of one annotator, the consensus."
    ),
)
