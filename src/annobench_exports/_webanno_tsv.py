"""WebAnno TSV 3, the format of INCEpTION and WebAnno: one line a token, a column a feature.

A column holds `_` for none, `*` for an annotation without a value, several values with `|`
between; `[n]` after a value numbers annotations that have several tokens or share one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from annobench.io.formats.base import Relation, Span
from annobench_exports._utf16 import from_utf16

MAGIC = b"#FORMAT=WebAnno TSV 3"

#: The label of an annotation without a value.
NO_VALUE = "*"

_ROW = re.compile(r"([0-9]+-[0-9]+(?:\.[0-9]+)?)\t([0-9]+)-([0-9]+)\t")
_STACKED = re.compile(r"(?:^|\|)((?:\\.|[^\\|])*)", re.DOTALL)
_NUMBER = re.compile(r"(?<!\\)\[([\d_]+)\]$")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}

Key = tuple[str, str]


@dataclass
class Layer:
    """The spans and relations of a layer in one document.

    Attributes
    ----------
    spans : list of Span
        In the order of the file.
    relations : list of Relation
        Between spans of this layer or of another.
    """

    spans: list[Span] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)


class Content(NamedTuple):
    """What one annotator's file of a document holds.

    Attributes
    ----------
    text : str
        The tokens at their places, with blanks between.
    layers : dict of str to Layer
        By name: the last part of the type and the feature.
    n_empty : int
        Annotations without width, which are left out.
    """

    text: str
    layers: dict[str, Layer]
    n_empty: int


class _Block(NamedTuple):
    """The columns of one type."""

    kind: str
    type: str
    features: tuple[str, ...]
    first: int
    base: str


@dataclass
class _Found:
    """One annotation while it is read: its limits, and the value of each feature."""

    start: int
    end: int
    values: dict[str, str] = field(default_factory=dict)


def parse(text: str, fault: Callable[[int, str], None]) -> Content:
    """Read a file."""
    blocks: list[_Block] = []
    n_columns = 0
    rows: list[tuple[int, str, int, int, str, list[str]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip("\r")
        if line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            block, width = _block(line, n_columns)
            if any(block.type == other.type for other in blocks):
                fault(number, f"the type {block.type[:60]!r} is announced twice")
                return Content("", {}, 0)
            # What stands behind a role is the type of what the role links to.
            named = [
                feature
                for before, feature in pairwise(("", *block.features))
                if not before.startswith("ROLE_")
            ]
            if len(set(named)) < len(named):
                fault(number, f"a feature of the type {block.type[:60]!r} is announced twice")
                return Content("", {}, 0)
            blocks.append(block)
            n_columns += width
        elif match := _ROW.match(line):
            form, *columns = line[match.end() :].split("\t")
            columns = columns[:-1] if columns and not columns[-1] else columns
            start, end = (int(n) if len(n) <= MAX_DIGITS else -1 for n in match.group(2, 3))
            if not 0 <= start <= end <= MAX_OFFSET:
                fault(number, f"the offsets {match[2]:.20}-{match[3]:.20} are impossible")
                continue
            rows.append((number, match[1], start, end, form, columns))
        elif line and not line.startswith("#"):
            fault(number, f"{line[:60]!r} is no line of WebAnno TSV 3")
    for number, *_, columns in rows:
        if len(columns) != n_columns:
            fault(number, f"{len(columns)} columns where the head announces {n_columns}")
    rows = [row for row in rows if len(row[-1]) == n_columns]
    shown, position = _document(rows)
    reader = _Reader(blocks, position, fault)
    for number, name, start, end, _, columns in rows:
        if name in reader.tokens:
            fault(number, f"the token {name} stands there twice")
            continue
        reader.tokens[name] = start, end
        for block in blocks:
            reader.take(number, name, start, end, block, columns)
    return reader.content(shown)


#: Offsets beyond are damage: a text of this length can't be annotated.
MAX_OFFSET, MAX_DIGITS = 100_000_000, 9


def _block(line: str, first: int) -> tuple[_Block, int]:
    kind, _, declared = line[3:].partition("=")
    type_, *features = declared.split("|")
    base = ""
    if kind == "RL" and features and features[-1].startswith("BT_"):
        base = features.pop().removeprefix("BT_")
        return _Block(kind, type_, tuple(features), first, base), len(features) + 1
    if kind == "CH":
        return _Block(kind, type_, tuple(features), first, base), 2
    features = features or [""]
    return _Block(kind, type_, tuple(features), first, base), len(features)


def _document(
    rows: list[tuple[int, str, int, int, str, list[str]]],
) -> tuple[str, Callable[[int], int]]:
    """Lay out the tokens, and translate offsets, which count units of UTF-16."""
    tokens = [
        (start, end, _plain(form)) for _, name, start, end, form, _ in rows if "." not in name
    ]
    place = 0
    pieces: list[str] = []
    for start, end, form in sorted(tokens):
        if start < place or end <= start:
            continue
        width = sum(1 + (ord(character) > 0xFFFF) for character in form)
        pieces += [" " * (start - place), form if width == end - start else "." * (end - start)]
        place = end
    text = "".join(pieces)
    return text, from_utf16(text)


def _plain(value: str) -> str:
    return _ESCAPED.sub(lambda match: _CONTROL.get(match[1], match[1]), value)


def _stack(cell: str) -> list[tuple[str, str]]:
    """Split a cell into the values of stacked annotations, each with its number or ""."""
    if cell == "_":
        return []
    found = []
    for value in _STACKED.findall(cell):
        number = _NUMBER.search(value)
        found.append((value[: number.start()], number[1]) if number else (value, ""))
    return found


def _short(type_: str) -> str:
    return type_.rpartition(".")[2]


class _Reader:
    """What is known while the lines are read."""

    def __init__(
        self,
        blocks: list[_Block],
        position: Callable[[int], int],
        fault: Callable[[int, str], None],
    ) -> None:
        self.blocks, self.position, self.fault = blocks, position, fault
        self.tokens: dict[str, tuple[int, int]] = {}
        #: By type, then by number, or by the token where the annotation has none.
        self.found: dict[str, dict[str, _Found]] = {block.type: {} for block in blocks}
        self.links: list[tuple[int, str, Key, Key, str]] = []

    def take(
        self, number: int, name: str, start: int, end: int, block: _Block, columns: list[str]
    ) -> None:
        """Take the columns of one type in one line."""
        width = len(block.features) + bool(block.base)
        cells = columns[block.first : block.first + (2 if block.kind == "CH" else width)]
        if all(cell == "_" for cell in cells):
            return
        if block.kind == "CH":
            self._take_chain(number, block, cells, start, end)
        elif block.kind == "RL":
            self._take_relation(number, name, block, cells)
        else:
            self._take_span(number, name, block, cells, start, end)

    def _take_span(
        self, number: int, name: str, block: _Block, cells: list[str], start: int, end: int
    ) -> None:
        stacks = [_stack(cell) for cell in cells]
        n = max(map(len, stacks))
        for place in range(n):
            numbers = {
                stack[place][1]
                for index, stack in enumerate(stacks)
                if place < len(stack) and not self._is_target(block, index)
            } - {""}
            key = min(numbers) if numbers else f"{name}/{place}"
            own = self.found[block.type].setdefault(key, _Found(start, end))
            own.start, own.end = min(own.start, start), max(own.end, end)
            for index, (feature, stack) in enumerate(zip(block.features, stacks, strict=True)):
                if place >= len(stack):
                    continue
                value = stack[place][0]
                if feature.startswith("ROLE_"):
                    target = stacks[index + 1] if index + 1 < len(stacks) else []
                    cell = target[place] if place < len(target) else ("", "")
                    self._take_roles(number, block, feature, key, value, cell)
                elif not self._is_target(block, index):
                    own.values.setdefault(feature, value)

    @staticmethod
    def _is_target(block: _Block, index: int) -> bool:
        return index > 0 and block.features[index - 1].startswith("ROLE_")

    def _take_roles(
        self, number: int, block: _Block, feature: str, key: str, roles: str, cell: tuple[str, str]
    ) -> None:
        layer = f"{_short(block.type)}.{feature.rpartition(':')[2].partition('_')[0]}"
        base = block.features[block.features.index(feature) + 1 :][:1]
        # The number of the last target looks like one of the whole cell.
        targets = f"{cell[0]}[{cell[1]}]" if cell[1] else cell[0]
        for role, target in zip(roles.split(";"), targets.split(";"), strict=False):
            match = re.fullmatch(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d+)\])?", target)
            if match is None:
                continue
            end = match[2] if match[2] and match[2] != "0" else f"{match[1]}/0"
            self.links.append(
                (number, layer, (block.type, key), (base[0] if base else "", end), role)
            )

    def _take_relation(self, number: int, name: str, block: _Block, cells: list[str]) -> None:
        *features, ends = cells
        if len(features) != len(block.features):
            self.fault(number, f"{len(features)} features of {len(block.features)} of a relation")
            return
        stacks = [_stack(cell) for cell in features]
        for place, (governor, numbers) in enumerate(_stack(ends)):
            first, _, second = numbers.partition("_")
            source = first if first not in ("", "0") else f"{governor}/0"
            target = second if second not in ("", "0") else f"{name}/0"
            for feature, stack in zip(block.features, stacks, strict=True):
                value = stack[place][0] if place < len(stack) else NO_VALUE
                layer = f"{_short(block.type)}.{feature}" if feature else _short(block.type)
                self.links.append(
                    (number, layer, (block.base, source), (block.base, target), value)
                )
            if not features:
                self.links.append(
                    (number, _short(block.type), (block.base, source), (block.base, target), "*")
                )

    def _take_chain(
        self, number: int, block: _Block, cells: list[str], start: int, end: int
    ) -> None:
        arrow = 0 if "->" in cells[0] else 1
        kinds = _stack(cells[1 - arrow])
        for place, value in enumerate(_STACKED.findall(cells[arrow])):
            relation, _, element = value.rpartition("->")
            if not re.fullmatch(r"[0-9]{1,9}-[0-9]{1,9}", element):
                self.fault(number, f"{value[:40]!r} is no element of a chain")
                continue
            own = self.found[block.type].setdefault(element, _Found(start, end))
            own.start, own.end = min(own.start, start), max(own.end, end)
            own.values["kind"] = kinds[place][0] if place < len(kinds) else NO_VALUE
            own.values["relation"] = relation

    def _place(self, key: Key) -> _Found | None:
        type_, name = key
        found = self.found.get(type_, {}).get(name)
        token = name.removesuffix("/0")
        if found is None and token in self.tokens:
            limits = self.tokens[token]
            # An annotation of several tokens has a number, but is referred to without where its
            # first token has no other.
            starting = [own for own in self.found.get(type_, {}).values() if own.start == limits[0]]
            return starting[0] if len(starting) == 1 else _Found(*limits)
        return found

    def _span(self, own: _Found, label: str) -> Span:
        return Span(self.position(own.start), self.position(own.end), label)

    def content(self, text: str) -> Content:
        """Put spans and relations together."""
        layers: dict[str, Layer] = {}
        n_empty = 0
        for block in self.blocks:
            own = [found for found in self.found[block.type].values() if block.kind != "RL"]
            n_empty += sum(found.start == found.end for found in own)
            kept = [found for found in own if found.start < found.end]
            if block.kind == "CH":
                self._add_chain(layers.setdefault(_short(block.type), Layer()), block.type)
            elif block.kind == "SP":
                for index, feature in enumerate(block.features):
                    if self._is_target(block, index):
                        continue
                    role = feature.startswith("ROLE_")
                    named = feature.rpartition(":")[2].partition("_")[0] if role else feature
                    name = f"{_short(block.type)}.{named}" if named else _short(block.type)
                    layers.setdefault(name, Layer()).spans += [
                        self._span(f, NO_VALUE if role else _plain(f.values.get(feature, NO_VALUE)))
                        for f in kept
                    ]
        for number, name, source, target, label in self.links:
            ends = self._place(source), self._place(target)
            if ends[0] is None or ends[1] is None:
                self.fault(number, f"a relation of {name!r} to an annotation that is not there")
                continue
            if min(end.end - end.start for end in ends if end) == 0:
                n_empty += 1
                continue
            first, second = (self._span(end, "") for end in ends if end)
            layers.setdefault(name, Layer()).relations.append(
                Relation(first, second, _plain(label))
            )
        return Content(text, layers, n_empty)

    def _add_chain(self, layer: Layer, type_: str) -> None:
        elements = sorted(
            (
                (tuple(map(int, name.split("-"))), found)
                for name, found in self.found[type_].items()
            ),
            key=lambda element: element[0],
        )
        kept = [(place, found) for place, found in elements if found.start < found.end]
        spans = [self._span(found, _plain(found.values["kind"])) for _, found in kept]
        layer.spans += spans
        for (one, first), (two, second) in pairwise(zip(kept, spans, strict=True)):
            if one[0][0] == two[0][0]:
                layer.relations.append(Relation(first, second, _plain(one[1].values["relation"])))
