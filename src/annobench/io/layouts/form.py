"""One row per annotator, one column per item, as in forms and surveys."""

from __future__ import annotations

import re
from typing import Any

from annobench.core.errors import ReaderError
from annobench.core.names import MadeName, Name
from annobench.io.formats.base import Intake
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import Layout, Table, as_text, listed_columns
from annobench.io.layouts._forms import PERSONAL_NAMES, Form, find_form, is_form
from annobench.io.layouts._last_rows import LastRows
from annobench.io.layouts._said import listed, with_reasons
from annobench.labels.columns import plain_name
from annobench.labels.item_column import resolved_columns

#: What the columns answer, as they don't say it.
QUESTION = "label"

#: A question with a row of a grid in brackets, as forms name such columns.
_IN_GRID = re.compile(r"(?P<question>.*\S)\s*\[(?P<item>[^\[\]]+)\]\s*")

_PREVIEWS = {"survey preview", "survey test", "spam", "preview", "test"}
_NO = {"false", "0", "no"}


def _recognise(table: Table) -> str | None:
    """Return the variant: who filled a form in, and columns that share their answers."""
    if not is_form(table):
        return None
    return f"{len(find_form(table).items)} items"


def _read(table: Table, intake: Intake) -> None:
    """Push the labels of every row."""
    asked = intake.options
    form = find_form(table, asked.annotator, listed_columns(asked.item, table.header))
    if len(form.items) < 1:
        raise ReaderError(
            f"{table.path}: no column holds answers of annotators. Name the columns "
            "that are items with --item, separated by commas."
        )
    places = _places(form.items)
    personal = form.who is not None and plain_name(form.who) in PERSONAL_NAMES
    texts: dict[str, Any] = {}
    intake.repeats_are = "An annotator has several rows, as of a form that was sent twice. "
    who = () if form.who is None else (form.who,)
    last = LastRows(who, form.items, table.preview, "annotator")
    resolved = resolved_columns([as_text(row[name]) for row in table.preview for name in who])
    for where, row in last.of_items(table.rows(False)):
        if any(as_text(row[name]) in resolved for name in who):
            intake.read()
            intake.leave_out(where, "rows of known or adjudicated labels")
            continue
        if where <= form.described:
            texts = texts or row
            intake.read()
            intake.leave_out(where, "rows that describe the columns")
            continue
        _push_row(table, intake, form, places, where, row, personal)
    last.leave_out(intake)
    if resolved:
        intake.notes.append(
            f"By their names {listed(map(str, resolved))} hold known or adjudicated labels, and "
            "were not taken for annotators. Give an annotator another name if it is one."
        )
    for column, (item, _) in places.items():
        if texts.get(column) and as_text(texts[column]) != column:
            intake.text(item, as_text(texts[column]))
    named = "each row is another one" if form.who is None else f"named by {form.who or 'its key'!r}"
    said = [
        f"A row is an annotator, {named}",
        f"items: {listed(item for item, _ in places.values())}",
    ]
    said += [f"not used: {with_reasons(form.unused)}"] if form.unused else []
    intake.read_as = "; ".join(said) + "."
    if asked.format is None:
        intake.notes.append(
            "Rows were read as annotators and columns as items. If columns are annotators', name "
            "them with --annotators."
        )


def _places(columns: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Return the item and the question of each column."""
    found = {name: _IN_GRID.fullmatch(name) for name in columns}
    if all(found.values()):
        return {name: (m["item"], m["question"]) for name, m in found.items() if m}
    return {name: (name, QUESTION) for name in columns}


def _push_row(
    table: Table,
    intake: Intake,
    form: Form,
    places: dict[str, tuple[str, str]],
    where: int,
    row: dict[str, Any],
    personal: bool,
) -> None:
    intake.read()
    by_name = {plain_name(name): as_text(cell).strip().casefold() for name, cell in row.items()}
    if {by_name.get("status", ""), by_name.get("distributionchannel", "")} & _PREVIEWS:
        intake.leave_out(where, "previews and tests of the form")
        return
    annotator: Name = MadeName(f"row {where}")
    if form.who is not None:
        annotator = as_text(row[form.who])
    given = {column: as_text(row[column]) for column in places if row[column] != ""}
    if not annotator or not given:
        reason = "rows without an answer" if annotator else "rows without an annotator"
        intake.leave_out(where, reason)
        return
    if by_name.get("finished") in _NO:
        intake.leave_out(where, "rows of people who did not finish")
        return
    for column, label in given.items():
        item, question = places[column]
        intake.answer(item, annotator, question, label, where=where, personal=personal)


LAYOUT = Layout(
    name="form",
    title="a row per annotator",
    note=(
        "Rows are annotators and columns are items, as in forms and surveys; an empty cell means "
        "that the annotator did not label the item."
    ),
    recognise=_recognise,
    read=_read,
    kind="wide",
    records=True,
)
FORMAT = as_format(LAYOUT)
