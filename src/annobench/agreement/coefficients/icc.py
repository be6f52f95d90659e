"""Intraclass correlations: agreement on numbers, any number of annotators, complete labels.

From the mean squares of items MSR, annotators MSC, error MSE and within items MSW, of n items
and k annotators:

    one way               (MSR - MSW) / (MSR + (k - 1) MSW)
    two way, consistency  (MSR - MSE) / (MSR + (k - 1) MSE)
    two way, agreement    (MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n)

and for the mean of all k annotators (MSR - MSW) / MSR, (MSR - MSE) / MSR and
(MSR - MSE) / (MSR + (MSC - MSE) / n).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

import numpy as np
from scipy.special import fdtri

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.numeric import IntraclassCorrelation
from annobench.agreement.record import Coefficient, Example
from annobench.agreement.result import Agreement
from annobench.agreement.statistic import Statistic
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "MODELS", "icc"]

METHOD = Coefficient(
    name="icc",
    title="Intraclass correlation",
    reference="Shrout and Fleiss (1979), Psychological Bulletin 86; McGraw and Wong (1996)",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="any",
    missing="Items that lack a label of any annotator are left out.",
    degenerate="All labels are the same, fewer than two items are complete, or disagreement is so "
    "systematic that the estimated variance is not positive.",
    standard_error="Delta method over items; the analytic interval is the F interval",
    ddof=1,
    assumes="Labels are an item's value plus normal errors of equal variance; agreement counts "
    "differences between annotators' means as error, consistency does not. Items are a sample; "
    "annotators are one, too, if two-way-random, and these alone if two-way-mixed. "
    "The interval of agreement is too narrow for a sample of few annotators whose means differ.",
    numeric=True,
    complete=True,
    small_sample=True,
    variants={
        "interval": (
            {"model": "one-way", "ratings": "single"},
            {"model": "two-way-random", "ratings": "single"},
            {"model": "two-way-mixed", "ratings": "single"},
            {"model": "two-way-mixed", "kind": "consistency", "ratings": "single"},
            {"model": "one-way", "ratings": "average"},
            {"model": "two-way-random", "ratings": "average"},
            {"model": "two-way-mixed", "ratings": "average"},
            {"model": "two-way-mixed", "kind": "consistency", "ratings": "average"},
        ),
    },
    examples=(
        Example(scale="ordinal", n_categories=5),
        Example({"kind": "consistency"}, "ordinal", 5),
    ),
)

MODELS = ("one-way", "two-way-random", "two-way-mixed")


def icc(
    annotations: Annotations,
    *,
    model: Literal["one-way", "two-way-random", "two-way-mixed"] = "two-way-random",
    kind: Literal["agreement", "consistency"] = "agreement",
    ratings: Literal["single", "average"] = "single",
) -> Agreement:
    """Estimate an intraclass correlation.

    Parameters
    ----------
    annotations : Annotations
        At least two annotators, whose labels are numbers; items that lack a label of any
        are left out.
    model : {"one-way", "two-way-random", "two-way-mixed"}, default "two-way-random"
        Whether items have different annotators (one-way) or the same, who are a sample of many
        (random) or of interest alone (mixed). Random and mixed give the same estimates; intervals
        of agreement are wider if annotators are a sample.
    kind : {"agreement", "consistency"}, default "agreement"
        Whether differences between annotators' means count as error. One-way has no consistency.
    ratings : {"single", "average"}, default "single"
        Whether the reliability of a single annotator is estimated, or of the mean of all.

    Returns
    -------
    Agreement
        Estimate, at most 1; its analytic interval is the F interval, which assumes normally
        distributed labels; for agreement of fixed annotators (two-way-mixed) its degrees of freedom
        are those of a noncentral mean square of annotators.

    Raises
    ------
    AnnotationError
        If an option is unknown, no item is complete, an annotator labelled an item twice,
        or a label is not a number.

    Warns
    -----
    DegenerateWarning
        If all labels are the same, fewer than two items are complete, or disagreement is so
        systematic that the estimated variance is not positive; the estimate is then NaN.

    References
    ----------
    Shrout and Fleiss (1979), Psychological Bulletin 86; McGraw and Wong (1996), Psychological
    Methods 1, tables 4 and 7.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xyzxyz"), list("aaabbb"), [1, 2, 3, 2, 3, 4])
    >>> round(icc(a).estimate, 4), round(icc(a, kind="consistency").estimate, 4)
    (0.6667, 1.0)
    """
    for option, value, known in (
        ("model", model, MODELS),
        ("kind", kind, ("agreement", "consistency")),
        ("ratings", ratings, ("single", "average")),
    ):
        if value not in known:
            raise AnnotationError(f"icc: {option} {value!r} is not one of {', '.join(known)}.")
    if model == "one-way" and kind == "consistency":
        raise AnnotationError(
            "icc: the one-way model has no consistency, as annotators differ between items. "
            "Choose kind='agreement', or a two-way model."
        )
    annotations = METHOD.check(annotations, pools=model == "one-way")
    way = "one-way" if model == "one-way" else "two-way"

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return IntraclassCorrelation(labels, copies, way, kind, ratings == "average")

    def limits(statistic: Statistic, level: float) -> tuple[float, float]:
        form = statistic.form
        assert isinstance(form, IntraclassCorrelation)
        n, *squares = (float(value) for value in form.mean_squares(statistic.totals))
        items, annotators, error = squares
        k = statistic.n_annotators
        fixed = model == "two-way-mixed"
        lower, upper = f_interval(n, k, items, annotators, error, way, kind, level, fixed=fixed)
        if ratings == "single":
            return lower, upper
        return spearman_brown(lower, k), spearman_brown(upper, k)

    return Agreement.of(
        METHOD,
        annotations,
        make_form,
        partial(icc, model=model, kind=kind, ratings=ratings),
        collapsible=False,
        analytic_limits=limits,
    )


def f_interval(
    n: float,
    k: int,
    items: float,
    annotators: float,
    error: float,
    model: str,
    kind: str,
    level: float,
    *,
    fixed: bool = False,
) -> tuple[float, float]:
    """Return the F interval of the reliability of a single annotator.

    The mean square of annotators has the variance 2 MSC^2 / (k - 1) if they are a sample, and that
    of a noncentral chi-square, 2 MSE (2 MSC - MSE) / (k - 1), if they are fixed.
    """
    tail = (1 - level) / 2
    if n < 2:
        return math.nan, math.nan
    if model == "two-way" and kind == "agreement":
        if error <= 0 and annotators <= 0:
            return 1.0, 1.0
        annotator_variance = (annotators - error) / n
        rho = (items - error) / (items + (k - 1) * error + k * annotator_variance)
        if rho >= 1:
            return 1.0, 1.0
        if items <= 0 and error <= 0:
            return math.nan, math.nan
        a = k * rho / (n * (1 - rho))
        b = 1 + k * rho * (n - 1) / (n * (1 - rho))
        square = error * max(2 * annotators - error, error) if fixed else annotators**2
        spread = a**2 * square / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1))
        if spread <= 0:
            return math.nan, math.nan
        freedom = (a * annotators + b * error) ** 2 / spread
        low, high = _f_limits(items, tail, n - 1, freedom)
        rest = k * annotators + (k * n - k - n) * error
        return (
            float(n * (low - error) / (rest + n * low)),
            float(n * (high - error) / (rest + n * high)),
        )
    if model == "one-way":
        noise = ((n - 1) * error + annotators) / n
        freedom = n * (k - 1)
    else:
        noise, freedom = error, (n - 1) * (k - 1)
    if noise <= 0:
        return 1.0, 1.0
    low, high = _f_limits(items / noise, tail, n - 1, freedom)
    return float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1))


def _f_limits(ratio: float, tail: float, above: float, below: float) -> tuple[float, float]:
    """Divide a ratio by quantiles of F; NaN if the limits exclude the ratio."""
    if ratio <= 0:
        return 0.0, 0.0
    with np.errstate(divide="ignore"):
        # What F exceeds with a probability is the reciprocal's own lower quantile.
        low = float(ratio * fdtri(below, above, tail))
        high = float(ratio / fdtri(above, below, tail))
    return (low, high) if low <= ratio <= high else (math.nan, math.nan)


def spearman_brown(single: float, k: int) -> float:
    """Return the reliability of the mean of k annotators from that of a single one."""
    shared = 1 + (k - 1) * single
    return -math.inf if shared <= 0 else k * single / shared
