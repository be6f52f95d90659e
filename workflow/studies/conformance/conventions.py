"""What other packages compute where they differ: each convention as a rule that gives their number.

A rule takes a case and returns the other package's value, NaN where it has none. It uses our
answer, the labels, or the other quantities of the same call, never the value it is to give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from annobench import agreement
from annobench.labels.annotations import Annotations


@dataclass(frozen=True)
class Case:
    """One stored value, with ours beside it.

    Attributes
    ----------
    dataset, package, function, coefficient, options, quantity, error : str
        The stored row.
    ours, theirs : float
        NaN where there is no number.
    answer, peer : mapping of str to float
        All quantities of the same call, ours and theirs.
    labels : Annotations
        The data set.
    again : callable
        The coefficient with its options, of other labels or with more options.
    """

    dataset: str
    package: str
    function: str
    coefficient: str
    options: str
    quantity: str
    error: str
    ours: float
    theirs: float
    answer: Mapping[str, float]
    peer: Mapping[str, float]
    labels: Annotations
    again: Callable[..., Any]

    @property
    def sizes(self) -> np.ndarray:
        """The number of labels of each item."""
        return np.diff(self.labels.by_item.offsets)

    @property
    def n_items(self) -> int:
        """The number of items with a label."""
        return int((self.sizes > 0).sum())

    @property
    def n_pairable(self) -> int:
        """The number of items with two labels or more."""
        return int((self.sizes > 1).sum())

    @property
    def common(self) -> Annotations:
        """The items that every annotator labelled."""
        return self.labels.complete()


#: By name, what gives another package's value of a case.
RULES: dict[str, Callable[[Case], float]] = {}


def _rule(function: Callable[[Case], float]) -> Callable[[Case], float]:
    """Enter a function under its name."""
    RULES[function.__name__.removeprefix("_")] = function
    return function


@_rule
def _undefined(case: Case) -> float:
    """Have no value."""
    return math.nan


@_rule
def _complete_only(case: Case) -> float:
    """Have no value where a label is missing."""
    return math.nan if (case.sizes < case.labels.n_annotators).any() else case.ours


@_rule
def _same_number_of_labels(case: Case) -> float:
    """Have no value where items differ in their number of labels."""
    return math.nan if np.ptp(case.sizes) else case.ours


@_rule
def _perfect(case: Case) -> float:
    """Give 1 where expected and observed agreement are both 1."""
    return 1.0


@_rule
def _perfect_pairs(case: Case) -> float:
    """Average kappas over all pairs of annotators, 1 where a pair's labels are all one."""
    pairs = agreement.light_kappa(case.labels).by_pair()
    return float(pairs["estimate"].fillna(1.0).mean())


@_rule
def _no_spread(case: Case) -> float:
    """Give a single item a standard error of 0."""
    return 0.0


@_rule
def _smallest_error(case: Case) -> float:
    """Replace a standard error of 0 by 1e-15."""
    return 1e-15


@_rule
def _used_categories(case: Case) -> float:
    """Count only the categories that were used."""
    used = case.labels.to_frame()
    return float(agreement.brennan_prediger(Annotations.from_frame(used)).estimate)


@_rule
def _uncut_normal_interval(case: Case) -> float:
    """Go 1.96 of the package's standard errors to both sides, also beyond -1 and 1."""
    half_width = stats.norm.ppf(0.975) * case.peer["standard_error"]
    return case.peer["estimate"] + (half_width if case.quantity == "upper" else -half_width)


@_rule
def _student_interval(case: Case) -> float:
    """Go t of the package's standard errors to both sides, cut at 1 above only.

    There is one degree of freedom less than items. The quantile is the package's own: the scipy
    that it pins has it to nine digits. An undefined upper end becomes 1, as `min(1, nan)` is 1.
    """
    if not case.peer["standard_error"] > 0 or math.isnan(case.peer["quantile"]):
        return 1.0 if case.quantity == "upper" else math.nan
    half_width = case.peer["quantile"] * case.peer["standard_error"]
    if case.quantity == "upper":
        return min(1.0, case.peer["estimate"] + half_width)
    return case.peer["estimate"] - half_width


@_rule
def _common_items(case: Case) -> float:
    """Use the items of the table alone, those with both labels."""
    return float(getattr(case.again(case.common), case.quantity))


@_rule
def _common_items_divided_by_all(case: Case) -> float:
    """Use the items of the table alone, and divide the variance by I, not I - 1."""
    n = case.n_pairable
    return float(case.again(case.common).standard_error * math.sqrt((n - 1) / n))


@_rule
def _share_of_pairable_items_fixed(case: Case) -> float:
    """Take the number of items with two labels as given, not as varying with the sample."""
    n, pairable = case.n_items, case.sizes > 1
    result = case.again(case.labels)
    varying = n * result.influence
    fixed = varying + result.estimate * (n / case.n_pairable * pairable - 1)
    return math.sqrt(float((fixed**2).sum()) / (n * (n - 1)))


@_rule
def _error_without_correction(case: Case) -> float:
    """Give the standard error of alpha as if labels were drawn with replacement."""
    return _error_of_alpha(case, case.again(case.labels, small_sample=False))


def _error_of_alpha(case: Case, result: Any) -> float:
    """Return irrCAC's standard error, given alpha without its small-sample correction.

    From raw labels, the mean number of labels of an item is linearised about the observed
    agreement that has the correction already; with equal numbers nothing follows from that.
    """
    size, n = case.sizes[case.sizes > 1], case.n_pairable
    each = n * result.influence[case.sizes > 1]
    if case.function.startswith("table"):
        return math.sqrt(float((each**2).sum())) / n
    each = each - (1 - result.estimate) * (size / size.mean() - 1) / size.sum()
    return math.sqrt(float((each**2).sum()) / (n * (n - 1)))


@_rule
def _ranks_apart(case: Case) -> float:
    """Weight a distance of d ranks by d (d + 1) / 2, however often the ranks are used."""
    k = np.arange(case.labels.n_categories)
    apart = np.abs(k[:, None] - k)
    metric = apart * (apart + 1) / 2
    if case.quantity == "estimate":
        return float(agreement.krippendorff_alpha(case.labels, metric=metric).estimate)
    result = agreement.krippendorff_alpha(case.labels, metric=metric, small_sample=False)
    return _error_of_alpha(case, result)


@_rule
def _six_decimals(case: Case) -> float:
    """Round the ends of the interval to six decimals."""
    return round(case.ours, 6)


@_rule
def _fisher_interval(case: Case) -> float:
    """Use Fisher's interval of a Pearson correlation, rounded to six decimals."""
    half_width = stats.norm.ppf(0.975) / math.sqrt(case.n_items - 3)
    sign = 1 if case.quantity == "upper" else -1
    return round(math.tanh(math.atanh(case.peer["estimate"]) + sign * half_width), 6)


@_rule
def _spearman_brown(case: Case) -> float:
    """Step up the single intraclass correlation, also where that leaves the range."""
    single = case.again(case.labels, ratings="single")
    ends = single if case.quantity == "estimate" else single.interval()
    correlation, j = getattr(ends, case.quantity), case.labels.n_annotators
    return float(j * correlation / (1 + (j - 1) * correlation))
