"""The difference of two coefficients on the same items."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from annobench.agreement.intervals import containing
from annobench.agreement.statistic import Statistic, standard_error
from annobench.core.errors import AnnotationError, IntervalWarning, check_level
from annobench.core.results import SummarisedScalars
from annobench.core.tolerances import ZERO
from annobench.resampling.intervals import TOLERANCE, normal_interval, percentile_interval
from annobench.resampling.weights import (
    check_replicates,
    chunk_sizes,
    draw_counts,
    weighted_sum,
)

__all__ = ["Difference", "difference"]


@dataclass(frozen=True)
class Difference(SummarisedScalars):
    """The difference of two coefficients on the same items.

    Attributes
    ----------
    estimate : float
        The first minus the second.
    standard_error : float
        Standard error of the difference, allowing for the covariance of the two.
    lower, upper, level : float
        The interval and its level.
    p_value : float
        Two-sided p-value of no difference.
    n_items : int
        Number of items used for both.
    kind : str
        "analytic" or "percentile".
    """

    estimate: float
    standard_error: float
    lower: float
    upper: float
    level: float
    p_value: float
    n_items: int
    kind: str


def difference(
    first: Statistic,
    second: Statistic,
    kind: Literal["analytic", "percentile"] = "analytic",
    *,
    level: float = 0.95,
    replicates: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Difference:
    """Compare two coefficients computed on the same items.

    They may differ in annotators, in categories (such as a collapsed scheme), or in the coefficient
    itself. Items are matched by name and resampled jointly, so that the covariance is accounted
    for. Two tables of counts share no items, whatever their names: compare their intervals instead.

    Parameters
    ----------
    first, second : Statistic
        The two coefficients.
    kind : {"analytic", "percentile"}, default "analytic"
        From empirical influence values and the normal distribution, or from the bootstrap.
    level : float, default 0.95
        Level of the interval, in (0, 1).
    replicates : int, default 2000
        Number of bootstrap samples.
    rng : numpy.random.Generator or int, optional
        The source of randomness, or its seed; needed by the bootstrap.

    Returns
    -------
    Difference
        First minus second, with its interval and the two-sided p-value of no difference.

    Raises
    ------
    AnnotationError
        If the two have no item in common, the kind is unknown, the level is not in
        (0, 1), or rng is missing.

    Warns
    -----
    DegenerateWarning
        If the estimate is outside the quantiles of the bootstrap; there is no interval (NaN).
    IntervalWarning
        If the interval has zero width although the coefficients differ.

    References
    ----------
    Analytic: the delta method on shared items, as Gwet (2016), Educational and Psychological
    Measurement 76, for two sets of annotators. Bootstrap p-value: Efron and Tibshirani (1993),
    chapter 16.

    Examples
    --------
    >>> from annobench.agreement import brennan_prediger, cohen_kappa
    >>> from annobench.labels.annotations import Annotations
    >>> a = Annotations.from_contingency([[80, 10], [5, 5]])
    >>> round(difference(cohen_kappa(a), brennan_prediger(a)).estimate, 6)  # 7/22 - 0.7
    -0.381818
    """
    check_level(level, "difference")
    if kind not in ("analytic", "percentile"):
        raise AnnotationError(
            f"difference: kind {kind!r} is not one of analytic, percentile. Name one of them."
        )
    names = dict.fromkeys((*first.annotations.items, *second.annotations.items))
    position = {name: number for number, name in enumerate(names)}
    at = [np.array([position[name] for name in one.annotations.items]) for one in (first, second)]
    enters = np.zeros((2, len(names)), dtype=bool)
    for row, one, index in zip(enters, (first, second), at, strict=True):
        row[index] = one.used
    n_shared = int(enters.all(axis=0).sum())
    if n_shared == 0:
        raise AnnotationError(
            "difference: the two coefficients have no item in common by name. Give the items equal "
            "names; for two independent samples compare their intervals."
        )
    estimate = first.estimate - second.estimate
    used = enters[0] | enters[1]
    if abs(estimate) < ZERO:
        estimate = 0.0
    influences = np.zeros((2, len(names)))
    for row, one, index in zip(influences, (first, second), at, strict=True):
        row[index] = np.where(one.used, one.influence, 0.0)
    ddof = max(first.method.ddof, second.method.ddof)
    error = standard_error(influences[0] - influences[1], used, ddof)
    if kind == "analytic":
        found = normal_interval(estimate, error, level)
        if error > 0:
            p_value = float(2 * ndtr(-abs(estimate) / error))
        else:
            p_value = 1.0 if estimate == 0 else math.nan
    else:
        if rng is None:
            raise AnnotationError(
                "difference: the percentile interval draws random numbers. Give rng=, such as "
                "numpy.random.default_rng(1)."
            )
        check_replicates(replicates)
        generator = np.random.default_rng(rng)
        values = _difference_replicates(first, second, at, used, replicates, generator)
        values = values[~np.isnan(values)]
        found = containing(percentile_interval(estimate, values, level), "difference")
        beyond = min(int((values <= 0).sum()), int((values >= 0).sum()))
        p_value = min(1.0, 2 * (beyond + 1) / (values.size + 1)) if values.size else math.nan
    (low, high), (other_low, other_high) = first.range, second.range
    lower, upper = (
        float(np.clip(limit, low - other_high, high - other_low)) for limit in found.limits
    )
    disputed = any(one.annotations.is_disputed.any() for one in (first, second))
    # One coefficient by two names: the difference is 0 without any uncertainty.
    if upper - lower < TOLERANCE and not (estimate == 0 and disputed):
        warnings.warn(
            f"difference: the {kind} interval has zero width and is uninformative: "
            "report the difference without it.",
            IntervalWarning,
            stacklevel=2,
        )
    return Difference(estimate, error, lower, upper, level, p_value, n_shared, kind)


def _difference_replicates(
    first: Statistic,
    second: Statistic,
    at: list[NDArray[np.int64]],
    used: NDArray[np.bool_],
    replicates: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    values = [np.zeros(0)]
    n = int(used.sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        for size in chunk_sizes(replicates, used.size):
            weights = np.zeros((size, used.size))
            weights[:, used] = draw_counts(n, size, rng)
            minuend, subtrahend = (
                one.form.value(weighted_sum(one.form.rows, weights[:, index]))
                for one, index in zip((first, second), at, strict=True)
            )
            values.append(minuend - subtrahend)
    return np.concatenate(values)
