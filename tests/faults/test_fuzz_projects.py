"""Mutated projects of INCEpTION in an archive."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from random import Random

from faults.fuzzing import FEWER, UnclearError, count, feed, folder_in_memory
from faults.mutations import mixed, of_bytes, of_parts
from faults.second_inception import need, types_of, xmi
from faults.second_readers import unique
from faults.test_fuzz_documents import HEAD, TSV, webanno
from faults.test_fuzz_inception import SYSTEM, XMI, xmi_of

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export

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
    """Write a project, its description, files, their names or the whole harmed.

    In half of them all documents are XMI.
    """
    described, rows, names = {"annotation_documents": ROWS, "name": "p"}, [], list(NAMES)
    kind, in_xmi = draw.randrange(6), draw.random() < 0.5
    if in_xmi:
        names = [name.replace(".tsv", ".zip") for name in names]
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
            data = packed(document_in_xmi(draw, kind) if in_xmi else [(inner, data)])
        rows.append((name, data))
    try:
        about = json.dumps(described).encode("utf-8", "replace")
        whole = packed([("exportedproject1.json", about), *rows])
    except UnicodeError:
        return project_of(draw)
    return of_bytes([whole], draw) if kind == 4 else whole


def document_in_xmi(draw: Random, kind: int) -> list[tuple[str, bytes]]:
    """Write the files of a document, with `kind` 3 perhaps harmed."""
    harmed = kind == 3 and draw.random() < 0.3
    return [
        ("x.xmi", xmi_of(draw) if harmed else XMI),
        (draw.choice(("TypeSystem.xml",) * 9 + ("types.txt",)), SYSTEM),
    ]


def content_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The content of a file; of one without annotations the name only has to be sound."""
    needed = info.filename.startswith(("annotation/", "curation/", "exportedproject"))
    needed = needed and not info.filename.endswith("/INITIAL_CAS.tsv")
    with archive.open(info) as file:
        return file.read() if needed else b""


def documents_of(ending: str, content: bytes) -> list[dict[str, list[tuple[int, int, str]]]]:
    """The spans by layer, for each document of an annotator's file."""
    if ending == "tsv":
        contents = {"x.tsv": content}
    elif ending == "zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            contents = {name: archive.read(name) for name in archive.namelist()}
    else:
        return []
    found = []
    for name, content in contents.items():
        if name.endswith(".tsv"):
            if not content.startswith(b"#FORMAT=WebAnno TSV 3"):
                raise UnclearError
            found.append({"Span.value": sorted(webanno(content))})
        elif name.endswith(".xmi"):
            if "TypeSystem.xml" not in contents:
                raise UnclearError  # another archive of the same name may hold it
            need(types_of(contents["TypeSystem.xml"]) == types_of(SYSTEM))
            found.append({layer: spans for layer, (spans, _) in xmi(content).items()})
    return found


def project(data: bytes) -> list[tuple[object, ...]]:
    """The spans of each annotator's file, by document and layer, and how far it came."""
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
        if who == "INITIAL_CAS":
            continue
        state = states.get((document, who), "unfinished")
        if kind == "curation" or who in ("CURATION_USER", "curator"):
            state = "curated"
        found += [(document, who, layers, state) for layers in documents_of(ending, content)]
    names = {name for *_, layers, _ in found for name in layers}
    return sorted(
        (document, who, name, layers.get(name, []), state)
        for document, who, layers, state in found
        for name in names
    )


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
