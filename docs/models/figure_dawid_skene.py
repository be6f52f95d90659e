"""Draw the picture of the page about Dawid and Skene's model.

    python docs/models/figure_dawid_skene.py

Left, the confusion matrices of the five annotators of the anesthesia data, by maximum likelihood
from the votes; right, the log likelihood of the solutions that EM reaches from 200 random starts,
those within seven of the best.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from annobench import datasets
from annobench.errors import DegenerateWarning
from annobench.models import dawid_skene
from annobench.models.dawid_skene_optima import restarts
from annobench.plotting import BLUE, GREY, INK, VERMILION, house_figure, save_figure


def heat_map(axes, matrix: np.ndarray, title: str, *, first: bool) -> None:
    """Draw one confusion matrix, its numbers in it."""
    axes.imshow(matrix, cmap="Blues", vmin=0, vmax=1.15)
    for (k, label), value in np.ndenumerate(matrix):
        if value >= 0.005:
            colour = "white" if value > 0.6 else INK
            text = f"{value:.2f}".lstrip("0") if value < 0.995 else "1"
            axes.text(label, k, text, ha="center", va="center", fontsize=7, color=colour)
    places = np.arange(len(matrix))
    axes.set_xticks(places, [str(p + 1) for p in places])
    axes.set_yticks(places, [str(p + 1) for p in places] if first else [""] * len(places))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(title)
    axes.set_xlabel("label")
    if first:
        axes.set_ylabel("category")


def optima(axes, found, published: float) -> None:
    """Draw the log likelihood of each solution against the number of starts that reach it."""
    starts = found.table[found.table["start"].str.startswith("random")]
    reached = starts["optimum"].value_counts()
    for number, times in reached.items():
        value = found.fits[number].log_likelihood
        is_published = abs(value - published) < 1e-6
        colour = VERMILION if is_published else BLUE if number == 0 else GREY
        axes.plot([0, times], [value, value], color=colour, linewidth=1.4)
        axes.plot(times, value, "s" if is_published else "o", color=colour, markersize=5)
        note = "1979" if is_published else "best" if number == 0 else ""
        axes.annotate(note, (times, value), (6, -3), textcoords="offset points", fontsize=8)
    axes.set_xlim(0, reached.max() * 1.45)
    axes.set_ylim(found.best.log_likelihood - 7, found.best.log_likelihood + 0.7)
    axes.set_title("Local optima")
    axes.set_xlabel("random starts, of 200")
    axes.set_ylabel("log likelihood")


def main() -> None:
    """Fit, draw, and write the picture beside this script."""
    annotations = datasets.load("anesthesia", mode="real").annotations
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        settings = {"smoothing": 0, "tolerance": 1e-12, "max_iterations": 10_000}
        fitted = dawid_skene.fit(annotations, **settings)
        found = restarts(annotations, rng=np.random.default_rng(1), n_random=200, **settings)
    with house_figure(6, height=2.4) as (figure, panels):
        figure.set_size_inches(12, 2.4)
        for j, name in enumerate(fitted.annotators):
            heat_map(panels[j], fitted.confusion[j], f"Annotator {name}", first=j == 0)
        optima(panels[5], found, fitted.log_likelihood)
        save_figure(figure, Path(__file__).with_name("dawid-skene"))


if __name__ == "__main__":
    main()
