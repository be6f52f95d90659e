"""A reader of WordNet's database files for senses of words and their relations.

WordNet 3.0 comes as ``data.noun``, ``data.verb``, ``data.adj`` and ``data.adv``, one line per set
of synonyms ("synset"), named by the byte offset of its line, and ``index.*``, one line per word
with the offsets of its synsets, most frequent first. Only these are read; lines are parsed on
demand. The files are not part of annobench.

A sense key, such as ``add%2:30:00::``, is a permanent name of a sense: lemma, part of speech,
lexicographer's file, number in it, and for satellite adjectives the head of their cluster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from annobench.core.errors import ReaderError

__all__ = ["Pointer", "SenseKey", "Synset", "WordNet", "has_wordnet", "parse_key", "read_wordnet"]

#: Files of the parts of speech, by their letter in sense numbers and pointers.
POS: Final = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
#: The number of a part of speech in a sense key; 5 is a satellite adjective.
_DIGIT: Final = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}
_LETTER: Final = {1: "n", 2: "v", 3: "a", 4: "r", 5: "a"}
#: Names of the lexicographers' files, by their numbers.
LEX_FILES: Final = (
    "adj.all",
    "adj.pert",
    "adv.all",
    "noun.Tops",
    "noun.act",
    "noun.animal",
    "noun.artifact",
    "noun.attribute",
    "noun.body",
    "noun.cognition",
    "noun.communication",
    "noun.event",
    "noun.feeling",
    "noun.food",
    "noun.group",
    "noun.location",
    "noun.motive",
    "noun.object",
    "noun.person",
    "noun.phenomenon",
    "noun.plant",
    "noun.possession",
    "noun.process",
    "noun.quantity",
    "noun.relation",
    "noun.shape",
    "noun.state",
    "noun.substance",
    "noun.time",
    "verb.body",
    "verb.change",
    "verb.cognition",
    "verb.communication",
    "verb.competition",
    "verb.consumption",
    "verb.contact",
    "verb.creation",
    "verb.emotion",
    "verb.motion",
    "verb.perception",
    "verb.possession",
    "verb.social",
    "verb.stative",
    "verb.weather",
    "adj.ppl",
)
_KEY: Final = re.compile(
    r"(?P<lemma>[^%\s]+)%(?P<pos>[1-5]):(?P<file>\d\d):(?P<id>\d\d):"
    r"(?P<head>[^:\s]*):(?P<head_id>\d\d)?"
)
_HYPERNYM: Final = ("@", "@i")
_REMEDY: Final = "Give the folder of WordNet's database files, whole and unchanged."
#: Steps up that no chain of WordNet needs.
_MAX_DEPTH: Final = 50


class SenseKey(NamedTuple):
    """The parts of a sense key.

    Attributes
    ----------
    lemma : str
        The word, in small letters, with _ for a space.
    pos : str
        "n", "v", "a" or "r".
    lex_file : str
        Name of the lexicographer's file, such as "verb.change".
    lex_id : int
        Number of the sense in it.
    head : str
        The head word of a satellite adjective and its number, empty for others.
    """

    lemma: str
    pos: str
    lex_file: str
    lex_id: int
    head: str


def parse_key(text: str) -> SenseKey:
    """Parse a sense key.

    Parameters
    ----------
    text : str
        Such as "add%2:30:00::".

    Returns
    -------
    SenseKey
        Adjectives and their satellites have the same part of speech, so that keys written with
        either number are equal.

    Raises
    ------
    ReaderError
        If it is not a sense key.

    Examples
    --------
    >>> parse_key("add%2:30:00::")
    SenseKey(lemma='add', pos='v', lex_file='verb.change', lex_id=0, head='')
    """
    match = _KEY.fullmatch(text)
    if match is None or int(match["file"]) >= len(LEX_FILES):
        raise ReaderError(
            f"parse_key: {text[:60]!r} is not of the form lemma%pos:file:id:head:id, such as "
            "add%2:30:00::. Correct it."
        )
    head = f"{match['head']}:{match['head_id']}" if match["head"] else ""
    return SenseKey(
        match["lemma"].lower(),
        _LETTER[int(match["pos"])],
        LEX_FILES[int(match["file"])],
        int(match["id"]),
        head,
    )


class Pointer(NamedTuple):
    """A relation of a synset to another.

    Attributes
    ----------
    symbol : str
        Such as "@" (hypernym), "~" (hyponym), "$" (verb group), "&" (similar to).
    pos, offset : str, int
        The other synset.
    """

    symbol: str
    pos: str
    offset: int


class Synset(NamedTuple):
    """A set of synonyms.

    Attributes
    ----------
    pos : str
        "n", "v", "a" or "r"; a satellite adjective is "a".
    offset : int
        Its name within the part of speech.
    lex_file : str
        Name of the lexicographer's file.
    words : tuple of (str, int)
        Lemmas in small letters, and their numbers in that file.
    pointers : tuple of Pointer
        All relations, those between single words included.
    satellite : bool
        Whether it is a satellite adjective.
    gloss : str
        Definition and examples.
    """

    pos: str
    offset: int
    lex_file: str
    words: tuple[tuple[str, int], ...]
    pointers: tuple[Pointer, ...]
    satellite: bool
    gloss: str


@dataclass(frozen=True, eq=False)
class WordNet:
    """A WordNet, as `read_wordnet` found it.

    Attributes
    ----------
    folder : Path
        Where its files are.
    lines : dict of str to dict of int to (int, str)
        For each part of speech, number and text of the line of each synset by offset.
    entries : dict of str to dict of str to tuple of int
        For each part of speech, the offsets of the synsets of each lemma, in their order.
    """

    folder: Path
    lines: dict[str, dict[int, tuple[int, str]]]
    entries: dict[str, dict[str, tuple[int, ...]]]

    @cached_property
    def _known(self) -> dict[tuple[str, int], Synset]:
        """Cache of parsed synsets."""
        return {}

    def synset(self, pos: str, offset: int) -> Synset:
        """Read a synset.

        Parameters
        ----------
        pos : str
            "n", "v", "a" or "r".
        offset : int
            Its name.

        Returns
        -------
        Synset
            Taken from its line.

        Raises
        ------
        ReaderError
            If there is none, or its line is malformed.
        """
        if (pos, offset) not in self._known:
            found = self.lines.get(pos, {}).get(offset)
            if found is None:
                raise ReaderError(
                    f"{self.folder}: no synset {offset:08d} of part of speech {pos!r}. {_REMEDY}"
                )
            path = self.folder / f"data.{POS[pos]}"
            self._known[pos, offset] = _parse_synset(path, pos, *found)
        return self._known[pos, offset]

    def senses(self, lemma: str, pos: str) -> tuple[Synset, ...]:
        """Return the synsets of a word.

        Parameters
        ----------
        lemma : str
            The word.
        pos : str
            "n", "v", "a" or "r".

        Returns
        -------
        tuple of Synset
            In the order of sense numbers; empty for an unknown word.
        """
        offsets = self.entries.get(pos, {}).get(_lemma(lemma), ())
        return tuple(self.synset(pos, offset) for offset in offsets)

    def by_key(self, text: str) -> Synset | None:
        """Find the synset of a sense key.

        Parameters
        ----------
        text : str
            A sense key.

        Returns
        -------
        Synset or None
            None if this WordNet has no such sense.

        Raises
        ------
        ReaderError
            If it is no sense key.
        """
        key = parse_key(text)
        for synset in self.senses(key.lemma, key.pos):
            if (
                synset.lex_file == key.lex_file
                and (key.lemma, key.lex_id) in synset.words
                and self._head(synset) == key.head
            ):
                return synset
        return None

    def _head(self, synset: Synset) -> str:
        """Return the head of a satellite's cluster as a key names it."""
        for other in self.related(synset, ("&",)) if synset.satellite else ():
            lemma, number = other.words[0]
            return f"{lemma}:{number:02d}"
        return ""

    def related(self, synset: Synset, symbols: tuple[str, ...]) -> Iterator[Synset]:
        """Follow pointers.

        Parameters
        ----------
        synset : Synset
            Where they begin.
        symbols : tuple of str
            Which.

        Yields
        ------
        Synset
            Where they lead.
        """
        for pointer in synset.pointers:
            if pointer.symbol in symbols:
                yield self.synset(pointer.pos, pointer.offset)

    def ancestors(self, synset: Synset) -> dict[tuple[str, int], int]:
        """Count the steps up to each hypernym.

        Parameters
        ----------
        synset : Synset
            Where they begin.

        Returns
        -------
        dict of (str, int) to int
            Fewest steps by part of speech and offset; 0 to itself.

        Raises
        ------
        ReaderError
            If the chain of hypernyms does not end: the hierarchy has a cycle.
        """
        steps = {(synset.pos, synset.offset): 0}
        level, n = [synset], 0
        while level:
            n += 1
            if n > _MAX_DEPTH:
                raise ReaderError(
                    f"{self.folder}: the hypernyms of {synset.words[0][0]!r} ({synset.offset:08d}) "
                    f"go on for more than {_MAX_DEPTH} steps. {_REMEDY}"
                )
            above = [other for each in level for other in self.related(each, _HYPERNYM)]
            if any((each.pos, each.offset) == (synset.pos, synset.offset) for each in above):
                raise ReaderError(
                    f"{self.folder}: {synset.words[0][0]!r} ({synset.offset:08d}) is a hypernym of "
                    f"itself: the hierarchy has a cycle. {_REMEDY}"
                )
            # Each once: where ways up part and meet again, their number doubles.
            new = {(each.pos, each.offset): each for each in above}
            level = [each for key, each in new.items() if key not in steps]
            steps.update({(each.pos, each.offset): n for each in level})
        return steps

    def relations(self, first: Synset, second: Synset) -> dict[str, bool]:
        """Describe the relations between two senses.

        Parameters
        ----------
        first, second : Synset
            Senses of one part of speech.

        Returns
        -------
        dict of str to bool
            "same file": of one lexicographer's file; "synonyms": they share another word than
            the one in common; "hypernym": one is above the other; "sisters": they share a direct
            hypernym; "group": of one verb group; "similar": similar adjectives, or satellites of
            one head.
        """
        one, two = ((each.pos, each.offset) for each in (first, second))
        parents = [
            {(o.pos, o.offset) for o in self.related(each, _HYPERNYM)} for each in (first, second)
        ]
        near = [
            {(o.pos, o.offset) for o in self.related(each, ("&",))} | {key}
            for each, key in ((first, one), (second, two))
        ]
        words = {word for word, _ in first.words} & {word for word, _ in second.words}
        return {
            "same file": first.lex_file == second.lex_file,
            "synonyms": len(words) > 1,
            "hypernym": two in self.ancestors(first) or one in self.ancestors(second),
            "sisters": bool(parents[0] & parents[1]),
            "group": two in {(o.pos, o.offset) for o in self.related(first, ("$",))},
            "similar": first.pos == "a" and bool(near[0] & near[1]),
        }

    @cached_property
    def n_synsets(self) -> int:
        """The number of synsets."""
        return sum(map(len, self.lines.values()))


