"""Draw predictions of annotators left out, and how annotators differ."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION, panels

TITLES = {"armis": "ArMIS", "hs_brexit": "HS-Brexit"}
SCORES = {"cross_entropy": "cross-entropy, nats", "error_rate": "share of wrong labels"}


def held_out(table: pd.DataFrame) -> Figure:
    """Draw both scores of each prediction, a row of panels a set."""
    figure, axes = panels(2, rows=2, height=5.6, width=4.4)
    place = iter(axes)
    for name, title in TITLES.items():
        own = table[table["dataset"] == name]
        y = np.arange(len(own))
        for score, label in SCORES.items():
            panel = next(place)
            panel.hlines(y, own[f"{score}_lower"], own[f"{score}_upper"], color=GREY)
            panel.plot(own[score], y, "o", color=INK, markersize=4.5)
            first = score == "cross_entropy"
            panel.set_yticks(y, own["prediction"] if first else [], fontsize=8)
            panel.invert_yaxis()
            panel.set_title(title, fontsize=9.5)
            panel.set_xlabel(label)
    return figure


def annotators(table: pd.DataFrame) -> Figure:
    """Draw the share that each annotator marks, by how many of the others do."""
    figure, axes = panels(2, height=3.7)
    looks = [(BLUE, "o"), (BLUE, "s"), (BLUE, "^"), (VERMILION, "o"), (VERMILION, "s")]
    looks += [(VERMILION, "^"), (GREEN, "D")]
    for panel, (name, title) in zip(axes, TITLES.items(), strict=True):
        own = table[table["dataset"] == name]
        for (colour, marker), (annotator, line) in zip(
            looks, own.groupby("annotator"), strict=False
        ):
            panel.plot(
                line["others"], line["share"], color=colour, marker=marker, ms=4.5, label=annotator
            )
        panel.set(title=title, xlabel="others who mark the item", ylabel="share marked")
        panel.set_ylim(-0.03, 1.03)
        panel.legend(fontsize=7.5)
    return figure
