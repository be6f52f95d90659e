"""What a student holds in a notebook: numbers of their own, checks, hints, data and results."""

from __future__ import annotations

import copy
import warnings
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annobench.core.discovery import did_you_mean
from annobench.core.logs import quiet
from annobench_course import sessions
from annobench_course.draws import draw, student_rng
from annobench_course.errors import CourseError
from annobench_course.exercise import Exercise, Lesson
from annobench_course.failed_cells import clear_after_failures
from annobench_course.outcomes import Checked
from annobench_course.results import FILE, Results, Value, read_table

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from annobench.datasets.base import LoadedData

__all__ = ["DATA", "NOBODY", "Session", "session"]

#: The folder of data and results that lies in a folder above the notebook, or beside it.
DATA = "data"

#: What stands in a notebook before a student puts in their name.
NOBODY = "your name or ID"


class Session:
    """A session of the course as one student holds it.

    Parameters
    ----------
    id : str
        Id of the session, such as "01_chance".
    student : str
        Name or ID, from which the student's own numbers follow.

    Attributes
    ----------
    lesson : Lesson
        Title, data and timing of the session.
    student : str
        Name or ID.
    exercises : dict of str to Exercise
        The exercises by their ids.
    """

    def __init__(self, id: str, student: str) -> None:
        self._held = sessions.get(id)
        self.lesson: Lesson = self._held.lesson
        self.student = str(student)
        self.exercises: dict[str, Exercise] = self._held.exercises
        self._given: dict[str, Any] = {}
        self._passed: dict[str, bool] = {}
        self._loaded: dict[str, LoadedData] = {}

    @property
    def folder(self) -> Path:
        """The folder of the session, with the files that it brings, such as a corpus."""
        return self._held.folder

    def __repr__(self) -> str:
        """Return title and student on one line."""
        passed = sum(self._passed.values())
        whose = (
            "put your name or ID into the cell above, and run it again"
            if self.student == NOBODY
            else f"exercises of {self.student}"
        )
        number = self.lesson.id.partition("_")[0].lstrip("0") or "0"
        return (
            f"Session {number}: {self.lesson.title} ({whose}; {passed} of "
            f"{len(self.exercises)} passed)"
        )

    def given(self, id: str) -> Any:
        """Return what the student is given for an exercise.

        Parameters
        ----------
        id : str
            Number of the exercise, such as "1.3".

        Returns
        -------
        dict
            Names and values, the same in every call; of a choice its options by their letters; of
            a function `arguments`, an input to try it on.

        Raises
        ------
        CourseError
            If there is no such exercise.
        """
        return copy.deepcopy(self._exercise(id).handed_out(self._drawn(id)))

    def check(self, id: str, answer: Any = ...) -> Checked:
        """Check an answer.

        Parameters
        ----------
        id : str
            Number of the exercise.
        answer : object
            A number, a function or the letter of an option, as the exercise asks for.

        Returns
        -------
        Checked
            Passed, or which mistake was made.

        Raises
        ------
        CourseError
            If there is no such exercise.
        """
        outcome = self._exercise(id).check(answer, self._drawn(id))
        self._passed[outcome.exercise] = outcome.passed
        return outcome

    def hint(self, id: str) -> str:
        """Return the hint of an exercise.

        Parameters
        ----------
        id : str
            Number of the exercise.

        Returns
        -------
        str
            One or two sentences, as in the session's text.

        Raises
        ------
        CourseError
            If there is no such exercise.
        """
        return self._held.hints.get(self._exercise(id).id, "This exercise has no hint.")

    def rng(self, id: str) -> np.random.Generator:
        """Return a generator of random numbers for a simulation, always in the same state.

        Parameters
        ----------
        id : str
            Number of the exercise.

        Returns
        -------
        numpy.random.Generator
            The student's own.

        Raises
        ------
        CourseError
            If there is no such exercise.
        """
        return student_rng(self.student, f"{self._exercise(id).id} simulation")

    def progress(self) -> pd.DataFrame:
        """Return which exercises are passed.

        Returns
        -------
        DataFrame
            One row for each exercise: `title`, `when` ("before class", "in class" or "homework";
            empty if the session has no worksheet) and `passed`, by its number.
        """
        import pandas as pd

        rows = {
            id: (exercise.title, self.lesson.when(id), self._passed.get(id, False))
            for id, exercise in self.exercises.items()
        }
        return pd.DataFrame.from_dict(rows, orient="index", columns=["title", "when", "passed"])

    def data(self, id: str) -> LoadedData:
        """Return a data set of the session, and say if it is simulated.

        It is read from the course's folder `data` if it lies there, else from the library's
        mirror, cache or the network, and simulated if none of them has it.

        Parameters
        ----------
        id : str
            Name of the data set, such as "snow2008_rte".

        Returns
        -------
        LoadedData
            With `annotations`, `gold`, `labels`, `items` and `provenance`.

        Raises
        ------
        UnknownDatasetError
            If there is no such data set.
        """
        from annobench import datasets

        if id not in self._loaded:
            folder = self._folder
            if folder is not None and (folder / id / "meta.json").exists():
                self._loaded[id] = datasets.read(folder / id)
            else:
                with quiet("annobench.datasets"):  # it is said below, in fewer words
                    self._loaded[id] = datasets.load(id)
            if self._loaded[id].provenance == "simulated":
                print(f"{id}: SIMULATED labels replace the real ones.")
        return self._loaded[id]

    def result(self, paper: str, target: str) -> Value:
        """Return a value of the workbench's results.

        Parameters
        ----------
        paper : str
            Key of the paper, such as "su2008".
        target : str
            Id of the value, as in the workbench's table of comparisons.

        Returns
        -------
        Value
            `computed`, `printed` (both numbers) and `published` (the printed text).

        Raises
        ------
        CourseError
            If there is no such value, or no file of results.
        """
        return self._results.value(paper, target)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table of one of the workbench's studies.

        Parameters
        ----------
        name : str
            Study and table, such as "conformance/matrix".

        Returns
        -------
        DataFrame
            As the study stores it.

        Raises
        ------
        CourseError
            If there is no such table.
        """
        return read_table(self._folder or Path(DATA), name)

    @cached_property
    def _folder(self) -> Path | None:
        """The nearest folder `data` with results, in this folder or one above."""
        here = Path.cwd()
        found = (folder / DATA for folder in (here, *here.parents))
        return next((folder for folder in found if (folder / FILE).is_file()), None)

    @cached_property
    def _results(self) -> Results:
        return Results.read((self._folder or Path(DATA)) / FILE)

    def _exercise(self, id: str) -> Exercise:
        known = {str(name): exercise for name, exercise in self.exercises.items()}
        if str(id) not in known:
            raise CourseError(
                f"{self.lesson.id} has no exercise {id!r}.{did_you_mean(str(id), known)} There are "
                f"{', '.join(known)}."
            )
        return known[str(id)]

    def _drawn(self, id: str) -> Any:
        exercise = self._exercise(id)
        if exercise.id not in self._given:
            self._given[exercise.id] = draw(exercise.id, self.exercises, self.student)
        return self._given[exercise.id]


def session(id: str, student: str) -> Session:
    """Begin a session of the course, with its data, which are fetched if they are not there.

    Parameters
    ----------
    id : str
        Id of the session, such as "01_chance".
    student : str
        Name or ID; every student has numbers of their own.

    Returns
    -------
    Session
        It gives, checks and helps.

    Raises
    ------
    CourseError
        If there is no such session; lists those there are.
    """
    # A notebook without ipywidgets needs no word on progress bars.
    warnings.filterwarnings("ignore", message="IProgress not found")
    clear_after_failures()
    held = Session(id, student)
    loaded = [held.data(name) for name in held.lesson.data]
    if any(data.provenance == "simulated" for data in loaded):
        print(
            "The real labels are neither on this computer nor available from the network. "
            "Results from simulated labels are not those of the paper, and what the text says "
            "about the real labels need not hold for them."
        )
    return held
