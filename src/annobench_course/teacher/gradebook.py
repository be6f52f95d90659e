"""Grades in the forms that Moodle and Canvas take, and what is late, missing or of nobody.

A student is found in the platform's list by any of the columns that identify people there. Who
handed in nothing gets an empty cell, which both platforms leave without a grade.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pandas as pd

from annobench.io.formats.headers import delimiter_of
from annobench_course import sessions
from annobench_course.errors import CourseError
from annobench_course.teacher.grading import COLUMNS, TOTAL

__all__ = ["REMARKS", "fill", "read_due", "read_grades", "read_list"]

#: Columns of the table of remarks.
REMARKS = ("student", "session", "remark", "file")

#: Columns that a platform's list has, and those of them that say who somebody is.
_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_MOODLE = ("First name", "Last name", "Surname", "ID number", "Username", "Email address")
_WHO = {*_CANVAS[:-1], "ID number", "Username", "Email address"}

#: In a column of names, the row with the points that can be reached.
_POINTS = "Points Possible"

#: Canvas says it in the names of the files that it hands out.
_LATE = re.compile(r"_LATE_")


def read_grades(path: Path | str) -> pd.DataFrame:
    """Read a table of grades.

    Parameters
    ----------
    path : path
        As `annobench course grade` writes it.

    Returns
    -------
    DataFrame
        The rows of totals, with texts.

    Raises
    ------
    CourseError
        If it can't be read, or lacks a column.
    """
    table = _read(path)
    lacking = [name for name in COLUMNS if name not in table.columns]
    if lacking:
        raise CourseError(
            f"{path}: the column {lacking[0]!r} is missing. Give the table that "
            "`annobench course grade` writes."
        )
    return table[table["exercise"].isin([TOTAL, ""])].reset_index(drop=True)


def read_list(path: Path | str) -> pd.DataFrame:
    """Read a list of participants.

    Parameters
    ----------
    path : path
        CSV as Canvas exports its gradebook, or Moodle its participants or grades.

    Returns
    -------
    DataFrame
        The columns that say who somebody is, one row for each.

    Raises
    ------
    CourseError
        If it can't be read, or is of neither platform.
    """
    table = _read(path)
    if {"Student", "ID", "Section"} <= set(table.columns):
        people = table["Student"].str.strip().ne(_POINTS) & table["ID"].ne("")
        return table.loc[people, [name for name in _CANVAS if name in table.columns]]
    if {"Email address", "ID number", "Username"} & set(table.columns):
        return table[[name for name in _MOODLE if name in table.columns]]
    raise CourseError(
        f"{path}: this is not a list from Canvas (columns Student, ID and Section) or Moodle "
        "(Email address, ID number or Username). Export it there as CSV, with names in English."
    )


def read_due(texts: list[str]) -> dict[str, datetime]:
    """Read when sessions are due.

    Parameters
    ----------
    texts : list of str
        Such as "01_chance=2026-10-01 12:00", in local time.

    Returns
    -------
    dict of str to datetime
        By the id of the session.

    Raises
    ------
    CourseError
        If a session or a time is none.
    """
    due = {}
    for text in texts:
        session, _, time = text.partition("=")
        sessions.get(session)
        try:
            due[session] = datetime.fromisoformat(time.strip()).astimezone()
        except ValueError:
            raise CourseError(
                f"{text!r}: there is no time behind the session. Write 01_chance=2026-10-01T12:00."
            ) from None
    return due


def fill(
    grades: pd.DataFrame, people: pd.DataFrame, due: Mapping[str, datetime]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Fill a platform's list with grades.

    Parameters
    ----------
    grades : DataFrame
        Rows of totals.
    people : DataFrame
        A platform's list.
    due : mapping of str to datetime
        When sessions are due.

    Returns
    -------
    tuple of (DataFrame, DataFrame)
        The list with a column of points for each session, and remarks with the columns of
        `REMARKS`: what is late, missing, handed in several times, or of nobody on the list.
    """
    names = _names(people)
    found = [names.get(_key(student)) for student in grades["student"]]
    remarks = [
        (
            student,
            session,
            "not on the list, or not alone with this name" if session else message,
            file,
        )
        for student, session, message, file, where in zip(
            *(grades[name] for name in ("student", "session", "message", "file")),
            found,
            strict=True,
        )
        if where is None or not session
    ]
    filled, points = people.copy(), {}
    graded = grades.assign(where=pd.Series(found, dtype=object, index=grades.index))
    for session, rows in graded[graded["session"].ne("")].groupby("session", sort=True):
        title = _title(str(session))
        points[title] = rows["of"].iloc[0]
        given: dict[object, str] = {}
        for where, own in rows[rows["where"].notna()].groupby("where"):
            last = own.sort_values(["submitted", "file"]).iloc[-1]
            given[where] = last["passed"]
            said = [*_late(last, due.get(str(session)))]
            if len(own) > 1:
                said.append(f"the last of {len(own)} notebooks counts")
            remarks += [(last["student"], session, text, last["file"]) for text in said]
        missing = people[~people.index.isin(list(given))]
        remarks += [(_shown(each), session, "missing", "") for _, each in missing.iterrows()]
        filled[title] = [given.get(where, "") for where in people.index]
    if "Section" in people.columns:
        first = dict.fromkeys(people.columns, "") | {"Student": f"    {_POINTS}"} | points
        filled = pd.concat([pd.DataFrame([first]), filled], ignore_index=True)
    table = pd.DataFrame(remarks, columns=list(REMARKS))
    return filled, table.sort_values(["session", "student"], kind="stable", ignore_index=True)


