"""Figures in one house style: legible in grey, safe for colour-blind readers.

Every function draws into axes that it is given; `house_figure` makes the figure and
`save_figure` writes it as SVG and PNG. Meaning never depends on colour alone: markers, line styles
and position convey it, too.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch
from numpy.typing import ArrayLike

from annobench.core.files import replacing

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "PAGE_WIDTH",
    "STYLE",
    "accuracy_plane",
    "against",
    "certainty",
    "confusion_matrix",
    "dots",
    "estimates_against_truth",
    "graphical_model",
    "grouped_bars",
    "histogram",
    "house_figure",
    "house_style",
    "intervals",
    "legend_below",
    "logarithmic",
    "mark",
    "names_down",
    "note",
    "panels",
    "residuals",
    "rows_of_names",
    "save_figure",
    "shaded_table",
]

#: Okabe and Ito's palette, in order of falling contrast on white.
BLUE, VERMILION, GREEN, GREY, INK = "#0072B2", "#D55E00", "#009E73", "#7F7F7F", "#222222"

#: Inches: 1,000 pixels, the width of a page. Pages show a figure at its own size, so that its
#: text is as large as it says; no figure is wider.
PAGE_WIDTH = 10.4

STYLE: dict[str, Any] = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.labelsize": 9.5,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "savefig.dpi": 200,
    "svg.fonttype": "path",
    "svg.hashsalt": "annobench",
    "xtick.color": INK,
    "xtick.labelsize": 9,
    "ytick.color": INK,
    "ytick.labelsize": 9,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw and save in the house style within this context."""
    with mpl.rc_context(STYLE):  # type: ignore[arg-type, unused-ignore]
        yield


