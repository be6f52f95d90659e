"""Mutated documents and projects of INCEpTION and WebAnno."""

from __future__ import annotations

import json
import re
from random import Random
from xml.sax.saxutils import escape

import cassis
from faults import second_inception
from faults.fuzzing import FEWER, UnclearError, count, feed, folder_in_memory
from faults.mutations import CELLS, as_json, mixed, of_bytes, of_parts
from faults.second_inception import HEADS, Layers

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export

AREA = "Documents, sheets and columns"
REFUSALS = (ReaderError, AnnotationError)


def of_layers(marked) -> Layers:
    """What was found in one document."""
    return {
        m.layer: (
            sorted(span[:3] for span in m.spans),
            sorted((*link.source[:2], *link.target[:2], link.label) for link in m.relations),
        )
        for m in marked
    }


def read_at(path):
    def read(data):
        path.write_bytes(data)
        return of_layers(read_export(path, format="inception", keep_names=True)._intake.marked)

    return read


POS, NE = HEADS
SENTENCES = ("Ada met Bob in in York", "The \U0001f600 met met Ada")
ROWS = {
    POS: [
        ["1-1", "Ada", "NN", "_", "_"],
        ["1-2", "met", "V|custom.POS_", "B-root", "1-2"],
        ["1-3", "Bob", "B-NP", "obj|custom.Dep_", "1-2|1-1"],
        ["1-4", "in", "I-NP|B-X", "_", "_"],
        ["1-5", "in", "O-_|I-X", "_", "_"],
        ["1-6", "York", "_", "to", "1-5"],
        ["2-1", "The", "B-NP", "_", "_"],
        ["2-2", "\U0001f600", "I-NP", "x", "2-3"],
        ["2-3", "met", "_", "_", "_"],
        ["2-4", "met", "V", "_", "_"],
        ["2-5", "Ada", "_", "_", "_"],
    ],
    NE: [
        ["1-1", "Ada", "B-PER", "B-Q1", "_", "_", "_"],
        ["1-2", "met", "I-PER|B-PER", "I-Q1|B-Q2", "r", "s", "1-1"],
        ["1-3", "Bob", "I-PER|I-PER", "I-Q1|I-Q2", "_", "_", "_"],
        ["1-4", "in", "O", "O", "_", "_", "_"],
        ["1-5", "in", "O", "O", "a|b", "c|d", "1-1|1-2"],
        ["1-6", "York", "B-LOC", "B-custom.NE_", "_", "_", "_"],
        ["2-1", "The", "B-", "B-_", "_", "_", "_"],
        ["2-2", "\U0001f600", "I-", "O", "_", "_", "_"],
        ["2-3", "met", "O", "O", "_", "_", "_"],
        ["2-4", "met", "O", "O", "_", "_", "_"],
        ["2-5", "Ada", "B-PER", "O", "r", "custom.Rel_", "2-5"],
    ],
}
TSV2_CELLS = [cell for rows in ROWS.values() for row in rows for cell in row]


def tsv2_of(draw: Random, *, harmed: bool = True) -> bytes:
    """Write a document, some of its cells harmed or lines lost."""
    head = draw.choice(list(ROWS))
    rows = [list(row) for row in ROWS[head]]
    for _ in range(draw.choice((1, 1, 2, 3)) if harmed else 0):
        row = draw.choice(rows)
        place = draw.randrange(len(row))
        kind = draw.randrange(6)
        if kind < 3:
            row[place] = draw.choice(TSV2_CELLS)
        elif kind == 3:
            row[place] = draw.choice(("|", "", "O-")).join([row[place], draw.choice(TSV2_CELLS)])
        elif kind == 4:
            rows.insert(draw.randrange(len(rows)), list(row))
        else:
            rows.remove(row)
    lines = [head]
    for n, text in enumerate(SENTENCES, start=1):
        own = ["\t".join(row) + "\t" for row in rows if row[0].startswith(f"{n}-")]
        lines += [f"#id={n}", f"#text={text}", *own, ""]
    return "\n".join(lines).encode()


def test_tsv2(tried, tmp_path, tmp_path_factory):
    seeds = [tsv2_of(Random(n), harmed=False) for n in range(10)]
    keep = min(map(len, HEADS)) + 1
    outcome = feed(
        read_at(folder_in_memory(tmp_path_factory) / "ann.tsv"),
        second_inception.tsv2,
        mixed(lambda draw: of_bytes(seeds, draw, keep), tsv2_of),
        refusals=REFUSALS,
        folder=tmp_path,
        seed="tsv2",
        named="ann.tsv",
    )
    count(outcome, tried, AREA, "INCEpTION or WebAnno, TSV 2: bytes, cells")


