"""The figures of Rumshisky and Batiukova (2008)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION, panels

from .printed import Printed


def in_percent(*axes: Axes) -> None:
    """Write the ticks of horizontal axes in percent."""
    for each in axes:
        each.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))


def not_applicable(limits: pd.DataFrame, found: pd.DataFrame) -> Figure:
    """Draw section 3.2: bounds, and scenarios."""
    figure, (left, right) = panels(height=3.7)
    ends = limits["lower"], limits["upper"]
    left.fill_between(limits["retained"], *ends, color="#A6C8DD", label="possible agreement on all")
    dashed = {"color": VERMILION, "linestyle": "--"}
    left.axhline(0.95, label="printed: 95% of the retained", **dashed)
    left.set(xlabel="share of sentences retained", ylabel="agreement", xlim=(0.5, 1))
    left.set(ylim=(0.4, 1.02), title="N/A as a label: bounds")
    left.legend(loc="lower right")
    for thrown_out, marker, line in ((0.0, "s", ":"), (0.5, "o", "-"), (1.0, "^", "--")):
        part = found[found["thrown_out"] == thrown_out]
        look = {"marker": marker, "linestyle": line, "markersize": 4, "color": BLUE}
        label = f"on all, {thrown_out:.0%} thrown out"
        right.plot(part["unclear"], part["na_is_a_label"], label=label, **look)
    # The three scenarios are calibrated to one line.
    right.plot(part["unclear"], part["as_printed"], label="of the retained (calibrated)", **dashed)
    right.set(
        xlabel="share of unclear sentences", ylim=(0.7, 1.0), title="Simulated: N/A as a label"
    )
    right.legend(loc="lower left")
    in_percent(left, right)
    for axes in (left, right):
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    return figure


def chance(found: pd.DataFrame, verbs: pd.DataFrame) -> Figure:
    """Draw 95% agreement corrected for chance, and the simulated verbs."""
    figure, (left, right) = panels(height=4.0)
    looks = zip(
        found.groupby("senses"), ("-", "--", "-.", ":"), (INK, BLUE, GREEN, GREY), strict=True
    )
    for (n, part), line, colour in looks:
        look = {"linestyle": line, "color": colour, "label": f"{n} senses"}
        left.plot(part["first_share"], part["kappa"], **look)
    left.set(xlabel="share of the most frequent sense", ylabel="kappa", ylim=(0.4, 1))
    left.set_title("Kappa at 95% agreement")
    in_percent(left)
    left.legend(loc="lower left")
    shown = verbs.sort_values("agreement", ignore_index=True)
    right.hlines(shown.index, shown["lower"], shown["upper"], color=GREY)
    for name, marker, colour, size, label in (
        ("agreement", "o", BLUE, 4, "agreement (paper's rule)"),
        ("kappa", "x", VERMILION, 5, "Cohen's kappa"),
    ):
        right.plot(shown[name], shown.index, marker, color=colour, markersize=size, label=label)
    right.set_yticks(shown.index, shown["verb"], fontsize=7.5)
    right.set(title="Simulated verbs", xlim=(None, 1.01), xlabel="agreement or kappa")
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower right", ncols=2)
    return figure


def relations(printed: Printed, examples: pd.DataFrame, found: pd.DataFrame) -> Figure:
    """Draw printed disagreements and simulated agreement by type of relation."""
    types = list(found["relation"])
    unequal = examples[examples["in_agreement"] == "unequal"]["relation"]
    shown = [sum(one in names.split(", ") for names in unequal) for one in types[:-1]]
    shown.append(int((unequal == "").sum()))
    y = -np.arange(len(types))
    figure, (left, right) = panels(height=3.6)
    left.barh(y, shown, color="#A6C8DD", edgecolor=INK, linewidth=0.6)
    left.set_yticks(y, types)
    left.set(xlabel="printed examples with two senses", title="Disagreements shown")
    left.set_xticks(range(max(shown) + 1))
    right.hlines(y, found["lower"], found["upper"], color=INK)
    right.plot(found["agreement"], y, "o", color=BLUE, markersize=5)
    right.axvline(printed.agreement, color=VERMILION, linestyle="--")
    right.set_yticks(y, [""] * len(types))
    in_percent(right)
    right.set(xlabel="equal labels within related pairs", title="Simulated agreement")
    for axes in (left, right):
        axes.set_ylim(y[-1] - 0.6, 0.6)
    return figure


def coarser(found: pd.DataFrame) -> Figure:
    """Draw what merging gains and loses, against random merges."""
    shown = found[found["verbs_compared"] > 0].reset_index(drop=True)
    y = -np.arange(len(shown))
    figure, each = panels(3, height=3.6)
    titles = ("Agreement (paper's rule)", "Cohen's kappa", "Bits per label")
    for axes, name, title in zip(each, ("agreement", "kappa", "bits"), titles, strict=True):
        axes.hlines(y, shown[f"{name}_before"], shown[name], color=GREY)
        for column, marker, colour, size, label in (
            (f"{name}_before", "|", INK, 9, "all senses"),
            (name, "o", BLUE, 5, "merged"),
            (f"{name}_random", "x", VERMILION, 5, "merged at random"),
        ):
            axes.plot(shown[column], y, marker, color=colour, markersize=size, label=label)
        axes.set_yticks(y, [""] * len(shown))
        axes.set(title=f"{title}, simulated", ylim=(y[-1] - 0.5, 0.5))
    each[0].set_yticklabels([f"{r.level} ({r.verbs_compared})" for r in shown.itertuples()])
    figure.legend(*each[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
