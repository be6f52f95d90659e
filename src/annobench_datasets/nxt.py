"""Read stand-off XML of the NITE XML Toolkit (NXT).

A corpus is many small documents. Each is a flat or nested list of elements with a
``nite:id``. A ``nite:child`` points at the elements of another document that an element
covers, as ``file.xml#id(first)..id(last)``, and a ``nite:pointer`` with a role at a
single one, such as a type in an ontology.

Documents are untrusted: a document type declaration is refused, so that no entity can be
defined, and nothing outside the file is ever opened. As in the toolkit, the names of its own
elements are read with their prefix ``nite:``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import ReaderError, report_faults
from annobench.io.xml import read_xml

__all__ = ["Layer", "Link", "pointed", "read_layer", "spans"]

#: Elements nested deeper than this are no annotation; the deepest ontology of AMI has three.
MAX_DEPTH = 32

_LINKS = {"nite:child": "child", "nite:pointer": "pointer"}
_HREF = re.compile(r"([^#/\\]+)#id\(([^()]+)\)(?:\.\.id\(([^()]+)\))?")
_REMEDY = "Correct the document, or supply the pinned file."


class Link(NamedTuple):
    """A reference from an element to elements of another document.

    Attributes
    ----------
    owner : int
        Place of the element that has the link.
    kind : {"child", "pointer"}
        Which of the two.
    role : str
        Role of a pointer; empty for a child.
    file : str
        Name of the document pointed at.
    first, last : str
        Ids of the first and the last element pointed at.
    line : int
        Line of the link, counted from 1.
    """

    owner: int
    kind: str
    role: str
    file: str
    first: str
    last: str
    line: int


@dataclass(frozen=True, eq=False)
class Layer:
    """The elements of one document below its root, in its order, as columns.

    Attributes
    ----------
    path : Path
        The document.
    tag, text : list of str
        Name of each element, and the characters directly in it.
    attributes : list of dict
        Attributes of each element, ``nite:id`` among them.
    parent : list of int
        Place of the element around each, -1 for the root.
    line : list of int
        Line on which each begins, counted from 1.
    links : list of Link
        All links of all elements.
    """

    path: Path
    tag: list[str]
    text: list[str]
    attributes: list[dict[str, str]]
    parent: list[int]
    line: list[int]
    links: list[Link]

    def __len__(self) -> int:
        return len(self.tag)

    @cached_property
    def ids(self) -> list[str]:
        """The id of each element; empty where it has none."""
        return [attributes.get("nite:id", "") for attributes in self.attributes]

    @cached_property
    def place(self) -> dict[str, int]:
        """The place of each id.

        Raises
        ------
        ReaderError
            If two elements have one id.
        """
        places = {name: place for place, name in enumerate(self.ids) if name}
        if len(places) < sum(map(bool, self.ids)):
            faults = [
                f"line {self.line[n]}: the id {name!r} occurs twice"
                for n, name in enumerate(self.ids)
                if name and places[name] != n
            ]
            report_faults(self.path, faults, _REMEDY)
        return places

    def column(self, name: str) -> list[str | None]:
        """Return an attribute of every element.

        Parameters
        ----------
        name : str
            Name of the attribute.

        Returns
        -------
        list of str or None
            None where an element lacks it.
        """
        return [attributes.get(name) for attributes in self.attributes]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return an attribute of every element as numbers, such as times in seconds.

        Parameters
        ----------
        name : str
            Name of the attribute.

        Returns
        -------
        ndarray of float, shape (n_elements,)
            NaN where an element lacks it.

        Raises
        ------
        ReaderError
            If a value is not a finite number.
        """
        values = self.column(name)
        try:
            found = np.array([np.nan if v is None else float(v) for v in values], np.float64)
            wrong = ~np.isfinite(found) & np.array([v is not None for v in values], dtype=bool)
        except ValueError:
            found = np.full(len(values), np.nan)
            wrong = np.array([not (v is None or _is_number(v)) for v in values], dtype=bool)
        faults = [
            f"line {self.line[n]}: {name} {values[n]!r} is not a number"
            for n in np.flatnonzero(wrong)
        ]
        report_faults(self.path, faults, _REMEDY)
        return found


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def read_layer(path: Path) -> Layer:
    """Read one document.

    Parameters
    ----------
    path : Path
        An NXT document.

    Returns
    -------
    Layer
        Its elements.

    Raises
    ------
    ReaderError
        If it can't be read, is not well-formed XML, has a document type declaration or very
        deep nesting, or a link is not of the form ``file#id(first)..id(last)``.

    Notes
    -----
    About 1.5 µs per element. Memory is a few hundred bytes per element.
    """
    layer = Layer(Path(path), [], [], [], [], [], [])
    faults: list[str] = []
    rest: dict[int, list[str]] = {}
    read_xml(layer.path, lambda parser: _fill(parser, layer, rest, faults), _REMEDY)
    report_faults(layer.path, faults, _REMEDY)
    for place, pieces in rest.items():
        layer.text[place] += "".join(pieces)
    return layer


