"""Whether labels with the largest expected information help: a replay on real labels with gold.

Every item begins with two of its labels, drawn at random. Then labels are bought in rounds: which
items get another is decided by a strategy, and which of the item's other real labels comes is
random. After each round the model is fitted again and its accuracy on gold is measured. Strategies:

``random``
    Any label that is left, each as likely.
``evenly``
    Items with the fewest labels first, in random order.
``information``
    Items of whose next label most information is expected, by `annobench.audit.next_labels`.

An item whose labels have all come can't be chosen, so that at the end all strategies are alike; the
comparison is of the way there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench import models
from annobench.audit.next_labels import average_confusion, expected_information
from annobench.benchmark.cases import BenchmarkCase
from annobench.labels.annotations import Annotations

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STRATEGIES: Final = ("random", "evenly", "information")
#: Labels per item at the start, and mean numbers of labels per item at which accuracy is measured.
START: Final = 2
BUDGETS: Final = (2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0)
#: What a round adds to the mean number of labels per item.
ROUND: Final = 0.25


def replay(
    case: BenchmarkCase,
    strategy: str,
    *,
    model: str = "dawid_skene",
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Buy the labels of a data set again, in the order of a strategy.

    Parameters
    ----------
    case : BenchmarkCase
        Labels and gold. Items with fewer than three labels are left out.
    strategy : str
        One of `STRATEGIES`.
    model : str, default "dawid_skene"
        Fitted after each round.
    rng : numpy.random.Generator
        For the order of labels and ties.

    Returns
    -------
    DataFrame
        A row for each of `BUDGETS` that the labels allow: `strategy`, `labels_per_item`,
        `n_labels`, `accuracy` on gold.
    """
    size = np.diff(case.annotations.by_item.offsets)
    kept = size > START
    labels = case.annotations.select(items=kept)
    gold, size = case.gold[kept], size[kept]
    n_items = size.size
    # The labels of each item in a random order; the first `given` of them have come.
    order = np.lexsort((rng.random(labels.n_labels), labels.item))
    offset = labels.by_item.offsets[:-1]
    given = np.full(n_items, START)
    scored = gold >= 0
    rows = []
    for budget in np.arange(START, BUDGETS[-1] + ROUND / 2, ROUND):
        total = min(round(budget * n_items), int(size.sum()))
        posterior = None
        if strategy == "information" and total > given.sum():
            some = _come(labels, order, offset, given)
            posterior = models.fit(some, model, rng=rng).posterior
            bits = expected_information(posterior, average_confusion(some, posterior))
            score = bits + 1e-9 * rng.random(n_items)
        elif strategy == "evenly":
            score = -given + rng.random(n_items)
        else:
            score = rng.random(n_items) ** (1 / np.maximum(size - given, 1e-9))
        score = np.where(given < size, score, -np.inf)
        chosen = np.argsort(-score)[: max(total - int(given.sum()), 0)]
        given[chosen[given[chosen] < size[chosen]]] += 1
        if any(abs(budget - wanted) < ROUND / 4 for wanted in BUDGETS):
            fitted = models.fit(_come(labels, order, offset, given), model, rng=rng)
            right = fitted.posterior[scored].argmax(axis=1) == gold[scored]
            rows.append(
                {
                    "strategy": strategy,
                    "labels_per_item": float(budget),
                    "n_labels": int(given.sum()),
                    "accuracy": float(right.mean()),
                }
            )
        if given.sum() >= 0.8 * size.sum():
            break
    return pd.DataFrame(rows)


def _come(labels: Annotations, order: Ints, offset: Ints, given: Ints) -> Annotations:
    """Keep the labels that have come."""
    place = np.arange(order.size) - np.repeat(offset, np.diff(np.append(offset, order.size)))
    mask = np.zeros(order.size, dtype=bool)
    mask[order] = place < given[labels.item[order]]
    return labels.select(labels=mask)


def compare(
    cases: Iterable[BenchmarkCase], *, repeats: int, seed: int, model: str = "dawid_skene"
) -> pd.DataFrame:
    """Replay all strategies on several data sets.

    Parameters
    ----------
    cases : iterable of BenchmarkCase
        Labels and gold.
    repeats : int
        Replays of each strategy; the same first labels for all strategies.
    seed : int
        With the name of the data set and the number of the repeat it makes the generator.
    model : str, default "dawid_skene"
        Fitted after each round.

    Returns
    -------
    DataFrame
        Rows of `replay`, with `case`, `repeat` and `model`.
    """
    rows = []
    for case in cases:
        for repeat in range(repeats):
            for strategy in STRATEGIES:
                rng = np.random.default_rng([seed, repeat, *case.name.encode()])
                found = replay(case, strategy, model=model, rng=rng)
                rows.append(found.assign(case=case.name, repeat=repeat, model=model))
    columns = [
        *("strategy", "labels_per_item", "n_labels", "accuracy"),
        *("case", "repeat", "model"),
    ]
    empty = pd.DataFrame({name: pd.Series(dtype=np.float64) for name in columns})
    return pd.concat(rows, ignore_index=True) if rows else empty


def gains(table: pd.DataFrame) -> pd.DataFrame:
    """Compare strategies with random labels, and what they save.

    Parameters
    ----------
    table : DataFrame
        From `compare`.

    Returns
    -------
    DataFrame
        A row for each data set, strategy and budget after the start: `case`, `strategy`,
        `labels_per_item`, `accuracy`, and `gain`, the mean over repeats of accuracy minus that of
        "random" with as many labels, with `lower` and `upper`, its mean -+ 2 standard errors.
    """
    keys = ["case", "repeat", "labels_per_item"]
    base = table[table["strategy"] == "random"].set_index(keys)["accuracy"]
    joined = table.join(base.rename("base"), on=keys)
    joined["gain"] = joined["accuracy"] - joined["base"]
    joined = joined[joined["labels_per_item"] > START]
    grouped = joined.groupby(["case", "strategy", "labels_per_item"], sort=False)
    found = grouped.agg(accuracy=("accuracy", "mean"), gain=("gain", "mean"), error=("gain", "sem"))
    found["lower"] = found["gain"] - 2 * found["error"]
    found["upper"] = found["gain"] + 2 * found["error"]
    return found.drop(columns="error").reset_index()
