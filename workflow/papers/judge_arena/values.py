"""What a judge knows of the humans' choices, and win rates corrected for its errors."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit, logit, ndtri

from annobench.datasets import LoadedData
from annobench.evaluation.information import mutual_information
from annobench.judges.consistency import position_bias
from annobench.judges.panel import NO_LABEL
from annobench.judges.prevalence import METHODS, JudgedCounts, caution_of, joint, ppi, ppi_plus
from annobench.judges.rates import rates_by_gold
from annobench_replication.analysis import Effort

from .prevalence_coverage import Cell, measure_prevalence_coverage

#: The model whose win rate is asked for is the first category.
CLAUDE = 0
N_GOLD = 50
REPETITIONS = {"full": 1_000, "quick": 4}
#: Gold items and others of the simulated studies, and what the judge knows there.
N_OTHERS = 1_000
SIZES = (30, 100, 300)
PREVALENCES = (0.1, 0.3)
YOUDEN = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8)


class Arena(NamedTuple):
    """The comparisons of one pair: codes of the human's and the judge's choice by item."""

    name: str
    gold: np.ndarray
    judge: np.ndarray
    first: np.ndarray
    categories: tuple[str, ...]

    @classmethod
    def of(cls, name: str, data: LoadedData) -> "Arena":
        """Take the comparisons from a data set."""
        labels = data.annotations
        judge = np.full(labels.n_items, NO_LABEL)
        judge[labels.item] = labels.label
        first = pd.Index(labels.categories).get_indexer(pd.Index(data.items["first"]))
        return cls(name, data.gold, judge, first, labels.categories)

    @property
    def judged(self) -> "Arena":
        """Those with a choice of the judge."""
        seen = self.judge != NO_LABEL
        return self._replace(gold=self.gold[seen], judge=self.judge[seen], first=self.first[seen])


def shares(arena: Arena) -> dict[str, float]:
    """Return what the page prints of all comparisons."""
    seen = arena.judged
    return {
        "comparisons": seen.gold.size,
        "human.share": float((seen.gold == CLAUDE).mean()),
        "judge.share": float((seen.judge == CLAUDE).mean()),
    }


def split_of(numbers: Mapping[str, float]) -> JudgedCounts:
    """Find the counts of the page's split from the rates that it prints.

    The closest are taken; the printed rates leave one possibility.
    """
    m, n = round(numbers["gold"]), round(numbers["others"])
    positive = round(numbers["judged_positive"] * n)
    best: tuple[float, JudgedCounts] | None = None
    for m1 in range(1, m):
        m0 = m - m1
        hits, right = round(numbers["sensitivity"] * m1), round(numbers["specificity"] * m0)
        said = (hits + m0 - right + positive) / numbers["comparisons"]
        off = abs(hits / m1 - numbers["sensitivity"]) + abs(right / m0 - numbers["specificity"])
        off += abs(said - numbers["judge_share"])
        if best is None or off < best[0]:
            best = off, JudgedCounts(hits, m1 - hits, m0 - right, right, positive, n - positive)
    assert best is not None
    return best[1]


def logit_interval(estimate: float, error: float, level: float) -> tuple[float, float]:
    """Make an interval that is normal on the logit scale, as the page does for most methods."""
    inside = min(max(estimate, 1e-6), 1 - 1e-6)
    half = -ndtri((1 - level) / 2) * error / (inside * (1 - inside))
    return float(expit(logit(inside) - half)), float(expit(logit(inside) + half))


def page_estimates(counts: JudgedCounts, level: float) -> dict[str, tuple[float, float, float]]:
    """Return the page's estimates with its intervals, by method."""
    z = -ndtri((1 - level) / 2)
    n, p = counts.others, counts.judged_positive / counts.others
    wald = z * np.sqrt(p * (1 - p) / n)
    found = {"judged": (p, max(p - wald, 0.0), min(p + wald, 1.0))}
    for name, method in (("ppi", ppi), ("ppi_plus", ppi_plus), ("joint", joint)):
        own = method(counts, level)
        found[name] = (own.estimate, *logit_interval(own.estimate, own.standard_error, level))
    m0, m1 = counts.negatives, counts.positives
    # With counts added, as in the interval of Lee et al. (2025), but for the estimate, too.
    q0, q1 = (counts.true_negative + 1) / (m0 + 2), (counts.true_positive + 1) / (m1 + 2)
    more = (counts.judged_positive + z**2 / 2) / (n + z**2)
    theta = float(np.clip((more + q0 - 1) / (q0 + q1 - 1), 0, 1))
    variance = more * (1 - more) / (n + z**2) + (1 - theta) ** 2 * q0 * (1 - q0) / (m0 + 2)
    variance += theta**2 * q1 * (1 - q1) / (m1 + 2)
    error = float(np.sqrt(variance) / abs(q0 + q1 - 1))
    found["rogan_gladen"] = (theta, *logit_interval(theta, error, level))
    found["eif"] = _stratified(counts, level)
    return found


