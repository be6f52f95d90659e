"""Statistics that analyses of several papers need of bare counts and of repetitions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["kappas", "mean_and_range"]


def kappas(tables: ArrayLike) -> NDArray[np.float64]:
    """Compute Cohen's kappa of contingency tables.

    Parameters
    ----------
    tables : array_like, shape (..., K, K)
        Counts, or probabilities, of pairs of labels; no table is empty.

    Returns
    -------
    ndarray, shape (...)
        In [-1, 1]; NaN where all labels are the same.

    Examples
    --------
    >>> float(kappas([[30, 10], [10, 30]]))  # (0.75 - 0.5) / (1 - 0.5)
    0.5
    """
    counts = np.asarray(tables)
    share = counts / counts.sum(axis=(-2, -1), keepdims=True)
    observed = np.trace(share, axis1=-2, axis2=-1)
    expected = (share.sum(axis=-1) * share.sum(axis=-2)).sum(axis=-1)
    chance = np.where(expected < 1, expected, np.nan)
    return np.asarray((observed - chance) / (1 - chance))


def mean_and_range(draws: ArrayLike, *, level: float = 0.95) -> tuple[float, float, float]:
    """Summarise repetitions of a simulation.

    Parameters
    ----------
    draws : array_like
        One value a repetition.
    level : float, default 0.95
        Share of the repetitions in the range.

    Returns
    -------
    tuple of float
        The mean, and the equal-tailed range of the repetitions.

    Examples
    --------
    >>> mean_and_range(range(5), level=0.5)
    (2.0, 1.0, 3.0)
    """
    values = np.asarray(draws, dtype=np.float64)
    lower, upper = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(values.mean()), float(lower), float(upper)
