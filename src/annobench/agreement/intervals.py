"""Intervals of a coefficient: kinds, assumptions, and warnings if they are too narrow."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from annobench.agreement.replicates import (
    Unit,
    active_annotators,
    bootstrap,
    has_prior,
    jackknife,
    posterior,
)
from annobench.agreement.statistic import Statistic
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning, check_level
from annobench.resampling.intervals import (
    TOLERANCE,
    Interval,
    bca_interval,
    equal_tailed_interval,
    jackknife_interval,
    normal_interval,
    percentile_interval,
)

__all__ = ["KINDS", "Kind", "interval"]

Kind = Literal["analytic", "percentile", "bca", "jackknife", "bayesian"]

#: The kinds of intervals for each resampled unit.
KINDS: Final[dict[Unit, tuple[Kind, ...]]] = {
    "items": ("analytic", "percentile", "bca", "jackknife", "bayesian"),
    "annotators": ("percentile", "bca", "jackknife"),
    "both": ("percentile",),
}
#: Kinds that draw random numbers.
RANDOM_KINDS: Final = ("percentile", "bca", "bayesian")

#: With more undefined replicates than this share, an interval comes with a warning.
MANY_UNDEFINED: Final = 0.05
#: Intervals that miss so many times as often as they should are too narrow (Bradley 1978).
MAX_MISS_RATIO: Final = 1.5


def interval(
    statistic: Statistic,
    kind: Kind,
    unit: Unit,
    level: float,
    replicates: int,
    rng: np.random.Generator | None,
) -> Interval:
    """Return an interval of a coefficient.

    Parameters
    ----------
    statistic : Statistic
        The coefficient on its labels.
    kind : {"analytic", "percentile", "bca", "jackknife", "bayesian"}
        Normal with the standard error; quantiles of the bootstrap; these corrected for bias and
        acceleration; Student's t with the jackknife's standard error; quantiles of a Dirichlet
        posterior of the items' distribution.
    unit : {"items", "annotators", "both"}
        What is sampled. Analytic and Bayesian intervals are for items.
    level : float
        In (0, 1).
    replicates : int
        Number of replicates, for the random kinds.
    rng : numpy.random.Generator or None
        Needed by the random kinds.

    Returns
    -------
    Interval
        Truncated at the coefficient's range; contains the estimate. NaN if undefined.

    Raises
    ------
    AnnotationError
        If kind and unit are incompatible, the level is not in (0, 1), rng is missing, or there are
        too few annotators or items.

    Warns
    -----
    DegenerateWarning
        If more than 5% of the replicates are undefined; or if there is no interval (NaN) because
        the estimate is outside the quantiles of the bootstrap, or the analytic standard error or
        limits are undefined.
    IntervalWarning
        If the interval has zero width, as when all labels agree; or if there are so few annotators
        that, when they are resampled, the interval misses at least 1.5 times as often as its
        nominal level implies.

    Notes
    -----
    If the quantiles of the bootstrap exclude the estimate, its bias exceeds its spread, and neither
    percentile nor BCa intervals are valid. The Bayesian interval has equal tails, unless the
    estimate lies in one of them: that tail then ends at the estimate, and the other tail is
    adjusted to keep the probability. This happens if all labels agree, as the posterior has no mass
    at 1 itself; Brown, Cai and DasGupta (2001) modify Jeffreys' interval of a proportion in the
    same way.

    The Bayesian interval of two annotators who labelled all items has a Dirichlet prior of 1/K^2
    on each pair of their labels, up to 30 categories; otherwise the posterior is that of the
    Bayesian bootstrap, whose prior has no mass on unobserved patterns of labels.

    References
    ----------
    Efron and Tibshirani (1993), chapters 11, 13 and 14; Rubin (1981), Annals of Statistics 9; the
    prior: Berger, Bernardo and Sun (2015), Bayesian Analysis 10; the tails: Brown, Cai and DasGupta
    (2001), Statistical Science 16.
    """
    if unit not in KINDS or kind not in KINDS[unit]:
        raise AnnotationError(
            f"{statistic.name}: there is no {kind!r} interval with {unit!r} resampled. For items "
            f"there are {', '.join(KINDS['items'])}; for annotators "
            f"{', '.join(KINDS['annotators'])}; for both {', '.join(KINDS['both'])}."
        )
    check_level(level, statistic.name)
    if kind in RANDOM_KINDS and rng is None:
        raise AnnotationError(
            f"{statistic.name}: the {kind} interval draws random numbers. Give rng=, such as "
            "numpy.random.default_rng(1)."
        )
    estimate = statistic.estimate
    if math.isnan(estimate):
        return Interval(math.nan, math.nan, math.nan, level, kind, unit)
    if kind == "analytic":
        found = _analytic(statistic, level)
    elif kind == "jackknife":
        values = jackknife(statistic, unit)
        found = jackknife_interval(estimate, values, level)
        _warn_undefined(statistic, found.n_undefined, values.size, found.lower)
    else:
        assert rng is not None
        if kind == "bayesian":
            values = posterior(statistic, replicates, rng)
        else:
            values = bootstrap(statistic, unit, replicates, rng)
        defined = values[~np.isnan(values)]
        n_undefined = values.size - defined.size
        found = _from_replicates(statistic, defined, kind, unit, level)
        _warn_undefined(statistic, n_undefined, values.size, found.lower)
        found = replace(found, n_undefined=n_undefined)
    lower, upper = (float(np.clip(limit, *statistic.range)) for limit in found.limits)
    caution = _caution(statistic, kind, unit, level, lower, upper)
    if caution:
        warnings.warn(f"{statistic.name}: {caution}", IntervalWarning, stacklevel=3)
    return replace(found, lower=lower, upper=upper, unit=unit, caution=caution)


def _analytic(statistic: Statistic, level: float) -> Interval:
    estimate = statistic.estimate
    if statistic.analytic_limits is not None:
        found = Interval(estimate, *statistic.analytic_limits(statistic, level), level, "analytic")
    else:
        found = normal_interval(estimate, statistic.standard_error, level)
    if math.isnan(found.lower):
        what = "standard error" if statistic.analytic_limits is None else "limits"
        warnings.warn(
            f"{statistic.name}: {no_analytic_interval(statistic.n_items, what)}",
            DegenerateWarning,
            stacklevel=4,
        )
    return found


def _from_replicates(
    statistic: Statistic, values: NDArray[np.float64], kind: Kind, unit: Unit, level: float
) -> Interval:
    """Compute an interval from replicates or draws; NaN if undefined."""
    estimate = statistic.estimate
    if kind == "bayesian":
        return equal_tailed_interval(estimate, values, level)
    found = percentile_interval(estimate, values, level)
    found = containing(replace(found, kind=kind), statistic.name, stacklevel=5)
    if kind == "percentile" or math.isnan(found.lower):
        return found
    found = bca_interval(estimate, values, jackknife(statistic, unit), level)
    return containing(found, statistic.name, stacklevel=5)


def containing(found: Interval, name: str, stacklevel: int = 3) -> Interval:
    """Check that quantiles of replicates contain the estimate; else there is no interval."""
    estimate, lower, upper = found.estimate, found.lower, found.upper
    if math.isnan(lower) or math.isnan(estimate):
        return found
    if abs(lower - estimate) < TOLERANCE:
        lower = min(lower, estimate)
    if abs(upper - estimate) < TOLERANCE:
        upper = max(upper, estimate)
    if lower <= estimate <= upper:
        return replace(found, lower=lower, upper=upper)
    warnings.warn(
        f"{name}: there is no {found.kind} interval (NaN), as the estimate, {estimate:.4g}, is "
        f"outside the central range of its replicates, {lower:.4g} to {upper:.4g}: their bias "
        "exceeds their spread. Use the analytic or the jackknife interval.",
        DegenerateWarning,
        stacklevel=stacklevel,
    )
    return replace(found, lower=math.nan, upper=math.nan)


def _caution(
    statistic: Statistic, kind: Kind, unit: Unit, level: float, lower: float, upper: float
) -> str:
    """Return a caution if an interval is known to be too narrow."""
    if math.isnan(lower):
        return ""
    if abs(upper - lower) < TOLERANCE:
        return _no_width(statistic, kind, unit, level)
    if unit != "annotators" or kind not in ("percentile", "bca"):
        return ""
    n = active_annotators(statistic.annotations).size
    covered = resampled_coverage(n, level)
    if 1 - covered <= MAX_MISS_RATIO * (1 - level):
        return ""
    return (
        f"the {kind} interval over {n} annotators is too narrow: its expected coverage is "
        f"about {100 * covered:.0f}%, not {100 * level:.4g}%. Use the jackknife, which is valid "
        "for few annotators, or restrict your claims to these."
    )


def no_analytic_interval(n_items: int, what: str = "standard error") -> str:
    """Explain that the analytic interval is undefined."""
    return (
        f"the labels of {n_items:,} {'item' if n_items == 1 else 'items'} leave the {what} "
        "undefined, and there is no analytic interval (NaN)."
    )


def _no_width(statistic: Statistic, kind: Kind, unit: Unit, level: float) -> str:
    if unit != "items" or statistic.annotations.is_disputed[statistic.used].any():
        return unmoved_caution(kind, unit)
    advice = "Report how many items agree instead"
    if kind != "bayesian" and has_prior(statistic):
        advice = (
            "Use the Bayesian interval, whose prior has mass on disagreement, or report how many "
            "items agree"
        )
    return agreed_caution(kind, level, int(statistic.used.sum()), advice)


def unmoved_caution(kind: Kind, unit: Unit) -> str:
    """Explain an interval of zero width when some labels of an item differ."""
    why = {
        "analytic": "",  # an F interval may be a point although the estimate depends on the items
        "jackknife": f", as leaving out any of the {unit} gives the same value",
    }.get(kind, ", as both limits are the same value of many equal replicates")
    return (
        f"the {kind} interval has zero width{why}, and is uninformative: report the estimate "
        "without it."
    )


def agreed_caution(
    kind: Kind, level: float, n_items: int, advice: str = "Report how many items agree instead"
) -> str:
    """Explain an interval of zero width when all labels of each item agree."""
    beyond = 100 * (1 - (1 - level) ** (1 / n_items))
    return (
        f"the {kind} interval has zero width, as the labels of each of the {n_items:,} items "
        f"agree, and is uninformative. Up to {beyond:.2g}% of other items may show a disagreement "
        f"({100 * level:.4g}% limit). {advice}."
    )


def resampled_coverage(n_annotators: int, level: float) -> float:
    """Compute the expected coverage of a percentile interval over few annotators."""
    half_width = -float(ndtri((1 - level) / 2)) * math.sqrt((n_annotators - 1) / n_annotators)
    return 1 - 2 * float(stdtr(n_annotators - 1, -half_width))


def _warn_undefined(statistic: Statistic, n_undefined: int, n: int, lower: float) -> None:
    if n_undefined > MANY_UNDEFINED * n:
        effect = (
            "there is no interval (NaN)"
            if math.isnan(lower)
            else "the interval is computed from the others"
        )
        warnings.warn(
            f"{statistic.name}: {n_undefined} of {n} replicates are undefined; {effect}.",
            DegenerateWarning,
            stacklevel=4,
        )
