"""WebAnno TSV 2, which older projects hold: types in the first line, no offsets.

A column holds the label of an annotation, `_` or `O` for none; with several tokens `B-label` where
it begins, `I-label` where it goes on, and `O-_` to keep a place in a stack. Behind the features of
a relation is a column with the tokens that it comes from. The name of the type and `_` is written
for an annotation without a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from annobench.io.formats.base import Relation, Span
from annobench_exports._webanno_tsv import NO_VALUE, Content, Layer

_HEAD = re.compile(r"^ ?# ?[\w.]+ ?\|")
_ROW = re.compile(r"([0-9]+-[0-9]+)\t([^\t]+)\t")
_NONE = frozenset({"_", "O", "O-_", "B-_", "I-_"})
_MARKS = ("B-", "I-", "O-")
_TEXT = "#text="

Fault = Callable[[int, str], None]


class _Block(NamedTuple):
    """The columns of one type: its features, and the source if it is of relations."""

    type: str
    features: tuple[str, ...]
    is_relation: bool

    @property
    def width(self) -> int:
        return len(self.features) + self.is_relation

    def layer(self, feature: str) -> str:
        short = self.type.rpartition(".")[2]
        return f"{short}.{feature}" if feature else short

    def label(self, value: str) -> str:
        return NO_VALUE if value in ("", f"{self.type}_") else value


class _Row(NamedTuple):
    """A token: the number of its line, its name, its limits and its cells."""

    number: int
    name: str
    start: int
    end: int
    cells: list[str]


def is_tsv2(head: bytes) -> bool:
    """Say whether a file begins like one of this format."""
    return _HEAD.match(head[:2_000].decode("utf-8", errors="replace")) is not None


def parse(text: str, fault: Fault) -> Content:
    """Read a file; `fault` takes the number of a line and what is wrong with it."""
    head, *lines = text.split("\n")
    blocks = _blocks(head)
    names = [(block.type, feature) for block in blocks for feature in block.features]
    if len(set(names)) < len(names):
        fault(1, "a feature is announced twice")
        return Content("", {}, 0)
    document, rows = _tokens(lines, sum(block.width for block in blocks), fault)
    tokens = {row.name: (row.start, row.end) for row in rows}
    layers: dict[str, Layer] = {}
    first = 0
    for block in blocks:
        last = first + len(block.features)
        for place in range(first, last):
            layer = layers.setdefault(block.layer(block.features[place - first]), Layer())
            if block.is_relation:
                layer.relations += _relations(block, rows, place, last, tokens, fault)
            else:
                layer.spans += _spans(block, rows, place, fault)
        if block.is_relation and not block.features:
            layer = layers.setdefault(block.layer(""), Layer())
            layer.relations += _relations(block, rows, None, last, tokens, fault)
        first += block.width
    return Content(document, layers, 0)


def _blocks(head: str) -> list[_Block]:
    found = []
    for declared in head.split("#")[1:]:
        type_, *parts = (part.strip() for part in declared.split("|"))
        features = tuple(n for n in parts if n and not n.startswith("AttachTo="))
        found.append(_Block(type_, features, any(n.startswith("AttachTo=") for n in parts)))
    return found


def _tokens(lines: list[str], width: int, fault: Fault) -> tuple[str, list[_Row]]:
    """Return the text, and the tokens at their places: in their sentence, with blanks between."""
    sentences: list[str] = []
    rows: list[_Row] = []
    names: set[str] = set()
    begin = end = place = 0
    for number, line in enumerate(lines, start=2):
        line = line.rstrip("\r")
        if line.startswith(_TEXT):
            begin = place = end + bool(sentences)
            sentences.append(line.removeprefix(_TEXT))
            end = begin + len(sentences[-1])
        if not line or line.startswith("#"):
            continue
        match = _ROW.match(line)
        cells = line[match.end() :].rstrip("\t").split("\t") if match else []
        if match is None or len(cells) != width:
            fault(number, f"{line[:60]!r} is no line with a token and {width} columns")
            continue
        name, form = match.groups()
        sentence = sentences[-1] if sentences else ""
        start = begin + sentence.find(form, place - begin)
        if start < begin:
            fault(number, f"the token {form[:40]!r} is not in the text")
        elif sentence[place - begin : start - begin].strip():
            fault(number, f"before the token {form[:40]!r} another is missing")
        elif name in names:
            fault(number, f"the token {name} stands there twice")
        else:
            place = start + len(form)
            names.add(name)
            rows.append(_Row(number, name, start, place, cells))
    return "\n".join(sentences), rows


def _spans(block: _Block, rows: list[_Row], column: int, fault: Fault) -> list[Span]:
    """Return the annotations in a column."""
    spans: list[Span] = []
    #: By place in the stack of the token before, which annotation stands there.
    before: dict[int, int] = {}
    for row in rows:
        here: dict[int, int] = {}
        for place, value in enumerate(row.cells[column].split("|")):
            if value in _NONE:
                continue
            mark, label = ("", value) if value[:2] not in _MARKS else (value[0], value[2:])
            label = block.label(label)
            if value == "" or mark == "O":
                fault(row.number, f"{value[:40]!r} is no annotation")
            elif mark == "I":
                # The place tells which of several alike goes on, but moves if others end.
                open_ = [
                    n
                    for at, n in sorted(before.items(), key=lambda own: own[0] != place)
                    if spans[n].label == label and n not in here.values()
                ]
                if not open_:
                    fault(row.number, f"{value[:40]!r} goes on from no token before")
                    continue
                here[place] = open_[0]
                spans[open_[0]] = spans[open_[0]]._replace(end=row.end)
            else:
                here[place] = len(spans)
                spans.append(Span(row.start, row.end, label))
        before = here
    return spans


def _relations(
    block: _Block,
    rows: list[_Row],
    column: int | None,
    sources: int,
    tokens: dict[str, tuple[int, int]],
    fault: Fault,
) -> list[Relation]:
    """Return the relations in a column, or with no feature those of the column of sources."""
    found = []
    for row in rows:
        governors = _values(row.cells[sources])
        values = [""] * len(governors) if column is None else _values(row.cells[column])
        if len(values) != len(governors):
            fault(row.number, f"{len(values)} relations from {len(governors)} tokens")
            continue
        for value, governor in zip(values, governors, strict=True):
            if governor not in tokens:
                fault(row.number, f"a relation comes from {governor[:20]!r}, which is no token")
                continue
            label = block.label(value[2:] if value[:2] in _MARKS else value)
            source = Span(*tokens[governor], "")
            found.append(Relation(source, Span(row.start, row.end, ""), label))
    return found


def _values(cell: str) -> list[str]:
    return [] if cell in ("_", "O") else cell.split("|")
