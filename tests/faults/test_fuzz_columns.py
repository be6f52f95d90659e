"""Mutated texts of tokens, grades, intervals and spans: refused, or as a second reader has them."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from xml.etree import ElementTree

import pytest
from faults.exported import held
from faults.fuzzing import FEWER, UnclearError, count, feed, folder_in_memory
from faults.mutations import mixed, of_bytes
from faults.second_readers import Found, OddError

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export, recognise

AREA = "Documents, sheets and columns"
REFUSALS = (ReaderError, AnnotationError)

QRELS = [b"q1 0 d1 2\nq1 0 d2 -1\n\nq2 Q0 d1 1.5\n", b"q1\t0\td1\t0\r\nq1\t0\td3\t3\r\n"]
CONLL = [
    b"# sent 1\nAda\tB-PER\nLee\tI-PER\n\nmet\tO\n#\tO\nBob\tU-PER\n",
    b"-DOCSTART- O\n\n1 Ada NN B-PER\n2 met VB O\n\n1 Bob NN S-PER\n-DOCSTART- O\n1 x NN I-A\n",
    b"the DET\ndog NOUN\n\nthe DET\ncat NOUN\n",
]
SPANS = [
    b"doc,annotator,start,end,label\nd1,a,0,3,X\nd1,a,5,9,\nd1,b,0,3,X\nd2,b,,,\n,b,1,2,X\n",
]
PRAAT = [
    b'"ooTextFile" "TextGrid" 0 2 <exists> 2 "IntervalTier" "a" 0 2 2 0 .5 "x" 0.5 2 ""\n'
    b'"TextTier" "b" 0 2 1 1 "p" ! end\n',
    b'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 2\ntiers? <exists>\n'
    b'size = 1\nitem []:\n item [1]:\n  class = "IntervalTier"\n  name = "a"\n  xmin = 0\n'
    b"  xmax = 2\n  intervals: size = 1\n  intervals [1]:\n   xmin = 0.25\n   xmax = 2\n"
    b'   text = "say ""x"""\n',
]
ELAN = [
    b'<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT><TIME_ORDER>'
    b'<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="10"/><TIME_SLOT TIME_SLOT_ID="t2"/>'
    b'<TIME_SLOT TIME_SLOT_ID="t3" TIME_VALUE="90"/></TIME_ORDER>\n'
    b'<TIER TIER_ID="head"><ANNOTATION>'
    b'<ALIGNABLE_ANNOTATION TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t3"><ANNOTATION_VALUE>nod &amp; x'
    b"</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION><ANNOTATION>"
    b'<ALIGNABLE_ANNOTATION TIME_SLOT_REF1="t2" TIME_SLOT_REF2="t3"><ANNOTATION_VALUE/>'
    b'</ALIGNABLE_ANNOTATION></ANNOTATION></TIER>\n<TIER TIER_ID="gloss"><ANNOTATION>'
    b'<REF_ANNOTATION ANNOTATION_REF="a"><ANNOTATION_VALUE>g</ANNOTATION_VALUE></REF_ANNOTATION>'
    b'</ANNOTATION></TIER><TIER TIER_ID="none"/></ANNOTATION_DOCUMENT>'
]


