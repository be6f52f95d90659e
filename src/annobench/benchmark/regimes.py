"""Simulated labels by known kinds of annotators, with the true categories as gold standard.

Four kinds satisfy the assumption of most models that annotators err independently with individual
probabilities; the others violate it, or have few labels per annotator. By default the first
category is twice as frequent as each other, and each item has L distinct annotators chosen at
random.
"""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from annobench.benchmark.cases import BenchmarkCase
from annobench.labels.annotations import Annotations

__all__ = ["KINDS", "Design", "Labels", "simulate", "simulate_regimes"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Design:
    """The size of a regime.

    Attributes
    ----------
    n_categories : int
        K, at least 2.
    labels_per_item : int
        L; its meaning depends on the kind.
    n_items, n_annotators : int
        I and J.
    """

    n_categories: int
    labels_per_item: int
    n_items: int
    n_annotators: int


@dataclass(frozen=True, eq=False)
class Labels:
    """Simulated labels.

    Attributes
    ----------
    category : ndarray of int, shape (I,)
        The gold standard.
    item, annotator, label : ndarray of int, shape (N,)
        Codes.
    """

    category: Codes
    item: Codes
    annotator: Codes
    label: Codes


def simulate_regimes(settings: Mapping[str, Any], seed: int) -> list[BenchmarkCase]:
    """Simulate all regimes in the settings.

    Parameters
    ----------
    settings : mapping
        Numbers `items` and `annotators`; `crossed` has mappings of lists, `kinds`, `categories`
        and `labels_per_item`, the elements of which are crossed.
    seed : int
        Seed of the simulation.

    Returns
    -------
    list of BenchmarkCase
        One per regime.
    """
    return [
        simulate(
            kind,
            n_categories=n_categories,
            labels_per_item=n_labels,
            n_items=settings["items"],
            n_annotators=settings["annotators"],
            seed=seed,
        )
        for part in settings["crossed"]
        for kind, n_categories, n_labels in product(
            part["kinds"], part["categories"], part["labels_per_item"]
        )
    ]


def simulate(
    kind: str,
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
    kind : str
        One of `KINDS`, whose functions state the generative models.
    n_categories : int
        K, at least 2.
    labels_per_item : int
        L, at most `n_annotators`.
    n_items, n_annotators : int
        I and J.
    seed : int
        Together with the other arguments it seeds the generator.

    Returns
    -------
    BenchmarkCase
        Case whose name has kind, K and L.

    Raises
    ------
    ValueError
        If the kind is unknown, or there are fewer annotators than labels per item.
    """
    if kind not in KINDS:
        raise ValueError(f"simulate: kind must be one of {tuple(KINDS)}, got {kind!r}.")
    if labels_per_item > n_annotators:
        raise ValueError(
            f"simulate: {labels_per_item} labels per item need at least as many annotators, got "
            f"{n_annotators}."
        )
    design = Design(n_categories, labels_per_item, n_items, n_annotators)
    size = (n_categories, labels_per_item, n_items, n_annotators)
    found = KINDS[kind](design, np.random.default_rng([seed, zlib.crc32(kind.encode()), *size]))
    return BenchmarkCase(
        f"{kind}, K = {n_categories}, {labels_per_item} labels",
        Annotations.from_arrays(
            found.item,
            found.annotator,
            found.label,
            items=range(n_items),
            annotators=range(max(n_annotators, int(found.annotator.max()) + 1)),
            categories=range(n_categories),
        ),
        found.category,
        "regime",
        inspect.getdoc(KINDS[kind]) or "",
    )


def _good(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate good annotators: accuracy from beta(17, 3), mean 0.85; uniform errors."""
    return _by_confusion(_even(_good_rates(design, rng), design.n_categories), design, rng)


def _mixed(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate annotators with accuracy uniform on [1/K, 0.95] and uniform errors."""
    return _by_confusion(_even(_mixed_rates(design, rng), design.n_categories), design, rng)


def _spam(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate good annotators and spammers, half each."""
    k, spammers = design.n_categories, design.n_annotators // 2
    confusion = _even(_good_rates(design, rng), k)
    confusion[:spammers] = rng.dirichlet(np.ones(k), spammers)[:, None, :]
    return _by_confusion(confusion, design, rng)


def _adversarial(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate good annotators and 30% who always give the next category."""
    others = round(0.3 * design.n_annotators)
    confusion = _even(_good_rates(design, rng), design.n_categories)
    confusion[:others] = np.roll(confusion[:others], 1, axis=2)
    return _by_confusion(confusion, design, rng)


def _correlated(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate annotators who make the same errors on the same items."""
    k = design.n_categories
    category = _categories(design, rng)
    item, annotator = _assigned(design, rng)
    alike = (np.arange(k) + rng.integers(1, k, k)) % k
    deceptive = rng.random(design.n_items) < 0.25
    taken_in = rng.beta(5, 5, design.n_annotators)
    label = _labels(_right(_good_rates(design, rng)[annotator], category[item], k), rng)
    fooled = deceptive[item] & (rng.random(item.size) < taken_in[annotator])
    return Labels(category, item, annotator, np.where(fooled, alike[category[item]], label))


def _difficulty(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate items of different difficulty."""
    category = _categories(design, rng)
    item, annotator = _assigned(design, rng)
    ability = rng.normal(1.5, 1, design.n_annotators)
    ease = np.exp(rng.normal(0, 1, design.n_items))
    right = 1 / (1 + np.exp(-ability[annotator] * ease[item]))
    label = _labels(_right(right, category[item], design.n_categories), rng)
    return Labels(category, item, annotator, label)


def _drift(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate annotators whose accuracy declines."""
    category = _categories(design, rng)
    item, annotator = _assigned(design, rng)
    start = _good_rates(design, rng)
    end = rng.uniform(np.minimum(1 / design.n_categories, start), start)
    passed = item / max(design.n_items - 1, 1)
    right = start[annotator] + passed * (end - start)[annotator]
    label = _labels(_right(right, category[item], design.n_categories), rng)
    return Labels(category, item, annotator, label)


def _few(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate items with 1 to L labels (uniform), by annotators as in `mixed`."""
    full = _mixed(design, rng)
    wanted = rng.integers(1, design.labels_per_item + 1, design.n_items)
    rank = np.tile(np.arange(design.labels_per_item), design.n_items)
    kept = rank < wanted[full.item]
    return Labels(full.category, full.item[kept], full.annotator[kept], full.label[kept])


def _long_tail(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate annotators with 1 to 100 labels, most with few."""
    most, wanted = min(100, design.n_items), design.n_items * design.labels_per_item
    sizes: list[int] = []
    while sum(sizes) < wanted:
        sizes.append(round(most ** rng.random()))
    item = np.concatenate([rng.choice(design.n_items, n, replace=False) for n in sizes])
    annotator = np.repeat(np.arange(len(sizes)), sizes)
    category = _categories(design, rng)
    right = rng.uniform(1 / design.n_categories, 0.95, len(sizes))
    label = _labels(_right(right[annotator], category[item], design.n_categories), rng)
    return Labels(category, item, annotator, label)


def _imbalance(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate good annotators, with prevalence 0.02 of every category except the first."""
    k = design.n_categories
    share = np.r_[1 - 0.02 * (k - 1), np.full(k - 1, 0.02)]
    confusion = _even(_good_rates(design, rng), k)
    return _by_confusion(confusion, design, rng, rng.choice(k, design.n_items, p=share))


def _many(design: Design, rng: np.random.Generator) -> Labels:
    """Simulate many categories that are confused with their neighbours."""
    k = design.n_categories
    right = rng.uniform(0.3, 0.95, design.n_annotators)
    confusion = _even(right, k)
    near = (np.roll(np.eye(k), 1, axis=1) + np.roll(np.eye(k), -1, axis=1)) / 2
    wrong = (1 - np.eye(k)) / (k - 1)
    errors = 0.8 * near + 0.2 * wrong
    confusion = right[:, None, None] * np.eye(k) + (1 - right)[:, None, None] * errors
    return _by_confusion(confusion, design, rng)


#: The generative models of regimes, by the names of their kinds.
KINDS: Final[Mapping[str, Callable[[Design, np.random.Generator], Labels]]] = MappingProxyType(
    {
        each.__name__.removeprefix("_"): each
        for each in (
            *(_good, _mixed, _spam, _adversarial),
            *(_correlated, _difficulty, _drift, _few, _long_tail, _imbalance, _many),
        )
    }
)


def _good_rates(design: Design, rng: np.random.Generator) -> Floats:
    return rng.beta(17, 3, design.n_annotators)


def _mixed_rates(design: Design, rng: np.random.Generator) -> Floats:
    return rng.uniform(1 / design.n_categories, 0.95, design.n_annotators)


def _even(right: Floats, k: int) -> Floats:
    """Return confusion matrices with uniform errors, shape (J, K, K)."""
    off = (1 - right) / (k - 1)
    return np.asarray(off[:, None, None] + (right - off)[:, None, None] * np.eye(k))


def _categories(design: Design, rng: np.random.Generator) -> Codes:
    k = design.n_categories
    share = np.r_[2.0, np.ones(k - 1)] / (k + 1)
    return rng.choice(k, design.n_items, p=share).astype(np.int64)


def _assigned(design: Design, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Choose the annotators of each item; return item and annotator of each label."""
    n_items, n_labels = design.n_items, design.labels_per_item
    chosen = rng.random((n_items, design.n_annotators)).argsort(axis=1)[:, :n_labels]
    return np.repeat(np.arange(n_items), n_labels), chosen.ravel()


def _right(right: Floats, category: Codes, k: int) -> Floats:
    """Return label probabilities for given accuracies, with uniform errors, shape (N, K)."""
    off = (1 - right) / (k - 1)
    share = np.repeat(off[:, None], k, axis=1)
    share[np.arange(category.size), category] = right
    return share


def _labels(share: Floats, rng: np.random.Generator) -> Codes:
    """Draw a label from each row of probabilities."""
    bounds = np.cumsum(share, axis=1)[:, :-1]
    return np.asarray((rng.random(len(share))[:, None] >= bounds).sum(axis=1))


def _by_confusion(
    confusion: Floats, design: Design, rng: np.random.Generator, category: Codes | None = None
) -> Labels:
    """Draw labels independently given the categories."""
    category = _categories(design, rng) if category is None else category.astype(np.int64)
    item, annotator = _assigned(design, rng)
    return Labels(category, item, annotator, _labels(confusion[annotator, category[item]], rng))
