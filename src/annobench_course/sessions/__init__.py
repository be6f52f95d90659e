"""The sessions of the course: one folder a session, found by its name.

The folder of the session `NN_topic` is `sNN_topic`. It holds

- `session.md`, the text with hints and solutions, from which the notebooks are made;
- `exercises.py`, with the session's `LESSON` and the list `EXERCISES`;
- `bank.py`, which may be missing, with the list `BANK` of questions for teachers alone.

The variable ANNOBENCH_SESSIONS names folders of further sessions, which are found in the same way.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path

from annobench.core.discovery import did_you_mean
from annobench_course.errors import CourseError
from annobench_course.exercise import Exercise, Lesson
from annobench_course.source import heading, hints

__all__ = ["FOLDERS", "Material", "discover", "get"]

#: The variable that names folders of sessions, with the separator of paths between them.
FOLDERS = "ANNOBENCH_SESSIONS"

_named = filter(None, os.environ.get(FOLDERS, "").split(os.pathsep))
__path__ = [*__path__, *(str(Path(name).expanduser().absolute()) for name in _named)]


@dataclass(frozen=True)
class Material:
    """What the folder of a session holds.

    Attributes
    ----------
    folder : path
        The folder.
    lesson : Lesson
        Its entry in the syllabus.
    exercises : dict of str to Exercise
        The exercises by their ids.
    """

    folder: Path
    lesson: Lesson
    exercises: dict[str, Exercise]

    @property
    def text(self) -> Path:
        """The file of its text."""
        return self.folder / "session.md"

    @cached_property
    def hints(self) -> dict[str, str]:
        """The hint of each exercise that has one, by its id."""
        return hints(self.text.read_text(encoding="utf-8"))


def discover() -> dict[str, Material]:
    """Import every session and return what it holds by its id.

    Returns
    -------
    dict of str to Material
        In the order of the sessions.

    Raises
    ------
    CourseError
        If a folder of a session lacks a file, or two sessions have the same id.
    """
    return {id: _read(folder) for id, folder in _folders().items()}


def get(id: str) -> Material:
    """Return what a session holds.

    Parameters
    ----------
    id : str
        Such as ``"01_chance"``.

    Returns
    -------
    Material
        Its lesson, exercises and hints.

    Raises
    ------
    CourseError
        If there is no such session, or its folder lacks a file.
    """
    known = _folders()
    if id not in known:
        raise CourseError(
            f"There is no session {id!r}.{did_you_mean(id, known)} There are {', '.join(known)}."
        )
    return _read(known[id])


def _folders() -> dict[str, Path]:
    """Return the folders of all sessions by their ids, in the order of the ids."""
    found: dict[str, Path] = {}
    for home in map(Path, __path__):
        for folder in home.glob("s[0-9]*_*"):
            id = folder.name.removeprefix("s")
            if id in found and folder.is_dir():
                raise CourseError(
                    f"{folder}: there is another session {id!r}, {found[id]}. Rename one."
                )
            if folder.is_dir():
                found[id] = folder
    return dict(sorted(found.items()))


def _read(folder: Path) -> Material:
    for name in ("session.md", "exercises.py"):
        if not (folder / name).is_file():
            raise CourseError(f"{folder}: there is no file {name}. A session needs it.")
    module = import_module(f"{__name__}.{folder.name}.exercises")
    title = heading((folder / "session.md").read_text(encoding="utf-8"))
    lesson = replace(module.LESSON, id=folder.name.removeprefix("s"), title=title)
    exercises = {each.id: each for each in module.EXERCISES}
    if len(exercises) < len(module.EXERCISES):
        raise CourseError(f"{module.__file__}: two exercises have the same id. Renumber them.")
    return Material(folder, lesson, exercises)
