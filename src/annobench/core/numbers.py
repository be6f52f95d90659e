"""Whole numbers as names: 5 and 5.0 are one category.

Programs convert columns of whole numbers with missing values to floats, and write 5.0 for 5. Such
pairs are the same category, written 5. All other spellings of equal numbers are kept, since 01 may
be a code and 1e3 a name; `annobench.labels.doubts` reports them.

Names of items and annotators are kept, as 1 and 1.0 may be two chapters or versions; if a name is
not found, `spelling_hint` explains the difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_WHOLE = re.compile(r"([+-]?(?:0|[1-9][0-9]*))\.0+")

_WITH_COMMA = re.compile(r"[+-]?\d+(?:,\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")


def plain_number(name: object) -> str:
    """Return the name of a category, without a decimal point if it is a whole number."""
    text = str(name)
    if not text.endswith("0"):  # most names, at little cost
        return text
    found = _WHOLE.fullmatch(text)
    text = text if found is None else found[1]
    return "0" if text == "-0" else text


def plain_categories(names: Iterable[object]) -> tuple[str, ...]:
    """Return categories with plain numbers, without duplicates."""
    given = tuple(map(str, names))
    plain = tuple(map(plain_number, given))
    return plain if len(set(given)) < len(given) else tuple(dict.fromkeys(plain))


def with_points(names: Sequence[str]) -> tuple[str, ...]:
    """Replace decimal commas by points, if all names then are numbers."""
    commas = [name for name in names if "," in name]
    if not commas or any("." in name for name in names):
        return tuple(names)
    are_numbers = all(_WITH_COMMA.fullmatch(name.strip()) for name in names)
    are_thousands = all(_THOUSANDS.fullmatch(name.strip()) for name in commas)
    if not are_numbers or are_thousands:
        return tuple(names)
    return tuple(name.replace(",", ".") for name in names)


def spelling_hint(given: Iterable[str], known: Iterable[str]) -> str:
    """Say that names differ only in how whole numbers are written, or in spaces and capitals."""
    names, others = list(given), list(known)
    alike = "write such numbers alike in both, without a decimal point."
    for spelled, remedy in ((plain_number, alike), (_folded, "write both alike.")):
        written = {spelled(name): name for name in others}
        for name in names:
            other = written.get(spelled(name), name)
            if other != name:
                return f" {name!r} is written {other!r} there: {remedy}"
    return ""


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
