"""Checks of arguments that the functions of the easy/hard model share."""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.tolerances import SUM_TO_ONE

FloatArray = NDArray[np.float64]

#: Probabilities below this can't change a sum of millions of terms in double precision.
NEGLIGIBLE: Final = 1e-20


def check_open_unit(name: str, value: float) -> float:
    """Return a number in (0, 1), or raise an error."""
    if not 0 < value < 1:
        raise ValueError(f"{name}={value} is not between 0 and 1. Give a number in (0, 1).")
    return float(value)


def check_integer(name: str, value: Any, *, minimum: int) -> int:
    """Return a whole number that is large enough, or raise an error."""
    if isinstance(value, bool) or value != value or int(value) != value or value < minimum:
        raise ValueError(f"{name}={value!r}: give a whole number of at least {minimum}.")
    return int(cast(int, value))


def check_distributions(name: str, rows: FloatArray) -> None:
    """Reject rows that are not probability distributions."""
    total = rows.sum(axis=1)
    if not (rows.min() >= 0 and np.abs(total - 1).max() <= SUM_TO_ONE):
        worst = int(np.argmax(np.where(np.isfinite(total), np.abs(total - 1), np.inf)))
        raise ValueError(
            f"{name}: row {worst} is {rows[worst].tolist()}, not a distribution. Give numbers from "
            "0 to 1 that sum to 1."
        )


def guess_rows(guess: ArrayLike, n_annotators: int) -> FloatArray:
    """Return the guess distribution of each annotator, shape (J, K)."""
    given = np.asarray(guess, dtype=np.float64)
    if given.ndim == 0:
        q = check_open_unit("guess", float(given))
        given = np.array([q, 1 - q])
    if given.ndim == 1:
        n = check_integer("n_annotators", n_annotators, minimum=2)
        given = np.tile(given, (n, 1))
    if given.ndim != 2 or given.shape[0] < 2 or given.shape[1] < 2:
        raise ValueError(
            f"guess has shape {given.shape}. Give a probability, one for each of at least two "
            "categories, or such a row for each of at least two annotators."
        )
    check_distributions("guess", given)
    return given
