"""Sections 4.3 to 4.5 and 5: votes on categories, and votes weighted by calibrated annotators."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from annobench import models
from annobench.agreement import krippendorff_alpha
from annobench.datasets import LoadedData
from annobench.evaluation.panels import vote_accuracy
from annobench.labels.annotations import Annotations
from annobench.models.base import best_categories
from annobench.resampling.clusters import cluster_draws, ratio_draws
from annobench.resampling.intervals import central_limits, predictive_interval
from annobench.resampling.proportions import proportion_interval
from annobench_replication.analysis import Effort
from annobench_replication.ledger import Computed
from annobench_replication.rows import interval_columns

DATASETS = {"rte": "snow2008_rte", "event": "snow2008_temp", "wsd": "snow2008_wsd"}
N_ANSWERS = 10
#: Samples of k labels of each item for each k; of those, for fits of a model; bootstrap samples.
N_RUNS = {"full": 40, "quick": 4}
N_FITTED = {"full": 2, "quick": 1}
REPLICATES = {"full": 2000, "quick": 50}
#: Sampled values of the paper, among which the chance of a false alarm is shared.
N_SAMPLED = 3
#: Models that need no sampling; the benchmark has all of the library on these sets.
MODELS = ("wawa", "zencrowd", "pm", "catd", "one_coin", "glad", "bwa", "dawid_skene", "ibcc")


@dataclass(frozen=True)
class Votes:
    """The labels of one task: annotators and labels of shape (I, 10), gold of shape (I,)."""

    annotator: np.ndarray
    label: np.ndarray
    gold: np.ndarray
    form: np.ndarray
    n_categories: int
    names: np.ndarray

    @cached_property
    def counts(self) -> np.ndarray:
        """How many annotators gave each category, shape (I, K)."""
        return (self.label[:, :, None] == np.arange(self.n_categories)).sum(axis=1)

    @cached_property
    def n_annotators(self) -> int:
        """The number of annotators."""
        return int(self.annotator.max()) + 1


def read(data: LoadedData) -> Votes:
    """Read one task; items in the order of the file."""
    a = data.annotations
    order = np.argsort(a.item, kind="stable")
    per_item = np.bincount(a.item, minlength=a.n_items)
    place = np.arange(a.n_labels) - np.repeat(np.cumsum(per_item) - per_item, per_item)
    # Ten of each item, unless annotators were left out.
    order = order[place < per_item.min()]
    shape = (a.n_items, int(per_item.min()))
    first = data.labels.drop_duplicates("item").set_index("item")["annotation_id"]
    form = pd.factorize(first.loc[list(a.items)])[0]
    return Votes(
        a.annotator[order].reshape(shape),
        a.label[order].reshape(shape),
        data.gold,
        form,
        a.n_categories,
        np.array(a.items),
    )


def sample(votes: Votes, k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw k of the labels of every item; return annotators and labels, shape (I, k)."""
    taken = rng.random(votes.label.shape).argsort(axis=1)[:, :k]
    return (
        np.take_along_axis(votes.annotator, taken, axis=1),
        np.take_along_axis(votes.label, taken, axis=1),
    )


