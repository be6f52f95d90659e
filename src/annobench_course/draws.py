"""Every student's own numbers: the same for a student and an exercise, whenever they are drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from annobench_course.errors import CourseError
from annobench_course.exercise import Exercise

__all__ = ["MAX_DRAWS", "draw", "student_rng"]

#: How often numbers are drawn again until right answers differ from every known mistake.
MAX_DRAWS = 500


def student_rng(student: str, exercise: str) -> np.random.Generator:
    """Return the generator of a student for an exercise.

    Parameters
    ----------
    student : str
        Name or ID; capitals and spaces make no difference.
    exercise : str
        Id of the exercise.

    Returns
    -------
    numpy.random.Generator
        The same whenever it is asked for, on any machine.
    """
    text = f"{''.join(student.casefold().split())}\n{exercise}"
    return np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))


def draw(id: str, exercises: Mapping[str, Exercise], student: str) -> dict[str, Any]:
    """Draw what a student is given for an exercise.

    It is drawn again until the right answer differs from every known mistake, in this exercise and
    in those that share its numbers.

    Parameters
    ----------
    id : str
        Id of the exercise.
    exercises : mapping of str to Exercise
        Those of a session, by their ids.
    student : str
        Name or ID.

    Returns
    -------
    dict
        Names and values.

    Raises
    ------
    CourseError
        If no draw distinguishes right answers and mistakes.
    """
    source = exercises[id].drawn_with
    group = [exercise for exercise in exercises.values() if exercise.drawn_with == source]
    rng = student_rng(student, source)
    for _ in range(MAX_DRAWS):
        given = exercises[source].propose(rng)
        if all(exercise.tells_apart(given) for exercise in group):
            return given
    raise CourseError(
        f"exercise {source}: in {MAX_DRAWS} draws the right answer and the known mistakes of "
        f"{', '.join(exercise.id for exercise in group)} were never all different. Let `given` "
        "vary more, or leave out a mistake whose answer is another's."
    )
