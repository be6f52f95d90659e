"""Test runs of DeepEval (`DEEPEVAL_RESULTS_FOLDER`): what judges said of each test case."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from annobench.core.names import MadeName, Name
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.records import json_records
from annobench_exports._parts import (
    MisshapenError,
    listing,
    mapping,
    maybe_name,
    name,
    variant_of,
    word,
)

#: Lists of test cases: of one answer, and of a conversation.
_CASES = ("testCases", "conversationalTestCases")

#: Who judged if no model did.
METRIC = MadeName("metric")

#: Behind the name of a metric, its score, which decides whether the case passes.
_SCORE = ".score"


def _recognise(source: Source) -> str | None:
    """Return the variant; files of test runs have no ending."""
    if not source.is_folder:
        return variant_of(source, _variant)
    found = {_variant(source.inside(path)) for path in source.files}
    return found.pop() if len(found) == 1 else None


def _variant(source: Source) -> str | None:
    if b'"testCases"' not in source.head:
        return None
    record = source.first_record or {}
    for key in _CASES:
        cases = record.get(key)
        if isinstance(cases, list) and cases and isinstance(cases[0], dict):
            return "test run" if cases[0].keys() >= {"name", "metricsData"} else None
    return None


def _read(source: Source, intake: Intake) -> None:
    for path in source.files:
        place = str(path.relative_to(source.path)) if source.is_folder else ""
        if not source.is_folder or _variant(source.inside(path)) is not None:
            _read_run(path, place, intake)


def _read_run(path: Path, place: str, intake: Intake) -> None:
    """Push the verdicts on all test cases of a run, numbered through."""
    where = 0
    for _, record in json_records(path):
        intake.begin(place, "test case")
        try:
            cases = [
                mapping(case, "a test case")
                for key in _CASES
                for case in listing(record.get(key), key)
            ]
            names = [name(case.get("name"), "the name of a test case") for case in cases]
        except MisshapenError as error:
            intake.fault(where + 1, str(error))
            continue
        times = Counter(names)
        seen: Counter[str] = Counter()
        for called, case in zip(names, cases, strict=True):
            where += 1
            seen[called] += 1
            # Cases of one test function may have one name; they follow in the order of the run.
            item: Name = called if times[called] == 1 else MadeName(f"{called} {seen[called]}")
            intake.read()
            try:
                _push(item, case, where, intake)
            except MisshapenError as error:
                intake.fault(where, str(error))


def _push(item: Name, case: dict[str, Any], where: int, intake: Intake) -> None:
    shown = [f"{key}: {word(case.get(key))}" for key in ("input", "actualOutput") if case.get(key)]
    if shown:
        intake.text(item, "\n".join(shown))
    metrics = listing(case.get("metricsData"), "metricsData")
    if not metrics:
        intake.leave_out(where, "test cases without metrics")
    for entry in metrics:
        metric = mapping(entry, "a metric")
        question = name(metric.get("name"), "the name of a metric")
        judge: Name = maybe_name(metric.get("evaluationModel")) or METRIC
        passed, score = metric.get("success"), metric.get("score")
        failed = bool(metric.get("error"))
        intake.answer(
            item,
            judge,
            question,
            ("pass" if passed else "fail") if isinstance(passed, bool) and not failed else None,
            where=where,
            status="unfinished" if failed else "done",
        )
        if isinstance(score, int | float) and not isinstance(score, bool):
            intake.answer(item, judge, question + _SCORE, score, where=where)


FORMAT = ExportFormat(
    name="deepeval",
    title="DeepEval",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a test case, an annotator is the model that judged it, a question is a metric: "
        "whether the case passes, and its score."
    ),
)
