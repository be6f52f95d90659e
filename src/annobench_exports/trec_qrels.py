"""Relevance judgements of TREC: a line a judgement, `query 0 document grade`, without a header.

A file is one assessor: the format has no place for a name.
"""

from __future__ import annotations

import re

from annobench.core.names import joined
from annobench.core.numbers import plain_number
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench_exports._parts import as_number, named_by_file
from annobench_exports._texts import alike, head_lines, lines_of, of_folder

QUESTION = "relevance"

#: The second column numbers rounds of feedback; nobody has used it for decades.
_LINE = re.compile(r"\S+\s+(?:0|Q0)\s+\S+\s+[+-]?[0-9]{1,9}(?:\.[0-9]+)?")

_ALONE = (
    "One file is one assessor. To compare assessors, give a folder with a file for each of them."
)


def _recognise(source: Source) -> str | None:
    """Return whether there is a file for each assessor."""
    if not source.is_folder:
        return "one assessor" if _fits(source) else None
    variants = [None, "one assessor", "a file per assessor"]
    return variants[min(2, len(of_folder(source, _fits)))]


def _fits(source: Source) -> bool:
    lines = [line.strip() for line in head_lines(source) if line.strip()]
    return bool(lines) and all(map(_LINE.fullmatch, lines))


def _read(source: Source, intake: Intake) -> None:
    """Push the grades of every file."""
    files = alike(source, _fits) or list(source.files)
    grades: set[float] = set()
    for path in files:
        intake.begin(path.relative_to(source.path) if source.is_folder else "", "line")
        for where, line in lines_of(path):
            parts = line.split()
            if not parts:
                continue
            intake.read()
            grade = as_number(parts[-1])
            if len(parts) != 4 or grade is None:
                intake.fault(where, f"{line[:60]!r} is not 'query 0 document grade'")
                continue
            item = joined((parts[0], parts[2]), " / ")
            intake.answer(item, named_by_file(path, intake.path), QUESTION, grade, where=where)
            grades.add(grade)
    intake.question(QUESTION, "choice", map(plain_number, sorted(grades)))
    intake.notes += [_ALONE] if len(files) == 1 else []
    if source.is_folder:
        intake.leave_out_others(source)


FORMAT = ExportFormat(
    name="trec_qrels",
    title="TREC qrels",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a query with a document, an annotator is a file, a label is the grade of "
        "relevance."
    ),
)