def panels(
    columns: int = 2,
    *,
    rows: int = 1,
    height: float = 3.6,
    width: float = 3.7,
    width_ratios: Sequence[float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """Make a figure of panels, within `house_style`.

    Parameters
    ----------
    columns : int, default 2
        Number of panels of a row.
    rows : int, default 1
        Number of rows.
    height : float, default 3.6
        Height of the figure in inches.
    width : float, default 3.7
        Mean width of a panel in inches; less if the panels would be wider than a page.
    width_ratios : sequence of float, optional
        Widths of the columns relative to each other; equal by default.

    Returns
    -------
    tuple of Figure and list of Axes
        To draw into, row by row.
    """
    # Built without pyplot: nothing global, and any thread may draw.
    figure = Figure(figsize=(min(width * columns, PAGE_WIDTH), height))
    FigureCanvasAgg(figure)
    return figure, list(np.ravel(figure.subplots(rows, columns, width_ratios=width_ratios)))


def legend_below(figure: Figure, *axes: Axes, columns: int = 4) -> None:
    """Put the legend of panels below all panels, where it hides nothing.

    Parameters
    ----------
    figure : Figure
        Made by `panels`.
    *axes : Axes
        Whose lines and bars the legend names, those of one name once.
    columns : int, default 4
        Of the legend, at most.
    """
    named: dict[str, Any] = {}
    for each in axes:
        for handle, name in zip(*each.get_legend_handles_labels(), strict=True):
            named.setdefault(name, handle)
    place: dict[str, Any] = {"loc": "outside lower center", "ncols": min(columns, len(named))}
    figure.legend(list(named.values()), list(named), **place)


def mark(figure: Figure, text: str) -> None:
    """Write a line in orange above the panels, or several where it is long.

    Parameters
    ----------
    figure : Figure
        Made by `panels`.
    text : str
        Such as that simulated data stand in for real ones.
    """
    size = 9.5
    # A bold letter is at most so wide, in parts of its size, on average.
    letters = int(72 * figure.get_figwidth() / (0.65 * size))
    lines = [line for part in text.splitlines() for line in textwrap.wrap(part, letters)]
    figure.suptitle("\n".join(lines), color=VERMILION, fontsize=size, fontweight="bold")


@contextmanager
def house_figure(columns: int = 2, *, height: float = 3.6) -> Iterator[tuple[Figure, list[Axes]]]:
    """Make a figure of one row of panels, and draw into it in the house style.

    Parameters
    ----------
    columns, height
        As in `panels`.

    Yields
    ------
    tuple of Figure and list of Axes
        Axes to draw on.
    """
    with house_style():
        yield panels(columns, height=height)


def save_figure(figure: Figure, stem: str | os.PathLike[str]) -> None:
    """Write a figure as ``<stem>.svg`` and ``<stem>.png``, atomically.

    Parameters
    ----------
    figure : Figure
        Made by `panels`; call this within `house_style`, too.
    stem : path
        Path without the ending; its folder exists.
    """
    for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
        with replacing(f"{os.fspath(stem)}.{kind}") as draft:
            figure.savefig(draft, format=kind, metadata=metadata)
        # The second file is of the same layout, which takes as long to find as to draw.
        figure.set_layout_engine("none")


def estimates_against_truth(
    axes: Axes,
    truth: ArrayLike,
    estimate: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    mean: float | None = None,
    limits: tuple[float, float] | None = None,
) -> None:
    """Plot estimates with intervals against known values.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    truth, estimate, lower, upper : array_like, shape (J,)
        Known value, point estimate and interval of each annotator; NaN truth is left out.
    mean : float, optional
        A horizontal line, the mean of the annotators' distribution.
    limits : tuple of float, optional
        Of both axes; by default what holds everything, at most [0, 1].
    """
    x, y, low, high = (np.asarray(v, dtype=np.float64) for v in (truth, estimate, lower, upper))
    seen = np.isfinite(x)
    if limits is None:
        smallest = float(min(x[seen].min(), low[seen].min()))
        limits = (max(-0.02, np.floor(smallest * 10 - 0.2) / 10), 1.02)
    axes.plot(limits, limits, color=GREY, linewidth=0.9, linestyle="--", zorder=1)
    if mean is not None:
        axes.axhline(mean, color=BLUE, linewidth=1.0, zorder=1)
    crowded = seen.sum() > 60
    axes.vlines(
        x[seen],
        low[seen],
        high[seen],
        color=GREY if crowded else INK,
        linewidth=0.6 if crowded else 0.9,
        zorder=2,
    )
    axes.scatter(
        x[seen],
        y[seen],
        s=14 if crowded else 22,
        facecolor="white",
        edgecolor=INK,
        linewidth=0.8,
        zorder=3,
    )
    axes.set(xlim=limits, ylim=limits, aspect="equal")


def histogram(
    axes: Axes,
    values: ArrayLike,
    *,
    bins: int | Sequence[float] = 30,
    marks: Sequence[tuple[float, str, str]] = (),
    log: bool = False,
) -> None:
    """Draw a histogram with named vertical lines.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    values : array_like
        What is counted.
    bins : int or sequence of float, default 30
        Number of bins, or their edges.
    marks : sequence of (float, str, str)
        Position, name and line style of each line; the legend is above the bars.
    log : bool, default False
        Logarithmic counts, where a few tall bars would hide the rest.
    """
    axes.hist(
        np.asarray(values).ravel(),
        bins=bins,
        color="#A6C8DD",
        edgecolor=INK,
        linewidth=0.5,
        log=log,
    )
    if marks:
        # Room above bars and lines, so that the legend hides nothing.
        filled = 0.88 - 0.08 * len(marks)
        low, high = axes.get_ylim()
        axes.set_ylim(low, low * (high / low) ** (1 / filled) if log else high / filled)
        for position, name, line in marks:
            style: dict[str, Any] = {"color": VERMILION, "linestyle": line, "linewidth": 1.6}
            axes.axvline(position, ymax=filled, label=name, **style)
        axes.legend(loc="upper left")


def residuals(axes: Axes, values: ArrayLike) -> None:
    """Draw residual category errors, gold category minus estimated probability.

    Parameters
    ----------
    axes : Axes
        To draw into; counts are logarithmic, since most residuals are next to 0.
    values : array_like, shape (I,)
        In [-1, 1].
    """
    edges = np.linspace(-1.025, 1.025, 42)  # bins centred on tenths and twentieths
    histogram(axes, values, bins=edges.tolist(), log=True)
    for threshold in (-0.5, 0.5):
        axes.axvline(threshold, color=VERMILION, linestyle=":", linewidth=1.2)
    axes.set(xlabel="gold category minus estimate", ylabel="items (log scale)", xlim=(-1.05, 1.05))


def accuracy_plane(
    axes: Axes,
    sensitivity: ArrayLike,
    specificity: ArrayLike,
    n_labels: ArrayLike | None = None,
    *,
    estimates: tuple[ArrayLike, ArrayLike] | None = None,
    means: tuple[float, float] | None = None,
    removed: ArrayLike | None = None,
    limits: tuple[float, float] = (-0.03, 1.03),
    area: float = 0.9,
) -> None:
    """Plot annotators by sensitivity and specificity, circles sized by their labels.

    What is drawn has names for a legend, two sizes of circles among them; the legend is the
    caller's.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    sensitivity, specificity : array_like, shape (J,)
        Rates against a gold standard; NaN is left out.
    n_labels : array_like, shape (J,), optional
        The circle's area grows with it; all are equal by default.
    estimates : tuple of array_like, optional
        Estimated sensitivity and specificity; a line runs to them from each circle.
    means : tuple of float, optional
        Means of sensitivity and of specificity, as lines.
    removed : array_like of bool, shape (J,), optional
        Annotators drawn with a cross in the circle.
    limits : tuple of float, default (-0.03, 1.03)
        Of both axes.
    area : float, default 0.9
        Of a circle by label, in square points.
    """
    x, y = (np.asarray(v, dtype=np.float64) for v in (sensitivity, specificity))
    n = np.full(x.shape, 30 / area) if n_labels is None else np.asarray(n_labels, dtype=np.float64)
    if 2 * limits[0] < 1:
        axes.plot(
            [0, 1], [1, 0], color=GREEN, linewidth=1.4, linestyle="-.", label="chance", zorder=1
        )
    if means is not None:
        axes.axvline(means[0], color=BLUE, linewidth=1, zorder=1)
        axes.axhline(means[1], color=BLUE, linewidth=1, zorder=1, label="estimated means")
    if estimates is not None:
        to_x, to_y = (np.asarray(v, dtype=np.float64) for v in estimates)
        axes.plot([x, to_x], [y, to_y], color=GREY, linewidth=0.6, zorder=2)
    ring: dict[str, Any] = {"facecolor": "none", "edgecolor": INK, "linewidth": 0.8}
    axes.scatter(x, y, s=area * n + 4, zorder=3, **ring)
    if n_labels is not None:
        for number in sorted({float(f"{number:.0e}") for number in (n.min(), n.max() / 2)} - {0.0}):
            axes.scatter([], [], s=area * number + 4, label=f"{number:,.0f} labels", **ring)
    if removed is not None:
        gone = np.asarray(removed, dtype=bool)
        axes.scatter(
            x[gone],
            y[gone],
            s=75,
            marker="x",
            color=VERMILION,
            linewidth=1.3,
            label="removed",
            zorder=4,
        )
    axes.set(xlim=limits, ylim=limits, aspect="equal", xlabel="sensitivity", ylabel="specificity")


def against(
    axes: Axes, x: ArrayLike, y: ArrayLike, lower: ArrayLike, upper: ArrayLike, *, label: str
) -> None:
    """Plot one estimate with its interval against another of the same quantity.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    x, y, lower, upper : array_like, shape (M,)
        The two estimates, and the interval of the second.
    label : str
        Name of the points in the legend.
    """
    x, y, low, high = (np.asarray(v, dtype=np.float64) for v in (x, y, lower, upper))
    ends = float(min(x.min(), low.min())) - 0.05, float(max(x.max(), high.max())) + 0.05
    axes.plot(ends, ends, color=GREY, linestyle="--", linewidth=0.9, zorder=1)
    axes.vlines(x, low, high, color=GREY, linewidth=0.8, zorder=2)
    axes.scatter(x, y, s=20, facecolor="white", edgecolor=INK, linewidth=0.9, zorder=3, label=label)
    axes.set(xlim=ends, ylim=ends, aspect="equal")


def certainty(axes: Axes, probability: ArrayLike) -> None:
    """Plot the share of items whose certainty is at least a given value.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    probability : array_like, shape (I,)
        Of each item's most probable category.
    """
    doubt = 1 - np.asarray(probability, dtype=np.float64)
    levels = np.geomspace(1e-4, 0.5, 400)
    shares = np.searchsorted(np.sort(doubt), levels, side="right") / max(doubt.size, 1)
    axes.plot(levels, shares, color=BLUE, linewidth=1.6)
    for level in (0.001, 0.01, 0.1):
        share = float((doubt <= level).mean())
        axes.plot([level], [share], "o", color=INK, markersize=4, zorder=3)
        axes.annotate(
            f"{share:.0%}",
            (level, share),
            # Below the point, unless the axis is there.
            xytext=(5, -11 if share > 0.1 else 5),
            textcoords="offset points",
            fontsize=8.5,
        )
    axes.set_xscale("log")
    axes.set_xticks([1e-4, 1e-3, 1e-2, 1e-1, 0.5], [".9999", ".999", ".99", ".9", ".5"])
    axes.minorticks_off()
    axes.set(
        ylim=(0, 1.03),
        xlabel="probability of the consensus, at least",
        ylabel="share of items",
        title="Certainty of the items",
    )


def annotators_by_size(axes: Axes, annotators: pd.DataFrame) -> None:
    """Plot annotators' accuracy against their number of labels."""
    done = annotators["n_labels"].to_numpy()
    if "accuracy" not in annotators:
        axes.hist(done, bins=30, color=GREY)
        axes.set(xlabel="labels of an annotator", ylabel="annotators", title="Annotators")
        return
    right = annotators["accuracy"].to_numpy()
    if "accuracy_lower95" in annotators:
        axes.vlines(
            done,
            annotators["accuracy_lower95"],
            annotators["accuracy_upper95"],
            color=GREY,
            linewidth=0.7,
            zorder=1,
        )
    axes.scatter(done, right, s=18, facecolor="white", edgecolor=INK, linewidth=0.8, zorder=2)
    if done.max(initial=1) > 20 * max(done.min(initial=1), 1):
        logarithmic(axes, "x", ticks=[m * 10**k for k in range(8) for m in (1, 3)])
    axes.set(
        ylim=(-0.03, 1.03),
        xlabel="labels of an annotator",
        ylabel="probability of being right",
        title="Annotators, estimated",
    )


def logarithmic(axes: Axes, axis: Literal["x", "y"], *, ticks: Sequence[float]) -> None:
    """Scale an axis by logarithms, with ticks that are written out.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    axis : {"x", "y"}
        Which axis.
    ticks : sequence of float
        Where to put a tick; one outside the limits is not shown.
    """
    axes.set(**{f"{axis}scale": "log"})
    scaled = axes.xaxis if axis == "x" else axes.yaxis
    scaled.set_major_locator(mpl.ticker.FixedLocator(list(ticks)))
    scaled.set_major_formatter(
        mpl.ticker.FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")
    )
    scaled.set_minor_locator(mpl.ticker.NullLocator())


def graphical_model(
    axes: Axes,
    nodes: Mapping[str, tuple[float, float, str, str]],
    edges: Sequence[tuple[str, str]],
    plates: Sequence[tuple[float, float, float, float, str]],
    *,
    seen: Sequence[str] = (),
) -> None:
    """Draw a graphical model in plate notation.

    Parameters
    ----------
    axes : Axes
        To draw into; a node has a radius of 0.3 of its units.
    nodes : mapping of str to (float, float, str, str)
        By name: place of the centre, symbol inside, and words above it, which may be empty.
    edges : sequence of (str, str)
        Names of the nodes that an arrow goes from and to.
    plates : sequence of (float, float, float, float, str)
        Left, bottom, width, height and label of what is repeated.
    seen : sequence of str
        Nodes that are observed, which are grey.
    """
    for x, y, width, height, label in plates:
        style = "round,rounding_size=0.12,pad=0"
        axes.add_patch(
            FancyBboxPatch((x, y), width, height, boxstyle=style, fill=False, edgecolor=GREY)
        )
        axes.text(x + width - 0.08, y + 0.07, label, ha="right", va="bottom", fontsize=8.5)
    arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": INK}
    for names in edges:
        start, end = (np.array(nodes[name][:2]) for name in names)
        along = 0.3 * (end - start) / np.linalg.norm(end - start)
        axes.annotate("", xy=end - along, xytext=start + along, arrowprops=arrow)
    for name, (x, y, symbol, words) in nodes.items():
        face = "#D9D9D9" if name in seen else "white"
        axes.add_patch(Circle((x, y), 0.3, facecolor=face, edgecolor=INK, zorder=3))
        axes.text(x, y, symbol, ha="center", va="center", fontsize=11, zorder=4)
        axes.text(x, y + 0.36, words, ha="center", va="bottom", fontsize=9)
    corners = [
        (x + dx * w, y + dy * h) for x, y, w, h, _ in plates for dx in (0, 1) for dy in (0, 1)
    ]
    corners += [
        (x + dx, y + dy)
        for x, y, _, words in nodes.values()
        for dx in ((-1.1, 1.1) if words else (-0.6, 0.6))
        for dy in (-0.35, 0.7)
    ]
    low, high = np.min(corners, axis=0) - 0.05, np.max(corners, axis=0) + 0.05
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.axis("off")


def note(
    axes: Axes,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float] = (0, 0),
    **style: Any,
) -> None:
    """Write a note beside a point of a plot.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    text : str
        The note.
    at : tuple of float
        The point.
    offset : tuple of float, default (0, 0)
        From the point to the text, in points.
    **style
        Passed on to `matplotlib.axes.Axes.annotate`.
    """
    axes.annotate(text, at, offset, textcoords="offset points", **style)


def names_down(axes: Axes, names: Sequence[str], *, top: float = 0.5, **font: Any) -> None:
    """Name the lines of a plot, from 0 at the top downwards.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    names : sequence of str
        What the lines are called; "" where another panel says it.
    top : float, default 0.5
        Room above the first line.
    **font
        Of the names, such as `fontsize`.
    """
    axes.set_yticks(range(len(names)), names, **font)
    axes.set_ylim(len(names) - 0.5, -top)


def rows_of_names(axes: Axes, names: Sequence[str], *, top: float = 0.5, **font: Any) -> None:
    """Name the lines as `names_down` does, with a grid across them in place of ticks.

    Parameters
    ----------
    axes, names, top, **font
        As of `names_down`.
    """
    names_down(axes, names, top=top, **font)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#E5E5E5", linewidth=0.7)
    axes.set_axisbelow(True)


def shaded_table(
    axes: Axes,
    shades: pd.DataFrame,
    texts: pd.DataFrame,
    *,
    limits: tuple[float, float],
    bold: ArrayLike = False,
    colours: str = "Blues",
) -> None:
    """Draw a table of texts in shaded cells.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    shades : DataFrame, shape (M, N)
        What the shades show, NaN for none; its index and columns name rows and columns.
    texts : DataFrame, shape (M, N)
        Of the cells; NaN for none.
    limits : tuple of float
        Values of the lightest and of the darkest shade.
    bold : array_like of bool, default False
        Which texts are bold; of a shape that broadcasts to (M, N).
    colours : str, default "Blues"
        A colour map of matplotlib, from light to dark.
    """
    (low, high), values = limits, shades.to_numpy(dtype=np.float64)
    axes.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="auto")
    heavy = np.broadcast_to(np.asarray(bold), values.shape)
    for i, j in np.argwhere(texts.notna().to_numpy()):
        style: dict[str, Any] = {"fontweight": "bold" if heavy[i, j] else "normal", "size": 8.5}
        style["color"] = "white" if values[i, j] > low + 0.64 * (high - low) else INK
        axes.text(j, i, f"{texts.iloc[i, j]}", ha="center", va="center", **style)
    axes.set_xticks(range(shades.shape[1]), shades.columns)
    axes.set_yticks(range(shades.shape[0]), shades.index)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


