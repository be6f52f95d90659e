"""Ratios that are NaN where the denominator is 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ratio"]


def ratio(numerator: ArrayLike, denominator: ArrayLike, zero: ArrayLike = 0.0) -> NDArray[Any]:
    """Divide, with NaN where the denominator is at most `zero`.

    Parameters
    ----------
    numerator, denominator : array_like
        Of one shape after broadcasting; real, or complex with the value in the real part.
    zero : array_like, default 0
        The largest denominator that is taken for 0.

    Returns
    -------
    ndarray
        The quotient.

    Examples
    --------
    >>> ratio([1, 0], [4, 0])
    array([0.25,  nan])
    """
    below = np.asarray(denominator)
    defined = below.real > zero
    # The imaginary part too, so that a derivative is undefined where the value is.
    undefined = complex(np.nan, np.nan) if np.iscomplexobj(numerator) else np.nan
    return np.where(defined, np.asarray(numerator) / np.where(defined, below, 1), undefined)
