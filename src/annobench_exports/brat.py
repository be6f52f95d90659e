"""Folders of brat: a folder per annotator, in it a `.txt` and an `.ann` file per document.

Spans (T), events (E), relations (R) and equivalences (*) make the layer "spans": an event is its
trigger and a relation to each argument, an equivalence a relation from each member to the next.
Each kind of attribute (A, M) and the normalisations (N) make a layer of their own, with the limits
of the spans they are about. Notes (#) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from annobench.core.errors import ReaderError
from annobench.io.formats.base import ExportFormat, Intake, Relation, Source, Span

__all__ = ["FORMAT", "read", "recognise"]

LAYER = "spans"
NORMALISATIONS = "normalisations"

#: Of an offset: Python reads only so many.
MAX_DIGITS = 18

_SPAN = re.compile(r"(\S+) ([0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)")
_REMEDY = "Copy the whole folder of the project, with its .txt and .ann files."


def recognise(source: Source) -> str | None:
    """Recognise a folder with `.ann` files.

    Parameters
    ----------
    source : Source
        A file or folder.

    Returns
    -------
    str or None
        Whether annotators have folders of their own.
    """
    found = [path for path in source.files if path.suffix == ".ann"] if source.is_folder else []
    if not found:
        return None
    return "one folder per annotator" if has_folders(source.path, found) else "one annotator"


def read(source: Source, intake: Intake) -> None:
    """Read all documents of all annotators.

    Parameters
    ----------
    source : Source
        The folder.
    intake : Intake
        Where to push.
    """
    _declare(source.path / "annotation.conf", intake)
    paths = [path for path in source.files if path.suffix == ".ann" or not source.is_folder]
    apart = source.is_folder and has_folders(source.path, paths)
    layers: dict[str, None] = {LAYER: None}
    parsed = []
    for path in paths:
        place = path.relative_to(source.path) if source.is_folder else Path(path.name)
        annotator = place.parts[0] if apart and len(place.parts) > 1 else _name(source.path)
        inner = Path(*place.parts[1:]) if apart and len(place.parts) > 1 else place
        document = inner.with_suffix("").as_posix()
        text = _document_text(path, source.path / inner, intake)
        intake.begin(place, "line")
        intake.read()
        found = _parse(path, text, intake)
        layers.update(dict.fromkeys(found.layers))
        if text is not None:
            intake.document(document, text)
            if intake.documents[document] != text:
                intake.fault(1, f"its text differs from that of {document!r} of another annotator")
        parsed.append((place, document, annotator, found))
    # Whoever opened a document has marked nothing in the layers that only others used.
    for place, document, annotator, found in parsed:
        intake.begin(place, "line")
        for layer in layers:
            relations = found.relations if layer == LAYER else ()
            spans = found.layers.get(layer, ())
            intake.marks(document, annotator, layer, spans, where=1, relations=relations)
    if source.is_folder:
        _leave_out_texts(source, paths, intake)


@dataclass
class _Document:
    """What one `.ann` file says."""

    layers: dict[str, list[Span]] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)


def has_folders(root: Path, paths: list[Path]) -> bool:
    """Say whether the folders in the folder are those of annotators."""
    return len({path.relative_to(root).parts[0] for path in paths}) > 1 and all(
        len(path.relative_to(root).parts) > 1 for path in paths
    )


def _name(path: Path) -> str:
    return path.resolve().name if path.is_dir() else path.resolve().parent.name


def _text(path: Path) -> str:
    try:
        # Offsets count line ends as they stand.
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReaderError(
            f"{path}, byte {error.start}: not UTF-8. Save the file as UTF-8."
        ) from error


def _document_text(path: Path, shared: Path, intake: Intake) -> str | None:
    """Return the text beside the annotations, or beside the folders of the annotators."""
    for found in (path.with_suffix(".txt"), shared.with_suffix(".txt")):
        if found.is_file():
            intake.uses(found)
            return _text(found)
    return None


def _leave_out_texts(source: Source, paths: list[Path], intake: Intake) -> None:
    annotated = {path.with_suffix(".txt") for path in paths}
    names = {path.relative_to(source.path).with_suffix("").parts[1:] for path in paths}
    for path in (path for path in source.files if path.suffix == ".txt"):
        shared = path.relative_to(source.path).with_suffix("").parts
        if path not in annotated and shared not in names:
            intake.begin(path.relative_to(source.path), "line")
            intake.read()
            intake.leave_out(1, "texts without an .ann file")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(_text(path).removeprefix("\ufeff").split("\n"), start=1):
        if line := line.rstrip("\r"):
            yield number, line


def _parse(path: Path, text: str | None, intake: Intake) -> _Document:
    """Read one file: spans first, then what refers to them."""
    found = _Document()
    spans: dict[str, Span] = {}
    later: list[tuple[int, str, list[str]]] = []
    for number, line in _lines(path):
        name, _, rest = line.partition("\t")
        body = rest.partition("\t")[0]
        if name.startswith("T"):
            span = _span(body, text)
            if isinstance(span, str):
                intake.fault(number, f"{name}: {span}")
            elif name in spans:
                intake.fault(number, f"{name} stands there twice")
            else:
                spans[name] = span
        elif name[:1] in {"R", "E", "A", "M", "N", "*"} and body.split():
            later.append((number, name, body.split()))
        elif name.startswith("#"):
            intake.read()
            intake.leave_out(number, "notes")
        else:
            shown = line if len(line) <= 60 else f"{line[:60]}..."
            intake.fault(number, f"{shown!r} is no annotation of brat")
    triggers = {
        name: words[0].partition(":")[2]
        for _, name, words in later
        if name.startswith("E") and ":" in words[0]
    }
    at = spans | {name: spans[trigger] for name, trigger in triggers.items() if trigger in spans}
    found.layers[LAYER] = list(spans.values())
    for number, name, words in later:
        if fault := _refer(found, at, name, words):
            intake.fault(number, f"{name}: {fault}")
    return found


def _span(body: str, text: str | None) -> Span | str:
    """Read the type and the limits of a span, or say what is wrong."""
    match = _SPAN.fullmatch(body)
    if match is None:
        return f"{body[:60]!r} is no type with offsets, such as 'PER 0 5'"
    if len(max(match[2].replace(";", " ").split(), key=len)) > MAX_DIGITS:
        return f"the offsets {match[2][:60]!r} are impossible"
    parts = [(int(s), int(e)) for s, e in map(str.split, match[2].split(";"))]
    if any(start >= end for start, end in parts):
        return f"the offsets {match[2]!r} hold no text"
    span = Span.of_parts(parts, match[1])
    if text is not None and span.end > len(text):
        return f"it ends at {span.end}, and the text has {len(text)} characters"
    return span


def _refer(found: _Document, at: dict[str, Span], name: str, words: list[str]) -> str | None:
    """Take a line that refers to spans; return what is wrong with it."""
    kind, *rest = words
    if name[0] in "AM":
        if not rest or rest[0] not in at:
            return f"it is about {rest[0] if rest else 'nothing'}, which is not there"
        value = rest[1] if len(rest) > 1 else kind
        own = at[rest[0]]
        found.layers.setdefault(f"attribute {kind}", []).append(own._replace(label=value))
        return None
    if name[0] == "N":
        if len(rest) < 2 or rest[0] not in at:
            return f"it is about {rest[0] if rest else 'nothing'}, which is not there"
        own = at[rest[0]]
        found.layers.setdefault(NORMALISATIONS, []).append(own._replace(label=rest[1]))
        return None
    if name == "*":
        links = [(first, second, kind) for first, second in pairwise(rest)]
    elif name[0] == "E":
        trigger = kind.partition(":")[2]
        links = [(trigger, word.partition(":")[2], word.partition(":")[0]) for word in rest]
        rest = [trigger, *(end for _, end, _ in links)]
    else:
        rest = [word.partition(":")[2] for word in rest]
        if len(rest) != 2:
            return "a relation has two arguments, such as 'Arg1:T1 Arg2:T2'"
        links = [(rest[0], rest[1], kind)]
    missing = [end for end in rest if end not in at]
    if missing:
        return f"it refers to {missing[0] or 'nothing'}, which is not there"
    found.relations += [Relation(at[first], at[second], label) for first, second, label in links]
    return None


def _declare(path: Path, intake: Intake) -> None:
    """Read the types of spans that the configuration names."""
    if not path.is_file():
        return
    intake.uses(path)
    types: list[str] = []
    section = ""
    for line in _text(path).splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif line and section in ("entities", "events") and line[0] not in "!<":
            types.append(line.split()[0])
    intake.question(LAYER, "spans", dict.fromkeys(types) or None)


FORMAT = ExportFormat(
    name="brat",
    title="brat",
    recognise=recognise,
    read=read,
    note=(
        "Each folder is an annotator, with a .txt and an .ann file per document; an empty .ann "
        "file is a document in which the annotator marked nothing."
    ),
)
