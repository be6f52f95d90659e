"""Annotators, confusion matrices and prevalence by the models of `annobench consensus`.

The default model allows for as much dependence of errors as it cannot exclude, so that its
intervals may cover more often than their level.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench import models
from annobench.aggregation.consensus import Consensus, consensus
from annobench.core.choices import DEFAULT_MODEL
from annobench.evaluation.information import mutual_information
from studies.intervals.case import Case
from studies.intervals.crowds import Crowd, Floats, Ints

#: Probability of an error on easy and on hard items, relative to that on all.
EASY, HARD = 0.5, 2.0


@dataclass(frozen=True)
class DependentCrowd(Crowd):
    """A crowd for whom a third of the items is hard, so that errors are dependent."""

    @property
    def words(self) -> str:
        """The design."""
        return f"{super().words}, a third of the items hard"

    def labels(self, truth: Ints, who: Ints, rng: np.random.Generator) -> Ints:
        """Let annotators label items, shape (I, labels per item)."""
        hard = rng.random(len(truth)) < 1 / 3
        error = (1 - self.right)[who] * np.where(hard, HARD, EASY)[:, None]
        wrong = truth[:, None] + rng.integers(1, len(self.shares), size=who.shape)
        return np.where(rng.random(who.shape) < error, wrong % len(self.shares), truth[:, None])


CROWDS = (
    Crowd(400, 45, 5, (0.5, 0.3, 0.2)),
    Crowd(300, 8, 3, (0.9, 0.1)),
    Crowd(200, 20, 3, (0.6, 0.4), unequal=True),
    DependentCrowd(300, 10, 5, (0.5, 0.3, 0.2)),
)
COMPLETE = Crowd(200, 5, 5, (0.6, 0.4))


def cases() -> list[Case]:
    """List the quantities by crowd and model."""
    crowds = {
        "accuracy": CROWDS,
        "bits": CROWDS[1:2],
        "confusion": CROWDS[2:3],
        "prevalence": CROWDS[1:],
    }
    rows = [(q, DEFAULT_MODEL, crowd, (0.93, 1.0)) for q in crowds for crowd in crowds[q]]
    rows += [(q, "dawid_skene", COMPLETE, (0.93, 0.97)) for q in ("accuracy", "prevalence")]
    return [
        Case(
            f"consensus.{quantity}",
            f"{crowd.words}{of_model}",
            "coverage",
            wanted,
            partial(_trial, quantity, model, crowd),
            200,
        )
        for quantity, model, crowd, wanted in rows
        for of_model in ["" if model == DEFAULT_MODEL else f", {models.get(model).METHOD.title}"]
    ]


def _trial(quantity: str, model: str, crowd: Crowd, rng: np.random.Generator) -> tuple[float, ...]:
    result = consensus(crowd.draw(rng), model=model, rng=rng)
    return _interval(quantity, result, crowd, rng)


def _interval(
    quantity: str, result: Consensus, crowd: Crowd, rng: np.random.Generator
) -> tuple[float, ...]:
    """Return the interval of an annotator, of an entry, or of a category, with the truth."""
    shares = np.array(crowd.shares)
    if quantity == "prevalence":
        row = _any_row(result.prevalence, rng)
        return row["lower95"], row["upper95"], shares[int(row["category"])]
    if quantity == "confusion":
        row = _any_row(result.confusion, rng)
        matrix = _confusion(crowd)[int(row["annotator"])]
        truth = matrix[int(row["category"]), int(row["label"])]
        return row["lower95"], row["upper95"], float(truth)
    row = _any_row(result.annotators, rng)
    j = int(row["annotator"])
    truth = crowd.right[j]
    if quantity == "bits":
        truth = mutual_information(shares, _confusion(crowd)[j : j + 1])[0]
    return row[f"{quantity}_lower95"], row[f"{quantity}_upper95"], float(truth)


def _any_row(table: pd.DataFrame, rng: np.random.Generator) -> pd.Series:
    return table.iloc[int(rng.integers(len(table)))]


def _confusion(crowd: Crowd) -> NDArray[np.float64]:
    k = len(crowd.shares)
    matrices: Floats = np.broadcast_to(
        ((1 - crowd.right) / (k - 1))[:, None, None], (crowd.n_annotators, k, k)
    ).copy()
    matrices[:, np.arange(k), np.arange(k)] = crowd.right[:, None]
    return matrices
