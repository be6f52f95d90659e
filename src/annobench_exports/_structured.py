"""Answers that are not one text: check boxes, JSON of forms, boxes drawn on an image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annobench.io.formats.base import Span, as_json
from annobench.io.formats.records import load_json

#: A label as an intake takes it.
Label = str | tuple[str, ...] | None

#: An option written between bars is at most so long; a longer one is a text with a bar in it.
_MAX_OPTION_LENGTH = 60


def parse_json(text: str) -> Any:
    """Return the object or list that a cell holds as JSON; None if it holds none."""
    if text[:1] not in "{[" or not text:
        return None
    try:
        found = load_json(text)
    except ValueError:
        return None
    return found if isinstance(found, dict | list) else None


def bars(text: str) -> tuple[str, ...] | None:
    """Return the options of a cell such as "red|green"; None if it is a text."""
    parts = text.split("|")
    fits = all(part and part == part.strip() and len(part) <= _MAX_OPTION_LENGTH for part in parts)
    return tuple(parts) if len(parts) > 1 and fits else None


def flatten(question: str, value: Any) -> Iterator[tuple[str, Label | list[Span]]]:
    """Yield the questions that a value of a form answers, and each answer."""
    if value is None or value in ("", [], {}):
        yield question, None
    elif isinstance(value, bool):
        yield question, "true" if value else "false"
    elif isinstance(value, str):
        yield question, value
    elif isinstance(value, int | float):
        yield question, f"{value:g}" if isinstance(value, float) else str(value)
    elif isinstance(value, list):
        yield question, _options(value)
    elif isinstance(value, dict):
        yield from _object(question, value)
    else:
        yield question, as_json(value)


def _options(value: list[Any]) -> Label:
    if all(isinstance(part, dict) and isinstance(part.get("label"), str) for part in value):
        value = [part["label"] for part in value]
    # One thing may be marked several times; as an option it is chosen or not.
    return tuple(dict.fromkeys(as_json(part) for part in value))


def _object(question: str, value: dict[str, Any]) -> Iterator[tuple[str, Label | list[Span]]]:
    if all(isinstance(part, bool) for part in value.values()):
        yield question, tuple(option for option, chosen in value.items() if chosen) or None
    elif set(value) == {"label"}:
        yield from flatten(question, value["label"])
    elif set(value) == {"labels"}:
        yield from flatten(question, value["labels"])
    elif isinstance(value.get("entities"), list):
        yield question, entities(value["entities"])
    elif isinstance(value.get("boundingBoxes"), list):
        yield from flatten(question, value["boundingBoxes"])
    elif isinstance(value.get("polygons"), list):
        yield from flatten(question, value["polygons"])
    else:
        for name, part in value.items():
            yield from flatten(f"{question}.{name}", part)


def entities(found: list[Any]) -> list[Span]:
    """Return the entities that a crowd HTML element sends, as spans."""
    return [
        Span(int(part["startOffset"]), int(part["endOffset"]), str(part.get("label", "")))
        for part in found
        if isinstance(part, dict)
        and isinstance(part.get("startOffset"), int)
        and isinstance(part.get("endOffset"), int)
    ]
