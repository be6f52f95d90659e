"""Sizes, costs, word similarity, and the search through readings."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annobench.evaluation.panels import panel_correlations, vote_accuracy
from annobench.resampling.weights import draw_counts
from annobench_replication.ledger import Computed
from annobench_replication.rounding import Rounded, propagate
from annobench_replication.searches import Search, chance, search_rows, searched_values
from annobench_replication.study import Study

from .affect import CROWD, KINDS, Affect, Samples, interval
from .votes import DATASETS, Votes

WORDS = "snow2008_wordsim"
#: The eleven sets of labels.
LABELLED = (*CROWD, WORDS, *DATASETS.values())
#: Tasks of Table 3, and the sets of each.
TASKS = {"affect": CROWD, "wsim": (WORDS,), **{task: (id,) for task, id in DATASETS.items()}}


def sizes(study: Study, kinds: Mapping[str, Affect]) -> dict[str, float]:
    """Count items and annotators."""
    words = study.data(WORDS).annotations
    n_items = {task: study.data(id).annotations.n_items for task, id in DATASETS.items()}
    n_categories = {task: study.data(id).annotations.n_categories for task, id in DATASETS.items()}
    first = kinds[KINDS[0]]
    return {
        "affect.n_headlines": study.data(CROWD[0]).annotations.n_items,
        "affect.n_label_types": len(kinds),
        "wordsim.n_pairs": words.n_items,
        "wordsim.n_labels": words.n_labels,
        "wordsim.n_annotators": words.n_annotators,
        "rte.n_choices": n_categories["rte"],
        "rte.n_pairs": n_items["rte"],
        "rte.n_pairs_again": n_items["rte"],
        "event.n_pairs": n_items["event"],
        "event.n_labels": study.data(DATASETS["event"]).annotations.n_labels,
        "wsd.n_senses": n_categories["wsd"],
        "wsd.n_examples": n_items["wsd"],
        "training.n_test": len(first.test_items),
        "figure6.min_load": int(
            np.bincount(study.data(DATASETS["rte"]).annotations.annotator).min()
        ),
    }


def n_labels(study: Study) -> dict[str, int]:
    """Count the labels of each task, and of all."""
    counted = {
        task: sum(study.data(id).annotations.n_labels for id in ids) for task, ids in TASKS.items()
    }
    counted["total"] = sum(counted.values())
    return {f"table3.{task}.labels": n for task, n in counted.items()}


def _costs(study: Study) -> pd.DataFrame:
    return study.printed("costs", dtype="str").set_index("task")


def rates(
    study: Study, labelled: Mapping[str, int], equivalent: float
) -> dict[str, float | Rounded]:
    """Return labels per dollar and per hour; dollars are exact, hours are rounded."""
    costs = _costs(study)
    found: dict[str, float | Rounded] = {}
    for task in TASKS:
        n = labelled[f"table3.{task}.labels"]
        found[f"table3.{task}.per_usd"] = n / float(costs["cost"][task])
        found[f"table3.{task}.per_hour"] = propagate(
            lambda x: x[0] / x[1], [n, str(costs["hours"][task])]
        )
    n = labelled["table3.total.labels"]
    found["table3.total.per_usd"] = n / costs["cost"].astype(float).sum()
    found["table3.total.per_hour"] = propagate(
        lambda x: n / sum(x), [str(hours) for hours in costs["hours"]]
    )
    found["affect.labels_per_usd"] = found["table3.affect.per_usd"]
    found["affect.equivalent_labels"] = float(found["table3.affect.per_usd"]) / equivalent
    return found


def totals(study: Study) -> dict[str, float | Rounded]:
    """Return the sums of Table 3."""
    costs = _costs(study)
    return {
        "table3.total.cost": float(costs["cost"].astype(float).sum()),
        "table3.total.hours": propagate(sum, [str(hours) for hours in costs["hours"]]),
    }


def word_costs(study: Study) -> dict[str, float | Rounded]:
    """Return labels per dollar and per hour of word similarity."""
    words, hours = study.data(WORDS).annotations, str(_costs(study)["hours"]["wsim"])
    return {
        "wordsim.labels_per_usd": words.n_items / float(study.numbers("text")["set_price"]),
        "wordsim.labels_per_hour": propagate(lambda x: words.n_labels / x[0], [hours]),
    }


def minutes(study: Study) -> dict[str, float | Rounded]:
    """Return how long word similarity took."""
    hours = str(_costs(study)["hours"]["wsim"])
    return {"wordsim.minutes": propagate(lambda x: 60 * x[0], [hours])}


def accuracies(tasks: Mapping[str, Votes]) -> dict[str, float]:
    """Return the accuracy of votes of ten, and how much an even vote gains."""
    curves = {task: vote_accuracy(tasks[task].counts, tasks[task].gold) for task in tasks}
    # Pairs of an odd number and the next; the last one may have no next.
    pairs = [
        curve[: curve.size // 2 * 2].reshape(-1, 2) for curve in (curves["rte"], curves["event"])
    ]
    return {
        "rte.accuracy": 100 * curves["rte"][-1],
        "event.accuracy": curves["event"][-1],
        "footnote5.even_gain": max(float(abs(np.diff(each)).max()) for each in pairs),
    }


@dataclass(frozen=True)
class Similarity:
    """Correlation with the published similarity by the number of annotators, with intervals."""

    ends: list[tuple[float, float, float]]


def similarity(study: Study, rng: np.random.Generator, replicates: int) -> Similarity:
    """Compute the curve of Figure 2, with resampled word pairs."""
    data = study.data(WORDS)
    table = data.labels.pivot(index="annotator", columns="item", values="label")
    labels = table[list(data.items["item"])].to_numpy(dtype=float)
    weights = np.vstack([np.ones(labels.shape[1]), draw_counts(labels.shape[1], replicates, rng)])
    curve = panel_correlations(labels, data.gold, weights=weights)
    return Similarity([interval(curve[:, n]) for n in range(curve.shape[1])])


def table_of_similarity(found: Similarity) -> pd.DataFrame:
    """Return the curve of Figure 2."""
    table = pd.DataFrame(found.ends, columns=["estimate", "lower", "upper"])
    return table.assign(n=np.arange(1, len(table) + 1))


def searched(
    study: Study,
    found: Mapping[str, Samples],
    readings: pd.DataFrame,
    rng: np.random.Generator,
) -> list[Computed]:
    """Return the nearest reading of one column of Table 1 and of one of Table 4."""
    printed = searched_values(study)
    columns = {
        "table1.{}.ne_all": np.array(
            [
                [float(getattr(found[kind], column)[0]) for kind in KINDS]
                for column in ("ne_all", "ne_all_released")
            ]
        ),
        "table4.{}.expert": readings.pivot(index="reading", columns="kind", values="expert")[
            list(KINDS)
        ].to_numpy(),
    }
    rows = []
    for target, values in columns.items():
        targets = [target.format(kind) for kind in KINDS]
        search = Search(tuple(printed[each] for each in targets), values)
        rows += search_rows(targets, search, chance([search], rng))
    return rows
