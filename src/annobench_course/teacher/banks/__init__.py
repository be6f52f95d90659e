"""The bank: one module of questions a session, found by its file.

The module of the session `NN_topic` is `qNN_topic`; it holds the list `BANK`.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from annobench.core.discovery import did_you_mean
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
    names = [entry.name for entry in pkgutil.iter_modules(__path__)]
    return sorted(name[1:] for name in names if name.startswith("q"))


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
    bank = import_module(f"{__name__}.q{session}").BANK
    return {asked.id: asked for asked in bank}
