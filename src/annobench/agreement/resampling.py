"""Standard errors, intervals and differences of coefficients, by weights on items and annotators.

No label is ever copied: a bootstrap sample of items is a vector of weights on the rows of a
form, and items with equal rows are drawn together.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from annobench.agreement.forms import Floats, Form, Rows, Totals, dense
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning, check_level
from annobench.labels._grouping import tally
from annobench.labels.annotations import Annotations

if TYPE_CHECKING:
    from annobench.agreement.base import Agreement

Kind = Literal["analytic", "percentile", "bca", "jackknife", "bayesian"]
Unit = Literal["items", "annotators", "both"]

#: Fewer annotators than this say next to nothing about annotators that were not seen.
MIN_ANNOTATORS: Final = 5
#: With more undefined replicates than this share, an interval comes with a warning.
MANY_UNDEFINED: Final = 0.05

#: Rows of more columns are hardly ever equal, and not worth comparing.
MAX_COLUMNS: Final = 64
#: Categories of which two annotators' pairs of labels have a prior, one item spread over all.
MAX_CELLS: Final = 30
#: A standard error below this is none: influences that cancel leave rounding of 1e-16.
ROUNDING: Final = 1e-12

#: Intervals that miss so many times as often as they say are too narrow (Bradley 1978).
TOO_OFTEN: Final = 1.5
#: Values that differ by less differ by the order of summation.
SAME: Final = 1e-9

_KINDS: Final = {
    "items": ("analytic", "percentile", "bca", "jackknife", "bayesian"),
    "annotators": ("percentile", "bca", "jackknife"),
    "both": ("percentile",),
}
_RANDOM: Final = ("percentile", "bca", "bayesian")
_CHUNK: Final = 4_000_000
_STEP: Final = 1e-30


@dataclass(frozen=True)
class Interval:
    """An interval of a coefficient.

    Attributes
    ----------
    lower, upper : float
        Its ends; NaN where it is undefined.
    level : float
        In (0, 1).
    kind : str
        The method.
    unit : str
        What varied: items, annotators, or both.
    n_undefined : int
        Replicates that left the coefficient undefined; the interval is of the others.
    caution : str
        Why it is too narrow, and what to take instead; empty if nothing says so.
    """

    lower: float
    upper: float
    level: float
    kind: str
    unit: str
    n_undefined: int = 0
    caution: str = ""


@dataclass(frozen=True)
class Difference:
    """The difference of two coefficients on the same items.

    Attributes
    ----------
    estimate : float
        The first minus the second.
    standard_error : float
        Of the difference, the covariance of the two included.
    lower, upper, level : float
        The interval and its level.
    p_value : float
        Two-sided, of no difference.
    n_items : int
        Items that enter both.
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


def influence(form: Form, totals: Totals) -> NDArray[np.float64]:
    """Return what each item adds to the coefficient to first order.

    Without a formula of the form's own, the derivative is taken by the complex step, exact to
    rounding, in the direction of each total or of each item, whichever are fewer.

    Parameters
    ----------
    form : Form
        The coefficient.
    totals : ndarray, shape (S,)
        Where.

    Returns
    -------
    ndarray, shape (I,)
        NaN where the coefficient is undefined.
    """
    rows = form.rows
    n_items, n_totals = rows.shape
    with np.errstate(invalid="ignore", divide="ignore"):
        gradient = form.gradient(totals)
        if gradient is not None:
            return np.asarray(rows @ gradient)
        if n_totals <= n_items:
            directions: Any = sparse.eye_array(n_totals, format="csr")
            return np.asarray(rows @ _derivatives(form, totals, directions))
        return _derivatives(form, totals, rows)