#: Marker, colour and filling of sets of intervals drawn side by side.
_SETS = (("o", BLUE, True), ("s", VERMILION, False), ("D", GREEN, False), ("^", INK, True))


def intervals(axes: Axes, names: Sequence[str], sets: Mapping[str, pd.DataFrame]) -> None:
    """Draw estimates with their intervals, one line per name, at most four sets side by side.

    Parameters
    ----------
    axes : Axes
        To draw into; the first name is at the top.
    names : sequence of str
        What the lines are called.
    sets : mapping of str to DataFrame
        By what the legend calls them: `estimate` and, with intervals, `lower` and `upper`, a
        row a name.
    """
    for s, ((label, table), (marker, colour, full)) in enumerate(
        zip(sets.items(), _SETS, strict=False)
    ):
        y = np.arange(len(names)) + 0.26 * (s - (len(sets) - 1) / 2)
        if "lower" in table:
            axes.hlines(y, table["lower"], table["upper"], color=colour, linewidth=1.3)
        face = colour if full else "white"
        axes.plot(table["estimate"], y, marker, color=colour, markersize=5, mfc=face, label=label)
    rows_of_names(axes, names)


def dots(axes: Axes, sets: Mapping[str, ArrayLike]) -> None:
    """Mark values in rows, at most four sets of them.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    sets : mapping of str to array_like, shape (N,)
        By what the legend calls them: the value of row n, which is drawn at the height n.
    """
    for (label, values), (marker, colour, full) in zip(sets.items(), _SETS, strict=False):
        face = colour if full else "none"
        y = range(np.size(values))
        axes.plot(values, y, marker, color=colour, markersize=5, mfc=face, label=label)


