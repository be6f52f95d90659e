"""Results of a Toloka pool: columns `INPUT:`, `OUTPUT:`, `GOLDEN:`, `ASSIGNMENT:`."""

from __future__ import annotations

from typing import Any

from annobench.core.errors import ReaderError
from annobench.core.names import Name, joined
from annobench.io.formats.base import Intake, Status
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import Layout, Table, push_text, row_name
from annobench_exports._structured import flatten, parse_json

_STATUS: dict[str, Status] = {
    "APPROVED": "done",
    "ACCEPTED": "done",
    "SUBMITTED": "done",
    "REJECTED": "rejected",
    "SKIPPED": "skipped",
    "EXPIRED": "unfinished",
    "ACTIVE": "unfinished",
}
_WORKER, _STATE, _TASK = "ASSIGNMENT:worker_id", "ASSIGNMENT:status", "ASSIGNMENT:task_id"


def _recognise(table: Table) -> str | None:
    """Return the variant: who answered has to be there."""
    if _WORKER not in table.header or not _columns(table, "OUTPUT"):
        return None
    return "results of a pool"


def _read(table: Table, intake: Intake) -> None:
    """Push the answers of every row."""
    outputs, goldens = _columns(table, "OUTPUT"), _columns(table, "GOLDEN")
    inputs = _columns(table, "INPUT")
    if not outputs or _WORKER not in table.header:
        raise ReaderError(
            f"{table.path}: there are no columns OUTPUT:* and {_WORKER}. Download the results of "
            "the pool with the columns of the assignment."
        )
    for where, row in table.rows(True):
        intake.read()
        worker, status = row[_WORKER], row.get(_STATE, "").strip().upper()
        if not worker:
            # Older downloads part the suites of tasks with rows of nothing but tabs.
            empty = not any(row.values())
            intake.leave_out(where, "empty rows" if empty else "rows without a worker")
            continue
        item = _item(row, inputs) or row_name(table, where)
        intake.at(row.get("ASSIGNMENT:submitted"), "ASSIGNMENT:submitted")
        state = _STATUS.get(status, "done" if not status else "unfinished")
        control = any(row[column] for column in goldens.values())
        if intake.options.text:
            push_text(table, intake, item, row)
        else:
            intake.text(item, "\n".join(row[column] for column in inputs.values() if row[column]))
        for question, column in goldens.items():
            for name, label in flatten(question, _value(row[column])):
                if isinstance(label, str | tuple):
                    intake.gold(item, name, label)
        for question, column in outputs.items():
            for name, label in flatten(question, _value(row[column])):
                if isinstance(label, list):
                    intake.marks(item, worker, name, label, where=where, status=state)
                    continue
                intake.answer(item, worker, name, label, where=where, status=state, control=control)


def _columns(table: Table, group: str) -> dict[str, str]:
    """Return the columns of a group by the name after the colon."""
    return {
        column.partition(":")[2]: column
        for column in table.header
        if column.startswith(group + ":")
    }


def _item(row: dict[str, Any], inputs: dict[str, str]) -> Name:
    # Tasks of two pools differ in their ids and agree in what they show.
    shown = [row[column] for column in inputs.values() if row[column]]
    return joined(shown, " | ") if shown else row.get(_TASK, "")


def _value(cell: str) -> Any:
    value = parse_json(cell)
    return cell if value is None else value


LAYOUT = Layout(
    name="toloka",
    title="Toloka",
    note=(
        "An item is what the INPUT columns show, an annotator is a worker, the questions are the "
        "OUTPUT columns; items with a GOLDEN value are control items, whose answers are known. "
        "Approved and submitted work is finished."
    ),
    recognise=_recognise,
    read=_read,
)
FORMAT = as_format(LAYOUT)
