"""The sections of a report on time, groups and boxes."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from annobench.agreement.groups import ByGroup
from annobench.agreement.over_time import OverTime
from annobench.core.texts import counted
from annobench.plotting import BLUE, house_style
from annobench.reporting import figures
from annobench.reporting.formats import number, shorten
from annobench.reporting.pages import records

__all__ = []

#: Annotators that are drawn, those with the strongest evidence of a trend first.
MAX_DRAWN: Final = 12
#: Groups that are shown.
MAX_GROUPS: Final = 30
#: Tests below this are said to be significant.
SIGNIFICANT: Final = 0.05

_COLUMNS = 4


def drift_of(found: OverTime | None) -> dict[str, Any] | None:
    """Lay out agreement over time."""
    if found is None:
        return None
    trends = found.trends.head(MAX_DRAWN)
    return {
        "said": said_of_drift(found),
        "plot": _alpha_plot(found.windows),
        "rows": records(with_dates(found.windows)),
        "annotators": records(trends),
        "bands": _band_plots(found.annotators, list(trends["annotator"]), found.windows),
        "total": len(found.trends),
    }


def said_of_drift(found: OverTime) -> list[str]:
    """Summarise changes over time."""
    first, last = found.windows["estimate"].iloc[[0, -1]]
    said = [
        f"Alpha is {number(first)} in the first of {len(found.windows)} windows of time and "
        f"{number(last)} in the last"
        + ("." if math.isnan(found.p_value) else f"; {_trend(found.change, found.p_value)}.")
    ]
    drifting = found.trends[found.trends["p_adjusted"] < SIGNIFICANT]
    for row in drifting.head(3).to_dict("records"):
        said.append(
            f"The agreement of {shorten(row['annotator'], 40)!r} with the others changes by "
            f"{row['change']:+.2f} from the first label to the last ({number(row['lower'], 2)} to "
            f"{number(row['upper'], 2)}; adjusted {said_p(row['p_adjusted'])})."
        )
    if found.n_undated:
        said.append(f"{counted(found.n_undated, 'label')} without a time left out.")
    if len(drifting) > 3:
        said.append(f"{len(drifting) - 3} other annotators drift significantly, too.")
    elif drifting.empty and len(found.trends):
        said.append(
            f"No trend of any of {len(found.trends)} annotators is significant after adjustment "
            "for their number."
        )
    return said


def _trend(change: float, p_value: float) -> str:
    if p_value >= SIGNIFICANT:
        return f"no linear trend is significant ({said_p(p_value)})"
    return f"the linear trend, {change:+.2f} from first to last, is significant ({said_p(p_value)})"


def said_p(value: float) -> str:
    """Format a p-value."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def with_dates(windows: pd.DataFrame) -> pd.DataFrame:
    """Format the limits of windows, as dates if they span more than a week or are whole days."""
    table = windows.copy()
    for name in ("begins", "ends"):
        if pd.api.types.is_numeric_dtype(table[name]):
            table[name] = [f"{x:g}" for x in table[name]]
        else:
            ends = windows[["begins", "ends"]]
            long = ends["ends"].max() - ends["begins"].min() > pd.Timedelta(days=7)
            days = long or bool((ends == ends.apply(lambda x: x.dt.normalize())).all(axis=None))
            table[name] = table[name].dt.strftime("%Y-%m-%d" if days else "%Y-%m-%d %H:%M")
    return table


def _alpha_plot(windows: pd.DataFrame) -> Markup:
    with house_style():
        figure = Figure(figsize=(6.4, 2.4), layout="constrained")
        axes = figure.subplots()
        x = windows["window"]
        axes.fill_between(x, windows["lower"], windows["upper"], color=BLUE, alpha=0.18, lw=0)
        axes.plot(x, windows["estimate"], "o-", color=BLUE)
        ends = windows[["estimate", "lower", "upper"]].to_numpy().ravel()
        axes.set(
            xlabel="window of time",
            ylabel="Krippendorff's alpha",
            ylim=(figures.limits_of(ends)[0], 1.02),
            xticks=x,
        )
        figures.see_through(figure)
        return figures.inline_svg(figure, "over-time")


