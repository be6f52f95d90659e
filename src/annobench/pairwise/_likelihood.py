"""The likelihood of Bradley and Terry's model with ties (Davidson 1970) and an effect of order.

The left item of log-strength t_i is ahead of the right one by a = t_i - t_j + s, where s is the
effect of being shown first (Davidson and Beaver 1977). It wins with probability proportional to
exp(a), ties with one proportional to exp(d + a / 2), loses with one proportional to 1. The model is
an exponential family: the log-likelihood is concave, and observed and expected information are the
same.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

from annobench.pairwise.comparisons import TIE, Comparisons

__all__ = ["Model", "information", "maximise", "probabilities", "scores"]

Floats = NDArray[Any]

#: What a comparison counts for the left item.
_POINTS: Final = np.array([1.0, 0.5, 0.0])
_TOLERANCE: Final = 1e-10
_MAX_STEPS: Final = 200


class Model(NamedTuple):
    """Comparisons as rows of a design.

    Parameters are K log-strengths of sum 0, the effect of order if there is one, and the log of the
    tie parameter if there are ties.

    Attributes
    ----------
    design : csr_array, shape (N, P - ties)
        1 for the left item and the order, -1 for the right item.
    outcome : ndarray of int, shape (N,)
        As in `Comparisons`.
    n_items : int
        K.
    side : bool
        Whether there is an effect of order.
    ties : bool
        Whether there are ties.
    weight : ndarray, shape (N,)
        As in `Comparisons`.
    """

    design: Any
    outcome: NDArray[np.int64]
    n_items: int
    side: bool
    ties: bool
    weight: Floats

    @classmethod
    def of(cls, comparisons: Comparisons, *, side: bool) -> Model:
        """Lay out comparisons."""
        n, k = comparisons.outcome.size, comparisons.n_items
        columns = [comparisons.left, comparisons.right] + [np.full(n, k)] * side
        signs = [np.ones(n), -np.ones(n)] + [np.ones(n)] * side
        rows = np.tile(np.arange(n), len(columns))
        design = sparse.csr_array(
            (np.concatenate(signs), (rows, np.concatenate(columns))), shape=(n, k + side)
        )
        ties = bool((comparisons.outcome == TIE).any())
        return cls(design, comparisons.outcome, k, side, ties, comparisons.weights)

    @property
    def n_parameters(self) -> int:
        """P."""
        return self.n_items + self.side + self.ties


def probabilities(model: Model, at: Floats) -> Floats:
    """Return the probability of each outcome of each comparison, shape (N, 3)."""
    width = model.design.shape[1]
    logits = np.multiply.outer(model.design @ at[:width], _POINTS)
    logits[:, TIE] += at[width] if model.ties else -math.inf
    return np.asarray(softmax(logits, axis=1))


def scores(model: Model, p: Floats) -> Any:
    """Return the derivatives of each comparison's log-likelihood, sparse, shape (N, P)."""
    points = sparse.diags_array(_POINTS[model.outcome] - p @ _POINTS) @ model.design
    if not model.ties:
        return points.tocsr()
    tied = (model.outcome == TIE) - p[:, TIE]
    return sparse.hstack([points, sparse.csr_array(tied[:, None])], format="csr")


def information(model: Model, p: Floats, weight: Floats) -> Floats:
    """Return the information of weighted comparisons, shape (P, P)."""
    x, width, size = model.design, model.design.shape[1], model.n_parameters
    matrix = np.zeros((size, size))
    mean = p @ _POINTS
    of_points = sparse.diags_array(weight * (p @ _POINTS**2 - mean**2))
    matrix[:width, :width] = (x.T @ of_points @ x).toarray()
    if model.ties:
        matrix[:width, width] = x.T @ (weight * p[:, TIE] * (0.5 - mean))
        matrix[width, :width] = matrix[:width, width]
        matrix[width, width] = weight @ (p[:, TIE] * (1 - p[:, TIE]))
    return matrix


def maximise(model: Model) -> Floats:
    """Maximise the log-likelihood by Newton's method; the maximum must be finite."""
    at = np.zeros(model.n_parameters)
    value = _log_likelihood(model, at)
    for _ in range(_MAX_STEPS):
        p = probabilities(model, at)
        gradient = scores(model, p).T @ model.weight
        step = np.linalg.solve(centred(model, information(model, p, model.weight)), gradient)
        # Newton's method squares its error: what is left after this step is far below.
        last = float(gradient @ step) < _TOLERANCE
        length = 1.0
        while not last and _log_likelihood(model, at + length * step) < value and length > 1e-6:
            length /= 2
        at = at + length * step
        value = _log_likelihood(model, at)
        if last or length <= 1e-6:
            break
    return at


def centred(model: Model, matrix: Floats) -> Floats:
    """Add a penalty of the sum of strengths, which changes nothing else."""
    fixed = matrix.copy()
    fixed[: model.n_items, : model.n_items] += 1 / model.n_items
    return fixed


def _log_likelihood(model: Model, at: Floats) -> float:
    chosen = probabilities(model, at)[np.arange(model.outcome.size), model.outcome]
    with np.errstate(divide="ignore"):
        return float(np.log(chosen) @ model.weight)
