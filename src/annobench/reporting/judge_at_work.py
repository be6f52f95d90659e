"""The sections of the judges' page on systems, bias and drift."""

from __future__ import annotations

import math
from typing import Any, Final

import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from annobench.judges.at_work import AtWork
from annobench.judges.drift import FEWEST_CLUSTERS, JudgeDrift
from annobench.plotting import BLUE, VERMILION, house_style
from annobench.reporting import figures
from annobench.reporting.formats import by_interval, number, signed
from annobench.reporting.formats import level as written_level
from annobench.reporting.pages import records
from annobench.reporting.report_parts import said_p, with_dates

__all__ = ["layout"]

#: Rows of a table that are shown.
MAX_ROWS: Final = 45
_BIAS: Final = {
    "score difference": "the judge's scores minus the humans'",
    "length": "change per doubling of the length",
    "own family": "its own family's answers minus others'",
    "longer answer": "picked more often than by humans, by",
}


def layout(found: AtWork) -> dict[str, Any]:
    """Lay out the results on systems, bias and drift.

    Parameters
    ----------
    found : AtWork
        The results.

    Returns
    -------
    dict
        Variables of the template; parts that were not requested are None.
    """
    tables = found.tables
    return {
        "score": found.score,
        "systems": _rows("systems-plot", tables.get("systems"), around_zero=False),
        "differences": _rows("differences-plot", tables.get("differences")),
        "slices": _rows("slices-plot", tables.get("slices")),
        "bias": _bias(found.bias),
        "drift": [_drift(n, *each) for n, each in enumerate(found.drift.items(), 1)] or None,
        "interval": written_level(found.level),
    }


def said_at_work(found: AtWork) -> list[str]:
    """Summarise the results in sentences."""
    said = []
    for judge, each in found.systems.items():
        for row in records(each.differences.head(3)):
            said.append(
                f"{row['system']} minus {row['baseline']}: {signed(row['estimate'])}, interval "
                f"{number(row['lower'])} to {number(row['upper'])}, by {judge} and "
                f"{row['n_human']:,} human scores ({judge} alone {signed(row['judge_score'])}, "
                f"humans alone {signed(row['human_score'])})."
            )
        if (more := len(each.differences) - 3) > 0:
            said.append(f"{judge}: {more} more differences.")
    for row in records(found.bias):
        if row["note"] and row["bias"] != "score difference":
            said.append(f"{row['judge']}, {row['bias']}: not identified, as {row['note']}.")
        elif by_interval(row["lower"], row["upper"], 0.0, above="+", below="-", neither=""):
            said.append(
                f"{row['judge']}, {row['bias']}: {signed(row['estimate'])}, "
                f"{_BIAS[row['bias']]} (interval {number(row['lower'])} to {number(row['upper'])})."
            )
    for judge, followed in found.drift.items():
        said += _said_of_drift(judge, followed)
    return said


def _said_of_drift(judge: str, found: JudgeDrift) -> list[str]:
    windows = found.windows
    latest_of = found.tests[found.tests["contrast"].eq("latest")]
    tests = {row["measure"]: row for row in records(latest_of)}
    latest = tests["agreement"]
    first = (
        f"{judge}: agreement with the anchor set is {number(windows['agreement'].iloc[-1])} in the "
        f"latest of {len(windows)} windows, "
        + by_interval(
            latest["lower"],
            latest["upper"],
            0.0,
            above="above that before",
            below="below that before",
            neither="not distinguishable from that before",
        )
        + f": {signed(latest['estimate'])} (interval {number(latest['lower'])} to "
        f"{number(latest['upper'])})"
    )
    said = [f"{first}; {_verdict(latest['p_any'], found.level)}."]
    score = tests.get("score_difference")
    if score is not None:
        moved = by_interval(
            score["lower"], score["upper"], 0.0, above="rose", below="fell", neither=""
        )
        said += [
            f"{judge}: its scores {moved} by {number(abs(score['estimate']))} in the latest window "
            f"(interval {number(score['lower'])} to {number(score['upper'])})."
        ] * bool(moved)
    if not found.within_items:
        said.append(
            f"{judge} labelled few items in several windows: harder items would look like drift. "
            "Label the same anchor items in every run."
        )
    return said


def _verdict(p_any: float, level: float) -> str:
    if math.isnan(p_any):
        return f"a test of any change needs {FEWEST_CLUSTERS} anchor items or clusters"
    if p_any < 1 - level:
        return f"windows differ significantly ({said_p(p_any)})"
    return f"windows do not differ significantly ({said_p(p_any)})"


def _rows(
    name: str, table: pd.DataFrame | None, *, around_zero: bool = True
) -> dict[str, Any] | None:
    """Lay out a table with its forest plot."""
    if table is None:
        return None
    shown = table.head(MAX_ROWS)
    rows = records(shown)
    ends = shown[["lower", "upper"]].to_numpy(dtype=float)
    limits = figures.limits_of_any(ends, zero=around_zero)
    return {"rows": rows, "total": len(table), "plot": figures.estimates(name, rows, limits)}


def _bias(table: pd.DataFrame) -> dict[str, Any] | None:
    if table.empty:
        return None
    found = _rows("bias-plot", table.assign(words=table["bias"].map(_BIAS)))
    assert found is not None
    return found | {"has_adjusted": bool(table["adjusted"].notna().any())}


def _drift(n: int, judge: str, found: JudgeDrift) -> dict[str, Any]:
    tests = found.tests.assign(
        words=found.tests["contrast"].map(
            {"latest": "latest window against those before", "trend": "trend, first to last"}
        )
    )
    return {
        "judge": judge,
        "said": _said_of_drift(judge, found),
        "plot": _drift_plot(n, found),
        "rows": records(_with_times(found.windows).tail(MAX_ROWS)),
        "total": len(found.windows),
        "tests": records(tests),
        "has_scores": bool(found.windows["score_difference"].notna().any()),
        "n_undated": found.n_undated,
        "n_elsewhere": found.n_elsewhere,
    }


def _with_times(windows: pd.DataFrame) -> pd.DataFrame:
    """Format the dates of each window."""
    table = with_dates(windows)
    ends = zip(table["begins"], table["ends"], strict=True)
    return table.assign(when=[a if a == b else f"{a} to {b}" for a, b in ends])


def _drift_plot(n: int, found: JudgeDrift) -> Markup:
    """Plot agreement by window with its band, and the mean of all windows before the last."""
    windows = found.windows
    with house_style():
        figure = Figure(figsize=(6.4, 2.4), layout="constrained")
        axes = figure.subplots()
        x, y = windows["window"], windows["agreement"]
        before = windows.iloc[:-1]
        mean = (before["agreement"] * before["n_labels"]).sum() / before["n_labels"].sum()
        axes.axhline(mean, color="#A9A698", lw=1, ls=":")
        axes.fill_between(x, windows["lower"], windows["upper"], color=BLUE, alpha=0.18, lw=0)
        axes.plot(x, y, "o-", color=BLUE)
        axes.plot(x.iloc[-1:], y.iloc[-1:], "o", color=VERMILION)
        axes.set(
            xlabel="window of time",
            ylabel="agreement",
            ylim=(max(0.0, float(windows["lower"].min()) - 0.05), 1.02),
        )
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        figures.see_through(figure)
        return figures.inline_svg(figure, f"drift-{n}")
