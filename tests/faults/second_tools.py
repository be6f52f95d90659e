"""Second readers of exports in JSON, as those of `second_readers`, of further tools."""

from __future__ import annotations

import json
from typing import Any

from faults.fuzzing import UnclearError
from faults.second_readers import (
    Answer,
    Found,
    Mark,
    OddError,
    documents,
    lists,
    name,
    plain,
    unique,
)


def ground_truth(data: bytes, stem: str) -> Found:
    """Read a consolidation request."""
    answers: list[Answer] = []
    marks: list[Mark] = []
    records = documents(data)
    if "datasetObjectId" not in records[0] or not isinstance(records[0].get("annotations"), list):
        raise UnclearError
    for record in records:
        item = name(record.get("datasetObjectId"))
        lists(record.get("annotations"))
        for annotation in record.get("annotations") or []:
            who = name((annotation or {}).get("workerId"))
            content = (annotation.get("annotationData") or {}).get("content", {})
            if isinstance(content, str):
                content = content_of(content)
            for question, value in (content or {}).items():
                if isinstance(value, dict) and list(value) == ["entities"]:
                    marks.append((item, who, question, entities_of(value["entities"]), "done"))
                else:
                    answers.append((item, who, question, answer_of(value), "done"))
    return answers, marks


def content_of(text: str) -> Any:
    if not text.startswith("{"):
        raise UnclearError if text.startswith("[") else OddError("no object")
    return json.loads(text, object_pairs_hook=unique)


def entities_of(found: Any) -> list[tuple[int, int, str]]:
    if not isinstance(found, list):
        raise UnclearError
    for each in found:
        numbers = [each.get(key) for key in ("startOffset", "endOffset")]
        if not all(type(n) is int for n in numbers) or not isinstance(each.get("label"), str):
            raise UnclearError
    return [(each["startOffset"], each["endOffset"], each["label"]) for each in found]


def answer_of(value: Any) -> Any:
    """A text, one label, or several of them."""
    if isinstance(value, dict) and list(value) == ["label"]:
        value = value["label"]
    elif isinstance(value, dict) and list(value) == ["labels"]:
        value = value["labels"]
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return frozenset(value) or None
    if isinstance(value, list | dict | float):
        raise UnclearError
    return plain(value)
