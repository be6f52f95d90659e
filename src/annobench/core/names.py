"""Generated names that do not collide with existing ones."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["MadeName", "Name", "joined", "settle", "unused"]


class MadeName(NamedTuple):
    """A generated name, before all names in the file are known.

    Two generated names with equal parts are the same.

    Attributes
    ----------
    short : str
        Form if it is unique.
    long : str
        Form otherwise; empty if there is no longer form.
    """

    short: str
    long: str = ""


#: An e-mail address.
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")

#: A name that was given, or one that was made.
Name = str | MadeName


def joined(parts: Sequence[str], between: str) -> Name:
    """Join names injectively.

    Parameters
    ----------
    parts : sequence of str
        The parts, at least one.
    between : str
        Separator.

    Returns
    -------
    str or MadeName
        The joined name; a single part is unchanged.

    Examples
    --------
    >>> joined(["a"], " | "), joined(["a", "b"], " | ").short
    ('a', 'a | b')
    """
    return parts[0] if len(parts) == 1 else MadeName(between.join(parts), json.dumps(list(parts)))


def unused(wish: str, taken: Collection[str]) -> str:
    """Return an unused name.

    Parameters
    ----------
    wish : str
        The preferred name.
    taken : collection of str
        The names in use.

    Returns
    -------
    str
        The preferred name, with the lowest number from 2 appended if it is in use.

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
    """Finalise generated names so that all names are unique.

    Parameters
    ----------
    names : iterable of str or MadeName
        All names of a kind, given and generated.

    Returns
    -------
    dict of MadeName to str
        The short form if it is unique, else the long one, with a number if necessary.

    Examples
    --------
    >>> settle(["row 1", MadeName("row 1"), MadeName("row 2")])
    {MadeName(short='row 1', long=''): 'row 1 (2)', MadeName(short='row 2', long=''): 'row 2'}
    """
    all_names = list(names)
    made = list(dict.fromkeys(name for name in all_names if isinstance(name, MadeName)))
    if not made:
        return {}
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
    """Report pseudonyms, if any."""
    if not found:
        return []
    first = next(iter(found.values()))
    if len(found) == 1:
        return [
            "1 annotator identified by the name or e-mail address of a person got a pseudonym, "
            f"{first}; keep the name with --keep-names."
        ]
    return [
        f"{len(found)} annotators identified by names or e-mail addresses of people got pseudonyms "
        f"({first}, ...); keep the names with --keep-names."
    ]
