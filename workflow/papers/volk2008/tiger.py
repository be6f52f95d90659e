"""Treebanks in TIGER-XML, and the alignments that the Stockholm TreeAligner draws between them.

A TIGER-XML file holds sentences (``s``), each a graph of terminals (``t``, the words) and
nonterminals (``nt``, the phrases) with edges to their children. The TreeAligner's file names two
treebanks, and joins two nodes in each ``align``, whose type is "good" (exact) or "fuzzy";
``sen-align`` joins sentences by their root nodes.

Files are untrusted: a document type declaration is refused, so that no entity can be defined and
none can grow or fetch anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.parsers import expat

from annobench.alignment.links import Alignments, Link, SentencePair
from annobench.core.errors import AnnotationError, ReaderError, report_faults
from annobench.io.xml import read_xml

#: The TreeAligner's types of links.
TYPES: Final = {"good": "exact", "fuzzy": "fuzzy"}
_REMEDY: Final = "Correct the file, or export it again."

#: Called with the name of an element, its attributes and its line.
_Start = Callable[[str, dict[str, str], int], None]


@dataclass(frozen=True)
class Tree:
    """One sentence of a treebank.

    Attributes
    ----------
    name : str
        The sentence's id.
    kinds : dict of str to str
        "word" or "phrase" by the id of the node; words first, in their order.
    words : dict of str to str
        The word of each terminal.
    categories : dict of str to str
        The part of speech of each terminal and the category of each nonterminal; empty text
        where the file has none.
    children : dict of str to tuple of str
        The nodes that each nonterminal has edges to.
    """

    name: str
    kinds: dict[str, str]
    words: dict[str, str]
    categories: dict[str, str]
    children: dict[str, tuple[str, ...]]

    def span(self, node: str) -> tuple[str, ...]:
        """Return the words under a node.

        Parameters
        ----------
        node : str
            Its id.

        Returns
        -------
        tuple of str
            In the order of the sentence.
        """
        below, todo = set(), [node]
        while todo:
            at = todo.pop()
            below.add(at)
            todo += self.children.get(at, ())
        return tuple(word for name, word in self.words.items() if name in below)


def read_tiger(path: str | Path) -> dict[str, Tree]:
    """Read the sentences of a treebank.

    Parameters
    ----------
    path : path
        A TIGER-XML file.

    Returns
    -------
    dict of str to Tree
        By the id of the sentence, in the order of the file.

    Raises
    ------
    ReaderError
        Naming file and line: not well-formed XML, a document type declaration, a node or
        sentence without id or with one that stands there twice, an edge to a node that the
        sentence does not have, or a node below itself.
    """
    reader = _Treebank()
    _parse(Path(path), reader.start)
    report_faults(path, reader.faults, _REMEDY)
    trees = {sentence.name: sentence.tree() for sentence in reader.sentences}
    faults = [
        f"line {sentence.line}: sentence {sentence.name!r}: {fault}"
        for sentence in reader.sentences
        for fault in sentence.dangling() or _cycle(trees[sentence.name])
    ]
    report_faults(path, faults, _REMEDY)
    if not trees:
        raise ReaderError(f"{path}: no sentence. Supply a TIGER-XML file. {_REMEDY}")
    return trees


def read_treealigner(
    paths: Mapping[str, str | Path],
    source: Mapping[str, Tree],
    target: Mapping[str, Tree],
    *,
    treebanks: tuple[str, str] | None = None,
    types: Mapping[str, str] = TYPES,
) -> Alignments:
    """Read the links of annotators, one file each.

    Parameters
    ----------
    paths : mapping of str to path
        The Stockholm TreeAligner file of each annotator.
    source, target : mapping of str to Tree
        The two treebanks, as `read_tiger` returns them.
    treebanks : tuple of str, optional
        The ids by which the files name source and target; by default the first two that the
        head of the first file names, in its order.
    types : mapping of str to str
        The strength, "exact" or "fuzzy", of each type of link.

    Returns
    -------
    Alignments
        A pair is a set of sentences that anybody's links or ``sen-align`` join, so that it may
        have two sentences on a side; sentences that nothing joins are left out.

    Raises
    ------
    ReaderError
        Naming file and line: not well-formed XML, a document type declaration, a link that does
        not join a node of either treebank, a node that its treebank does not have, an unknown
        type, or a link drawn twice.
    AnnotationError
        If no file is given.
    """
    if not paths:
        raise AnnotationError("read_treealigner: there is no file. Give one for each annotator.")
    readers: dict[str, _TreeAligner] = {}
    for annotator, path in paths.items():
        reader = _TreeAligner(types)
        _parse(Path(path), reader.start)
        report_faults(path, reader.faults, _REMEDY)
        readers[annotator] = reader
    first = next(iter(readers.values()))
    sides = treebanks or tuple(first.treebanks)
    if len(sides) != 2:
        raise ReaderError(
            f"{next(iter(paths.values()))}: its head names {len(sides)} treebanks. Name source "
            "and target with treebanks=."
        )
    home = [
        {node: tree.name for tree in bank.values() for node in tree.kinds}
        for bank in (source, target)
    ]
    joined = _Groups()
    drawn: dict[str, list[tuple[str, str, str]]] = {}
    for annotator, path in paths.items():
        drawn[annotator] = _resolved(path, readers[annotator], sides, home, joined)
    pairs, pair_of = _pairs(joined, source, target)
    return Alignments.from_links(
        pairs,
        {
            annotator: [Link(pair_of[home[0][s]], s, t, strength) for s, t, strength in links]
            for annotator, links in drawn.items()
        },
    )


def read_folder(folder: Path) -> dict[str, Alignments]:
    """Read the alignments in a folder, and the treebanks that lie beside them.

    Parameters
    ----------
    folder : Path
        With TreeAligner files and the TIGER-XML files that their heads name.

    Returns
    -------
    dict of str to Alignments
        By the name of the TreeAligner's file, without its ending; the only annotator is "gold".

    Raises
    ------
    ReaderError
        If there is no alignment, or a file is malformed or missing.
    """
    found = {}
    for path in sorted(folder.glob("*.xml")):
        head = _TreeAligner(TYPES)
        _parse(path, head.start)
        if head.treebanks:
            banks = [read_tiger(folder / Path(name).name) for name in head.treebanks.values()]
            if len(banks) != 2:
                raise ReaderError(f"{path}: its head names {len(banks)} treebanks. Supply two.")
            found[path.stem] = read_treealigner({"gold": path}, *banks)
    if not found:
        raise ReaderError(
            f"{folder}: no alignment of the TreeAligner (.xml). Correct the folder, data.treebank "
            "of the configuration."
        )
    return found


def _parse(path: Path, start: _Start) -> None:
    def prepare(parser: expat.XMLParserType) -> None:
        def begin(name: str, attributes: dict[str, str]) -> None:
            # A prefix of a namespace says nothing that these formats need.
            start(name.rpartition(":")[2], attributes, parser.CurrentLineNumber)

        parser.StartElementHandler = begin

    read_xml(path, prepare, _REMEDY)


class _Sentence:
    """A sentence while it is read."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        self.kinds: dict[str, str] = {}
        self.words: dict[str, str] = {}
        self.categories: dict[str, str] = {}
        self.children: dict[str, list[tuple[str, int]]] = {}

    def dangling(self) -> list[str]:
        return [
            f"node {node!r} has an edge to {child!r}, which is no node of it (line {line})"
            for node, edges in self.children.items()
            for child, line in edges
            if child not in self.kinds
        ]

    def tree(self) -> Tree:
        words = {node: kind for node, kind in self.kinds.items() if kind == "word"}
        children = {node: tuple(c for c, _ in edges) for node, edges in self.children.items()}
        return Tree(self.name, words | self.kinds, self.words, self.categories, children)


