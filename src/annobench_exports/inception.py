"""INCEpTION and WebAnno: WebAnno TSV, UIMA CAS as XMI or JSON, exported projects.

A project has a folder per document, in `annotation` a file per annotator, in `curation` what
curators
made of them. Each feature of a type of annotation makes a layer, such as "NamedEntity.value".
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from annobench.core.errors import ReaderError
from annobench.io.formats.base import DAMAGED_ARCHIVE, ExportFormat, Intake, Source, Status
from annobench.io.formats.records import load_json
from annobench_exports import _uima, _webanno_tsv, _webanno_tsv2
from annobench_exports._webanno_tsv import Content

__all__ = ["FORMAT", "read", "recognise"]

#: Of an archive, unpacked: beyond, it is a bomb or no project.
MAX_BYTES = 4 * 2**30
MAX_FILES = 100_000
#: A file that unpacks to more than this many times its size, if it is large.
MAX_RATIO = 200
LARGE = 64 * 2**20

_PROJECT = re.compile(r"exportedproject.*\.json")
_CURATORS = frozenset({"CURATION_USER", "curator"})
_BEFORE = "INITIAL_CAS"
_STATES: dict[str, Status] = {
    "FINISHED": "done",
    "IN_PROGRESS": "unfinished",
    "INPROGRESS": "unfinished",
    "NEW": "unfinished",
    "IGNORE": "skipped",
    "LOCKED": "skipped",
}
_WITHOUT = {"txt", "ser", "bin", "html", "pdf"}


@dataclass(frozen=True)
class Entry:
    """A file of a project, on disk or in an archive.

    Attributes
    ----------
    path : PurePosixPath
        Its place in the project.
    load : callable
        Gives its content.
    """

    path: PurePosixPath
    load: Callable[[], bytes]


def recognise(source: Source) -> str | None:
    """Recognise a document or a project.

    Parameters
    ----------
    source : Source
        A file or folder.

    Returns
    -------
    str or None
        What it is.
    """
    if source.is_folder:
        names = [path.name for path in source.files]
        if any(map(_PROJECT.fullmatch, names)):
            return "project, unpacked"
        tsv = (path for path in source.files if path.suffix == ".tsv")
        if any(is_tsv(_head(path)) for path in tsv):
            return "documents in WebAnno TSV"
        return "documents of UIMA" if any(name.endswith(".xmi") for name in names) else None
    if is_tsv(source.head):
        return "WebAnno TSV 3" if source.head.startswith(_webanno_tsv.MAGIC) else "WebAnno TSV 2"
    if b"<xmi:XMI" in source.head:
        return "UIMA CAS XMI"
    if source.head.lstrip()[:1] == b"{" and b'"%TYPES"' in source.head:
        return "UIMA CAS JSON"
    if source.head.startswith(b"PK") and zipfile.is_zipfile(source.path):
        try:
            with zipfile.ZipFile(source.path) as archive:
                members = [PurePosixPath(name) for name in archive.namelist()]
        except DAMAGED_ARCHIVE:
            return None
        if any(_PROJECT.fullmatch(member.name) for member in members):
            return "project"
        if any(member.suffix == ".xmi" for member in members):
            return "UIMA CAS XMI in an archive"
    return None


def read(source: Source, intake: Intake) -> None:
    """Read all documents of all annotators.

    Parameters
    ----------
    source : Source
        A file, folder or archive.
    intake : Intake
        Where to push.
    """
    entries = list(_entries(source))
    states = _states(entries, source.path)
    types = {entry.path.parent: entry for entry in entries if entry.path.name == "TypeSystem.xml"}
    parsed: list[tuple[Entry, str, str, Status, Content]] = []
    for entry in entries:
        if not _is_document(entry, project=bool(states)):
            if _is_known(entry, project=bool(states)):
                intake.uses(source.path / entry.path)
            else:
                intake.begin(str(entry.path), "file")
                intake.read()
                intake.leave_out(1, "files of other kinds")
            continue
        document, annotator = _who(entry, source)
        curated = "curation" in entry.path.parts[:-1] or annotator in _CURATORS
        intake.begin(str(entry.path), "line")
        intake.read()
        if annotator == _BEFORE:
            intake.leave_out(1, "documents as they were before anybody annotated them")
            continue
        if entry.path.suffix.lstrip(".") in _WITHOUT and states:
            intake.leave_out(1, "documents exported in a format without annotations")
            continue
        content = _content(entry, types, intake)
        if content is None:
            continue
        if content.n_empty:
            intake.read(content.n_empty)
            intake.leave_out(1, "annotations without width", content.n_empty)
        # Of work that the description of a project does not name nobody knows how far it came.
        otherwise: Status = "unfinished" if states else "done"
        status = "curated" if curated else states.get((document, annotator), otherwise)
        parsed.append((entry, document, annotator, status, content))
    # Whoever opened a document has marked nothing in the layers that only others used.
    names = dict.fromkeys(name for *_, content in parsed for name in content.layers)
    for entry, document, annotator, status, content in parsed:
        intake.begin(str(entry.path), "line")
        intake.document(document, content.text)
        if not names:
            intake.leave_out(1, "documents without a layer of annotation")
        for name in names:
            layer = content.layers.get(name, _webanno_tsv.Layer())
            intake.marks(
                *(document, annotator, name, layer.spans),
                where=1,
                status=status,
                relations=layer.relations,
            )


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(2_000)
    except OSError:
        return b""


def is_tsv(head: bytes) -> bool:
    """Return whether a text is TSV of WebAnno."""
    return head.startswith(_webanno_tsv.MAGIC) or _webanno_tsv2.is_tsv2(head)


def _entries(source: Source) -> Iterator[Entry]:
    """List the files of a file, folder or archive, those in archives of a project too."""
    if source.is_folder:
        for path in source.files:
            place = PurePosixPath(path.relative_to(source.path).as_posix())
            yield from _unpacked(Entry(place, path.read_bytes), source.path)
        return
    path = source.path
    if source.head.startswith(b"PK"):
        yield from _archived(PurePosixPath(), path.read_bytes(), path)
        return
    yield Entry(PurePosixPath(path.resolve().parent.name, path.name), path.read_bytes)
    beside = path.with_name("TypeSystem.xml")
    if path.suffix == ".xmi" and beside.is_file():
        yield Entry(PurePosixPath(path.resolve().parent.name, beside.name), beside.read_bytes)


def _unpacked(entry: Entry, path: Path) -> Iterator[Entry]:
    """Give an annotator's file; an archive of a document and its type system as its files."""
    yield entry
    if entry.path.suffix == ".zip" and entry.path.parts[0] in ("annotation", "curation"):
        yield from _archived(entry.path.with_suffix(""), entry.load(), path)


