"""Simulators of labels with dependent errors, in regimes that differ in the cause.

A world is a draw of all parameters: numbers of items, annotators, categories and labels, the
annotators' accuracy, and the strength of dependence between labels of an item given its category.
Strengths range from none to strong, so that a method tuned on many worlds can rely neither on
independence nor on dependence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations

__all__ = ["REGIMES", "DependentPanel", "simulate"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DependentPanel(Summarised):
    """Labels by annotators whose errors may be dependent.

    Attributes
    ----------
    annotations : Annotations
        The labels; every item has some.
    category : ndarray of int, shape (I,)
        The true categories.
    """

    annotations: Annotations
    category: Codes

    def summary(self) -> pd.DataFrame:
        """Return how often items of each category were given each label.

        Returns
        -------
        DataFrame
            Numbers of labels; a row for each true category and a column for each label.
        """
        a = self.annotations
        k = a.n_categories
        cells = self.category[a.item] * k + a.label
        return pd.DataFrame(
            np.bincount(cells, minlength=k * k).reshape(k, k),
            index=pd.Index(a.categories, name="category"),
            columns=pd.Index(a.categories, name="label"),
        )

    def _headline(self) -> str:
        a = self.annotations
        return f"{a.n_items:,} items, {a.n_annotators:,} annotators, {a.n_labels:,} labels"


@dataclass(frozen=True, eq=False)
class _Design:
    """The design, and annotators' confusion matrices on typical items."""

    item: Codes
    annotator: Codes
    category: Codes
    confusion: Floats