def has_wordnet(folder: str | Path) -> bool:
    """Return whether a folder has WordNet's database files.

    Parameters
    ----------
    folder : path
        Such as where a package puts them.

    Returns
    -------
    bool
        True if all of the eight files are there.
    """
    return all(
        (Path(folder) / f"{kind}.{name}").is_file()
        for name in POS.values()
        for kind in ("data", "index")
    )


def read_wordnet(folder: str | Path, *, parts: str = "nva") -> WordNet:
    """Read WordNet's database files.

    Parameters
    ----------
    folder : path
        With ``data.*`` and ``index.*``.
    parts : str, default "nva"
        The parts of speech to read.

    Returns
    -------
    WordNet
        The WordNet. Reading nouns, verbs and adjectives takes half a second; synsets are parsed on
        demand.

    Raises
    ------
    ReaderError
        Naming file and line: a file is missing, or a line is malformed; or there is no such
        part of speech.
    """
    unknown = sorted(set(parts) - set(POS))
    if unknown:
        raise ReaderError(
            f"read_wordnet: {unknown[0]!r} in parts is no part of speech. Give letters of "
            f"{''.join(POS)}."
        )
    home = Path(folder)
    lines, entries = {}, {}
    for pos in parts:
        lines[pos] = _read_data(home / f"data.{POS[pos]}")
        entries[pos] = _read_index(home / f"index.{POS[pos]}", lines[pos])
    return WordNet(home, lines, entries)


