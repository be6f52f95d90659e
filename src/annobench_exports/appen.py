"""Reports of Appen jobs, formerly CrowdFlower and Figure Eight: full, or aggregated.

A full report has a row per judgment: columns of the platform, whose names begin with an
underscore, then the questions, then the data that were shown. Nothing marks the questions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from annobench.core.errors import ReaderError
from annobench.core.names import MadeName
from annobench.io.formats.base import Intake, Status
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import Layout, Table, as_text, push_text

_UNIT, _WORKER, _GOLDEN, _TAINTED = "_unit_id", "_worker_id", "_golden", "_tainted"
_STATE, _CONFIDENCE = "_unit_state", ":confidence"

#: States of a unit that has all its judgments; a test question is "golden".
_FINAL = {"finalized", "golden", ""}

#: What is known of test questions: the answer, and why it is right.
_GOLD, _REASON = "_gold", "_gold_reason"

#: A longer line of an answer is a text, and no option.
_MAX_OPTION_LENGTH = 60

#: Columns that a note names.
_SHOWN = 8

#: The annotator of an aggregated report.
CONSENSUS = MadeName("consensus")


def _recognise(table: Table) -> str | None:
    columns = set(table.header)
    if columns >= {_UNIT, _WORKER}:
        return "full report"
    return "aggregated report" if columns >= {_UNIT, _STATE} else None


def _read(table: Table, intake: Intake) -> None:
    """Push the answers of every judgment, or the aggregated ones."""
    variant = _recognise(table)
    if variant is None:
        raise ReaderError(
            f"{table.path}: no columns {_UNIT} and {_WORKER}. Download the full report of the job; "
            "the report of contributors and the source data contain no judgments."
        )
    rows = [(n, {key: as_text(cell) for key, cell in row.items()}) for n, row in table.rows(False)]
    if variant == "full report":
        questions = _questions(table, [row for _, row in rows], intake.options.question)
    else:
        columns = (name.removesuffix(_CONFIDENCE) for name in table.header if _CONFIDENCE in name)
        questions = [name for name in columns if name in table.header]
    if not questions:
        raise ReaderError(
            f"{table.path}: which columns hold answers, and which the data that were shown, can't "
            f"be told: {', '.join(map(repr, _own_columns(table)))}. Name one with --question."
        )
    _say(table, intake, questions, variant)
    _declare(intake, questions, [row for _, row in rows])
    for where, row in rows:
        intake.read()
        if not row[_UNIT]:
            intake.leave_out(where, "rows without a unit")
        elif variant == "full report":
            _push_judgment(intake, row, questions, where)
        else:
            _push_aggregated(intake, row, questions, where)
        _push_shown(table, intake, row, questions)


def _push_judgment(intake: Intake, row: dict[str, str], questions: list[str], where: int) -> None:
    if not row[_WORKER]:
        intake.leave_out(where, "judgments without a contributor")
        return
    intake.at(row.get("_created_at"), "_created_at")
    for question in questions:
        intake.answer(
            row[_UNIT],
            row[_WORKER],
            question,
            _answer(intake, question, row[question]),
            where=where,
            status="rejected" if _is_true(row, _TAINTED) else "done",
            control=_is_true(row, _GOLDEN),
        )
        _push_gold(intake, row, question)


def _push_aggregated(intake: Intake, row: dict[str, str], questions: list[str], where: int) -> None:
    status: Status = "done" if row[_STATE].strip().casefold() in _FINAL else "unfinished"
    for question in questions:
        label = _answer(intake, question, row[question])
        control = _is_true(row, _GOLDEN)
        intake.answer(
            row[_UNIT], CONSENSUS, question, label, where=where, status=status, control=control
        )
        _push_gold(intake, row, question)


def _is_true(row: dict[str, str], column: str) -> bool:
    return row.get(column, "").strip().casefold() == "true"


def _push_gold(intake: Intake, row: dict[str, str], question: str) -> None:
    """Take the known answer; of a question with one option several may be accepted as right."""
    accepted = _lines(row.get(question + _GOLD, ""))
    if len(accepted) == 1:
        intake.gold(row[_UNIT], question, accepted[0])
    elif accepted and intake.kinds.get(question, ("",))[0] == "choices":
        intake.gold(row[_UNIT], question, sorted(accepted))


def _own_columns(table: Table) -> list[str]:
    """Return the columns that are not those of the platform: questions, and what was shown."""
    return [name for name in table.header if name and not name.startswith("_")]


def _questions(table: Table, rows: list[dict[str, str]], asked: str | None) -> list[str]:
    """Return the columns of answers: all up to the last that shows to be one.

    A column shows to be one if there is another of known answers to it, or if judgments of one
    unit differ in it.
    """
    columns = [name for name in _own_columns(table) if not name.endswith((_GOLD, _REASON))]
    first: dict[str, dict[str, str]] = defaultdict(dict)
    found = {name for name in columns if name + _GOLD in table.header}
    for row in rows:
        for name in columns:
            if name not in found and first[name].setdefault(row[_UNIT], row[name]) != row[name]:
                found.add(name)
    last = max((n for n, name in enumerate(columns) if name in found), default=-1)
    questions = columns[: last + 1]
    return [*questions, asked] if asked in set(columns) - set(questions) else questions


def _lines(cell: str) -> tuple[str, ...]:
    """Return the options that were ticked: a line each."""
    return tuple(dict.fromkeys(line.strip() for line in cell.splitlines() if line.strip()))


def _declare(intake: Intake, questions: Iterable[str], rows: list[dict[str, str]]) -> None:
    """Say which questions have several options in an answer, and which are answered by a text."""
    for question in questions:
        lines = [line for row in rows for line in _lines(row[question])]
        if any(len(line) > _MAX_OPTION_LENGTH for line in lines):
            intake.question(question, "text")
        elif any(len(_lines(row[question])) > 1 for row in rows):
            intake.question(question, "choices")


def _answer(intake: Intake, question: str, cell: str) -> str | tuple[str, ...] | None:
    kind = intake.kinds.get(question, ("choice",))[0]
    if kind == "choices":
        return _lines(cell) or None
    return cell.strip() or None


def _push_shown(table: Table, intake: Intake, row: dict[str, Any], questions: list[str]) -> None:
    """Hand over what was shown: the column asked for, or all columns of the source data."""
    if intake.options.text:
        push_text(table, intake, row[_UNIT], row)
        return
    shown = [name for name in _source(table, questions) if row[name]]
    if len(shown) == 1:
        intake.text(row[_UNIT], row[shown[0]])
    elif shown:
        intake.text(row[_UNIT], "\n".join(f"{name}: {row[name]}" for name in shown))


def _source(table: Table, questions: list[str]) -> list[str]:
    """Return the columns of the data that were shown."""
    about = (_GOLD, _REASON, _CONFIDENCE, ":variance")
    return [
        name
        for name in _own_columns(table)
        if name not in questions and not name.endswith(about) and not name.startswith("orig__")
    ]


def _say(table: Table, intake: Intake, questions: list[str], variant: str) -> None:
    if variant == "aggregated report":
        intake.notes.append(
            "An aggregated report contains one answer per unit, the consensus that Appen computed. "
            "Its confidence is not used. Agreement needs the full report."
        )
        return
    source = _source(table, questions)
    more = f" and {len(source) - _SHOWN:,} more" if len(source) > _SHOWN else ""
    shown = ", ".join(source[:_SHOWN]) + more
    if source:
        intake.notes.append(
            f"Columns interpreted as data that were shown, not as answers: {shown}."
        )


LAYOUT = Layout(
    name="appen",
    title="Appen (CrowdFlower)",
    note=(
        "An item is a unit, an annotator is a contributor. Test questions are control items, whose "
        "answers are known; tainted judgments are rejected work."
    ),
    recognise=_recognise,
    read=_read,
)
FORMAT = as_format(LAYOUT)
