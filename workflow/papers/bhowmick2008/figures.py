"""The figures of Bhowmick et al. (2008) for any corpus, and those of its checks."""

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench import plotting

from .tables import independent_am
from .values import CATEGORIES, CATEGORY_PAIRS

SHORT = ("A", "D", "F", "H", "S", "Su")
NAMES = [name.capitalize() for name in CATEGORIES]


def annotators(counts: Mapping[str, np.ndarray]) -> Figure:
    """Draw Figure 1 for the headlines: items by category and annotator, ordered by their total."""
    figure, (axes,) = plotting.panels(1, width=7.4, height=3.4)
    shades = mpl.colormaps["Blues"](np.linspace(1, 0.2, len(counts)))
    width = 0.86 / len(counts)
    by_total = sorted(counts.items(), key=lambda named: -named[1].sum())
    for n, (name, items) in enumerate(by_total):
        place = np.arange(len(NAMES)) + (n - (len(counts) - 1) / 2) * width
        edge = {"edgecolor": plotting.INK, "linewidth": 0.4}
        axes.bar(place, items, width, color=shades[n], label=name, **edge)
    axes.set_xticks(range(len(NAMES)), NAMES)
    axes.set(ylabel="headlines")
    plotting.legend_below(figure, axes, columns=3)
    return figure


def confusions(counts: np.ndarray, simulated: np.ndarray | None = None) -> Figure:
    """Draw Figure 2: confusions of every pair of categories, simulated ones beside printed ones."""
    figure, (axes,) = plotting.panels(1, width=7.4, height=3.4)
    place = np.arange(len(CATEGORY_PAIRS))
    top = (-counts).argsort(kind="stable")[:3]
    colours = np.where(np.isin(place, top), plotting.VERMILION, plotting.BLUE)
    axes.bar(place, counts, width=0.7, color=colours)
    tops = counts if simulated is None else np.maximum(counts, simulated)
    for p, count in enumerate(counts):
        above = f"{count}", (p, tops[p]), (0, 3 if simulated is None else 6)
        axes.annotate(*above, textcoords="offset points", ha="center", fontsize=8)
    if simulated is not None:
        axes.plot(simulated, "D", ms=5, mfc="white", mec=plotting.INK, label="simulated corpus")
        axes.bar(0, 0, color=plotting.BLUE, label="printed (Table 5)")
        axes.legend(loc="upper right")
    axes.set_xticks(place, [f"{SHORT[a]}-{SHORT[b]}" for a, b in CATEGORY_PAIRS])
    axes.set(xlabel="pair of categories", ylabel="confusions", ylim=(0, 1.12 * counts.max()))
    return figure


def gold(counts: pd.Series) -> Figure:
    """Draw Figure 3 for the headlines: items of each category in the gold standard."""
    figure, (axes,) = plotting.panels(1, width=5.5, height=3.2)
    bars = axes.bar(NAMES, counts, width=0.6, color=plotting.BLUE)
    axes.bar_label(bars, padding=2, fontsize=8.5)
    axes.set(ylabel="headlines")
    axes.margins(y=0.1)
    return figure


def consistency(checks: pd.DataFrame) -> Figure:
    """Draw the ranges that other printed numbers allow, minus the printed agreement."""
    shown = checks[checks["upper"] <= 1].iloc[::-1].reset_index(drop=True)
    limits = (-0.05, 0.065)
    figure, (axes,) = plotting.panels(1, width=8.2, height=6.0)
    for allowed, colour, name in (
        (True, plotting.BLUE, "printed value allowed"),
        (False, plotting.VERMILION, "printed value not allowed"),
    ):
        rows = shown[shown["consistent"] == allowed]
        ends = rows[["lower", "upper"]].sub(rows["printed"], axis=0)
        drawn = ends.clip(*limits)
        axes.hlines(rows.index, drawn["lower"], drawn["upper"], color=colour, lw=7, label=name)
        # A range of rounding is hardly as wide as a line.
        narrow = ends[ends["upper"] - ends["lower"] < 0.005].mean(axis=1)
        axes.plot(narrow, narrow.index, "|", color=colour, markersize=11, markeredgewidth=2)
    axes.axvline(0, color=plotting.INK, linewidth=1)
    names = shown["value"] + " = " + shown["printed"].map("{:.3g}".format)
    axes.set_yticks(range(len(shown)), mathematical(names + ", by " + shown["checked_by"]))
    axes.set(xlabel="allowed range less the printed value", xlim=limits)
    axes.set_ylim(-0.7, len(shown) - 0.3)
    figure.legend(*axes.get_legend_handles_labels(), ncols=2, loc="outside upper center")
    return figure


def mathematical(names: pd.Series) -> pd.Series:
    """Set symbols such as A_m as symbols."""
    return names.str.replace(r"([AP]_[moe])", r"$\1$", regex=True)


def coefficients(table: pd.DataFrame) -> Figure:
    """Draw the coefficients of the headlines with their intervals."""
    figure, (axes,) = plotting.panels(1, width=6.4, height=3.8)
    plotting.intervals(axes, mathematical(table["coefficient"]), {"": table})
    axes.axvline(0, color=plotting.GREY, linewidth=0.8)
    axes.set(xlabel="estimate and 95% interval", xlim=(-0.05, None))
    return figure


def thresholds(table: pd.DataFrame, default: float) -> Figure:
    """Draw the coefficients, and how many categories a label has, against the threshold."""
    figure, (left, right) = plotting.panels(2, height=3.6)
    for axes, column, style, colour, name in (
        (left, "A_m (paper)", "-s", plotting.BLUE, "$A_m$ (paper)"),
        (left, "A_m, four combinations", "--o", plotting.VERMILION, "$A_m$, four combinations"),
        (left, "alpha, MASI", "-.^", plotting.GREEN, "alpha, MASI"),
        (left, "mean of the six kappas", ":D", plotting.INK, "mean of the six kappas"),
        (right, "categories_per_label", "-o", plotting.INK, "categories per label"),
        (right, "share_empty", "--s", plotting.BLUE, "share of empty labels"),
    ):
        look = {"color": colour, "markersize": 4.5, "label": name}
        axes.plot(table["threshold"], table[column], style, **look)
    for axes, title in ((left, "Agreement"), (right, "Size of the labels")):
        axes.axvline(default, ymax=0.66, color=plotting.GREY, linewidth=0.9, linestyle=":")
        axes.set(title=title, xlabel="threshold", ylim=(0, 1.5 * axes.get_ylim()[1]))
        axes.legend(loc="upper right")
    return figure


def chance() -> Figure:
    """Draw A_m of independent annotators against the prevalence of the categories."""
    table = independent_am(np.linspace(0.01, 0.99, 99)).set_index("prevalence")
    figure, (axes,) = plotting.panels(1, width=5.5, height=3.2)
    label = "four combinations on both sides"
    axes.plot(table["am_four"], "--", color=plotting.VERMILION, label=label)
    label = "as in the paper: [0 1] and [1 0] pooled in $P_e$"
    axes.plot(table["am"], color=plotting.BLUE, label=label)
    axes.set(xlabel="prevalence of every category", ylabel="$A_m$ of independent annotators")
    axes.set(ylim=(-0.27, 0.1), xlim=(0, 1))
    axes.legend(loc="upper center")
    return figure
