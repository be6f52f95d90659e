"""Logs of judges' verdicts on items, one record per verdict.

A judge may be a language model or a person. Records of pairs of models (A or B is better) become
labels that name the preferred model, whatever the order of the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from annobench.core.names import MadeName, Name, joined
from annobench.io.formats.base import ExportFormat, Intake, Source, Status, as_json, label_name
from annobench.io.formats.records import is_json_lines, json_records
from annobench.io.formats.tables import ANNOTATOR_NAMES, GOLD_NAMES, ITEM_NAMES, plain_name
from annobench.labels.columns import USUAL_NAMES

_OF_JUDGES = ("judge", "judge_model", "judge_name", "grader", "evaluator")
_JUDGE = (*_OF_JUDGES, *ANNOTATOR_NAMES)
_MODEL = ("model", "model_name", "model_id")
_ITEM = ("item", "item_id", "question_id", "prompt_id", "conversation_id", "pair_id", *ITEM_NAMES)
_VERDICT = (
    *("verdict", "judgment", "judgement", "judge_pick", "judge_verdict", "decision", "winner"),
    *("preference", "pick", "grade", "score", *USUAL_NAMES["label"]),
)
#: Fields whose numbers are names of categories, as they are in tables.
_CATEGORIES = {"label", "category", "class"}
_HUMAN = ("human_winner", "human_label", "human_verdict", "human_judgment", "human")
_PROMPT = ("prompt_name", "prompt_version", "prompt_variant", "template", "order", "position")
_GOLD = (*GOLD_NAMES, "target", "reference_label", "expected")
_TEXT = ("text", "input", "prompt", "question_text", "content")

#: An id of its own has every comparison under these names; others name a question, on which
#: several pairs are compared.
_UNIQUE = ("id", "uid", "uuid", "item", "item_id", "pair_id")

#: Fields of FastChat's scores of single answers, and the score of a call that failed.
_FASTCHAT, _FAILED = {"question_id", "judge", "model", "score", "turn"}, -1

#: Who gave verdicts that no field names.
JUDGE, PERSON = "judge", "human"

#: Fields by which annotation tools know their own records.
_OTHERS = {"annotation_id", "lead_time", "annotations", "responses", "_input_hash", "_task_hash"}

#: What the verdicts answer.
QUESTION = "verdict"

_FIRST = {"a", "model_a", "assistant_a", "[[a]]", "left", "1"}
_SECOND = {"b", "model_b", "assistant_b", "[[b]]", "right", "2"}


@dataclass(frozen=True)
class _Roles:
    """The fields of a record by what they say; None for what it lacks."""

    item: str | None
    verdict: str | None
    judge: str | None
    judged: str | None
    pair: tuple[str, str] | None
    person: str | None
    gold: str | None
    text: str | None
    prompts: tuple[str, ...]
    first: str | None
    has_turn: bool
    is_unique: bool
    is_fastchat: bool

    @classmethod
    def of(cls, names: Iterable[str], text: str | None = None, first: str | None = None) -> _Roles:
        """Find the roles of fields by their names."""
        fields = {plain_name(name): name for name in names}

        def pick(known: tuple[str, ...]) -> str | None:
            return next((fields[name] for name in known if name in fields), None)

        item, judge, model = pick(_ITEM), pick(_JUDGE), pick(_MODEL)
        is_pair = {"model_a", "model_b"} <= set(fields)
        is_fastchat = fields.keys() >= _FASTCHAT
        return cls(
            item=item,
            # FastChat's judgment is the prose beside the score.
            verdict=fields["score"] if is_fastchat else pick(_VERDICT),
            judge=judge or model,
            # A model beside a judge is the one whose answer was judged.
            judged=model if judge is not None and not is_pair else None,
            pair=(fields["model_a"], fields["model_b"]) if is_pair else None,
            person=pick(_HUMAN),
            gold=pick(_GOLD),
            text=text or pick(_TEXT),
            prompts=tuple(
                fields[name] for name in _PROMPT if name in fields and fields[name] != first
            ),
            first=first if first in fields.values() else None,
            has_turn="turn" in fields.values(),
            is_unique=item is not None and plain_name(item) in _UNIQUE,
            is_fastchat=is_fastchat,
        )


def _recognise(source: Source) -> str | None:
    """Return the variant: pairs with a verdict, or single verdicts with a judge named."""
    record = source.first_record
    if record is None or set(record) & _OTHERS:
        return None
    roles = _Roles.of(record)
    if roles.item is None or roles.verdict is None or not _is_plain(record[roles.verdict]):
        return None
    if roles.pair is not None:
        return "comparisons of pairs"
    return None if roles.judge is None else "verdicts"


def says_more(names: Iterable[str]) -> bool:
    """Return whether records say more than who gave an item which label: of a judge, or a model."""
    fields = set(map(plain_name, names))
    more = {*_OF_JUDGES, *_MODEL, *_HUMAN, *_PROMPT, *_OTHERS}
    return bool(fields & (more | {"model_a", "model_b", "turn"}))


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _read(source: Source, intake: Intake) -> None:
    """Push the verdict of every record, and that of a person beside it."""
    intake.begin("", "line" if is_json_lines(source.path) else "record")
    known: dict[tuple[str, ...], _Roles] = {}
    binary = True
    for where, record in json_records(source.path):
        intake.read()
        names = tuple(record)
        roles = known.get(names)
        if roles is None:
            intake.asked_text(names)
            roles = known[names] = _Roles.of(names, intake.options.text, intake.options.shown_first)
        binary &= _push(intake, record, roles, where)
    named = {plain_name(each.verdict) for each in known.values() if each.verdict is not None}
    if binary or (named and named <= _CATEGORIES):
        # Other numbers are ratings.
        intake.question(QUESTION, "choice")


def _push(intake: Intake, record: dict[str, Any], roles: _Roles, where: int) -> bool:
    """Push a record; return whether its verdict is 0, 1 or missing."""
    asked = "" if roles.item is None else _name(record[roles.item])
    annotator = _annotator(record, roles)
    if not asked or not annotator:
        intake.fault(where, "no judge" if asked else "no item")
        return True
    pair = None
    if roles.pair is not None:
        pair = _name(record[roles.pair[0]]), _name(record[roles.pair[1]])
    item = joined([asked, *_judged(record, roles, pair)], " | ")
    text = None if roles.text is None else record.get(roles.text)
    if isinstance(text, str):
        intake.text(item, text)
    gold = None if roles.gold is None else record[roles.gold]
    if gold not in (None, "") and _is_plain(gold):
        intake.gold(item, QUESTION, _label(gold, pair) or "")
    given = None if roles.verdict is None else record[roles.verdict]
    if given == _FAILED and roles.is_fastchat:
        intake.leave_out(where, f"failed calls, whose score is {_FAILED}")
        return True
    failed = given is None and bool(record.get("error"))
    if given is None and roles.person is None and not failed:
        intake.leave_out(where, "records without a verdict")
        return True
    status: Status = "unfinished" if failed else "done"
    shown = None if roles.first is None else _label(record[roles.first], pair)
    first = None if shown is None else label_name(shown)
    intake.answer(
        item, annotator, QUESTION, _label(given, pair), where=where, status=status, first=first
    )
    if roles.person is not None:
        human = _label(record[roles.person], pair)
        intake.answer(item, MadeName(PERSON), QUESTION, human, where=where, first=first)
    return given in (0, 1, None)


def _annotator(record: dict[str, Any], roles: _Roles) -> Name:
    """Name the judge: each prompt, and each order of the two answers, counts as a judge."""
    name = JUDGE if roles.judge is None else _name(record[roles.judge])
    if not name:
        return name
    shown = [name, *(part for part in map(_name, map(record.get, roles.prompts)) if part)]
    return MadeName(JUDGE) if roles.judge is None and len(shown) == 1 else joined(shown, "/")


def _name(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "/".join(map(_name, value))
    return "" if value is None else as_json(value)


def _judged(record: dict[str, Any], roles: _Roles, pair: tuple[str, str] | None) -> Iterator[str]:
    """Name what was judged apart from the question: the models, and the turn."""
    if roles.judged is not None:
        yield _name(record[roles.judged])
    elif roles.is_unique:
        return
    yield from sorted(pair or ())
    if roles.has_turn:
        yield f"turn {record['turn']}"


def _label(value: Any, pair: tuple[str, str] | None) -> str | float | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        word = value.strip().casefold() if pair is not None else ""
        if pair is not None and word in _FIRST:
            return pair[0]
        return pair[1] if pair is not None and word in _SECOND else value
    return value if isinstance(value, int | float) else as_json(value)


FORMAT = ExportFormat(
    name="judge_log",
    title="a log of judges",
    recognise=_recognise,
    read=_read,
    note=(
        "Each record is a judge's verdict on an item. Each prompt and order counts as a judge; "
        "human verdicts belong to the annotator 'human'. In comparisons of two models, labels name "
        "the preferred one."
    ),
)
