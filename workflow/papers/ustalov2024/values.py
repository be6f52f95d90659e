"""Accuracies of seven methods, by how ties and repeated labels are treated."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, glad, kos, mace, mmsr, voting, wawa, weighted_voting
from annobench.models.base import best_categories
from annobench.resampling.proportions import proportion_interval
from annobench_replication.analysis import Effort
from annobench_replication.rows import interval_columns

#: The table's columns: D_Product, D_PosSent, S_Rel and S_Adult.
DATASETS = {
    "product": "ti_product",
    "senti_1k": "ti_sentiment",
    "rel": "ti_relevance",
    "adult": "ti_adult",
}
#: What the paper's code did not come to an end of.
NOT_PRINTED = ("mmsr", "product")
METHODS = ("mv", "wawa", "ds", "glad", "kos", "mace", "mmsr")
#: The release's default numbers of steps: of Dawid and Skene's model, and of MACE, all starts of
#: which are the same there, so that one is run.
EM_STEPS, MACE_STEPS = 100, 50
#: The release takes an expected count for no smaller than this; it is added to it here.
SMALLEST_COUNT = 1e-10
#: Starts of MACE: the even one, and random ones; and orders of items and annotators.
N_STARTS = {"full": 12, "quick": 2}
N_ORDERS = {"full": 3, "quick": 1}
STEPS = (2, 5, 10, 20, 50, 100, 200)
#: Steps at which a search ends in any case.
LIMIT = {"full": 2_000, "quick": 3}


class Accuracy(NamedTuple):
    """The accuracy of one method on one set of labels.

    Attributes
    ----------
    method : str
        Of `METHODS`.
    repeats : str
        Either "all", or "first": an annotator's first label of an item alone.
    n : int
        Items with a gold category.
    first, shared : float
        Of equally probable categories the first is taken, or each counts by its share.
    """

    method: str
    repeats: str
    n: int
    first: float
    shared: float


def fitted(labels: Annotations, seed: int, effort: Effort) -> dict[str, np.ndarray]:
    """Fit every method that takes the labels; give posteriors."""
    limit = LIMIT[effort]
    fits: dict[str, Callable[[], Any]] = {
        "mv": lambda: voting.fit(labels),
        "wawa": lambda: wawa_of_first(labels),
        "ds": lambda: after_steps(labels, min(EM_STEPS, limit)),
        "glad": lambda: glad.fit(labels, max_iterations=limit),
        "mace": lambda: mace.fit(
            labels, rng=seed, n_starts=1, tolerance=0, max_iterations=min(MACE_STEPS, limit)
        ),
        "mmsr": lambda: mmsr.fit(labels),
    }
    if labels.n_categories == 2:
        fits["kos"] = lambda: kos.fit(labels, rng=seed)
    return {method: fits[method]().posterior for method in METHODS if method in fits}


def wawa_of_first(labels: Annotations) -> Any:
    """Weight votes by agreement with the vote, of whose winners that tie the first counts alone."""
    first = voting.fit(labels).posterior.argmax(axis=1)
    right = np.bincount(labels.annotator, labels.label == first[labels.item])
    return weighted_voting.fit(labels, weights=right / np.bincount(labels.annotator))


def after_steps(labels: Annotations, n_steps: int) -> Any:
    """Fit Dawid and Skene's model by so many steps of EM; the start is made by the first."""
    return dawid_skene.fit(
        labels, smoothing=SMALLEST_COUNT, tolerance=0, max_iterations=n_steps - 1
    )


def accuracies(data: LoadedData, seed: int, effort: Effort) -> list[Accuracy]:
    """Score every method, on all labels and, where there are repeats, on the first ones."""
    found = []
    for repeats, labels in (("all", data.annotations), ("first", data.annotations.first_labels())):
        if repeats == "first" and labels.n_labels == data.annotations.n_labels:
            continue
        shared = score(wawa.fit(labels).posterior, data.gold)[2]
        for method, posterior in fitted(labels, seed, effort).items():
            row = Accuracy(method, repeats, *score(posterior, data.gold))
            # Ties also decide which annotators agree with the vote.
            found.append(row._replace(shared=shared) if method == "wawa" else row)
    return found


