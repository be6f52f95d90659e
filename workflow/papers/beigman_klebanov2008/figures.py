"""The figures of Beigman Klebanov et al. (2008)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench import plotting
from annobench.noise.reliability_threshold import poisson_binomial_pmf
from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION

from .discourse import Discourse
from .printed import HALF, SUBSETS, Printed
from .simulation import Marks, shares

COLOURS = dict(zip(SUBSETS, (GREY, INK, VERMILION, BLUE), strict=True))
DOTTED = {"color": VERMILION, "linestyle": ":"}


def chance(rates: pd.DataFrame, printed: Printed) -> Figure:
    """Draw section 3: how often coins give at least k marks, by type."""
    figure, (left, right) = plotting.panels(height=3.7)
    colours = (INK, BLUE, GREEN, GREY)
    looks = zip(("o-", "s--", "D-.", "^:"), colours, strict=True)
    by_type = rates.groupby(["type", "marked_percent"], sort=False)
    for ((name, percent), part), (look, colour) in zip(by_type, looks, strict=True):
        style = {
            "color": colour,
            "markersize": 4,
            "label": f"{str(name).upper()} ({percent}% of marks)",
        }
        for axes, column in ((left, "chance"), (right, "expected_paragraphs")):
            axes.semilogy(part["marks_at_least"], part[column], look, **style)
    for axes in (left, right):
        axes.axvline(printed.design["threshold"] - 0.5, **DOTTED)
        axes.set(xlabel="marks on one paragraph, at least", xlim=(0.8, 6.2))
    left.set(ylim=(1e-8, 1), ylabel="chance", title="Nine coins")
    left.axhline(printed.design["chance_of_threshold"], color=GREY, linewidth=0.8)
    left.annotate(".0003", (6.15, 3.5e-4), ha="right", va="bottom", fontsize=8)
    right.set(ylim=(1e-4, 2e3), ylabel="paragraphs", title="Expected of 2,364 paragraphs")
    right.axhline(1, color=GREY, linewidth=0.8)
    plotting.legend_below(figure, right, columns=2)
    return figure


def acceptance(spread: pd.DataFrame, printed: Printed) -> Figure:
    """Draw Tables 2 to 4 with exact intervals."""
    titles = {
        "table2": "Table 2: accepted",
        "table3": "Table 3: accepted by others",
        "table4": "Table 4: rejected by themselves",
    }
    names = [*printed.types, "all"]
    cells = spread.set_index(["table", "subset", "type"])
    figure, panels = plotting.panels(3, height=3.9)
    for axes, (table, title) in zip(panels, titles.items(), strict=True):
        subsets = SUBSETS if table == "table2" else SUBSETS[2:]
        for k, subset in enumerate(subsets):
            part, colour = cells.loc[[(table, subset, name) for name in names]], COLOURS[subset]
            y = np.arange(len(names)) + 0.18 * (k - (len(subsets) - 1) / 2)
            for unit, width in (("paragraphs", 0.9), ("votes", 3)):
                ends = part[f"{unit}_lower"], part[f"{unit}_upper"]
                axes.hlines(y, *ends, color=colour, linewidth=width)
            marker = "osD^"[SUBSETS.index(subset)]
            style = {"markersize": 4, "markeredgecolor": "white", "markeredgewidth": 0.4}
            axes.plot(part["percent"], y, marker, color=colour, label=subset, **style)
        axes.axhline(len(names) - 1.5, color=GREY, linewidth=0.6)
        plotting.rows_of_names(axes, [name.upper() for name in printed.types] + ["all"])
        axes.set(title=title, xlim=(-2, 102), xlabel="percent")
    for axes in panels[1:]:
        axes.set_yticklabels([])
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def consistency(found: pd.DataFrame, ranges: pd.DataFrame) -> Figure:
    """Draw what is consistent with the printed numbers, against what is printed."""
    rows = ranges[ranges["quantity"].isin(["unreliable accept", "reliable accept"])]
    figure, (left, right) = plotting.panels(height=3.9)
    ends = rows["lower"], rows["upper"]
    left.hlines(range(len(rows)), *ends, color=BLUE, linewidth=6, alpha=0.4)
    left.plot(rows["printed"], range(len(rows)), "o", color=INK, markersize=4)
    cells = rows["type"].str.upper() + ", " + rows["quantity"].str.split().str[0]
    plotting.rows_of_names(left, list(cells))
    left.set(xlabel="percent accepted", title="Table 2 from Tables 1, 3 and 4")
    titles = {"weighted": "weighted by paragraphs", "plain": "average over types"}
    off = {title: found[column] - found["printed"] for column, title in titles.items()}
    plotting.dots(right, off)
    right.axvspan(-HALF, HALF, color=GREY, alpha=0.15, linewidth=0, label="printed")
    names = [f"T{row.table[-1]} {row.subset} ({row.printed:.0f})" for row in found.itertuples()]
    plotting.rows_of_names(right, names)
    right.set(xlim=(-1.2, 2.4), xlabel="points off the printed bottom line", title="Bottom lines")
    figure.legend(loc="outside lower right", ncols=3)
    return figure


def marks(made: Marks, ranges: pd.DataFrame, printed: Printed) -> Figure:
    """Draw simulated paragraphs by number of marks, what the tables leave, and coins."""
    n, threshold = printed.count("n_annotators"), printed.design["threshold"]
    k = np.arange(1, n + 1)
    reliable = k >= threshold
    figure, panels = plotting.panels(2, rows=2, height=6.2)
    plotting.mark(figure, "Simulated, calibrated to Tables 1 to 4")
    for axes, (name, one) in zip(panels, made.items(), strict=True):
        a = one.annotations
        number = np.bincount(a.item, weights=a.label).astype(int)
        count = np.bincount(number, minlength=n + 1)[1:]
        edge = {"edgecolor": INK, "linewidth": 0.6}
        axes.bar(k[~reliable], count[~reliable], color="#F0C4A8", label="unreliable", **edge)
        axes.bar(k[reliable], count[reliable], color="#A6C8DD", label="reliable", **edge)
        allowed = ranges[(ranges["type"] == name) & ranges["quantity"].str.startswith("paragraphs")]
        ends = allowed["lower"], allowed["upper"]
        axes.vlines(k, *ends, color=INK, linewidth=0.9, label="range that the tables leave")
        coins = printed.count("n_paragraphs") * poisson_binomial_pmf(shares(a))[1:]
        style = {"color": VERMILION, "markersize": 4, "linewidth": 0.8}
        axes.plot(k, coins, "x--", label="nine coins", **style)
        axes.axvline(threshold - 0.5, **DOTTED)
        axes.set(title=name.upper(), xlabel="marks", ylabel="paragraphs", xticks=k)
        axes.set_ylim(0, 1.08 * allowed["upper"].max())
    plotting.legend_below(figure, panels[0])
    return figure


def discourse(study: Discourse, curve: pd.DataFrame, by_cut: pd.DataFrame) -> Figure:
    """Draw study 1's ratings by study 2's marks, and how well each cut predicts them."""
    reliable = study.reliable()
    threshold = study.marks[reliable].min() if reliable.any() else np.inf
    figure, (left, right) = plotting.panels(height=3.8)
    jitter = np.random.default_rng(0).uniform(-0.28, 0.28, study.marks.size)
    colours = np.where(reliable, BLUE, GREY)
    left.scatter(study.marks + jitter, study.rating, s=5, linewidth=0, alpha=0.5, color=colours)
    ends = [curve["mean"] - curve["lower"], curve["upper"] - curve["mean"]]
    style = {"color": INK, "marker": "o", "markersize": 4, "linewidth": 1, "capsize": 2}
    left.errorbar(curve["marks"], curve["mean"], yerr=ends, **style)
    left.axvline(threshold - 0.5, **DOTTED)
    left.annotate("reliable", (10.4, 2.15), ha="right", fontsize=8.5, color=BLUE)
    left.set(xlabel='"metaphorical" of ten judgements (study 2)', xticks=range(11))
    left.set(ylabel="mean rating, 1 to 6 (study 1)", title="Do marks predict ratings?")
    only, line = by_cut.iloc[:-1], 100 * by_cut.iloc[-1][["explained", "lower", "upper"]]
    colours = np.where(only["cut"] == threshold, VERMILION, BLUE)
    right.vlines(only["cut"], 100 * only["lower"], 100 * only["upper"], color=colours)
    right.scatter(only["cut"], 100 * only["explained"], s=25, color=colours, zorder=3)
    right.axhspan(line["lower"], line["upper"], color=GREY, alpha=0.15, linewidth=0)
    right.axhline(line["explained"], color=GREY, linestyle="--")
    right.annotate("the number itself", (0.7, line["explained"] + 0.4), fontsize=8)
    right.set(xlabel="cut: marks, at least", ylabel="variance of ratings explained, %")
    right.set(xticks=only["cut"].astype(int), ylim=(0, None), title="Which cut tells most?")
    return figure
