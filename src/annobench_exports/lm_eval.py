"""Samples that lm-evaluation-harness logs (`--log_samples`): a file a task, in a folder a model.

A task with several filters logs each document once per filter. Newer versions name the filter;
in older files the filters of a document follow in their order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annobench.core.names import MadeName, Name, joined
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.records import json_records
from annobench_exports._parts import (
    MisshapenError,
    as_number,
    each_file,
    listing,
    maybe_name,
    name,
)

#: What the model answered; other questions are called as their metrics.
ANSWER = "answer"

#: A longer answer is a text that no other model would give.
_MAX_ANSWER_LENGTH = 60

_FIELDS = {"doc_id", "doc", "target", "resps", "filtered_resps"}

#: Fields that are no metrics, for versions that do not list these.
_OWN = _FIELDS | {"arguments", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"}

#: A file of samples is called by its task and, in newer versions, by the time.
_FILE = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?")


def _recognise(source: Source) -> str | None:
    """Return the variant of a file, or of a folder; results beside the samples hold no answers."""
    if not source.is_folder:
        return _variant(source)
    files = [path for path in source.files if path.suffix == ".jsonl"]
    if not files or {path.suffix for path in source.files} - {".jsonl", ".json"}:
        return None
    fits = all(_variant(source.inside(path)) for path in files)
    return "samples of tasks" if fits else None


def _variant(source: Source) -> str | None:
    record = source.first_record or {}
    fits = record.keys() >= _FIELDS and isinstance(record["filtered_resps"], list)
    return "samples of a task" if fits else None


def _read(source: Source, intake: Intake) -> None:
    parts = {
        place: part
        for place, part in each_file(source)
        if not source.is_folder or part.path.suffix == ".jsonl"
    }
    tasks = {_task(part.path) for part in parts.values()}
    for place, part in parts.items():
        intake.begin(place, "line")
        prefix = [_task(part.path)] if len(tasks) > 1 else []
        model: Name = part.path.parent.name if source.is_folder else MadeName("model")
        records = list(json_records(part.path))
        times = Counter(maybe_name(record.get("doc_id")) for _, record in records)
        several = any(n > 1 for n in times.values())
        seen: Counter[str | None] = Counter()
        for where, record in records:
            intake.read()
            seen[maybe_name(record.get("doc_id"))] += 1
            number = seen[maybe_name(record.get("doc_id"))]
            filter_name = maybe_name(record.get("filter")) or f"filter {number}"
            try:
                _push(record, model, prefix, filter_name if several else "", where, intake)
            except MisshapenError as error:
                intake.fault(where, str(error))


def _task(path: Path) -> str:
    found = _FILE.fullmatch(path.stem)
    return found["task"] if found else path.stem


def _push(
    record: dict[str, Any],
    model: Name,
    prefix: list[str],
    filter_name: str,
    where: int,
    intake: Intake,
) -> None:
    """Push the answer of the model to a document, and its metrics."""
    item = joined([*prefix, name(record.get("doc_id"), "doc_id")], "/")

    def asked(what: str) -> str:
        return "/".join([*prefix, what]) + (f".{filter_name}" if filter_name else "")

    answer = _answer(listing(record.get("filtered_resps"), "filtered_resps"))
    intake.answer(item, model, asked(ANSWER), answer, where=where)
    if answer and len(answer) > _MAX_ANSWER_LENGTH:
        intake.question(asked(ANSWER), "text")
    target = maybe_name(record.get("target"))
    if target:
        intake.gold(item, asked(ANSWER), target.strip())
    for metric, value in _metrics(record):
        if isinstance(value, int | float):
            number = int(value) if isinstance(value, bool) else value
            intake.answer(item, model, asked(metric), number, where=where)
        else:
            intake.read()
            intake.leave_out(where, "metrics that are not one number")


def _metrics(record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    listed = record.get("metrics")
    names = listed if isinstance(listed, list) else [key for key in record if key not in _OWN]
    for metric in names:
        if isinstance(metric, str) and metric in record:
            yield metric, record[metric]


def _answer(filtered: list[Any]) -> str | None:
    """Return what a filter made of the response, or the number of the most likely option."""
    if len(filtered) == 1:
        return filtered[0].strip() or None if isinstance(filtered[0], str) else None
    likelihoods = [_likelihood(each) for each in filtered]
    known = [each for each in likelihoods if each is not None]
    if not filtered or len(known) < len(filtered):
        return None
    return str(known.index(max(known)))


def _likelihood(value: Any) -> float | None:
    """Return the log likelihood of an option, which newer versions write as a text."""
    first = value[0] if isinstance(value, list) and value else None
    if isinstance(first, str):
        return as_number(first)
    return first if isinstance(first, int | float) and not isinstance(first, bool) else None


FORMAT = ExportFormat(
    name="lm_eval",
    title="lm-evaluation-harness",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a document of a task, an annotator is a model, and the target is the known "
        "answer. An answer to a multiple-choice task is the number of the most likely option."
    ),
)
