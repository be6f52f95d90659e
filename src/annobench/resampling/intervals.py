"""Intervals of an estimate: normal, jackknife, percentile, BCa, equal-tailed, predictive.

References are Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 11, 13 and
14, unless a function names others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Interval",
    "acceleration",
    "bca_interval",
    "bca_levels",
    "bias_correction",
    "central_limits",
    "equal_tailed_interval",
    "jackknife_interval",
    "normal_interval",
    "percentile_interval",
    "predictive_interval",
]

Floats = NDArray[np.float64]

#: Values that differ by less differ by the order of summation.
TOLERANCE: Final = 1e-9


@dataclass(frozen=True)
class Interval(Summarised):
    """An estimate with an interval; numbers, or arrays of the same shape.

    Attributes
    ----------
    estimate : float or ndarray
        The estimate.
    lower, upper : float or ndarray
        Limits of the interval; NaN if undefined.
    level : float
        In (0, 1).
    kind : str
        The method, such as "percentile".
    unit : str
        The unit sampled: "items", "annotators" or "both"; "" if obvious.
    n_undefined : int
        Number of undefined replicates; the interval is computed from the others.
    caution : str
        Why it is too narrow, and what to use instead; empty if there is no caution.
    """

    estimate: Any
    lower: Any
    upper: Any
    level: float
    kind: str
    unit: str = ""
    n_undefined: int = 0
    caution: str = ""

    @property
    def limits(self) -> tuple[Any, Any]:
        """Lower and upper limit."""
        return self.lower, self.upper

    @property
    def half_width(self) -> Any:
        """Half of the width."""
        return (self.upper - self.lower) / 2

    def summary(self) -> pd.DataFrame:
        """Return the estimate and its interval.

        Returns
        -------
        DataFrame
            One row for each estimate: estimate, lower, upper, level, kind, n_undefined, caution.
        """
        import pandas as pd

        ends = {name: np.ravel(getattr(self, name)) for name in ("estimate", "lower", "upper")}
        return pd.DataFrame(ends).assign(
            level=self.level, kind=self.kind, n_undefined=self.n_undefined, caution=self.caution
        )

    def _headline(self) -> str:
        found = f"{np.size(self.estimate)} estimates"
        if not np.ndim(self.estimate):
            found = f"{self.estimate:.4g}, {self.lower:.4g} to {self.upper:.4g}"
        return f"{found} ({100 * self.level:.4g}% {self.kind})"


def normal_interval(estimate: float, standard_error: float, level: float) -> Interval:
    """Add and subtract normal quantiles times the standard error.

    Parameters
    ----------
    estimate, standard_error : float
        Mean and standard deviation of the normal distribution.
    level : float
        In (0, 1).

    Returns
    -------
    Interval
        Of the kind "analytic".
    """
    half_width = float(-ndtri((1 - level) / 2)) * standard_error
    return Interval(estimate, estimate - half_width, estimate + half_width, level, "analytic")


def jackknife_interval(estimate: float, left_out: Floats, level: float) -> Interval:
    """Add and subtract quantiles of Student's t times the jackknife's standard error.

    Parameters
    ----------
    estimate : float
        Estimate from all units.
    left_out : ndarray, shape (n,)
        The estimate without each unit; NaN where it is undefined.
    level : float
        In (0, 1).

    Returns
    -------
    Interval
        The interval, with degrees of freedom equal to the number of defined values minus one; NaN
        with fewer than two.
    """
    values = left_out[~np.isnan(left_out)]
    n = values.size
    half_width = math.nan
    if n > 1:
        error = math.sqrt((n - 1) / n * float(((values - values.mean()) ** 2).sum()))
        half_width = float(-stdtrit(n - 1, (1 - level) / 2)) * error
    lower, upper = estimate - half_width, estimate + half_width
    n_undefined = left_out.size - n
    return Interval(estimate, lower, upper, level, "jackknife", n_undefined=n_undefined)


def percentile_interval(estimate: ArrayLike, replicates: Floats, level: float) -> Interval:
    """Take quantiles of replicates or draws.

    Parameters
    ----------
    estimate : float or array_like, shape (...)
        The estimate.
    replicates : ndarray, shape (R, ...)
        Replicates without NaN.
    level : float
        In (0, 1).

    Returns
    -------
    Interval
        The central share of the replicates, which need not contain the estimate; NaN without any.
    """
    lower, upper = central_limits(replicates, level)
    if replicates.ndim == 1:
        return Interval(estimate, float(lower), float(upper), level, "percentile")
    return Interval(estimate, lower, upper, level, "percentile")


def bca_interval(estimate: float, replicates: Floats, left_out: Floats, level: float) -> Interval:
    """Take quantiles of replicates, corrected for bias and acceleration.

    Parameters
    ----------
    estimate : float
        Estimate from all units.
    replicates : ndarray, shape (R,)
        Bootstrap replicates without NaN.
    left_out : ndarray, shape (n,)
        The estimate without each unit; NaN where it is undefined.
    level : float
        In (0, 1).

    Returns
    -------
    Interval
        Need not contain the estimate; NaN without replicates.
    """
    if not replicates.size:
        return Interval(estimate, math.nan, math.nan, level, "bca")
    levels = bca_levels(
        bias_correction(estimate, replicates), acceleration(left_out), (1 - level) / 2
    )
    lower, upper = map(float, _quantiles(replicates, levels))
    return Interval(estimate, lower, upper, level, "bca")


def bias_correction(estimate: float, replicates: Floats) -> float:
    """Return the normal quantile of the share of replicates below the estimate.

    Parameters
    ----------
    estimate : float
        Estimate from all units.
    replicates : ndarray, shape (R,)
        At least one replicate; ties count one half, and an empty side counts as half a replicate.

    Returns
    -------
    float
        0 if half of them are below.
    """
    below = float((replicates < estimate).mean() + (replicates == estimate).mean() / 2)
    within = 0.5 / replicates.size
    return float(ndtri(min(max(below, within), 1 - within)))


def acceleration(left_out: Floats) -> float:
    """Return a sixth of the skewness of the jackknife values.

    Parameters
    ----------
    left_out : ndarray, shape (n,)
        The estimate without each unit; NaN where it is undefined.

    Returns
    -------
    float
        0 where all are equal, or none is defined.
    """
    values = left_out[~np.isnan(left_out)]
    from_mean = values.mean() - values if values.size else values
    spread = float((from_mean**2).sum())
    return float((from_mean**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0


def bca_levels(bias_correction: float, acceleration: float, tail: float) -> tuple[float, float]:
    """Return the levels of the quantiles used by BCa.

    Parameters
    ----------
    bias_correction, acceleration : float
        Bias correction and acceleration; 0 for percentiles.
    tail : float
        Nominal tail probability, in (0, 1/2).

    Returns
    -------
    lower, upper : float
        In [0, 1].
    """

    def corrected(z: float) -> float:
        moved = bias_correction + z
        return float(ndtr(bias_correction + moved / (1 - acceleration * moved)))

    z = float(-ndtri(tail))
    return corrected(-z), corrected(z)


def equal_tailed_interval(estimate: float, draws: Floats, level: float) -> Interval:
    """Take quantiles of draws from a posterior, so that the interval contains the estimate.

    Parameters
    ----------
    estimate : float
        The estimate.
    draws : ndarray, shape (S,)
        Replicates without NaN.
    level : float
        In (0, 1).

    Returns
    -------
    Interval
        An interval with equal tails, unless the estimate lies in one of them: that tail then ends
        at the estimate, and the other tail is adjusted to keep the probability. NaN without draws.

    References
    ----------
    Brown, Cai and DasGupta (2001), Statistical Science 16, do the same with Jeffreys' interval of
    a proportion.
    """
    if not draws.size:
        return Interval(estimate, math.nan, math.nan, level, "bayesian")
    tail = (1 - level) / 2
    below = min(tail, float((draws < estimate).mean()))
    above = min(tail, float((draws > estimate).mean()))
    # At most one of the two is short of its tail.
    tails = below + (tail - above), 1 - above - (tail - below)
    lower, upper = map(float, _quantiles(draws, tails))
    return Interval(estimate, min(lower, estimate), max(upper, estimate), level, "bayesian")


def predictive_interval(values: ArrayLike, level: float) -> Interval:
    """Return a prediction interval for a further value, such as of another train-test split.

    Parameters
    ----------
    values : array_like, shape (R,)
        At least two independent values from the same distribution.
    level : float
        In (0, 1).

    Returns
    -------
    Interval
        The interval ``mean -+ t sd sqrt(1 + 1/R)``, with the quantile of Student's t distribution
        with R - 1 degrees of freedom; exact for normal values.

    Raises
    ------
    AnnotationError
        If there are fewer than two values or one is not finite, or the level is not in (0, 1).

    Examples
    --------
    >>> round(predictive_interval([1.0, 2.0, 3.0], 0.5).half_width, 4)  # 0.8165 * sqrt(4 / 3)
    0.9428
    """
    x = np.asarray(values, dtype=np.float64)
    if x.size < 2 or not np.isfinite(x).all() or not 0 < level < 1:
        raise AnnotationError(
            "predictive_interval: needs at least two values, all finite, and a level in (0, 1), "
            f"got {x.size} values, {int((~np.isfinite(x)).sum())} not finite, level {level}. "
            "Correct these."
        )
    t = -float(stdtrit(x.size - 1, (1 - level) / 2))
    half_width = t * x.std(ddof=1) * np.sqrt(1 + 1 / x.size)
    mean = float(x.mean())
    return Interval(
        mean, float(x.mean() - half_width), float(x.mean() + half_width), level, "predictive"
    )


def central_limits(draws: Floats, level: float) -> Floats:
    """Return the quantiles that leave equal tails outside.

    Parameters
    ----------
    draws : ndarray, shape (R, ...)
        Replicates, or draws from a posterior.
    level : float
        Share of the draws inside, in (0, 1).

    Returns
    -------
    ndarray, shape (2, ...)
        Lower and upper; NaN without draws.

    Raises
    ------
    AnnotationError
        If the level is out of range.
    """
    check_level(level, "central_limits")
    tail = (1 - level) / 2
    return _quantiles(draws, (tail, 1 - tail))


def _quantiles(draws: Floats, levels: tuple[float, float]) -> Floats:
    if not draws.size:
        return np.full((2, *draws.shape[1:]), np.nan)
    return np.asarray(np.quantile(draws, levels, axis=0))