def _fill(
    parser: expat.XMLParserType, layer: Layer, rest: dict[int, list[str]], faults: list[str]
) -> None:
    """Have a parser fill the columns; closures, since methods would take a third longer."""
    parser.buffer_text = True
    around: list[int] = []  # places of the elements that are open, -1 for the root
    add_tag, add_text, add_line = layer.tag.append, layer.text.append, layer.line.append
    add_attributes, add_parent = layer.attributes.append, layer.parent.append
    text, tags = layer.text, layer.tag

    def start(name: str, attributes: dict[str, str]) -> None:
        if not around:
            around.append(-1)
            return
        if name in _LINKS:
            link = _link(around[-1], _LINKS[name], attributes, parser.CurrentLineNumber, faults)
            layer.links.extend(link)
            around.append(around[-1])
            return
        if len(around) > MAX_DEPTH:
            raise ReaderError(
                f"{layer.path}, line {parser.CurrentLineNumber}: elements are nested more than "
                f"{MAX_DEPTH} deep. {_REMEDY}"
            )
        add_parent(around[-1])
        around.append(len(tags))
        add_tag(name)
        add_text("")
        add_attributes(attributes)
        add_line(parser.CurrentLineNumber)

    def end(_: str) -> None:
        around.pop()

    def characters(data: str) -> None:
        place = around[-1]
        if place >= 0 and text[place]:
            rest.setdefault(place, []).append(data)
        elif place >= 0:
            text[place] = data

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters


def _link(
    owner: int, kind: str, attributes: Mapping[str, str], line: int, faults: list[str]
) -> tuple[Link, ...]:
    """Return a link, or note what is wrong with it."""
    href = attributes.get("href", "")
    match = _HREF.fullmatch(href)
    if match is None or owner < 0:
        wrong = "has no element around it" if match else "is not file#id(first)..id(last)"
        faults.append(f"line {line}: the link {href[:80]!r} {wrong}")
        return ()
    file, first, last = match.groups()
    return (Link(owner, kind, attributes.get("role", ""), file, first, last or first, line),)


def spans(layer: Layer, base: Layer) -> NDArray[np.int64]:
    """Find the elements of another document that each element covers.

    Parameters
    ----------
    layer : Layer
        Each element must have one child link into `base`.
    base : Layer
        The document covered, such as the words of a speaker.

    Returns
    -------
    ndarray of int, shape (n_elements, 2)
        Places of the first and the last element covered.

    Raises
    ------
    ReaderError
        If an element has no or several child links, a link dangles or runs backwards, or two
        elements overlap; names the lines.
    """
    found = np.full((len(layer), 2), -1)
    faults: list[tuple[int, str]] = []
    for link in layer.links:
        if link.kind != "child":
            continue
        first, last = _target(link, base, faults)
        if first > last >= 0:
            faults.append((link.line, f"from {link.first!r} to {link.last!r} runs backwards"))
        if found[link.owner, 0] >= 0:
            faults.append((link.line, f"{layer.ids[link.owner]!r} has several child links"))
        found[link.owner] = first, last
    linked = {link.owner for link in layer.links if link.kind == "child"}
    faults += [
        (layer.line[n], f"{layer.ids[n]!r} covers nothing: it has no child link")
        for n in range(len(layer))
        if n not in linked
    ]
    if not faults:
        order = np.lexsort((found[:, 1], found[:, 0]))
        for n in np.flatnonzero(found[order[1:], 0] <= found[order[:-1], 1]):
            one, other = order[n], order[n + 1]
            shared = base.ids[found[other, 0]]
            text = f"{layer.ids[other]!r} overlaps {layer.ids[one]!r} on {shared!r}"
            faults.append((layer.line[other], text))
    _report(layer, faults)
    return found


def pointed(layer: Layer, role: str, targets: Layer) -> NDArray[np.int64]:
    """Find the element of another document that each element points at in a role.

    Parameters
    ----------
    layer : Layer
        The elements that point.
    role : str
        The role of the pointers.
    targets : Layer
        The document pointed at, such as an ontology of types.

    Returns
    -------
    ndarray of int, shape (n_elements,)
        Places in `targets`; -1 where an element has no pointer of this role.

    Raises
    ------
    ReaderError
        If a pointer dangles, or an element has several of the role; names the lines.
    """
    found = np.full(len(layer), -1)
    faults: list[tuple[int, str]] = []
    for link in layer.links:
        if link.kind == "pointer" and link.role == role:
            if found[link.owner] >= 0:
                faults.append((link.line, f"{layer.ids[link.owner]!r} has several {role!r}"))
            found[link.owner] = _target(link, targets, faults)[0]
    _report(layer, faults)
    return found


def _target(link: Link, base: Layer, faults: list[tuple[int, str]]) -> tuple[int, int]:
    """Look the ends of a link up; -1 and a fault where it dangles."""
    if link.file != base.path.name:
        text = f"a link into {link.file!r}, where {base.path.name!r} is due"
        faults.append((link.line, text))
        return -1, -1
    places: Mapping[str, int] = base.place
    first, last = places.get(link.first, -1), places.get(link.last, -1)
    for name, place in {link.first: first, link.last: last}.items():
        if place < 0:
            faults.append((link.line, f"a dangling link: {link.file} has no id {name!r}"))
    return first, last


def _report(layer: Layer, faults: list[tuple[int, str]]) -> None:
    report_faults(layer.path, [f"line {line}: {text}" for line, text in sorted(faults)], _REMEDY)