def _design(rng: np.random.Generator, n_items: int | None) -> _Design:
    """Draw a design: confusion matrices from a Dirichlet population, loads that differ a lot."""
    k = int(rng.choice([2, 2, 3, 4, 5]))
    n_items = int(np.exp(rng.uniform(np.log(100), np.log(600)))) if n_items is None else n_items
    per_item = float(rng.choice([3, 5, 5, 7, 10, 20]))
    mean_load = np.exp(rng.uniform(np.log(15), np.log(150)))
    n_annotators = max(int(n_items * per_item / mean_load), int(per_item) + 2)
    prevalence = 0.9 * rng.dirichlet(np.full(k, 4.0)) + 0.1 / k
    category = rng.choice(k, n_items, p=prevalence)
    busy = np.log(rng.gamma(0.8, size=n_annotators) + 1e-3)
    counts = np.full(n_items, int(per_item))
    if rng.random() < 0.5:  # half of the designs are unbalanced
        counts = np.clip(rng.poisson(per_item, n_items), 1, n_annotators)
    # The largest of log weights with Gumbel noise are a sample without replacement.
    keys = busy + rng.gumbel(size=(n_items, n_annotators))
    order = np.argsort(-keys, axis=1)
    item = np.repeat(np.arange(n_items), counts)
    place = np.arange(item.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return _Design(item, order[item, place], category, _confusions(rng, n_annotators, k))


def _confusions(rng: np.random.Generator, n_annotators: int, k: int) -> Floats:
    """Draw confusion matrices about a mean one, some of them of spammers."""
    right = rng.uniform(0.5 + 0.2 / k, 0.92, size=k)
    mean = np.zeros((k, k))
    for row in range(k):
        wrong = rng.dirichlet(np.ones(k - 1))
        mean[row, np.arange(k) != row] = (1 - right[row]) * wrong
        mean[row, row] = right[row]
    mean = 0.97 * mean + 0.03 / k
    concentration = np.exp(rng.uniform(np.log(3), np.log(40)))
    gammas = rng.standard_gamma(np.broadcast_to(concentration * mean, (n_annotators, k, k))) + 1e-9
    confusion = gammas / gammas.sum(axis=2, keepdims=True)
    spam = rng.random(n_annotators) < rng.choice([0.0, 0.1, 0.25])
    confusion[spam] = rng.dirichlet(np.ones(k), size=(int(spam.sum()), 1))
    return np.asarray(confusion)


def _drawn(rng: np.random.Generator, probability: Floats) -> Codes:
    """Draw a category from each row of weights."""
    edges = probability.cumsum(axis=1)
    return np.asarray((rng.random((len(edges), 1)) * edges[:, -1:] > edges).sum(axis=1))


def _own(design: _Design) -> Floats:
    """Return the probabilities of each label without dependence, shape (N, K)."""
    return np.asarray(design.confusion[design.annotator, design.category[design.item]])


def _independent(rng: np.random.Generator, design: _Design) -> Codes:
    """Labels are independent given the category."""
    return _drawn(rng, _own(design))


def _difficulty(rng: np.random.Generator, design: _Design) -> Codes:
    """On a hard item all annotators guess, evenly or by how common categories are."""
    first, second = map(float, rng.choice([[0.5, 1.0], [1.0, 2.0], [0.3, 0.6]]))
    hard = rng.beta(first, second, size=design.category.size)
    share, k = hard[design.item][:, None], design.confusion.shape[1]
    guess = np.bincount(design.category, minlength=k) / design.category.size
    if rng.random() < 0.5:
        guess = np.full(k, 1 / k)
    return _drawn(rng, (1 - share) * _own(design) + share * guess)


def _effects(rng: np.random.Generator, design: _Design) -> Codes:
    """Each item draws to some labels and off others: normal effects on log probabilities."""
    spread = rng.uniform(0.3, 2.0)
    effect = rng.normal(0, spread, size=(design.category.size, design.confusion.shape[1]))
    return _drawn(rng, _own(design) * np.exp(effect)[design.item])


def _dirichlet(rng: np.random.Generator, design: _Design) -> Codes:
    """Each item has label probabilities of its own, Dirichlet about the mean row, half followed."""
    mean = design.confusion.mean(axis=0)[design.category]
    concentration = np.exp(rng.uniform(np.log(0.7), np.log(20)))
    gammas = rng.standard_gamma(concentration * mean) + 1e-9
    of_item = gammas / gammas.sum(axis=1, keepdims=True)
    follow = rng.uniform(0.3, 1.0, size=len(design.confusion))[design.annotator][:, None]
    return _drawn(rng, follow * of_item[design.item] + (1 - follow) * _own(design))


def _misleading(rng: np.random.Generator, design: _Design) -> Codes:
    """Some items look like another category, and annotators label what they look like."""
    k = design.confusion.shape[1]
    other = (design.category + rng.integers(1, k, size=design.category.size)) % k
    misled = rng.random(design.category.size) < rng.uniform(0, 0.25)
    seen = rng.random(design.item.size) < rng.uniform(0.5, 1.0)
    looks = np.where(misled[design.item] & seen, other[design.item], design.category[design.item])
    return _drawn(rng, design.confusion[design.annotator, looks])


def _groups(rng: np.random.Generator, design: _Design) -> Codes:
    """Annotators of one group share a judgement of an item, which most of them report."""
    n_groups = int(rng.integers(2, 5))
    group = rng.integers(n_groups, size=len(design.confusion))
    mean = np.stack(
        [
            design.confusion[group == g].mean(axis=0)
            if (group == g).any()
            else design.confusion.mean(axis=0)
            for g in range(n_groups)
        ]
    )
    judged = np.stack([_drawn(rng, mean[g][design.category]) for g in range(n_groups)])
    label = _drawn(rng, _own(design))
    report = rng.random(label.size) < rng.uniform(0, 0.8)
    return np.where(report, judged[group[design.annotator], design.item], label)


def _trait(rng: np.random.Generator, design: _Design) -> Codes:
    """Categories cut a scale; all perceive an item with one shared error and one of their own."""
    k = design.confusion.shape[1]
    share = np.bincount(design.category, minlength=k) / design.category.size
    rank = (rng.random(design.category.size) * share[design.category]) + np.r_[
        0, share.cumsum()[:-1]
    ][design.category]
    value = np.sqrt(12) * (rank - 0.5)  # of variance 1
    shared = value + rng.normal(0, rng.uniform(0.0, 0.8), size=value.size)
    noise = np.exp(rng.normal(np.log(rng.uniform(0.3, 0.9)), 0.4, size=len(design.confusion)))
    bias = rng.normal(0, rng.uniform(0, 0.3), size=len(design.confusion))
    seen = shared[design.item] + rng.normal(bias[design.annotator], noise[design.annotator])
    return np.asarray(np.searchsorted(np.sqrt(12) * (share.cumsum()[:-1] - 0.5), seen))


#: The regimes by name; each draws labels for a design.
REGIMES: Mapping[str, Callable[[np.random.Generator, _Design], Codes]] = MappingProxyType(
    {
        "independent": _independent,
        "difficulty": _difficulty,
        "effects": _effects,
        "dirichlet": _dirichlet,
        "misleading": _misleading,
        "groups": _groups,
        "trait": _trait,
    }
)


def simulate(
    regime: str, *, n_items: int | None = None, rng: np.random.Generator | int | None = None
) -> DependentPanel:
    """Draw a world of a regime, and its labels.

    Parameters
    ----------
    regime : str
        A name in `REGIMES`: "independent" given the category; "difficulty", by which all guess
        more often on some items; "effects", by which an item draws to some labels; "dirichlet",
        label probabilities of the item's own; "misleading", items that look like another category;
        "groups" of annotators with one judgement each; a "trait" that all perceive with a shared
        error, cut into ordered categories.
    n_items : int, optional
        I; by default drawn between 100 and 600.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    DependentPanel
        Labels and true categories, of two to five categories and three to twenty labels per item.

    Raises
    ------
    ValueError
        If there is no such regime.

    Examples
    --------
    >>> simulate("groups", n_items=50, rng=1).category.shape
    (50,)
    """
    if regime not in REGIMES:
        raise ValueError(
            f"dependent.simulate: regime must be one of {', '.join(REGIMES)}, got {regime!r}."
        )
    rng = np.random.default_rng(rng)
    design = _design(rng, n_items)
    label = REGIMES[regime](rng, design)
    annotations = Annotations.from_arrays(
        design.item,
        design.annotator,
        label,
        items=range(design.category.size),
        annotators=range(len(design.confusion)),
        categories=range(design.confusion.shape[1]),
    )
    return DependentPanel(annotations, design.category)
