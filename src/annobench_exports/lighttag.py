"""Results of tasks of LightTag: examples with tags of spans and classes, and relations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from annobench.io.formats.base import ExportFormat, Intake, Relation, Source, Span
from annobench.io.formats.records import json_records
from annobench_exports._parts import (
    MisshapenError,
    each_file,
    listing,
    mapping,
    maybe_name,
    name,
    offsets,
    variant_of,
    word,
)

#: Questions of our own: classes of an example, tags of its spans.
CLASSES, TAGS = "classes", "tags"

#: A relation whose type was left open.
UNTYPED = "relation"


@dataclass
class _Example:
    """An example and the work on it.

    Attributes
    ----------
    where : int
        Its number, from 1.
    item, content : str
        Its id and text.
    seen_by : list of str
        Annotators, also those who only gave a tag or a class.
    spans : dict of str to list of Span
        By annotator.
    classes : dict of str to set of str
        By annotator.
    times : dict of str to str
        When the annotator gave the last class.
    relations : dict of str to list of Relation
        By annotator.
    """

    where: int
    item: str
    content: str
    seen_by: dict[str, None] = field(default_factory=dict)
    spans: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    classes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    times: dict[str, str] = field(default_factory=dict)
    relations: dict[str, list[Relation]] = field(default_factory=lambda: defaultdict(list))


#: By the id of a tagged token the example and span that it is.
_Tokens = dict[str, tuple[_Example, Span]]


def _recognise(source: Source) -> str | None:
    return variant_of(source, _variant)


def _variant(source: Source) -> str | None:
    record = source.first_record or {}
    examples = record.get("examples")
    if not isinstance(examples, list) or not examples or "schema" not in record:
        return None
    fits = all(
        isinstance(each, dict) and each.keys() >= {"example_id", "annotations", "classifications"}
        for each in examples
    )
    return "results of a task" if fits else None


def _read(source: Source, intake: Intake) -> None:
    for place, part in each_file(source):
        for _, task in json_records(part.path):
            _read_task(task, place, intake)


def _read_task(task: dict[str, Any], place: str, intake: Intake) -> None:
    """Read the examples of a task, then push what each annotator made of them."""
    examples: list[_Example] = []
    tokens: _Tokens = {}
    intake.begin(place, "example")
    for where, entry in enumerate(_entries(task, "examples", intake), start=1):
        try:
            examples.append(_example(where, mapping(entry, "an example"), tokens))
        except MisshapenError as error:
            intake.fault(where, str(error))
    intake.begin(place, "relation")
    _take_relations(_entries(task, "relations", intake), tokens, intake)
    intake.begin(place, "example")
    classified = any(example.classes for example in examples)
    tagged = any(example.spans for example in examples)
    for example in examples:
        _push(example, classified, tagged, intake)


def _entries(task: dict[str, Any], key: str, intake: Intake) -> list[Any]:
    """Return a list of the task; relations of none are an empty object."""
    try:
        return listing(task.get(key) or None, key)
    except MisshapenError as error:
        intake.fault(1, str(error))
        return []


def _example(where: int, entry: dict[str, Any], tokens: _Tokens) -> _Example:
    item = name(entry.get("example_id"), "example_id")
    example = _Example(where, item, word(entry.get("content")))
    example.seen_by |= dict.fromkeys(who for who, _ in _people(entry, "seen_by"))
    for part in listing(entry.get("annotations"), "annotations"):
        annotation = mapping(part, "an annotation")
        tag = name(annotation.get("tag"), "the tag of an annotation")
        place = offsets(annotation.get("start"), annotation.get("end"), f"a span {tag!r}")
        span = Span(*place, tag)
        token = maybe_name(annotation.get("tagged_token_id"))
        if token is not None:
            tokens[token] = (example, span)
        for who, _ in _people(annotation, "annotated_by"):
            example.seen_by[who] = None
            example.spans[who].append(span)
    for part in listing(entry.get("classifications"), "classifications"):
        classification = mapping(part, "a classification")
        label = name(classification.get("classname"), "the classname of a classification")
        for who, when in _people(classification, "classified_by"):
            example.seen_by[who] = None
            example.classes[who].add(label)
            example.times[who] = max(when, example.times.get(who, ""))
    return example


def _people(entry: dict[str, Any], key: str) -> Iterator[tuple[str, str]]:
    """Yield who did something, and when."""
    for part in listing(entry.get(key), key):
        person = mapping(part, f"one of {key}")
        yield _annotator(person, key), word(person.get("timestamp"))


def _annotator(entry: dict[str, Any], where: str) -> str:
    known = maybe_name(entry.get("annotator"))
    return known or name(entry.get("annotator_id"), f"the annotator_id of {where}")


def _take_relations(entries: list[Any], tokens: _Tokens, intake: Intake) -> None:
    """Give each example the edges between a node of a relation and its parent."""
    nodes: dict[str, tuple[int, dict[str, Any]]] = {}
    for where, entry in enumerate(entries, start=1):
        try:
            node = mapping(entry, "a node of a relation")
            nodes[name(node.get("id"), "the id of a node")] = where, node
        except MisshapenError as error:
            intake.fault(where, str(error))
    for where, node in nodes.values():
        above = maybe_name(node.get("parent_id"))
        if above is None:
            continue
        _, parent = nodes.get(above, (0, {}))
        ends = [tokens.get(maybe_name(n.get("tagged_token_id")) or "") for n in (parent, node)]
        try:
            who = _annotator(node, "a node")
        except MisshapenError as error:
            intake.fault(where, str(error))
            continue
        (example, source), (other, target) = (end or (None, Span(0, 0, "")) for end in ends)
        if example is None or example is not other:
            intake.read()
            intake.leave_out(where, "relations that are not between two spans of one example")
        elif not {source, target} <= set(example.spans.get(who, ())):
            intake.read()
            intake.leave_out(where, "relations of spans that another annotator marked")
        else:
            label = maybe_name(node.get("relation_type")) or UNTYPED
            example.relations[who].append(Relation(source, target, label))


def _push(example: _Example, classified: bool, tagged: bool, intake: Intake) -> None:
    """Push the work of all who saw an example; without a mark or class they chose none."""
    where, item = example.where, example.item
    intake.read()
    if example.content:
        intake.text(item, example.content)
        intake.document(item, example.content)
    if not example.seen_by or not (classified or tagged):
        intake.leave_out(where, "examples that nobody has annotated")
        return
    for who in example.seen_by:
        if classified:
            intake.at(example.times.get(who), "timestamp")
            chosen = frozenset(example.classes.get(who, ())) or None
            intake.answer(item, who, CLASSES, chosen, where=where, personal=True)
        if tagged:
            intake.marks(
                item,
                who,
                TAGS,
                example.spans.get(who, ()),
                where=where,
                relations=example.relations.get(who, ()),
                personal=True,
            )


FORMAT = ExportFormat(
    name="lighttag",
    title="LightTag",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is an example, and all who saw it count as its annotators; the questions are the "
        "classes of an example and the tags of its spans. What reviewers decided is not used."
    ),
)
