"""One row per item, one column per annotator."""

from __future__ import annotations

from collections.abc import Hashable

from annobench.core.errors import ReaderError
from annobench.io.formats.base import Intake
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import (
    ANNOTATOR_NAMES,
    GOLD_NAMES,
    ITEM_NAMES,
    TEXT_NAMES,
    Layout,
    Table,
    as_text,
    is_category,
    push_text,
    row_name,
)
from annobench.labels.columns import plain_name
from annobench.labels.item_column import find_item_column, names_annotator, said_of_counts

#: More distinct values than this are no categories, but texts or amounts.
_MAX_CATEGORIES = 50

#: What the columns answer, as they don't say it.
QUESTION = "label"


def _recognise(table: Table) -> str | None:
    """Return the variant: at least two columns whose names are those of numbered annotators."""
    if table.column(ANNOTATOR_NAMES) is not None:
        return None
    found = [name for name in _candidates(table) if names_annotator(name)]
    preview = table.preview
    values = {row[name] for row in preview for name in found} - {""}
    if len(found) < 2 or not values or len(values) > _MAX_CATEGORIES:
        return None
    return f"{len(found)} annotators"


def _candidates(table: Table) -> list[str]:
    """Return the columns that may hold categories and are not those of items or texts."""
    return [
        name
        for name in _open_columns(table)
        if name not in {_item(table), ""} and _is_of_categories(table, name)
    ]


def _open_columns(table: Table) -> list[str]:
    """Return the columns that are not those of texts."""
    return [name for name in table.header if plain_name(name) not in TEXT_NAMES]


def _is_of_categories(table: Table, name: str) -> bool:
    return all(name in row and is_category(row[name]) for row in table.preview)


def _item(table: Table) -> str | None:
    return table.column((*ITEM_NAMES, *TEXT_NAMES))


def _roles(table: Table, intake: Intake) -> tuple[str | None, list[str]]:
    """Return the column of the items, if there is one, and those of the annotators."""
    columns = _open_columns(table)
    numbered = [name for name in _candidates(table) if names_annotator(name)]
    preview = table.preview
    cells = {name: [as_text(row.get(name, "")) for row in preview] for name in columns}
    found = find_item_column(cells, intake.options.item)
    known = {found.name, *found.idle, *found.resolved}
    if len(numbered) > 1:
        annotators = [name for name in numbered if name not in known]
        _note_unused(table, intake, annotators, known)
    else:
        others = (name for name in columns if name not in known)
        annotators = [name for name in others if _is_of_categories(table, name)]
        doubt = found.doubt or said_of_counts({name: cells[name] for name in annotators})
        if doubt:
            raise ReaderError(f"{table.path}: {doubt}")
    intake.notes += found.notes
    return table.column(TEXT_NAMES) if found.name is None else str(found.name), annotators


def _note_unused(table: Table, intake: Intake, annotators: list[str], known: set[Hashable]) -> None:
    """Name the columns that look like those of annotators, but for their names."""
    categories = {row[name] for row in table.preview for name in annotators} - {""}
    unused = [
        name
        for name in _candidates(table)
        if name not in {*annotators, *known}
        and ({row[name] for row in table.preview} - {""}) & categories
    ]
    if unused:
        intake.notes.append(
            f"The annotators are {', '.join(map(repr, annotators[:10]))}, by their names. "
            f"{', '.join(map(repr, unused[:10]))} hold the same labels and were not used. If they "
            "are annotators, too, name their columns likewise: annotator_1, annotator_2, ..."
        )


def _read(table: Table, intake: Intake) -> None:
    """Push the labels of every row; columns with other names only if none has such a name."""
    item, annotators = _roles(table, intake)
    if len(annotators) < 2:
        raise ReaderError(
            f"{table.path}: fewer than two columns of annotators. Give a column to every annotator."
        )
    gold = table.column(GOLD_NAMES)
    # Of one annotator beside gold both are compared.
    gold = None if gold in annotators else gold
    known = {*annotators, item, gold}
    for column in table.header:
        if column not in known and names_annotator(column):
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
    title="a column per annotator",
    note=(
        "A row is an item and a column per annotator, recognised by names such as annotator_1; an "
        "empty cell means that the annotator did not label the item."
    ),
    recognise=_recognise,
    read=_read,
    kind="wide",
)
FORMAT = as_format(LAYOUT)
