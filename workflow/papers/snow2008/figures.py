"""Figures 1 to 7 of Snow et al. (2008), and what they leave out."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    intervals,
    legend_below,
    panels,
    rows_of_names,
)

from .affect import EMOTIONS, KINDS, N_ANSWERS

#: Where numbers of non-experts are drawn that ten do not reach.
NEVER = N_ANSWERS + 1


TASKS = {"rte": "RTE", "event": "before/after", "wsd": "president (WSD)"}
NAMES = {
    "voting": "majority vote",
    "calibrated with gold": "calibrated with gold",
    "wawa": "Wawa",
    "zencrowd": "ZenCrowd",
    "pm": "PM",
    "catd": "CATD",
    "one_coin": "one coin",
    "glad": "GLAD",
    "bwa": "BWA",
    "dawid_skene": "Dawid and Skene",
    "ibcc": "IBCC",
}
MEANS = {"avg_emo": "mean of emotions", "avg_all": "mean of all"}


def _words(kind: str) -> str:
    return MEANS.get(kind, kind)


def figure1(curves: pd.DataFrame) -> Figure:
    """Draw the correlation of averaged non-experts, with the experts' dashed line."""
    figure, axes = panels(3, rows=2, height=5.0, width=2.6)
    for place, (each, kind) in enumerate(zip(axes, EMOTIONS, strict=True)):
        own = curves[curves["kind"] == kind]
        each.fill_between(own["n"], own["lower"], own["upper"], color=BLUE, alpha=0.15, linewidth=0)
        each.plot(own["n"], own["estimate"], color=BLUE, marker="o", markersize=3.5)
        each.axhline(own["expert"].iloc[0], color=INK, linestyle="--", linewidth=1)
        each.set(title=kind, xticks=range(2, 11, 2))
        if place % 3 == 0:
            each.set_ylabel("correlation")
        if place >= 3:
            each.set_xlabel("annotators")
    return figure


def figure2(words: pd.DataFrame, line: float) -> Figure:
    """Draw the correlation of averaged annotators with the published word similarity."""
    figure, (axes,) = panels(1, height=2.9, width=4.6)
    axes.fill_between(
        words["n"], words["lower"], words["upper"], color=BLUE, alpha=0.15, linewidth=0
    )
    axes.plot(words["n"], words["estimate"], color=BLUE, marker="o", markersize=4)
    axes.axhline(line, color=INK, linestyle="--", linewidth=1)
    axes.set(xlabel="annotations", ylabel="correlation", xticks=range(2, 11, 2))
    return figure


def votes(by_n: pd.DataFrame, task: str, line: float | None) -> Figure:
    """Draw the accuracy of the majority vote by the number of annotators."""
    figure, (axes,) = panels(1, height=2.7, width=4.6)
    own = by_n[by_n["task"] == task]
    axes.plot(own["n"], own["vote"], color=BLUE, marker="o", markersize=4)
    if line is not None:
        axes.axhline(line, color=INK, linestyle="--", linewidth=1)
    axes.set(xlabel="annotators", ylabel="accuracy", xticks=range(2, 11, 2), title=TASKS[task])
    return figure


def figure6(annotators: pd.DataFrame) -> Figure:
    """Draw each annotator's accuracy on RTE by the number of labels."""
    figure, (axes,) = panels(1, height=3.2, width=5.4)
    # Those with few labels lie on each other; the paper moves them, too.
    many = annotators["n_labels"] > annotators["n_labels"].min()
    jitter = np.random.default_rng(0).normal(0, 0.012, len(annotators)) * ~many
    axes.scatter(
        annotators["n_labels"],
        annotators["accuracy"] + jitter,
        s=20,
        facecolor="none",
        edgecolor=BLUE,
        linewidth=0.9,
    )
    axes.set(xlabel="number of annotations", ylabel="accuracy", ylim=(None, 1.05))
    return figure


def figure7(by_n: pd.DataFrame) -> Figure:
    """Draw both votes by the number of annotators, for RTE and events."""
    figure, axes = panels(2, height=3.3)
    for each, task in zip(axes, ("rte", "event"), strict=True):
        own = by_n[by_n["task"] == task]
        looks = (
            ("calibrated", VERMILION, "o", "gold calibrated"),
            ("vote", BLUE, "s", "naive voting"),
        )
        for column, colour, marker, label in looks:
            each.plot(own["n"], own[column], color=colour, marker=marker, markersize=4, label=label)
        each.set(title=TASKS[task], xlabel="annotators", xticks=range(2, 11, 2))
    axes[0].set_ylabel("accuracy")
    legend_below(figure, *axes)
    return figure