class _Treebank:
    """What the elements of a TIGER-XML file say."""

    def __init__(self) -> None:
        self.sentences: list[_Sentence] = []
        self.faults: list[str] = []
        self._seen: set[str] = set()
        self._node = ""

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        if name == "s":
            self._node = ""
            self.sentences.append(_Sentence(self._id(name, attributes, line), line))
        elif name in ("t", "nt", "edge") and not self.sentences:
            self.faults.append(f"line {line}: {name!r} outside a sentence")
        elif name in ("t", "nt"):
            sentence, node = self.sentences[-1], self._id(name, attributes, line)
            self._node = node if name == "nt" else ""
            sentence.kinds[node] = "word" if name == "t" else "phrase"
            sentence.categories[node] = attributes.get("pos" if name == "t" else "cat", "")
            if name == "t":
                sentence.words[node] = attributes.get("word", "")
            else:
                sentence.children[node] = []
        elif name == "edge" and not self._node:
            self.faults.append(f"line {line}: an edge outside a nonterminal")
        elif name == "edge":
            edges = self.sentences[-1].children.setdefault(self._node, [])
            edges.append((attributes.get("idref", ""), line))

    def _id(self, name: str, attributes: dict[str, str], line: int) -> str:
        own = attributes.get("id", "")
        if not own:
            self.faults.append(f"line {line}: {name!r} has no id")
        elif own in self._seen:
            self.faults.append(f"line {line}: id {own!r} stands there twice")
        self._seen.add(own)
        return own