def documents() -> tuple[bytes, bytes, bytes]:
    """Write a document of UIMA as XMI, its type system, and the document as JSON."""
    system = cassis.TypeSystem()
    ranges = {"text": "String", "whole": "Integer", "truth": "Boolean", "texts": "StringArray"}
    ranges |= {"parts": "FSArray"}
    made = {}
    for name, features in second_inception.TYPES.items():
        above = second_inception.ABOVE.get(name, "uima.tcas.Annotation")
        made[name] = system.create_type(name, above)
        for feature, kind in features.items():
            range_ = f"uima.cas.{ranges[kind]}" if kind in ranges else "uima.tcas.Annotation"
            system.create_feature(made[name], feature, range_)
    entity, rel, host, link, element, chain = made.values()
    cas = cassis.Cas(system)
    cas.sofa_string = "\U0001f600 Ada met Bob \U0001f600"
    tags = system.get_type("uima.cas.StringArray")(elements=["b", "a"])
    one = entity(begin=2, end=5, value="PER", n=7, sure=True, tags=tags)
    two = entity(begin=10, end=13, value="PER", sure=False)
    three = entity(begin=14, end=15, n=-1)
    links = system.get_type("uima.cas.FSArray")(elements=[link(role="agent", target=two)])
    found = [one, two, three, rel(begin=0, end=1, Governor=one, Dependent=two, kind="knows")]
    found += [host(begin=6, end=9, links=links), entity(begin=0, end=1, value="FACE")]
    last = element(begin=10, end=13, referenceType="name")
    first = element(begin=2, end=5, next=last, referenceType="name", referenceRelation="same")
    found += [first, last, chain(first=first)]
    cas.add_all(found)
    return cas.to_xmi().encode(), system.to_xml().encode(), cas.to_json().encode()


XMI, SYSTEM, JSON = documents()
RECORDS = json.loads(JSON)
second_inception.ALL_TYPES.update(RECORDS["%TYPES"])
NUMBERS = [*map(str, range(-1, 20)), "1_0", "\uff11", "99", "2 3", "2 2", "", " 4", "9" * 5_000]


def with_others(data: bytes, pattern: str, draw: Random, times: int, *own: list[str]) -> bytes:
    """Put others in place of texts that a pattern finds in XML: of other places, or odd ones."""
    text = data.decode()
    for _ in range(times):
        places = [place.span(1) for place in re.finditer(pattern, text)]
        start, end = draw.choice(places)
        other = draw.choice(places)
        new = draw.choice((*map(draw.choice, own), text[slice(*other)], draw.choice(CELLS)))
        quoted = escape(new, {'"': "&quot;"}) if new not in text else new
        text = text[:start] + quoted + text[end:]
    return text.encode("utf-8", "replace")


def xmi_of(draw: Random) -> bytes:
    """Write other values to attributes of the document."""
    times = draw.choice((1, 1, 2, 3))
    return with_others(XMI, r'="([^"]*)"', draw, times, NUMBERS, NUMBERS)


def type_system_of(draw: Random) -> bytes:
    """Write other texts into the elements of the type system."""
    return with_others(SYSTEM, ">([^<>]*)<", draw, draw.choice((1, 1, 2)))


def test_xmi(tried, tmp_path, tmp_path_factory):
    folder = folder_in_memory(tmp_path_factory)
    (folder / "TypeSystem.xml").write_bytes(SYSTEM)
    keep = XMI.index(b"<cas:NULL")
    outcome = feed(
        read_at(folder / "ann.xmi"),
        second_inception.xmi,
        mixed(
            lambda draw: of_bytes([XMI], draw, keep if draw.random() < 0.9 else 0), xmi_of, xmi_of
        ),
        refusals=REFUSALS,
        folder=tmp_path,
        seed="xmi",
        named="ann.xmi",
        times=FEWER,
    )
    count(outcome, tried, AREA, "a document of UIMA, XMI: bytes, attributes")


def test_type_system(tried, tmp_path, tmp_path_factory):
    folder = folder_in_memory(tmp_path_factory)
    (folder / "ann.xmi").write_bytes(XMI)
    sound = second_inception.types_of(SYSTEM)

    def read(data):
        (folder / "TypeSystem.xml").write_bytes(data)
        return of_layers(read_export(folder / "ann.xmi", format="inception")._intake.marked)

    def second(data):
        if second_inception.types_of(data) != sound:
            raise UnclearError
        return second_inception.xmi(XMI)

    outcome = feed(
        read,
        second,
        mixed(lambda draw: of_bytes([SYSTEM], draw), type_system_of),
        refusals=REFUSALS,
        folder=tmp_path,
        seed="system of types",
        named="ann.xmi",
        times=FEWER,
    )
    count(outcome, tried, AREA, "the type system of a document of UIMA: bytes, texts")


def json_of(draw: Random) -> bytes:
    """Harm structures and views; the types mostly stay."""
    parts = {key: RECORDS[key] for key in ("%FEATURE_STRUCTURES", "%VIEWS")}
    harmed = of_parts(parts, draw)
    if not isinstance(harmed, dict) or draw.random() < 0.05:
        harmed = of_parts(RECORDS, draw)
    return as_json({"%TYPES": RECORDS["%TYPES"]} | harmed, draw, lines=False)


def test_json(tried, tmp_path, tmp_path_factory):
    keep = JSON.index(b'"%FEATURE')
    outcome = feed(
        read_at(folder_in_memory(tmp_path_factory) / "ann.json"),
        second_inception.cas_json,
        mixed(lambda draw: of_bytes([JSON], draw, keep), json_of, json_of),
        refusals=REFUSALS,
        folder=tmp_path,
        seed="cas json",
        named="ann.json",
        times=FEWER,
    )
    count(outcome, tried, AREA, "a document of UIMA, JSON: bytes and parts")