def score(posterior: np.ndarray, gold: np.ndarray) -> tuple[int, float, float]:
    """Give the number of items with gold, and the accuracy by both ways to break ties."""
    has_gold = gold >= 0
    posterior, gold = posterior[has_gold], gold[has_gold]
    best = best_categories(posterior)
    shares = best[np.arange(gold.size), gold] / best.sum(axis=1)
    return gold.size, float((best.argmax(axis=1) == gold).mean()), float(shares.mean())


def by_reading(found: Sequence[Accuracy]) -> dict[str, dict[str, float]]:
    """Give values by method, for the paper's reading and for the others."""
    readings = {
        "paper": {each.method: each.first for each in found if each.repeats == "all"},
        "ties shared": {each.method: each.shared for each in found if each.repeats == "all"},
        "first of repeated labels": {
            each.method: each.first for each in found if each.repeats == "first"
        },
    }
    return {name: values for name, values in readings.items() if values}


def table(found: Mapping[str, Sequence[Accuracy]]) -> pd.DataFrame:
    """Put all accuracies into one table, with intervals over items."""
    rows = []
    for dataset, accuracies in found.items():
        for each in accuracies:
            interval = proportion_interval(round(each.first * each.n), each.n)
            rows.append({"dataset": dataset, **each._asdict(), **interval_columns(interval)})
    return pd.DataFrame(rows)


def steps(data: LoadedData, effort: Effort) -> dict[int, float]:
    """Give the accuracy of Dawid and Skene's model after numbers of EM steps."""
    numbers = [n for n in STEPS if effort == "full" or n <= LIMIT[effort]]
    return {n: score(after_steps(data.annotations, n).posterior, data.gold)[1] for n in numbers}


def table_of_steps(found: Mapping[str, Mapping[int, float]]) -> pd.DataFrame:
    """Put the accuracies by steps into one table."""
    rows = [
        {"dataset": dataset, "steps": n, "accuracy": accuracy}
        for dataset, by_steps in found.items()
        for n, accuracy in by_steps.items()
    ]
    return pd.DataFrame(rows)


def mace_starts(data: LoadedData, effort: Effort) -> list[dict[str, Any]]:
    """Score MACE from several starts, after the release's steps and converged, and by EM.

    The even start is repeated on labels whose items and annotators stand in other orders, which
    should not matter.
    """
    labels, limit = data.annotations, LIMIT[effort]
    lengths: dict[str, dict[str, Any]] = {
        "release": {"tolerance": 0, "max_iterations": min(MACE_STEPS, limit)},
        "converged": {"max_iterations": limit},
    }
    rows = []
    for inference, ends in (("variational", ("release", "converged")), ("em", ("converged",))):
        for end in ends:
            options = {"n_starts": 1, "inference": inference} | lengths[end]
            for start in range(N_STARTS[effort]):
                found = mace.fit(labels, rng=start, even_start=start == 0, **options)
                rows.append(mace_row(inference, end, start, 0, found, data))
            for order in range(1, N_ORDERS[effort] + 1):
                found = mace.fit(reordered(labels, np.random.default_rng(order)), **options)
                rows.append(mace_row(inference, end, 0, order, found, data))
    return rows


def mace_row(
    inference: str, end: str, start: int, order: int, found: Any, data: LoadedData
) -> dict[str, Any]:
    """Score one fit, whose items may stand in another order."""
    place = {item: number for number, item in enumerate(found.items)}
    posterior = found.posterior[[place[item] for item in data.annotations.items]]
    return {
        **{"inference": inference, "steps": end, "start": start, "order": order},
        **{"accuracy": score(posterior, data.gold)[1], "objective": found.objective},
        **{"iterations": found.n_iterations, "converged": found.converged},
    }


def reordered(labels: Annotations, rng: np.random.Generator) -> Annotations:
    """Put items and annotators into other orders."""
    rows = rng.permutation(labels.n_labels)
    names = [labels.items, labels.annotators, labels.categories]
    codes = [labels.item[rows], labels.annotator[rows], labels.label[rows]]
    columns = [np.array(each)[code] for each, code in zip(names, codes, strict=True)]
    return Annotations.from_arrays(*columns, categories=labels.categories)


def table_of_mace(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> pd.DataFrame:
    """Put the accuracies of MACE by start into one table."""
    return pd.DataFrame([{"dataset": name, **row} for name, rows in found.items() for row in rows])
