"""Texts of questions and solutions, filled in with what a student is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from annobench_course.exercise import Given, Text
from annobench_course.outcomes import shown

__all__ = ["fill", "table"]


def fill(text: Text, given: Given, **more: Any) -> str:
    """Return a text with the values of what is given.

    Parameters
    ----------
    text : str or callable
        With names in braces, or a function of what is given.
    given : mapping
        Names and values.
    **more
        Further names and values.

    Returns
    -------
    str
        Numbers are shortened to six digits; a format such as ``{share:.2f}`` is respected.

    Examples
    --------
    >>> fill("{n} of {total:.1f}", {"n": 1 / 3, "total": 2})
    '0.333333 of 2.0'
    """
    values = {**given, **more}
    if callable(text):
        return text(values)
    return text.format(**{name: _Shown(value) for name, value in values.items()})


class _Shown:
    """A value that formats as it is shown, unless a format is asked for."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        if spec:
            return format(self._value, spec)
        return self._value if isinstance(self._value, str) else shown(self._value)

    def __getitem__(self, key: Any) -> _Shown:
        return _Shown(self._value[key])


def table(matrix: Any, *, rows: Sequence[str], columns: Sequence[str], corner: str = "") -> str:
    """Return a matrix as a table in markdown.

    Parameters
    ----------
    matrix : array-like, shape (R, C)
        Counts or other short values.
    rows, columns : sequence of str
        Their names.
    corner : str, optional
        What stands above the names of the rows.

    Returns
    -------
    str
        Lines of the table, with an empty line before and after.

    Examples
    --------
    >>> print(table([[1, 2]], rows=["a"], columns=["x", "y"]).strip())
    |  | x | y |
    |---|---|---|
    | a | 1 | 2 |
    """
    cells = np.asarray(matrix, dtype=object).tolist()
    lines = [
        f"| {corner} | {' | '.join(columns)} |",
        "|---" * (len(columns) + 1) + "|",
        *(
            f"| {name} | {' | '.join(map(shown, row))} |"
            for name, row in zip(rows, cells, strict=True)
        ),
    ]
    return "\n\n" + "\n".join(lines) + "\n\n"
