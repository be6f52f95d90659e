"""Data sets in the layout of COCO: images, categories, and the objects found in each image.

The layout does not say who annotated: each file is the work of one annotator.
"""

from __future__ import annotations

from typing import Any

from annobench.core.names import Name
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.records import json_records
from annobench_exports._parts import (
    MisshapenError,
    each_file,
    listing,
    mapping,
    name,
    named_by_file,
    variant_of,
)

#: What is asked of an image: which categories its objects have.
OBJECTS = "objects"


def _recognise(source: Source) -> str | None:
    """Return the variant of a file, or of a folder with a file for each annotator."""
    return variant_of(source, _variant)


def _variant(source: Source) -> str | None:
    record = source.first_record or {}
    firsts = []
    for key in ("images", "categories", "annotations"):
        entries = record.get(key)
        if not isinstance(entries, list) or not (entries or key == "annotations"):
            return None
        firsts.append(entries[0] if entries else {"image_id": None})
    wanted = ({"id", "file_name"}, {"id", "name"}, {"image_id"})
    fits = all(
        isinstance(first, dict) and first.keys() >= keys
        for first, keys in zip(firsts, wanted, strict=True)
    )
    return "objects of images" if fits else None


def _read(source: Source, intake: Intake) -> None:
    for place, part in each_file(source):
        if not source.is_folder or _variant(part) is not None:
            intake.begin(place, "image")
            for where, record in json_records(part.path):
                try:
                    _push(record, named_by_file(part.path, intake.path), intake)
                except MisshapenError as error:
                    intake.fault(where, str(error))


def _push(record: dict[str, Any], annotator: Name, intake: Intake) -> None:
    """Push what one annotator found in each image, also if it is nothing."""
    files = _named(record, "images", "file_name")
    if len(set(files.values())) < len(files):
        raise MisshapenError("two images have the same file_name")
    categories = _named(record, "categories", "name")
    found: dict[str, list[str]] = {key: [] for key in files}
    order = {key: where for where, key in enumerate(files, start=1)}
    others: list[tuple[int, str]] = []
    for entry in _entries(record, "annotations"):
        annotation = mapping(entry, "an annotation")
        image = name(annotation.get("image_id"), "the image_id of an annotation")
        if image not in files:
            raise MisshapenError(f"an annotation is of image {image!r}, which is not listed")
        numbers = _categories(annotation)
        if not numbers:
            others.append((order[image], "annotations without a category, such as captions"))
        for number in numbers:
            if number not in categories:
                raise MisshapenError(f"an annotation has category {number!r}, which is not listed")
            found[image].append(categories[number])
        if annotation.get("attributes"):
            others.append((order[image], "attributes of single objects"))
    for image, names in found.items():
        intake.read()
        intake.answer(
            files[image],
            annotator,
            OBJECTS,
            frozenset(names) or None,
            where=order[image],
            personal=True,
        )
    for where, reason in others:
        intake.read()
        intake.leave_out(where, reason)


def _entries(record: dict[str, Any], key: str) -> list[Any]:
    if record.get(key) is None:
        raise MisshapenError(f"there is no list of {key}")
    return listing(record[key], key)


def _named(record: dict[str, Any], key: str, field: str) -> dict[str, str]:
    """Return the names of images or categories by their ids."""
    found: dict[str, str] = {}
    for entry in _entries(record, key):
        each = mapping(entry, f"one of the {key}")
        number = name(each.get("id"), f"the id of one of the {key}")
        called = name(each.get(field), f"the {field} of one of the {key}")
        if number in found:
            raise MisshapenError(f"two of the {key} have the id {number!r}")
        found[number] = called
    return found


def _categories(annotation: dict[str, Any]) -> list[str]:
    """Return the category of an object, or those of the segments of a panoptic annotation."""
    if "segments_info" in annotation:
        segments = listing(annotation["segments_info"], "segments_info")
        parts = [mapping(each, "a segment") for each in segments]
    else:
        parts = [annotation]
    return [name(p["category_id"], "a category_id") for p in parts if "category_id" in p]


FORMAT = ExportFormat(
    name="coco",
    title="COCO",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is an image, an annotator is a file, and the label is which categories the "
        "objects of the image have; neither their number nor their positions are compared."
    ),
)
