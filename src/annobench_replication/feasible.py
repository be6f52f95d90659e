"""Feasible sets from printed totals.

Papers print sums of a table that they don't print: totals, shares, coefficients that are
linear once a margin is known. Each is a linear constraint on the table's cells, its rounding
an interval. The least and the largest value of any other weighted sum of the cells then
follow by linear programming; whether the printed numbers go together at all follows, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.optimize
from numpy.typing import ArrayLike, NDArray

__all__ = ["Constraints"]


@dataclass
class Constraints:
    """Linear constraints on counts that are at least 0.

    Attributes
    ----------
    n_cells : int
        C, the number of unknown counts.
    rows : list of ndarray, shape (C,)
        Weights of the sums.
    lower, upper : list of float
        Bounds of the sums; infinite where there is none.

    Examples
    --------
    A two by two table of 10 items with 6 in the first row and 7 in the first column has
    from 3 to 6 in its first cell.

    >>> table = Constraints(4)
    >>> table.add([1, 1, 1, 1], 10, 10)
    >>> table.add([1, 1, 0, 0], 6, 6)
    >>> table.add([1, 0, 1, 0], 7, 7)
    >>> table.range([1, 0, 0, 0])
    (3.0, 6.0)
    """

    n_cells: int
    rows: list[NDArray[np.float64]] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)

    def add(self, weights: ArrayLike, lower: float, upper: float) -> None:
        """Hold a weighted sum of the counts between two numbers.

        Parameters
        ----------
        weights : array_like, shape (C,)
            Weight of each count.
        lower, upper : float
            Bounds of the sum, `lower` at most `upper`.

        Raises
        ------
        ValueError
            If there are not C weights, or the bounds are in the wrong order.
        """
        self.rows.append(self._weights("add", weights))
        if not lower <= upper:
            raise ValueError(
                f"Constraints.add: lower must be at most upper, got {lower} and {upper}."
            )
        self.lower.append(float(lower))
        self.upper.append(float(upper))

    def solve(self, weights: ArrayLike, *, integer: bool = False) -> NDArray[np.float64] | None:
        """Find counts that satisfy the constraints and minimise a weighted sum.

        Parameters
        ----------
        weights : array_like, shape (C,)
            Weight of each count in the sum to minimise.
        integer : bool, default False
            Whether counts must be whole.

        Returns
        -------
        ndarray, shape (C,), or None
            The counts; None if the constraints contradict one another.

        Raises
        ------
        ValueError
            If there are not C weights, or the sum has no least value.
        """
        objective = self._weights("solve", weights)
        constraints = (
            scipy.optimize.LinearConstraint(np.array(self.rows), self.lower, self.upper)
            if self.rows
            else ()
        )
        found = scipy.optimize.milp(
            objective,
            constraints=constraints,
            integrality=np.full(self.n_cells, int(integer)),
        )
        if found.status == 3:
            raise ValueError("Constraints.solve: the sum is unbounded. Add a constraint.")
        return None if found.x is None else np.asarray(found.x, dtype=np.float64)

    def range(self, weights: ArrayLike) -> tuple[float, float]:
        """Return the least and the largest value of a weighted sum.

        Parameters
        ----------
        weights : array_like, shape (C,)
            Weight of each count.

        Returns
        -------
        tuple of float
            Of counts that need not be whole, so that whole ones lie within; NaN twice if
            the constraints contradict one another.

        Raises
        ------
        ValueError
            As in `solve`.
        """
        w = self._weights("range", weights)
        least, largest = self.solve(w), self.solve(-w)
        if least is None or largest is None:
            return np.nan, np.nan
        return float(w @ least), float(w @ largest)

    def _weights(self, caller: str, weights: ArrayLike) -> NDArray[np.float64]:
        w = np.asarray(weights, dtype=np.float64)
        if w.shape != (self.n_cells,):
            raise ValueError(
                f"Constraints.{caller}: weights must be {self.n_cells} numbers, "
                f"got an array of shape {w.shape}."
            )
        return w
