"""What the notebooks of Li, Rubinstein and Cohn (2019) print, from the labels that they read."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr
from scipy.stats import norm

from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.models import bwa, ebcc, ibcc, voting
from annobench.models.base import best_categories

#: The data sets by the notebooks' names in lower case, in their order.
NAMES = {
    "fact": "ti_facts",
    "cf": "ti_cf",
    "ms": "ti_ms",
    "sp_amt": "ti_sp",
    "zc_all": "ti_zencrowd_all",
    "zc_in": "ti_zencrowd_in",
    "zc_us": "ti_zencrowd_us",
    "product": "ti_product",
    "senti_1k": "ti_sentiment",
    "adult": "ti_adult",
    "bird": "ti_bluebird",
    "dog": "ti_dog",
    "rte": "ti_rte",
    "trec": "ti_trec",
}
#: `num_groups` of test_ebcc.ipynb.
SUBTYPES = 10
#: Bounds that differ by less, in nats, are of one optimum.
SAME_OPTIMUM = 1.0

Prior = float | Literal["votes"]


class Ebcc(NamedTuple):
    """What is kept of a fit of EBCC.

    Attributes
    ----------
    right : ndarray
        As `rightness` computes it.
    bound : float
        As the notebook prints it.
    evidence_bound : float
        The lower bound of the log evidence.
    n_iterations : int
        Updates.
    """

    right: NDArray[np.float64]
    bound: float
    evidence_bound: float
    n_iterations: int


@cache
def distinct(data: LoadedData) -> Annotations:
    """Leave out exact repeats; other labels of an item by the same annotator stay."""
    again = data.labels.duplicated(["item", "annotator", "label"])
    return data.annotations.select(labels=~again.to_numpy())


def rightness(probability: ArrayLike, gold: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each item with gold the share of its best categories that is the gold one."""
    best = best_categories(np.asarray(probability))[gold >= 0]
    return best[np.arange(len(best)), gold[gold >= 0]] / best.sum(axis=1)


@cache
def right_by_method(data: LoadedData) -> dict[str, NDArray[np.float64]]:
    """Fit the methods without random starts, and say where they are right."""
    labels = distinct(data)
    found = {
        "voting": voting.fit(labels).posterior,
        "ibcc": stopped_as_theirs(partial(ibcc.fit, labels)).posterior,
        "bwa": values_of_bwa(labels),
    }
    return {name: rightness(values, data.gold) for name, values in found.items()}


@cache
def ebcc_from_seed(
    data: LoadedData, seed: int, subtypes: int, prior: Prior, max_iterations: int
) -> Ebcc:
    """Fit EBCC from the start that the authors' code draws with a seed."""
    fit = partial(
        ebcc.fit,
        distinct(data),
        start=division_of_seed(data, seed, subtypes),
        n_subtypes=subtypes,
        prevalence_prior=prior,
    )
    return summarised(stopped_as_theirs(fit, max_iterations), data)


def division_of_seed(data: LoadedData, seed: int, subtypes: int) -> NDArray[np.float64]:
    """Return the start that the authors' code draws with a seed."""
    # Items are numbers, and the start has a row for each number.
    number = np.array([int(name) for name in distinct(data).items])
    drawn = np.random.RandomState(seed).dirichlet(
        np.ones(subtypes), (number.max() + 1, data.annotations.n_categories)
    )
    return drawn[number]


def stopped_as_theirs(fit: Callable[..., Any], max_iterations: int = 500) -> Any:
    """Return a fit that stops as the authors' code does, which may be far from the optimum.

    It stops when NumPy's `allclose` says that an update moved no probability by .001. The number of
    updates is looked for among the powers of two, and then halved: changes shrink.
    """

    def after(n: int) -> Any:
        return fit(tolerance=0, max_iterations=n)

    def has_stopped(n: int) -> bool:
        return n > 1 and np.allclose(
            after(n - 1).posterior, after(n).posterior, rtol=1e-5, atol=1e-3
        )

    high = 2
    while high < max_iterations and not has_stopped(high):
        high *= 2
    low, high = high // 2, min(high, max_iterations)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if has_stopped(middle) else (middle, high)
    return after(high)


def summarised(fitted: Any, data: LoadedData) -> Ebcc:
    """Return accuracy and bounds of a fit of EBCC.

    The notebook's bound leaves out the normalising constants of the priors. With those parameters
    of which the items' posterior was made, it is the log normalising constants of the parameters'
    distributions and the entropy of the items.
    """
    bound = fitted.parameters.log_normalisers() + float(entr(fitted.subtypes).sum())
    right = rightness(fitted.posterior, data.gold)
    return Ebcc(right, bound, fitted.objective, fitted.n_iterations)


