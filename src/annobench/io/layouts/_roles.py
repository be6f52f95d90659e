"""The columns of a row per label, by what their cells say where names don't."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from annobench.io.formats.tables import (
    ANNOTATOR_NAMES,
    ITEM_NAMES,
    TEXT_NAMES,
    Table,
    as_text,
    is_category,
)
from annobench.labels.column_kinds import unlike_labels
from annobench.labels.columns import ROUND_NAME, USUAL_NAMES, plain_name

#: Words in the names of the columns of annotators and items, whatever else they say.
_WORDS = {
    "annotator": {word for name in ANNOTATOR_NAMES for word in name.split("_")} - {"id"},
    "item": {"id", "item", "uid", "uuid", "key"},
}
_NAMES = {"item": ITEM_NAMES, "annotator": ANNOTATOR_NAMES, "label": USUAL_NAMES["label"]}

#: More distinct values than this are no categories.
_MAX_CATEGORIES = 50


def typed(named: Mapping[str, str]) -> str:
    """Return options as typed."""
    return shlex.join([word for name, value in named.items() for word in (f"--{name}", value)])


def readings_of(table: Table, columns: Mapping[str, str | None]) -> dict[str, dict[str, Any]]:
    """Return the columns that may be those of items, annotators and labels, by options."""
    cells = {name: [as_text(row.get(name, "")) for row in table.preview] for name in table.header}
    cells = {name: own for name, own in cells.items() if name and 1 < len(set(own)) < len(own)}
    candidates = {role: _of_role(role, table, cells, columns.get(role)) for role in _NAMES}
    rounds = [name for name in cells if ROUND_NAME.fullmatch(plain_name(name))]
    unlike = {name for name, own in cells.items() if not all(map(is_category, own))}
    unlike |= {str(name) for name in unlike_labels(cells)}
    readings: dict[str, dict[str, Any]] = {}
    for item, annotator in product(candidates["item"], candidates["annotator"]):
        if item == annotator or not _are_several(cells, item, annotator):
            continue
        taken = {item, annotator, *rounds, *unlike}
        labels = candidates["label"] or [
            name
            for name, own in cells.items()
            if name not in taken
            and len(set(own)) <= _MAX_CATEGORIES
            and not _follows(own, cells[item])
            and not _follows(own, cells[annotator])
        ]
        repeats = _repeats(cells, [item, annotator], rounds)
        for label in labels if repeats is not None else ():
            named = {"item": item, "annotator": annotator, "label": label} | (repeats or {})
            readings[typed(named)] = named
    return readings


def _of_role(
    role: str, table: Table, cells: Mapping[str, Sequence[str]], column: str | None
) -> list[str]:
    """Return the columns of a role: the one given, or the usual one, or else by their names."""
    usual = column or table.column(_NAMES[role])
    if usual is not None:
        return [usual] if usual in cells else []
    words = _WORDS.get(role, set())
    return [
        name
        for name in cells
        if not words.isdisjoint(plain_name(name).split("_")) and plain_name(name) not in TEXT_NAMES
    ]


def _are_several(cells: Mapping[str, Sequence[str]], item: str, annotator: str) -> bool:
    """Return whether most items have two annotators or more."""
    pairs = set(zip(cells[item], cells[annotator], strict=True))
    n_annotators = [sum(name == own for own, _ in pairs) for name in set(cells[item])]
    return 2 * sum(n > 1 for n in n_annotators) > len(n_annotators)


def _follows(column: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether a column says nothing but what another one does."""
    return len(set(zip(other, column, strict=True))) == len(set(other))


def _repeats(
    cells: Mapping[str, Sequence[str]], columns: list[str], rounds: list[str]
) -> dict[str, str] | None:
    """Return what to do with repeated labels; None if nothing distinguishes them."""
    if _are_unique(cells, columns):
        return {}
    return {"repeats": "first"} if any(_are_unique(cells, [*columns, r]) for r in rounds) else None


def _are_unique(cells: Mapping[str, Sequence[str]], columns: list[str]) -> bool:
    rows = list(zip(*(cells[name] for name in columns), strict=True))
    return len(set(rows)) == len(rows)
