"""Simulated labels of annotators of known kinds, with their categories as gold standard."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations
from annobench.studies.benchmark.cases import BenchmarkCase

Floats = NDArray[np.float64]
Kind = Literal["good", "mixed", "spam", "adversarial"]

KINDS: Final[tuple[Kind, ...]] = ("good", "mixed", "spam", "adversarial")


def simulate_regimes(settings: Mapping[str, Any], seed: int) -> list[BenchmarkCase]:
    """Simulate all regimes that settings ask for.

    Parameters
    ----------
    settings : mapping
        Lists categories and labels_per_item, which are crossed with `KINDS`, and numbers items and
        annotators.
    seed : int
        Of the simulation.

    Returns
    -------
    list of BenchmarkCase
        One a regime.
    """
    crossed = product(KINDS, settings["categories"], settings["labels_per_item"])
    return [
        simulate(
            kind,
            n_categories=n_categories,
            labels_per_item=n_labels,
            n_items=settings["items"],
            n_annotators=settings["annotators"],
            seed=seed,
        )
        for kind, n_categories, n_labels in crossed
    ]


def simulate(
    kind: Kind,
    *,
    n_categories: int,
    labels_per_item: int,
    n_items: int,
    n_annotators: int,
    seed: int,
) -> BenchmarkCase:
    """Simulate labels of annotators of one kind, with known categories as gold standard.

    Parameters
    ----------
    kind : {"good", "mixed", "spam", "adversarial"}
        An annotator has one probability of being right, and errs evenly. In "good" it is drawn
        from beta(17, 3), with mean 0.85; in "mixed" evenly between chance, 1/K, and 0.95. In
        "spam" half of the annotators are good, and the others draw labels from a uniform
        Dirichlet distribution of their own without regard to the item. In "adversarial" seven in
        ten are good, and the others say the next category where the good say the right one.
    n_categories : int
        K, at least 2. The first category is twice as frequent as each other.
    labels_per_item : int
        By different annotators, chosen evenly; at most `n_annotators`.
    n_items, n_annotators : int
        I and J.
    seed : int
        With the other arguments it makes the generator.

    Returns
    -------
    BenchmarkCase
        Its name tells kind, K and labels per item.

    Raises
    ------
    ValueError
        If the kind is unknown, or there are fewer annotators than labels an item.
    """
    if kind not in KINDS:
        raise ValueError(f"simulate: kind must be one of {KINDS}, got {kind!r}.")
    if labels_per_item > n_annotators:
        raise ValueError(
            f"simulate: {labels_per_item} labels per item need as many annotators, "
            f"got {n_annotators}."
        )
    size = (n_categories, labels_per_item, n_items, n_annotators)
    rng = np.random.default_rng([seed, KINDS.index(kind), *size])
    share = np.r_[2.0, np.ones(n_categories - 1)] / (n_categories + 1)
    category = rng.choice(n_categories, n_items, p=share)
    confusion = _confusions(kind, n_annotators, n_categories, rng)
    chosen = rng.random((n_items, n_annotators)).argsort(axis=1)[:, :labels_per_item]
    item, annotator = np.repeat(np.arange(n_items), labels_per_item), chosen.ravel()
    bounds = np.cumsum(confusion[annotator, category[item]], axis=1)[:, :-1]
    label = (rng.random(item.size)[:, None] >= bounds).sum(axis=1)
    return BenchmarkCase(
        f"{kind}, K = {n_categories}, {labels_per_item} labels",
        Annotations.from_arrays(
            item,
            annotator,
            label,
            items=range(n_items),
            annotators=range(n_annotators),
            categories=range(n_categories),
        ),
        category.astype(np.int64),
        "simulated",
    )


def _confusions(kind: Kind, n_annotators: int, k: int, rng: np.random.Generator) -> Floats:
    """Draw the confusion matrices of annotators, shape (J, K, K)."""
    right = rng.beta(17, 3, n_annotators)
    if kind == "mixed":
        right = rng.uniform(1 / k, 0.95, n_annotators)
    off = (1 - right) / (k - 1)
    result = off[:, None, None] + (right - off)[:, None, None] * np.eye(k)
    if kind == "spam":
        spammers = n_annotators // 2
        result[:spammers] = rng.dirichlet(np.ones(k), spammers)[:, None, :]
    if kind == "adversarial":
        others = round(0.3 * n_annotators)
        result[:others] = np.roll(result[:others], 1, axis=2)
    return np.asarray(result)
