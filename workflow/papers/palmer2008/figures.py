"""The figures: words, trade-off, gains, relations, pairs of senses."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from annobench import plotting

from .tables import WAYS
from .words import Word

#: Measures, and what their panels are called.
TITLES = {"alpha": "Alpha", "certain": "Share of certain items", "bits": "Bits of a label"}
SHOWN = ("help-v", "ask-v", "date-n", "particular-j")


def words(table: pd.DataFrame) -> Figure:
    """Draw alpha and certainty of each word before and after merging, and at random."""
    rows = table.sort_values("alpha_before").reset_index(drop=True)
    panels_of = (("alpha", "Krippendorff's alpha"), ("certain", "Share of certain items"))
    figure, panels = plotting.panels(height=8.6)
    for axes, (name, title) in zip(panels, panels_of, strict=True):
        y = rows.index
        axes.hlines(y, rows[f"{name}_before"], rows[name], color="#BBBBBB", linewidth=1)
        axes.hlines(
            y,
            rows[f"random_{name}_lower"],
            rows[f"random_{name}_upper"],
            color="#D8E8F2",
            linewidth=5,
            label="random merges, 95%",
        )
        if name == "alpha":
            axes.hlines(
                y, rows["alpha_lower"], rows["alpha_upper"], color=plotting.VERMILION, linewidth=1
            )
        axes.plot(
            rows[f"{name}_before"],
            y,
            "o",
            color=plotting.INK,
            fillstyle="none",
            markersize=4,
            label="all senses",
        )
        axes.plot(
            rows[name],
            y,
            "D",
            color=plotting.VERMILION,
            markersize=4,
            label="merges supported by the labels",
        )
        axes.set(yticks=list(y), ylim=(-0.8, len(rows) - 0.2), title=title)
        axes.set_xlim(0 if name == "alpha" else 0.6, 0.85 if name == "alpha" else 1.01)
        axes.set_yticklabels(
            [f"{row.word}  {row.senses} → {row.groups}" for row in rows.itertuples()]
            if name == "alpha"
            else [],
            fontsize=7.5,
        )
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color="#EEEEEE")
        axes.set_axisbelow(True)
    panels[0].legend(loc="lower right", fontsize=8)
    return figure


def tradeoff(table: pd.DataFrame) -> Figure:
    """Draw agreement, certainty and information as the inventories coarsen."""
    figure, panels = plotting.panels(3, height=3.4)
    for axes, (name, title) in zip(panels, TITLES.items(), strict=True):
        for kind, colour, line in (
            ("by labels", plotting.VERMILION, "-"),
            ("random", plotting.BLUE, "--"),
        ):
            rows = table[(table["measure"] == name) & (table["merges"] == kind)]
            # At the end all senses are one, and only "none of the above" is left beside it.
            rows = rows[rows["share"] < 0.95]
            axes.fill_between(
                rows["share"], rows["lower"], rows["upper"], color=colour, alpha=0.15, linewidth=0
            )
            axes.plot(rows["share"], rows["mean"], line, color=colour, label=kind)
        axes.set(title=title, xlabel="share of the possible merges done")
    entropy = table[(table["measure"] == "entropy") & (table["share"] < 0.95)]
    for kind, colour in (("by labels", plotting.VERMILION), ("random", plotting.BLUE)):
        rows = entropy[entropy["merges"] == kind]
        panels[2].plot(
            rows["share"], rows["mean"], ":", color=colour, label=f"bits there are, {kind}"
        )
    panels[0].legend(loc="upper left")
    panels[2].set_ylim(0, None)
    panels[2].legend(*panels[2].get_legend_handles_labels(), loc="upper right", fontsize=7.5)
    return figure


def gains(table: pd.DataFrame) -> Figure:
    """Draw the mean changes of each way of merging beside random merges of the same sizes."""
    figure, panels = plotting.panels(3, height=2.9)
    for axes, (name, title) in zip(panels, TITLES.items(), strict=True):
        rows = table[table["measure"] == name].set_index(["way", "quantity"])
        for shift, quantity, marker, colour in (
            (-0.13, "change", "D", plotting.VERMILION),
            (0.13, "random change", "o", plotting.BLUE),
        ):
            own = rows.xs(quantity, level="quantity").loc[list(WAYS.values())]
            y = np.arange(len(own)) + shift
            axes.hlines(y, own["lower"], own["upper"], color=colour, linewidth=1.3)
            axes.plot(
                own["mean"],
                y,
                marker,
                color=colour,
                markersize=5,
                fillstyle="full" if marker == "D" else "none",
                label={"change": "these merges"}.get(quantity, "random ones of the same sizes"),
            )
        axes.axvline(0, color=plotting.INK, linewidth=0.8)
        axes.set(
            yticks=range(len(WAYS)),
            ylim=(len(WAYS) - 0.4, -0.6),
            title=title,
            xlabel="mean change over words",
        )
        axes.set_yticklabels(list(WAYS.values()) if axes is panels[0] else [])
        axes.grid(axis="x", color="#EEEEEE")
        axes.set_axisbelow(True)
    panels[1].legend(loc="upper center", bbox_to_anchor=(0.3, -0.2), ncol=2)
    return figure


def relations(table: pd.DataFrame) -> Figure:
    """Draw how often related and unrelated senses are too close to tell apart."""
    figure, panels = plotting.panels(height=3.3)
    left, right = panels
    y = np.arange(len(table))
    for shift, who, marker, colour in (
        (-0.13, "related", "D", plotting.VERMILION),
        (0.13, "unrelated", "o", plotting.BLUE),
    ):
        ends = [100 * table[f"{who}_{end}"] for end in ("lower", "upper")]
        left.hlines(y + shift, *ends, color=colour, linewidth=1.3)
        left.plot(
            100 * table[f"{who}_merge"],
            y + shift,
            marker,
            color=colour,
            label=who,
            markersize=5,
            fillstyle="full" if marker == "D" else "none",
        )
    left.set(
        yticks=y,
        ylim=(len(table) - 0.4, -0.6),
        xlim=(0, None),
        xlabel="percent of pairs",
        title="Merges that the labels support",
    )
    left.set_yticklabels([f"{row.relation} ({row.related_pairs})" for row in table.itertuples()])
    left.legend(loc="upper right")
    right.hlines(y, table["ordering_lower"], table["ordering_upper"], color=plotting.INK)
    right.plot(table["ordering"], y, "s", color=plotting.INK, markersize=5)
    right.axvline(0.5, color=plotting.GREY, linestyle="--", linewidth=1)
    right.set(yticks=y, ylim=(len(table) - 0.4, -0.6), title="Related senses are closer")
    right.set(xlim=(0.3, 1), xlabel="share of comparisons (AUC)")
    right.set_yticklabels([])
    for axes, none in ((left, "WordNet not at hand"), (right, "")):
        for place in np.flatnonzero(table["related_pairs"] == 0):
            axes.text(
                0.03, place, none, fontsize=7.5, va="center", transform=axes.get_yaxis_transform()
            )
    return figure


def pairs(found: Sequence[Word]) -> Figure:
    """Draw how many labels tell the senses of four words apart."""
    chosen = [word for word in found if word.name in SHOWN]
    figure, panels = plotting.panels(len(chosen), height=3.7)
    for axes, word in zip(panels, chosen, strict=True):
        names = [
            c for c, m in zip(word.evidence.categories, word.evidence.mergeable, strict=True) if m
        ]
        place = {name: n for n, name in enumerate(names)}
        grid = np.full((len(names), len(names)), np.nan)
        for row in word.pairs.itertuples():
            at = place[row.second], place[row.first]
            sparse = row.verdict == "sparse"
            grid[at] = np.nan if sparse else math.log10(row.labels_needed)
            text = "rare" if sparse else f"{min(row.labels_needed, 999):.0f}"
            weight = "bold" if row.verdict == "merge" else "normal"
            dark = not sparse and row.labels_needed > 60
            axes.text(
                at[1],
                at[0],
                text,
                ha="center",
                va="center",
                fontsize=7,
                weight=weight,
                color="white" if dark else plotting.INK,
            )
            if row.verdict == "merge":
                corner = at[1] - 0.46, at[0] - 0.46
                axes.add_patch(Rectangle(corner, 0.92, 0.92, fill=False, ec=plotting.INK, lw=1.3))
        axes.imshow(grid, cmap="Oranges", vmin=0.3, vmax=2.6)
        axes.set(
            xticks=range(len(names)),
            yticks=range(len(names)),
            title=word.name,
            xlabel="sense",
            ylabel="sense",
        )
        axes.set_xticklabels(names)
        axes.set_yticklabels(names)
        axes.spines[:].set_visible(False)
    return figure
