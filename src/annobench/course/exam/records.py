"""Questions of an exam: numbers and choices whose text stands alone."""

from __future__ import annotations

from dataclasses import dataclass

from annobench.course.base import Text
from annobench.course.choices import Choice
from annobench.course.numbers import Number

__all__ = ["Asked", "ChoiceQuestion", "NumberQuestion"]


@dataclass(frozen=True, kw_only=True)
class NumberQuestion(Number):
    """A question whose answer is a number.

    Attributes
    ----------
    id, title, hint, given, solve, mistakes, digits
        As in `Number`.
    question : str or callable
        A text with the names of what is given in braces, or a function of what is given.
    solution : str or callable
        How the answer is found, in the same form; `answer` may stand in braces.
    """

    question: Text
    solution: Text
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class ChoiceQuestion(Choice):
    """A question with options.

    Attributes
    ----------
    id, title, hint, options, right, reasons
        As in `Choice`.
    question : str or callable
        As in `NumberQuestion`.
    solution : str or callable, optional
        As in `NumberQuestion`; by default the reasons of the right options.
    """

    question: Text
    solution: Text = ""
    hint: str = ""


#: A question of either kind.
Asked = NumberQuestion | ChoiceQuestion