def _stratified(counts: JudgedCounts, level: float) -> tuple[float, float, float]:
    """Weight the positives among both labels by how often the judge gives these to the others."""
    said = counts.true_positive + counts.false_positive
    rest = counts.gold - said
    u1, u0 = counts.true_positive / said, counts.false_negative / rest
    p = counts.judged_positive / counts.others
    variance = (u1 - u0) ** 2 * p * (1 - p) / counts.others
    variance += (1 - p) ** 2 * u0 * (1 - u0) / rest + p**2 * u1 * (1 - u1) / said
    estimate = (1 - p) * u0 + p * u1
    return (estimate, *logit_interval(estimate, float(np.sqrt(variance)), level))


def page_values(found: Mapping[str, tuple[float, float, float]]) -> dict[str, float]:
    """Name the page's estimates by target."""
    return {
        f"{method}.{what}": value
        for method, values in found.items()
        for what, value in zip(("estimate", "lower", "upper"), values, strict=True)
    }


def vignette_table(
    counts: JudgedCounts, found: Mapping[str, tuple[float, float, float]], level: float
) -> pd.DataFrame:
    """Put the page's estimates beside those of the library from the same counts."""
    rows = []
    for method in ("judged", "gold", "rogan_gladen", "ppi", "ppi_plus", "joint", "eif"):
        page = found.get(method, (np.nan,) * 3)
        own = METHODS[method](counts, level) if method in METHODS else None
        row: dict[str, object] = {"method": method}
        for what, value in zip(("estimate", "lower", "upper"), page, strict=True):
            row |= {f"page_{what}": value, what: np.nan if own is None else getattr(own, what)}
        rows.append(row)
    return pd.DataFrame(rows)


def judges_table(arenas: list[Arena]) -> pd.DataFrame:
    """One row per pair: what the judge knows by gold, in bits, and its preference for a place."""
    rows = []
    for arena in arenas:
        seen = arena.judged
        known = rates_by_gold(seen.judge, seen.gold, seen.categories)
        confusion = known.confusion / known.confusion.sum(axis=1, keepdims=True)
        prevalence = known.confusion.sum(axis=1) / known.confusion.sum()
        place = position_bias(np.arange(seen.judge.size), seen.first, seen.judge)
        of_human = position_bias(np.arange(seen.gold.size), seen.first, seen.gold)
        rows.append(
            {
                "pair": arena.name,
                **known.summary().iloc[CLAUDE].drop("category"),
                "accuracy": float(known.accuracy.estimate),
                "accuracy_of_always_the_rival": float((seen.gold != CLAUDE).mean()),
                "bits": float(mutual_information(prevalence, confusion[None])[0]),
                "picks_first": place.picks_first,
                "picks_first_lower": place.lower,
                "picks_first_upper": place.upper,
                "picks_first_p_value": place.p_value,
                "human_picks_first": of_human.picks_first,
                "caution": caution_of(JudgedCounts.of(seen.judge, seen.gold, CLAUDE)),
            }
        )
    return pd.DataFrame(rows)


def estimates_table(arenas: list[Arena], rng: np.random.Generator) -> pd.DataFrame:
    """Hide the human's choice but for some comparisons, and estimate Claude's win rate."""
    rows = []
    for arena in arenas:
        seen = arena.judged
        known = np.full(seen.gold.size, NO_LABEL)
        checked = rng.choice(seen.gold.size, N_GOLD, replace=False)
        known[checked] = seen.gold[checked]
        counts = JudgedCounts.of(seen.judge, known, CLAUDE)
        for name, method in METHODS.items():
            found = method(counts, 0.95)
            rows.append(
                {
                    "pair": arena.name,
                    "method": name,
                    "estimate": found.estimate,
                    "lower": found.lower,
                    "upper": found.upper,
                    "human_share": float((seen.gold == CLAUDE).mean()),
                }
            )
    return pd.DataFrame(rows)


def coverage_table(arenas: list[Arena], rng: np.random.Generator, effort: Effort) -> pd.DataFrame:
    """Measure coverage in studies like the pairs, and by what a judge knows."""
    like = {}
    for arena in arenas:
        seen = arena.judged
        known = rates_by_gold(seen.judge, seen.gold, seen.categories)
        rates = known.sensitivity.estimate[CLAUDE], known.specificity.estimate[CLAUDE]
        share = float((seen.gold == CLAUDE).mean())
        like[arena.name] = [Cell(share, *rates, N_GOLD, seen.gold.size - N_GOLD)]
    # Sensitivity and specificity are equal.
    like["simulated"] = [
        Cell(theta, (1 + youden) / 2, (1 + youden) / 2, size, N_OTHERS)
        for theta in PREVALENCES
        for size in SIZES
        for youden in YOUDEN
    ]
    tables = []
    for name, cells in like.items():
        own = measure_prevalence_coverage(cells, repetitions=REPETITIONS[effort], rng=rng)
        own.insert(0, "like", name)
        tables.append(own)
    return pd.concat(tables)
