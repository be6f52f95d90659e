"""What pictures have in common: the labels they are drawn from, and where they are written."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from annobench import datasets
from annobench.core.files import replacing
from annobench.labels.annotations import Annotations
from annobench.models.base import best_categories

DOCS = Path(__file__).parents[1]


def save(figure: Figure, place: str) -> None:
    """Write a picture beside the page that shows it, as SVG alone.

    Parameters
    ----------
    figure : Figure
        Drawn in the house style.
    place : str
        Folder and name of the page, without ending.
    """
    with replacing(DOCS / f"{place}.svg") as draft:
        figure.savefig(draft, format="svg", metadata={"Date": None})


@cache
def entailment() -> tuple[Annotations, np.ndarray]:
    """Return Snow's labels of textual entailment and the gold categories of the items."""
    loaded = datasets.load("snow2008_rte", mode="real")
    return loaded.annotations, loaded.gold


def rates_of(annotations: Annotations, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of right labels of each annotator by true category, and their numbers."""
    truth = gold[annotations.item]
    cell = annotations.annotator * annotations.n_categories + truth
    shape = annotations.n_annotators, annotations.n_categories
    number = np.bincount(cell, minlength=np.prod(shape)).reshape(shape)
    right = np.bincount(cell, annotations.label == truth, minlength=np.prod(shape)).reshape(shape)
    with np.errstate(invalid="ignore"):
        return right / number, number


def shares_right(annotations: Annotations, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of right labels of each annotator, and the number of labels."""
    rates, number = rates_of(annotations, gold)
    total = number.sum(axis=1)
    return np.nansum(rates * number, axis=1) / total, total


def labelled(confusion: np.ndarray, truth: np.ndarray, number: np.ndarray, rng) -> Annotations:
    """Simulate annotators by their confusion matrices, each labelling a number of the items."""
    k = confusion.shape[2]
    chosen = [rng.choice(truth.size, size=n, replace=False) for n in number]
    item = np.concatenate(chosen)
    annotator = np.repeat(np.arange(len(number)), number)
    edges = confusion[annotator, truth[item]].cumsum(axis=1)
    label = (rng.random((item.size, 1)) > edges).sum(axis=1).clip(max=k - 1)
    return Annotations.from_arrays(
        item,
        annotator,
        label,
        items=range(truth.size),
        annotators=range(len(number)),
        categories=range(k),
    )


def shared_accuracy(posterior: np.ndarray, gold: np.ndarray) -> float:
    """Return the accuracy, counting one of t best categories as 1/t."""
    best = best_categories(posterior)
    return float((best[np.arange(gold.size), gold] / best.sum(axis=1)).mean())
