"""Draw distances from the votes, what temperature does, and what a few votes tell."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION, legend_below, panels

from .values import Compared

NAMES = {
    "h1": ("human 1", BLUE, "-"),
    "h2": ("human 2", GREEN, "-"),
    "roberta": ("RoBERTa", VERMILION, "--"),
    "roberta_ts": ("RoBERTa, temperature 2", INK, "--"),
}


def _histogram(place: Axes, distance: np.ndarray, bins: int, name: str) -> None:
    label, colour, line = NAMES[name]
    edges = np.linspace(0, 1, bins + 1)
    share = np.histogram(distance, edges)[0] / distance.size
    if line == "-":
        place.stairs(share, edges, fill=True, color=colour, alpha=0.25)
    place.stairs(share, edges, color=colour, linestyle=line, label=label, linewidth=1.3)


def figure1(compared: Compared) -> Figure:
    """Draw the distances of a model from the votes, item by item."""
    figure, (place,) = panels(1, height=3.4, width=6.0)
    bins = compared.settings.histogram_bins
    edges = np.linspace(0, 1, bins + 1)
    distance = compared.distances()["roberta"]
    share = np.histogram(distance, edges)[0] / distance.size
    place.stairs(share, edges, fill=True, color=VERMILION, alpha=0.35)
    place.stairs(share, edges, color=VERMILION)
    place.set(xlabel="DistCE (total variation distance)", ylabel="share of items", xlim=(0, 1))
    return figure


def figure2(compared: dict[str, Compared]) -> Figure:
    """Draw the distances of two humans and a model, from all votes and from those left."""
    figure, axes = panels(2, height=3.8, width=3.7)
    titles = {"table2": "all 100 votes, theirs included", "bonus": "the 60 votes of others"}
    for place, (key, title) in zip(axes, titles.items(), strict=True):
        own = compared[key]
        for name, distance in own.distances().items():
            _histogram(place, distance, own.settings.histogram_bins, name)
        place.set_title(title, fontsize=9)
        place.set(xlabel="DistCE", xlim=(0, 1), ylim=(0, None))
    axes[0].set_ylabel("share of items")
    legend_below(figure, axes[0])
    return figure


def temperature(table: pd.DataFrame, used: float) -> Figure:
    """Draw each measure by temperature, and mark the notebook's."""
    figure, axes = panels(4, height=3.2, width=2.0)
    for place, measure in zip(axes, ("ECE", "DistCE", "EntCE", "cross_entropy"), strict=True):
        by_model = zip(table.groupby("model"), (BLUE, GREEN, VERMILION), strict=False)
        for (model, own), colour in by_model:
            place.plot(own["temperature"], own[measure], color=colour, label=f"model {model}")
            best = own.loc[own[measure].idxmin()]
            place.plot(best["temperature"], best[measure], "o", color=colour, markersize=4)
        place.axvline(used, color=GREY, linestyle=":")
        place.set_title(measure.replace("_", " "), fontsize=9)
        place.set_xlabel("temperature")
        place.tick_params(labelsize=8)
    legend_below(figure, axes[0])
    return figure


def votes(table: pd.DataFrame) -> Figure:
    """Draw the distance of n votes from held-out votes, beside that of the models."""
    figure, axes = panels(2, height=3.6, width=3.7)
    humans = table["predicted"].str.endswith("votes")
    number = table.loc[humans, "predicted"].str.removesuffix(" votes").astype(int)
    models = table[~humans].set_index("predicted")
    for place, measure in zip(axes, ("DistCE", "ECE"), strict=True):
        own = table[humans]
        place.fill_between(
            number, own[f"{measure}_lower"], own[f"{measure}_upper"], color=BLUE, alpha=0.2, lw=0
        )
        place.plot(number, own[measure], "o-", color=BLUE, markersize=4, label="votes of humans")
        for name, colour, label in (
            ("roberta0", VERMILION, "RoBERTa"),
            ("roberta0_ts", INK, "RoBERTa, temperature 2"),
        ):
            place.axhline(models.loc[name, measure], color=colour, linestyle="--", label=label)
        place.set_xscale("log")
        place.set_xticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
        place.minorticks_off()
        place.set(xlabel="votes that predict the others", title=measure, ylim=(0, None))
    legend_below(figure, axes[0])
    return figure
