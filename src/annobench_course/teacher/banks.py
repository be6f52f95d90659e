"""The bank: the questions of each session, from the module `bank` of its folder."""

from __future__ import annotations

from importlib import import_module

from annobench.core.discovery import did_you_mean
from annobench_course import sessions
from annobench_course.errors import CourseError
from annobench_course.teacher.questions import Asked

__all__ = ["discover", "get"]


def discover() -> list[str]:
    """Return the ids of the sessions that have questions.

    Returns
    -------
    list of str
        In their order.
    """
    return [id for id, held in sessions.discover().items() if (held.folder / "bank.py").is_file()]


def get(session: str) -> dict[str, Asked]:
    """Return the questions of a session by their ids.

    Parameters
    ----------
    session : str
        Such as ``"01_chance"``.

    Returns
    -------
    dict of str to NumberQuestion or ChoiceQuestion
        By ids such as ``"1.B1"``.

    Raises
    ------
    CourseError
        If there are none on a session of this id; lists those there are.
    """
    known = discover()
    if session not in known:
        raise CourseError(
            f"The bank has no session {session!r}.{did_you_mean(session, known)} There are "
            f"{', '.join(known)}."
        )
    bank = import_module(f"{sessions.__name__}.s{session}.bank").BANK
    return {asked.id: asked for asked in bank}
