"""Agreement within groups of items or of annotators."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import fdtrc

from annobench.agreement.annotators import agreement_of_labels
from annobench.agreement.coefficients.krippendorff_alpha import krippendorff_alpha
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning, check_level
from annobench.core.results import Summarised
from annobench.core.texts import counted
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.labels.select import in_order

__all__ = ["ByGroup", "by_group"]


@dataclass(frozen=True, repr=False)
class ByGroup(Summarised):
    """Agreement within groups.

    Attributes
    ----------
    of : {"items", "annotators"}
        Whether items or annotators are grouped.
    table : DataFrame
        One row per group, the largest first: group, n_items with two labels of the group,
        n_annotators, n_labels, Krippendorff's alpha of these items (estimate, lower, upper; NaN
        where undefined), and observed_agreement; for groups of annotators also between, the
        observed agreement of the group's labels with those of the other groups on the same items.
    p_value : float
        P-value of the hypothesis that groups of items have the same alpha; NaN for groups of
        annotators, which label the same items, and with fewer than two intervals.
    level : float
        Level of the intervals.
    n_without : int
        Number of items or annotators left out because they have no group.
    """

    of: Literal["items", "annotators"]
    table: pd.DataFrame
    p_value: float
    level: float
    n_without: int

    def summary(self) -> pd.DataFrame:
        """Return the table.

        Returns
        -------
        DataFrame
            By group.
        """
        return self.table.set_index("group")

    def _headline(self) -> str:
        return f"{len(self.table)} groups of {self.of}"


def by_group(
    annotations: Annotations,
    groups: Iterable[Hashable],
    *,
    of: Literal["items", "annotators"],
    level: float = 0.95,
) -> ByGroup:
    """Compute Krippendorff's alpha within groups of items or of annotators.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    groups : iterable
        Group of each item or annotator, in order, or by name in a mapping or a series; None if it
        has none.
    of : {"items", "annotators"}
        Whether items or annotators are grouped.
    level : float, default 0.95
        Level of the intervals, in (0, 1).

    Returns
    -------
    ByGroup
        One row per group.

    Raises
    ------
    AnnotationError
        If there is not one group for each item or annotator, or there are fewer than two groups.

    Notes
    -----
    Groups of items are independent samples, given the annotators. Their alphas are compared by
    Cochran's Q, the weighted sum of squared deviations from the mean with inverse variances as
    weights, with Welch's approximation by an F distribution, as variances of few items are
    estimates. Alpha depends on the prevalence of the categories, so it may differ
    between groups even if annotators are equally accurate in all.

    References
    ----------
    Cochran (1954), The combination of estimates from different experiments, Biometrics 10, 101-129.
    Welch (1951), On the comparison of several mean values, Biometrika 38, 330-336.

    Examples
    --------
    >>> labels = Annotations.from_wide([[0, 0], [1, 1], [0, 0], [1, 1], [0, 1], [1, 0], [0, 0]])
    >>> by_group(labels, list("aaaabbb"), of="items").table["estimate"].round(3).tolist()
    [1.0, -0.25]
    """
    annotations = as_annotations(annotations, "by_group")
    check_level(level, "by_group")
    a = annotations
    given = list(in_order(groups, a.items if of == "items" else a.annotators, "by_group"))
    n = a.n_items if of == "items" else a.n_annotators
    if len(given) != n:
        raise AnnotationError(
            f"by_group: there are {len(given):,} groups for {n:,} {of}. Give one for each."
        )
    code, names = pd.factorize(pd.Series(given, dtype=object))
    if len(names) < 2:
        raise AnnotationError(
            f"by_group: got {counted(len(names), 'group')} of {of}. Give at least two to compare."
        )
    if of == "annotators":
        a.check_annotators("by_group")
    rows = [_row(a, code == g, of, level) | {"group": name} for g, name in enumerate(names)]
    table = pd.DataFrame(rows).sort_values("n_labels", ascending=False, kind="stable")
    error = table.pop("standard_error")
    columns = ["group", *table.columns.drop("group")]
    if of == "annotators":
        table["between"] = _between(a, code)[table.index]
        columns.append("between")
    p_value = _same(table["estimate"], error, table["n_items"]) if of == "items" else math.nan
    n_without = int((code < 0).sum())
    return ByGroup(of, table[columns].reset_index(drop=True), p_value, level, n_without)


def _row(
    a: Annotations, chosen: NDArray[np.bool_], of: Literal["items", "annotators"], level: float
) -> dict[str, Any]:
    own = a.select(items=chosen) if of == "items" else a.select(annotators=chosen)
    own = own.select(items=np.diff(own.by_item.offsets) > 1)
    found = {"n_items": own.n_items, "n_annotators": own.n_annotators, "n_labels": own.n_labels}
    if not own.n_items:
        undefined = ("estimate", "lower", "upper", "standard_error", "observed_agreement")
        return found | dict.fromkeys(undefined, math.nan)
    agreeing, others = agreement_of_labels(own)
    observed = {"observed_agreement": float(agreeing.sum() / others.sum())}
    return found | alpha_of(own, level) | observed


def alpha_of(annotations: Annotations, level: float) -> dict[str, float]:
    """Return Krippendorff's alpha with interval and standard error, NaN where undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        warnings.simplefilter("ignore", IntervalWarning)
        found = krippendorff_alpha(annotations)
        ends = found.interval("analytic", level=level)
    return {
        "estimate": found.estimate,
        "lower": ends.lower,
        "upper": ends.upper,
        "standard_error": found.standard_error,
    }


def _between(a: Annotations, code: NDArray[np.int64]) -> NDArray[np.float64]:
    """Average the agreement of each group's labels with those of other groups on the same items."""
    n = int(code.max()) + 1
    a = a.select(annotators=code >= 0)
    group = code[code >= 0][a.annotator]
    agreeing, others = agreement_of_labels(a)
    # The labels of a group on an item are an item of their own.
    cell, item = np.unique(a.item.astype(np.int64) * n + group, return_inverse=True)
    own = replace(a, item=item.astype(np.int32), items=("",) * cell.size)
    agreeing_within, others_within = agreement_of_labels(own)
    sums = [
        np.bincount(group, total - within, minlength=n)
        for total, within in ((agreeing, agreeing_within), (others, others_within))
    ]
    return np.divide(sums[0], sums[1], out=np.full(n, math.nan), where=sums[1] > 0)


def _same(estimate: pd.Series[float], error: pd.Series[float], n_items: pd.Series[int]) -> float:
    """Test whether independent estimates with unequal variances have the same mean, by Welch."""
    usable = np.isfinite(estimate.to_numpy()) & (error.to_numpy() > 0)
    k = int(usable.sum())
    if k < 2:
        return math.nan
    y, weight = estimate[usable].to_numpy(), error[usable].to_numpy() ** -2.0
    q = float(weight @ (y - np.average(y, weights=weight)) ** 2)
    spread = float(((1 - weight / weight.sum()) ** 2 / (n_items[usable].to_numpy() - 1)).sum())
    f = q / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    return float(fdtrc(k - 1, (k**2 - 1) / (3 * spread), f))