def values_of_bwa(labels: Annotations) -> NDArray[np.float64]:
    """Return the values of BWA as the authors' code stops: each category by itself."""
    values = bwa.fit(labels, tolerance=0, max_iterations=0).item_values
    moving = np.ones(values.shape[1], dtype=bool)
    for n in range(1, 501):
        after = bwa.fit(labels, tolerance=0, max_iterations=n).item_values
        stays = (np.abs(after - values) <= 1e-3 * after + 1e-8).all(axis=0)
        values = np.where(moving, after, values)
        moving &= ~stays
        if not np.any(moving):
            break
    return values


def plain_values(name: str, data: LoadedData) -> dict[str, float]:
    """Return the accuracies of IBCC and BWA, by target."""
    right = right_by_method(data)
    return {f"{name}.{method}.accuracy": right[method].mean() for method in ("ibcc", "bwa")}


def starts(
    data: LoadedData, rng: np.random.Generator, n_starts: int, max_iterations: int
) -> pd.DataFrame:
    """Fit EBCC from random starts of our own, drawn as the authors draw them, a row each."""
    labels = distinct(data)
    shape = labels.n_items, labels.n_categories
    divisions = (rng.dirichlet(np.ones(SUBTYPES), shape) for _ in range(n_starts))
    found = pd.DataFrame([settled(data, division, max_iterations) for division in divisions])
    return found.assign(accuracy=found.pop("right").map(np.mean))


def settled(data: LoadedData, division: NDArray[np.float64], max_iterations: int) -> Ebcc:
    """Fit EBCC from a start until probabilities have settled, so that optima can be compared.

    The authors' rule stops 1.5 nats below the optimum on `adult`.
    """
    fitted = ebcc.fit(
        distinct(data), start=division, n_subtypes=SUBTYPES, max_iterations=max_iterations
    )
    return summarised(fitted, data)


def labels_table(data: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Count what is read of each data set."""
    rows = []
    for name, loaded in data.items():
        kept = distinct(loaded)
        pairs = loaded.labels[["item", "annotator"]].drop_duplicates()
        rows.append(
            {
                "data": name,
                "items": kept.n_items,
                "with_gold": int((loaded.gold >= 0).sum()),
                "annotators": kept.n_annotators,
                "categories": kept.n_categories,
                "labels": loaded.annotations.n_labels,
                "exact_repeats": loaded.annotations.n_labels - kept.n_labels,
                "contradictory_repeats": kept.n_labels - len(pairs),
            }
        )
    return pd.DataFrame(rows)


def accuracy_table(data: Mapping[str, LoadedData], from_seed: Mapping[str, Ebcc]) -> pd.DataFrame:
    """Return accuracies, and with large-sample 95% intervals how far above the votes they are.

    The intervals are over items with gold, of the fits as they are.
    """
    rows = []
    for name, loaded in data.items():
        right = dict(right_by_method(loaded))
        if name in from_seed:
            right["ebcc"] = from_seed[name].right
        for method, each in right.items():
            above = each - right["voting"]
            half = norm.isf(0.025) * above.std(ddof=1) / np.sqrt(above.size)
            estimate = above.mean()
            ends = estimate - half, estimate + half
            rows.append((name, method, each.mean(), estimate, *ends))
    columns = ["data", "method", "accuracy", "above_votes", "lower", "upper"]
    return pd.DataFrame(rows, columns=columns)


def starts_table(drawn: Mapping[str, pd.DataFrame], from_seed: Mapping[str, Ebcc]) -> pd.DataFrame:
    """Summarise the starts of each data set, beside the one that is printed."""
    rows = []
    for name, found in drawn.items():
        printed = from_seed[name]
        best = found.loc[found["bound"].idxmax()]
        rows.append(
            {
                "data": name,
                "starts": len(found),
                "bound_of_seed": printed.bound,
                "best_bound": best["bound"],
                "starts_above_seed": int((found["bound"] > printed.bound + SAME_OPTIMUM).sum()),
                "lowest_bound": found["bound"].min(),
                "accuracy_of_seed": printed.right.mean(),
                "accuracy_of_best": best["accuracy"],
                "lowest_accuracy": found["accuracy"].min(),
                "highest_accuracy": found["accuracy"].max(),
            }
        )
    return pd.DataFrame(rows)


def readings_table(readings: Mapping[str, Mapping[str, Ebcc]]) -> pd.DataFrame:
    """Lay out EBCC from the printed seeds, by prior of the prevalence."""
    rows = [
        (name, prior, found.right.mean(), found.bound, found.evidence_bound, found.n_iterations)
        for prior, by_name in readings.items()
        for name, found in by_name.items()
    ]
    columns = ["data", "prevalence_prior", "accuracy", "bound", "evidence_bound", "iterations"]
    return pd.DataFrame(rows, columns=columns)
