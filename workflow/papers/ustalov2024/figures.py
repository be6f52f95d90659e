"""The figures of the study of crowd-kit's table."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    legend_below,
    logarithmic,
    panels,
)

TITLES = {"product": "D_Product", "senti_1k": "D_PosSent", "rel": "S_Rel", "adult": "S_Adult"}
NAMES = {
    "mv": "MV",
    "wawa": "Wawa",
    "ds": "DS",
    "glad": "GLAD",
    "kos": "KOS",
    "mace": "MACE",
    "mmsr": "M-MSR",
}
#: The sets of labels as the measurements of the released code name them.
MEASURED = {"product": "product", "sentiment": "senti_1k", "relevance": "rel", "adult": "adult"}
#: MACE as it was released, by the names of annotators; and ours, by how and how long it was fitted.
RELEASED_MACE = {
    "released, original names": "names n_restarts=1",
    "released, numbers for names, permuted": "annotators n_restarts=1",
    "released, names in order": "in_order seed n_restarts=1",
}
OWN_MACE = {
    "ours, 50 steps": ("variational", "release"),
    "ours, converged": ("variational", "converged"),
    "ours, EM": ("em", "converged"),
}
#: What should not matter, and the seed.
VARIED = ("rows", "annotators", "items", "categories", "seed")


def accuracy(table: pd.DataFrame) -> Figure:
    """Draw the accuracy of every method with its interval, by data set."""
    figure, axes = panels(2, rows=2, height=5.4)
    for place, (name, title) in enumerate(TITLES.items()):
        own = table[table["dataset"] == name]
        for repeats, face, shift in (("all", "white", 0.0), ("first", INK, 0.25)):
            rows = own[own["repeats"] == repeats].set_index("method").reindex(list(NAMES))
            y = np.arange(len(rows)) + shift
            axes[place].hlines(y, rows["lower"], rows["upper"], color=GREY, linewidth=1.2)
            axes[place].scatter(
                rows["first"], y, s=22, facecolor=face, edgecolor=INK, linewidth=0.8, zorder=3
            )
        axes[place].set(title=title, xlabel="accuracy")
        axes[place].set_yticks(np.arange(len(NAMES)), list(NAMES.values()))
        axes[place].invert_yaxis()
    return figure


def steps(table: pd.DataFrame) -> Figure:
    """Draw the accuracy of Dawid and Skene's model by EM steps."""
    figure, (axes,) = panels(1, height=3.6, width=7.0)
    looks = ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (INK, "D"))
    for (name, title), (colour, marker) in zip(TITLES.items(), looks, strict=True):
        own = table[table["dataset"] == name]
        axes.plot(own["steps"], own["accuracy"], color=colour, marker=marker, label=title)
    logarithmic(axes, "x", ticks=sorted(set(table["steps"])))
    axes.set(xlabel="steps of EM", ylabel="accuracy")
    legend_below(figure, axes)
    return figure


def mace(table: pd.DataFrame, measured: pd.DataFrame) -> Figure:
    """Draw the accuracy of MACE on D_Product, of the released code by names and ours by start."""
    figure, (axes,) = panels(1, height=3.0, width=7.0)
    of = measured[(measured["dataset"] == "product") & (measured["method"] == "MACE")]
    of = of.set_index("settings")
    labels: list[str] = []
    for words, settings in RELEASED_MACE.items():
        row = of.loc[settings]
        axes.hlines(len(labels), row["lowest"], row["highest"], color=VERMILION, linewidth=1.6)
        axes.scatter([row["median"]], [len(labels)], s=22, color=VERMILION, zorder=3)
        labels.append(words)
    own = table[(table["dataset"] == "product") & (table["order"] == 0)]
    for words, (inference, steps) in OWN_MACE.items():
        one = own[(own["inference"] == inference) & (own["steps"] == steps)]
        place = [len(labels)] * len(one)
        axes.scatter(one["accuracy"], place, s=22, facecolor="none", edgecolor=INK, linewidth=0.8)
        labels.append(words)
    axes.set(xlabel="accuracy on D_Product", ylim=(len(labels) - 0.5, -0.5))
    axes.set_yticks(range(len(labels)), labels)
    return figure


def released(table: pd.DataFrame) -> Figure:
    """Draw the range of accuracies of the released code, by what was varied."""
    figure, axes = panels(2, rows=2, height=6.6)
    colours = dict(zip(VARIED, (VERMILION, BLUE, GREEN, GREY, INK), strict=True))
    method = {name: place for place, name in enumerate(NAMES.values())}
    words = table["settings"].str.split()
    for place, (measured, name) in enumerate(MEASURED.items()):
        own = table[table["dataset"] == measured]
        for number, (what, colour) in enumerate(colours.items()):
            one = words[own.index].map(lambda each, what=what: set(each) - PLAIN == {what})
            rows = own[one]
            y = rows["method"].map(method).astype(float) + (number - 2) * 0.14
            axes[place].hlines(y, rows["lowest"], rows["highest"], color=colour, linewidth=1.6)
            axes[place].scatter(rows["median"], y, s=9, color=colour, label=what, zorder=3)
        plain = own[words[own.index].map(lambda each: not set(each) - PLAIN - {"released"})]
        plain = plain.drop_duplicates("method")
        y = plain["method"].map(method).astype(float)
        axes[place].scatter(
            plain["median"], y, s=60, facecolor="none", edgecolor=INK, label="as released"
        )
        axes[place].set(title=TITLES[name], xlabel="accuracy")
        axes[place].set_ylim(len(NAMES) - 0.5, -0.5)
        axes[place].set_yticks(np.arange(len(NAMES)), list(NAMES.values()))
        axes[place].xaxis.set_major_locator(MaxNLocator(4))
    legend_below(figure, *axes, columns=6)
    return figure


#: Settings that change nothing of what is computed.
PLAIN = {"sparse", "n_restarts=1"}
