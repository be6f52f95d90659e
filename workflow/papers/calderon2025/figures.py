"""Draw the test with its uncertainty, beside judges that are known, and what judges know."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION, legend_below, panels

#: Of data sets, in the order of the table.
COLUMNS = 4


def _groups(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Split by set and score, in order."""
    found = []
    for (name, score), own in table.groupby(["dataset", "score"], sort=False):
        title = f"{name}, by words" if score == "words" else str(name)
        found.append((title, own.reset_index(drop=True)))
    return found


def _grid(n: int, height: float) -> tuple[Figure, list[Axes]]:
    rows = -(-n // COLUMNS)
    figure, axes = panels(COLUMNS, rows=rows, height=height * rows, width=2.6)
    for empty in axes[n:]:
        empty.axis("off")
    return figure, axes


def intervals(judges: pd.DataFrame, baselines: pd.DataFrame) -> Figure:
    """Draw the advantage probability of each model, a panel a set."""
    groups = _groups(judges)
    known = dict(_groups(baselines))
    figure, axes = _grid(len(groups), 2.1)
    for place, (title, own) in zip(axes, groups, strict=False):
        y = np.arange(len(own))
        humans = known[title].query("role == 'human'")["advantage_probability"].dropna()
        if len(humans):
            place.axvspan(humans.min(), humans.max(), color=GREY, alpha=0.25, linewidth=0)
        blind = known[title].query("role == 'none'")["advantage_probability"].iloc[0]
        place.axvline(blind, color=VERMILION, linestyle="--")
        ends = (f"advantage_probability_by_texts_{end}" for end in ("lower", "upper"))
        place.hlines(y, *(own[end] for end in ends), color=INK)
        place.scatter(
            own["advantage_probability"],
            y,
            s=26,
            facecolor=np.where(own["passes"], INK, "white"),
            edgecolor=INK,
            zorder=3,
        )
        place.set_yticks(y, own["model"], fontsize=7.5)
        place.invert_yaxis()
        place.set_title(title, fontsize=9)
    figure.supxlabel("advantage probability; filled: passes", fontsize=9)
    return figure


def knowledge(models: pd.DataFrame) -> Figure:
    """Draw the advantage probability by what a label is worth."""
    figure, (axes,) = panels(1, height=4.6, width=7.0)
    blind = models["bits"] < 1e-9
    for passes, face in ((True, BLUE), (False, "white")):
        own = models[~blind & (models["passes"] == passes)]
        axes.scatter(
            own["human_labels"].clip(upper=4),
            own["advantage_probability"],
            s=30,
            facecolor=face,
            edgecolor=BLUE,
            label="passes" if passes else "does not pass",
        )
    own = models[blind]
    axes.scatter(
        own["human_labels"],
        own["advantage_probability"],
        marker="x",
        s=40,
        color=VERMILION,
        label="always the same label",
        zorder=3,
    )
    axes.axvline(1, color=GREEN, linestyle=":", label="worth a human label")
    axes.set(
        xlabel="labels of humans that tell as much as one of the judge (4: four or more)",
        ylabel="advantage probability",
    )
    legend_below(figure, axes)
    return figure


def power(judges: pd.DataFrame, table: pd.DataFrame) -> Figure:
    """Draw how often each model passes again, by how far its smallest epsilon is from the set's."""
    figure, (axes,) = panels(1, height=4.2, width=7.0)
    keys = ["dataset", "score", "model"]
    found = table.merge(judges[[*keys, "epsilon", "passing_epsilon_texts"]], on=keys)
    found["room"] = found["epsilon"] - found["passing_epsilon_texts"]
    looks = {0.25: ("a quarter of the texts", "v", GREY), 1.0: ("as many", "o", INK)}
    looks |= {4.0: ("four times as many", "^", BLUE)}
    for size, (name, marker, colour) in looks.items():
        own = found[found["size"] == size].sort_values("room")
        axes.plot(
            own["room"], own["passes"], marker, color=colour, mfc="none", markersize=5, label=name
        )
    axes.axvline(0, color=VERMILION, linestyle="--")
    axes.set(
        xlabel="epsilon of the set minus the smallest with which the model passes",
        ylabel="share of resampled studies in which it passes",
        xlim=(-0.2, 0.13),
    )
    axes.legend(loc="upper left")
    return figure