def _cycle(tree: Tree) -> list[str]:
    """Say which node is below itself, if any is."""
    done: set[str] = set()
    for start in tree.children:
        path: set[str] = set()
        todo = [(start, False)]
        while todo:
            node, leaving = todo.pop()
            if leaving:
                path.remove(node)
                done.add(node)
            elif node in path:
                return [f"node {node!r} is below itself"]
            elif node not in done:
                path.add(node)
                todo.append((node, True))
                todo += [(child, False) for child in tree.children.get(node, ())]
    return []


class _TreeAligner:
    """What the elements of a TreeAligner file say."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self.types = types
        #: The file of each treebank, by its id.
        self.treebanks: dict[str, str] = {}
        #: Strength (None of a pair of sentences), line, and the nodes by their treebank.
        self.joints: list[tuple[str | None, int, list[tuple[str, str]]]] = []
        self.faults: list[str] = []

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        if name == "treebank":
            self.treebanks[attributes.get("id", "")] = attributes.get("filename", "")
        elif name == "sen-align":
            self.joints.append((None, line, []))
        elif name == "align":
            kind = attributes.get("type", "")
            if kind not in self.types:
                known = ", ".join(self.types)
                self.faults.append(f"line {line}: a link of type {kind!r}, not one of {known}")
            self.joints.append((self.types.get(kind, ""), line, []))
        elif name == "node" and self.joints:
            node = attributes.get("treebank_id", ""), attributes.get("node_id", "")
            self.joints[-1][2].append(node)


class _Groups:
    """Sentences of two sides that are joined, directly or through others."""

    def __init__(self) -> None:
        self._parent: dict[tuple[int, str], tuple[int, str]] = {}

    def find(self, sentence: tuple[int, str]) -> tuple[int, str]:
        while (above := self._parent.setdefault(sentence, sentence)) != sentence:
            self._parent[sentence] = self._parent[above]
            sentence = above
        return sentence

    def join(self, first: str, second: str) -> None:
        self._parent[self.find((1, second))] = self.find((0, first))

    def members(self) -> dict[tuple[int, str], list[tuple[int, str]]]:
        found: dict[tuple[int, str], list[tuple[int, str]]] = {}
        for sentence in list(self._parent):
            found.setdefault(self.find(sentence), []).append(sentence)
        return found


def _resolved(
    path: str | Path,
    reader: _TreeAligner,
    sides: tuple[str, ...],
    home: list[dict[str, str]],
    joined: _Groups,
) -> list[tuple[str, str, str]]:
    """Return source, target and strength of each link, and join the sentences."""
    links: dict[tuple[str, str], str] = {}
    faults = []
    for strength, line, nodes in reader.joints:
        of_side = dict(nodes)
        if len(nodes) != 2 or set(of_side) != set(sides):
            faults.append(
                f"line {line}: joins {nodes}, not one node of {sides[0]!r} and one of {sides[1]!r}"
            )
            continue
        ends = of_side[sides[0]], of_side[sides[1]]
        lost = [
            f"{end!r} (treebank {side!r})"
            for end, side, known in zip(ends, sides, home, strict=True)
            if end not in known
        ]
        if lost:
            faults.append(f"line {line}: there is no node {' and no node '.join(lost)}")
            continue
        joined.join(home[0][ends[0]], home[1][ends[1]])
        if strength is None:
            continue
        if ends in links:
            faults.append(f"line {line}: {ends[0]!r} and {ends[1]!r} are linked already")
        links[ends] = strength
    report_faults(path, faults, _REMEDY)
    return [(*ends, strength) for ends, strength in links.items()]


def _pairs(
    joined: _Groups, source: Mapping[str, Tree], target: Mapping[str, Tree]
) -> tuple[list[SentencePair], dict[str, str]]:
    """Make a pair of each group, and say to which pair a source sentence belongs."""
    order = {
        (side, name): n for side, bank in enumerate((source, target)) for n, name in enumerate(bank)
    }
    groups = [sorted(group, key=order.__getitem__) for group in joined.members().values()]
    pairs, pair_of = [], {}
    for group in sorted(groups, key=lambda group: order[group[0]]):
        names = [[name for side, name in group if side == wanted] for wanted in (0, 1)]
        title = " = ".join("+".join(part) for part in names)
        nodes = [
            {node: kind for name in part for node, kind in bank[name].kinds.items()}
            for part, bank in zip(names, (source, target), strict=True)
        ]
        pairs.append(SentencePair(title, *nodes))
        pair_of.update(dict.fromkeys(names[0], title))
    return pairs, pair_of
