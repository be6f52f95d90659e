"""POPQUORN and other tables of Potato with a column of ratings and columns about the annotator."""

from __future__ import annotations

from annobench.core.errors import ReaderError
from annobench.io.formats.base import Intake
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import TEXT_NAMES, Layout, Table, is_category, push_text
from annobench.labels.columns import named_columns
from annobench_exports._parts import as_number

_ITEM, _USER = "instance_id", "user_id"

#: What is said of annotators, and is no question about items.
_PERSON = {"gender", "race", "ethnicity", "age", "occupation", "education", "nationality"}


def _recognise(table: Table) -> str | None:
    """Return the variant: items, users, at least two columns about the user, and a question."""
    about = {name.casefold() for name in table.header} & _PERSON
    if not {_ITEM, _USER} <= set(table.header) or len(about) < 2 or not _questions(table):
        return None
    return "ratings with the annotators' demography"


def _read(table: Table, intake: Intake) -> None:
    """Push the answers of every row: numbers as ratings."""
    if not {_ITEM, _USER} <= set(table.header):
        raise ReaderError(
            f"{table.path}: there are no columns {_ITEM} and {_USER}. Name them so. The columns "
            f"are {named_columns(table.header)}."
        )
    questions = _questions(table)
    for where, row in table.rows(False):
        intake.read()
        item, user = row[_ITEM], row[_USER]
        if not item or not user:
            intake.leave_out(where, "rows without an instance or a user")
            continue
        push_text(table, intake, item, row)
        for question in questions:
            intake.answer(item, user, question, _rating(row[question]), where=where)


def _questions(table: Table) -> list[str]:
    preview = table.preview
    return [
        name
        for name in table.header
        if name not in (_ITEM, _USER)
        and name.casefold() not in _PERSON | set(TEXT_NAMES)
        and all(is_category(row[name]) for row in preview)
    ]


def _rating(cell: str) -> str | float:
    number = as_number(cell)
    return cell if number is None else number


LAYOUT = Layout(
    name="popquorn",
    title="POPQUORN",
    note=(
        "An item is an instance, an annotator is a user, the questions are the columns that say "
        "nothing about the user; numbers are ratings."
    ),
    recognise=_recognise,
    read=_read,
)
FORMAT = as_format(LAYOUT)
