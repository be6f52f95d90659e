"""Mutated projects of INCEpTION in an archive."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from random import Random

from faults.fuzzing import FEWER, UnclearError, count, feed, folder_in_memory
from faults.mutations import mixed, of_bytes, of_parts
from faults.second_inception import need
from faults.second_readers import unique
from faults.test_fuzz_documents import HEAD, TSV, webanno

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.exports import read_export

ROWS = [
    {"name": "d.txt", "user": "ann", "state": "FINISHED"},
    {"name": "d.txt", "user": "b.ob@example.org", "state": "IN_PROGRESS"},
    {"name": "e.txt", "user": "b.ob@example.org", "state": "IGNORE"},
    {"name": "e.txt", "user": "ann", "state": "FINISHED"},
]
STATES = {"FINISHED": "done", "IGNORE": "skipped", "LOCKED": "skipped"}
NAMES = [
    *("annotation/d.txt/ann.tsv", "annotation/d.txt/b.ob@example.org.tsv"),
    *("annotation/e.txt/b.ob@example.org.zip", "annotation/e.txt/ann.zip"),
    *("curation/d.txt/CURATION_USER.tsv", "annotation/d.txt/INITIAL_CAS.tsv"),
    *("source/d.txt", "annotation_ser/d.txt/ann.ser"),
]
ODD_NAMES = [
    *("annotation/d.txt", "annotation//x.tsv", "../x.tsv", "/x.tsv", "annotation/f/.tsv", "a.tsv"),
    *("annotation/d.txt/ann.b.tsv", "curation/e.txt/x.y.zip", "C:/x.tsv", "annotation/f/g/h.tsv"),
    *("annotation/d.txt/ann.txt", "exportedproject2.json", "\udcff", "annotation/d\\x/ann.tsv"),
]


def packed(files: list[tuple[str, bytes]]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two files of one name
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data)
    return sink.getvalue()


def project_of(draw: Random) -> bytes:
    """Write a project, its description, files, their names or the whole harmed."""
    described, rows, names = {"annotation_documents": ROWS, "name": "p"}, [], list(NAMES)
    kind = draw.randrange(6)
    if kind == 0:
        described = of_parts(described, draw)
    elif kind == 1:
        names[draw.randrange(len(names))] = draw.choice(ODD_NAMES + NAMES)
    elif kind == 2:
        names.remove(draw.choice(names))
    for name in names:
        data = draw.choice(TSV)
        if kind == 3 and draw.random() < 0.3:
            data = of_bytes(TSV, draw, len(HEAD))
        if name.endswith(".zip"):
            inner = draw.choice(("x.tsv", "x.tsv", "a/b.tsv", "TypeSystem.xml", "x.txt"))
            data = packed([(inner, data)])
        rows.append((name, data))
    try:
        about = json.dumps(described).encode("utf-8", "replace")
        whole = packed([("exportedproject1.json", about), *rows])
    except UnicodeError:
        return project_of(draw)
    return of_bytes([whole], draw) if kind == 4 else whole


def content_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The content of a file; of one without annotations the name only has to be sound."""
    needed = info.filename.startswith(("annotation/", "curation/", "exportedproject"))
    needed = needed and not info.filename.endswith("/INITIAL_CAS.tsv")
    with archive.open(info) as file:
        return file.read() if needed else b""


def project(data: bytes) -> list[tuple[object, ...]]:
    """The spans of each annotator's file, by document, and how far it came."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [(info.filename, content_of(archive, info)) for info in archive.infolist()]
    states: dict[tuple[str, str], str] = {}
    for name, content in files:
        if name.startswith("exportedproject") and "/" not in name and name.endswith(".json"):
            about = json.loads(content.decode("utf-8"), object_pairs_hook=unique)
            for row in about["annotation_documents"]:
                if not all(isinstance(row[n], str) for n in ("name", "user", "state")):
                    raise UnclearError
                key = row["name"], row["user"]
                if key in states:
                    raise UnclearError
                states[key] = STATES.get(row["state"], "unfinished")
    if not states:
        raise UnclearError
    found = []
    for name, content in files:
        need(not name.startswith("/") and ".." not in name.split("/") and "\\" not in name)
        if name.split("/")[0] not in ("annotation", "curation") or name.endswith("/"):
            continue
        if any(part in ("", ".") for part in name.split("/")):
            raise UnclearError
        kind, document, *rest = name.split("/")
        if not rest:
            continue
        who, ending = rest[0], rest[-1].rpartition(".")[2]
        if len(rest) > 1 or "." not in who or who.startswith("."):
            raise UnclearError
        who = who.removesuffix(f".{ending}")
        contents = [content] if ending == "tsv" else []
        if ending == "zip":
            with zipfile.ZipFile(io.BytesIO(content)) as inner:
                contents = [inner.read(n) for n in inner.namelist() if n.endswith(".tsv")]
        for content in contents:
            if who == "INITIAL_CAS":
                continue
            if not content.startswith(b"#FORMAT=WebAnno TSV 3"):
                raise UnclearError
            state = states.get((document, who), "unfinished")
            if kind == "curation" or who in ("CURATION_USER", "curator"):
                state = "curated"
            found.append((document, who, "Span.value", sorted(webanno(content)), state))
    return sorted(found)


def test_projects(tried, tmp_path, tmp_path_factory):
    path = folder_in_memory(tmp_path_factory) / "project.zip"

    def read(data):
        path.write_bytes(data)
        marked = read_export(path, format="inception", keep_names=True)._intake.marked
        return sorted(
            (m.document, m.annotator, m.layer, sorted(n[:3] for n in m.spans), m.status)
            for m in marked
        )

    outcome = feed(
        read,
        project,
        mixed(project_of),
        refusals=(ReaderError, AnnotationError),
        folder=tmp_path,
        seed="project",
        named="project.zip",
        times=FEWER,
    )
    count(
        outcome,
        tried,
        "Documents, sheets and columns",
        "a project of INCEpTION in an archive: bytes, names, states",
    )
