"""Figures inside a page: matplotlib's SVG, and its parts in the rows of tables."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from annobench import plotting
from annobench.core.texts import counted
from annobench.core.tolerances import WHOLE
from annobench.plotting import BLUE, VERMILION, house_figure
from annobench.reporting.formats import number, percent

__all__ = [
    "SHADES",
    "RowFigure",
    "changes",
    "distribution",
    "estimates",
    "heat_map",
    "inline_svg",
    "shade",
    "ticks",
]

#: From hardly tinted paper to deep blue: perceived lightness falls evenly.
SHADES: Final = mpl.colors.LinearSegmentedColormap.from_list("shades", ["#F3EFE6", "#174269"])
#: Widths and height of a table's cell that shows a row of a figure, in pixels.
WIDTH, NARROW, HEIGHT = 340, 180, 30

#: Pixels beside an axis in a cell, for half of the number at its end.
MARGIN = 16

#: Cells of a heat map hold their number up to this many rows.
MAX_WRITTEN: Final = 14

Limits = tuple[float, float]


def inline_svg(figure: Figure, name: str) -> Markup:
    """Return a figure as SVG to embed in a page, without external references.

    Parameters
    ----------
    figure : Figure
        Its text comes from this project.
    name : str
        Unique in the page: the id of the drawing, and part of the ids within.

    Returns
    -------
    Markup
        SVG with selectable text, without metadata, and with ids unique to the figure.
    """
    text = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "svg.id": name}):
        figure.savefig(text, format="svg", metadata=nothing)
    drawing = text.getvalue()
    drawing = re.sub(
        r"<!--.*?-->|<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>",
        "",
        drawing[drawing.index("<svg") :],
        flags=re.DOTALL,
    )
    drawing = re.sub(r' xmlns(:\w+)?="[^"]*"| id="[\w.]+_\d+"', "", drawing)
    return Markup(drawing.replace("xlink:href", "href"))  # noqa: S704  (drawn here)


@dataclass(frozen=True)
class RowFigure:
    """A figure shown row by row in the cells of a table.

    Attributes
    ----------
    name : str
        Id of the drawing.
    svg : Markup
        The drawing: row 0 is the axis, followed by the table's rows.
    n_rows : int
        Number of rows of the table.
    width, height : int
        Size of a cell in pixels.
    """

    name: str
    svg: Markup
    n_rows: int
    width: int = WIDTH
    height: int = HEIGHT


def estimates(name: str, rows: Sequence[Mapping[str, Any]], limits: Limits) -> RowFigure:
    """Draw a forest plot: an estimate in each row, with its interval if there is one.

    Parameters
    ----------
    name : str
        Id of the drawing, unique in the page.
    rows : sequence of mapping
        With estimate, lower and upper; NaN is not drawn.
    limits : tuple of float
        Limits of the axis; values beyond are drawn at its end.

    Returns
    -------
    RowFigure
        With an axis.
    """
    x = np.array([[row[end] for end in ("estimate", "lower", "upper")] for row in rows], float)
    estimate, lower, upper = np.clip(x.reshape(-1, 3).T, *limits)
    y = np.arange(1, len(rows) + 1)
    with _rows(len(rows), limits) as (figure, axes):
        for tick in ticks(limits):
            axes.vlines(
                tick,
                0.5,
                len(rows) + 0.5,
                color="#E6E2D8" if tick else "#A9A698",
                linewidth=1,
                clip_on=False,
            )
            text = number(tick, 2).rstrip("0").rstrip(".") or "0"
            axes.text(tick, 0.1, text, ha="center", fontsize=11, color="#5A646B")
        axes.hlines(y, lower, upper, color=BLUE, linewidth=2.2, clip_on=False)
        axes.plot(
            estimate, y, "o", color=BLUE, markersize=8, markeredgecolor="#FDFCF9", clip_on=False
        )
        return RowFigure(name, inline_svg(figure, name), len(rows))


def changes(name: str, values: ArrayLike) -> RowFigure:
    """Draw a bar for the change in each row, to the right if it is positive.

    Parameters
    ----------
    name : str
        Id of the drawing, unique in the page.
    values : array_like, shape (M,)
        NaN is not drawn.

    Returns
    -------
    RowFigure
        Without ticks.
    """
    x = np.nan_to_num(np.asarray(values, dtype=np.float64))
    largest = max(float(np.abs(x).max(initial=0)), 1e-12)
    with _rows(x.size, (-largest, largest), width=NARROW) as (figure, axes):
        axes.barh(
            np.arange(1, x.size + 1),
            x,
            height=1 / 3,
            clip_on=False,
            color=np.where(x > 0, VERMILION, BLUE).tolist(),
        )
        axes.vlines(0, 0.5, x.size + 0.5, color="#A9A698", linewidth=1, clip_on=False)
        return RowFigure(name, inline_svg(figure, name), x.size, width=NARROW)


def distribution(name: str, values: ArrayLike, limits: Limits, *, of: str, over: str) -> Markup:
    """Draw a histogram of 20 bars.

    Parameters
    ----------
    name : str
        Id of the drawing, unique in the page.
    values : array_like
        The values; NaN is ignored.
    limits : tuple of float
        Limits of the axis; values beyond are counted in the end bins.
    of, over : str
        Labels of the vertical and the horizontal axis.

    Returns
    -------
    Markup
        SVG.
    """
    x = np.asarray(values, dtype=np.float64)
    with house_figure(1, height=2.0) as (figure, (axes,)):
        figure.set_size_inches(5.2, 2.0)
        edges = np.linspace(*limits, 21).tolist()
        plotting.histogram(axes, np.clip(x[np.isfinite(x)], *limits), bins=edges)
        axes.set(xlim=limits, xlabel=over, ylabel=of)
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        see_through(figure)
        return inline_svg(figure, name)


def limits_of(values: ArrayLike) -> Limits:
    """Choose the limits of an axis for coefficients."""
    x = np.asarray(values, dtype=np.float64)
    lowest = max(-1.0, float(x[np.isfinite(x)].min(initial=0)))
    return math.floor(lowest * 5 + WHOLE) / 5, 1.0


def limits_of_any(values: ArrayLike, *, zero: bool = False) -> Limits:
    """Choose round limits of an axis; with `zero`, it includes 0."""
    x = np.asarray(values, dtype=np.float64)
    x = x[np.isfinite(x)]
    if zero or not x.size:
        x = np.append(x, 0.0)
    low, high = float(x.min()), float(x.max())
    if low == high:
        return low - 1.0, high + 1.0
    found = MaxNLocator(7, steps=[1, 2, 5, 10]).tick_values(low, high)
    return float(found[0]), float(found[-1])


def limits_of_agreement(values: ArrayLike, scale: str) -> Limits:
    """Choose the limits of an axis for observed agreement."""
    x = np.asarray(values, dtype=np.float64)
    x = x[np.isfinite(x)]
    if scale != "interval" or not x.size:
        return 0.0, 1.0
    return min(0.8, max(0.0, math.floor(float(x.min()) * 5 + WHOLE) / 5)), 1.0


def ticks(limits: Limits) -> list[float]:
    """Choose about six round values between the limits of an axis.

    Parameters
    ----------
    limits : tuple of float
        The ends.

    Returns
    -------
    list of float
        Rising.
    """
    low, high = limits
    values = np.round(MaxNLocator(7, steps=[1, 2, 5, 10]).tick_values(low, high), 6) + 0.0
    return [float(x) for x in values if low <= x <= high]


def shade(share: float) -> str:
    """Return the colour of a cell of a heat map.

    Parameters
    ----------
    share : float
        In [0, 1].

    Returns
    -------
    str
        Such as "#f3efe6".
    """
    return mpl.colors.to_hex(SHADES(share))


def heat_map(
    title: str,
    values: NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    items: NDArray[np.float64] | None,
    low: float | None,
    *,
    as_percent: bool = False,
    of: str = "item",
) -> dict[str, Any]:
    """Lay out a heat map; small ones have numbers in their cells.

    Parameters
    ----------
    title : str
        Above it.
    values : ndarray, shape (R, C)
        At most 1; NaN leaves a cell empty.
    rows, columns : sequence of str
        Names, R and C.
    items : ndarray, shape (R, C), or None
        What each value is computed from.
    low : float or None
        Value of the lightest colour; by default below the smallest value.
    as_percent : bool, default False
        Whether values are written as percentages.
    of : str, default "item"
        Noun for the items counted.

    Returns
    -------
    dict
        Arguments of the macro `heat`.
    """
    # Two of the largest fit side by side.
    size = 34 if len(rows) <= MAX_WRITTEN else 18 if len(rows) <= 20 else 12
    seen = values[np.isfinite(values)]
    if low is None:
        low = math.floor(float(seen.min()) * 10) / 10 if seen.size else 0.0
        low = min(max(low, -1.0), 0.9)

    def cell(i: int, j: int) -> dict[str, Any] | None:
        if not math.isfinite(values[i, j]):
            return None
        share = (min(max(values[i, j], low), 1.0) - low) / (1.0 - low)
        text = percent(values[i, j]) if as_percent else number(values[i, j], 2)
        on = "" if items is None else f", {counted(int(items[i, j]), of)}"
        return {
            "fill": shade(share),
            "dark": share > 0.5,
            "text": text.replace("0.", ".").removesuffix("%") if size > 20 else "",
            "title": f"{rows[i]} × {columns[j]}: {text}{on}",
        }

    return {
        "title": title,
        "columns": columns,
        "rows": [
            {"name": name, "cells": [cell(i, j) for j in range(len(columns))]}
            for i, name in enumerate(rows)
        ],
        "size": size,
        "low": percent(low) if as_percent else number(low, 1),
        "high": percent(1.0) if as_percent else number(1.0, 1),
        "shades": [shade(n / 10) for n in range(11)],
    }


@contextmanager
def _rows(n: int, limits: Limits, width: int = WIDTH) -> Iterator[tuple[Figure, Axes]]:
    """Make frameless axes of n rows below the axis, each `HEIGHT` pixels high."""
    with house_figure(1) as (figure, (axes,)):
        figure.set_layout_engine("none")
        # The SVG has 72 units an inch, whatever the resolution.
        figure.set_size_inches(width / 72, HEIGHT * (n + 1) / 72)
        axes.set_position((MARGIN / width, 0, 1 - 2 * MARGIN / width, 1))
        axes.set(xlim=limits, ylim=(n + 0.5, -0.5))
        axes.axis("off")
        see_through(figure)
        yield figure, axes


def see_through(figure: Figure) -> None:
    """Make the figure's background transparent."""
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
