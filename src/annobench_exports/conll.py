"""CoNLL and BIO columns: one token per line, its tag in the last column; one file per annotator.

Tags of the schemes BIO, BIOES and BILOU are spans as well, in the text of the tokens with a blank
between them and a line for each sentence.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from annobench.core.names import MadeName, Name
from annobench.io.formats.base import ExportFormat, Intake, Source, Span
from annobench_exports._texts import (
    alike,
    annotator_and_document,
    head_lines,
    lines_of,
    of_folder,
)
from annobench_exports.inception import is_tsv

QUESTION, LAYER = "tag", "spans"

_BEGINS_DOCUMENT = "-DOCSTART-"

#: A tag of a token in or outside a span.
_TAG = re.compile(r"[BIESLUM]-\S.*|O")
_NUMBER = re.compile(r"[+-]?[0-9.,]+")


class _Token(NamedTuple):
    """A token: where it is in its file, the numbers of document, sentence and token, its tag."""

    line: int
    document: int
    sentence: int
    number: int
    form: str
    tag: str

    def __str__(self) -> str:
        """Say which token it is."""
        return f"{self.form!r}, token {self.number} of sentence {self.sentence}"


class _File(NamedTuple):
    """The tokens of an annotator's file of a document."""

    place: str
    annotator: Name
    document: str
    tokens: list[_Token]


def _recognise(source: Source) -> str | None:
    """Return whether there is a file, or a folder, for each annotator."""
    if not source.is_folder:
        return "one annotator" if _fits(source) else None
    variants = [None, "one annotator", "a file per annotator"]
    return variants[min(2, len(of_folder(source, _fits)))]


def _fits(source: Source) -> bool:
    """Say whether all lines have the columns of a token, and the last ones are tags."""
    lines = [line.strip(" \r") for line in head_lines(source)]
    rows = [_columns(line) for line in lines if not _is_aside(line)]
    tags = [row[-1] for row in rows if row]
    widths = {len(row) for row in rows if row}
    if is_tsv(source.head) or len(widths) != 1 or min(widths) < 2:
        return False
    if "" in tags or all(map(_TAG.fullmatch, tags)):
        return any(tags) and all(map(_TAG.fullmatch, filter(None, tags)))
    # Other tags are known by sentences, by a first line that is no header, and as few.
    sentences = "".join(" x"[len(row) > 0] for row in rows).split()
    few = tags[0] in tags[1:] and 1 < len(set(tags)) < len({row[0] for row in rows if row})
    return len(sentences) > 1 and few and not all(map(_NUMBER.fullmatch, tags))


def _is_aside(line: str) -> bool:
    return line.startswith(("#", _BEGINS_DOCUMENT))


def _columns(line: str) -> list[str]:
    parts = line.split("\t" if "\t" in line else " ")
    return parts if "\t" in line else [part for part in parts if part]


def _read(source: Source, intake: Intake) -> None:
    """Push the tag of every token, and the spans if all tags are of a scheme of spans."""
    paths, files = alike(source, _fits) or list(source.files), []
    for path in paths:
        place = str(path.relative_to(source.path)) if source.is_folder else ""
        intake.begin(place, "line")
        annotator, document = annotator_and_document(path, source, paths)
        files.append(_File(place, annotator, document, _parse(path, intake)))
    _check_tokens(files, intake)
    tags = {token.tag for file in files for token in file.tokens}
    marks_spans = all(map(_TAG.fullmatch, tags)) and tags != {"O"}
    documents = {(file.document, token.document) for file in files for token in file.tokens}
    several = {name for name, number in documents if number > 1}
    for file in files:
        intake.begin(file.place, "line")
        for number, tokens in groupby(file.tokens, key=lambda token: token.document):
            short = f"{file.document} {number}" if file.document in several else file.document
            name = MadeName(short, json.dumps([file.document, number]))
            _push(list(tokens), name, file.annotator, len(documents) == 1, marks_spans, intake)
    if source.is_folder:
        intake.leave_out_others(source)