def shared(scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return by item whether the best category is right; ties count by their share."""
    best = best_categories(scores)
    return best[np.arange(gold.size), gold] / best.sum(axis=1)


def calibrated(
    votes: Votes, k: int, folds: int, pseudocount: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Weight k votes of each item by annotators' confusion matrices in the other folds.

    Returned is by item how right the weighted vote is, and the plain vote of the same labels.
    """
    annotator, label = sample(votes, k, rng)
    n_items, n_categories = votes.gold.size, votes.n_categories
    fold = rng.permutation(n_items) % folds
    shape = (folds, votes.n_annotators, n_categories, n_categories)
    place = np.ravel_multi_index(
        (
            np.repeat(fold, k),
            annotator.ravel(),
            np.repeat(votes.gold, k),
            label.ravel(),
        ),
        shape,
    )
    counts = np.bincount(place, minlength=int(np.prod(shape))).reshape(shape)
    # What the items of a fold were calibrated on: all the others.
    known = counts.sum(axis=0) - counts + pseudocount
    log_share = np.log(known / known.sum(axis=3, keepdims=True))
    evidence = log_share[fold[:, None], annotator, :, label].sum(axis=1)
    likely = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    plain = (label[:, :, None] == np.arange(n_categories)).sum(axis=1)
    return shared(likely, votes.gold), shared(plain / k, votes.gold)


def calibrations(
    votes: Votes, folds: int, pseudocount: float, rng: np.random.Generator, effort: Effort
) -> np.ndarray:
    """Return how right both votes are, shape (runs, 10, 2, I)."""
    return np.array(
        [
            [
                calibrated(votes, k, folds, pseudocount, rng)
                for k in range(1, votes.label.shape[1] + 1)
            ]
            for _ in range(N_RUNS[effort])
        ]
    )


def gain_row(target: str, gains: np.ndarray, first: int, method: str = "paper") -> Computed:
    """Return the mean gain over `first` to 10 labels, in percent; `gains` has shape (runs, 10)."""
    runs = 100 * gains[:, first - 1 :].mean(axis=1)
    check = predictive_interval(runs, 1 - 0.05 / N_SAMPLED)
    return Computed(
        target,
        float(runs.mean()),
        check_lower=check.lower,
        check_upper=check.upper,
        method=method,
    )


def gain_interval(
    votes: Votes, right: np.ndarray, first: int, rng: np.random.Generator, effort: Effort
) -> tuple[float, float, float]:
    """Return the mean gain over `first` to 10 labels, with an interval from resampled forms."""
    own = (right[:, first - 1 :, 0] - right[:, first - 1 :, 1]).mean(axis=(0, 1))
    clusters = int(votes.form.max()) + 1
    draws = cluster_draws(clusters, REPLICATES[effort], rng=rng)
    found = ratio_draws({"gain": (own, np.ones(own.size))}, votes.form, draws)["gain"]
    lower, upper = central_limits(found, 0.95)
    return 100 * float(own.mean()), 100 * float(lower), 100 * float(upper)


def table_of_gains(
    data: Mapping[str, Votes],
    right: Mapping[str, np.ndarray],
    rng: np.random.Generator,
    effort: Effort,
) -> pd.DataFrame:
    """Return gains by task and by the numbers of labels that are averaged over."""
    rows = []
    for task, found in right.items():
        for words, first in (("2 to 10", 2), ("1 to 10", 1), ("10", found.shape[1])):
            estimate, lower, upper = gain_interval(data[task], found, first, rng, effort)
            rows.append(
                {
                    **{"task": task, "labels": words, "estimate": estimate},
                    **{"lower": lower, "upper": upper},
                }
            )
    return pd.DataFrame(rows)


def n_improved(gains: pd.DataFrame) -> int:
    """Count the tasks whose mean gain over 2 to 10 labels is significant."""
    own = gains[gains["labels"] == "2 to 10"]
    return int((own["lower"] > 0).sum())


def wsd_values(votes: Votes) -> dict[str, float]:
    """Return what section 4.5 says of the one example on which vote and gold differ."""
    top = votes.counts.argmax(axis=1)
    wrong = np.flatnonzero(top != votes.gold)
    corrected = votes.gold.copy()
    corrected[wrong] = top[wrong]
    n = len(votes.gold)
    # Of several, which simulated labels may have, the one with most votes against the gold sense.
    votes_for = votes.counts[np.arange(n), votes.gold]
    n_answers = votes.label.shape[1]
    worst = int(votes_for[wrong].min()) if wrong.size else n_answers
    return {
        "wsd.accuracy": float(vote_accuracy(votes.counts, votes.gold)[-1]),
        "wsd.n_disagreements": float(wrong.size),
        "wsd.votes_against": float(n_answers - worst),
        "wsd.votes_for": float(worst),
        "wsd.corrected_accuracy": 100 * float(vote_accuracy(votes.counts, corrected)[-1]),
    }


def table_of_annotators(votes: Votes) -> pd.DataFrame:
    """Return the accuracy of each annotator, as in Figure 6."""
    right = (votes.label == votes.gold[:, None]).ravel()
    code = votes.annotator.ravel()
    n = np.bincount(code, minlength=votes.n_annotators)
    share = np.bincount(code, right, votes.n_annotators) / np.maximum(n, 1)
    table = pd.DataFrame({"n_labels": n, "accuracy": share})
    return table[table["n_labels"] > 0].reset_index(drop=True)


def annotations_of(annotator: np.ndarray, label: np.ndarray, n_categories: int) -> Annotations:
    """Return sampled labels, with all categories."""
    item = np.repeat(np.arange(len(label)), label.shape[1])
    return Annotations.from_arrays(
        item.astype(str),
        annotator.ravel().astype(str),
        label.ravel().astype(str),
        items=np.arange(len(label)).astype(str),
        categories=np.arange(n_categories).astype(str),
    )


def table_of_curves(
    data: Mapping[str, Votes],
    right: Mapping[str, np.ndarray],
    rng: np.random.Generator,
    effort: Effort,
) -> pd.DataFrame:
    """Return accuracies by the number of labels: plain, calibrated with gold, and by a model."""
    rows = []
    for task, votes in data.items():
        exact = vote_accuracy(votes.counts, votes.gold)
        by_k = right[task].mean(axis=(0, 3))
        for k in range(1, exact.size + 1):
            row = {"task": task, "n": k, "vote": exact[k - 1]}
            row |= {"sampled_vote": by_k[k - 1, 1], "calibrated": by_k[k - 1, 0]}
            fitted = [
                shared(
                    models.dawid_skene.fit(
                        annotations_of(*sample(votes, k, rng), votes.n_categories)
                    ).posterior,
                    votes.gold,
                ).mean()
                for _ in range(N_FITTED[effort])
                if k > 1
            ]
            rows.append({**row, "dawid_skene": float(np.mean(fitted)) if fitted else np.nan})
    return pd.DataFrame(rows)


def table_of_models(
    data: Mapping[str, LoadedData], votes: Mapping[str, Votes], right: Mapping[str, np.ndarray]
) -> pd.DataFrame:
    """Return the accuracy of consensus from ten labels, with and without gold labels."""
    rows = []
    for task, loaded in data.items():
        gold = loaded.gold
        scores = {
            "voting": shared(votes[task].counts / N_ANSWERS, votes[task].gold).mean(),
            "calibrated with gold": right[task][:, -1, 0].mean(),
        }
        for name in MODELS:
            scores[name] = shared(models.fit(loaded.annotations, name).posterior, gold).mean()
        for name, score in scores.items():
            ends = proportion_interval(round(score * gold.size), gold.size)
            rows.append({"task": task, "model": name, "estimate": score, **interval_columns(ends)})
    return pd.DataFrame(rows)


def table_of_agreement(data: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Return Krippendorff's alpha of each set of labels, with its interval."""
    rows = []
    for id, loaded in data.items():
        metric = "interval" if loaded.meta["scale"] == "interval" else "nominal"
        found = krippendorff_alpha(loaded.annotations, metric=metric)
        rows.append(
            {
                **{"dataset": id, "metric": metric, "estimate": found.estimate},
                **interval_columns(found.interval()),
            }
        )
    return pd.DataFrame(rows)
