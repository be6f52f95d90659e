"""Names that the library makes, none of which is a name that is there already."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["MadeName", "Name", "joined", "settle", "unused"]


class MadeName(NamedTuple):
    """A name for what a file does not name, before it is known which names the file holds.

    Two of them with the same parts name the same thing.

    Attributes
    ----------
    short : str
        How it is written if nothing else is called so.
    long : str
        How it is written otherwise; empty if there is no longer form.
    """

    short: str
    long: str = ""


#: An e-mail address.
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")

#: A name that was given, or one that was made.
Name = str | MadeName


def joined(parts: Sequence[str], between: str) -> Name:
    """Make one name of several, different ones of different parts.

    Parameters
    ----------
    parts : sequence of str
        At least one.
    between : str
        What stands between them.

    Returns
    -------
    str or MadeName
        A single part as it is.

    Examples
    --------
    >>> joined(["a"], " | "), joined(["a", "b"], " | ").short
    ('a', 'a | b')
    """
    return parts[0] if len(parts) == 1 else MadeName(between.join(parts), json.dumps(list(parts)))


def unused(wish: str, taken: Collection[str]) -> str:
    """Return a name that is not there yet.

    Parameters
    ----------
    wish : str
        The name, if it is free.
    taken : collection of str
        The names that are there.

    Returns
    -------
    str
        The wish, or the wish with the lowest number from 2 behind it that makes it free.

    Examples
    --------
    >>> unused("row 1", {"x"}), unused("row 1", {"row 1", "row 1 (2)"})
    ('row 1', 'row 1 (3)')
    """
    name, n = wish, 2
    while name in taken:
        name, n = f"{wish} ({n})", n + 1
    return name


def settle(names: Iterable[Hashable]) -> dict[MadeName, str]:
    """Write made names so that no two things have one name.

    Parameters
    ----------
    names : iterable of str or MadeName
        All names of things of one kind, given and made.

    Returns
    -------
    dict of MadeName to str
        The short form of each if it is free and no other has it, else the long one, if need be
        with a number.

    Examples
    --------
    >>> settle(["row 1", MadeName("row 1"), MadeName("row 2")])
    {MadeName(short='row 1', long=''): 'row 1 (2)', MadeName(short='row 2', long=''): 'row 2'}
    """
    all_names = dict.fromkeys(names)
    made = [name for name in all_names if isinstance(name, MadeName)]
    taken = {name for name in all_names if isinstance(name, str)}
    times = Counter(name.short for name in made)
    found = {}
    for name in made:
        is_free = times[name.short] == 1 and name.short not in taken
        found[name] = unused(name.short if is_free else name.long or name.short, taken)
        taken.add(found[name])
    return found


def pseudonyms(people: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """Give people pseudonyms."""
    hidden = list(dict.fromkeys(people))
    taken = {*names, *hidden}
    width, found, n = len(str(len(hidden))), {}, 0
    for name in hidden:
        n += 1
        while (pseudonym := f"person-{n:0{width}}") in taken:
            n += 1
        found[name] = pseudonym
    return found


def said_of_pseudonyms(found: Mapping[str, str]) -> list[str]:
    """Say that people got pseudonyms, if any did."""
    if not found:
        return []
    return [
        f"{len(found)} annotators with the names or e-mail addresses of people got pseudonyms "
        f"({next(iter(found.values()))}, ...); keep the names with --keep-names."
    ]