def _parse(path: Path, intake: Intake) -> list[_Token]:
    """Read the tokens of a file; count its comments as left out."""
    lines = [(where, line, _columns(line)) for where, line in lines_of(path)]
    rows = [row for _, line, row in lines if line.strip() and not _is_aside(line)]
    tags = {row[-1] for row in rows}
    width = max(2, Counter(map(len, rows)).most_common(1)[0][0] if rows else 0)
    tokens: list[_Token] = []
    document, sentence, number = 1, 1, 0
    for where, line, row in lines:
        # A token may be a hash sign itself.
        is_token = len(row) == width and ("\t" in line or row[-1] in tags)
        if not line.strip():
            sentence, number = sentence + (number > 0), 0
            continue
        intake.read()
        if line.startswith(_BEGINS_DOCUMENT):
            intake.leave_out(where, "lines that begin a document")
            is_next = bool(tokens) and tokens[-1].document == document
            document, sentence, number = document + is_next, 1, 0
        elif line.startswith("#") and not is_token:
            intake.leave_out(where, "comments")
        elif len(row) != width:
            intake.fault(where, f"{len(row)} columns, not {width} as in most lines")
        elif not (form := row[width > 2 and row[0].isdecimal()].strip()):
            intake.fault(where, "a tag without a token")
        else:
            number += 1
            tokens.append(_Token(where, document, sentence, number, form, row[-1].strip()))
    return tokens


def _check_tokens(files: list[_File], intake: Intake) -> None:
    """Note where the tokens of a file begin to differ from those of the first of its document."""
    first: dict[str, _File] = {}
    for file in files:
        other = first.setdefault(file.document, file)
        intake.begin(file.place, "line")
        pairs = zip(file.tokens, other.tokens, strict=False)
        differ = next(((a, b) for a, b in pairs if a[1:5] != b[1:5]), None)
        if differ is not None:
            token, its = differ
            intake.fault(token.line, f"{token}, where {other.place}, line {its.line}, has {its}")
        elif len(file.tokens) != len(other.tokens):
            intake.fault(
                file.tokens[-1].line if file.tokens else 1,
                f"ends after {len(file.tokens):,} tokens, where {other.place} has "
                f"{len(other.tokens):,}",
            )


def _push(
    tokens: list[_Token],
    document: MadeName,
    annotator: Name,
    is_one: bool,
    marks_spans: bool,
    intake: Intake,
) -> None:
    """Push the tags of a document, and its spans."""
    for token in tokens:
        place = f"sentence {token.sentence}, token {token.number}"
        long = json.dumps([document.long, token.sentence, token.number])
        item = MadeName(place if is_one else f"{document.short}, {place}", long)
        intake.text(item, token.form)
        intake.answer(item, annotator, QUESTION, token.tag or None, where=token.line)
    if marks_spans:
        text, spans = _spans(tokens)
        intake.document(document, text)
        intake.marks(document, annotator, LAYER, spans, where=tokens[-1].line)


def _spans(tokens: list[_Token]) -> tuple[str, list[Span]]:
    """Return the text of a document's tokens, and the spans that their tags make."""
    text = ""
    spans: list[Span] = []
    is_open = False
    for token in tokens:
        text += ("\n" if token.number == 1 else " ") if text else ""
        start, text = len(text), text + token.form
        position, _, label = token.tag.partition("-")
        goes_on = is_open and token.number > 1 and label == spans[-1].label
        if position in "IEML" and goes_on:
            spans[-1] = spans[-1]._replace(end=len(text))
        elif label:
            spans.append(Span(start, len(text), label))
        is_open = position in "BIM"
    return text, spans


FORMAT = ExportFormat(
    name="conll",
    title="CoNLL columns",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a token, an annotator is a file, a label is the tag in the last column; tags "
        "such as B-PER and I-PER are spans as well."
    ),
)
