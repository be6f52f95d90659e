"""Batch results of Amazon Mechanical Turk: one row an assignment, columns `Answer.*`."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from annobench.core.errors import ReaderError
from annobench.io.formats.base import Intake, Span, Status
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import Layout, Table, push_text
from annobench_exports._structured import Label, bars, flatten, parse_json

_STATUS: dict[str, Status] = {
    "approved": "done",
    "submitted": "done",
    "rejected": "rejected",
    "": "done",
}

#: A longer input is a text, and no name of an item.
_MAX_NAME_LENGTH = 200

#: What a form of crowd HTML elements sends as one column of JSON.
_WHOLE_FORM = "taskAnswers"


def _recognise(table: Table) -> str | None:
    """Return the variant: who worked on which HIT has to be there."""
    if _column(table, "HITId") is None or _column(table, "WorkerId") is None:
        return None
    answers = [name for name in table.header if name.startswith("Answer.")]
    return "answers as JSON" if answers == [f"Answer.{_WHOLE_FORM}"] else "batch results"


def _read(table: Table, intake: Intake) -> None:
    """Push the answers of every assignment."""
    answers = [name for name in table.header if name.startswith("Answer.")]
    hit, worker = (_column(table, name) for name in ("HITId", "WorkerId"))
    if not answers or hit is None or worker is None:
        raise ReaderError(
            f"{table.path}: there are no columns HITId, WorkerId and Answer.*, as in HITs without "
            "results. Download the results of the batch."
        )
    status, submitted = _column(table, "AssignmentStatus"), _column(table, "SubmitTime")
    rows = list(table.rows(True))
    items = _items(table, hit, worker, [row for _, row in rows], intake)
    several = _several_options([row for _, row in rows], answers)
    given: set[str] = set()
    kept = []
    for where, row in rows:
        found = _answers(row, answers, several)
        given.update(question for question, label in found if label is not None)
        kept.append((where, row, found))
    for where, row, found in kept:
        intake.read()
        if not row[worker]:
            intake.leave_out(where, "HITs that nobody worked on")
            continue
        item = items[row[hit]]
        intake.at(row[submitted] if submitted else None, "SubmitTime")
        _push_input(table, intake, item, row)
        state = _STATUS.get(row[status].strip().casefold() if status else "", "unfinished")
        # A reason in this column rejects the work when the file is uploaded.
        if state == "done" and row.get("Reject", "").strip():
            state = "rejected"
        for question, label in found:
            if question not in given:
                # A field of the form that nobody could fill in is no question.
                continue
            if isinstance(label, list):
                intake.marks(item, row[worker], question, label, where=where, status=state)
                continue
            intake.answer(item, row[worker], question, label, where=where, status=state)


def _column(table: Table, name: str) -> str | None:
    # The command line tools write the names in lower case.
    wanted = name.casefold()
    return next((column for column in table.header if column.casefold() == wanted), None)


def _items(
    table: Table, hit: str, worker: str, rows: list[dict[str, Any]], intake: Intake
) -> dict[str, str]:
    """Name the item of each HIT: by the input that distinguishes the HITs, or else by the HIT."""
    inputs = [name for name in table.header if name.startswith("Input.")]
    shown: dict[str, tuple[str, ...]] = {}
    workers: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        shown.setdefault(row[hit], tuple(row[name] for name in inputs))
        workers[row[hit]].add(row[worker])
    if inputs and _says_nothing(shown, workers):
        intake.notes.append("The Input columns do not distinguish the HITs: each HIT is an item.")
        return {name: name for name in shown}
    distinct = set(shown.values())
    sizes = {}
    for n in range(len(inputs)):
        found = {values[n] for values in distinct}
        if len(found) == len(distinct) and all(0 < len(v) <= _MAX_NAME_LENGTH for v in found):
            sizes[n] = sum(map(len, found))
    if sizes:
        shortest = min(sizes, key=lambda n: sizes[n])
        return {name: values[shortest] for name, values in shown.items()}
    first: dict[tuple[str, ...], str] = {}
    return {name: first.setdefault(values or (name,), name) for name, values in shown.items()}


def _says_nothing(shown: dict[str, tuple[str, ...]], workers: dict[str, set[str]]) -> bool:
    """Return whether the input is a setting of the batch, such as the version of a template.

    It is if all HITs have the same, or if most HITs share theirs with another one of the same
    worker: HITs that were published twice are seldom done twice by one person.
    """
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, values in shown.items():
        alike[values].append(name)
    if len(alike) == 1:
        return len(shown) > 1
    again = 0
    for names in alike.values():
        times = Counter(who for name in names for who in workers[name] if who)
        again += sum(any(times[who] > 1 for who in workers[name]) for name in names)
    return 2 * again > len(shown)


def _several_options(rows: list[dict[str, Any]], answers: list[str]) -> dict[str, list[str]]:
    """Find questions whose options have a column each, `Answer.question.option`: true, false."""
    options: dict[str, list[str]] = defaultdict(list)
    for name in answers:
        stem, _, option = name.removeprefix("Answer.").rpartition(".")
        given = {row[name].strip().casefold() for row in rows}
        if stem and given <= {"true", "false", ""} and given & {"true", "false"}:
            options[stem].append(option)
    return dict(options)


def _answers(
    row: dict[str, Any], answers: list[str], options: dict[str, list[str]]
) -> list[tuple[str, Label | list[Span]]]:
    """Return the answers of a row by question."""
    found: list[tuple[str, Label | list[Span]]] = []
    for name, offered in options.items():
        cells = {option: row[f"Answer.{name}.{option}"].strip() for option in offered}
        chosen = tuple(option for option, cell in cells.items() if cell.casefold() == "true")
        if len(offered) == 1:
            found.append((f"{name}.{offered[0]}", cells[offered[0]].casefold() or None))
        else:
            found.append((name, chosen or None))
    columns = {f"Answer.{name}.{option}" for name, offered in options.items() for option in offered}
    for column in answers:
        if column in columns:
            continue
        name, cell = column.removeprefix("Answer."), row[column]
        value = parse_json(cell)
        if name == _WHOLE_FORM and isinstance(value, list):
            for form in value:
                for question, part in form.items() if isinstance(form, dict) else ():
                    found += flatten(question, part)
        elif value is not None:
            found += flatten(name, value)
        else:
            found.append((name, bars(cell) or cell or None))
    return found


def _push_input(table: Table, intake: Intake, item: str, row: dict[str, Any]) -> None:
    """Hand over what was shown: the column asked for, or all input columns."""
    if intake.options.text:
        push_text(table, intake, item, row)
        return
    shown = {name.removeprefix("Input."): row[name] for name in row if name.startswith("Input.")}
    if len(shown) == 1:
        intake.text(item, *shown.values())
    elif shown:
        intake.text(item, "\n".join(f"{name}: {text}" for name, text in shown.items() if text))


LAYOUT = Layout(
    name="mturk",
    title="Amazon Mechanical Turk",
    note=(
        "An item is what a HIT showed (the Input column that distinguishes the HITs, or else the "
        "HIT itself), an annotator is a worker, a label is the value of a column Answer.*; "
        "approved and submitted work is finished. Of boxes drawn on an image the labels are "
        "compared, not their positions."
    ),
    recognise=_recognise,
    read=_read,
)
FORMAT = as_format(LAYOUT)
