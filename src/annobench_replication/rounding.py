"""What the rounding of printed numbers leaves open.

A number printed as .79 stands for every number from .785 to .795. What is computed from such
numbers is an interval too, and a paper is contradicted only where that interval misses what
it printed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from annobench.reporting.printed import parse_printed

__all__ = ["Rounded", "counts_that_round_to", "half_unit", "propagate"]

#: With more inputs than this, not every combination of ends is tried.
MAX_EXHAUSTIVE = 10


class Rounded(NamedTuple):
    """A value computed from rounded numbers.

    Attributes
    ----------
    value : float
        From the numbers as printed.
    lower, upper : float
        Its range over all numbers that round to the printed ones.
    """

    value: float
    lower: float
    upper: float


def half_unit(printed: str) -> float:
    """Return half a unit of the last printed place.

    Parameters
    ----------
    printed : str
        A number as printed, such as ".79".

    Returns
    -------
    float
        The half unit, such as 0.005.

    Examples
    --------
    >>> half_unit(".79")
    0.005
    """
    return float(parse_printed(printed).unit) / 2


def counts_that_round_to(
    printed: float, n: int, *, unit: float, percent: bool = False
) -> list[int]:
    """Find the counts whose share rounds to a printed number.

    Parameters
    ----------
    printed : float
        The share as printed.
    n : int
        What the counts are out of, at least 1.
    unit : float
        The unit of the last printed place, such as 0.01 for .79 and 1 for 79%.
    percent : bool, default False
        Whether the share is printed in percent.

    Returns
    -------
    list of int
        Rising, within 0 and n; both ends of the rounding count. Empty if there is none.

    Examples
    --------
    >>> counts_that_round_to(0.79, 250, unit=0.01)
    [197, 198]
    """
    scale = 100 if percent else 1
    return [k for k in range(n + 1) if abs(scale * k / n - printed) <= unit / 2 + 1e-9]


def propagate(
    function: Callable[[Sequence[float]], float],
    printed: Sequence[str | float],
    *,
    counts: Sequence[int] = (),
) -> Rounded:
    """Compute a value and its range over all inputs that round to the printed ones.

    Parameters
    ----------
    function : callable
        Takes the inputs as a list of floats, in the order given, and returns the value.
    printed : sequence of str or float
        The inputs as printed; a float or an int stands for itself.
    counts : sequence of int, optional
        Positions of inputs printed as text that are exact, such as counts.

    Returns
    -------
    Rounded
        The value, and its range.

    Raises
    ------
    ValueError
        If a text is no printed number.

    Notes
    -----
    The ends are found at the ends of the inputs: all combinations up to `MAX_EXHAUSTIVE`
    rounded inputs, and beyond that by moving one input at a time until none helps, from the
    printed values. Both are exact for a function that is monotone in each input with the
    others fixed, the first whatever the directions, the second if a direction does not hang
    on the others, as in weighted sums and averages.

    Examples
    --------
    >>> propagate(lambda x: x[0] - x[1], [".80", ".50"])
    Rounded(value=0.30000000000000004, lower=0.29000000000000004, upper=0.31000000000000005)
    """
    numbers = [parse_printed(x).value if isinstance(x, str) else x for x in printed]
    centre = [float(x) for x in numbers]
    exact = set(counts)
    ends = [
        (x - half_unit(text), x + half_unit(text))
        if isinstance(text, str) and n not in exact
        else (x,)
        for n, (text, x) in enumerate(zip(printed, centre, strict=True))
    ]
    value = function(centre)
    if sum(len(each) > 1 for each in ends) <= MAX_EXHAUSTIVE:
        found = [function(list(corner)) for corner in itertools.product(*ends)]
        return Rounded(value, min([value, *found]), max([value, *found]))
    return Rounded(
        value,
        _coordinate_search(function, centre, ends, min),
        _coordinate_search(function, centre, ends, max),
    )


def _coordinate_search(
    function: Callable[[Sequence[float]], float],
    start: Sequence[float],
    ends: Sequence[Sequence[float]],
    better: Callable[[float, float], float],
) -> float:
    point, best = list(start), function(start)
    improved = True
    while improved:
        improved = False
        for n, choices in enumerate(ends):
            for end in choices:
                tried = [*point[:n], end, *point[n + 1 :]]
                value = function(tried)
                if value != best and not math.isnan(value) and better(value, best) == value:
                    point, best, improved = tried, value, True
    return best
