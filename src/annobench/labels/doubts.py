"""Likely mistakes in names: spellings, missing values, lists, free texts, numbers."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from annobench.core.numbers import plain_number
from annobench.labels.annotations import Annotations

__all__ = []

#: Categories that are looked at, and remarks of a kind.
MAX_LOOKED_AT: Final = 1_000
MAX_REMARKS: Final = 20
#: Categories beyond which the column may not be that of labels.
MANY_CATEGORIES: Final = 50

_MISSING = {
    *("", "-", "--", ".", "?", "na", "n/a", "n.a.", "<na>", "nan", "none", "null", "nil"),
    *("#n/a", "#ref!", "#value!", "#name?", "missing", "blank", "empty", "skip", "skipped"),
    *("no answer", "no label", "not annotated", "not labeled", "not labelled", "unlabeled"),
    *("unlabelled", "unannotated"),
}
#: Numbers that questionnaires use for a missing answer.
_CODE = re.compile(r"-?(?:9+|8+|7+)(?:\.0)?|-1")
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")
_LIST = re.compile(r"\s*[,;|]\s*")
_POINTED = re.compile(r"(?<![\w.])(\d+)\.0+(?![\w.])")
#: What programs add to the name of a second column or file: "ann.1", "ann (1)", "ann - Copy".
_COPY = re.compile(r"(?<=[^\W\d])\.\d+$| ?\(\d+\)$|[ _-]+copy$|^copy of ")
#: What stands in a text of names, a line each, if one begins or ends with a space or has two.
_SPACES = (" \n", "\n ", "  ", "\t", "\r")
_SPACED = re.compile(r"\s*([,;|/+\[\]()])\s*")
_WHOLE_NUMBERS = re.compile(r"[\[(]?-?\d+(?:[,;|/+]-?\d+)+[\])]?")


def doubtful_categories(annotations: Annotations) -> list[str]:
    """Report likely mistakes in categories, or in the names of items and annotators."""
    a = annotations
    found = doubtful_spellings("items", a.items)
    found += doubtful_spellings("annotators", a.annotators)
    if a.scale == "interval":
        return found + _far(a.categories)
    found += doubtful_names(a.elements or a.categories)
    if a.scale in ("nominal", "ordinal") and a.n_categories > MANY_CATEGORIES:
        found.append(
            f"{a.n_categories:,} categories: is this the column of labels? Measurements belong on "
            "the interval scale, and free text must be coded into categories first."
        )
    return found


def doubtful_names(categories: Sequence[str]) -> list[str]:
    """Report likely mistakes in the names of categories."""
    names = categories[:MAX_LOOKED_AT]
    found = _alike(names) + _equal_numbers(names) + _equal_lists(names) + _missing(names)
    found += _far(names)
    commas = [name for name in names if _DECIMAL_COMMA.fullmatch(name)]
    if commas:
        return [
            *found,
            f"The labels {_listed(commas)} have a decimal comma. If they are numbers, use the "
            "interval scale; as names 1,0 and 1 are different categories.",
        ]
    return found + _lists(names)


def doubtful_spellings(what: str, names: Iterable[str]) -> list[str]:
    """Say which names of items, annotators or groups are kept apart, and may be two spellings."""
    names = tuple(names)
    return _with_points(what, names) + _with_spaces(what, names)


def _with_spaces(what: str, names: tuple[str, ...]) -> list[str]:
    """Say that names differ only by spaces or encoding.

    Except for items, of which there are many, differ by capitals, too; annotators, also by "(1)".
    """
    folded = what != "items"
    text = "\n".join(("", *names, ""))
    if not folded and text.isascii() and not any(sign in text for sign in _SPACES):
        return []  # seen at once, as of nearly all files
    first: dict[str, str] = {}
    pairs = []
    for name in names:
        plain = " ".join(unicodedata.normalize("NFKC", name).split())
        other = first.setdefault(plain.casefold() if folded else plain, name)
        if other != name:
            pairs.append((other, name))
    if what == "annotators":
        originals = ((first.get(_COPY.sub("", plain), name), name) for plain, name in first.items())
        pairs += [(one, other) for one, other in originals if one != other]
    if not pairs:
        return []
    marks = {
        "items": "spaces or how letters are encoded",
        "annotators": "spaces, capitals or a mark of copies",
    }
    by = marks.get(what, "spaces or capitals")
    return [
        f"The {what} {_listed(pairs[0], ' and ')} differ only by {by}, and count as "
        f"different{_and_others(len(pairs) - 1)}. If they are the same, write them alike, or leave "
        "out what is there twice."
    ]


def _and_others(n: int) -> str:
    if not n:
        return ""
    return f", and so {'does' if n == 1 else 'do'} {n:,} other {'pair' if n == 1 else 'pairs'}"


def _with_points(what: str, names: tuple[str, ...]) -> list[str]:
    """Say that numbers come with and without a decimal point, of names that are kept apart."""
    pointed = [name for name in names if name[-2:] in ("00", ".0", "-0")]  # few, seen at once
    known = set(names if pointed else ())
    twice = {name for name in pointed if (plain := plain_number(name)) != name and plain in known}
    if not twice:
        return []
    first = min(twice)
    return [
        f"The {what} {_listed([plain_number(first), first], ' and ')} count as different"
        f"{_and_others(len(twice) - 1)}. If they are the same, write such numbers without a "
        "decimal point."
    ]


def _core(name: str) -> str:
    name = unicodedata.normalize("NFKC", name).casefold()
    core = " ".join(re.sub(r"^\W+|\W+$", "", name).split())
    # Of names without a letter, such as "+" and "-", punctuation is all there is.
    return core or name


def _alike(names: Sequence[str]) -> list[str]:
    by_core: dict[str, list[str]] = {}
    for name in names:
        by_core.setdefault(_core(name), []).append(name)
    return [
        f"The categories {_listed(same, ' and ')} differ only by spaces, capitals or punctuation, "
        "and count as different. If they are the same, spell them alike in the file."
        for same in by_core.values()
        if len(same) > 1 and not _are_numbers(same)
    ][:MAX_REMARKS]


def _equal_numbers(names: Sequence[str]) -> list[str]:
    """Report names that are equal numbers, such as 1000 and 1e3."""
    by_number: dict[Decimal, list[str]] = {}
    for name in names:
        try:
            number = Decimal(name)
            if number.is_finite() and "_" not in name:
                by_number.setdefault(number, []).append(name)
        except ArithmeticError:
            continue
    return [
        f"The categories {_listed(same, ' and ')} are equal numbers, and count as different. Only "
        "a decimal point and trailing zeros of a whole number are ignored."
        for same in _differing(by_number.values())
    ]


def _equal_lists(names: Sequence[str]) -> list[str]:
    """Report names that are equal lists of whole numbers, such as 1|2 and 1.0|2.0."""
    by_list: dict[str, list[str]] = {}
    for name in names:
        plain = _SPACED.sub(r"\1", _POINTED.sub(r"\1", name))
        if _WHOLE_NUMBERS.fullmatch(plain):
            by_list.setdefault(plain, []).append(name)
    return [
        f"The categories {_listed(same, ' and ')} are equal lists of numbers, and count as "
        "different. Spell them alike, without a decimal point."
        for same in _differing(by_list.values())
    ]


def _differing(groups: Iterable[list[str]]) -> list[list[str]]:
    """Return the groups whose names differ in more than punctuation."""
    found = [same for same in groups if len({_core(name) for name in same}) > 1]
    return found[:MAX_REMARKS]


def _are_numbers(names: Sequence[str]) -> bool:
    """Return whether names, such as -1 and 1, are different numbers."""
    try:
        return len({float(name) for name in names}) == len(names)
    except ValueError:
        return False


def _missing(names: Sequence[str]) -> list[str]:
    signs = {"-", "--"} if "+" in names else set()
    words = [name for name in names if not _is_number(name)]
    codes = [name for name in names if _CODE.fullmatch(name)]
    # Among words a number such as 99 is a code, unless there are other numbers.
    lone = codes if len(words) > 1 and len(words) + len(codes) == len(names) else []
    gaps = [name for name in names if name in lone or name.strip().casefold() in _MISSING - signs]
    if not gaps or len(gaps) == len(names):
        return []
    return [
        f"The {'category' if len(gaps) == 1 else 'categories'} {_listed(gaps)} may mean that there "
        "is no label. Each counts as a category: if it means missing, leave it out with --missing "
        f"{_option(gaps[0])}."
    ]


def _is_number(name: str) -> bool:
    try:
        return math.isfinite(float(name))
    except ValueError:
        return False


def _far(names: Sequence[str]) -> list[str]:
    """Report a number that may be a code for a missing label: 99 among 1 to 5, or -9."""
    try:
        numbers = {name: float(name) for name in names}
    except ValueError:
        return []
    found = []
    for name, own in numbers.items():
        rest = [other for other in numbers.values() if other != own]
        if len(rest) < 2 or not (_CODE.fullmatch(name) or own < 0 <= min(rest)):
            continue
        low, high = min(rest), max(rest)
        if max(low - own, own - high) > high - low:
            found.append(
                f"The label {name} is far from all others, which are {low:g} to {high:g}: it may "
                f"be a code for a missing label. If so, leave it out with --missing {name}."
            )
    return found


def _option(name: str) -> str:
    return name if name and name.isalnum() else f'"{name}"'


def _lists(names: Sequence[str]) -> list[str]:
    """Report names composed of other names, such as several chosen options."""
    known = set(names)
    joined = [
        name
        for name in names
        if len(parts := _LIST.split(name)) > 1 and all(part in known for part in parts)
    ]
    if not joined:
        return []
    separator = _LIST.search(joined[0]).group().strip()  # type: ignore[union-attr]
    return [
        f"Labels such as {_listed(joined[:2])} look like several options at once. Compare them as "
        f'sets with annobench report --scale set --separator "{separator}"; the other commands '
        "take one option at a time."
    ]


def _listed(names: Sequence[str], between: str = ", ") -> str:
    shown = between.join(f"“{name if len(name) <= 22 else name[:21] + '…'}”" for name in names[:4])
    return f"{shown}{between}…" if len(names) > 4 else shown
