"""Shares of errors in strata, and interval limits derived from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Share(NamedTuple):
    """The share of errors in a stratum, for many outcomes at once."""

    value: Floats
    standard_error: Floats
    lower: Floats
    upper: Floats

    def times(self, weight: float) -> Share:
        return Share(*(weight * part for part in self))


def on_log_odds(p: Floats, error: Floats, z: float) -> tuple[Floats, Floats]:
    """Return an interval symmetric on the logit scale; only the value if its error is 0."""
    exact = error == 0
    # A share of 0 or 1 in part of a stratum has an estimated error of 0, and proves nothing.
    undefined = (p <= 0) | (p >= 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = z * error / (p * (1 - p))
        odds = p / (1 - p)
        lower, upper = (1 / (1 + 1 / (odds * np.exp(side * half))) for side in (-1, 1))
    lower, upper = (np.where(exact, p, end) for end in (lower, upper))
    return np.where(undefined, np.nan, lower), np.where(undefined, np.nan, upper)


def lower_end(a: Share, b: Share) -> Floats:
    """Return the lower limit of a / (a + b) from the lower limit of a and the upper of b."""
    low = a.lower * (2 * a.value - a.lower)
    high = b.upper * (2 * b.value - b.upper)
    product = a.value * b.value
    root = np.sqrt(np.maximum(product**2 - low * high, 0))
    return np.divide(low, low + product + root, out=np.zeros_like(low), where=low > 0)
