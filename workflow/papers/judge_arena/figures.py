"""Draw what the judge knows, what is estimated, and whether intervals can be trusted."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench import plotting
from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION

from .values import CLAUDE, Arena

TITLES = {
    "gemini_pro": "against Gemini 2.5 Pro",
    "gemini_flash": "against Gemini 2.5 Flash",
    "qwen": "against Qwen3 235B",
}
METHODS = {
    "judged": "the judge says",
    "gold": "gold alone",
    "rogan_gladen": "Rogan-Gladen",
    "ppi": "PPI",
    "ppi_plus": "PPI++",
    "joint": "joint model",
}
#: Dots in a row of a heap.
WIDE = 12


def heaps(arenas: list[Arena]) -> Figure:
    """Heap up the comparisons by the human's choice, filled where the judge says Claude."""
    figure, axes = plotting.panels(len(arenas), height=4.6, width=3.2)
    for place, arena in zip(axes, arenas, strict=True):
        seen = arena.judged
        for side, chosen in enumerate((True, False)):
            said = (seen.judge == CLAUDE)[(seen.gold == CLAUDE) == chosen]
            # An even spread, so that a share can be seen in any part of a heap.
            spread = np.random.default_rng(0).permutation(said)
            at = np.arange(spread.size)
            x, y = at % WIDE + side * (WIDE + 3), at // WIDE
            place.scatter(x[~spread], y[~spread], s=15, facecolor="white", edgecolor=GREY, lw=0.7)
            place.scatter(x[spread], y[spread], s=15, color=VERMILION)
            place.text(
                (WIDE - 1) / 2 + side * (WIDE + 3),
                -2.6,
                f"{said.mean():.0%}\nfilled" if said.size else "",
                ha="center",
                va="top",
                fontsize=9,
            )
        place.set_title(TITLES[arena.name], fontsize=9.5)
        place.set_xticks(
            [(WIDE - 1) / 2, (WIDE - 1) / 2 + WIDE + 3], ["human: Claude", "human: other"]
        )
        place.set_yticks([])
        place.set_ylim(-5.5, 19)
        for spine in place.spines.values():
            spine.set_visible(False)
        place.tick_params(length=0)
    return figure


def estimates(table: pd.DataFrame) -> Figure:
    """Draw the win rate by method, a panel a pair."""
    names = list(TITLES)
    figure, axes = plotting.panels(len(names), height=2.9, width=3.4)
    for place, name in zip(axes, names, strict=True):
        own = table[table["pair"] == name].set_index("method").reindex(list(METHODS))
        y = np.arange(len(own))
        place.axvline(own["human_share"].iloc[0], color=VERMILION, linestyle="--")
        place.hlines(y, own["lower"], own["upper"], color=INK)
        place.scatter(own["estimate"], y, s=26, facecolor="white", edgecolor=INK, zorder=3)
        place.set_yticks(y, list(METHODS.values()), fontsize=8)
        place.invert_yaxis()
        place.set_xlim(-0.02, 1.02)
        place.set_title(TITLES[name], fontsize=9.5)
        place.set_xlabel("Claude's win rate")
    return figure


def coverage(table: pd.DataFrame) -> Figure:
    """Draw coverage and relative width by Youden's index, a line per method."""
    own = table[(table["like"] == "simulated") & table["prevalence"].eq(0.3)]
    own = own[own["n_gold"] == 100]
    figure, (left, right) = plotting.panels(2, height=3.7)
    looks = {"judged": (GREY, "v"), "gold": (INK, "s"), "rogan_gladen": (VERMILION, "o")}
    looks |= {"ppi": (GREEN, "^"), "ppi_plus": (BLUE, "D"), "joint": (BLUE, "x")}
    alone = own[own["method"] == "gold"].set_index("youden")["width"]
    for method, (colour, marker) in looks.items():
        line = own[own["method"] == method]
        options = {"color": colour, "marker": marker, "ms": 4.5, "label": METHODS[method]}
        left.plot(line["youden"], line["coverage"], **options)
        if method != "judged":
            relative = line["width"] / line["youden"].map(alone)
            right.plot(line["youden"], relative, **options)
    left.axhline(0.95, color=GREY, linestyle=":")
    left.set(xlabel="sensitivity + specificity − 1", ylabel="coverage", ylim=(-0.03, 1.03))
    right.axhline(1, color=GREY, linestyle=":")
    right.set(xlabel="sensitivity + specificity − 1", ylabel="width, gold alone = 1")
    left.legend(fontsize=7.5, loc="center right")
    return figure
