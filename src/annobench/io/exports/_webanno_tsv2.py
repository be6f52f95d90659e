"""WebAnno TSV 2, which older projects hold: types in the first line, no offsets.

A column holds `B-label` where an annotation begins, `I-label` where it goes on, `_` or `O` for
none; a relation has a second column, the token that it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from annobench.io.exports._webanno_tsv import NO_VALUE, Content, Layer
from annobench.io.exports.base import Relation, Span

_HEAD = re.compile(r"^ ?# ?[\w.]+ ?\|")
_ROW = re.compile(r"(\d+-\d+)\t([^\t]+)\t")


class _Column(NamedTuple):
    """One feature: the name of its layer, and whether it is of a relation."""

    layer: str
    is_relation: bool


def is_tsv2(head: bytes) -> bool:
    """Say whether a file begins like one of this format."""
    return _HEAD.match(head[:2_000].decode("utf-8", errors="replace")) is not None


def parse(text: str, fault: Callable[[int, str], None]) -> Content:
    """Read a file; `fault` takes the number of a line and what is wrong with it."""
    head, *lines = text.split("\n")
    columns = _columns(head)
    width = sum(1 + column.is_relation for column in columns)
    document = "\n".join(line[6:].rstrip("\r") for line in lines if line.startswith("#text="))
    tokens: dict[str, tuple[int, int]] = {}
    rows: list[tuple[int, str, list[str]]] = []
    place = 0
    for number, line in enumerate(lines, start=2):
        line = line.rstrip("\r")
        if not line or line.startswith("#"):
            continue
        match = _ROW.match(line)
        cells = line[match.end() :].rstrip("\t").split("\t") if match else []
        if match is None or len(cells) != width:
            fault(number, f"{line[:60]!r} is no line with a token and {width} columns")
            continue
        start = document.find(match[2], place)
        if start < 0:
            fault(number, f"the token {match[2][:40]!r} is not in the text")
            continue
        place = start + len(match[2])
        tokens[match[1]] = start, place
        rows.append((number, match[1], cells))
    layers = {column.layer: Layer() for column in columns}
    for number, name, cells in rows:
        at = 0
        for column in columns:
            layer, cell = layers[column.layer], cells[at]
            if column.is_relation:
                _add_relation(layer, tokens, name, cell, cells[at + 1], number, fault)
            else:
                _add_span(layer, tokens[name], cell)
            at += 1 + column.is_relation
    return Content(document, layers, 0)


def _columns(head: str) -> list[_Column]:
    found = []
    for declared in head.split("#")[1:]:
        type_, *features = (part.strip() for part in declared.split("|"))
        attached = any(feature.startswith("AttachTo=") for feature in features)
        found += [
            _Column(f"{type_.rpartition('.')[2]}.{feature}", attached)
            for feature in features
            if feature and not feature.startswith("AttachTo=")
        ]
    return found


def _add_span(layer: Layer, token: tuple[int, int], cell: str) -> None:
    for value in cell.split("|"):
        mark, _, label = value.partition("-")
        if mark == "I" and any(span.label == (label or NO_VALUE) for span in layer.spans):
            last = max(n for n, s in enumerate(layer.spans) if s.label == (label or NO_VALUE))
            layer.spans[last] = layer.spans[last]._replace(end=token[1])
        elif mark in ("B", "I"):
            layer.spans.append(Span(*token, label or NO_VALUE))


def _add_relation(
    layer: Layer,
    tokens: dict[str, tuple[int, int]],
    name: str,
    cell: str,
    governors: str,
    number: int,
    fault: Callable[[int, str], None],
) -> None:
    if cell in ("_", "O"):
        return
    for value, governor in zip(cell.split("|"), governors.split("|"), strict=False):
        if governor not in tokens:
            fault(number, f"a relation comes from {governor[:20]!r}, which is no token")
            continue
        label = value.partition("-")[2] if value[:2] in ("B-", "I-") else value
        source, target = Span(*tokens[governor], ""), Span(*tokens[name], "")
        layer.relations.append(Relation(source, target, label or NO_VALUE))