#: Colour and hatching of bars drawn side by side.
_BARS = (
    (BLUE, ""),
    (VERMILION, "///"),
    (GREEN, "..."),
    ("#E69F00", "\\\\\\"),
    ("#56B4E9", "xxx"),
    ("#CC79A7", "++"),
)


def grouped_bars(axes: Axes, names: Sequence[str], sets: Mapping[str, ArrayLike]) -> None:
    """Draw bars in groups, at most six bars side by side.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    names : sequence of str, length N
        What the groups are called, from left to right.
    sets : mapping of str to array_like, shape (N,)
        Heights by what the legend calls them.
    """
    width = 0.8 / len(sets)
    for s, (label, heights) in enumerate(sets.items()):
        colour, hatch = _BARS[s]
        axes.bar(
            np.arange(len(names)) + (s - (len(sets) - 1) / 2) * width,
            heights,
            width,
            label=label,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.5,
        )
    axes.set_xticks(range(len(names)), names)


def confusion_matrix(axes: Axes, counts: pd.DataFrame) -> None:
    """Draw a confusion matrix as papers print it: counts with totals, shaded by share of the row.

    Parameters
    ----------
    axes : Axes
        Axes to draw on.
    counts : DataFrame, shape (K, K)
        Items by the categories that two annotators chose; its index and columns are the
        categories, and their names, if they have any, the annotators.
    """
    cells, n = counts.to_numpy(), len(counts)
    share = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1)
    axes.imshow(share, cmap="Blues", vmin=0, vmax=1.15)
    totals = np.block([[cells, cells.sum(axis=1)[:, None]], [cells.sum(axis=0), cells.sum()]])
    for (i, j), count in np.ndenumerate(totals):
        colour = INK
        if i < n and j < n:
            colour = "white" if share[i, j] > 0.6 else INK if count else "#BBBBBB"
        weight = "bold" if i == j < n else "normal"
        axes.text(
            j, i, f"{count}", ha="center", va="center", size=8.5, color=colour, fontweight=weight
        )
    axes.set(xticks=range(n + 1), yticks=range(n + 1), xlim=(-0.5, n + 0.5), ylim=(n + 0.5, -0.5))
    axes.set_xticklabels([*counts.columns, "total"], rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticklabels([*counts.index, "total"])
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set(xlabel=counts.columns.name or "", ylabel=counts.index.name or "")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.plot([n - 0.5, n - 0.5], [-0.5, n + 0.5], color=INK, linewidth=0.8)
    axes.plot([-0.5, n + 0.5], [n - 0.5, n - 0.5], color=INK, linewidth=0.8)
