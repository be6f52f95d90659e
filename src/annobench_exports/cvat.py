"""Exports of CVAT, "CVAT for images": tags of images, and the shapes drawn on them.

The owner of a task is named, and who annotated is not: each file is the work of one annotator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from annobench.core.errors import ReaderError
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.xml import read_xml
from annobench_exports._parts import named_by_file

#: What is asked of an image: its tags, and the labels of the shapes drawn on it.
TAGS, OBJECTS = "tags", "objects"

_SHAPES = {"box", "polygon", "polyline", "points", "cuboid", "ellipse", "mask", "skeleton"}

_ROOT = re.compile(rb"<annotations\s*>\s*<version>\s*1\.\d+\s*</version>")
_REMEDY = 'Export the task again, as "CVAT for images".'


@dataclass
class _Image:
    """An image: its place among all of the file, its name, and what was said of it.

    Attributes
    ----------
    number : int
        From 1.
    name : str
        That of its file.
    tags, objects : list of str
        Labels.
    attributes : dict of str to str
        Of tags, by question.
    others : list of str
        Reasons why parts of it are no labels.
    """

    number: int
    name: str
    tags: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)


def _recognise(source: Source) -> str | None:
    """Return the variant of a file, or of a folder with a file for each annotator."""
    parts = [source.inside(path) for path in _files(source)] if source.is_folder else [source]
    heads = [part.head for part in parts]
    if not heads or not all(_ROOT.search(head) for head in heads):
        return None
    # A long description of the task may stand before the first image.
    return None if any(b"<track " in head for head in heads) else "images"


def _files(source: Source) -> list[Path]:
    return [path for path in source.files if path.suffix.lower() == ".xml"]


def _read(source: Source, intake: Intake) -> None:
    paths = _files(source) if source.is_folder else [source.path]
    read = {path: _images(path) for path in paths}
    everything = [image for images in read.values() for image in images]
    tagged = any(image.tags for image in everything)
    drawn = any(image.objects for image in everything)
    for path, images in read.items():
        intake.begin(path.relative_to(source.path) if source.is_folder else "", "image")
        for image in images:
            _push(image, path, tagged, drawn, intake)


def _push(image: _Image, path: Path, tagged: bool, drawn: bool, intake: Intake) -> None:
    """Push what one annotator said of an image; without a tag the annotator chose none."""
    intake.read()
    answers: dict[str, str | frozenset[str] | None] = {}
    if tagged:
        answers[TAGS] = frozenset(image.tags) or None
    if drawn:
        answers[OBJECTS] = frozenset(image.objects) or None
    answers |= image.attributes
    for question, label in answers.items():
        who = named_by_file(path, intake.path)
        intake.answer(image.name, who, question, label, where=image.number, personal=True)
    if not answers:
        intake.leave_out(image.number, "images without a tag or a shape")
    for reason in image.others:
        intake.read()
        intake.leave_out(image.number, reason)


def _images(path: Path) -> list[_Image]:
    """Read the images of a file."""
    reader = _Reader(path)
    read_xml(path, reader.prepare, _REMEDY)
    if not reader.seen_root:
        raise ReaderError(f"{path}: the root is not <annotations>, as CVAT writes it. {_REMEDY}")
    return reader.images


class _Reader:
    """Handlers of the elements of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.images: list[_Image] = []
        self.seen_root = False
        self._open: list[str] = []
        self._label = self._attribute = ""
        self._text: list[str] = []

    def prepare(self, parser: expat.XMLParserType) -> None:
        """Set the handlers."""
        self._parser = parser
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text.append

    def _start(self, element: str, given: dict[str, str]) -> None:
        if not self._open:
            self.seen_root = element == "annotations"
        depth, in_image = len(self._open), self._open[:2] == ["annotations", "image"]
        self._open.append(element)
        self._text.clear()
        if depth == 1 and element == "image":
            self.images.append(_Image(len(self.images) + 1, self._given(given, "name", element)))
        elif depth == 1 and element == "track":
            raise ReaderError(
                f"{self.path}, line {self._parser.CurrentLineNumber}: a track of a video. {_REMEDY}"
            )
        elif depth == 2 and in_image:
            self._take(element, given)
        elif depth == 3 and in_image and element == "attribute":
            self._attribute = self._given(given, "name", element)

    def _take(self, element: str, given: dict[str, str]) -> None:
        """Take a tag or a shape of the last image."""
        image = self.images[-1]
        if element != "tag" and element not in _SHAPES:
            image.others.append(f"elements <{element}>")
            return
        self._label = self._given(given, "label", element)
        (image.tags if element == "tag" else image.objects).append(self._label)

    def _given(self, given: dict[str, str], key: str, element: str) -> str:
        found = given.get(key, "")
        if not found.strip():
            raise ReaderError(
                f"{self.path}, line {self._parser.CurrentLineNumber}: <{element}> without a {key}. "
                f"{_REMEDY}"
            )
        return found

    def _end(self, element: str) -> None:
        self._open.pop()
        if element != "attribute" or self._open[:2] != ["annotations", "image"]:
            return
        image = self.images[-1]
        if self._open[2:] == ["tag"]:
            value = "".join(self._text).strip()
            if value:
                image.attributes[f"{TAGS}.{self._label}.{self._attribute}"] = value
        else:
            image.others.append("attributes of single shapes")


FORMAT = ExportFormat(
    name="cvat",
    title="CVAT",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is an image, an annotator is a file, and the labels are the tags of the image, or "
        "those of the shapes drawn on it; the positions of the shapes are not compared."
    ),
)
