"""What consensus, posterior and raw distribution say of the labels of an annotator left out."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from annobench.datasets import LoadedData
from annobench.evaluation.soft_labels import perspectivist_scores, soft_labels, soft_scores
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.models.base import best_categories
from annobench.models.dawid_skene import DawidSkeneFit
from annobench_replication.analysis import Effort

REPLICATES = {"full": 2_000, "quick": 50}
#: Labels of the prior that the raw distribution is shrunk to, the shares of the train split.
PRIOR = 1.0
#: Probabilities count at least this much, so that one certain error does not decide.
FLOOR = 0.01


class Splits(NamedTuple):
    """The two splits, with the same annotators and categories."""

    train: Annotations
    dev: Annotations

    @classmethod
    def of(cls, data: LoadedData) -> "Splits":
        """Split a data set."""
        split = data.items["split"].to_numpy()
        labels = data.annotations
        return cls(labels.select(items=split == "train"), labels.select(items=split == "dev"))

    @property
    def prevalence(self) -> np.ndarray:
        """Shares of the categories among the labels of the train split."""
        counts = self.train.counts.sum(axis=0)
        return counts / counts.sum()


def baselines_table(found: Mapping[str, Splits]) -> pd.DataFrame:
    """Score on the dev split what needs none of its texts."""
    rows = []
    for name, splits in found.items():
        dev = splits.dev
        target = soft_labels(dev)
        most = int(splits.prevalence.argmax())
        constant = {
            "uniform": np.full(dev.n_categories, 1 / dev.n_categories),
            "most frequent category": np.eye(dev.n_categories)[most],
            "shares of the train split": splits.prevalence,
        }
        for title, row in constant.items():
            scores = soft_scores(np.tile(row, (dev.n_items, 1)), target)
            rows.append({"dataset": name, "prediction": title, **scores._scalars()})
        of_each = _shares_of_annotators(splits.train).argmax(axis=1)
        for title, codes in (
            ("most frequent category", np.full(dev.n_labels, most)),
            ("each annotator's most frequent category", of_each[dev.annotator]),
        ):
            errors = perspectivist_scores(dev, codes)
            rows.append({"dataset": name, "prediction": title, **errors._scalars()})
    return pd.DataFrame(rows)


def _shares_of_annotators(labels: Annotations) -> np.ndarray:
    """Return the shares of the categories among each annotator's labels, shape (J, K)."""
    flat = labels.annotator * labels.n_categories + labels.label
    counts = np.bincount(flat, minlength=labels.n_annotators * labels.n_categories)
    counts = counts.reshape(labels.n_annotators, -1)
    return counts / counts.sum(axis=1, keepdims=True)


def predictions(splits: Splits, fit: DawidSkeneFit, annotator: int) -> dict[str, np.ndarray]:
    """Predict one annotator's labels of the dev split from those of the others, shape (I, K)."""
    others = splits.dev.select(labels=splits.dev.annotator != annotator)
    raw = soft_labels(others)
    size = others.counts.sum(axis=1, keepdims=True)
    best = best_categories(raw)
    posterior = fit.predict(others)
    mean = fit.confusion[np.arange(splits.dev.n_annotators) != annotator].mean(axis=0)
    return {
        "shares of the train split": np.tile(splits.prevalence, (len(raw), 1)),
        "consensus of the others": best / best.sum(axis=1, keepdims=True),
        "labels of the others": raw,
        "labels of the others, shrunk": (raw * size + PRIOR * splits.prevalence) / (size + PRIOR),
        "posterior": posterior,
        "posterior, as others would label": posterior @ mean,
        "posterior, as the annotator labels": posterior @ fit.confusion[annotator],
    }


def held_out_table(
    found: Mapping[str, Splits], rng: np.random.Generator, effort: Effort
) -> pd.DataFrame:
    """Leave each annotator out, and score predictions, with intervals over items."""
    rows = []
    for name, splits in found.items():
        fit, dev = dawid_skene.fit(splits.train), splits.dev
        losses: dict[str, list[np.ndarray]] = {}
        wrong: dict[str, list[np.ndarray]] = {}
        for j in range(dev.n_annotators):
            own = np.full(dev.n_items, -1)
            mine = dev.annotator == j
            own[dev.item[mine]] = dev.label[mine]
            for title, chance in predictions(splits, fit, j).items():
                said = np.maximum(chance[np.arange(own.size), own], FLOOR)
                best = best_categories(chance)
                hit = best[np.arange(own.size), own] / best.sum(axis=1)
                losses.setdefault(title, []).append(-np.log(said))
                wrong.setdefault(title, []).append(1 - hit)
        weights = rng.multinomial(
            dev.n_items, np.full(dev.n_items, 1 / dev.n_items), REPLICATES[effort]
        )
        for title in losses:
            row: dict[str, object] = {"dataset": name, "prediction": title}
            for what, each in (("cross_entropy", losses), ("error_rate", wrong)):
                by_item = np.mean(each[title], axis=0)
                drawn = weights @ by_item / dev.n_items
                lower, upper = np.quantile(drawn, [0.025, 0.975])
                row |= {what: by_item.mean(), f"{what}_lower": lower, f"{what}_upper": upper}
            rows.append(row)
    return pd.DataFrame(rows)


def annotators_table(found: Mapping[str, Splits]) -> pd.DataFrame:
    """How often each annotator marks an item of the train split, by how many of the others do."""
    rows = []
    for name, splits in found.items():
        labels = splits.train
        marks = np.bincount(labels.item, labels.label, labels.n_items).astype(int)
        for j, annotator in enumerate(labels.annotators):
            mine = labels.annotator == j
            own = labels.label[mine]
            others = marks[labels.item[mine]] - own
            for n in range(labels.n_annotators):
                seen = own[others == n]
                if seen.size:
                    rows.append((name, annotator, n, seen.size, float(seen.mean())))
    return pd.DataFrame(rows, columns=["dataset", "annotator", "others", "n_items", "share"])