def _derivatives(form: Form, totals: Totals, directions: Rows) -> NDArray[np.float64]:
    found = [np.zeros(0)]
    step = max(1, _CHUNK // max(1, totals.size))
    for start in range(0, directions.shape[0], step):
        piece = dense(directions[start : start + step])
        found.append(np.imag(form.value(totals + 1j * _STEP * piece)) / _STEP)
    return np.concatenate(found)


def standard_error(
    influence: NDArray[np.float64], used: NDArray[np.bool_], divisor: int = 0
) -> float:
    """Return the large-sample standard error over items.

    Parameters
    ----------
    influence : ndarray, shape (I,)
        What each item adds.
    used : ndarray of bool, shape (I,)
        The items that enter.
    divisor : {0, 1}, default 0
        0 for the multinomial formula with n, 1 for the one with n - 1.

    Returns
    -------
    float
        NaN with fewer than two items.
    """
    n = int(used.sum())
    if n < 2:
        return math.nan
    error = math.sqrt(float(influence[used].var()) * n * n / (n - divisor))
    return 0.0 if error < ROUNDING else error


def used_items(rows: Rows) -> NDArray[np.bool_]:
    """Mark the items whose rows are not all zero.

    Parameters
    ----------
    rows : ndarray or csr_array, shape (I, S)
        Statistics.

    Returns
    -------
    ndarray of bool, shape (I,)
        True where an item enters the coefficient.
    """
    if isinstance(rows, sparse.csr_array):
        return np.asarray(abs(rows).sum(axis=1) > 0)
    return np.asarray(rows.any(axis=1))


@dataclass(frozen=True, eq=False)
class _Patterns:
    """The rows that differ, and how many items have each."""

    rows: Rows
    frequency: NDArray[np.int64]

    @classmethod
    def of(cls, form: Form) -> _Patterns:
        rows = form.rows[used_items(form.rows)]
        n = rows.shape[0]
        if rows.shape[1] <= MAX_COLUMNS:
            rows = dense(rows)
        else:
            return cls(rows, np.ones(n, dtype=np.int64))
        code = pd.DataFrame(rows).groupby(list(range(rows.shape[1])), sort=False).ngroup()
        frequency = np.bincount(code) if n else np.zeros(0, dtype=np.int64)
        if frequency.size > n / 3:
            return cls(rows, np.ones(n, dtype=np.int64))
        first = np.unique(code, return_index=True)[1]
        return cls(rows[first], frequency)

    @property
    def n_items(self) -> int:
        return int(self.frequency.sum())

    def totals(self, weights: NDArray[Any]) -> Totals:
        """Weight the rows, shape (B, P), and sum them, shape (B, S)."""
        return weighted_sum(self.rows, weights)

    def draws(self, replicates: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        """Yield weights of bootstrap samples, some replicates at a time."""
        n, p = self.n_items, self.frequency.size
        for size in _sizes(replicates, max(p, self.rows.shape[1])):
            if p < n:
                yield rng.multinomial(n, self.frequency / n, size=size)
            else:
                yield draw_counts(n, size, rng)


def draw_counts(n: int, replicates: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw n of n with replacement and count how often each came.

    Parameters
    ----------
    n : int
        How many.
    replicates : int
        How often.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray, shape (replicates, n)
        Whole numbers; rows sum to n.
    """
    return np.asarray(tally(rng.integers(0, n, size=(replicates, n), dtype=np.int32), n))


def weighted_sum(rows: Rows, weights: NDArray[Any]) -> Totals:
    """Sum rows with weights.

    Parameters
    ----------
    rows : ndarray or csr_array, shape (P, S)
        Statistics.
    weights : ndarray, shape (B, P)
        One row a replicate.

    Returns
    -------
    ndarray, shape (B, S)
        Totals.
    """
    if isinstance(rows, sparse.csr_array):
        return np.asarray((rows.T @ np.asarray(weights, dtype=np.float64).T).T)
    return np.asarray(weights, dtype=np.float64) @ rows


def bootstrap(
    agreement: Agreement, unit: Unit, replicates: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Recompute a coefficient on resampled items, annotators, or both.

    Parameters
    ----------
    agreement : Agreement
        The coefficient on its labels.
    unit : {"items", "annotators", "both"}
        What is drawn with replacement.
    replicates : int
        How often.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray, shape (replicates,)
        NaN where it is undefined.

    Raises
    ------
    AnnotationError
        If there are fewer than two items or `MIN_ANNOTATORS` annotators to be resampled,
        or no replicate is asked for.
    """
    _check_unit(agreement, unit)
    _check_replicates(replicates)
    with np.errstate(invalid="ignore", divide="ignore"):
        if unit == "items":
            patterns = _Patterns.of(agreement.form)
            values = [
                agreement.form.value(patterns.totals(weights))
                for weights in patterns.draws(replicates, rng)
            ]
            return np.concatenate(values)
        if unit == "both":
            return np.array([_replicate_of_both(agreement, rng) for _ in range(replicates)])
        samples = np.stack([_draw_annotators(agreement, rng) for _ in range(replicates)])
        different, which = np.unique(samples, axis=0, return_inverse=True)
        forms = (agreement.build(agreement.annotations, copies) for copies in different)
        return np.array([float(form.value(form.totals)) for form in forms])[which]


def bootstrap_groups(
    agreement: Agreement,
    groups: NDArray[Any],
    *,
    replicates: int = 2000,
    rng: np.random.Generator | int,
) -> NDArray[np.float64]:
    """Recompute a coefficient on resampled groups of items, such as sentences or meetings.

    Parameters
    ----------
    agreement : Agreement
        The coefficient on its labels.
    groups : ndarray of int, shape (I,)
        The group of each item, in [0, G); a group is drawn whole.
    replicates : int, default 2000
        How often.
    rng : numpy.random.Generator or int
        The source of randomness, or its seed.

    Returns
    -------
    ndarray, shape (replicates,)
        NaN where a replicate leaves the coefficient undefined.

    Raises
    ------
    AnnotationError
        If there is not one group for each item, there are fewer than two groups, or no
        replicate is asked for.

    Notes
    -----
    Groups without an item stand for nothing and are not drawn. Few groups make a percentile
    interval too short: with ten, one at 95% covers about 90%.

    Examples
    --------
    >>> from annobench import agreement
    >>> table = Annotations.from_contingency([[30, 10], [20, 40]])
    >>> kappa = agreement.cohen_kappa(table)
    >>> draws = bootstrap_groups(kappa, np.arange(100) // 10, replicates=50, rng=1)
    >>> draws.shape
    (50,)
    """
    _check_replicates(replicates)
    code = np.asarray(groups)
    n_items = agreement.annotations.n_items
    if code.shape != (n_items,) or not np.issubdtype(code.dtype, np.integer):
        raise AnnotationError(
            f"bootstrap_groups: groups has shape {code.shape}, and the labels have {n_items} "
            "items. Give one whole number for each item."
        )
    known, place = np.unique(code, return_inverse=True)
    if known.size < 2:
        raise AnnotationError(
            f"bootstrap_groups: there are {known.size} groups of items. Resampling needs two."
        )
    sums = sparse.csr_array((np.ones(n_items), (place, np.arange(n_items)))) @ agreement.form.rows
    generator = np.random.default_rng(rng)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = [
            agreement.form.value(weighted_sum(sums, draw_counts(known.size, size, generator)))
            for size in _sizes(replicates, max(known.size, sums.shape[1]))
        ]
    return np.concatenate(parts)


def _check_replicates(replicates: int) -> None:
    if replicates < 1:
        raise AnnotationError(f"bootstrap: replicates must be at least 1, got {replicates}.")


def _draw_annotators(agreement: Agreement, rng: np.random.Generator) -> Floats:
    """Draw as many annotators as there are, with replacement: how often each came."""
    active = _active_annotators(agreement.annotations)
    copies = np.zeros(agreement.n_annotators)
    copies[active] = draw_counts(active.size, 1, rng)[0]
    return copies


def _replicate_of_both(agreement: Agreement, rng: np.random.Generator) -> float:
    form = agreement.build(agreement.annotations, _draw_annotators(agreement, rng))
    weights = np.zeros((1, form.rows.shape[0]))
    used = np.flatnonzero(agreement.used)
    weights[0, used] = draw_counts(used.size, 1, rng)[0]
    return float(form.value(weighted_sum(form.rows, weights)[0]))


def interval(
    agreement: Agreement,
    kind: Kind,
    unit: Unit,
    level: float,
    replicates: int,
    rng: np.random.Generator | None,
) -> Interval:
    """Return an interval of a coefficient.

    Parameters
    ----------
    agreement : Agreement
        The coefficient on its labels.
    kind : {"analytic", "percentile", "bca", "jackknife", "bayesian"}
        Normal with the standard error; quantiles of the bootstrap; the same corrected for
        bias and acceleration; Student's t with the jackknife's standard error; quantiles
        of a Dirichlet posterior of the items' distribution.
    unit : {"items", "annotators", "both"}
        What varies. Analytic and Bayesian intervals are for items.
    level : float
        In (0, 1).
    replicates : int
        Of the random kinds.
    rng : numpy.random.Generator or None
        Needed by the random kinds.

    Returns
    -------
    Interval
        Cut at the coefficient's range; holds the estimate. NaN where it is undefined.

    Raises
    ------
    AnnotationError
        If kind and unit don't go together, the level is not in (0, 1), rng is missing, or
        there are too few annotators or items.

    Warns
    -----
    DegenerateWarning
        If more than 5% of the replicates are undefined; or if the estimate is outside the
        quantiles of the bootstrap, and there is no interval (NaN).
    IntervalWarning
        If the interval has no width, as where all labels agree; or if there are so few annotators
        that resampling them makes it miss half again as often as its level says.

    Notes
    -----
    A bootstrap whose middle does not hold the estimate is biased by more than its spread, and
    neither percentiles nor BCa hold then. The Bayesian interval has equal tails, unless the
    estimate lies in one of them: that tail is then cut at the estimate, the other one takes the
    rest, and the probability inside stays what it was. This is so where all labels agree, as the
    prior leaves no posterior probability at 1 itself; Brown, Cai and DasGupta (2001) do the same
    with Jeffreys' interval of a proportion.

    The Bayesian interval of two annotators who labelled all items has a Dirichlet prior of 1/K^2
    on each pair of their labels, up to 30 categories; otherwise the posterior is that of the
    Bayesian bootstrap, whose prior has no mass on patterns of labels that were not seen.

    References
    ----------
    Efron and Tibshirani (1993), chapters 11, 13 and 14; Rubin (1981), Annals of Statistics 9; the
    prior: Berger, Bernardo and Sun (2015), Bayesian Analysis 10; the tails: Brown, Cai and DasGupta
    (2001), Statistical Science 16.
    """
    if kind not in _KINDS["items"] or unit not in _KINDS or kind not in _KINDS[unit]:
        raise AnnotationError(
            f"{agreement.name}: there is no {kind!r} interval with {unit!r} resampled. Of items "
            f"there are {', '.join(_KINDS['items'])}; of annotators "
            f"{', '.join(_KINDS['annotators'])}; of both {', '.join(_KINDS['both'])}."
        )
    check_level(level, agreement.name)
    if kind in _RANDOM and rng is None:
        raise AnnotationError(
            f"{agreement.name}: the {kind} interval draws random numbers. Give rng=, such as "
            "numpy.random.default_rng(1)."
        )
    if math.isnan(agreement.estimate):
        return Interval(math.nan, math.nan, level, kind, unit)
    tail = (1 - level) / 2
    n_undefined = 0
    if kind == "analytic":
        if agreement.analytic_ends is not None:
            lower, upper = agreement.analytic_ends(agreement, level)
        else:
            reach = float(-ndtri(tail)) * agreement.standard_error
            lower, upper = agreement.estimate - reach, agreement.estimate + reach
        if math.isnan(lower):
            warnings.warn(
                f"{agreement.name}: the labels of {agreement.n_items} item(s) leave the standard "
                "error undefined, and the interval with it (NaN).",
                DegenerateWarning,
                stacklevel=3,
            )
    elif kind == "jackknife":
        values = jackknife(agreement, unit)
        n_undefined = int(np.isnan(values).sum())
        values = values[~np.isnan(values)]
        n = values.size
        reach = math.nan
        if n > 1:
            error = math.sqrt((n - 1) / n * float(((values - values.mean()) ** 2).sum()))
            reach = float(-stdtrit(n - 1, tail)) * error
        _warn_undefined(agreement, n_undefined, n_undefined + n)
        lower, upper = agreement.estimate - reach, agreement.estimate + reach
    else:
        assert rng is not None
        if kind == "bayesian":
            values = posterior(agreement, replicates, rng)
        else:
            values = bootstrap(agreement, unit, replicates, rng)
        n_undefined = int(np.isnan(values).sum())
        _warn_undefined(agreement, n_undefined, values.size)
        values = values[~np.isnan(values)]
        lower, upper = _quantiles(agreement, values, kind, unit, tail)
    low, high = agreement.method.lowest, agreement.method.highest
    lower, upper = float(np.clip(lower, low, high)), float(np.clip(upper, low, high))
    caution = _caution(agreement, kind, unit, level, lower, upper)
    if caution:
        warnings.warn(f"{agreement.name}: {caution}", IntervalWarning, stacklevel=3)
    return Interval(lower, upper, level, kind, unit, n_undefined, caution)


def _quantiles(
    agreement: Agreement, values: NDArray[np.float64], kind: Kind, unit: Unit, tail: float
) -> tuple[float, float]:
    """Return the ends of an interval from replicates or draws, NaN where they leave none."""
    if not values.size:
        return math.nan, math.nan
    estimate = agreement.estimate
    if kind == "bayesian":
        below = min(tail, float((values < estimate).mean()))
        above = min(tail, float((values > estimate).mean()))
        # At most one of the two is short of its tail.
        tails = below + (tail - above), 1 - above - (tail - below)
        ends = np.quantile(values, tails)
        return min(float(ends[0]), estimate), max(float(ends[1]), estimate)
    middle = _holding(values, (tail, 1 - tail), estimate, agreement.name, kind)
    if kind == "percentile" or math.isnan(middle[0]):
        return middle
    tails = _corrected_tails(agreement, values, unit, tail)
    return _holding(values, tails, estimate, agreement.name, kind)


def _holding(
    values: NDArray[np.float64], tails: tuple[float, float], estimate: float, name: str, kind: str
) -> tuple[float, float]:
    """Return quantiles of replicates that hold the estimate; else NaN, with a warning."""
    if not values.size:
        return math.nan, math.nan
    lower, upper = map(float, np.quantile(values, tails))
    if abs(lower - estimate) < SAME:
        lower = min(lower, estimate)
    if abs(upper - estimate) < SAME:
        upper = max(upper, estimate)
    if lower <= estimate <= upper or math.isnan(estimate):
        return lower, upper
    warnings.warn(
        f"{name}: there is no {kind} interval (NaN), as the estimate, {estimate:.4g}, is outside "
        f"the middle of its replicates, {lower:.4g} to {upper:.4g}: they are biased by more than "
        "their spread. Take the analytic or the jackknife interval.",
        DegenerateWarning,
        stacklevel=5,
    )
    return math.nan, math.nan


def _caution(
    agreement: Agreement, kind: Kind, unit: Unit, level: float, lower: float, upper: float
) -> str:
    """Say why an interval is too narrow, if it is known to be."""
    if math.isnan(lower):
        return ""
    if upper - lower < SAME:
        return _no_width(agreement, kind, unit, level)
    if unit != "annotators" or kind not in ("percentile", "bca"):
        return ""
    n = _active_annotators(agreement.annotations).size
    covered = resampled_coverage(n, level)
    if 1 - covered <= TOO_OFTEN * (1 - level):
        return ""
    return (
        f"the {kind} interval over {n} annotators is too narrow: it can be expected to hold in "
        f"about {100 * covered:.0f}% of studies, not in {100 * level:.4g}%. Take the jackknife, "
        "which is made for few, or speak of these annotators only."
    )


def _no_width(agreement: Agreement, kind: Kind, unit: Unit, level: float) -> str:
    used = agreement.used
    n = int(used.sum())
    said = f"the {kind} interval has no width, as leaving out or drawing {unit} changes nothing"
    if unit == "both":
        said = f"the {kind} interval has no width, as drawing items and annotators changes nothing"
    if unit != "items" or agreement.annotations.is_disputed[used].any():
        return f"{said}. It tells nothing of what was not seen: report the estimate without it."
    beyond = 100 * (1 - (1 - level) ** (1 / n))
    advice = "Report how many items agree instead"
    if kind != "bayesian" and _has_prior(agreement):
        advice = (
            "Take the Bayesian interval, whose prior leaves room, or report how many items agree"
        )
    return (
        f"the {kind} interval has no width, as all labels of each of the {n:,} items agree. That "
        f"tells nothing of other items, of which up to {beyond:.2g}% may show a disagreement "
        f"({100 * level:.4g}% limit). {advice}."
    )


def resampled_coverage(n_annotators: int, level: float) -> float:
    """Compute how often a percentile interval over so few annotators can be expected to hold.

    A mean of n independent normal values is taken for the coefficient.

    Parameters
    ----------
    n_annotators : int
        n, at least 2.
    level : float
        What the interval promises, in (0, 1).

    Returns
    -------
    float
        The probability that Student's t with n - 1 degrees of freedom lies within the normal
        quantiles times the square root of (n - 1) / n: resampling n values has (n - 1) / n of the
        variance of drawing new ones, and quantiles of a normal distribution.

    Examples
    --------
    >>> round(resampled_coverage(5, 0.95), 3)  # t of 4 degrees within 1.96 * sqrt(4 / 5) = 1.753
    0.846
    """
    reach = -float(ndtri((1 - level) / 2)) * math.sqrt((n_annotators - 1) / n_annotators)
    return 1 - 2 * float(stdtr(n_annotators - 1, -reach))


def _warn_undefined(agreement: Agreement, n_undefined: int, n: int) -> None:
    if n_undefined > MANY_UNDEFINED * n:
        warnings.warn(
            f"{agreement.name}: {n_undefined} of {n} replicates leave the coefficient undefined; "
            "the interval is of the others alone.",
            DegenerateWarning,
            stacklevel=4,
        )


def _corrected_tails(
    agreement: Agreement, values: NDArray[np.float64], unit: Unit, tail: float
) -> tuple[float, float]:
    """Return the two levels of the quantiles that BCa takes."""
    below = float((values < agreement.estimate).mean() + (values == agreement.estimate).mean() / 2)
    within = 0.5 / values.size
    shift = float(ndtri(min(max(below, within), 1 - within)))
    left_out = jackknife(agreement, unit)
    left_out = left_out[~np.isnan(left_out)]
    from_mean = left_out.mean() - left_out if left_out.size else left_out
    spread = float((from_mean**2).sum())
    bend = float((from_mean**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0

    def corrected(z: float) -> float:
        return float(ndtr(shift + (shift + z) / (1 - bend * (shift + z))))

    z = float(-ndtri(tail))
    return corrected(-z), corrected(z)


def jackknife(agreement: Agreement, unit: Unit) -> NDArray[np.float64]:
    """Recompute a coefficient without each item, or without each annotator.

    Parameters
    ----------
    agreement : Agreement
        The coefficient on its labels.
    unit : {"items", "annotators"}
        What is left out.

    Returns
    -------
    ndarray, shape (number of items or annotators that have labels,)
        NaN where it is undefined.

    Raises
    ------
    AnnotationError
        If there are too few annotators or items to leave one out.
    """
    _check_unit(agreement, unit)
    with np.errstate(invalid="ignore", divide="ignore"):
        if unit == "annotators":
            active = _active_annotators(agreement.annotations)
            return np.array([without(agreement, j) for j in active], dtype=float)
        patterns = _Patterns.of(agreement.form)
        totals = agreement.totals
        values = [np.zeros(0)]
        step = max(1, _CHUNK // max(1, totals.size))
        for start in range(0, patterns.frequency.size, step):
            values.append(agreement.form.value(totals - dense(patterns.rows[start : start + step])))
        return np.repeat(np.concatenate(values), patterns.frequency)


def without(agreement: Agreement, annotator: int) -> float:
    """Recompute a coefficient without one annotator.

    Parameters
    ----------
    agreement : Agreement
        The coefficient on its labels.
    annotator : int
        The code of the annotator.

    Returns
    -------
    float
        NaN if it is undefined or no pair of annotators is left.
    """
    copies = np.ones(agreement.n_annotators)
    copies[annotator] = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        if not agreement.form.separable:
            form = agreement.build(agreement.annotations, copies)
            return float(form.value(form.totals))
        touched = _items_of(agreement.annotations, annotator)
        before, after = (agreement.build(touched, one) for one in (None, copies))
        return float(after.value(agreement.totals - before.totals + after.totals))


def _items_of(annotations: Annotations, annotator: int) -> Annotations:
    """Keep the items that an annotator labelled, with everybody's labels."""
    items = np.unique(annotations.item[annotations.by_annotator[annotator]])
    view = annotations.by_item
    size = view.offsets[items + 1] - view.offsets[items]
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    labels = view.order[np.repeat(view.offsets[items], size) + within]
    return replace(
        annotations,
        item=np.repeat(np.arange(items.size, dtype=np.int32), size),
        annotator=annotations.annotator[labels],
        label=annotations.label[labels],
        items=tuple(annotations.items[item] for item in items),
    )


def posterior(agreement: Agreement, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw a coefficient from the Dirichlet posterior of the items' distribution.

    Parameters
    ----------
    agreement : Agreement
        The coefficient on its labels.
    draws : int
        How many.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray, shape (draws,)
        NaN where it is undefined.

    Notes
    -----
    See `interval` for the prior.
    """
    _check_replicates(draws)
    form, rows, shape = _posterior_rows(agreement)
    n_items = agreement.used.sum()
    values = [np.zeros(0)]
    with np.errstate(invalid="ignore", divide="ignore"):
        for size in _sizes(draws, max(rows.shape)):
            share = rng.standard_gamma(shape, size=(size, shape.size))
            share *= n_items / share.sum(axis=1, keepdims=True)
            values.append(form.value(weighted_sum(rows, share)))
    return np.concatenate(values)


def _posterior_rows(agreement: Agreement) -> tuple[Form, Rows, Floats]:
    """Return a form, its rows, and the parameters of the Dirichlet distribution over them."""
    a = agreement.annotations
    k = a.n_categories
    if _has_prior(agreement):
        cells = Annotations.from_contingency(np.ones((k, k)), categories=a.categories)
        cells = replace(cells, scale=a.scale)
        both = np.zeros((a.n_items, 2), dtype=np.int64)
        both[a.item, a.annotator] = a.label
        seen = np.bincount(both[:, 0] * k + both[:, 1], minlength=k * k)
        form = agreement.build(cells, None)
        return form, form.rows, seen + 1 / k**2
    patterns = _Patterns.of(agreement.form)
    return agreement.form, patterns.rows, patterns.frequency.astype(np.float64)


def _has_prior(agreement: Agreement) -> bool:
    """Say whether the Bayesian interval has a prior on pairs of labels that were not seen."""
    a = agreement.annotations
    complete = a.n_annotators == 2 and a.n_labels == 2 * a.n_items
    return complete and a.scale in ("nominal", "ordinal") and a.n_categories <= MAX_CELLS


def difference(
    first: Agreement,
    second: Agreement,
    kind: Literal["analytic", "percentile"] = "analytic",
    *,
    level: float = 0.95,
    replicates: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Difference:
    """Compare two coefficients computed on the same items.

    They may differ in annotators, in categories (such as a collapsed scheme), or in the
    coefficient itself. Items are matched by name and resampled together, so that what the two share
    cancels. Labels made from two tables of counts share no items, whatever their names: compare
    their intervals instead.

    Parameters
    ----------
    first, second : Agreement
        The two.
    kind : {"analytic", "percentile"}, default "analytic"
        By the items' influence and the normal distribution, or by the bootstrap.
    level : float, default 0.95
        In (0, 1).
    replicates : int, default 2000
        Of the bootstrap.
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
        If the interval has no width, and not because the two are one coefficient.

    References
    ----------
    Analytic: the delta method on shared items, as Gwet (2016), Educational and Psychological
    Measurement 76, for two sets of annotators. Bootstrap p-value: Efron and Tibshirani (1993),
    chapter 16.

    Examples
    --------
    >>> from annobench.agreement import brennan_prediger, cohen_kappa
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
            "difference: the two coefficients have no item in common, matched by name. Name the "
            "items alike; for two independent samples compare their intervals."
        )
    estimate = first.estimate - second.estimate
    used = enters[0] | enters[1]
    if abs(estimate) < ROUNDING:
        estimate = 0.0
    influences = np.zeros((2, len(names)))
    for row, one, index in zip(influences, (first, second), at, strict=True):
        row[index] = np.where(one.used, one.influence, 0.0)
    divisor = max(first.method.error_divisor, second.method.error_divisor)
    error = standard_error(influences[0] - influences[1], used, divisor)
    tail = (1 - level) / 2
    if kind == "analytic":
        reach = float(-ndtri(tail)) * error
        lower, upper = estimate - reach, estimate + reach
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
        _check_replicates(replicates)
        generator = np.random.default_rng(rng)
        values = _difference_replicates(first, second, at, used, replicates, generator)
        values = values[~np.isnan(values)]
        lower, upper = _holding(values, (tail, 1 - tail), estimate, "difference", kind)
        beyond = min(int((values <= 0).sum()), int((values >= 0).sum()))
        p_value = min(1.0, 2 * (beyond + 1) / (values.size + 1)) if values.size else math.nan
    disputed = any(one.annotations.is_disputed.any() for one in (first, second))
    # Two names of one coefficient differ by nothing, and no width is needed to say so.
    if upper - lower < SAME and not (estimate == 0 and disputed):
        warnings.warn(
            f"difference: the {kind} interval has no width, as drawing items changes nothing. It "
            "tells nothing of other items: report the difference without it.",
            IntervalWarning,
            stacklevel=2,
        )
    return Difference(estimate, error, float(lower), float(upper), level, p_value, n_shared, kind)


def _difference_replicates(
    first: Agreement,
    second: Agreement,
    at: list[NDArray[np.int64]],
    used: NDArray[np.bool_],
    replicates: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    values = [np.zeros(0)]
    n = int(used.sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        for size in _sizes(replicates, used.size):
            weights = np.zeros((size, used.size))
            weights[:, used] = draw_counts(n, size, rng)
            one, other = (
                agreement.form.value(weighted_sum(agreement.form.rows, weights[:, index]))
                for agreement, index in zip((first, second), at, strict=True)
            )
            values.append(one - other)
    return np.concatenate(values)


def _check_unit(agreement: Agreement, unit: Unit) -> None:
    if unit != "items":
        active = _active_annotators(agreement.annotations).size
        if active < MIN_ANNOTATORS:
            raise AnnotationError(
                f"{agreement.name}: {active} annotators are too few to be resampled; at least "
                f"{MIN_ANNOTATORS} are needed. Resample items, and speak of these annotators only."
            )
    if unit != "annotators" and agreement.used.sum() < 2:
        raise AnnotationError(
            f"{agreement.name}: items can't be resampled, as only {agreement.used.sum()} enters "
            "the coefficient. Give at least two."
        )


def _active_annotators(annotations: Annotations) -> NDArray[np.int64]:
    """Return the codes of the annotators who share an item with another."""
    shared = np.diff(annotations.by_item.offsets)[annotations.item] > 1
    n_shared = np.bincount(annotations.annotator[shared], minlength=annotations.n_annotators)
    return np.flatnonzero(n_shared)


def _sizes(replicates: int, width: int) -> Iterator[int]:
    """Split replicates so that a table of them and `width` columns fits in memory."""
    step = max(1, _CHUNK // max(1, width))
    for start in range(0, replicates, step):
        yield min(step, replicates - start)
