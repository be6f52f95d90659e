"""Generative helpers shared by the simulators of data sets.

Items come in forms, as on a crowdsourcing site: an annotator who takes a form labels all
of its items, and a form is taken by a fixed number of different annotators. How many
forms each annotator takes is given by the published distribution of loads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from annobench.datasets.base import DataTables
from annobench.labels.annotations import Scale
from annobench.simulation import difficulty as difficulties
from annobench.simulation.difficulty import (
    EVEN,
    Difficulty,
    appearances,
    confusion_by_appearance,
    draw_appearance,
)


@dataclass(frozen=True)
class Forms:
    """How items are bundled and given out.

    Attributes
    ----------
    n_items : int
        Number of items I.
    items_per_form : int
        Items on a form; the last form has what is left.
    annotators_per_form : int
        How many annotators label each form.
    loads : tuple of (int, int)
        Pairs of a number of forms and how many annotators took that many.
    """

    n_items: int
    items_per_form: int
    annotators_per_form: int
    loads: tuple[tuple[int, int], ...]

    @property
    def n_forms(self) -> int:
        """The number of forms."""
        return -(-self.n_items // self.items_per_form)

    @property
    def load(self) -> NDArray[np.int64]:
        """Forms taken by each annotator, shape (J,)."""
        forms, annotators = np.array(self.loads).T
        return np.repeat(forms, annotators)


@dataclass(frozen=True, eq=False)
class Given:
    """Who labels what: codes of shape (N,), and the submission each label belongs to."""

    item: NDArray[np.int64]
    annotator: NDArray[np.int64]
    submission: NDArray[np.int64]


def take_forms(
    rng: np.random.Generator, n_forms: int, annotators_per_form: int, load: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose forms for annotators so that every form and every load is met exactly."""
    assert load.sum() == n_forms * annotators_per_form
    room = np.full(n_forms, annotators_per_form)
    forms, takers = [], []
    # The greedy order (largest load first, emptiest forms first) never gets stuck
    # (Gale-Ryser); ties are broken at random.
    for annotator in np.argsort(-load, kind="stable"):
        chosen = np.lexsort((rng.random(n_forms), -room))[: load[annotator]]
        room[chosen] -= 1
        forms.append(chosen)
        takers.append(np.full(chosen.size, annotator))
    assert not room.any()
    return np.concatenate(forms), np.concatenate(takers)


