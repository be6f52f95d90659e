"""Classification exports of Zooniverse: one row a classification, its answers as JSON.

The shapes of the answers are those that Zooniverse's own exporter writes (`AnnotationForCsv` of
zooniverse/panoptes): a text, a list of texts, a survey's choices, the selects of a dropdown task,
marks drawn with a tool, and the tasks of a combo task.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeGuard

from annobench.core.errors import ReaderError
from annobench.core.names import Name
from annobench.io.formats.base import Intake, as_json
from annobench.io.formats.containers import as_format
from annobench.io.formats.records import load_json
from annobench.io.formats.tables import Layout, Table, as_text, push_text, row_name
from annobench_exports._parts import MisshapenError, listing, mapping, maybe_name, name

#: What every version of the export has.
_COLUMNS = {"user_name", "workflow_id", "annotations", "subject_data"}

#: Begins the name of somebody who was not logged in; a hash of the address follows.
_ANONYMOUS = "not-logged-in"

#: A longer answer is a text.
_MAX_ANSWER_LENGTH = 60

_UNREAD = "answers of tasks that are not questions"
_DETAILS = "answers about single marks on a subject"


class _Answer(NamedTuple):
    """An answer, or the reason why there is none to compare."""

    question: str
    label: str | float | bool | frozenset[str] | None
    left_out: str = ""


def _recognise(table: Table) -> str | None:
    return "classifications" if set(table.header) >= _COLUMNS else None


def _read(table: Table, intake: Intake) -> None:
    """Push the answers of every classification."""
    missing = sorted(_COLUMNS - set(table.header))
    if missing:
        raise ReaderError(
            f"{table.path}: no columns {', '.join(map(repr, missing))}. Download the "
            "classification export of the project or of one workflow."
        )
    rows = [(where, _texts(row)) for where, row in table.rows(False)]
    several = len({row["workflow_id"] for _, row in rows}) > 1
    anonymous = set()
    for where, row in rows:
        intake.read()
        who = row["user_name"]
        if not who:
            intake.leave_out(where, "classifications without a user")
            continue
        prefix = f"{row['workflow_id']}/" if several else ""
        try:
            about = mapping(_parsed(row["subject_data"] or "{}", "subject data"), "subject data")
            tasks = listing(_parsed(row["annotations"], "annotations"), "annotations")
            answers = list(_answers(prefix, tasks))
        except MisshapenError as error:
            intake.fault(where, str(error))
            continue
        # Older exports name the subject only as the key of what is known of it.
        subject = row.get("subject_ids") or ";".join(about) or row_name(table, where)
        _push_text(table, intake, subject, row, about)
        _push(intake, subject, row, answers, where)
        if who.startswith(_ANONYMOUS):
            anonymous.add(who)
    _say(intake, [row for _, row in rows], len(anonymous))


def _texts(row: dict[str, Any]) -> dict[str, str]:
    return {column: as_text(cell) for column, cell in row.items()}


def _parsed(cell: str, what: str) -> Any:
    try:
        return load_json(cell)
    except ValueError as error:
        raise MisshapenError(f"the {what} are not JSON") from error


def _push(
    intake: Intake, subject: Name, row: dict[str, str], answers: list[_Answer], where: int
) -> None:
    known = row.get("gold_standard", "").casefold() == "true"
    intake.at(row.get("created_at"), "created_at")
    given = [answer for answer in answers if not answer.left_out]
    for answer in given:
        question, label = answer.question, answer.label
        intake.answer(
            subject,
            row["user_name"],
            question,
            label,
            where=where,
            status="curated" if known else "done",
            personal=True,
        )
        if isinstance(label, str) and len(label) > _MAX_ANSWER_LENGTH:
            intake.question(question, "text")
        if known and label is not None:
            intake.gold(subject, question, _known(label))
    if not given:
        intake.leave_out(where, "classifications without an answer that can be compared")
    for answer in answers:
        if answer.left_out and given:
            intake.read()
            intake.leave_out(where, answer.left_out)


def _known(label: str | float | bool | frozenset[str]) -> str | float | list[str]:
    return sorted(label) if isinstance(label, frozenset) else label


def _answers(prefix: str, tasks: list[Any]) -> Iterator[_Answer]:
    """Yield the answers to the tasks of a classification, those of combo tasks one by one."""
    for entry in tasks:
        task = mapping(entry, "an annotation")
        value = task.get("value")
        if _all_have(value, "task"):
            yield from _answers(prefix, value)
        else:
            yield from _of_task(prefix + name(task.get("task"), "the task of an annotation"), value)


def _all_have(value: Any, key: str) -> TypeGuard[list[dict[str, Any]]]:
    """Return whether a value is a list of objects that all have a key."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(part, dict) and key in part for part in value)


