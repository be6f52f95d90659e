"""Batch results of Amazon Mechanical Turk: one row an assignment, columns `Answer.*`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Any, NamedTuple

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
    slots = _slots(table, answers)
    answers = [name for name in answers if not any(name in slot.answers for slot in slots)]
    several = _several_options([row for _, row in rows], answers)
    given: dict[str, set[Any]] = defaultdict(set)
    kept = []
    for where, row in rows:
        found = _answers(row, answers, several)
        for question, label in found:
            if label is not None:
                given[question].add(str(label))
        kept.append((where, row, found))
    constant = [question for question, labels in given.items() if len(labels) == 1]
    if slots and len(rows) > 1:
        _say_slots(slots, constant, intake)
        for question in constant:
            del given[question]
    names = _names_of_slots(slots, hit, [row for _, row in rows])
    for where, row, found in kept:
        intake.read()
        if not row[worker]:
            intake.leave_out(where, "HITs that nobody worked on")
            continue
        item = items[row[hit]]
        intake.at(row[submitted] if submitted else None, "SubmitTime")
        if not slots:
            _push_input(table, intake, item, row)
        state = _STATUS.get(row[status].strip().casefold() if status else "", "unfinished")
        # A reason in this column rejects the work when the file is uploaded.
        if state == "done" and row.get("Reject", "").strip():
            state = "rejected"
        for question, label in found:
            if not given.get(question):
                # A field of the form that nobody could fill in is no question.
                continue
            if isinstance(label, list):
                intake.marks(item, row[worker], question, label, where=where, status=state)
                continue
            intake.answer(item, row[worker], question, label, where=where, status=state)
        for n, slot in enumerate(slots):
            part = names[row[hit], n]
            intake.text(part, "\n".join(row[name] for name in slot.inputs if row[name]))
            for question, column in zip(slot.questions, slot.answers, strict=True):
                label = bars(row[column]) or row[column] or None
                intake.answer(part, row[worker], question, label, where=where, status=state)


class _Slot(NamedTuple):
    """One of several items of a HIT: the columns of its input and answers, and the questions."""

    inputs: tuple[str, ...]
    answers: tuple[str, ...]
    questions: tuple[str, ...]


def _slots(table: Table, answers: list[str]) -> list[_Slot]:
    """Return the items of each HIT, if columns of inputs and answers are numbered alike."""
    inputs = _numbered([name for name in table.header if name.startswith("Input.")])
    numbered = {stem: of for stem, of in _numbered(answers).items() if stem[1] == ""}
    slots: list[_Slot] = []
    for count in sorted({len(of) for of in numbered.values()}, reverse=True):
        of_inputs = [of for of in inputs.values() if len(of) == count]
        of_answers = {stem: of for stem, of in numbered.items() if len(of) == count}
        # Of two inputs and two questions each may be about both.
        if count > 2 and of_inputs and of_answers:
            questions = tuple(
                stem.removeprefix("Answer.").rstrip("._- ") or "answer" for stem, _ in of_answers
            )
            slots = [
                _Slot(
                    tuple(of[n] for of in of_inputs),
                    tuple(of[n] for of in of_answers.values()),
                    questions,
                )
                for n in range(count)
            ]
            break
    return slots


def _numbered(columns: list[str]) -> dict[tuple[str, str], list[str]]:
    """Return columns whose names differ in one number, from 0 or 1, by what is around it."""
    numbers: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for name in columns:
        for match in re.finditer(r"\d+", name):
            numbers[name[: match.start()], name[match.end() :]][int(match[0])] = name
    return {
        stem: [of[n] for n in sorted(of)]
        for stem, of in numbers.items()
        if len(of) > 1 and sorted(of) in (list(range(len(of))), list(range(1, len(of) + 1)))
    }


def _say_slots(slots: list[_Slot], constant: list[str], intake: Intake) -> None:
    first, last = slots[0], slots[-1]
    intake.notes.append(
        f"A HIT shows {len(slots)} items: the inputs from {first.inputs[0]!r} to "
        f"{last.inputs[0]!r} belong to the answers from {first.answers[0]!r} to "
        f"{last.answers[0]!r}."
    )
    if constant:
        columns = ", ".join(map(repr, constant))
        intake.notes.append(f"The same in all HITs, and not compared: {columns}.")


def _names_of_slots(
    slots: list[_Slot], hit: str, rows: list[dict[str, Any]]
) -> dict[tuple[str, int], str]:
    """Name the items of each HIT: by their input if that is short and distinguishes them."""
    inputs = {
        (row[hit], n): tuple(row[name] for name in slot.inputs)
        for row in rows
        for n, slot in enumerate(slots)
    }
    for k in range(len(slots[0].inputs) if slots else 0):
        cells = [values[k] for values in inputs.values()]
        if len({*cells}) == len(cells) and all(0 < len(c) <= _MAX_NAME_LENGTH for c in cells):
            return {place: values[k] for place, values in inputs.items()}
    return {(name, n): f"{name} {n + 1}" for name, n in inputs}


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
