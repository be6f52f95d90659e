"""Logs of verdicts, one record each: which judge said what of which item.

A judge may be a language model or a person. Records of pairs of models (A or B is better) become
labels that name the preferred model, so that the order of the two does not matter.
"""

from __future__ import annotations

from typing import Any

from annobench.io.exports._records import is_json_lines, json_records
from annobench.io.exports._tables import ANNOTATOR_NAMES, GOLD_NAMES, ITEM_NAMES, plain_name
from annobench.io.exports.base import ExportFormat, Intake, Source, as_json
from annobench.io.table import USUAL_NAMES

_JUDGE = ("judge", "judge_model", "judge_name", "grader", "evaluator", *ANNOTATOR_NAMES)
_MODEL = ("model", "model_name", "model_id")
_ITEM = ("item", "item_id", "question_id", "prompt_id", "conversation_id", "pair_id", *ITEM_NAMES)
_VERDICT = (
    *("verdict", "judgment", "judgement", "judge_pick", "judge_verdict", "decision", "winner"),
    *("preference", "pick", "grade", "score", *USUAL_NAMES["label"]),
)
_HUMAN = ("human_winner", "human_label", "human_verdict", "human_judgment", "human")
_PROMPT = ("prompt_name", "prompt_version", "prompt_variant", "template", "order", "position")
_GOLD = (*GOLD_NAMES, "target", "reference_label", "expected")
_TEXT = ("text", "input", "prompt", "question_text", "content")

#: An id of its own has every comparison under these names; others name a question, on which
#: several pairs are compared.
_UNIQUE = ("id", "uid", "uuid", "item", "item_id", "pair_id")

#: Who gave verdicts that no field names.
JUDGE, PERSON = "judge", "human"

#: Fields by which annotation tools know their own records.
_OTHERS = {"annotation_id", "lead_time", "annotations", "responses", "_input_hash", "_task_hash"}

#: What the verdicts answer.
QUESTION = "verdict"

_FIRST = {"a", "model_a", "assistant_a", "[[a]]", "left", "1"}
_SECOND = {"b", "model_b", "assistant_b", "[[b]]", "right", "2"}


def _recognise(source: Source) -> str | None:
    """Return the variant: pairs with a verdict, or single verdicts with a judge named."""
    record = source.first_record
    if record is None or set(record) & _OTHERS:
        return None
    fields = _fields(record)
    item, verdict = _pick(fields, _ITEM), _pick(fields, _VERDICT)
    if item is None or verdict is None or not _is_plain(record[verdict]):
        return None
    if {"model_a", "model_b"} <= set(fields):
        return "comparisons of pairs"
    return None if _judge_field(fields) is None else "verdicts"


def _fields(record: dict[str, Any]) -> dict[str, str]:
    return {plain_name(name): name for name in record}


def _pick(fields: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((fields[name] for name in names if name in fields), None)


def _judge_field(fields: dict[str, str]) -> str | None:
    return _pick(fields, (*_JUDGE, *_MODEL))


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _read(source: Source, intake: Intake) -> None:
    """Push the verdict of every record, and that of a person beside it."""
    intake.begin("", "line" if is_json_lines(source.path) else "record")
    binary = True
    for where, record in json_records(source.path):
        intake.read()
        fields = _fields(record)
        key, verdict = _pick(fields, _ITEM), _pick(fields, _VERDICT)
        annotator = _annotator(record, fields)
        if key is None or not _name(record[key]) or not annotator:
            intake.fault(where, "no judge" if key is not None and _name(record[key]) else "no item")
            continue
        pair = _pair(record, fields)
        item = " | ".join((_name(record[key]), *_judged(record, fields, key, pair)))
        text = record.get(intake.options.text or _pick(fields, _TEXT) or "")
        if isinstance(text, str):
            intake.text(item, text)
        gold = _pick(fields, _GOLD)
        if gold is not None and _is_plain(record[gold]) and record[gold] not in (None, ""):
            intake.gold(item, QUESTION, _label(record[gold], pair) or "")
        person = _pick(fields, _HUMAN)
        binary &= verdict is None or record[verdict] in (0, 1, None)
        given = None if verdict is None else record[verdict]
        if given is None and person is None and not record.get("error"):
            intake.leave_out(where, "records without a verdict")
            continue
        intake.answer(
            item,
            annotator,
            QUESTION,
            _label(given, pair),
            where=where,
            status="unfinished" if given is None and record.get("error") else "done",
        )
        if person is not None:
            intake.answer(item, PERSON, QUESTION, _label(record[person], pair), where=where)
    if binary:
        # Numbers are ratings, unless they only say yes or no.
        intake.question(QUESTION, "choice")


def _annotator(record: dict[str, Any], fields: dict[str, str]) -> str:
    """Name the judge; another prompt or order of the two answers makes another judge of it."""
    field = _judge_field(fields)
    name = JUDGE if field is None else _name(record[field])
    variants = [_name(record[fields[part]]) for part in _PROMPT if part in fields]
    return "/".join([name, *(part for part in variants if part)]) if name else ""


def _name(value: Any) -> str:
    if isinstance(value, list):
        return "/".join(map(_name, value))
    return "" if value is None else as_json(value)


def _judged(
    record: dict[str, Any], fields: dict[str, str], key: str, pair: tuple[str, str] | None
) -> list[str]:
    """Name what was judged beyond the question: the models that answered it, and the turn."""
    judged = sorted(pair or ())
    if pair is None and _pick(fields, _JUDGE) is not None:
        judged = [_name(record[fields[name]]) for name in _MODEL if name in fields][:1]
    elif plain_name(key) in _UNIQUE:
        return []
    return judged + ([f"turn {record['turn']}"] if "turn" in record else [])


def _pair(record: dict[str, Any], fields: dict[str, str]) -> tuple[str, str] | None:
    if not {"model_a", "model_b"} <= set(fields):
        return None
    return _name(record[fields["model_a"]]), _name(record[fields["model_b"]])


def _label(value: Any, pair: tuple[str, str] | None) -> str | float | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        word = value.strip().casefold()
        if pair is not None and word in _FIRST:
            return pair[0]
        return pair[1] if pair is not None and word in _SECOND else value
    return value if isinstance(value, int | float) else as_json(value)


FORMAT = ExportFormat(
    name="judge_log",
    title="logs of judges",
    recognise=_recognise,
    read=_read,
    note=(
        "A record is a judge's verdict on an item; another prompt or order is another judge, a "
        "person's verdict beside it is that of the annotator human. In comparisons of two models "
        "the label is the name of the preferred one."
    ),
)
