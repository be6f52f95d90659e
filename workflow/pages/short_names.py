"""What papers are called where their titles would be too long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def short_names(papers: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Call each paper by the last names of its authors and its year."""
    return {paper["key"]: f"{_last_names(paper['authors'])} ({paper['year']})" for paper in papers}


def _last_names(authors: str) -> str:
    names = authors.replace(" and ", ", ").split(", ")
    last = [name.split()[-1] if len(name.split()) < 3 else _surname(name) for name in names]
    if len(last) > 2:
        return f"{last[0]} and others"
    return " and ".join(last)


def _surname(name: str) -> str:
    """Take the last word of a name, and the words before it that belong to it."""
    words = name.split()
    for n, word in enumerate(words[1:], 1):
        if word[0].islower() or (word == "Beigman" and n < len(words) - 1):
            return " ".join(words[n:])
    return words[-1]
