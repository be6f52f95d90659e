"""The text of a session, `session.md`: what is read of it where notebooks are not made.

It is MyST markdown: cells of code are fenced, and `+++` begins a cell of text, with the cell's tags
behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from annobench_course.errors import CourseError

__all__ = ["TEACHERS", "Cell", "cells", "heading", "hints", "students_text"]

#: Tags of cells that only teachers get.
TEACHERS = {"teacher", "rubric", "solution"}

_BREAK = re.compile(
    r"^```\{code-cell\}[^\n]*\n(?::tags: \[(?P<code>[^]\n]*)\]\n)?.*?^```$\n?"
    r"|^\+\+\+ *(?P<text>\{[^\n]*\})? *$\n?",
    re.MULTILINE | re.DOTALL,
)
_HEADING = re.compile(r"^# Session \d+\. +(.+?) *$", re.MULTILINE)
_STATED = re.compile(r"\*\*Exercise (\w+\.\w+)")


class Cell(NamedTuple):
    """A cell.

    Attributes
    ----------
    tags : set of str
        Its tags.
    says : str
        Text or code.
    written : str
        The same with what begins the cell.
    """

    tags: set[str]
    says: str
    written: str


def cells(text: str) -> Iterator[Cell]:
    """Yield the cells of a text, which put together are the text.

    Parameters
    ----------
    text : str
        MyST markdown.

    Yields
    ------
    Cell
        Of text or of code.
    """
    tags, begun, start = set[str](), "", 0
    for found in _BREAK.finditer(text):
        if begun or found.start() > start:
            said = text[start : found.start()]
            yield Cell(tags, said, begun + said)
        tags, begun, start = set(), "", found.end()
        if found[0].startswith("```"):
            own = {tag.strip() for tag in (found["code"] or "").split(",")} - {""}
            yield Cell(own, found[0], found[0])
        else:
            begun = found[0]
            tags = set(json.loads(found["text"] or "{}").get("tags", ()))
    if begun or text[start:]:
        yield Cell(tags, text[start:], begun + text[start:])


def heading(text: str) -> str:
    """Return the title of a session.

    Parameters
    ----------
    text : str
        It begins with a heading such as ``# Session 1. Labels, agreement and chance``.

    Returns
    -------
    str
        What stands behind the number.

    Raises
    ------
    CourseError
        If there is no such heading.
    """
    found = _HEADING.search(text)
    if found is None:
        raise CourseError("The text of a session needs a heading such as '# Session 1. Title'.")
    return found[1]


def hints(text: str) -> dict[str, str]:
    """Return the hints of a session.

    Parameters
    ----------
    text : str
        A hint is a cell tagged `hint` after the statement of its exercise.

    Returns
    -------
    dict of str to str
        By the number of the exercise.
    """
    found, exercise = dict[str, str](), ""
    for cell in cells(text):
        if "exercise" in cell.tags and (stated := _STATED.search(cell.says)):
            exercise = stated[1]
        elif "hint" in cell.tags:
            found[exercise] = " ".join(cell.says.split())
    return found


def students_text(text: str) -> str:
    """Return a text without solutions, rubrics and what is said to teachers.

    Parameters
    ----------
    text : str
        MyST markdown.

    Returns
    -------
    str
        The same without the cells that only teachers get.
    """
    return "".join(cell.written for cell in cells(text) if not cell.tags & TEACHERS)
