"""Log-linear pools of probabilities: multinomial logistic regression on log probabilities.

The probability of category k of item i is proportional to exp(sum_m w_m x_ikm + b_k), where x_ikm
is its log probability by method m. Given categories, minus the log likelihood is convex in w and b;
with normal priors it has one minimum, which Newton's method finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from annobench.models._votes import Floats, normalised

Ints = NDArray[np.integer]

#: Smaller probabilities of a member are raised to this: a few hundred gold items verify no smaller
#: one, and its logarithm would outweigh all others.
FLOOR: Final = 1e-3
#: A step of Newton's method that promises less than this, per unit of what is minimised, is the
#: last.
PROMISED: Final = 1e-12
MAX_STEPS: Final = 100

Derivatives = Callable[[Floats], tuple[float, Floats, Floats]]


class Mode(NamedTuple):
    """The minimum of a penalised log loss.

    Attributes
    ----------
    theta : ndarray, shape (P,)
        Weights, followed by offsets if there are any.
    covariance : ndarray, shape (P, P)
        Inverse of the Hessian (Laplace's approximation).
    log_evidence : float
        Log probability of the categories, parameters integrated out by Laplace's approximation.
    converged : bool
        Whether the last step predicted a negligible decrease.
    """

    theta: Floats
    covariance: Floats
    log_evidence: float
    converged: bool


def log_features(tables: Sequence[Floats], floor: float = FLOOR) -> Floats:
    """Return the logarithms of M methods' probabilities, floored, shape (I, K, M)."""
    raised = [np.maximum(table, floor) for table in tables]
    return np.stack([np.log(each / each.sum(axis=1, keepdims=True)) for each in raised], axis=2)


def pooled(logs: Floats, weights: Floats, offsets: Floats | float = 0.0) -> Floats:
    """Return the pooled probabilities, shape (I, K)."""
    return normalised(logs @ weights + offsets)[0]


def log_loss(
    theta: Floats, logs: Floats, category: Ints, weight: float | Floats = 1.0
) -> tuple[float, Floats, Floats]:
    """Compute the log loss, its gradient and its Hessian.

    Parameters theta, (M,) or (M + K,), are weights, followed by offsets if there are any; logs, (I,
    K, M), are log probabilities; category, (I,), is known; weight is that of all items, or of
    each, (I,).
    """
    n, k, m = logs.shape
    offsets = theta[m:]
    q = pooled(logs, theta[:m], offsets if offsets.size else 0.0)
    at = np.arange(n)
    mean = np.einsum("nk,nkm->nm", q, logs)
    w = np.broadcast_to(np.asarray(weight, dtype=np.float64), n)
    value = -float((w * np.log(np.maximum(q[at, category], np.finfo(float).tiny))).sum())
    gradient = (w[:, None] * (mean - logs[at, category])).sum(axis=0)
    flat = logs.reshape(n * k, m)
    weighted = w[:, None] * q
    # One array on both sides of a product, as its result is then exactly symmetric.
    root = np.sqrt(w)[:, None]
    mean, q = root * mean, root * q
    second = (flat * weighted.reshape(-1, 1)).T @ flat - mean.T @ mean
    if offsets.size:
        total = weighted.sum(axis=0)
        cross = np.einsum("nk,nkm->mk", weighted, logs) - mean.T @ q
        gradient = np.append(gradient, total - np.bincount(category, w, minlength=k))
        second = np.block([[second, cross], [cross.T, np.diag(total) - q.T @ q]])
    return value, gradient, second


def minimise(loss: Derivatives, centre: Floats, precision: Floats) -> Mode:
    """Minimise a convex loss with a normal prior, by Newton's method with halved steps.

    `loss` maps parameters, (P,), to its value, gradient and Hessian; the search starts at the prior
    mean. The prior precision is above 0.
    """

    def penalised(theta: Floats) -> tuple[float, Floats, Floats]:
        value, gradient, second = loss(theta)
        away = precision * (theta - centre)
        return (
            value + 0.5 * float(away @ (theta - centre)),
            gradient + away,
            second + np.diag(precision),
        )

    theta = centre.astype(np.float64)
    value, gradient, second = penalised(theta)
    converged = False
    for _ in range(MAX_STEPS):
        step = linalg.solve(second, -gradient, assume_a="pos")
        promised = -float(gradient @ step) / 2
        size = 1.0
        while (found := penalised(theta + size * step))[0] > value and size > PROMISED:
            size /= 2
        converged = promised <= PROMISED * (1 + abs(value))
        if found[0] <= value:
            theta, (value, gradient, second) = theta + size * step, found
        if converged or size <= PROMISED:
            break
    factor = linalg.cho_factor(second)
    log_determinant = 2 * float(np.log(np.diag(factor[0])).sum())
    evidence = -value + 0.5 * float(np.log(precision).sum()) - 0.5 * log_determinant
    return Mode(theta, linalg.cho_solve(factor, np.eye(theta.size)), evidence, converged)
