"""The sections of a report on how annotators differ: margins, limits, variance components."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from annobench.agreement.annotators import pair_annotators
from annobench.agreement.forms.counts import count_label_pairs
from annobench.agreement.generalizability import Generalizability, generalizability
from annobench.agreement.limits_of_agreement import (
    LimitsOfAgreement,
    limits_of_agreement,
    widest_pair,
)
from annobench.agreement.marginal_homogeneity import MarginalHomogeneity, marginal_homogeneity
from annobench.agreement.report_rows import MAX_LABEL_PAIRS
from annobench.core.errors import DegenerateWarning
from annobench.core.texts import counted
from annobench.labels.annotations import Annotations
from annobench.plotting import BLUE, VERMILION, house_style, legend_below
from annobench.reporting import figures
from annobench.reporting.formats import percent, shorten
from annobench.reporting.pages import records

__all__ = ["Further", "further"]

#: Pairs of annotators that are shown, the smallest p-value first.
MAX_PAIRS: Final = 12
#: Categories beyond which margins are not compared, common items below which nothing is, and pairs
#: that are tested, those with the most common items.
MAX_CATEGORIES: Final = 30
MIN_ITEMS: Final = 10
MAX_TESTED: Final = 1_000
#: Labels, and annotators, beyond which REML or its bootstrap takes long.
MAX_BOOTSTRAP: Final = 3_000
MAX_REML_LABELS: Final = 200_000
MAX_REML_ANNOTATORS: Final = 300
#: The coefficient that is asked for.
TARGET: Final = 0.8
#: Annotators of the curve.
SHOWN: Final = (1, 2, 3, 5, 10, 20)


@dataclass(frozen=True)
class Further:
    """A report's results on differences between annotators; None where not applicable.

    Attributes
    ----------
    margins : MarginalHomogeneity or None
        For categories.
    limits : LimitsOfAgreement or None
        For numbers: the limits of two annotators, or of the pair that differs most.
    variances : Generalizability or None
        For numbers.
    """

    margins: MarginalHomogeneity | None = None
    limits: LimitsOfAgreement | None = None
    variances: Generalizability | None = None

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables written next to the page, by name."""
        found = {}
        if self.margins is not None:
            found["margins"] = self.margins.pairs
            found["margins_by_category"] = self.margins.categories
        if self.limits is not None:
            names = {"first": self.limits.first, "second": self.limits.second}
            table = self.limits.summary().rename_axis("quantity").reset_index()
            found["limits_of_agreement"] = table.assign(**names)
        if self.variances is not None:
            found["generalizability"] = self.variances.by_annotators(SHOWN)
        return found

    @property
    def content(self) -> dict[str, Any]:
        """The variables of the template."""
        return {
            "margins": None if self.margins is None else _margins(self.margins),
            "limits": None if self.limits is None else _limits(self.limits),
            "variances": None if self.variances is None else _variances(self.variances),
        }


def further(annotations: Annotations, *, level: float, seed: int | None = None) -> Further:
    """Compute the analyses that suit the scale and are quick.

    Parameters
    ----------
    annotations : Annotations
        The labels; no annotator labelled an item twice.
    level : float
        Level of the intervals, in (0, 1).
    seed : int, optional
        Seed of the bootstrap of variance components; by default 0.

    Returns
    -------
    Further
        The results.
    """
    a = annotations
    n_pairs = count_label_pairs(a)
    if a.anonymous or a.scale == "set" or not 0 < n_pairs <= MAX_LABEL_PAIRS:
        return Further()
    if a.scale != "interval":
        common = np.sort(pair_annotators(a)["n_items"].to_numpy())[::-1]
        few = max(MIN_ITEMS, int(common[MAX_TESTED]) + 1 if common.size > MAX_TESTED else 0)
        if not 1 < a.n_categories <= MAX_CATEGORIES or common[0] < few:
            return Further()
        return Further(margins=marginal_homogeneity(a, level=level, min_items=few))
    pair = widest_pair(a, fewest=MIN_ITEMS)
    limits = None
    if pair is not None:
        limits = limits_of_agreement(a.select(annotators=list(pair)), level=level)
    variances = None
    several = np.unique(a.item).size > 1
    if several and a.n_labels <= MAX_REML_LABELS and a.n_annotators <= MAX_REML_ANNOTATORS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateWarning)
            replicates = 200 if a.n_labels <= MAX_BOOTSTRAP else 0
            found = generalizability(a, level=level, replicates=replicates, rng=seed or 0)
        variances = None if math.isnan(found.absolute) else found
    return Further(limits=limits, variances=variances)


