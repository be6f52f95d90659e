"""Exercises whose answer is a function, compared with the library on random inputs."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annobench_course.exercise import Exercise, Given, Mistake, Property
from annobench_course.outcomes import Checked, brief, same, shown, unanswered
from annobench_course.watch import (
    ELAPSED_SECONDS,
    FUNCTION_SECONDS,
    TooSlowError,
    time_limit,
)

__all__ = ["Function"]


#: What rounding two shares to two decimals may cost.
_ROUNDED = 0.02


@dataclass(frozen=True, kw_only=True)
class Function(Exercise):
    """A function of the student's own, compared with the library on random inputs.

    Attributes
    ----------
    id, title : str
        As in `Exercise`.
    signature : str
        As in the stub, such as "kappa(matrix)".
    reference : callable
        The right function; the library's own wherever there is one.
    inputs : callable
        Draws from a generator a list of tuples of arguments, small ones first: the first on which
        the student's function is wrong is shown to them.
    properties : tuple of Property
        What must hold of the function on every input.
    mistakes : tuple of Mistake
        At least three mistaken implementations.
    tolerance : float, default 1e-8
        As in `outcomes.same`.
    """

    signature: str
    reference: Callable[..., Any]
    inputs: Callable[[np.random.Generator], Sequence[tuple[Any, ...]]]
    mistakes: tuple[Mistake, ...]
    properties: tuple[Property, ...] = ()
    tolerance: float = 1e-8

    def propose(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"inputs": list(self.inputs(rng))}

    def tells_apart(self, given: Given) -> bool:
        functions = [self.reference, *(mistake.answer for mistake in self.mistakes)]
        outcomes = [self._outcomes(function, given["inputs"]) for function in functions]
        return all(self._differ(one, other) for one, other in itertools.combinations(outcomes, 2))

    def handed_out(self, given: Given) -> Given:
        """Return the first input, which a student may try.

        Parameters
        ----------
        given : mapping
            Holds the inputs.

        Returns
        -------
        mapping
            `arguments`, a tuple.
        """
        return {"arguments": given["inputs"][0]}

    def right_answer(self, given: Given) -> Callable[..., Any]:
        """Return the right function.

        Parameters
        ----------
        given : mapping
            Not used.

        Returns
        -------
        callable
            The reference.
        """
        return self.reference

    def wrong_answers(self, given: Given) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Yield the name of every known mistake and its implementation.

        Parameters
        ----------
        given : mapping
            Not used.

        Yields
        ------
        tuple of (str, callable)
            Name and function.
        """
        for mistake in self.mistakes:
            yield mistake.name, mistake.answer

    def judge(self, answer: Any, given: Given) -> Checked:
        """Compare a function with the reference and with the mistaken ones on all inputs.

        Parameters
        ----------
        answer : callable
            The student's function.
        given : mapping
            Holds the inputs.

        Returns
        -------
        Checked
            Passed, or what is wrong.
        """
        if not callable(answer):
            return self._failed(
                f"Give the function itself, `{self.signature.partition('(')[0]}`, without "
                "parentheses, not its result.",
                "not a function",
            )
        inputs = given["inputs"]
        try:
            with time_limit(FUNCTION_SECONDS, elapsed=ELAPSED_SECONDS):
                return self._judge(answer, inputs)
        except TooSlowError:
            return self._failed(
                f"Your function was stopped after {FUNCTION_SECONDS:g} seconds. Does a loop never "
                "end?",
                "too slow",
            )

    def _judge(self, answer: Callable[..., Any], inputs: Sequence[tuple[Any, ...]]) -> Checked:
        first = _outcome(answer, inputs[0])
        if not isinstance(first, _Raised) and unanswered(first):
            return self._unanswered(
                f": {self.signature} returns nothing, so that it may lack a `return`"
            )
        got = self._outcomes(answer, inputs)
        right = self._outcomes(self.reference, inputs)
        faults = [n for n in range(len(inputs)) if not self._equal(got[n], right[n])]
        if not faults:
            broken = self._broken(answer, inputs)
            if broken is None:
                return self._passed(f"Right on {len(inputs)} inputs.")
            return self._failed(broken.message, broken.name)
        for mistake in self.mistakes:
            made = self._outcomes(mistake.answer, inputs)
            telling = [n for n in range(len(inputs)) if not self._equal(made[n], right[n])]
            if all(self._equal(got[n], made[n]) for n in telling):
                return self._failed(mistake.message, mistake.name)
        if self._nearly(got, right):
            return self._failed(
                f"Nearly: your results differ from the right ones by less than {_ROUNDED}. Do you "
                "round inside the function? Round only what you print.",
                "rounding",
            )
        example = faults[0]
        where = f"{self.signature.partition('(')[0]}({', '.join(map(shown, inputs[example]))})"
        if isinstance(got[example], _Raised):
            return self._failed(
                f"Your function raises {got[example].text} in the call {where}.", "error"
            )
        forms = (_other_form(got[n], right[n]) for n in faults)
        if form := next(filter(None, forms), None):
            return self._failed(f"Your function returns {form}", "shape")
        broken = self._broken(answer, inputs)
        said = f"{broken.message} " if broken else ""
        return self._failed(
            f"{said}{where} gives {shown(got[example])}, but it should be "
            f"{shown(right[example])}.{self._hinting}",
            broken.name if broken else None,
        )

    def _nearly(self, got: Sequence[Any], right: Sequence[Any]) -> bool:
        """Tell whether results are off by what rounding costs, and are no constant."""
        near = all(same(one, other, _ROUNDED) for one, other in zip(got, right, strict=True))
        return near and len(set(map(repr, got))) > 1

    def _broken(
        self, function: Callable[..., Any], inputs: Sequence[tuple[Any, ...]]
    ) -> Property | None:
        """Return the first property that does not hold."""
        for required in self.properties:
            for arguments in inputs:
                held = _outcome(lambda *given, p=required: p.holds(function, *given), arguments)
                if isinstance(held, _Raised) or not held:
                    return required
        return None

    def _outcomes(
        self, function: Callable[..., Any], inputs: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        return [_outcome(function, arguments) for arguments in inputs]

    def _equal(self, one: Any, other: Any) -> bool:
        if isinstance(one, _Raised) or isinstance(other, _Raised):
            return (
                isinstance(one, _Raised) and isinstance(other, _Raised) and one.kind is other.kind
            )
        return same(one, other, self.tolerance)

    def _differ(self, one: Sequence[Any], other: Sequence[Any]) -> bool:
        return not all(self._equal(a, b) for a, b in zip(one, other, strict=True))


@dataclass(frozen=True)
class _Raised:
    """A call that raised an error, of which only the kind is compared."""

    kind: type[BaseException]
    text: str


def _other_form(got: Any, right: Any) -> str | None:
    """Say what is returned and what is wanted, if these are not of one shape."""
    form, wanted = _form(got), _form(right)
    if isinstance(got, _Raised) or wanted is None or form == wanted:
        return None
    return f"{form or f'a {type(got).__name__} of {len(got)} values'}. Return {wanted}."


def _form(value: Any) -> str | None:
    """Return the shape of a value in words, None if its parts have different shapes."""
    try:
        shape = np.shape(value)
    except ValueError:
        return None
    return f"an array of shape {shape}" if shape else "a single value"


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function with copies of arguments, which it may then change."""
    try:
        with np.errstate(all="ignore"):
            return function(*copy.deepcopy(arguments))
    except TooSlowError:
        raise
    except Exception as error:
        return _Raised(type(error), f"{type(error).__name__} ({brief(error)})")