def _band_plots(table: pd.DataFrame, names: list[str], windows: pd.DataFrame) -> Markup | None:
    """Draw a small panel for each annotator, numbered as in the table."""
    if not names:
        return None
    n_rows = math.ceil(len(names) / _COLUMNS)
    with house_style():
        figure = Figure(figsize=(9.2, 1.5 * n_rows + 0.5), layout="constrained")
        grid = figure.subplots(n_rows, _COLUMNS, sharex=True, sharey=True, squeeze=False)
        for axes in grid.flat[len(names) :]:
            axes.axis("off")
        for n, (axes, name) in enumerate(zip(grid.flat, names, strict=False), 1):
            own = table[table["annotator"] == name]
            mean = float(np.average(own["observed_agreement"], weights=own["n_labels"]))
            axes.axhline(mean, color="#A9A698", lw=1, ls=":")
            axes.fill_between(
                own["window"], own["lower"], own["upper"], color=BLUE, alpha=0.18, lw=0
            )
            axes.plot(own["window"], own["observed_agreement"], "o-", color=BLUE, ms=3)
            axes.set_title(f"{n}", loc="left", fontsize=9)
            axes.set_ylim(0, 1.02)
            axes.set_xticks([1, len(windows)])
        figure.supylabel("observed agreement", fontsize=9)
        figures.see_through(figure)
        return figures.inline_svg(figure, "drift")


def groups_of(found: ByGroup | None, by: str) -> dict[str, Any] | None:
    """Lay out agreement by group."""
    if found is None:
        return None
    rows = records(found.table.head(MAX_GROUPS))
    ends = found.table[["estimate", "lower"]].to_numpy()
    return {
        "by": by,
        "of": found.of,
        "said": said_of_groups(found),
        "rows": rows,
        "total": len(found.table),
        "plot": figures.estimates("groups-plot", rows, figures.limits_of(ends)),
    }


def said_of_groups(found: ByGroup) -> str:
    """Summarise how much groups differ."""
    known = found.table.dropna(subset=["estimate"])
    left_out = ""
    if found.n_without:
        what = counted(found.n_without, found.of.removesuffix("s"))
        left_out = f" {what} without a group left out."
    if len(known) < 2:
        return f"Fewer than two groups have an alpha.{left_out}"
    low, high = (known.loc[getattr(known["estimate"], which)()] for which in ("idxmin", "idxmax"))
    said = (
        f"Alpha is {number(low['estimate'])} in {shorten(str(low['group']), 40)!r} and "
        f"{number(high['estimate'])} in {shorten(str(high['group']), 40)!r}"
    )
    if math.isnan(found.p_value):
        return f"{said}.{left_out}"
    verdict = (
        "differ significantly" if found.p_value < SIGNIFICANT else "do not differ significantly"
    )
    return f"{said}; the {len(known)} groups {verdict} ({said_p(found.p_value)}).{left_out}"


def boxes_of(found: pd.DataFrame | None) -> dict[str, Any] | None:
    """Lay out agreement on boxes, overall and by label."""
    if found is None:
        return None
    shown = found[found["breakdown"].isin(["overall", "label"])]
    rows = records(shown.assign(iou=shown["measure"].str.removeprefix("f1_iou_")))
    return {"rows": rows[:MAX_GROUPS], "total": len(rows), "said": said_of_boxes(found)}


def said_of_boxes(found: pd.DataFrame) -> str:
    """Summarise agreement on boxes."""
    overall = found[found["breakdown"] == "overall"]
    parts = [
        f"{row['estimate']:.3f} ({row['lower']:.3f} to {row['upper']:.3f}) if boxes match from an "
        f"intersection over union of {row['measure'].removeprefix('f1_iou_')}"
        for row in overall.to_dict("records")
    ]
    return f"F1 of boxes is {', '.join(parts)}."