def give_out(rng: np.random.Generator, forms: Forms) -> Given:
    """Give forms to annotators and return a row for each label, in the order of the items."""
    form, annotator = take_forms(rng, forms.n_forms, forms.annotators_per_form, forms.load)
    of_form = np.argsort(form, kind="stable").reshape(forms.n_forms, forms.annotators_per_form)
    item = np.arange(forms.n_items)
    submission = of_form[item // forms.items_per_form].ravel()
    return Given(np.repeat(item, forms.annotators_per_form), annotator[submission], submission)


@dataclass(frozen=True)
class Stratum:
    """Annotators of a range of loads, and their confusion matrices.

    Attributes
    ----------
    min_forms : int
        The minimum load; a stratum ends where the next begins.
    confusion : tuple of tuple of float
        Mean confusion matrix: given a category (row), the share of each label.
    concentration : tuple of float
        For each row, the concentration of the Dirichlet distribution from which an
        annotator's own row is drawn; the larger, the more alike the annotators.
    """

    min_forms: int
    confusion: tuple[tuple[float, ...], ...]
    concentration: tuple[float, ...]


def draw_confusions(
    rng: np.random.Generator, strata: tuple[Stratum, ...], load: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Draw each annotator's confusion matrix, shape (J, K, K)."""
    stratum = np.searchsorted([s.min_forms for s in strata], load, side="right") - 1
    means = np.array([s.confusion for s in strata])[stratum]
    concentration = np.array([s.concentration for s in strata])[stratum]
    gammas = rng.standard_gamma(means * concentration[:, :, None])
    # A row of small parameters can underflow to zero; its mean is used instead.
    gammas = np.where(gammas.sum(axis=2, keepdims=True) > 0, gammas, means)
    result: NDArray[np.float64] = gammas / gammas.sum(axis=2, keepdims=True)
    return result


def draw_labels(
    rng: np.random.Generator,
    confusion: NDArray[np.float64],
    annotator: NDArray[np.int64],
    category: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Draw a label from the annotator's row of the item's category, for each label."""
    bounds = np.cumsum(confusion, axis=2)[annotator, category]
    bounds[:, -1] = 1.0
    return np.asarray((rng.random(annotator.size)[:, None] >= bounds).sum(axis=1))


def err_together(
    rng: np.random.Generator,
    strata: tuple[Stratum, ...],
    load: NDArray[np.int64],
    annotator: NDArray[np.int64],
    item: NDArray[np.int64],
    category: NDArray[np.int64],
    difficulty: Difficulty,
) -> NDArray[np.int64]:
    """Draw labels of annotators who err together on items that are hard or mislead."""
    stratum = np.searchsorted([s.min_forms for s in strata], load, side="right") - 1
    means = np.array([s.confusion for s in strata])
    pooled = np.average(means[stratum], axis=0, weights=load)
    looks = appearances(pooled, difficulty.misleading)
    concentration = np.array([s.concentration for s in strata])[stratum]
    own = confusion_by_appearance(means, looks)[stratum]
    confusion = difficulties.draw_confusions(rng, own, concentration, load)
    seen = draw_appearance(rng, category, looks)
    return difficulties.draw_labels(rng, confusion, annotator, item, seen, difficulty.correlation)


def nominal(
    rng: np.random.Generator,
    forms: Forms,
    categories: tuple[str, ...],
    gold_counts: tuple[int, ...],
    strata: tuple[Stratum, ...],
    difficulty: Difficulty = EVEN,
) -> tuple[Given, pd.Series[str], pd.Series[str]]:
    """Simulate nominal labels: golds of given counts, a confusion matrix per annotator."""
    gold = rng.permutation(np.repeat(np.arange(len(categories)), gold_counts))
    given = give_out(rng, forms)
    label = err_together(rng, strata, forms.load, given.annotator, given.item, gold, difficulty)
    names = np.array(categories, dtype=object)
    return given, pd.Series(names[label], dtype="str"), pd.Series(names[gold], dtype="str")


@dataclass(frozen=True)
class Interval:
    """Calibrated labels on an interval scale.

    A label is a number whose rank is drawn from a normal distribution: the sum of what
    the item, the annotator and chance contribute. Ranks are turned into values by the
    published distribution, so that its range, rounding and heap of zeros are kept.

    Attributes
    ----------
    labels : tuple of float
        Values of equal share that stand for the published distribution of labels.
    golds : tuple of float
        The same of the gold standard.
    item_share, annotator_share : float
        Shares of the variance of ranks due to items and to annotators.
    gold_correlation : float
        Correlation between the item's contribution and the rank of its gold.
    """

    labels: tuple[float, ...]
    golds: tuple[float, ...]
    item_share: float
    annotator_share: float
    gold_correlation: float


def interval(
    rng: np.random.Generator, forms: Forms, spec: Interval
) -> tuple[Given, pd.Series[float], pd.Series[float]]:
    """Simulate labels on an interval scale."""
    given = give_out(rng, forms)
    item = rng.standard_normal(forms.n_items)
    annotator = rng.standard_normal(forms.load.size)
    noise = rng.standard_normal(given.item.size)
    rest = 1 - spec.item_share - spec.annotator_share
    rank = (
        np.sqrt(spec.item_share) * item[given.item]
        + np.sqrt(spec.annotator_share) * annotator[given.annotator]
        + np.sqrt(rest) * noise
    )
    own = rng.standard_normal(forms.n_items)
    r = spec.gold_correlation
    gold = r * item + np.sqrt(1 - r * r) * own
    return given, pd.Series(_values(rank, spec.labels)), pd.Series(_values(gold, spec.golds))


def _values(rank: NDArray[np.float64], values: tuple[float, ...]) -> NDArray[np.float64]:
    step = np.minimum((ndtr(rank) * len(values)).astype(int), len(values) - 1)
    return np.asarray(np.array(values, dtype=float)[step])


def numbered(codes: ArrayLike, prefix: str = "") -> pd.Series[str]:
    """Turn codes counted from 0 into names counted from 1."""
    return prefix + pd.Series(np.asarray(codes) + 1).astype("str")


def aggregates(tables: DataTables, scale: Scale) -> dict[str, float]:
    """Summarise tables by the aggregates that simulators are calibrated to."""
    labels, items = tables.labels, tables.items
    load = labels["annotator"].value_counts()
    result = {
        "n_items": len(items),
        "n_annotators": len(load),
        "n_labels": len(labels),
        "median_load": float(load.median()),
        "max_load": float(load.max()),
    }
    gold: pd.Series[Any] = labels["item"].map(items.set_index("item")["gold"])
    label = labels["label"]
    if scale == "interval":
        result |= {
            "mean": label.mean(),
            "sd": label.std(),
            "zeros": (label == 0).mean(),
            "item_sd": label.groupby(labels["item"]).mean().std(),
            "annotator_sd": label.groupby(labels["annotator"]).mean().std(),
            "gold_mean": items["gold"].mean(),
            "gold_sd": items["gold"].std(),
            "gold_r": label.corr(gold),
        }
        return {name: float(value) for name, value in result.items()}
    shares = label.value_counts(normalize=True)
    result |= {f"label:{name}": share for name, share in shares.items()}
    result |= {
        f"gold:{name}": share for name, share in items["gold"].value_counts(normalize=True).items()
    }
    groups = [(label.groupby(gold), "|")]
    if len(load) <= 10:
        groups.append((label.groupby(labels["annotator"]), "@"))
    for grouped, sign in groups:
        for group, given in grouped:
            shares = given.value_counts(normalize=True)
            result |= {f"label:{name}{sign}{group}": share for name, share in shares.items()}
    votes = pd.crosstab(labels["item"], label)
    result["unanimous"] = (votes.gt(0).sum(axis=1) == 1).mean()
    if items["gold"].notna().all():
        own = items.set_index("item")["gold"].reindex(votes.index)
        top = votes.eq(votes.max(axis=1), axis=0)
        right = top.to_numpy() & (votes.columns.to_numpy() == own.to_numpy()[:, None])
        result["vote_errors"] = (1 - right.any(axis=1) / top.sum(axis=1)).sum()
    return {name: float(value) for name, value in result.items()}
