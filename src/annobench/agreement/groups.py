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
from scipy.special import chdtrc

from annobench.agreement.annotators import agreement_of_labels
from annobench.agreement.coefficients.krippendorff_alpha import krippendorff_alpha
from annobench.agreement.result import Agreement
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
    Groups of items are independent samples, given the annotators. The differences of their alphas
    from that of all items, times the group's expected disagreement over that of all, are compared:
    the sum of their squares, weighted by items, over the variance of the items' influence values
    has approximately a chi-square distribution with one degree of freedom less than the number of
    groups. The groups' own standard errors, as in Cochran's Q, are too small where a group has few
    items or a category is rare. Alpha depends on the prevalence of the categories, so it may differ
    between groups even if annotators are equally accurate in all.

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
    table = table.drop(columns="standard_error")
    columns = ["group", *table.columns.drop("group")]
    if of == "annotators":
        table["between"] = _between(a, code)[table.index]
        columns.append("between")
    p_value = _same(a, code) if of == "items" else math.nan
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


def _same(a: Annotations, code: NDArray[np.int64]) -> float:
    """Test whether groups of items have the same alpha, with the variance of all items."""
    chosen = (code >= 0) & (np.diff(a.by_item.offsets) > 1)
    a, group = a.select(items=chosen), np.unique(code[chosen], return_inverse=True)[1]
    size = np.bincount(group)
    if size.size < 2:
        return math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        whole = krippendorff_alpha(a)
        parts = [krippendorff_alpha(a.select(items=group == g)) for g in range(size.size)]
    variance = float(whole.influence.var(ddof=1)) * a.n_items**2
    if not variance > 0:
        return math.nan
    score = np.array([_score(part, whole) for part in parts])
    q = float(size @ (score - np.average(score, weights=size)) ** 2) / variance
    return float(chdtrc(size.size - 1, q))


def _score(part: Agreement, whole: Agreement) -> float:
    """Return a group's alpha minus that of all, times the ratio of their expected disagreements.

    To first order it is the mean influence of the group's items; where a group has one category
    only, it is 0. Ordinal distances are ranks within the group, so that there is no such ratio.
    """
    if math.isnan(part.estimate):
        return 0.0
    expected, of_all = (float(x.form.disagreements(x.totals)[1]) for x in (part, whole))
    share = 1.0 if part.annotations.scale == "ordinal" else expected / of_all
    return (part.estimate - whole.estimate) * share
