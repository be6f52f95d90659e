"""Means over all items from checked items and predictions for all items.

I items are stratified. The outcome y is known for a simple random sample from each stratum, and a
prediction f for all items. With weights W_h = N_h / I and a number lambda in [0, 1], the mean of y
is estimated by

    theta = lambda mean(f) + sum over h of W_h mean_h(y - lambda f),

where mean_h is over the checked items of the stratum. It is unbiased for any predictions; good ones
make the residuals y - lambda f small, and the interval narrow. Its variance is estimated by the sum
of W_h^2 (1 - n_h / N_h) s_h^2(y - lambda f) / n_h, and lambda minimises it: the ratio of the
analogous sums of covariances of y and f and of variances of f. In survey sampling this is the
difference estimator. With one stratum, of which few items are checked, it is prediction-powered
inference (PPI++).

References: Cochran (1977), section 7.3, for the difference estimator; Angelopoulos et al. (2023),
Science 382, 669-674; Angelopoulos, Duchi and Zrnic (2023), PPI++, section 6 for lambda; Fisch et
al. (2024), Stratified prediction-powered inference, NeurIPS; Zrnic and Candes (2024), Active
statistical inference, ICML.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import SummarisedScalars

__all__ = ["DifferenceEstimate", "difference_estimate"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DifferenceEstimate(SummarisedScalars):
    """A mean estimated from checks and predictions.

    Attributes
    ----------
    estimate, standard_error : float
        Estimate of the mean over all items, and its standard error.
    lower, upper : float
        Limits of the interval, by t quantiles with degrees of freedom equal to the number of checks
        minus the number of strata.
    weight : float
        Weight lambda of the predictions, in [0, 1].
    by_checks : float
        The estimate without predictions.
    by_checks_error : float
        Standard error of `by_checks`.
    level : float
        Level of the interval.
    """

    estimate: float
    standard_error: float
    lower: float
    upper: float
    weight: float
    by_checks: float
    by_checks_error: float
    level: float


def difference_estimate(
    outcome: ArrayLike,
    prediction: ArrayLike,
    stratum: ArrayLike | None = None,
    *,
    weight: float | None = None,
    level: float = 0.95,
) -> DifferenceEstimate:
    """Estimate the mean of an outcome over all items.

    Parameters
    ----------
    outcome : array_like, shape (I,)
        Outcomes of checked items; NaN if an item was not checked.
    prediction : array_like, shape (I,)
        Predictions for all items.
    stratum : array_like of int, shape (I,), optional
        Strata in [0, H); by default there is one. The checked items of each were drawn at random.
    weight : float, optional
        Weight lambda of the predictions, in [0, 1]; by default that of minimum variance.
    level : float, default 0.95
        Level of the interval.

    Returns
    -------
    DifferenceEstimate
        The estimate, and the estimate from the checks alone.

    Raises
    ------
    AnnotationError
        If shapes differ, a stratum has fewer than two checked items and not all of them, or the
        weight is out of range.

    Notes
    -----
    The interval is a normal approximation: it needs about ten checked items whose outcome differs
    from the prediction.

    Examples
    --------
    >>> y = np.r_[1, 0, 1, 1, np.full(96, np.nan)]
    >>> f = np.r_[1, 0, 1, 0, np.tile([1, 0, 0, 0], 24)]
    >>> difference_estimate(y, f, weight=1.0).estimate  # 26 / 100 + 1 / 4
    0.51
    """
    check_level(level, "difference_estimate")
    y, f = (np.asarray(each, dtype=np.float64) for each in (outcome, prediction))
    strata = np.zeros(f.size, dtype=np.int64) if stratum is None else np.asarray(stratum)
    if y.ndim != 1 or y.shape != f.shape or strata.shape != f.shape or not np.isfinite(f).all():
        raise AnnotationError(
            f"difference_estimate: outcomes of shape {y.shape}, predictions of {f.shape}, "
            f"strata of {strata.shape}. Give each item a prediction, and an outcome or NaN."
        )
    if weight is not None and not 0 <= weight <= 1:
        raise AnnotationError(f"difference_estimate: weight must be between 0 and 1, got {weight}.")
    known = np.isfinite(y)
    size = np.bincount(strata)
    n = np.bincount(strata[known], minlength=size.size)
    present = size > 0
    if (present & (n < 2) & (n < size)).any():
        raise AnnotationError(
            f"difference_estimate: strata of {size.tolist()} items have {n.tolist()} checked "
            "ones. Check at least two of each, or merge strata."
        )
    part = _Part(y[known], f[known], strata[known], size, n)
    factor = np.divide(size**2, n, out=np.zeros(size.size), where=n > 0) * (
        1 - np.divide(n, size, out=np.ones(size.size), where=present)
    )
    total = size.sum()
    if weight is None:
        above = float(factor @ part.covariance(part.y, part.f))
        below = float(factor @ part.covariance(part.f, part.f))
        weight = min(1.0, max(0.0, above / below)) if below > 0 else 1.0

    def estimated(by: float) -> tuple[float, float]:
        rest = part.y - by * part.f
        value = by * f.mean() + float(size @ part.mean(rest)) / total
        variance = float(factor @ part.covariance(rest, rest)) / total**2
        return float(value), math.sqrt(max(variance, 0.0))

    estimate, error = estimated(weight)
    alone, alone_error = estimated(0.0)
    degrees = max(int(n.sum()) - int(present.sum()), 1)
    half = float(special.stdtrit(degrees, (1 + level) / 2)) * error
    return DifferenceEstimate(
        estimate, error, estimate - half, estimate + half, weight, alone, alone_error, level
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """Number of checks, means and covariances of each stratum."""

    y: Floats
    f: Floats
    stratum: NDArray[np.int64]
    size: NDArray[np.int64]
    n: NDArray[np.int64]

    def mean(self, values: Floats) -> Floats:
        sums = np.bincount(self.stratum, values, minlength=self.size.size)
        return np.asarray(sums / np.maximum(self.n, 1))

    def covariance(self, a: Floats, b: Floats) -> Floats:
        apart = (a - self.mean(a)[self.stratum]) * (b - self.mean(b)[self.stratum])
        sums = np.bincount(self.stratum, apart, minlength=self.size.size)
        return np.asarray(sums / np.maximum(self.n - 1, 1))
