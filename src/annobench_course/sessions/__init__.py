"""The sessions of the course: one module a session, found by its file.

A module holds a `LESSON`, which names its source in the folder `course`, and the list `EXERCISES`.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType

from annobench.core.discovery import did_you_mean, records
from annobench_course.errors import CourseError

__all__ = ["discover", "get"]


def discover() -> dict[str, ModuleType]:
    """Import every session and return its module by the id of its lesson.

    Returns
    -------
    dict of str to module
        In the order of the sessions. Each module has `LESSON` and `EXERCISES`.

    Raises
    ------
    ImportError
        If two modules have the same id.
    """
    return records(__name__, "LESSON")


def get(id: str) -> ModuleType:
    """Return the module of a session.

    Parameters
    ----------
    id : str
        Such as ``"01_chance"``.

    Returns
    -------
    module
        It has `LESSON` and `EXERCISES`.

    Raises
    ------
    CourseError
        If there is no such session; lists those there are.
    """
    names = [entry.name for entry in pkgutil.iter_modules(__path__)]
    known = [name.removeprefix("s") for name in names if not name.startswith("_")]
    if id not in known:
        raise CourseError(
            f"There is no session {id!r}.{did_you_mean(id, known)} There are "
            f"{', '.join(sorted(known))}."
        )
    return import_module(f"{__name__}.s{id}")