def _archived(place: PurePosixPath, data: bytes, path: Path) -> Iterator[Entry]:
    """List the files of an archive; nothing is written to disk."""
    where = f"{path}{f', {place}' if place.parts else ''}"
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        infos = [info for info in archive.infolist() if not info.is_dir()]
    except DAMAGED_ARCHIVE as error:
        raise ReaderError(f"{where}: a damaged archive ({error}). Export it again.") from error
    total = sum(info.file_size for info in infos)
    if len(infos) > MAX_FILES or total > MAX_BYTES:
        raise ReaderError(
            f"{where}: {len(infos):,} files of {total:,} bytes, above the limit for archives. "
            "Unpack it and give the folder."
        )
    for info in sorted(infos, key=lambda info: info.filename):
        name = PurePosixPath(info.filename)
        if (
            not name.parts
            or name.is_absolute()
            or ".." in name.parts
            or "\\" in info.filename
            or ":" in name.parts[0]
        ):
            raise ReaderError(
                f"{where}: the file name {info.filename!r} leads out of the archive. This is no "
                "export of INCEpTION; don't unpack it."
            )
        if info.file_size > max(LARGE, MAX_RATIO * info.compress_size):
            raise ReaderError(
                f"{where}: {info.filename} unpacks from {info.compress_size:,} to "
                f"{info.file_size:,} bytes. This is no export of INCEpTION; don't unpack it."
            )
        # Of a file that is not read this tells whether its name was damaged.
        _load(archive, info, where, size=0)
        entry = Entry(place / name, lambda info=info: _load(archive, info, where))  # type: ignore[misc]
        if place.parts:
            yield entry
        else:
            yield from _unpacked(entry, path)


