"""Logs of Inspect evaluations: `.eval` archives, `.json`, and folders of them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annobench.core.errors import ReaderError
from annobench.core.names import Name, joined
from annobench.io.formats.base import DAMAGED_ARCHIVE, ExportFormat, Intake, Source, as_json
from annobench.io.formats.records import json_records, load_json
from annobench_exports._parts import maybe_name
from annobench_exports._structured import Label

#: What the model answered; what scorers said of it is asked under `VERDICT`.
ANSWER, VERDICT = "answer", "verdict"

#: A longer answer is a text that no other model would give.
_MAX_ANSWER_LENGTH = 60

#: A sample that unpacks to more is refused, and so is a log of more.
MAX_SAMPLE_BYTES, MAX_LOG_BYTES = 256 * 2**20, 8 * 2**30

_HEADER, _START, _SAMPLES = "header.json", "_journal/start.json", "samples/"
_REMEDY = "Write the log again, or convert it with `inspect log convert --to json`."


@dataclass(frozen=True)
class _Log:
    """One log: its file, what was evaluated, and what it holds of its samples."""

    path: Path
    task: str
    model: str
    samples: Iterator[dict[str, Any]]
    n_scored: int


def _recognise(source: Source) -> str | None:
    """Return the variant: an archive, a file of JSON, or a folder of them."""
    if source.is_folder:
        logs = [path for path in source.files if _is_log(source.inside(path))]
        others = {path.suffix for path in source.files} - {".json", ".eval"}
        return f"{len(logs)} logs" if logs and not others else None
    if _is_archive(source):
        return "archive of a log"
    return "log" if _is_log(source) else None


def _is_archive(source: Source) -> bool:
    if not source.head.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(source.path) as archive:
            names = set(archive.namelist())
    except DAMAGED_ARCHIVE:
        return False
    return bool(names & {_HEADER, _START}) and "[Content_Types].xml" not in names


def _is_log(source: Source) -> bool:
    if source.is_folder:
        return False
    if source.path.suffix == ".eval" or source.head.startswith(b"PK"):
        return _is_archive(source)
    # The beginning tells, so that a large file need not be read to find out.
    if b'"eval"' not in source.head or b'"status"' not in source.head:
        return False
    record = source.first_record or {}
    return isinstance(record.get("eval"), dict) and "task" in record["eval"]


def _read(source: Source, intake: Intake) -> None:
    """Push the answer of the model to every sample, and the verdicts of the scorers."""
    paths = [path for path in source.files if _is_log(source.inside(path))]
    if not paths:
        raise ReaderError(f"{source.path}: no log of an Inspect evaluation. {_REMEDY}")
    tasks = {_log(path).task for path in paths}
    models = {_log(path).model for path in paths}
    for path in paths:
        log = _log(path)
        intake.begin(path.relative_to(source.path) if source.is_folder else "", "sample")
        number = 0
        # Different tasks ask different questions about different samples.
        prefix = [] if len(tasks) == 1 else [log.task]
        for number, sample in enumerate(log.samples, start=1):
            intake.read()
            _push(intake, prefix, sample, log.model, len(models) > 1, number)
        if not number and not source.is_folder:
            raise ReaderError(
                f"{path}: the log holds no sample, of {log.n_scored} that were scored. Evaluate "
                "with log_samples, or give the log of which this is a copy without samples."
            )
        if log.n_scored > number:
            missing = log.n_scored - number
            intake.read(missing)
            intake.leave_out(number + 1, "samples that the log does not hold", missing)


def _push(
    intake: Intake, prefix: list[str], sample: dict[str, Any], model: str, several: bool, where: int
) -> None:
    name = maybe_name(sample.get("id"))
    if name is None:
        intake.fault(where, f"the id is {as_json(sample.get('id'))[:40]!r}, no name or number")
        return
    item, question = joined([*prefix, name], "/"), "/".join([*prefix, ANSWER])
    scores = _object(sample.get("scores"))
    answer = _answer(sample, scores)
    if sample.get("error"):
        intake.answer(item, model, question, answer, where=where, status="unfinished")
        return
    if answer is None and not scores:
        intake.leave_out(where, "samples without an answer")
        return
    _push_text(intake, item, sample)
    target = sample.get("target")
    if isinstance(target, str) and target.strip():
        intake.gold(item, question, target.strip())
    intake.answer(item, model, question, answer, where=where)
    if answer is not None and len(answer) > _MAX_ANSWER_LENGTH:
        intake.question(question, "text")
    # What several models answered are different things to judge.
    judged = joined([*prefix, name, model], "/") if several else item
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else score
        for asked, label in _verdicts("/".join([*prefix, VERDICT]), value):
            intake.answer(judged, scorer, asked, label, where=where)


def _answer(sample: dict[str, Any], scores: dict[str, Any]) -> str | None:
    """Return what the first scorer took for the answer, or else all that the model said."""
    for score in scores.values():
        if isinstance(score, dict) and isinstance(score.get("answer"), str):
            return score["answer"].strip() or None
    output = _object(sample.get("output"))
    said = output.get("completion")
    if said is None and isinstance(output.get("choices"), list) and output["choices"]:
        message = _object(_object(output["choices"][0]).get("message"))
        said = message.get("content")
    return said.strip() or None if isinstance(said, str) else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _verdicts(question: str, value: Any) -> Iterator[tuple[str, Label | float]]:
    """Yield what a scorer said: a grade, a number, or several of them by name."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _verdicts(f"{question}.{name}", part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        # Not a number: the scorer came to no verdict.
        yield question, value if value == value else None
    elif isinstance(value, list):
        yield question, tuple(map(as_json, value)) or None
    else:
        yield question, None if value is None else as_json(value)


