"""Validate the configuration and the papers' records against their schemas."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

#: The safe loader in C, where PyYAML was built with it: it takes a tenth of the time.
_BASE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_BASE):  # type: ignore[misc, valid-type]
    """Values mean what they look like, as in YAML 1.2: 1:30 is no 90, 010 no 8, no no false."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


_INT = r"[-+]?(?:0|[1-9][0-9]*)"
for _tag, _pattern, _first in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", _INT, list("-+0123456789")),
    ("float", _INT + r"(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", list("-+0123456789")),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), _first
    )

#: JSON Schema takes 1.0 for a whole number, and NaN for larger than any minimum.
_TYPES = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
    {
        "integer": lambda _, value: type(value) is int,
        "number": lambda _, value: (
            type(value) is int or (type(value) is float and math.isfinite(value))
        ),
    }
)
_Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=_TYPES)


class DocumentError(ValueError):
    """A YAML document that breaks its schema."""


def read_yaml(path: Path) -> Any:
    """Return what a YAML file holds, or say on which line it is none.

    Raises
    ------
    DocumentError
        If it is missing, not UTF-8 or not YAML, a key occurs twice in one place, or values are
        shared by aliases, which could make a small file a large document.
    """
    try:
        loader = _Loader(path.read_text(encoding="utf-8"))
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _check(node, set())
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except FileNotFoundError:
        raise DocumentError(f"{path}: missing. Write it.") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DocumentError(f"{path}: no valid YAML ({error}). Correct the file.") from error


def _check(node: yaml.Node, seen: set[int]) -> None:
    line = node.start_mark.line + 1
    if id(node) in seen:
        raise ValueError(f"line {line}: a value that is shared by an alias; write it out")
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for part in node.value:
            _check(part, seen)
    elif isinstance(node, yaml.MappingNode):
        keys = set()
        for key, part in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise ValueError(f"line {line}: a key that is no text")
            if key.value in keys:
                raise ValueError(f"line {line}: the key {key.value!r} occurs twice in one place")
            keys.add(key.value)
            _check(part, seen)


@cache
def _validator(schema: Path) -> Any:
    return _Validator(read_yaml(schema))


def validate(document: Any, schema: Path, name: str) -> None:
    """Refuse a document that breaks its schema, naming the path of every faulty key.

    Raises
    ------
    DocumentError
        One line a fault: the document, the key's path, what is wrong, what is allowed.
    """
    faults = [f"{name}, key {key}: not a text." for key in _strange_keys(document, "")]
    if not faults:
        faults = [
            f"{name}, {line}"
            for error in sorted(
                _validator(schema).iter_errors(document), key=lambda error: error.json_path
            )
            for line in _lines(error)
        ]
    if faults:
        raise DocumentError("\n".join(faults))


def _strange_keys(document: Any, path: str) -> list[str]:
    """Return the paths of the keys that are no texts."""
    if isinstance(document, Mapping):
        found = [f"{path}{key}" for key in document if not isinstance(key, str)]
        parts: Iterable[tuple[object, Any]] = document.items()
    elif isinstance(document, list):
        found, parts = [], enumerate(document)
    else:
        return []
    for key, part in parts:
        found += _strange_keys(part, f"{path}{key}.")
    return found


def unknown(path: str, found: str, known: Iterable[str]) -> str:
    """Say that a name is not known, which names are, and which one may be meant."""
    known = sorted(known)
    near = difflib.get_close_matches(found, known, n=1)
    meant = f" Is {near[0]!r} meant?" if near else ""
    return f"{path}: {found!r} is not known; known are {', '.join(known) or 'none'}.{meant}"


def _lines(error: jsonschema.ValidationError) -> list[str]:
    path = ".".join(map(str, error.absolute_path))
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = error.schema.get("properties", {})
        return [
            unknown(f"key {path + '.' if path else ''}{key}", str(key), known)
            for key in error.instance
            if key not in known
        ]
    return [f"key {path or '(top)'}: {error.message}."]
