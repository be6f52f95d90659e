"""Draw the starts of EBCC, and accuracies beside those of votes."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from annobench import plotting

from .values import Ebcc

METHODS = {"ibcc": "IBCC", "bwa": "BWA", "ebcc": "EBCC"}


def starts(drawn: Mapping[str, pd.DataFrame], printed: Mapping[str, Ebcc]) -> Figure:
    """Draw bound and accuracy of every start, and of the printed seed, a panel a data set."""
    figure, panels = plotting.panels(4, rows=4, height=9.2, width=2.1)
    for axes, (name, found) in zip(panels, drawn.items(), strict=False):
        own = f"{len(found)} starts"
        axes.plot(found["bound"], found["accuracy"], "o", color=plotting.BLUE, mfc="none", ms=4)
        of_seed = printed[name]
        axes.plot(of_seed.bound, of_seed.right.mean(), "x", color=plotting.VERMILION, ms=8, mew=1.6)
        axes.set_title(f"{name}, {own}", fontsize=8.5)
        axes.ticklabel_format(useOffset=False)
        middle = (found["bound"].min() + found["bound"].max()) / 2
        axes.set_xticks([middle], [f"{middle:.1f}"])
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.tick_params(labelsize=7.5)
    for axes in panels[len(drawn) :]:
        axes.axis("off")
    legend = panels[len(drawn)]
    legend.plot([], [], "o", color=plotting.BLUE, mfc="none", ms=4, label="a start of ours")
    legend.plot([], [], "x", color=plotting.VERMILION, ms=8, mew=1.6, label="the printed seed")
    legend.legend(loc="center")
    figure.supxlabel("bound as printed, nats", fontsize=9)
    figure.supylabel("share of items with gold that are right", fontsize=9)
    return figure


def accuracies(table: pd.DataFrame) -> Figure:
    """Draw by how much each method is above the votes, with intervals over items."""
    figure, (axes,) = plotting.panels(1, height=6.6, width=7.0)
    names = list(dict.fromkeys(table["data"]))
    sets = {}
    for method, title in METHODS.items():
        own = table[table["method"] == method].set_index("data").reindex(names)
        sets[title] = own.rename(columns={"above_votes": "estimate"})
    plotting.intervals(axes, names, sets)
    axes.axvline(0, color=plotting.INK, linewidth=0.8)
    axes.set(xlabel="accuracy minus that of votes, with 95% interval over items")
    axes.legend(loc="lower right")
    return figure
