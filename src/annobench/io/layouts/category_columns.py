"""One row per annotator and item, with a 0/1 column per category, as in GoEmotions."""

from __future__ import annotations

from annobench.core.errors import ReaderError
from annobench.io.formats.base import Intake
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import (
    ANNOTATOR_NAMES,
    ITEM_NAMES,
    TEXT_NAMES,
    Layout,
    Table,
    push_text,
)
from annobench.labels.columns import USUAL_NAMES

_MARKS = {"0": False, "1": True, "0.0": False, "1.0": True, "": False}
_WORDS = {"false": False, "true": True}

#: The question that the columns of 0 and 1 together answer.
QUESTION = "categories"


def _recognise(table: Table) -> str | None:
    """Return the variant: items, annotators, no column of labels, and columns of 0 and 1."""
    item, annotator = _names(table)
    if item is None or annotator is None or table.column(USUAL_NAMES["label"]) is not None:
        return None
    found = _categories(table)
    return f"{len(found)} categories" if len(found) > 1 else None


def _names(table: Table) -> tuple[str | None, str | None]:
    return table.column((*ITEM_NAMES, *TEXT_NAMES)), table.column(ANNOTATOR_NAMES)


def _categories(table: Table) -> list[str]:
    """Return the columns of 0 and 1 in the first rows; a column of one of them only counts too."""
    preview = table.preview
    found = [
        name
        for name in table.header
        if name not in _names(table)
        and all(isinstance(row[name], str) and row[name] in _MARKS for row in preview)
        and any(row[name] for row in preview)
    ]
    # Columns that happen to be empty of ones are no categories if there is not a single 1.
    return found if any(_MARKS[row[name]] for row in preview for name in found) else []


def _read(table: Table, intake: Intake) -> None:
    """Push the categories of every row, and columns of true and false as questions of their own."""
    item, annotator = _names(table)
    item = intake.options.item or item
    categories = [name for name in _categories(table) if name != item]
    if item is None or annotator is None or not categories:
        raise ReaderError(
            f"{table.path}: no columns of items and annotators beside columns of 0 and 1. Name "
            "them item and annotator."
        )
    flags = _flags(table)
    intake.question(QUESTION, "choices", categories)
    for where, row in table.rows(False):
        intake.read()
        if not row[item] or not row[annotator]:
            intake.leave_out(where, "rows without item or annotator")
            continue
        strange = next((name for name in categories if row[name] not in _MARKS), None)
        if strange is not None:
            intake.fault(where, f"{row[strange]!r} in the column {strange!r} of 0 and 1")
            continue
        push_text(table, intake, row[item], row)
        chosen = tuple(name for name in categories if _MARKS[row[name]])
        intake.answer(row[item], row[annotator], QUESTION, chosen or None, where=where)
        for name in flags:
            intake.answer(row[item], row[annotator], name, row[name].casefold(), where=where)


def _flags(table: Table) -> list[str]:
    preview = table.preview
    return [
        name
        for name in table.header
        if preview
        and all(isinstance(row[name], str) and row[name].casefold() in _WORDS for row in preview)
    ]


LAYOUT = Layout(
    name="category_columns",
    title="a column per category",
    note=(
        "A row is one annotator's answer on one item; the columns of 0 and 1 are the options of "
        f"the question {QUESTION!r}, columns of true and false are questions of their own."
    ),
    recognise=_recognise,
    read=_read,
    kind="wide",
)
FORMAT = as_format(LAYOUT)
