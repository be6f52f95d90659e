"""Whole numbers as names: 5 and 5.0 are one category.

A program turns a column of whole numbers with a gap into floats, and writes 5.0 where another
column has 5. Such a pair is one category, and is written 5. All other spellings of equal numbers
stay as they are, since 01 may be a code and 1e3 a name; `annobench.labels.doubts` remarks on them.

Items and annotators keep the names they have, as 1 and 1.0 may be two chapters or two versions of
a program; where a name is looked up in vain, `spelling_hint` says what the difference is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_WHOLE = re.compile(r"([+-]?(?:0|[1-9][0-9]*))\.0+")

_WITH_COMMA = re.compile(r"[+-]?\d+(?:,\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")


def plain_number(name: object) -> str:
    """Write the name of a category, if it is a whole number, without a decimal point."""
    text = str(name)
    if not text.endswith("0"):  # most names, at little cost
        return text
    found = _WHOLE.fullmatch(text)
    text = text if found is None else found[1]
    return "0" if text == "-0" else text


def plain_categories(names: Iterable[object]) -> tuple[str, ...]:
    """Write a list of categories with plain numbers, each number once."""
    given = tuple(map(str, names))
    plain = tuple(map(plain_number, given))
    return plain if len(set(given)) < len(given) else tuple(dict.fromkeys(plain))


def with_points(names: Sequence[str]) -> tuple[str, ...]:
    """Write numbers with decimal commas with points, if all names are numbers then."""
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