def text_of(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16").removeprefix("\ufeff")
    return data.decode("utf-8").removeprefix("\ufeff")


def number(text: str) -> str:
    """A number as it is shown."""
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        raise OddError(f"{text!r} is no number")
    value = float(text)
    if abs(value) == float("inf") or (re.fullmatch("[+-]?[0-9]+", text) and abs(value) >= 2**53):
        raise OddError("too large")
    return str(int(value)) if abs(value) < 1e300 and value == int(value) else str(value)


def trec_qrels(data: bytes, stem: str) -> Found:
    answers = []
    for line in text_of(data).split("\n"):
        if line.strip():
            query, _, document, grade = line.split()
            answers.append((f"{query} / {document}", stem, "relevance", number(grade), "done"))
    return answers, []


def conll(data: bytes, stem: str) -> Found:
    """Lines of tokens and tags, where nobody can argue about which lines are comments."""
    lines = [line.strip(" \r") for line in text_of(data).split("\n")]
    rows = [line.split("\t") if "\t" in line else re.split(" +", line) for line in lines]
    tokens = [
        (line, row)
        for line, row in zip(lines, rows, strict=True)
        if line.strip() and line[0] != "#" and not line.startswith("-DOCSTART-")
    ]
    widths = [len(row) for _, row in tokens]
    if len(set(widths)) != 1:
        raise UnclearError
    width = widths[0]
    documents, blank = [[[]]], True
    for line, row in zip(lines, rows, strict=True):
        if not line.strip():
            blank = True
        elif line.startswith("-DOCSTART-"):
            documents += [[[]]] if any(documents[-1]) else []
            blank = True
        elif line[0] == "#" and len(row) == width:
            if "\t" not in line:
                raise UnclearError
            documents[-1] += [[]] if blank and documents[-1][-1] else []
            documents[-1][-1].append(row)
            blank = False
        elif line[0] != "#":
            documents[-1] += [[]] if blank and documents[-1][-1] else []
            documents[-1][-1].append(row)
            blank = False
    documents = [document for document in documents if any(document)]
    tags = [row[-1].strip() for document in documents for sentence in document for row in sentence]
    if any(re.fullmatch(r"[BIESLUM]-\S.*|O", tag) is None for tag in tags):
        marks_spans = False
    else:
        marks_spans = set(tags) != {"O"}
    answers, marks = [], []
    for n, document in enumerate(documents, start=1):
        name = "document" if len(documents) == 1 else f"document {n}"
        text, spans = "", []
        for s, sentence in enumerate(document, start=1):
            before = ("O", "")
            for t, row in enumerate(sentence, start=1):
                at = 1 if width > 2 and row[0].isdecimal() else 0
                form, tag = row[at].strip(), row[-1].strip()
                if not form:
                    raise OddError("no token")
                place = f"sentence {s}, token {t}"
                item = place if len(documents) == 1 else f"{name}, {place}"
                answers.append((item, stem, "tag", tag or None, "done"))
                text += "\n" if t == 1 and text else " " if text else ""
                start, text = len(text), text + form
                kind, _, label = tag.partition("-")
                if (
                    kind in ("I", "E", "M", "L")
                    and before[0] in ("B", "I", "M")
                    and before[1] == label
                ):
                    spans[-1] = (spans[-1][0], len(text), label)
                elif tag != "O":
                    spans.append((start, len(text), label))
                before = kind, label
        if marks_spans:
            marks.append((name, stem, "spans", spans, "done"))
    return answers, marks


def span_table(data: bytes, stem: str) -> Found:
    text = text_of(data)
    header = SPANS[0].decode().split("\n")[0]
    if not text.startswith(header + "\n") or any(sign in text for sign in "\t;|"):
        raise UnclearError
    found = defaultdict(list)
    for row in csv.reader(io.StringIO(text, newline=""), strict=True):
        if not row or row == header.split(","):
            continue
        document, annotator, start, end, label = (cell.strip() for cell in row)
        if document and annotator:
            spans = found[document, annotator]
            if start or end or label:
                assert re.fullmatch("[0-9]{1,15}", start)
                assert re.fullmatch("[0-9]{1,15}", end)
                assert int(start) < int(end)
                spans.append((int(start), int(end), label or "*"))
    return [], [(*key, "spans", spans, "done") for key, spans in found.items()]


def praat(data: bytes, stem: str) -> Found:
    """Numbers, texts and flags, letter by letter."""
    text, parts, at = text_of(data), [], 0
    while at < len(text):
        if text[at] == '"':
            value, at = "", at + 1
            while text[at] != '"' or text[at : at + 2] == '""':
                step = 2 if text[at] == '"' else 1
                value, at = value + text[at], at + step
            parts.append(value)
            at += 1
        elif text[at].isspace():
            at += 1
        elif text[at] == "!":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        else:
            end = at
            while end < len(text) and not text[end].isspace() and text[end] != '"':
                end += 1
            word = text[at:end]
            if text[at - 1 : at] == '"':
                raise UnclearError
            if word in ("<exists>", "<absent>"):
                parts.append(word == "<exists>")
            elif "<" in word or (
                end < len(text) and text[end] == '"' and word[0] in "+-.0123456789"
            ):
                raise UnclearError
            elif word[0] in "+-.0123456789":
                try:
                    parts.append(float(number(word)))
                except OddError as error:
                    raise UnclearError from error
            at = end
    parts.reverse()

    def take(kind: type) -> object:
        part = parts.pop()
        if not isinstance(part, kind):
            raise OddError("another part")
        return part

    assert take(str).startswith("ooTextFile")
    assert take(str) == "TextGrid"
    take(float), take(float)
    marks = []
    for _ in range(int(take(float)) if take(bool) else 0):
        kind, name = take(str), take(str).strip() or "(no name)"
        take(float), take(float)
        spans = []
        for _ in range(int(take(float))):
            start = take(float)
            end = take(float) if kind == "IntervalTier" else start
            label = take(str).strip()
            first, last = (round(1000 * time) for time in (start, end))
            if kind == "IntervalTier" and label and first < last:
                spans.append((first, last, label))
        if kind == "IntervalTier":
            marks.append(("document", stem, name, spans, "done"))
    assert not parts
    return [], marks


def elan(data: bytes, stem: str) -> Found:
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        if b":" in data:
            raise UnclearError from error  # a namespace, which only this parser knows
        raise
    if any(len(value) for value in root.iter("ANNOTATION_VALUE")):
        raise UnclearError
    annotations = [*root.iter("ALIGNABLE_ANNOTATION"), *root.iter("REF_ANNOTATION")]
    usual = [*root.findall("TIER/ANNOTATION/*")]
    if len(annotations) != len(usual) or [*root.iter("TIER")] != root.findall("TIER"):
        raise UnclearError
    times = {s.get("TIME_SLOT_ID"): s.get("TIME_VALUE") for s in root.iter("TIME_SLOT")}
    marks = []
    for tier in root.findall("TIER"):
        spans = []
        for annotation in tier.findall("ANNOTATION/ALIGNABLE_ANNOTATION"):
            ends = [times[annotation.get(f"TIME_SLOT_REF{n}")] for n in (1, 2)]
            values = annotation.findall("ANNOTATION_VALUE")
            if None not in ends and int(ends[0]) < int(ends[1]):
                label = "".join(value.text or "" for value in values).strip()
                spans.append((int(ends[0]), int(ends[1]), label or "*"))
        if spans or tier.find("ANNOTATION/REF_ANNOTATION") is None:
            marks.append(("document", stem, tier.get("TIER_ID"), spans, "done"))
    return [], marks


CASES = {
    "conll": (conll, CONLL),
    "elan": (elan, ELAN),
    "praat": (praat, PRAAT),
    "span_table": (span_table, SPANS),
    "trec_qrels": (trec_qrels, QRELS),
}


@pytest.mark.parametrize("name", CASES)
def test_columns(tried, tmp_path, tmp_path_factory, name):
    path = folder_in_memory(tmp_path_factory) / "export"
    second, seeds = CASES[name]
    turn = iter(range(10**9))
    options = {"annotator_from": "file"} if name in ("elan", "praat") else {}

    def read(data):
        path.write_bytes(data)
        if next(turn) % 100 == 0:
            recognise(path)
        return held(read_export(path, format=name, keep_names=True, **options))

    keep = seeds[0].index(b"\n") + 1 if name == "span_table" else 0
    outcome = feed(
        read,
        lambda data: second(data, "export"),
        mixed(lambda draw: of_bytes(seeds, draw, keep), lambda draw: of_bytes(seeds, draw)),
        refusals=REFUSALS,
        folder=tmp_path,
        seed=name,
        named="export",
        times=FEWER,
    )
    count(outcome, tried, AREA, f"{name}: bytes")