def claims(of_k: pd.DataFrame, orders: pd.DataFrame) -> Figure:
    """Draw how many non-experts equal an expert with intervals, and what adding them does."""
    kinds = [*KINDS, *MEANS]
    names = [_words(kind) for kind in kinds]
    own = of_k.set_index("kind").loc[kinds]
    figure, (left, right) = panels(2, height=3.9, width_ratios=[1.15, 1])
    y = np.arange(len(kinds))
    left.hlines(y, own["lower"], own["upper"], color=BLUE, linewidth=1.6)
    never = own["k"] == NEVER
    left.plot(own["k"][~never], y[~never], "o", color=BLUE, markersize=6, label="all headlines")
    left.plot(own["k"][never], y[never], "o", color=BLUE, mfc="white", markersize=6)
    given = orders.set_index("kind").loc[list(KINDS)]
    place = np.arange(len(KINDS)) + 0.28
    left.hlines(
        place, given["k_lowest"], given["k_highest"], color=VERMILION, linewidth=3, alpha=0.6
    )
    rows_of_names(left, names)
    left.set(title="Non-experts that equal an expert", xlabel="k", xlim=(0.5, NEVER + 0.6))
    left.set_xticks([*range(1, NEVER), NEVER], [*map(str, range(1, NEVER)), ">10"])
    added = own[["adding", "adding_lower", "adding_upper"]].set_axis(
        ["estimate", "lower", "upper"], axis=1
    )
    intervals(right, names, {"": added})
    right.set_yticklabels([])
    right.axvline(0, color=INK, linewidth=0.8)
    right.set(title="Gain of an expert's correlation", xlabel="E vs. All less E vs. E")
    return figure


def training(trained: pd.DataFrame) -> Figure:
    """Draw what one and ten non-experts train, less what an expert does, and as printed."""
    kinds = [*KINDS, *MEANS]
    own = trained.set_index("kind").loc[kinds]
    sets = {
        words: own[[part, f"{part}_lower", f"{part}_upper"]].set_axis(
            ["estimate", "lower", "upper"], axis=1
        )
        for part, words in (
            ("one_less_expert", "one non-expert less one expert"),
            ("ten_less_expert", "ten non-experts less one expert"),
        )
    }
    figure, (axes,) = panels(1, height=4.2, width=6.6)
    intervals(axes, [_words(kind) for kind in kinds], sets)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set(xlabel="difference of the classifiers' correlations, with 95% interval")
    legend_below(figure, axes)
    return figure


def semeval(table: pd.DataFrame) -> Figure:
    """Draw on how many headlines SemEval's score is the rounded mean of the experts."""
    figure, (axes,) = panels(1, height=3.0, width=6.6)
    y = np.arange(len(table))
    for column, colour, marker, label in (
        ("released_equal", GREY, "s", "mean of the labels as released"),
        ("stretched_equal", VERMILION, "o", "mean of the labels stretched to 100"),
    ):
        share = 100 * table[column] / table["headlines"]
        axes.plot(share, y, marker, color=colour, markersize=6, label=label)
    rows_of_names(axes, list(table["kind"]))
    axes.set(xlabel="headlines whose SemEval score it is, percent", xlim=(0, 104))
    legend_below(figure, axes)
    return figure


def consensus_models(by_n: pd.DataFrame, fitted: pd.DataFrame) -> Figure:
    """Draw consensus without gold beside the calibrated vote: by labels, and from all ten."""
    figure, axes = panels(2, rows=2, height=6.6)
    for each, task in zip(axes, ("rte", "event"), strict=False):
        own = by_n[by_n["task"] == task]
        _lines(each, own)
        each.set(title=TASKS[task], xlabel="labels per item", xticks=range(2, 11, 2))
    axes[0].set_ylabel("accuracy")
    for each, task in zip(axes[2:], ("rte", "event"), strict=True):
        own = fitted[fitted["task"] == task].set_index("model").loc[list(NAMES)]
        colours = [
            VERMILION if name == "calibrated with gold" else BLUE if name == "voting" else GREEN
            for name in NAMES
        ]
        y = np.arange(len(own))
        each.hlines(y, own["lower"], own["upper"], color=colours, linewidth=1.4)
        each.scatter(own["estimate"], y, color=colours, s=24, zorder=3)
        rows_of_names(each, list(NAMES.values()))
        each.set(xlabel="accuracy from ten labels")
        each.xaxis.set_major_locator(MultipleLocator(0.02))
    axes[3].set_yticklabels([])
    legend_below(figure, *axes[:2])
    return figure


def _lines(axes: Axes, own: pd.DataFrame) -> None:
    for column, colour, marker, label in (
        ("vote", BLUE, "s", "majority vote"),
        ("calibrated", VERMILION, "o", "calibrated with gold"),
        ("dawid_skene", GREEN, "^", "Dawid and Skene, without gold"),
    ):
        axes.plot(own["n"], own[column], color=colour, marker=marker, markersize=4, label=label)
