"""Tables with one row per annotator: the columns of annotators and of items."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from annobench.io.formats.tables import (
    ANNOTATOR_NAMES,
    TEXT_NAMES,
    Table,
    as_text,
    is_category,
)
from annobench.io.layouts._said import listed
from annobench.labels.column_kinds import unlike_labels
from annobench.labels.columns import ITEM_NAMES, USUAL_NAMES, plain_name
from annobench.labels.item_column import is_short, names_annotator

#: What forms call the column that says who filled one in, the surest first.
_OF_FORMS = (
    *("email_address", "email", "e_mail", "e_mail_address", "responseid", "response_id"),
    *("respondent", "respondent_id", "record_id", "prolific_id", "prolific_pid", "assignmentid"),
)
WHO_NAMES = (*_OF_FORMS, *ANNOTATOR_NAMES)
#: Those that are people's names, where they are not addresses.
PERSONAL_NAMES = frozenset(
    {"email_address", "email", "e_mail", "e_mail_address", "name", "full_name", "your_name"}
    | {"username", "user_name"}
)
#: What people are asked about themselves.
_OF_PEOPLE = frozenset(
    {"gender", "sex", "age", "country", "nationality", "education", "occupation", "ethnicity"}
    | {"race", "degree", "consent", "native_language", "first_language", "name", "full_name"}
    | {"first_name", "last_name", "surname", "your_name", "username", "age_group", "profession"}
)
#: Columns of tools, which hold no answers.
_OF_TOOLS = re.compile(
    r"(?:redcap_\w+|.*_complete|.*_timestamp|collectorid|collector_id|score|total_score"
    r"|sc\d+|q_\w+|.*_(?:first_click|last_click|page_submit|click_count))"
)
_TIMES = (
    *("timestamp", "startdate", "start_date", "start_time", "completion_time", "submitted_at"),
    *("recordeddate", "date_created"),
)
_DESCRIBED = '"ImportId"'


@dataclass(frozen=True)
class Form:
    """Roles of the columns of a form.

    Attributes
    ----------
    who : str or None
        The column that names the annotator of a row; None where rows are numbered.
    items : tuple of str
        The columns that are items.
    unused : dict of str to str
        What the other columns hold.
    described : int
        Number of rows below the header that describe its columns.
    """

    who: str | None
    items: tuple[str, ...]
    unused: dict[str, str]
    described: int


def described_rows(table: Table) -> int:
    """Count the rows below the header that describe its columns, as Qualtrics writes them."""
    for n, row in enumerate(table.preview[:2], start=1):
        if any(_DESCRIBED in as_text(cell) for cell in row.values()):
            return n
    first = table.preview[:1]
    who = table.column(WHO_NAMES)
    if first and who is not None and first[0][who] == "" and any(first[0].values()):
        return int(all(row[who] != "" for row in table.preview[1:]))
    start = next((name for name in table.header if plain_name(name) in _TIMES), None)
    says_name = bool(first) and start is not None and plain_name(first[0][start]) in _TIMES
    return int(says_name)


def find_form(table: Table, who: str | None = None, items: tuple[str, ...] = ()) -> Form:
    """Assign roles to columns if rows are annotators."""
    skipped = described_rows(table)
    rows = table.preview[skipped:]
    if who is None:
        who = _who(table, rows, WHO_NAMES)
        # Without a name, or an item, as the outer keys of JSON.
        if who is None and "" in table.header:
            who = ""
        who = _who(table, rows, ("name", "full_name", "your_name")) if who is None else who
        if who is None and (name := table.column(ITEM_NAMES)) and not items:
            who = name
    cells = {
        name: [as_text(row.get(name, "")) for row in rows] for name in table.header if name != who
    }
    unused = unlike_labels(cells)
    for name, own in cells.items():
        plain = plain_name(name)
        if name in unused:
            continue
        if plain in _OF_PEOPLE:
            unused[name] = "about the annotator"
        elif _OF_TOOLS.fullmatch(plain) or plain in WHO_NAMES:
            unused[name] = "what a tool notes"
        elif plain in TEXT_NAMES or not all(map(is_category, own)):
            unused[name] = "texts"
        elif not any(own):
            unused[name] = "nothing"
    if items:
        unused = {name: unused.get(name, "") for name in cells if name not in items}
    chosen = items or tuple(name for name in cells if name not in unused)
    return Form(who, chosen, {str(name): what for name, what in unused.items()}, skipped)


def _who(table: Table, rows: list[dict[str, Any]], names: tuple[str, ...]) -> str | None:
    """Return the column that identifies annotators; "anonymous" in all rows does not."""
    by_name = {plain_name(name): name for name in reversed(table.header)}
    for name in names:
        given = {as_text(row.get(by_name.get(name, ""), "")) for row in rows}
        if name in by_name and (len(given) > 1 or len(rows) < 2):
            return by_name[name]
    return None


def is_form(table: Table) -> bool:
    """Return whether the columns show that rows are annotators.

    There is a column of addresses or names of annotators with another one in each row, or at least
    of times; no column names items or a judge of several rows, holds the labels of a table with a
    row per label, or is that of a numbered annotator; and two columns or more share their answers.
    Or the outer keys of objects are those of numbered annotators.
    """
    if "" in table.header:
        keys = [as_text(row[""]) for row in table.preview]
        return len(keys) > 1 and all(map(names_annotator, keys))
    if table.column((*USUAL_NAMES["label"], *_items_alone())) is not None:
        return False
    who = table.column(WHO_NAMES)
    time = table.column(_TIMES)
    # An id is that of a form's row, or of an item that the annotator labelled.
    is_sent = time is not None or table.column(_OF_FORMS) is not None
    if not is_sent and (who is None or table.column(ITEM_NAMES) is not None):
        return False
    numbered = [name for name in table.header if names_annotator(name)]
    # Questions may be called A1 and C2, too.
    if len(numbered) > 1 and not (time is not None and all(map(is_short, numbered))):
        return False
    form = find_form(table)
    who = form.who
    rows = table.preview[form.described :]
    if not is_sent and who is None:
        return False
    judge = table.column(("judge",))
    if judge is not None and len({as_text(row.get(judge, "")) for row in rows}) < len(rows):
        return False
    # Who sent a form twice has two times.
    if who is not None and time is None:
        given = [as_text(row.get(who, "")) for row in rows]
        if len({*given}) < len(given) or not all(given):
            return False
    if len(rows) < 2 or len(form.items) < 2:
        return False
    sets = [{as_text(row[name]) for row in rows} - {""} for name in form.items]
    shared = sum(any(one & other for other in sets if other is not one) for one in sets)
    return shared >= max(2, len(sets) / 2)


def _items_alone() -> tuple[str, ...]:
    """Return the names of items' columns that are not those of respondents, too."""
    own = (name for name in ITEM_NAMES if name not in {"id", "question", "uid", "uuid"})
    return (*own, "text", "sentence", "tweet", "post", "document", "content")


def said_of(table: Table) -> str:
    """Explain why columns may be items and rows annotators; empty without evidence."""
    if not is_form(table):
        return ""
    form = find_form(table)
    by = "by its time" if form.who is None else f"by {form.who!r}"
    return (
        f"Rows seem to be annotators, {by}, and columns items: {listed(form.items)}. Add "
        "--transpose if so. If each of the columns is an annotator's, name them with --annotators."
    )
