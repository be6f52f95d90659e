r"""Clustered items, such as the answers to one question or the sentences of a text.

Items of a cluster are correlated, so intervals that assume independence are too narrow. To first
order, the error of a smooth function of means is a sum of one residual per item. Its *design
effect* is the variance of this sum for clustered items, divided by the variance for independent
items, ::

    D = C / (C - 1) * sum over clusters c of (sum of r_i in c)^2 / sum of r_i^2

and an interval for independent items is widened by the square root of D on either side. It is never
narrowed. If all residuals are 0, as for a judge that is always right, D is the mean cluster size,
as if a cluster were one observation.

Kish (1965), Survey Sampling, section 5.4; Rao and Scott (1992), Biometrics 48, 577-585.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.resampling.intervals import Interval

__all__ = ["design_effect", "widen"]

Floats = NDArray[np.float64]


def cluster_codes(clusters: ArrayLike | None, n_items: int) -> NDArray[np.int64] | None:
    """Return the code of each item's cluster."""
    if clusters is None:
        return None
    codes = np.asarray(pd.factorize(np.asarray(clusters))[0], dtype=np.int64)
    if codes.shape != (n_items,) or (codes < 0).any():
        raise AnnotationError(
            f"judge: {int((codes >= 0).sum()):,} items of {n_items:,} have a cluster. Give each "
            "item one."
        )
    return codes


def design_effect(residuals: ArrayLike, clusters: NDArray[np.int64]) -> Floats:
    """Compute the ratio of a variance to that for independent items.

    Parameters
    ----------
    residuals : array_like, shape (I, M)
        Contribution of each item to the errors of M estimates; 0 for an item that is not used, NaN
        for all items if an estimate is undefined.
    clusters : ndarray of int, shape (I,)
        Codes, as from `cluster_codes`.

    Returns
    -------
    ndarray, shape (M,)
        At least 1; infinite with a single cluster.

    Examples
    --------
    >>> design_effect([[1.0], [1.0], [-1.0], [-1.0]], np.array([0, 0, 1, 1])).tolist()
    [4.0]
    """
    r = np.asarray(residuals, dtype=np.float64)
    used, place = np.unique(clusters, return_inverse=True)
    sums = np.zeros((used.size, r.shape[1]))
    np.add.at(sums, place, r)
    alone = (r**2).sum(axis=0)
    if used.size < 2:
        return np.full(r.shape[1], np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = used.size / (used.size - 1) * (sums**2).sum(axis=0) / alone
    return np.asarray(np.maximum(np.where(alone > 0, effect, clusters.size / used.size), 1.0))


def widen(interval: Interval, effect: ArrayLike, lowest: float, highest: float) -> Interval:
    """Widen an interval by its design effect.

    Parameters
    ----------
    interval : Interval
        The interval for independent items.
    effect : array_like
        The design effect, at least 1.
    lowest, highest : float
        Limits of the range of the quantity.

    Returns
    -------
    Interval
        The widened interval; the whole range if the effect is infinite.

    Examples
    --------
    >>> found = widen(Interval(0.8, 0.7, 0.9, 0.95, "wilson"), 4.0, 0.0, 1.0)
    >>> round(float(found.lower), 3), float(found.upper)
    (0.6, 1.0)
    """
    factor = np.sqrt(np.asarray(effect, dtype=np.float64))
    below, above = interval.estimate - interval.lower, interval.upper - interval.estimate
    with np.errstate(invalid="ignore"):  # no width times an infinite effect
        lower = np.maximum(interval.estimate - factor * below, lowest)
        upper = np.minimum(interval.estimate + factor * above, highest)
    known = ~np.isnan(interval.estimate)
    return replace(
        interval,
        lower=np.where(known & np.isinf(factor), lowest, lower),
        upper=np.where(known & np.isinf(factor), highest, upper),
    )
