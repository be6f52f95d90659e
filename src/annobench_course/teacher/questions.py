"""Questions of an exam: numbers and choices whose text stands alone."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from annobench_course.choices import Options
from annobench_course.exercise import Exercise, Given, Text
from annobench_course.numbers import Number
from annobench_course.outcomes import Checked, shown

__all__ = ["Asked", "Case", "ChoiceQuestion", "NumberQuestion"]


@dataclass(frozen=True, kw_only=True)
class NumberQuestion(Number):
    """A question whose answer is a number.

    Attributes
    ----------
    id, title, given, solve, mistakes, digits
        As in `Number`.
    question : str or callable
        A text with the names of what is given in braces, or a function of what is given.
    solution : str or callable
        How the answer is found, in the same form; `answer` may stand in braces.
    """

    question: Text
    solution: Text


@dataclass(frozen=True)
class Case:
    """What is asked where one of the options is right.

    Attributes
    ----------
    question : str
        It stands alone.
    solution : str
        Why that option is right.
    """

    question: str
    solution: str


@dataclass(frozen=True, kw_only=True)
class ChoiceQuestion(Exercise):
    """A question with options, of which a student's case decides which one is right.

    Attributes
    ----------
    id, title : str
        As in `Exercise`.
    options : mapping of str to str
        Text of each option by its key.
    cases : mapping of str to Case
        By the key of the right option. At least two, so that no option is right for everybody.
    """

    options: Mapping[str, str]
    cases: Mapping[str, Case]

    def propose(self, rng: np.random.Generator) -> dict[str, Any]:
        keys = list(self.options)
        order = [keys[n] for n in rng.permutation(len(keys))]
        letters = string.ascii_lowercase[: len(keys)]
        options = {letter: self.options[key] for letter, key in zip(letters, order, strict=True)}
        return {"right": str(rng.choice(list(self.cases))), "options": Options(options)}

    def tells_apart(self, given: Given) -> bool:
        return True

    def right_answer(self, given: Given) -> str:
        return str(given["right"])

    def wrong_answers(self, given: Given) -> Iterator[tuple[str, Any]]:
        """Yield the key of every wrong option as a mistake and as an answer.

        Parameters
        ----------
        given : mapping
            With `right`, the key of the right one.

        Yields
        ------
        tuple of (str, str)
            The key twice.
        """
        yield from ((key, key) for key in self.options if key != given["right"])

    def judge(self, answer: Any, given: Given) -> Checked:
        if answer == given["right"]:
            return self._passed("Right.")
        if answer in self.options:
            return self._failed(f"Not in this case: {self.options[answer]}", answer)
        return self._failed(f"{shown(answer)} is no key of an option.", "no option")


#: A question of either kind.
Asked = NumberQuestion | ChoiceQuestion
