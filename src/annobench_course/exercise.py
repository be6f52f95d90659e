"""What a kind of exercise is, and what the syllabus says of a session.

A kind is a subclass of `Exercise`: it draws what a student is given, knows a right answer and the
usual wrong ones, and judges an answer. The kinds are `Number` and `Simulation` (`numbers.py`),
`Function` (`functions.py`) and `Choice` (`choices.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from annobench_course.outcomes import Checked, brief, shown, unanswered

__all__ = ["Exercise", "Given", "Lesson", "Mistake", "Part", "Property", "Text"]

#: What a student is given: names and values, such as ``{"matrix": array, "n_items": 80}``.
Given = Mapping[str, Any]

#: A text with the names of what is given in braces, or a function of what is given.
Text = str | Callable[[Given], str]


@dataclass(frozen=True)
class Mistake:
    """A usual mistake.

    Attributes
    ----------
    name : str
        Short name, such as "n for n - 1"; unique within an exercise.
    answer : callable
        What comes out of it. For a number, a function of what is given that returns a number. For a
        function, the mistaken implementation, with the signature of the right one. For a
        simulation, a function of what is given that returns an interval (low, high), or a number,
        around which the interval is as wide as the right one.
    message : str
        What the student reads: what was done, and why it is not what was asked. It doesn't give the
        answer away.
    """

    name: str
    answer: Callable[..., Any]
    message: str


@dataclass(frozen=True)
class Property:
    """What must hold of a student's function on every input.

    Attributes
    ----------
    name : str
        Short name, such as "symmetric in the annotators".
    holds : callable
        Called with the student's function and the arguments of one input,
        ``holds(function, *arguments)``; returns a bool.
    message : str
        What the student reads where it does not hold.
    """

    name: str
    holds: Callable[..., bool]
    message: str


class Part(NamedTuple):
    """A part of the 90 minutes in class.

    Attributes
    ----------
    minutes : int
        How long it takes.
    what : str
        What it is about.
    exercises : tuple of str
        The exercises that are done in it, by their ids.
    """

    minutes: int
    what: str
    exercises: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """What the syllabus says of a session.

    Attributes
    ----------
    summary : str
        One sentence: what students can do afterwards.
    needs : tuple of str
        What is presupposed: ids of earlier sessions, or a few words, such as "conditional
        probability".
    data : tuple of str
        Ids of the data sets that `session.data` is asked for.
    papers : tuple of str
        Keys of the papers that `session.result` is asked for.
    tables : tuple of str
        Tables of studies that `session.table` is asked for, such as "conformance/matrix".
    worksheet : tuple of str
        The three exercises that students do before class, by their ids.
    timing : tuple of Part
        The 90 minutes in class, with the exercises done there. What is neither in them nor on the
        worksheet is homework.
    id, title : str
        Filled in when the session is read: from the name of its folder, "01_chance" from
        `s01_chance`, and from the heading of its text.
    """

    summary: str
    needs: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    worksheet: tuple[str, ...] = ()
    timing: tuple[Part, ...] = (Part(45, "explanation"), Part(45, "exercises"))
    id: str = ""
    title: str = ""

    @property
    def in_class(self) -> tuple[str, ...]:
        """The exercises done in class, in the order of the timing."""
        return tuple(id for part in self.timing for id in part.exercises)

    def when(self, exercise: str) -> str:
        """Return when an exercise is done.

        Parameters
        ----------
        exercise : str
            Its id.

        Returns
        -------
        str
            "before class", "in class" or "homework"; empty if the session has no worksheet.
        """
        if not self.worksheet:
            return ""
        if exercise in self.worksheet:
            return "before class"
        return "in class" if exercise in self.in_class else "homework"


@dataclass(frozen=True, kw_only=True)
class Exercise(ABC):
    """What the kinds of exercises have in common.

    Attributes
    ----------
    id : str
        Number of the session and of the exercise, such as "1.3".
    title : str
        A few words.
    """

    id: str
    title: str

    @property
    def drawn_with(self) -> str:
        """Id of the exercise whose numbers this one is given: its own, or an earlier one's."""
        return self.id

    @abstractmethod
    def propose(self, rng: np.random.Generator) -> dict[str, Any]:
        """Draw once what a student may be given.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        dict
            Names and values.
        """

    @abstractmethod
    def tells_apart(self, given: Given) -> bool:
        """Tell whether the right answer and all known mistakes differ for what is given.

        Parameters
        ----------
        given : mapping
            What was drawn.

        Returns
        -------
        bool
            False if it has to be drawn again.
        """

    def handed_out(self, given: Given) -> Given:
        """Return what a student sees of what is given.

        Parameters
        ----------
        given : mapping
            What was drawn.

        Returns
        -------
        mapping
            All of it, or a part.
        """
        return given

    @abstractmethod
    def right_answer(self, given: Given) -> Any:
        """Return a right answer.

        Parameters
        ----------
        given : mapping
            What the student is given.

        Returns
        -------
        object
            An answer that passes.
        """

    @abstractmethod
    def wrong_answers(self, given: Given) -> Iterator[tuple[str, Any]]:
        """Yield the name of every known mistake and the answer that results from it.

        Parameters
        ----------
        given : mapping
            What the student is given.

        Yields
        ------
        tuple of (str, object)
            An answer that does not pass, and whose check names the mistake.
        """

    @abstractmethod
    def judge(self, answer: Any, given: Given) -> Checked:
        """Check an answer that is there.

        Parameters
        ----------
        answer : object
            What the student gave.
        given : mapping
            What the student was given.

        Returns
        -------
        Checked
            Passed, or what is wrong.
        """

    def check(self, answer: Any, given: Given) -> Checked:
        """Check an answer; whatever it is, no error is raised.

        Parameters
        ----------
        answer : object
            What the student gave; None or an ellipsis if nothing.
        given : mapping
            What the student was given.

        Returns
        -------
        Checked
            Passed, or what is wrong, with the mistake if it is a known one.
        """
        if unanswered(answer):
            return self._unanswered()
        try:
            return self.judge(answer, given)
        except Exception as error:
            return self._failed(
                f"The answer can't be checked: it is {shown(answer)} "
                f"({type(error).__name__}: {brief(error)}). Give what the exercise asks for."
                f"{self._hinting}"
            )

    def _unanswered(self, why: str = "") -> Checked:
        return self._failed(f"Not answered yet{why}.{self._hinting}", "not answered")

    @property
    def _hinting(self) -> str:
        """How to ask for the hint, which nobody gets unasked."""
        return f' `session.hint("{self.id}")` gives a hint.'

    def _passed(self, message: str) -> Checked:
        return Checked(self.id, True, message)

    def _failed(self, message: str, mistake: str | None = None) -> Checked:
        return Checked(self.id, False, message, mistake)
