"""The likelihood of Bradley and Terry's model with ties after Davidson (1970).

With log-strengths t_i and d, the log of the tie parameter nu, the left item wins with probability
proportional to exp(t_i), the right one to exp(t_j), and a tie to exp(d + (t_i + t_j) / 2). The
model is an exponential family: the log-likelihood is concave, and observed and expected information
are the same.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from annobench.pairwise.comparisons import TIE, Comparisons

__all__ = ["Estimate", "information", "maximise", "probabilities", "scores"]

Floats = NDArray[Any]

#: What a comparison counts for the left item.
_POINTS: Final = np.array([1.0, 0.5, 0.0])
_TOLERANCE: Final = 1e-10
_MAX_STEPS: Final = 200


class Estimate(NamedTuple):
    """Parameters.

    Attributes
    ----------
    strength : ndarray, shape (K,)
        Log-strengths, of sum 0.
    log_tie : float
        Log of the tie parameter; minus infinity without ties.
    """

    strength: Floats
    log_tie: float


def probabilities(of: Comparisons, at: Estimate) -> Floats:
    """Return the probability of each outcome of each comparison, shape (N, 3)."""
    left, right = at.strength[of.left], at.strength[of.right]
    return np.asarray(
        softmax(np.column_stack([left, at.log_tie + (left + right) / 2, right]), axis=1)
    )


def scores(of: Comparisons, at: Estimate) -> tuple[Floats, Floats]:
    """Return each comparison's derivative by the left item's strength, and by the log of ties."""
    p = probabilities(of, at)
    return _POINTS[of.outcome] - p @ _POINTS, (of.outcome == TIE) - p[:, TIE]


def information(of: Comparisons, at: Estimate, weight: Floats) -> Floats:
    """Return the information, shape (K + 1, K + 1); its last row is of ties."""
    p = probabilities(of, at)
    mean = p @ _POINTS
    of_points = weight * (p @ _POINTS**2 - mean**2)
    of_both = weight * p[:, TIE] * (0.5 - mean)
    of_ties = weight * p[:, TIE] * (1 - p[:, TIE])
    return assemble(of, of_points, of_both, float(of_ties.sum()))


def assemble(of: Comparisons, points: Floats, both: Floats, ties: float) -> Floats:
    """Sum the products of derivatives of comparisons, as a matrix of all parameters."""
    k = of.n_items
    found = np.zeros((k + 1, k + 1))
    np.add.at(found, (of.left, of.left), points)
    np.add.at(found, (of.right, of.right), points)
    np.add.at(found, (of.left, of.right), -points)
    np.add.at(found, (of.right, of.left), -points)
    cross = np.bincount(of.left, both, k) - np.bincount(of.right, both, k)
    found[:k, k] = found[k, :k] = cross
    found[k, k] = ties
    return found


def maximise(
    of: Comparisons, weight: Floats, start: Estimate | None = None, *, precision: float = 0.0
) -> Estimate:
    """Maximise the weighted log-likelihood by Newton's method.

    Parameters
    ----------
    of : Comparisons
        Items that are strongly connected, unless there is a prior.
    weight : ndarray, shape (N,)
        At least 0.
    start : Estimate, optional
        By default all items are equal.
    precision : float, default 0
        Of a normal prior of the log-strengths with mean 0.

    Returns
    -------
    Estimate
        The maximum.
    """
    k, ties = of.n_items, bool((of.outcome == TIE).any())
    at = start or Estimate(np.zeros(k), 0.0 if ties else -math.inf)
    free = k + ties
    value = _objective(of, at, weight, precision)
    for _ in range(_MAX_STEPS):
        points, tied = scores(of, at)
        gradient = np.zeros(k + 1)
        gradient[:k] = np.bincount(of.left, weight * points, k)
        gradient[:k] -= np.bincount(of.right, weight * points, k) + precision * at.strength
        gradient[k] = weight @ tied
        matrix = information(of, at, weight)
        # Strengths add up to 0: what is added acts in that direction alone.
        matrix[:k, :k] += 1 / k + precision * np.eye(k)
        step = np.zeros(k + 1)
        step[:free] = np.linalg.solve(matrix[:free, :free], gradient[:free])
        # Newton's method squares its error: what is left after this step is far below.
        last = float(gradient @ step) < _TOLERANCE
        length = 1.0
        while length > 1e-6:
            moved = at.strength + length * step[:k]
            there = Estimate(
                moved - moved.mean(), at.log_tie + length * float(step[k]) if ties else -math.inf
            )
            found = _objective(of, there, weight, precision)
            if last or found >= value:
                break
            length /= 2
        if length <= 1e-6:
            break
        at, value = there, found
        if last:
            break
    return at


def _objective(of: Comparisons, at: Estimate, weight: Floats, precision: float) -> float:
    chosen = probabilities(of, at)[np.arange(of.n_comparisons), of.outcome]
    with np.errstate(divide="ignore"):
        return float(weight @ np.log(chosen) - precision / 2 * (at.strength @ at.strength))
