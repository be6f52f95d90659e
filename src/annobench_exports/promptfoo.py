"""Results of promptfoo: what models answered, and what assertions and people said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annobench.core.names import Name, joined
from annobench.io.formats.base import ExportFormat, Intake, Source, as_json
from annobench.io.formats.records import json_records
from annobench_exports._parts import (
    MisshapenError,
    each_file,
    listing,
    mapping,
    maybe_name,
    name,
    variant_of,
)

#: What the model answered; whether that passes, and with which score, is asked of assertions.
ANSWER, VERDICT, SCORE = "answer", "verdict", "score"

#: A longer answer is a text that no other model would give.
_MAX_ANSWER_LENGTH = 60

_FIELDS = {"testIdx", "promptIdx", "provider"}


@dataclass(frozen=True)
class _Grade:
    """What an assertion, or a person, said of an answer."""

    kind: str
    detail: str
    passed: bool | None
    score: float | None


@dataclass(frozen=True)
class _Result:
    """One answer of a provider to a prompt with the variables of a test."""

    where: int
    test: str
    prompt: str
    provider: str
    answer: str | None
    shown: str
    failed: bool
    grades: tuple[_Grade, ...]


def _recognise(source: Source) -> str | None:
    return variant_of(source, _variant)


def _variant(source: Source) -> str | None:
    if b'"testIdx"' not in source.head and b'"results"' not in source.head:
        return None
    found = _results_of(source.first_record or {})
    first = found[0] if isinstance(found, list) and found else None
    return "results" if isinstance(first, dict) and first.keys() >= _FIELDS else None


def _results_of(record: dict[str, Any]) -> Any:
    """Return the results: in an object beside their summary, or a line each."""
    if record.keys() >= _FIELDS:
        return [record]
    inside = record.get("results")
    return inside.get("results") if isinstance(inside, dict) else inside


def _read(source: Source, intake: Intake) -> None:
    for place, part in each_file(source):
        intake.begin(place, "result")
        results: list[_Result] = []
        where = 0
        for _, record in json_records(part.path):
            found = _results_of(record)
            for entry in found if isinstance(found, list) else [found]:
                where += 1
                try:
                    results.append(_result(where, mapping(entry, "a result")))
                except MisshapenError as error:
                    intake.fault(where, str(error))
        _push_all(results, intake)


def _result(where: int, entry: dict[str, Any]) -> _Result:
    provider = entry.get("provider")
    if isinstance(provider, dict):
        provider = maybe_name(provider.get("label")) or provider.get("id")
    response = mapping(entry.get("response"), "response")
    output = response.get("output")
    said = output if isinstance(output, str) or output is None else as_json(output)
    variables = mapping(entry.get("vars"), "vars")
    return _Result(
        where,
        name(entry.get("testIdx"), "testIdx"),
        name(entry.get("promptIdx"), "promptIdx"),
        name(provider, "provider"),
        (said or "").strip() or None,
        "\n".join(f"{key}: {as_json(value)}" for key, value in variables.items()),
        bool(entry.get("error")) and entry.get("failureReason") != 1,
        tuple(_grades(mapping(entry.get("gradingResult"), "gradingResult"))),
    )


def _grades(grading: dict[str, Any]) -> Iterator[_Grade]:
    """Yield what each assertion said; the verdict of all together is derived from these."""
    for entry in listing(grading.get("componentResults"), "componentResults"):
        if entry is None:
            continue  # a place that promptfoo left empty
        part = mapping(entry, "a result of an assertion")
        about = mapping(part.get("assertion"), "assertion")
        kind = maybe_name(about.get("type")) or "assertion"
        grader = about.get("provider")
        if isinstance(grader, dict):
            grader = grader.get("id")
        if maybe_name(grader):
            kind = f"{kind} ({grader})"
        detail = maybe_name(about.get("metric")) or as_json(about.get("value") or "")
        score = part.get("score")
        is_number = isinstance(score, int | float) and not isinstance(score, bool)
        passed = part.get("pass")
        yield _Grade(
            kind,
            detail,
            passed if isinstance(passed, bool) else None,
            score if is_number else None,
        )


def _push_all(results: list[_Result], intake: Intake) -> None:
    """Push all results, naming items by what distinguishes them, and assertions likewise."""
    several_prompts = len({result.prompt for result in results}) > 1
    several_providers = len({result.provider for result in results}) > 1
    repeated = {
        grade.kind
        for result in results
        for grade in result.grades
        if sum(other.kind == grade.kind for other in result.grades) > 1
    }
    graded = any(grade.score not in (0, 1, None) for r in results for grade in r.grades)
    for result in results:
        intake.read()
        if result.failed or (result.answer is None and not result.grades):
            intake.leave_out(result.where, "results with an error and without an answer")
            continue
        parts = [result.test, *([result.prompt] if several_prompts else [])]
        item = joined(parts, "/")
        if result.shown:
            intake.text(item, result.shown)
        intake.answer(item, result.provider, ANSWER, result.answer, where=result.where)
        if result.answer and len(result.answer) > _MAX_ANSWER_LENGTH:
            intake.question(ANSWER, "text")
        judged = joined([*parts, *([result.provider] if several_providers else [])], "/")
        for grade in result.grades:
            _push_grade(judged, grade, grade.kind in repeated, graded, result.where, intake)


def _push_grade(
    judged: Name, grade: _Grade, detailed: bool, scored: bool, where: int, intake: Intake
) -> None:
    who = f"{grade.kind}: {grade.detail}" if detailed and grade.detail else grade.kind
    passed = None if grade.passed is None else "pass" if grade.passed else "fail"
    intake.answer(judged, who, VERDICT, passed, where=where)
    if scored:
        intake.answer(judged, who, SCORE, grade.score, where=where)


FORMAT = ExportFormat(
    name="promptfoo",
    title="promptfoo",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a test; to the question answer the annotator is the provider. To the questions "
        "verdict and score an item is an answer, and the annotators are the assertions and the "
        "people who rated it."
    ),
)
