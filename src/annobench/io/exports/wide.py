"""One row an item, one column an annotator."""

from __future__ import annotations

import re

from annobench.core.errors import ReaderError
from annobench.io.exports._tables import (
    ANNOTATOR_NAMES,
    GOLD_NAMES,
    ITEM_NAMES,
    TEXT_NAMES,
    Layout,
    Table,
    as_text,
    is_category,
    plain_name,
    push_text,
    row_name,
)
from annobench.io.exports.base import Intake

#: Names that say "annotator number so and so"; of the answers to several questions they would
#: not be numbered labels or ratings.
_NUMBERED = re.compile(
    r"(?:(?:label|rating|score|annotation|vote|class)s?_)?(?:by_)?"
    r"(?:(?:annotator|annot|ann|rater|coder|worker|judge|labell?er|expert|reviewer|turker|crowd"
    r"|assessor|grader|user|person|human)_?(?:\d+|[a-z])"
    r"|(?:label|rating|vote|annotation)_?\d+|[arcj]\d+)(?:_(?:label|rating|score|vote)s?)?"
)

#: More distinct values than this are no categories, but texts or amounts.
_MAX_CATEGORIES = 50

#: What the columns answer, as they don't say it.
QUESTION = "label"


def _recognise(table: Table) -> str | None:
    """Return the variant: at least two columns whose names are those of numbered annotators."""
    if table.column(ANNOTATOR_NAMES) is not None:
        return None
    found = [name for name in _candidates(table) if _NUMBERED.fullmatch(plain_name(name))]
    preview = table.preview
    values = {row[name] for row in preview for name in found} - {""}
    if len(found) < 2 or not values or len(values) > _MAX_CATEGORIES:
        return None
    return f"{len(found)} annotators"


def _candidates(table: Table) -> list[str]:
    """Return the columns that may hold categories and are not those of items, texts or gold."""
    preview = table.preview
    taken = {_item(table), table.column(GOLD_NAMES), ""}
    return [
        name
        for name in table.header
        if name not in taken
        and plain_name(name) not in TEXT_NAMES
        and all(name in row and is_category(row[name]) for row in preview)
    ]


def _item(table: Table) -> str | None:
    return table.column((*ITEM_NAMES, "", *TEXT_NAMES))


def _read(table: Table, intake: Intake) -> None:
    """Push the labels of every row; columns with other names only if none has such a name.

    Raises
    ------
    ReaderError
        If fewer than two columns may be those of annotators.
    """
    candidates = _candidates(table)
    annotators = [name for name in candidates if _NUMBERED.fullmatch(plain_name(name))]
    if len(annotators) < 2:
        annotators = candidates
    if len(annotators) < 2:
        raise ReaderError(
            f"{table.path}: fewer than two columns of annotators. Give a column to every annotator."
        )
    item, gold = _item(table), table.column(GOLD_NAMES)
    known = {*annotators, item, gold}
    for column in table.header:
        if column not in known and _NUMBERED.fullmatch(plain_name(column)):
            intake.read()
            intake.leave_out(1, "columns named as annotators that hold texts")
    for where, row in table.rows(False):
        intake.read()
        name = as_text(row[item]) if item is not None else row_name(table, where)
        given = {annotator: row[annotator] for annotator in annotators if row[annotator] != ""}
        if not name or not given:
            intake.leave_out(where, "rows without labels" if name else "rows without an item")
            continue
        push_text(table, intake, name, row)
        if gold is not None and row[gold]:
            intake.gold(name, QUESTION, as_text(row[gold]))
        for annotator, label in given.items():
            intake.answer(name, annotator, QUESTION, as_text(label), where=where)


LAYOUT = Layout(
    name="wide",
    title="a column an annotator",
    note=(
        "A row is an item and a column an annotator, recognised by names such as annotator_1; an "
        "empty cell means that the annotator did not label the item."
    ),
    recognise=_recognise,
    read=_read,
)
FORMAT = LAYOUT.as_format()
