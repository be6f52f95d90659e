"""Whole numbers as names: 5 and 5.0 are one category.

A program turns a column of whole numbers with a gap into floats, and writes 5.0 where another
column has 5. Such a pair is one category, and is written 5. All other spellings of equal numbers
stay as they are, since 01 may be a code and 1e3 a name; `annobench.labels.doubts` remarks on them.

Items and annotators keep the names they have, as 1 and 1.0 may be two chapters or two versions of
a program; where a name is looked up in vain, `spelling_hint` says what the difference is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_WHOLE = re.compile(r"([+-]?(?:0|[1-9][0-9]*))\.0+")


def plain_number(name: object) -> str:
    """Write the name of a category, if it is a whole number, without a decimal point.

    Parameters
    ----------
    name : object
        The name; anything that `str` turns into one.

    Returns
    -------
    str
        "5" for "5.0" and "5.00", and "0" for "-0" as well; any other name unchanged, also one with
        leading zeros, such as "01.0".

    Examples
    --------
    >>> [plain_number(name) for name in ("5.0", 5.0, "-1.00", "-0.0", "01.0", "5.5", "v2.0")]
    ['5', '5', '-1', '0', '01.0', '5.5', 'v2.0']
    """
    text = str(name)
    if not text.endswith("0"):  # most names, at little cost
        return text
    found = _WHOLE.fullmatch(text)
    text = text if found is None else found[1]
    return "0" if text == "-0" else text


def plain_categories(names: Iterable[object]) -> tuple[str, ...]:
    """Write a list of categories with plain numbers, each number once.

    Parameters
    ----------
    names : iterable
        All categories in their order.

    Returns
    -------
    tuple of str
        In the order of first appearance. A name that comes twice in the same spelling stays
        twice, as that is a mistake in the list.

    Examples
    --------
    >>> plain_categories(["2.0", 1, "2"]), plain_categories(["a", "a"])
    (('2', '1'), ('a', 'a'))
    """
    given = tuple(map(str, names))
    plain = tuple(map(plain_number, given))
    return plain if len(set(given)) < len(given) else tuple(dict.fromkeys(plain))


def spelling_hint(given: Iterable[str], known: Iterable[str]) -> str:
    """Say that names differ only in how whole numbers are written, as 12.0 and 12 do.

    Parameters
    ----------
    given : iterable of str
        Names that were looked for.
    known : iterable of str
        Names that there are.

    Returns
    -------
    str
        A sentence with a space before it, to end an error message with; empty if they differ
        otherwise.

    Examples
    --------
    >>> spelling_hint(["12.0"], ["11", "12"])
    " '12.0' is written '12' there: write such numbers alike in both, without a decimal point."
    >>> spelling_hint(["x"], ["y"])
    ''
    """
    written = {plain_number(name): name for name in known}
    for name in given:
        other = written.get(plain_number(name), name)
        if other != name:
            return (
                f" {name!r} is written {other!r} there: write such numbers alike in both, without "
                "a decimal point."
            )
    return ""
