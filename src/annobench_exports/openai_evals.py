"""Logs of OpenAI evals: a line that describes the run, then an event a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annobench.core.errors import ReaderError
from annobench.core.names import MadeName, Name, joined
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.records import json_records
from annobench_exports._parts import (
    MisshapenError,
    each_file,
    mapping,
    maybe_name,
    name,
    variant_of,
    word,
)

#: What the model answered, and whether it matched; other questions are called as their metrics.
ANSWER, VERDICT = "answer", "verdict"

#: Who decides whether an answer matches, and who gives metrics, if the log does not name a judge.
MATCH, GRADER = MadeName("match"), MadeName("grader")

#: A model that the log does not name.
MODEL = MadeName("model")

#: A longer answer is a text that no other model would give.
_MAX_ANSWER_LENGTH = 60

_REMEDY = "Give the log of a run, whose first line has its specification."


@dataclass(frozen=True)
class _Run:
    """What the first line of a log says.

    Attributes
    ----------
    eval : str
        Name of the evaluation.
    model : str or MadeName
        What was evaluated.
    judge : str or MadeName
        What graded it.
    """

    eval: str
    model: Name
    judge: Name


def _recognise(source: Source) -> str | None:
    return variant_of(source, _variant)


def _variant(source: Source) -> str | None:
    spec = (source.first_record or {}).get("spec")
    fits = isinstance(spec, dict) and spec.keys() >= {"eval_name", "run_id"}
    return "log of a run" if fits else None


def _read(source: Source, intake: Intake) -> None:
    parts = dict(each_file(source))
    runs = {place: _run(part) for place, part in parts.items()}
    several_evals = len({run.eval for run in runs.values()}) > 1
    several_models = len({run.model for run in runs.values()}) > 1
    for place, part in parts.items():
        run = runs[place]
        intake.begin(place, "line")
        prefix = [run.eval] if several_evals else []
        model = run.model.short if isinstance(run.model, MadeName) else run.model
        suffix = [model] if several_models else []
        for where, record in json_records(part.path):
            if record.keys() & {"spec", "final_report"}:
                continue
            intake.read()
            try:
                _push(record, run, prefix, suffix, where, intake)
            except MisshapenError as error:
                intake.fault(where, str(error))


def _run(part: Source) -> _Run:
    spec = (part.first_record or {}).get("spec")
    if not isinstance(spec, dict):
        raise ReaderError(f"{part.path}: no specification of a run. {_REMEDY}")
    listed = spec.get("completion_fns")
    models = [maybe_name(each) for each in listed] if isinstance(listed, list) else []
    return _Run(
        maybe_name(spec.get("eval_name")) or "eval",
        (models[0] if models else None) or MODEL,
        # With several models, the last one grades.
        (models[-1] if len(models) > 1 else None) or GRADER,
    )


def _push(
    event: dict[str, Any],
    run: _Run,
    prefix: list[str],
    suffix: list[str],
    where: int,
    intake: Intake,
) -> None:
    """Push what an event says of a sample."""
    kind = word(event.get("type"))
    if kind not in ("match", "metrics", "sampling"):
        intake.leave_out(where, f"events of the type {kind!r}")
        return
    sample = name(event.get("sample_id"), "sample_id")
    data = mapping(event.get("data"), "the data of an event")
    intake.at(event.get("created_at"), "created_at")
    item, judged = joined([*prefix, sample], "/"), joined([*prefix, sample, *suffix], "/")
    if kind == "sampling":
        intake.leave_out(where, "events of the type 'sampling'")
        shown = _prompt(data.get("prompt"))
        if shown:
            intake.text(item, shown)
    elif kind == "match":
        _push_match(data, item, judged, run, prefix, where, intake)
    else:
        _push_metrics(data, judged, run, prefix, where, intake)


def _push_match(
    data: dict[str, Any],
    item: Name,
    judged: Name,
    run: _Run,
    prefix: list[str],
    where: int,
    intake: Intake,
) -> None:
    question = "/".join([*prefix, ANSWER])
    answer = _only(data.get("picked")) or _only(data.get("sampled"))
    intake.answer(item, run.model, question, answer, where=where)
    if answer and len(answer) > _MAX_ANSWER_LENGTH:
        intake.question(question, "text")
    expected = _only(data.get("expected"))
    if expected:
        intake.gold(item, question, expected)
    correct = data.get("correct")
    if isinstance(correct, bool):
        label = "correct" if correct else "incorrect"
        intake.answer(judged, MATCH, "/".join([*prefix, VERDICT]), label, where=where)


def _only(value: Any) -> str | None:
    """Return a text, also the only one of a list; of several none is the answer."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value.strip() or None if isinstance(value, str) else maybe_name(value)


def _push_metrics(
    data: dict[str, Any], judged: Name, run: _Run, prefix: list[str], where: int, intake: Intake
) -> None:
    found = list(_values(data))
    for metric, value in found:
        question = "/".join([*prefix, metric])
        intake.answer(judged, run.judge, question, value, where=where)
    others = len(data) - len(found)
    if not found:
        intake.leave_out(where, "metrics that are not one value")
    elif others:
        intake.read(others)
        intake.leave_out(where, "metrics that are not one value", others)


def _values(data: dict[str, Any]) -> Iterator[tuple[str, str | float | bool | None]]:
    for metric, value in data.items():
        if value is None or isinstance(value, str | int | float | bool):
            yield metric, value


def _prompt(prompt: Any) -> str:
    """Return a prompt: a text, or the contents of messages."""
    if isinstance(prompt, list):
        parts = (part.get("content") for part in prompt if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return word(prompt)


FORMAT = ExportFormat(
    name="openai_evals",
    title="OpenAI evals",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a sample; to the question answer the annotator is the model, and the expected "
        "answer is known. Metrics are questions about an answer, such as the choice of a judge."
    ),
)