def _text(path: Path) -> list[str]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ReaderError(f"{path}: can't be read ({error.strerror}). {_REMEDY}") from error
    # Every byte is a character, so that nothing in a gloss can stop the reader.
    return content.decode("latin-1").split("\n")


def _read_data(path: Path) -> dict[int, tuple[int, str]]:
    found = {}
    for number, line in enumerate(_text(path), start=1):
        if line.startswith("  ") or not line:
            continue  # the licence at the top
        if not (line[:8].isdecimal() and line[8:9] == " "):
            raise ReaderError(f"{path}, line {number}: does not begin with an offset. {_REMEDY}")
        found[int(line[:8])] = number, line
    return found


def _read_index(path: Path, known: dict[int, tuple[int, str]]) -> dict[str, tuple[int, ...]]:
    found = {}
    for number, line in enumerate(_text(path), start=1):
        if line.startswith("  ") or not line:
            continue
        fields = line.split()
        try:
            offsets = tuple(int(field) for field in fields[-int(fields[2]) :])
        except (ValueError, IndexError):
            raise ReaderError(f"{path}, line {number}: no entry of a word. {_REMEDY}") from None
        lost = [offset for offset in offsets if offset not in known]
        if lost:
            raise ReaderError(
                f"{path}, line {number}: {fields[0]!r} points to {lost[0]:08d}, which is no "
                f"synset. {_REMEDY}"
            )
        found[fields[0]] = offsets
    return found


def _parse_synset(path: Path, pos: str, number: int, line: str) -> Synset:
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    try:
        n_words = int(fields[3], 16)
        at = 4 + 2 * n_words
        words = tuple((_lemma(fields[n]), int(fields[n + 1], 16)) for n in range(4, at, 2))
        pointers = tuple(
            Pointer(fields[n], "a" if fields[n + 2] == "s" else fields[n + 2], int(fields[n + 1]))
            for n in range(at + 1, at + 1 + 4 * int(fields[at]), 4)
        )
        lex_file = LEX_FILES[int(fields[1])]
        kind = _DIGIT[fields[2]]
        if not words:
            raise ValueError
    except (ValueError, IndexError, KeyError):
        raise ReaderError(f"{path}, line {number}: no set of synonyms. {_REMEDY}") from None
    return Synset(
        pos, int(fields[0]), lex_file, words, pointers, kind == _DIGIT["s"], gloss.strip()
    )


def _lemma(word: str) -> str:
    """Write a word as an index has it, without the marker of an adjective's place."""
    return re.sub(r"\((?:a|p|ip)\)$", "", word).lower().replace(" ", "_")
