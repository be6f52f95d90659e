"""The pool beside its rivals, on families that its weights were not learned from."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.evaluation.calibration import BINS, MIN_PROBABILITY, fit_map
from annobench.evaluation.category_sets import conformal_sets, counts_by_category, credible_sets
from annobench.models import pool
from annobench.models._log_linear import log_loss, minimise, pooled
from annobench.models.base import best_categories
from studies.pool.cases import Case
from studies.pool.learning import learn, learn_mean, parts_of, without_family

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Names of what is compared beside models.
POOL, EQUAL, STACKING = "pool", "equal weights", "stacking"
#: The pool with gold and credible sets in place of conformal ones.
CREDIBLE = "pool, credible sets"
#: Variants that were run after the criterion was written; they decide nothing.
VARIANTS: Final[Mapping[str, float]] = {"floor .01": 1e-2, "floor .000001": 1e-6}

#: Items that are scored at least, beside gold items.
FEWEST_SCORED: Final = 50
#: Of category sets.
LEVEL: Final = 0.9
FOLDS: Final = 5
#: Draws for an interval of the prevalence.
DRAWS: Final = 200

SCORES: Final = ("log_loss", "brier", "accuracy", "calibration_error", "covered", "set_size")


def compare(
    cases: Sequence[Case],
    learned: Mapping[tuple[str, str], pool.Weights],
    gold: Sequence[int],
    draws: int,
    seed: int,
) -> pd.DataFrame:
    """Score every method on every case, without gold and with random gold items.

    Parameters
    ----------
    cases : sequence of Case
        Data sets and simulated regimes.
    learned : mapping
        As from `weights_of`.
    gold : sequence of int
        Numbers of gold items.
    draws : int
        Draws of gold items.
    seed : int
        Of these.

    Returns
    -------
    DataFrame
        A row per case, number of gold items and method: `SCORES`, means over draws; for the pool
        also `prevalence_covered`, `no_category` and `one_category`.
    """
    rows = []
    for case in cases:
        rows += [row | {"n_gold": 0} for row in _without_gold(case, learned, seed)]
        for n in gold:
            if case.gold.size < n + FEWEST_SCORED:
                continue
            for draw in range(draws):
                rng = np.random.default_rng([seed, zlib.crc32(case.name.encode()), n, draw])
                known = np.sort(rng.choice(case.gold.size, n, replace=False))
                found = _with_gold(case, known, learned[case.family, POOL], rng)
                rows += [row | {"n_gold": n} for row in found]
    keys = ["case", "family", "provenance", "n_items", "n_gold", "method"]
    return pd.DataFrame(rows).groupby(keys, sort=False).mean(numeric_only=True).reset_index()


def weights_of(cases: Sequence[Case]) -> dict[tuple[str, str], pool.Weights]:
    """Learn weights for each family from the others, for a regime from all data sets."""
    real = [case for case in cases if case.provenance != "regime"]
    found = {(family, POOL): each for family, each in without_family(real).items()}
    for name, floor in VARIANTS.items():
        for family in {case.family for case in real}:
            others = [case for case in real if case.family != family]
            mean = learn_mean(parts_of(others, floor))
            found[family, name] = pool.Weights(mean, np.nan, np.nan)
    everything = learn(real)
    for case in cases:
        found.setdefault((case.family, POOL), everything)
    return found


def _without_gold(
    case: Case, learned: Mapping[tuple[str, str], pool.Weights], seed: int
) -> Iterator[dict[str, Any]]:
    everything = np.ones(case.gold.size, dtype=bool)
    weights = learned[case.family, POOL]
    tables = {**case.tables, EQUAL: _equal(case)}
    for name, floor in VARIANTS.items():
        if (case.family, name) in learned:
            tables[name] = pooled(case.logs_above(floor), learned[case.family, name].mean)
    for name, table in tables.items():
        yield _row(case, name, table, everything, credible_sets(table, LEVEL))
    table = pooled(case.logs, weights.mean)
    row = _row(case, POOL, table, everything, credible_sets(table, LEVEL))
    nothing = np.zeros(0, dtype=np.int64)
    yield row | _prevalence(case, weights, nothing, np.random.default_rng(seed))


def _with_gold(
    case: Case, known: Ints, weights: pool.Weights, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    scored = np.ones(case.gold.size, dtype=bool)
    scored[known] = False
    gold = case.gold[known]
    for name, table in {**case.tables, EQUAL: _equal(case)}.items():
        mapped = fit_map(table[known], gold)(table)
        yield _row(case, name, mapped, scored, credible_sets(mapped, LEVEL))
    table = stacked(case.logs[known], gold)(case.logs)
    yield _row(case, STACKING, table, scored, credible_sets(table, LEVEL))
    yield from _pool_rows(case, known, scored, weights, rng)


def _equal(case: Case) -> Floats:
    """Pool with equal weights."""
    return pooled(case.logs, np.full(len(pool.MEMBERS), 1 / len(pool.MEMBERS)))


def stacked(logs: Floats, gold: Ints) -> Callable[[Floats], Floats]:
    """Fit weights and offsets to gold items alone."""
    m, k = logs.shape[2], logs.shape[1]
    # What keeps the second derivatives from being singular.
    theta = minimise(
        lambda theta: log_loss(theta, logs, gold), np.zeros(m + k), np.full(m + k, 1e-6)
    ).theta
    return lambda others: pooled(others, theta[:m], theta[m:])


def _pool_rows(
    case: Case, known: Ints, scored: NDArray[np.bool_], weights: pool.Weights, rng: Any
) -> Iterator[dict[str, Any]]:
    """Score the pool with gold, its category sets cross-conformal."""
    m, gold = weights.mean.size, case.gold[known]
    theta = weights.update(case.logs[known], gold).theta
    table = pooled(case.logs, theta[:m], theta[m:])
    fold = np.full(case.gold.size, -1)
    fold[known] = rng.permutation(np.arange(known.size) % FOLDS)
    tables = []
    for number in range(FOLDS):
        kept = known[fold[known] != number]
        part = weights.update(case.logs[kept], case.gold[kept]).theta
        tables.append(pooled(case.logs, part[:m], part[m:]))
    by_category = counts_by_category(gold, table.shape[1], LEVEL)
    sets = conformal_sets(tables, fold, case.gold, LEVEL, by_category=by_category)
    yield _row(case, POOL, table, scored, sets) | _prevalence(case, weights, known, rng)
    credible = credible_sets(table, LEVEL)
    yield _row(case, CREDIBLE, table, scored, credible)


def _row(
    case: Case, method: str, table: Floats, scored: NDArray[np.bool_], sets: NDArray[np.bool_]
) -> dict[str, Any]:
    """Score probabilities and sets on the scored items."""
    table, gold, sets = table[scored], case.gold[scored], sets[scored]
    at = np.arange(gold.size)
    best = best_categories(table)
    right = best[at, gold] / best.sum(axis=1)
    size = sets.sum(axis=1)
    return {
        "case": case.name,
        "family": case.family,
        "provenance": case.provenance,
        "n_items": case.gold.size,
        "method": method,
        "log_loss": float(-np.log(np.maximum(table[at, gold], MIN_PROBABILITY)).mean()),
        "brier": float(((table - np.eye(table.shape[1])[gold]) ** 2).sum(axis=1).mean()),
        "accuracy": float(right.mean()),
        "calibration_error": corrected_calibration_error(table.max(axis=1), right),
        "covered": float(sets[at, gold].mean()),
        "set_size": float(size.mean()),
        "no_category": float((size == 0).mean()),
        "one_category": float((size == 1).mean()),
    }


def corrected_calibration_error(confidence: Floats, right: Floats) -> float:
    """Compute the expected calibration error, less what calibrated probabilities would have.

    Parameters
    ----------
    confidence : ndarray, shape (I,)
        Probability of the best category.
    right : ndarray, shape (I,)
        Whether it is the gold category; a share where categories tie.

    Returns
    -------
    float
        At least 0. Of a bin with variance v, the sum of p(1 - p), the sum of right - p would be
        normal, and its expected absolute value the square root of 2 v / pi.
    """
    number = np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
    gap = np.bincount(number, right - confidence, minlength=BINS)
    variance = np.bincount(number, confidence * (1 - confidence), minlength=BINS)
    expected = np.sqrt(2 * np.maximum(variance, 0) / np.pi)
    return max(float((np.abs(gap) - expected).sum() / confidence.size), 0.0)


def _prevalence(
    case: Case, weights: pool.Weights, known: Ints, rng: np.random.Generator
) -> dict[str, float]:
    """Say which share of the 95% intervals of the prevalence hold the shares of the gold."""
    k, n = case.logs.shape[1], case.gold.size
    mode = weights.update(case.logs[known], case.gold[known])
    draws = rng.multivariate_normal(mode.theta, mode.covariance, size=DRAWS, method="cholesky")
    m, own = weights.mean.size, np.eye(k)[case.gold[known]]
    shares = np.empty((DRAWS, k))
    for number, theta in enumerate(draws):
        table = pooled(case.logs, theta[:m], theta[m:])
        table[known] = own
        shares[number] = rng.multinomial(n, np.full(n, 1 / n)) @ table / n
    lower, upper = np.quantile(shares, [0.025, 0.975], axis=0)
    truth = np.bincount(case.gold, minlength=k) / n
    return {
        "prevalence_covered": float(((lower <= truth) & (truth <= upper)).mean()),
        "prevalence_width": float((upper - lower).mean()),
    }
