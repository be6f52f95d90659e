"""What a check answers, and how numbers, arrays and tables of a student are compared."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["Checked", "as_number", "brief", "same", "shown", "unanswered"]


@dataclass(frozen=True)
class Checked:
    """The outcome of one check: passed or not, and what there is to say about it.

    Attributes
    ----------
    exercise : str
        Id of the exercise.
    passed : bool
        Whether the answer is right.
    message : str
        What the student reads.
    mistake : str or None
        Name of the mistake, if it is a known one; "not answered" where there is no answer.
    """

    exercise: str
    passed: bool
    message: str
    mistake: str | None = None

    def __repr__(self) -> str:
        """Return the outcome on one line."""
        state = "passed" if self.passed else "not yet"
        return f"Exercise {self.exercise}, {state}: {' '.join(self.message.split())}"

    def _repr_html_(self) -> str:
        """Return the outcome as a box, green or amber, whose words say the same as its colour."""
        colour, state = ("#2e7d32", "passed") if self.passed else ("#b26a00", "not yet")
        return (
            f'<div style="border-left: 4px solid {colour}; padding: 0.3em 0.8em">'
            f'<b style="color: {colour}">Exercise {escape(self.exercise)}: {state}.</b> '
            f"{escape(self.message)}</div>"
        )


def unanswered(answer: object) -> bool:
    """Tell whether an answer is still the stub: nothing, an ellipsis or an empty text.

    Parameters
    ----------
    answer : object
        What the student gave.

    Returns
    -------
    bool
        True for None, ..., "" and "...".
    """
    return (
        answer is None
        or answer is Ellipsis
        or answer is NotImplemented
        or (isinstance(answer, str) and answer.strip(" .") == "")
    )


def as_number(answer: object) -> float | str:
    """Return an answer as one number, or the sentence that says why it is none.

    Parameters
    ----------
    answer : object
        A number, or an array or series with one element.

    Returns
    -------
    float or str
        The number, or what is wrong.
    """
    if isinstance(answer, str):
        return f"Give a number, not text: {shown(answer)} is in quotation marks."
    if isinstance(answer, bool | np.bool_):
        return "Give a number; True and False are the result of a comparison."
    if callable(answer):
        return "Give a number; this is a function, which is called with parentheses."
    try:
        values = np.asarray(answer)
        if values.dtype.kind not in "iuf" and not (values.dtype.kind == "O" and values.ndim == 0):
            return f"Give one number; this is of type {type(answer).__name__}."
        if values.size != 1:
            return f"Give one number; there are {values.size} in your answer."
        number = float(values.reshape(()))
    except (TypeError, ValueError, OverflowError):
        return f"Give one number; this is of type {type(answer).__name__}."
    if np.isnan(number):
        return "The answer is NaN (not a number): somewhere 0 is divided by 0, or data are missing."
    return number


def same(one: Any, other: Any, tolerance: float = 1e-8) -> bool:
    """Tell whether two values are equal up to the rounding of floating-point arithmetic.

    Parameters
    ----------
    one, other : object
        Numbers, texts, arrays, tables, or sequences and mappings of them. NaN equals NaN; a list,
        a tuple, a series and an array with the same elements are equal.
    tolerance : float, default 1e-8
        Largest difference, relative to numbers beyond 1, absolute below; at least 1e-5 where a
        value is in single precision.

    Returns
    -------
    bool
        False also if the values can't be compared.

    Examples
    --------
    >>> same([0.1 + 0.2, 1], np.array([0.3, 1]))
    True
    >>> same(1, "1")
    False
    """
    try:
        return _same(one, other, tolerance)
    except Exception:
        return False


#: What is left of a number after a short computation in single precision.
_SINGLE = 1e-5


def _same(one: Any, other: Any, tolerance: float) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    if isinstance(one, Mapping) or isinstance(other, Mapping):
        one, other = dict(one), dict(other)
        return one.keys() == other.keys() and all(_same(one[k], other[k], tolerance) for k in one)
    if isinstance(one, set | frozenset) or isinstance(other, set | frozenset):
        return set(one) == set(other)
    one, other = (np.asarray(v.to_numpy() if _is_pandas(v) else v) for v in (one, other))
    if one.shape != other.shape:
        return False
    if np.float32 in (one.dtype, other.dtype):
        tolerance = max(tolerance, _SINGLE)
    if one.dtype.kind in "iufbc" and other.dtype.kind in "iufbc":
        return bool(np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True))
    if one.ndim == 0:
        return bool(one == other)
    return all(_same(a, b, tolerance) for a, b in zip(one.tolist(), other.tolist(), strict=True))


def _is_pandas(value: object) -> bool:
    return isinstance(value, pd.Series | pd.DataFrame | pd.Index)


_SHORT = reprlib.Repr()
_SHORT.maxlist = _SHORT.maxtuple = 8
_SHORT.maxother = 200


def shown(value: object) -> str:
    """Return a value as a student may read it in a message, shortened if it is long.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    str
        At most some 300 characters on one line.
    """
    try:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, np.ndarray):
            value = np.round(value, 6).tolist() if value.dtype.kind == "f" else value.tolist()
        if isinstance(value, float):
            return f"{value:.6g}"
        text = " ".join(_SHORT.repr(value).split())
    except Exception:
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 300 else text[:297] + "..."


def brief(error: BaseException) -> str:
    """Return the text of an error on one line.

    Parameters
    ----------
    error : BaseException
        The error.

    Returns
    -------
    str
        At most 160 characters.
    """
    text = " ".join(str(error).split())
    return text if len(text) <= 160 else text[:157] + "..."
