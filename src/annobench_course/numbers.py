"""Exercises whose answer is a number: by hand, or from a short simulation."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from annobench_course.errors import CourseError
from annobench_course.exercise import Exercise, Given, Mistake
from annobench_course.outcomes import Checked, as_number, shown

__all__ = ["Drawn", "Number", "Simulation"]


@dataclass(frozen=True, kw_only=True)
class Drawn(Exercise):
    """An exercise whose numbers are drawn for it, or are those of an earlier one.

    Attributes
    ----------
    id, title : str
        As in `Exercise`.
    given : callable or str
        Draws from a generator what the student is given, a dict; called again until the right
        answer and the known mistakes can be distinguished. Or the id of an exercise of the session,
        whose numbers are then this one's, too.
    """

    given: Callable[[np.random.Generator], dict[str, Any]] | str

    @property
    def drawn_with(self) -> str:
        return self.given if isinstance(self.given, str) else self.id

    def propose(self, rng: np.random.Generator) -> dict[str, Any]:
        if isinstance(self.given, str):
            raise CourseError(f"exercise {self.id}: its numbers are those of {self.given}.")
        return self.given(rng)


@dataclass(frozen=True, kw_only=True)
class Number(Drawn):
    """A number by hand.

    Attributes
    ----------
    id, title : str
        As in `Exercise`.
    given : callable or str
        Draws from a generator what the student is given, a dict; called again until the right
        answer and the known mistakes differ by more than rounding. Or the id of an exercise of the
        session, whose numbers are then this one's, too.
    solve : callable
        Computes the right answer from what is given.
    mistakes : tuple of Mistake
        At least three.
    digits : int, default 3
        Decimals asked for. Half a unit of the last one is the tolerance.
    """

    solve: Callable[[Given], float]
    mistakes: tuple[Mistake, ...]
    digits: int = 3

    @property
    def tolerance(self) -> float:
        """Half a unit of the last decimal asked for; the surplus is floating-point arithmetic."""
        return 0.5 * 10.0**-self.digits * (1 + 1e-6)

    def tells_apart(self, given: Given) -> bool:
        values = [_number(self.solve, given)]
        values += [_number(mistake.answer, given) for mistake in self.mistakes]
        ordered = np.sort(values)
        apart = np.diff(ordered) > 2 * self.tolerance
        return bool(np.isfinite(ordered).all() and apart.all())

    def right_answer(self, given: Given) -> float:
        return float(self.solve(given))

    def wrong_answers(self, given: Given) -> Iterator[tuple[str, float]]:
        """Yield the name of every known mistake and its number.

        Parameters
        ----------
        given : mapping
            What the student is given.

        Yields
        ------
        tuple of (str, float)
            Name and number.
        """
        for mistake in self.mistakes:
            yield mistake.name, float(mistake.answer(given))

    def judge(self, answer: Any, given: Given) -> Checked:
        number = as_number(answer)
        if isinstance(number, str):
            return self._failed(number, "not a number")
        right, near = self.right_answer(given), self.tolerance
        if abs(number - right) <= near:
            return self._passed("Right.")
        for mistake in self.mistakes:
            if abs(number - _number(mistake.answer, given)) <= near:
                return self._failed(mistake.message, mistake.name)
        if abs(right) > near and abs(number - 100 * right) <= 100 * near:
            return self._failed(
                "This is the right answer as a percentage. Give it as a share: divide by 100.",
                "percent for share",
            )
        if abs(right) > near and abs(number + right) <= near:
            return self._failed("The size is right, but not the sign.", "sign")
        if abs(number - right) <= 20 * near:
            return self._failed(
                f"Nearly: give {self.digits} decimals, and round only at the end, not in between.",
                "rounding",
            )
        return self._failed(f"{shown(number)} is not the number asked for.{self._hinting}")


@dataclass(frozen=True, kw_only=True)
class Simulation(Drawn):
    """A short simulation, whose result must lie in a derived interval.

    Attributes
    ----------
    id, title : str
        As in `Exercise`.
    given : callable or str
        As in `Number`.
    interval : callable
        Computes from what is given the limits (low, high) between which a right simulation's
        result lies but for a probability of at most 1e-4. Its docstring derives them.
    mistakes : tuple of Mistake
        What comes of each, as a number or an interval.
    """

    interval: Callable[[Given], tuple[float, float]]
    mistakes: tuple[Mistake, ...] = ()

    def tells_apart(self, given: Given) -> bool:
        intervals = [self.interval(given), *(self._interval(m, given) for m in self.mistakes)]
        ordered = sorted(intervals)
        apart = [one[1] < other[0] for one, other in itertools.pairwise(ordered)]
        return bool(np.isfinite(ordered).all() and all(apart))

    def right_answer(self, given: Given) -> float:
        low, high = self.interval(given)
        return (low + high) / 2

    def wrong_answers(self, given: Given) -> Iterator[tuple[str, float]]:
        """Yield the name of every known mistake and the middle of its interval.

        Parameters
        ----------
        given : mapping
            What the student is given.

        Yields
        ------
        tuple of (str, float)
            Name and number.
        """
        for mistake in self.mistakes:
            low, high = self._interval(mistake, given)
            yield mistake.name, (low + high) / 2

    def judge(self, answer: Any, given: Given) -> Checked:
        number = as_number(answer)
        if isinstance(number, str):
            return self._failed(number, "not a number")
        low, high = self.interval(given)
        if low <= number <= high:
            return self._passed("Right: a correct simulation gives such a result.")
        for mistake in self.mistakes:
            one, other = self._interval(mistake, given)
            if one <= number <= other:
                return self._failed(mistake.message, mistake.name)
        if low <= number / 100 <= high:
            return self._failed(
                "This is a percentage. Give a share: divide by 100.", "percent for share"
            )
        if high <= 1 < number:
            return self._failed(
                f"The answer lies between 0 and 1, and yours is {shown(number)}. If it is a count, "
                "divide it by the total.",
                "not a share",
            )
        size = "small" if number < low else "large"
        return self._failed(
            f"{shown(number)} is too {size}: fewer than one correct simulation in ten thousand "
            f"comes out so {size}.{self._hinting}",
            f"too {size}",
        )

    def _interval(self, mistake: Mistake, given: Given) -> tuple[float, float]:
        """Return the interval of a mistake, as wide as the right one where it is a number."""
        answer = mistake.answer(given)
        if isinstance(answer, tuple):
            low, high = answer
            return float(low), float(high)
        right_low, right_high = self.interval(given)
        half = (right_high - right_low) / 2
        return float(answer) - half, float(answer) + half


def _number(function: Callable[[Given], Any], given: Given) -> float:
    """Return a number computed from what is given, NaN where it is undefined."""
    try:
        with np.errstate(all="ignore"):
            return float(function(given))
    except ArithmeticError:
        return float("nan")
