"""Scores, the ranking, and differences of methods, as `annobench compare` prints them.

Methods give the categories of items probabilities from normal scores, in which half of the variance
is common to all methods; methods of the same strength are equally good.
"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax

from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.comparison import compare
from annobench.benchmark.fits import FitRecord
from annobench.benchmark.hierarchical import compare_hierarchically
from annobench.benchmark.ranking import rank
from annobench.benchmark.scores import SCORES, score
from annobench.benchmark.tables import BenchmarkTables
from annobench.core.choices import DEFAULT_SEED
from annobench.evaluation.gold_size import differences_in_accuracy
from annobench.labels.annotations import Annotations
from annobench.reporting.pages import records
from studies.intervals.case import Case

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHARES: Final = (0.6, 0.3, 0.1)
STRONG, WEAK = 1.8, 1.3
LONG_RUN: Final = 400_000
REPLICATES: Final = 200
#: Numbers of items of the data sets of a ranking.
SIZES: Final = (60, 150, 300)
METHODS: Final = {"strong": STRONG, "weak": WEAK}
EQUAL: Final = dict.fromkeys("abcd", 1.5)
COVERED: Final = (0.93, 0.97)


def cases() -> list[Case]:
    """List the intervals and tests."""
    sizes = f"data sets of {', '.join(map(str, SIZES[:-1]))} and {SIZES[-1]} items"
    rows = [
        Case(
            "compare.scores",
            f"{name.replace('_', ' ')}, {n} items, three categories of prevalence .6, .3, .1",
            "coverage",
            COVERED,
            partial(_score, name, n),
            500,
        )
        for n in (60, 300)
        for name in SCORES
    ]
    rows += [
        Case(f"compare.{quantity}", sizes, "coverage", COVERED, partial(_ranking, quantity), 200)
        for quantity in ("ranking", "ranking_log_loss", "difference")
    ]
    rows += [
        # Holm's method is conservative, and the first method is the one with the best score.
        Case(
            f"compare.{quantity}",
            "four equally good methods, 300 items",
            "level",
            (0.0, 0.07),
            partial(_first, quantity),
            500,
        )
        for quantity in ("p_accuracy", "p_log_loss")
    ]
    return rows + [
        Case(
            "compare.across",
            f"{n} data sets, differences of standard deviation {spread:g} and error .01 to .03",
            "coverage",
            # The prior of the spread is wide, and so are intervals of few data sets.
            (0.93, 1.0),
            partial(_across, n, spread),
        )
        for n, spread in ((5, 0.02), (20, 0.02), (20, 0.0))
    ]


def _draw(
    n: int, strengths: dict[str, float], rng: np.random.Generator
) -> tuple[dict[str, Floats], Ints]:
    """Draw the probabilities of each method, and the categories."""
    category = rng.choice(len(SHARES), size=n, p=SHARES)
    common = rng.standard_normal((n, len(SHARES)))
    posteriors = {}
    for method, strength in strengths.items():
        noise = (common + rng.standard_normal(common.shape)) / math.sqrt(2)
        evidence = strength * (strength * np.eye(len(SHARES))[category] + noise)
        posteriors[method] = softmax(evidence + np.log(SHARES), axis=1)
    return posteriors, category


@cache
def _true_scores(method: str) -> dict[str, float]:
    posteriors, category = _draw(LONG_RUN, METHODS, np.random.default_rng(DEFAULT_SEED))
    return score(posteriors[method], category)


def _tables(
    sizes: tuple[int, ...], strengths: dict[str, float], rng: np.random.Generator
) -> tuple[BenchmarkTables, list[tuple[dict[str, Floats], Ints]]]:
    """Compare methods on data sets of these sizes."""
    drawn = [_draw(n, strengths, rng) for n in sizes]
    comparisons, fits = [], []
    for place, (posteriors, category) in enumerate(drawn):
        name = f"data set {place}"
        labels = Annotations.from_counts(np.eye(len(SHARES), dtype=np.int64)[category])
        fitted = [
            FitRecord(name, method, "scored", converged=True, posterior=posterior)
            for method, posterior in posteriors.items()
        ]
        case = BenchmarkCase(name, labels, category, "real")
        seed = int(rng.integers(2**31))
        comparisons.append(compare(case, fitted, replicates=REPLICATES, seed=seed))
        fits += [(name, method, "scored", "yes") for method in posteriors]
    nothing = pd.DataFrame()
    tables = BenchmarkTables(
        scores=pd.concat([result.scores for result in comparisons]),
        differences=pd.concat([result.differences for result in comparisons]),
        curves=nothing,
        across=nothing,
        averages=nothing,
        refits=nothing,
        refit_errors=nothing,
        refit_notes=nothing,
        fits=pd.DataFrame(fits, columns=["problem", "method", "status", "converged"]),
        problems=pd.DataFrame({"problem": [f"data set {place}" for place in range(len(sizes))]}),
        methods=nothing,
        settings={},
    )
    return tables, drawn


def _score(name: str, n: int, rng: np.random.Generator) -> tuple[float, ...]:
    scores = _tables((n,), {"strong": STRONG}, rng)[0].scores
    row = scores[scores["score"] == name].iloc[0]
    return row["lower"], row["upper"], _true_scores("strong")[name]


def _ranking(quantity: str, rng: np.random.Generator) -> tuple[float, ...]:
    tables, _ = _tables(SIZES, METHODS, rng)
    ranking = rank(tables, "weak", list(tables.problems["problem"]))
    [row] = records(ranking[ranking["method"] == "strong"])
    strong, weak = (_true_scores(method) for method in ("strong", "weak"))
    if quantity == "ranking_log_loss":
        return row["log_loss_lower"], row["log_loss_upper"], strong["log_loss"]
    if quantity == "ranking":
        return row["lower"], row["upper"], strong["accuracy"]
    difference = strong["accuracy"] - weak["accuracy"]
    return row["difference_lower"], row["difference_upper"], difference


def _first(quantity: str, rng: np.random.Generator) -> tuple[float, ...]:
    """Return the smallest p-value of no difference from the first method."""
    tables, [(posteriors, category)] = _tables((300,), EQUAL, rng)
    ranking = rank(tables, "a", list(tables.problems["problem"]))
    if quantity == "p_log_loss":
        return (float(ranking["p_log_loss"].min()),)
    first = ranking["method"].iloc[0]
    return (float(differences_in_accuracy(first, posteriors, category)["p_value"].min()),)


def _across(n: int, spread: float, rng: np.random.Generator) -> tuple[float, ...]:
    errors = rng.uniform(0.01, 0.03, n)
    differences = 0.01 + spread * rng.standard_normal(n) + errors * rng.standard_normal(n)
    result = compare_hierarchically(differences, errors, rope=0.005)
    return result.typical_lower, result.typical_upper, 0.01
