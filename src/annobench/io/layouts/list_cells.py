"""One row per item, with lists in cells: who annotated it, and what each answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annobench.core.errors import ReaderError
from annobench.core.names import MadeName
from annobench.io.formats.base import Intake
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import (
    GOLD_NAMES,
    ITEM_NAMES,
    Layout,
    Table,
    as_cell,
    as_list,
    as_text,
    is_category,
    plain_name,
    push_text,
    row_name,
    scalar,
)
from annobench.io.layouts._said import listed

#: What lists of labels are called, where nothing says who gave them.
_LISTS = frozenset(
    {"labels", "annotations", "annotator_labels", "answers", "votes", "ratings", "judgments"}
    | {"judgements", "responses", "individual_labels", "raw_labels", "human_labels", "scores"}
)
_WHO = ("annotator", "worker", "rater", "coder", "judge", "labeler", "user")


def _recognise(table: Table) -> str | None:
    """Return the variant: a list of annotators, and lists of answers as long."""
    annotators, answers = _columns(table)
    if annotators is None:
        answers = [name for name in answers if plain_name(name) in _LISTS]
    by = "unknown annotators" if annotators is None else annotators
    return f"{', '.join(answers)} by {by}" if answers else None


def _columns(table: Table) -> tuple[str | None, list[str]]:
    """Return the column of the annotators, if they are named, and those of their answers."""
    preview = [
        {name: as_list(cell) for name, cell in row.items() if cell != ""} for row in table.preview
    ]
    lists = [
        name
        for name in table.header
        if any(name in row for row in preview)
        and all(row.get(name, []) is not None for row in preview)
    ]
    annotators = next((name for name in lists if _says_who(name)), None)
    if annotators is None:
        short = [n for n in lists if all(map(_is_of_labels, (row.get(n) or () for row in preview)))]
        return None, short
    answers = [
        name
        for name in lists
        if not _says_who(name)
        and all(len(row.get(name) or ()) == len(row.get(annotators) or ()) for row in preview)
    ]
    return annotators, answers


def _said(item: str | None, annotators: str | None, answers: Sequence[str]) -> str:
    """Say what each column was taken for."""
    named = "not named" if item is None else f"named by {item!r}"
    who = "unknown" if annotators is None else f"in {annotators!r}"
    return f"A row is an item, {named}; annotators: {who}; answers: {listed(answers)}."


def _is_of_labels(found: Sequence[Any]) -> bool:
    """Return whether a list may hold a label of each annotator, and no texts or records."""
    return all(
        is_category(as_text(as_cell(label))) and not isinstance(label, dict) for label in found
    )


def _says_who(name: str) -> bool:
    return any(word in plain_name(name) for word in _WHO)


def _read(table: Table, intake: Intake) -> None:
    """Push the answers of every row."""
    annotators, answers = _columns(table)
    if not answers:
        raise ReaderError(
            f"{table.path}: no column of lists of labels, or none as long as that of lists of "
            'annotators. Write the labels of an item as ["yes", "no"], and call the column of '
            "who gave them annotators."
        )
    intake.anonymous = annotators is None
    # An index that was written without a name
    item = intake.options.item or table.column((*ITEM_NAMES, ""))
    gold = table.column(GOLD_NAMES)
    intake.read_as = _said(item, annotators, answers)
    for where, row in table.rows(False):
        intake.read()
        name = as_text(row[item]) if item is not None else row_name(table, where)
        lists = {question: as_list(row[question]) for question in answers}
        if annotators is None:
            longest = max((len(found or ()) for found in lists.values()), default=0)
            who = [MadeName(str(n)) for n in range(1, longest + 1)]
        else:
            who = as_list(row[annotators]) or []
        if not who:
            intake.leave_out(where, "rows without annotators")
            continue
        wrong = next(
            (q for q, found in lists.items() if annotators and len(found or []) != len(who)), None
        )
        if wrong is not None:
            n = len(lists[wrong] or [])
            intake.fault(where, f"{n} answers in {wrong!r} by {len(who)} annotators")
            continue
        push_text(table, intake, name, row)
        for question, found in lists.items():
            if gold and row[gold] and len(answers) == 1:
                intake.gold(name, question, as_text(row[gold]))
            for annotator, label in zip(who, found or [], strict=annotators is not None):
                by = annotator if isinstance(annotator, MadeName) else scalar(annotator)
                intake.answer(name, by, question, _label(label), where=where)


def _label(value: Any) -> str | tuple[str, ...] | None:
    if isinstance(value, list):
        return tuple(map(scalar, value)) or None
    return scalar(value) or None


LAYOUT = Layout(
    name="list_cells",
    title="lists in cells",
    note=(
        "A row is an item, one cell lists its annotators and others list their answers in the "
        "same order; a list inside such a list holds several options."
    ),
    recognise=_recognise,
    read=_read,
    kind="wide",
)
FORMAT = as_format(LAYOUT)