def _of_task(question: str, value: Any) -> Iterator[_Answer]:
    if value is None or isinstance(value, str | bool | int | float):
        yield _Answer(question, value)
    elif _all_have(value, "choice"):
        yield from _survey(question, value)
    elif _all_have(value, "tool"):
        yield from _drawing(question, value)
    elif _all_have(value, "option"):
        yield from _dropdown(question, value)
    elif isinstance(value, list) and not any(isinstance(part, dict | list) for part in value):
        chosen = frozenset(as_json(part) for part in value if part is not None)
        yield _Answer(question, chosen or None)
    elif isinstance(value, dict) and "selection" in value:
        yield _Answer(question, _single(value["selection"]))
    else:
        yield _Answer(question, None, _UNREAD)


def _single(value: Any) -> str | float | bool | None:
    scalar = value is None or isinstance(value, str | bool | int | float)
    return value if scalar else as_json(value)


def _survey(question: str, value: list[dict[str, Any]]) -> Iterator[_Answer]:
    """Yield which choices were made, and what was answered about each of them."""
    chosen = [name(part["choice"], f"a choice of {question!r}") for part in value]
    yield _Answer(question, frozenset(chosen))
    for choice, part in zip(chosen, value, strict=True):
        answers = mapping(part.get("answers"), f"the answers about {choice!r}")
        for asked, answer in answers.items():
            yield from _of_task(f"{question}.{choice}.{asked}", answer)


def _drawing(question: str, value: list[dict[str, Any]]) -> Iterator[_Answer]:
    """Yield the tools that were used; where the marks are is not compared."""
    tools = (maybe_name(part.get("tool_label")) or f"tool {part['tool']}" for part in value)
    yield _Answer(question, frozenset(tools))
    for part in value:
        if part.get("details"):
            yield _Answer(question, None, _DETAILS)


def _dropdown(question: str, value: list[dict[str, Any]]) -> Iterator[_Answer]:
    """Yield what was selected in each of the menus of a task."""
    for number, part in enumerate(value, start=1):
        menu = maybe_name(part.get("select_label")) or str(number)
        asked = question if len(value) == 1 else f"{question}.{menu}"
        yield _Answer(asked, maybe_name(part.get("label")) or _single(part.get("value")))


def _push_text(
    table: Table, intake: Intake, subject: Name, row: dict[str, str], about: dict[str, Any]
) -> None:
    """Hand over what is known of a subject, such as the name of its picture."""
    if intake.options.text:
        push_text(table, intake, subject, row)
        return
    shown = [
        f"{key}: {value}"
        for fields in about.values()
        if isinstance(fields, dict)
        for key, value in fields.items()
        if isinstance(value, str | int | float) and value != ""
    ]
    if shown:
        intake.text(subject, "\n".join(shown))


def _say(intake: Intake, rows: list[dict[str, str]], anonymous: int) -> None:
    """Say what the export leaves open: who was not logged in, and whether tasks changed."""
    if anonymous:
        intake.notes.append(
            f"Annotators who were not logged in: {anonymous}. Zooniverse distinguishes them by a "
            "hash of their address: one of them may be several people, several may be one person."
        )
    versions: dict[str, set[str]] = {}
    for row in rows:
        major = row.get("workflow_version", "").partition(".")[0]
        versions.setdefault(row["workflow_id"], set()).add(major)
    for workflow, found in versions.items():
        if len(found - {""}) > 1:
            intake.notes.append(
                f"Workflow {workflow} has several major versions, between which its tasks may have "
                f"changed: {', '.join(sorted(found - {''}))}."
            )


LAYOUT = Layout(
    name="zooniverse",
    title="Zooniverse",
    note=(
        "An item is a subject, an annotator is a user, a question is a task of the workflow. Of "
        "marks drawn on a subject the tools are compared, not their positions. Classifications "
        "made as a gold standard are known answers."
    ),
    recognise=_recognise,
    read=_read,
)
FORMAT = as_format(LAYOUT)
