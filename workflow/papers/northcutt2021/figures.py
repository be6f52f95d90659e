"""Draw errors by rule, votes for the given label, and candidates by reading."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    grouped_bars,
    legend_below,
    panels,
    rows_of_names,
)

from . import candidates as reading
from .values import RULES

LOOKS = (("o", BLUE, BLUE), ("s", VERMILION, "white"), ("^", GREEN, "white"))
#: From nobody to all who chose the given label.
SHADES = ("#B2182B", "#EF8A62", "#FDDBC7", "#D1E5F0", "#67A9CF", "#2166AC")


def rates(table: pd.DataFrame) -> Figure:
    """Draw the percentage of errors of each test set by rule."""
    names = list(dict.fromkeys(table["dataset"]))
    figure, (axes,) = panels(1, height=4.0, width=7.6)
    for n, (rule, (marker, colour, face)) in enumerate(zip(RULES, LOOKS, strict=True)):
        own = table[table["rule"] == rule].reset_index(drop=True)
        y = np.arange(len(names)) + 0.24 * (n - 1)
        shown = own["percent_of_test_set"].where(own["percent_of_test_set"] > 0)
        axes.hlines(y, own["lower"], own["upper"], color=colour, linewidth=1.3)
        axes.plot(shown, y, marker, color=colour, mfc=face, markersize=5.5, label=rule)
    axes.axhline(len(names) - 1.5, color=INK, linewidth=0.8)
    axes.set_xscale("log")
    ticks = (0.1, 0.3, 1, 3, 10)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("label errors, percent of the test set")
    rows_of_names(axes, names)
    legend_below(figure, axes, columns=3)
    return figure


def votes(table: pd.DataFrame, agreement: pd.DataFrame) -> Figure:
    """Draw how many of five workers chose the given label, and how well workers agree."""
    wide = table.pivot(index="dataset", columns="given_votes", values="share")
    names = list(dict.fromkeys(table["dataset"]))
    wide = wide.loc[names]
    figure, (bars, dots) = panels(2, height=4.0, width=4.6, width_ratios=(1.7, 1))
    left = np.zeros(len(names))
    for n, colour in zip(wide.columns, SHADES, strict=True):
        share = 100 * wide[n].to_numpy()
        bars.barh(range(len(names)), share, left=left, color=colour, height=0.72, label=f"{n}")
        left += share
    rows_of_names(bars, names)
    bars.set(xlim=(0, 100), xlabel="percent of candidates", title="Votes for the given label")
    own = agreement.set_index("dataset").loc[names]
    y = np.arange(len(names))
    dots.hlines(y, own["lower"], own["upper"], color=INK, linewidth=1.3)
    dots.plot(own["krippendorff_alpha"], y, "o", color=INK, markersize=5)
    dots.axvline(0, color=GREY, linestyle="--", linewidth=1)
    rows_of_names(dots, [""] * len(names))
    dots.set(xlabel="Krippendorff's alpha", title="Agreement of the votes")
    legend_below(figure, bars, columns=6)
    return figure


def candidates(table: pd.DataFrame) -> Figure:
    """Draw candidates by reading beside those that were checked."""
    own = table[table["precision"] == "as filed"]
    names = list(dict.fromkeys(own["dataset"]))
    figure, axes = panels(len(names), height=3.2, width=2.5)
    shown = (reading.CONFIDENT, reading.NOISE_RATE, reading.CLASS)
    for place, name in zip(axes, names, strict=True):
        rows = own[own["dataset"] == name].set_index("reading").loc[list(shown)]
        place.axhline(
            rows["checked"].iloc[0], color=INK, linestyle="--", label="checked by workers"
        )
        sets = {
            "found by confident learning": rows["found"],
            "found and checked": rows["found_and_checked"],
        }
        grouped_bars(place, ["off the\ndiagonal", "by noise\nrate", "by\nclass"], sets)
        place.tick_params(axis="x", labelsize=8)
        place.set_title(name)
    axes[0].set_ylabel("candidates")
    legend_below(figure, *axes)
    return figure