def _late(row: pd.Series, due: datetime | None) -> Iterator[str]:
    """Yield by how much a notebook is late, if it is."""
    by = datetime.fromisoformat(row["submitted"]) - due if due and row["submitted"] else None
    if by is not None and by > timedelta(0):
        hours, rest = divmod(by.seconds // 60, 60)
        days = f"{by.days} {'day' if by.days == 1 else 'days'} and " if by.days else ""
        yield f"late by {days}{hours}:{rest:02d} hours"
    elif _LATE.search(row["file"]):
        yield "late, as Canvas says"


def _names(people: pd.DataFrame) -> dict[str, object]:
    """Return the row of each name that only one person on the list has."""
    keys = [(key, where) for where, person in people.iterrows() for key in _keys(person)]
    times = Counter(key for key, _ in keys)
    return {key: where for key, where in keys if times[key] == 1}


def _keys(person: pd.Series) -> set[str]:
    names = {str(person[column]) for column in person.index if column in _WHO}
    last, comma, first = str(person.get("Student", "")).partition(",")
    names.add(f"{first} {last}" if comma else "")
    family = person.get("Last name", person.get("Surname", ""))
    names.add(f"{person.get('First name', '')} {family}")
    return {_key(name) for name in names} - {""}


def _key(name: str) -> str:
    return "".join(name.casefold().split())


def _shown(person: pd.Series) -> str:
    first, last = person.get("First name", ""), person.get("Last name", person.get("Surname", ""))
    return f"{first} {last}".strip() or str(next(value for value in person if value))


def _title(session: str) -> str:
    """Return the name of a session's column."""
    return f"Session {session.partition('_')[0].lstrip('0') or '0'}"


def _read(path: Path | str) -> pd.DataFrame:
    """Read a table of texts, with whatever stands between its columns."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise CourseError(f"{path}: this table can't be read ({why}).") from None
    rows = list(csv.reader(text.splitlines(), delimiter=delimiter_of(text)))
    if not rows or any(len(row) != len(rows[0]) for row in rows if row):
        raise CourseError(f"{path}: its rows are not all as long as the first. Export it again.")
    columns = [name.strip() for name in rows[0]]
    return pd.DataFrame([row for row in rows[1:] if row], columns=columns, dtype=object)
