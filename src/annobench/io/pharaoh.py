"""Word alignments in the Pharaoh format: a line a sentence pair, a token a link.

``0-0 1-2 3?4`` links word 0 to word 0, word 1 to word 2, and, as a possible link, word 3 to word
4. A sure link has a hyphen; a possible one has ``?`` or ``p``, whichever the writer prefers. An
empty line is a pair without a link. Sure links become exact ones, possible links fuzzy ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from annobench.alignment.links import Alignments, Link, SentencePair
from annobench.core.errors import AnnotationError, ReaderError, report_faults
from annobench.core.files import replacing

_TOKEN: Final = re.compile(r"([0-9]{1,6})([-?p])([0-9]{1,6})")
#: No other sign parts words: a sentence may hold no-break spaces, as before a French colon.
_WORD: Final = re.compile(r"[^ \t\r]+")
#: More words than this in all, and for each link, are a mistake or an attempt to fill the memory.
_MANY: Final = 1_000_000
_MANY_A_LINK: Final = 100
_STRENGTH: Final = {"-": "exact", "?": "fuzzy", "p": "fuzzy"}
_REMEDY: Final = (
    "Write each link as source-target, or source?target for a possible one, with the number of "
    "its words; say with first_index whether they are counted from 0 or from 1."
)


def read_pharaoh(
    paths: Mapping[str, str | Path],
    *,
    source: str | Path | None = None,
    target: str | Path | None = None,
    first_index: int = 0,
) -> Alignments:
    """Read the word links of annotators, one file each.

    Parameters
    ----------
    paths : mapping of str to path
        The file of each annotator; all have a line for the same sentence pairs.
    source, target : path, optional
        The sentences, one a line, words separated by spaces; both or neither. Without them a
        sentence is taken to end with the last word that anybody linked, which makes the
        universe of links too small: kappa then says little.
    first_index : {0, 1}, default 0
        The number of the first word.

    Returns
    -------
    Alignments
        Pairs are named by their line, from "1"; nodes by the number of the word, from "0".

    Raises
    ------
    ReaderError
        Naming file and line: no link, a link outside its sentence or drawn twice, files of
        different length, text that is not UTF-8, or, without sentences, words by the
        million of which hardly any is linked.
    AnnotationError
        If no file is given, one of source and target is, or first_index is another.
    """
    if not paths:
        raise AnnotationError("read_pharaoh: there is no file. Give one for each annotator.")
    if (source is None) != (target is None):
        raise AnnotationError("read_pharaoh: give both source and target, or neither.")
    if first_index not in (0, 1):
        raise AnnotationError(f"read_pharaoh: first_index is {first_index!r}. Give 0 or 1.")
    files = {annotator: Path(path) for annotator, path in paths.items()}
    tokens = {
        annotator: _links(path, _lines(path), first_index) for annotator, path in files.items()
    }
    sides = [Path(path) for path in (source, target) if path is not None]
    lengths = [[len(_WORD.findall(line)) for line in _lines(path)] for path in sides]
    _check_lengths(
        [(path, len(tokens[annotator])) for annotator, path in files.items()]
        + [(path, len(side)) for path, side in zip(sides, lengths, strict=True)]
    )
    if lengths:
        for annotator, path in files.items():
            _check_inside(path, tokens[annotator], lengths, first_index)
    else:
        lengths = _shortest(list(tokens.values()))
        n_words = sum(map(sum, lengths))
        n_links = sum(len(row) for rows in tokens.values() for row in rows)
        if n_words > max(_MANY, _MANY_A_LINK * n_links):
            raise ReaderError(
                f"{next(iter(files.values()))}: {n_links:,} links need sentences of {n_words:,} "
                "words in all. Correct the numbers of words, or give the sentences with source "
                "and target."
            )
    pairs = [
        SentencePair.of_words(str(line), n, m)
        for line, (n, m) in enumerate(zip(*lengths, strict=True), start=1)
    ]
    return Alignments.from_links(
        pairs,
        {
            annotator: [
                Link(str(line), str(i), str(j), strength)
                for line, row in enumerate(rows, start=1)
                for i, j, strength in row
            ]
            for annotator, rows in tokens.items()
        },
    )


def write_pharaoh(
    alignments: Alignments, annotator: str, path: str | Path, *, possible: str = "?"
) -> None:
    """Write the links of one annotator, words counted from 0.

    Parameters
    ----------
    alignments : Alignments
        Of words named by their numbers, such as `read_pharaoh` returns.
    annotator : str
        Whose.
    path : path
        The file to write, whole or not at all.
    possible : {"?", "p"}, default "?"
        The sign of a fuzzy link.

    Raises
    ------
    AnnotationError
        If a node is no number, the annotator is unknown, or the sign is another.
    """
    if possible not in ("?", "p"):
        raise AnnotationError(f"write_pharaoh: possible is {possible!r}. Give '?' or 'p'.")
    sign = {1: "-", 2: possible}
    rows: list[list[tuple[int, int, str]]] = [[] for _ in alignments.pairs]
    codes = alignments.drawn[:, alignments.column(annotator)]
    for p, link, code in zip(alignments.pair, alignments.links, codes, strict=True):
        if not code:
            continue
        if not (link.source.isdecimal() and link.target.isdecimal()):
            raise AnnotationError(
                f"write_pharaoh: pair {link.pair!r} links {link.source!r} to {link.target!r}. The "
                "format holds numbers of words alone; name the nodes so, or keep words with "
                "of_kind('word')."
            )
        rows[p].append((int(link.source), int(link.target), sign[int(code)]))
    lines = (" ".join(f"{i}{mark}{j}" for i, j, mark in sorted(row)) for row in rows)
    with replacing(path) as draft:
        draft.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


_Row = list[tuple[int, int, str]]


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ReaderError(f"{path}: can't be read ({error.strerror}). Check the path.") from error
    except UnicodeDecodeError as error:
        raise ReaderError(f"{path}, byte {error.start}: not UTF-8. Save it as UTF-8.") from error
    # Not splitlines: a sentence may hold one of the other signs that end a line.
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _links(path: Path, lines: Sequence[str], first_index: int) -> list[_Row]:
    rows: list[_Row] = []
    faults = []
    for number, line in enumerate(lines, start=1):
        row: dict[tuple[int, int], str] = {}
        for token in line.split():
            match = _TOKEN.fullmatch(token)
            if match is None:
                faults.append(f"line {number}: {token[:40]!r} is no link")
                continue
            place = int(match[1]) - first_index, int(match[3]) - first_index
            if min(place) < 0:
                faults.append(f"line {number}: {token!r} has a word 0, but words count from 1")
            elif place in row:
                faults.append(f"line {number}: {token!r} links words that are linked already")
            else:
                row[place] = _STRENGTH[match[2]]
        rows.append([(i, j, strength) for (i, j), strength in row.items()])
    report_faults(path, faults, _REMEDY)
    return rows


def _check_lengths(files: Sequence[tuple[Path, int]]) -> None:
    first, expected = files[0]
    for path, number in files[1:]:
        if number != expected:
            raise ReaderError(
                f"{path}: {number} lines, but {first} has {expected}. Give every file a line for "
                "each sentence pair, an empty one where nothing is linked."
            )


def _check_inside(
    path: Path, rows: Sequence[_Row], lengths: Sequence[Sequence[int]], first_index: int
) -> None:
    faults = [
        f"line {number}: link {i + first_index} to {j + first_index} leaves the sentence: there "
        f"are {n} source and {m} target words"
        for number, (row, n, m) in enumerate(zip(rows, *lengths, strict=True), start=1)
        for i, j, _ in row
        if i >= n or j >= m
    ]
    report_faults(path, faults, _REMEDY)


def _shortest(rows: Sequence[Sequence[_Row]]) -> list[list[int]]:
    """Return the numbers of words that the links at least need."""
    of_pair = [[link for row in every for link in row] for every in zip(*rows, strict=True)]
    return [
        [max((link[side] for link in links), default=-1) + 1 for links in of_pair]
        for side in (0, 1)
    ]