def _load(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str, size: int | None = None
) -> bytes:
    """Return a file of an archive, or as much of it as is wanted."""
    try:
        with archive.open(info) as stream:
            data = stream.read(info.file_size + 1 if size is None else size)
    # A damaged or encrypted member fails in whatever way it may.
    except Exception as error:
        raise ReaderError(
            f"{where}: {info.filename} can't be unpacked ({error}). Export it again."
        ) from error
    if len(data) > info.file_size:
        raise ReaderError(f"{where}: {info.filename} is larger than announced. Don't unpack it.")
    return data


def _states(entries: list[Entry], path: Path) -> dict[tuple[str, str], Status]:
    """Read how far each annotator came with each document."""
    found: dict[tuple[str, str], Status] = {}
    for entry in entries:
        if len(entry.path.parts) > 1 or not _PROJECT.fullmatch(entry.path.name):
            continue
        try:
            project: Any = load_json(entry.load())
            for row in project["annotation_documents"]:
                state = _STATES.get(str(row["state"]), "unfinished")
                found[str(row["name"]), str(row["user"])] = state
        except (ValueError, KeyError, TypeError) as error:
            raise ReaderError(
                f"{path}: {entry.path} is no description of a project ({type(error).__name__}: "
                f"{error}). Export it again."
            ) from error
    return found


def _is_document(entry: Entry, *, project: bool) -> bool:
    """Say whether a file is what an annotator or a curator made of a document."""
    parts = entry.path.parts
    if entry.path.name == "TypeSystem.xml" or entry.path.name.startswith("."):
        return False
    if project or parts[0] in ("annotation", "curation"):
        inside = parts[0] in ("annotation", "curation") and len(parts) > 2
        return inside and entry.path.suffix != ".zip"
    return True


def _is_known(entry: Entry, *, project: bool) -> bool:
    """Say whether a file is what the tool adds: types, a packed document, the rest of a project."""
    inside = entry.path.parts[0] in ("annotation", "curation")
    is_packed = inside and entry.path.suffix == ".zip"
    return entry.path.name == "TypeSystem.xml" or is_packed or (project and not inside)


def _who(entry: Entry, source: Source) -> tuple[str, str]:
    """Return the document and the annotator of a file."""
    parts = list(entry.path.parts)
    if parts[0] in ("annotation", "curation"):
        # An archive of one annotator stands there without its ending: names may hold dots.
        return parts[1], entry.path.stem if len(parts) == 3 else parts[2]
    document = "/".join(parts[:-1]) or source.path.resolve().name
    return document, entry.path.stem


def _content(entry: Entry, types: dict[PurePosixPath, Entry], intake: Intake) -> Content | None:
    """Parse a file, or note what is wrong with it."""
    data = entry.load()
    if entry.path.suffix == ".xmi" or (entry.path.suffix == ".json" and b'"%TYPES"' in data):
        own = types.get(entry.path.parent) or types.get(PurePosixPath())
        try:
            is_json = entry.path.suffix == ".json"
            return _uima.parse(data, own.load() if own else None, is_json=is_json)
        except _uima.UimaError as error:
            intake.fault(1, str(error))
            return None
    if not is_tsv(data):
        intake.leave_out(1, "files of other formats")
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        intake.fault(data.count(b"\n", 0, error.start) + 1, "not UTF-8; save the file as UTF-8")
        return None
    if data.startswith(_webanno_tsv.MAGIC):
        return _webanno_tsv.parse(text, intake.fault)
    return _webanno_tsv2.parse(text, intake.fault)


FORMAT = ExportFormat(
    name="inception",
    title="INCEpTION or WebAnno",
    recognise=recognise,
    read=read,
    note=(
        "Documents are those of the tool, with a file per annotator; each feature of a "
        "type of annotation is a layer, and curated annotations are kept separate."
    ),
)
