"""Draw the labels of Table 1, the maxima of the likelihood, error rates, and other models."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from annobench.labels.annotations import Annotations
from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    PAGE_WIDTH,
    VERMILION,
    legend_below,
    panels,
    rows_of_names,
    shaded_table,
)

#: Maxima that are drawn.
DRAWN = 10


def labels(table1: Annotations, patients: pd.DataFrame, places: Mapping[str, set[int]]) -> Figure:
    """Draw every label as the text prints it, patients in the order of their consensus."""
    order = _order(table1, patients)
    column = np.argsort(order)
    row, names = _rows(table1)
    digits = np.full((len(names), table1.n_items), "", dtype=object)
    digits[row, column[table1.item]] = np.array(table1.categories)[table1.label]
    for name in ("votes", "consensus", "best_maximum"):
        digits = np.vstack([digits, patients[name].to_numpy()[order]])
    names += ["votes", "from (3.1)", "best maximum"]
    shades = pd.DataFrame(digits).apply(pd.to_numeric)
    shades.index, shades.columns = names, patients["patient"].to_numpy()[order]
    texts = pd.DataFrame(digits, index=shades.index, columns=shades.columns)
    figure, (axes,) = panels(1, height=3.5, width=PAGE_WIDTH)
    shaded_table(axes, shades, texts, limits=(0.6, 5.2))
    axes.tick_params(axis="x", labelsize=7.5)
    axes.axhline(len(names) - 3.5, color=INK, linewidth=1)
    for kind, colour, style, label in (
        ("copy", VERMILION, "-", "another label in the public copy"),
        ("changed", GREEN, "--", "one of these changed gives Tables 2 to 4"),
    ):
        for place in sorted(places[kind]):
            corner = (column[table1.item[place]] - 0.46, row[place] - 0.46)
            axes.add_patch(
                Rectangle(corner, 0.92, 0.92, fill=False, ec=colour, ls=style, lw=1.8, zorder=4)
            )
        axes.plot([], [], color=colour, linestyle=style, linewidth=1.8, label=label)
    axes.set_xlabel("patient")
    legend_below(figure, axes)
    return figure


def _order(table1: Annotations, patients: pd.DataFrame) -> np.ndarray:
    """Sort by consensus, then by the sum of labels."""
    sums = np.bincount(table1.item, weights=table1.label, minlength=table1.n_items)
    return np.lexsort((np.arange(table1.n_items), sums, patients["consensus"].to_numpy()))


def _rows(table1: Annotations) -> tuple[np.ndarray, list[str]]:
    """Return the row of each label: observers, and their repetitions of a patient."""
    pair = pd.Series(table1.item * table1.n_annotators + table1.annotator)
    again = pair.groupby(pair).cumcount().to_numpy()
    repeats = np.zeros(table1.n_annotators, dtype=int)
    np.maximum.at(repeats, table1.annotator, again + 1)
    first = np.concatenate([[0], repeats.cumsum()[:-1]])
    names = [
        f"observer {name}" + (f", time {n + 1}" if repeats[k] > 1 else "")
        for k, name in enumerate(table1.annotators)
        for n in range(repeats[k])
    ]
    return first[table1.annotator] + again, names


def optima(table: pd.DataFrame) -> Figure:
    """Draw the likelihood of the best maxima, with the share of starts that reach them."""
    best = table.head(DRAWN).reset_index(drop=True)
    y = np.arange(len(best))
    figure, (likelihood, share) = panels(2, height=3.6, width=4.6, width_ratios=(1.5, 1))
    colours = np.where(best["is_papers"], VERMILION, BLUE)
    likelihood.hlines(
        y, best["log_likelihood"].min() - 0.2, best["log_likelihood"], color="#CCCCCC"
    )
    likelihood.scatter(best["log_likelihood"], y, c=colours, s=34, zorder=3)
    names = [
        "the paper's, from (3.1)" if own else _short(text)
        for own, text in zip(best["is_papers"], best["reclassified"], strict=True)
    ]
    rows_of_names(likelihood, names, fontsize=8)
    likelihood.set(xlabel="log likelihood", title="Maxima, by who is reclassified")
    likelihood.xaxis.set_major_locator(MaxNLocator(5))
    share.barh(y, 100 * best["share_of_starts"], color=colours, height=0.6)
    rows_of_names(share, [""] * len(best))
    share.set(xlabel="percent of the starts that reach it", title="How often it is found")
    return figure


def _short(text: str, most: int = 4) -> str:
    parts = [each for each in text.split("; ") if each]
    more = len(parts) - most
    shown = ", ".join(parts[:most]).replace(" to ", "→").replace(": ", ": ")
    return (f"{shown}, {more} more" if more > 0 else shown) or "nobody"


def error_rates(rates: pd.DataFrame) -> Figure:
    """Draw the probability that each observer is right, by category, with intervals."""
    right = rates[rates["true"] == rates["observed"]]
    observers = list(dict.fromkeys(right["observer"]))
    figure, axes = panels(len(observers), height=2.6, width=2.1)
    for place, observer in zip(axes, observers, strict=True):
        own = right[right["observer"] == observer].reset_index(drop=True)
        y = np.arange(len(own))
        place.hlines(y, own["lower"], own["upper"], color=BLUE, linewidth=2)
        place.plot(own["estimate"], y, "o", color=INK, markersize=5)
        names = [
            f"{name} ({n:.0f})"
            for name, n in zip(own["true"], own["expected_patients"], strict=True)
        ]
        rows_of_names(place, names if place is axes[0] else [""] * len(own))
        place.set(xlim=(-0.05, 1.05), xticks=(0, 0.5, 1), title=f"Observer {observer}")
    axes[0].set_ylabel("category (patients)")
    figure.supxlabel("probability that the observer records the true response", fontsize=9)
    return figure


def models(table: pd.DataFrame) -> Figure:
    """Draw the category that each model gives the patients in dispute."""
    names = list(dict.fromkeys(table["model"]))
    by = table.pivot(index="model", columns="patient", values="category").loc[names]
    chance = table.pivot(index="model", columns="patient", values="probability").loc[names]
    same = table.pivot(index="model", columns="patient", values="as_in_paper").loc[names]
    columns = sorted(by, key=int)
    texts = by[columns] + chance[columns].map(lambda p: f" ({p:.2f})" if p < 0.995 else "")
    shades = (~same[columns].astype(bool)).astype(float) * 0.5
    figure, (axes,) = panels(1, height=0.34 * len(names) + 0.9, width=min(10.0, 3.4 + len(columns)))
    shaded_table(axes, shades, texts, limits=(0, 1.6), bold=shades.to_numpy() > 0)
    axes.axhline(0.5, color=GREY, linewidth=0.8)
    axes.set_xlabel("patient")
    return figure
