"""The figures of Su and Markert (2008)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from annobench import plotting
from annobench.datasets import LoadedData

from .values import LEVELS, SCHEMES, SCORES, wide


def figure1() -> Figure:
    """Draw Figure 1: the categories between subjectivity above and polarity below."""
    order = ["B", "S:V", "S:P", "S:N", "O:N", "O:P", "O:NoPol"]
    place = {name: float(x) for x, name in enumerate(order)}
    words = {
        "subjectivity": {"S": "subjective (S)", "O": "objective (O)", "B": "both (B)"},
        "polarity": {
            "N": "negative (N)",
            "P": "positive (P)",
            "V": "varying (V)",
            "NoPol": "no polarity\n(NoPol)",
            "B": "both (B)",
        },
    }
    # The children of P lie around those of N; at two heights no lines cross.
    height = {"S": 2.0, "O": 2.0, "N": 0.25, "P": -0.3, "V": 0.0, "NoPol": 0.0}
    box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": plotting.INK}
    figure, (axes,) = plotting.panels(1, height=3.6)
    figure.set_size_inches(7.4, 3.6)
    for level, line, colour, row in (
        ("subjectivity", "-", plotting.BLUE, 2.0),
        ("polarity", "--", plotting.VERMILION, 0.0),
    ):
        for parent in LEVELS.parents(level):
            children = [place[n] for n in order if LEVELS.levels[level][n] == parent]
            x, y = float(np.mean(children)), height.get(parent, row)
            for child in children:
                axes.plot([child, x], [1, y], line, color=colour, zorder=1)
            axes.text(x, y, words[level][parent], ha="center", va="center", bbox=box)
        axes.text(
            -0.75, row, f"{level}\nonly", ha="right", va="center", color=colour, fontweight="bold"
        )
    axes.text(-0.75, 1, "all seven", ha="right", va="center", fontweight="bold")
    shaded = box | {"facecolor": "#EAF2F8"}
    for name, x in place.items():
        axes.text(x, 1, name, ha="center", va="center", fontweight="bold", bbox=shaded)
    axes.set(xlim=(-1.6, 6.6), ylim=(-0.6, 2.35))
    axes.axis("off")
    return figure


def kappas(single: pd.DataFrame, coefficients: pd.DataFrame) -> Figure:
    """Draw Cohen's kappa of the schemes and of single categories, training and test."""
    figure, panels = plotting.panels(height=3.9)
    whole = coefficients[coefficients["coefficient"] == "cohen_kappa"]
    full = single[single["scheme"] == "full"]
    for axes, table, names, column, title in (
        (panels[0], whole, SCHEMES, "scheme", "Whole scheme and collapsed"),
        (panels[1], full, dict.fromkeys(LEVELS.categories), "category", "Single categories"),
    ):
        sets = {
            label: table[table["data"] == data].set_index(column).loc[list(names)]
            for data, label in (("test", "test, 496 items"), ("train", "training, 110 items"))
        }
        plotting.intervals(axes, [name or key for key, name in names.items()], sets)
        axes.set(title=title, xlabel="Cohen's kappa and 95% interval", xlim=(None, 1.02))
    panels[0].set_ylim(len(SCHEMES) - 0.5, -1.0)
    panels[0].legend(loc="upper right")
    return figure


def differences(table: pd.DataFrame) -> Figure:
    """Draw the differences of section 4 with their intervals."""
    names = {
        "test.{}_gain": "test − training",
        "subjectivity.{}_gain": "subjectivity − full",
        "polarity.{}_gain": "polarity − full",
        "polarity.{}_over_subjectivity": "polarity − subjectivity",
    }
    by_target = table.set_index("target")
    figure, panels = plotting.panels(height=2.9)
    for axes, name, title in (
        (panels[0], "observed_agreement", "Observed agreement"),
        (panels[1], "cohen_kappa", "Cohen's kappa"),
    ):
        rows = by_target.loc[[target.format(name) for target in names]]
        plotting.intervals(axes, list(names.values()), {"": rows})
        axes.axvline(0, color=plotting.INK, linewidth=0.8)
        for y, p in enumerate(rows["p_value"]):
            text = "p < .0001" if p < 1e-4 else f"p = {p:.2g}".replace("0.", ".")
            at_edge = {"ha": "right", "transform": axes.get_yaxis_transform()}
            axes.text(1.0, y - 0.22, text, va="center", fontsize=8, **at_edge)
        axes.set(title=title, xlabel="difference and 95% interval")
        axes.xaxis.set_major_locator(MultipleLocator(0.05))
    panels[1].set_yticklabels([])
    return figure


def reliability(table: pd.DataFrame) -> Figure:
    """Draw Table 5 with intervals."""
    figure, panels = plotting.panels(height=3.7)
    for axes, coefficient, title in (
        (panels[0], "correlation", "Correlation"),
        (panels[1], "alpha", "Alpha, absolute difference"),
    ):
        rows = table[table["coefficient"] == coefficient]
        sets = dict(list(rows.groupby("score", sort=False)))
        first = sets[SCORES[0]]
        names = "Group " + first["group"].str[-1] + "\nRaters " + first["raters"]
        plotting.intervals(axes, names, sets)
        axes.set(title=title, xlabel="percent and 95% interval", xlim=(45, 101))
    panels[0].legend(loc="lower left")
    panels[1].set_yticklabels([])
    return figure


def rater2(data: LoadedData) -> Figure:
    """Draw how often each pair of positivity scores was given to one synset."""
    table, ticks = wide(data), np.linspace(0, 1, 5)
    figure, panels = plotting.panels(height=4.8)
    for axes, other in ((panels[0], "2"), (panels[1], "3")):
        counts = table.groupby(["1", other]).size().rename("n").reset_index()
        axes.plot([0, 1], [0, 1], color=plotting.GREY, linestyle="--", linewidth=0.9, zorder=1)
        for sign, colour, name in (
            (1, plotting.VERMILION, f"Rater {other} higher"),
            (-1, plotting.BLUE, "Rater 1 higher"),
            (0, plotting.GREY, "equal"),
        ):
            rows = counts[np.sign(counts[other] - counts["1"]) == sign]
            look = {"s": 9 * rows["n"].clip(upper=60), "color": colour, "alpha": 0.75}
            label = f"{name}: {rows['n'].sum()}"
            axes.scatter(rows["1"], rows[other], lw=0, zorder=2, label=label, **look)
        axes.set(title=f"Rater {other} against Rater 1", aspect="equal", xticks=ticks, yticks=ticks)
        axes.set(xlabel="positivity by Rater 1", ylabel=f"positivity by Rater {other}")
        axes.set(xlim=(-0.1, 1.1), ylim=(-0.42, 1.1))
        # Below 0 there is no score, so the legend hides nothing there.
        legend = axes.legend(loc="lower center", handletextpad=0.1)
        for handle in legend.legend_handles:
            handle.set_sizes([40])
    return figure