def _push_text(intake: Intake, item: Name, sample: dict[str, Any]) -> None:
    given = sample.get("input")
    if isinstance(given, list):
        parts = (part.get("content") for part in given if isinstance(part, dict))
        given = "\n".join(part for part in parts if isinstance(part, str))
    if isinstance(given, str) and given:
        intake.text(item, given)


def _log(path: Path) -> _Log:
    """Open a log; its samples are read when they are asked for."""
    if path.suffix == ".eval" or path.read_bytes()[:2] == b"PK":
        return _archive(path)
    records = json_records(path)
    _, record = next(records)
    if next(records, None) is not None:
        raise ReaderError(f"{path}: more than one log. Put each log into a separate file.")
    samples = record.get("samples")
    found = samples if isinstance(samples, list) else []
    return _described(path, record, map(_object, found))


def _described(path: Path, header: dict[str, Any], samples: Iterator[dict[str, Any]]) -> _Log:
    evaluation = _object(header.get("eval"))
    results = header.get("results")
    scored = results.get("completed_samples") if isinstance(results, dict) else 0
    return _Log(
        path,
        str(evaluation.get("task") or "task"),
        str(evaluation.get("model") or "model"),
        samples,
        scored if isinstance(scored, int) else 0,
    )


def _archive(path: Path) -> _Log:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            total = sum(entry.file_size for entry in archive.infolist())
            if total > MAX_LOG_BYTES:
                raise ReaderError(
                    f"{path}: unpacks to {total / 2**30:.0f} GiB, more than a log should. {_REMEDY}"
                )
            header = _member(path, archive, _HEADER if _HEADER in names else _START)
    except ReaderError:
        raise
    except DAMAGED_ARCHIVE as error:
        raise ReaderError(f"{path}: no archive that can be read ({error}). {_REMEDY}") from error
    return _described(path, header, _samples(path))


def _samples(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.startswith(_SAMPLES) and name.endswith(".json"):
                    yield _member(path, archive, name)
    except ReaderError:
        raise
    except DAMAGED_ARCHIVE as error:
        raise ReaderError(f"{path}: no archive that can be read ({error}). {_REMEDY}") from error


def _member(path: Path, archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    """Read one file of an archive; nothing is written to disk."""
    with archive.open(name) as stream:
        data = stream.read(MAX_SAMPLE_BYTES + 1)
    if len(data) > MAX_SAMPLE_BYTES:
        raise ReaderError(
            f"{path}, {name}: more than {MAX_SAMPLE_BYTES // 2**20} MiB when unpacked. {_REMEDY}"
        )
    try:
        found = load_json(data)
    except ValueError as error:
        raise ReaderError(f"{path}, {name}: not JSON ({error}). {_REMEDY}") from error
    if not isinstance(found, dict):
        raise ReaderError(f"{path}, {name}: no JSON object. {_REMEDY}")
    return found


FORMAT = ExportFormat(
    name="inspect_log",
    title="Inspect",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a sample; to the question answer the annotator is the model, and the target is "
        "the known answer; to the question verdict the annotator is the scorer. Epochs are "
        "repeated labels."
    ),
)
