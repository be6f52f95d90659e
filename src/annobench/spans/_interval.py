"""An interval from bootstrap samples of documents."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from annobench.resampling.intervals import Interval, percentile_interval


def document_interval(
    estimate: float, draws: NDArray[np.float64], level: float, n_documents: int
) -> Interval:
    """Return quantiles of the defined values; NaN with a single document."""
    kept = draws[np.isfinite(draws)]
    lower = upper = math.nan
    if n_documents > 1 and kept.size:
        lower, upper = percentile_interval(estimate, kept, level).limits
    undefined = draws.size - kept.size
    return Interval(estimate, lower, upper, level, "percentile", "documents", undefined)
