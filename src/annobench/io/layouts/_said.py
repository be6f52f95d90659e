"""Sentences about the interpretation of a table's columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from annobench.io.formats.tables import TEXT_NAMES, Table
from annobench.labels.columns import named_columns, plain_name

#: Names that a sentence lists at most.
_SHOWN = 10


def listed(names: Iterable[str]) -> str:
    """Join names, truncating long lists."""
    return named_columns(names, most=_SHOWN)


def said_of_columns(
    table: Table,
    *,
    item: Sequence[str],
    annotators: Sequence[str],
    questions: Sequence[str],
    gold: str | None,
    unused: Mapping[str, str],
    used: Collection[str | None],
) -> str:
    """Describe the interpretation of a table with one column per annotator."""
    who = f"named by {listed(item)}" if item else "not named"
    parts = [f"A row is an item, {who}", f"annotators: {listed(annotators)}"]
    if len(questions) > 1:
        parts.append(f"questions: {listed(questions)}")
    if gold is not None:
        parts.append(f"known categories: {gold!r}")
    text = [name for name in table.header if plain_name(name) in TEXT_NAMES and name not in item]
    rest = {
        name: unused.get(name, "text" if name in text else "")
        for name in table.header
        if name and name not in {*used, *item, gold}
    }
    if rest:
        parts.append(f"not used: {with_reasons(rest)}")
    return "; ".join(parts) + "."


def with_reasons(columns: Mapping[str, str]) -> str:
    """Join names, each with what the column holds; a list that is cut says so."""
    shown = [f"{name!r} ({what})" if what else repr(name) for name, what in columns.items()]
    more = f" and {len(shown) - _SHOWN:,} more" if len(shown) > _SHOWN else ""
    return ", ".join(shown[:_SHOWN]) + more
