"""Adjustment of p-values for multiplicity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["holm"]


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values by Holm's method, which controls the familywise error rate.

    Parameters
    ----------
    p_values : array_like, shape (M,)
        In [0, 1]; NaN for tests that were not possible; these stay NaN and are not counted.

    Returns
    -------
    ndarray, shape (M,)
        In [0, 1]: the k-th smallest of m is multiplied by m - k + 1, and none is below the one
        before.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> holm([0.01, 0.5, 0.02]).tolist()
    [0.03, 0.5, 0.04]
    """
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.size, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[p[known].argsort(kind="stable")]
    raised = np.maximum.accumulate(p[order] * np.arange(order.size, 0, -1))
    adjusted[order] = np.minimum(raised, 1)
    return adjusted
