"""A row per label, in a workbook or a data set; as a text file it is what `read_labels` reads."""

from __future__ import annotations

from annobench.core.errors import ReaderError
from annobench.io.formats.base import Intake
from annobench.io.formats.tables import (
    ANNOTATOR_NAMES,
    GOLD_NAMES,
    ITEM_NAMES,
    Layout,
    Table,
    as_list,
    as_text,
    push_text,
    scalar,
)
from annobench.labels.columns import USUAL_NAMES, named_columns

_LABEL_NAMES = USUAL_NAMES["label"]


def _recognise(table: Table) -> str | None:
    """Return the variant if the three columns are there."""
    return None if _roles(table) is None else "a row per label"


def _roles(table: Table) -> tuple[str, str, str] | None:
    item, annotator = table.column(ITEM_NAMES), table.column(ANNOTATOR_NAMES)
    label = table.column(_LABEL_NAMES)
    if item is None or annotator is None or label is None:
        return None
    return item, annotator, label


def _read(table: Table, intake: Intake) -> None:
    """Push the label of every row."""
    roles = _roles(table)
    if roles is None:
        raise ReaderError(
            f"{table.path}: no columns of items, annotators and labels. Name them item, annotator "
            f"and label. The columns are {named_columns(table.header)}."
        )
    item, annotator, label = roles
    gold, shown_first = table.column(GOLD_NAMES), intake.options.shown_first
    over = intake.options.over
    if over is not None and over not in table.header:
        raise ReaderError(
            f"{table.path}: no column is called {over!r}, as --over asks. The columns are "
            f"{named_columns(table.header)}."
        )
    for where, row in table.rows(False):
        intake.read()
        names = as_text(row[item]), as_text(row[annotator])
        if not all(names):
            reason = "empty rows" if not any(row.values()) else "rows without item or annotator"
            intake.leave_out(where, reason)
            continue
        push_text(table, intake, names[0], row)
        intake.at(None if over is None else as_text(row[over]), over or "")
        if gold and row[gold]:
            intake.gold(names[0], label, as_text(row[gold]))
        options = as_list(row[label])
        given = row[label] if options is None else tuple(map(scalar, options))
        first = None if shown_first is None else as_text(row[shown_first])
        intake.answer(*names, label, given or None, where=where, first=first)


LAYOUT = Layout(
    name="plain",
    title="a row per label",
    note="Columns of items, annotators and labels, by their usual names.",
    recognise=_recognise,
    read=_read,
)
