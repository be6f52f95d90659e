"""Weights of bootstrap samples: multinomial counts, or Dirichlet shares.

A sample is a vector of weights, so data are never copied, and a statistic that is a function of
sums needs one matrix product for many replicates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from annobench.core.errors import AnnotationError

__all__ = ["MANY", "dirichlet_weights", "draw_counts", "multinomial_counts"]

#: Cells of a temporary table.
MAX_CELLS: Final = 4_000_000

#: Draws from which a compiled count pays.
MANY: Final = 1_000_000


def draw_counts(n: int, replicates: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw n of n with replacement and count each.

    Parameters
    ----------
    n : int
        Number.
    replicates : int
        Number of replicates.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray, shape (replicates, n)
        Whole numbers; rows sum to n.
    """
    drawn = rng.integers(0, n, size=(replicates, n), dtype=np.int32)
    if drawn.size < MANY:
        places = drawn + n * np.arange(replicates)[:, None]
        return np.bincount(places.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(float)
    # Compiled code takes a moment to load, which few draws need not pay.
    from annobench.resampling._tally import tally

    return np.asarray(tally(drawn, n))


def multinomial_counts(
    frequency: ArrayLike, replicates: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw n of n with replacement, and count by kind.

    Parameters
    ----------
    frequency : array_like of int, shape (P,)
        Number of units of each kind, n in total.
    replicates : int
        Number of replicates.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray of int, shape (replicates, P)
        Rows sum to n.
    """
    times = np.asarray(frequency)
    n = int(times.sum())
    return rng.multinomial(n, times / n, size=replicates)


def dirichlet_weights(
    concentration: ArrayLike, total: float, replicates: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw weights from a Dirichlet distribution, as the Bayesian bootstrap does.

    Parameters
    ----------
    concentration : array_like, shape (P,)
        Parameters, positive; for the Bayesian bootstrap the frequency of each unit.
    total : float
        Sum of the weights of a replicate.
    replicates : int
        Number.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray, shape (replicates, P)
        Positive; rows sum to `total`.

    References
    ----------
    Rubin (1981), Annals of Statistics 9, 130-134.
    """
    shape = np.asarray(concentration, dtype=np.float64)
    weights = rng.standard_gamma(shape, size=(replicates, shape.size))
    weights *= total / weights.sum(axis=1, keepdims=True)
    return weights


def weighted_sum(
    rows: NDArray[Any] | sparse.csr_array, weights: NDArray[Any]
) -> NDArray[np.float64]:
    """Sum rows with weights."""
    if isinstance(rows, sparse.csr_array):
        return np.asarray((rows.T @ np.asarray(weights, dtype=np.float64).T).T)
    return np.asarray(np.asarray(weights, dtype=np.float64) @ rows)


def chunk_sizes(replicates: int, width: int) -> Iterator[int]:
    """Split replicates so that a table of them and `width` columns fits in memory."""
    step = max(1, MAX_CELLS // max(1, width))
    for start in range(0, replicates, step):
        yield min(step, replicates - start)


def check_replicates(replicates: int) -> None:
    """Reject resampling less than once."""
    if replicates < 1:
        raise AnnotationError(f"bootstrap: replicates must be at least 1, got {replicates}.")
