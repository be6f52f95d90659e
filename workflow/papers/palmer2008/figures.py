"""The figures: words, trade-off, gains, relations, pairs of senses."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from annobench import plotting
from annobench.plotting import BLUE, GREY, INK, VERMILION

from .tables import WAYS
from .words import Word

#: Measures, and what their panels are called.
TITLES = {"alpha": "Alpha", "certain": "Share of certain items", "bits": "Bits of a label"}
SHOWN = ("help-v", "ask-v", "date-n", "particular-j")
PARTS = {"n": "noun", "v": "verb", "j": "adjective"}


def in_words(word: str) -> str:
    """Write "ask-v" as "ask (verb)"."""
    lemma, _, part = word.rpartition("-")
    return f"{lemma} ({PARTS[part]})"


def words(table: pd.DataFrame) -> Figure:
    """Draw alpha and certainty of each word before and after merging, and at random."""
    rows = table.sort_values("alpha_before", ascending=False)
    figure, panels = plotting.panels(height=9.2)
    y = range(len(rows))
    names = [f"{in_words(r.word)}  {r.senses} → {r.groups}" for r in rows.itertuples()]
    for axes, name, title, limits in (
        (panels[0], "alpha", "Krippendorff's alpha", (0, 0.85)),
        (panels[1], "certain", TITLES["certain"], (0.6, 1.01)),
    ):
        before, after = rows[f"{name}_before"], rows[name]
        axes.hlines(y, before, after, color="#BBBBBB", linewidth=1)
        random = rows[f"random_{name}_lower"], rows[f"random_{name}_upper"]
        axes.hlines(y, *random, color="#D8E8F2", linewidth=5, label="random merges, 95%")
        axes.plot(before, y, "o", color=INK, mfc="none", ms=4, label="all senses")
        axes.plot(after, y, "D", color=VERMILION, ms=4, label="merges supported by the labels")
        plotting.rows_of_names(axes, names, top=0.8, fontsize=7.5)
        axes.set(title=title, xlim=limits)
    panels[0].hlines(y, rows["alpha_lower"], rows["alpha_upper"], color=VERMILION, linewidth=1)
    panels[1].set_yticklabels([])
    plotting.legend_below(figure, panels[0])
    return figure


def tradeoff(table: pd.DataFrame) -> Figure:
    """Draw agreement, certainty and information as the inventories coarsen."""
    figure, panels = plotting.panels(3, height=3.4)
    looks = {"by labels": (VERMILION, "-"), "random": (BLUE, "--")}
    # At the end all senses are one, and only "none of the above" is left beside it.
    shown = table[table["share"] < 0.95].set_index(["measure", "merges"])
    for axes, (name, title) in zip(panels, TITLES.items(), strict=True):
        for kind, (colour, line) in looks.items():
            rows = shown.loc[(name, kind)]
            band = {"color": colour, "alpha": 0.15, "linewidth": 0}
            axes.fill_between(rows["share"], rows["lower"], rows["upper"], **band)
            axes.plot(rows["share"], rows["mean"], line, color=colour, label=kind)
        axes.set(title=title, xlabel="share of the possible merges done")
    for kind, (colour, _) in looks.items():
        rows, label = shown.loc[("entropy", kind)], f"bits there are, {kind}"
        panels[2].plot(rows["share"], rows["mean"], ":", color=colour, label=label)
    panels[2].set_ylim(0, None)
    plotting.legend_below(figure, panels[2])
    return figure


def gains(table: pd.DataFrame) -> Figure:
    """Draw the mean changes of each way of merging beside random merges of the same sizes."""
    figure, panels = plotting.panels(3, height=2.9)
    for axes, (name, title) in zip(panels, TITLES.items(), strict=True):
        rows = table[table["measure"] == name].rename(columns={"mean": "estimate"})
        of = dict(list(rows.groupby("quantity")))
        sets = {"these merges": of["change"], "random ones of the same sizes": of["random change"]}
        plotting.intervals(axes, list(WAYS.values()), sets)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set(title=title, xlabel="mean change over words")
        axes.xaxis.set_major_locator(MaxNLocator(4))
    for axes in panels[1:]:
        axes.set_yticklabels([])
    plotting.legend_below(figure, panels[0])
    return figure


def relations(table: pd.DataFrame) -> Figure:
    """Draw how often related and unrelated senses are too close to distinguish."""
    table = table[table["related_pairs"] > 0]
    figure, (left, right) = plotting.panels(height=1.7 + 0.25 * len(table))
    columns = ["estimate", "lower", "upper"]
    sets = {
        who: 100 * table[[f"{who}_merge", f"{who}_lower", f"{who}_upper"]].set_axis(columns, axis=1)
        for who in ("related", "unrelated")
    }
    names = [f"{row.relation} ({row.related_pairs})" for row in table.itertuples()]
    plotting.intervals(left, names, sets)
    left.set(xlim=(0, None), xlabel="percent of pairs", title="Merges that the labels support")
    plotting.legend_below(figure, left)
    ordering = table.filter(like="ordering").set_axis(columns, axis=1)
    plotting.intervals(right, [""] * len(table), {"": ordering})
    right.axvline(0.5, color=GREY, linestyle="--", linewidth=1)
    right.set(xlim=(0.3, 1), xlabel="share of comparisons (AUC)", title="Related senses are closer")
    return figure


def pairs(found: Sequence[Word]) -> Figure:
    """Draw how many labels tell the senses of four words apart."""
    chosen = [word for word in found if word.name in SHOWN]
    figure, panels = plotting.panels(2, rows=2, height=7.6)
    for axes in panels[len(chosen) :]:
        axes.axis("off")
    for axes, word in zip(panels, chosen, strict=False):
        names = np.array(word.evidence.categories)[word.evidence.mergeable]
        needed, verdict = word.pairs["labels_needed"], word.pairs["verdict"]
        text = needed.clip(upper=999).map("{:.0f}".format).mask(verdict == "sparse", "rare")
        shade = np.log10(needed).mask(verdict == "sparse")
        shades, texts, merge = (
            word.pairs.assign(shown=values)
            .pivot(index="second", columns="first", values="shown")
            .reindex(index=names, columns=names)
            for values in (shade, text, verdict == "merge")
        )
        framed = merge.eq(True).to_numpy()
        style: dict[str, Any] = {"limits": (0.3, 2.6), "colours": "Oranges", "bold": framed}
        plotting.shaded_table(axes, shades.astype(float), texts, **style)
        for i, j in np.argwhere(framed):
            axes.add_patch(Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, ec=INK, lw=1.3))
        axes.set(title=in_words(word.name), xlabel="sense", ylabel="sense", aspect="equal")
    return figure
