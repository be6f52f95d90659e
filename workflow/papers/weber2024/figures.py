"""Draw which method finds errors best, and what the order of tied labels decides."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    legend_below,
    panels,
    rows_of_names,
)

#: Colour, marker and words for each kind of method.
KINDS = {
    "human": (GREEN, "D", "annotators"),
    "prompted": (BLUE, "o", "language models"),
    "trained": (VERMILION, "s", "trained on the labels"),
}
SHORT = {
    "LC_VariErr": "label count",
    "baseline_chaosnli_prob": "ChaosNLI votes",
    "dm_mean": "data maps, mean",
    "dm_neg_std": "data maps, − sd",
    "dm_std": "data maps, sd",
    "gpt-3.5-turbo": "GPT-3.5",
    "gpt-4-1106-preview": "GPT-4",
    "metadata_archaeology_knn": "metadata arch., kNN",
    "metadata_archaeology_lr": "metadata arch., LR",
    "peer_Heruistic_ratio_per_exp": "peers, mean share",
    "peer_heuristic_ratio_all_exp": "peers, share",
    "peer_heuristic_sum_all_exp": "peers, sum",
    "peer_heuristic_sum_per_exp": "peers, mean sum",
}


def reversal(precisions: pd.DataFrame, chance: dict[str, float]) -> Figure:
    """Draw average precision on all labels, and on those that one annotator gave."""
    where = list(chance)
    figure, axes = panels(2, height=4.0, width=3.6)
    first = precisions[precisions["where"] == where[0]]
    order = first.sort_values("average_precision", ascending=False)["method"].tolist()
    for place, name in zip(axes, where, strict=True):
        own = precisions[precisions["where"] == name].set_index("method").reindex(order)
        y = np.arange(len(order))
        for kind, (colour, marker, words) in KINDS.items():
            which = (own["kind"] == kind).to_numpy()
            rows = own[which]
            place.hlines(y[which], rows["lower"], rows["upper"], color=colour, linewidth=1.3)
            place.plot(
                rows["average_precision"], y[which], marker, color=colour, markersize=5, label=words
            )
        place.axvline(chance[name], color=GREY, linestyle="--", label="random order")
        names = [SHORT[method] for method in order] if place is axes[0] else [""] * len(order)
        rows_of_names(place, names, fontsize=8)
        place.set_title(name, fontsize=9)
        place.set_xlabel("average precision, %")
    legend_below(figure, axes[0])
    return figure


def ties(table: pd.DataFrame) -> Figure:
    """Draw precision at 50 and at 100 over all orders of tied labels."""
    figure, axes = panels(2, height=3.8, width=3.6)
    own = table[(table["file"] == "all") & ~table["method"].str.endswith("_rerank")]
    order = own["scores"].drop_duplicates().tolist()
    names = ["label count" if name == "count" else _run(name) for name in order]
    for place, what, title in zip(axes, ("p50", "p100"), ("first 50", "first 100"), strict=True):
        rows = own[own["measure"] == what].set_index("scores").reindex(order)
        y = np.arange(len(order))
        ends = rows["lowest"], rows["highest"]
        place.hlines(y, *ends, color=BLUE, linewidth=4, alpha=0.35, label="range")
        place.plot(rows["expected"], y, "|", color=BLUE, markersize=8, label="expected")
        place.plot(rows["authors"], y, "o", color=INK, markersize=4, label="authors' order")
        rows_of_names(place, names if place is axes[0] else [""] * len(order), fontsize=7.5)
        place.set_title(f"errors among the {title}", fontsize=9)
        place.set_xlabel("per cent")
    legend_below(figure, axes[0])
    return figure


def _run(name: str) -> str:
    """Name a run: its method, and its seed."""
    method, _, seed = name.removeprefix("-").partition("/")
    if name.startswith("-"):
        method = "dm_neg_std"
    return f"{SHORT[method]} ({seed})" if seed else SHORT[method]
