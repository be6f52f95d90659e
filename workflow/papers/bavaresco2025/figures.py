"""Figures of the human side of JUDGE-BENCH."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    legend_below,
    panels,
    rows_of_names,
)

TITLES = {
    "dices": "DICES",
    "inferential": "Inferential strategies",
    "newsroom": "NewsRoom",
    "recipes": "Recipes",
}


def words(name: str) -> str:
    """Return a property as the figures call it."""
    family, _, rest = name.partition("_")
    return TITLES[family] + ("" if family == "inferential" else f", {rest}".replace(", 3", " 3"))


def _called(name: str) -> str:
    if name.startswith("dices"):
        return words(name).replace(", ", "-").replace(" 3", "-3")
    return words(name)


def bounds(table: pd.DataFrame) -> Figure:
    """Draw the bound, and what it is without the rater's own answer and without agreement."""
    figure, (axes,) = panels(1, height=4.9, width=7.2)
    y = np.arange(len(table))
    axes.hlines(
        y, table["bound"] - table["sd"], table["bound"] + table["sd"], color=BLUE, linewidth=1.4
    )
    for column, colour, marker, label in (
        ("bound", BLUE, "o", "upper bound as released"),
        ("others", GREEN, "^", "against the other answers"),
        ("chance", VERMILION, "x", "as released, answers shuffled"),
    ):
        axes.plot(table[column], y, marker, color=colour, markersize=6, label=label)
    axes.plot(table["alpha"], y, "s", color=INK, mfc="white", markersize=5, label="alpha")
    rows_of_names(axes, [_called(name) for name in table["property"]])
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set(xlabel="Cohen's kappa, or Spearman's rho of graded properties", xlim=(-0.12, 1.05))
    legend_below(figure, axes, columns=2)
    return figure


def alphas(table: pd.DataFrame) -> Figure:
    """Draw alphas with intervals over items, and over raters where these are known."""
    figure, (axes,) = panels(1, height=4.4, width=7.2)
    y = np.arange(len(table))
    axes.hlines(y, table["lower"], table["upper"], color=BLUE, linewidth=2.2, label="items")
    axes.hlines(
        y + 0.28,
        table["raters_lower"],
        table["raters_upper"],
        color=VERMILION,
        linewidth=2.2,
        label="items and raters",
    )
    axes.plot(table["estimate"], y, "o", color=BLUE, markersize=5)
    rows_of_names(axes, [_called(name) for name in table["property"]])
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set(xlabel="Krippendorff's alpha and 95% interval, by what is resampled")
    legend_below(figure, axes)
    return figure


def raters(table: pd.DataFrame) -> Figure:
    """Draw how often each position calls an answer unsafe."""
    figure, (axes,) = panels(1, height=3.2, width=6.4)
    rank = np.arange(1, len(table) + 1)
    axes.plot(rank, table["unsafe"], color=VERMILION, marker="o", markersize=3, label="positions")
    axes.plot(
        rank, table["permuted"], color=GREY, marker="s", markersize=3, label="answers permuted"
    )
    axes.set(
        xlabel="positions in the lists of DICES-350, in order",
        ylabel="share of unsafe",
        ylim=(0, 1),
    )
    legend_below(figure, axes)
    return figure