def _margins(found: MarginalHomogeneity) -> dict[str, Any]:
    shares = found.categories.drop(columns="difference")
    rows = records(found.pairs.merge(shares, on=["first", "second", "category"]))
    return {
        "said": _said_of_margins(rows, 1 - found.level),
        "rows": rows[:MAX_PAIRS],
        "total": len(rows),
        "fewest": min(row["n_items"] for row in rows),
        "ordered": "first_higher" in found.pairs,
        "panel": records(found.panel),
    }


def _said_of_margins(rows: list[dict[str, Any]], alpha: float) -> str:
    """Describe how many pairs differ, and which pair differs most in which category."""
    differ = [row for row in rows if row["p_adjusted"] < alpha]
    n = len(rows)
    if not differ:
        if n == 1:
            return "How often the two annotators use each category does not differ significantly."
        return f"No significant difference between any of {n:,} pairs of annotators."
    row = max(differ, key=lambda row: abs(row["difference"]))
    first, second = shorten(row["first"], 30), shorten(row["second"], 30)
    largest = (
        f"“{first}” chose “{shorten(row['category'], 30)}” for {percent(row['share_first'])} of "
        f"their {row['n_items']:,} common items, “{second}” for {percent(row['share_second'])}."
    )
    if n == 1:
        return f"No: {largest}"
    return (
        f"{len(differ):,} of {counted(n, 'pair')} of annotators differ significantly. The largest "
        f"difference: {largest}"
    )


def _limits(found: LimitsOfAgreement) -> dict[str, Any]:
    with house_style():
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        axes = found.plot(figure.subplots())
        axes.set(xlabel="mean of the two labels", ylabel="first − second")
        figures.see_through(figure)
        plot = figures.inline_svg(figure, "limits-of-agreement")
    return {
        "first": found.first,
        "second": found.second,
        "n_items": found.n_items,
        "bias": found.bias,
        "lower": found.lower,
        "upper": found.upper,
        "rows": records(found.summary().rename_axis("quantity").reset_index()),
        "trend": found.slope_p_value < 1 - found.level,
        "slope": found.slope,
        "plot": plot,
    }


def _variances(found: Generalizability) -> dict[str, Any]:
    needed = {
        kind: [_whole(n) for n in found.annotators_needed(TARGET, kind=kind)]
        for kind in ("absolute", "relative")
    }
    return {
        "components": records(found.summary().rename_axis("of").reset_index()),
        "estimation": found.estimation,
        "rows": records(found.by_annotators(SHOWN)),
        "needed": needed,
        "target": TARGET,
        "limited": not math.isnan(found.absolute_lower),
        "plot": _curve(found),
    }


def _whole(n: float) -> str:
    if math.isnan(n):
        return ""
    return "infinitely many" if math.isinf(n) else f"{n:,.0f}"


def _curve(found: Generalizability) -> Markup:
    """Plot both coefficients by the number of annotators."""
    table = found.by_annotators(range(1, SHOWN[-1] + 1))
    with house_style():
        figure = Figure(figsize=(6.4, 2.8), layout="constrained")
        axes = figure.subplots()
        for kind, colour in (("relative", BLUE), ("absolute", VERMILION)):
            x = table["n_annotators"]
            lower, upper = table[f"{kind}_lower"], table[f"{kind}_upper"]
            axes.fill_between(x, lower, upper, color=colour, alpha=0.12, lw=0)
            axes.plot(x, table[kind], color=colour, label=kind)
        axes.axhline(TARGET, color="#A9A698", lw=1, ls=":")
        axes.set(xlabel="annotators per item", ylabel="coefficient", ylim=(0, 1.02))
        axes.set_xticks(np.array(SHOWN))
        axes.margins(x=0)
        legend_below(figure, axes)
        figures.see_through(figure)
        return figures.inline_svg(figure, "generalizability")
