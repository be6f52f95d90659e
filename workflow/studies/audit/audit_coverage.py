"""Whether audits are right as often as they say: on simulated items, and on real sets with gold.

A case is a model's probabilities for items whose right categories are known. Its gold is hidden,
items are drawn and checked, and every statement is compared with the truth; this is repeated.
Measured are intervals of the accuracy and of the prevalence of the category that the model gives
most often, by several constructions, and the release of items: how often the released set has more
errors than allowed, and how large it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from annobench import models
from annobench.audit.design import Design, draw, sample
from annobench.audit.difference_estimator import difference_estimate
from annobench.audit.release import examine_sets
from annobench.benchmark.cases import BenchmarkCase
from annobench.core.errors import AnnotationError
from annobench.resampling.proportions import proportion_interval
from annobench.resampling.stratified import stratified_prevalence, stratified_share

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Nominal, of all statements.
LEVEL: Final = 0.95
#: Shares of errors among released items that are asked for.
ERROR_RATES: Final = (0.05, 0.1)


@dataclass(frozen=True, eq=False)
class AuditCase:
    """Probabilities of items whose categories are known.

    Attributes
    ----------
    name : str
        Of the data set or the simulated world.
    model : str
        Whose probabilities they are; empty for a simulated world.
    posterior : ndarray, shape (I, K)
        Probabilities.
    gold : ndarray of int, shape (I,)
        Codes of the right categories.
    provenance : str
        "real" or "simulated".
    """

    name: str
    model: str
    posterior: Floats
    gold: Ints
    provenance: str


def _honest(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    sure = 1 - rng.beta(0.4, 3.0, n) / 2
    return sure, sure


def _too_sure(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    sure, _ = _honest(rng, n)
    return expit(3 * np.log(sure / np.maximum(1 - sure, 1e-9))), sure


def _sure_and_wrong(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    return np.where(rng.random(n) < 0.9, 1 - rng.random(n) * 1e-3, 0.7), np.full(n, 0.94)


def _never_wrong(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    return _honest(rng, n)[0], np.ones(n)


def _upside_down(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    sure = 1 - rng.random(n) * 0.4
    return sure, 1.5 - sure * 0.6


def _votes_of_three(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    alike = rng.random(n) < 0.75
    return np.where(alike, 1.0, 2 / 3), np.where(alike, 0.97, 0.75)


#: Worlds by name: certainty as stated, and the probability that an item is right.
WORLDS: Final[Mapping[str, Callable[[np.random.Generator, int], tuple[Floats, Floats]]]] = {
    "honest": _honest,
    "too sure": _too_sure,
    "sure and wrong": _sure_and_wrong,
    "never wrong": _never_wrong,
    "upside down": _upside_down,
    "votes of three": _votes_of_three,
}


def world(name: str, n_items: int, *, rng: np.random.Generator) -> AuditCase:
    """Simulate items of two categories, and a model's probabilities of them.

    Parameters
    ----------
    name : str
        One of `WORLDS`.
    n_items : int
        I.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    AuditCase
        Named by the world and the number of items.
    """
    stated, right = WORLDS[name](rng, n_items)
    stated = np.clip(stated, 0.5 + 1e-9, 1)
    answer = (rng.random(n_items) < 0.3).astype(np.int64)
    gold = np.where(rng.random(n_items) < right, answer, 1 - answer)
    posterior = np.where(np.arange(2) == answer[:, None], stated[:, None], 1 - stated[:, None])
    return AuditCase(f"{name}, {n_items:,} items", "", posterior, gold, "simulated")


def fitted_case(case: BenchmarkCase, model: str, *, rng: np.random.Generator) -> AuditCase | None:
    """Fit a model to labels, and keep the items with gold.

    Parameters
    ----------
    case : BenchmarkCase
        Labels and gold.
    model : str
        Name of the model.
    rng : numpy.random.Generator
        For a random model.

    Returns
    -------
    AuditCase or None
        None if the model refuses the labels, or fewer than 30 items have gold.
    """
    kept = case.scored
    if kept.sum() < 30:
        return None
    try:
        fitted = models.fit(case.annotations, model, rng=rng)
    except AnnotationError:
        return None
    return AuditCase(
        case.name, model, fitted.posterior[kept], case.gold[kept].astype(np.int64), case.provenance
    )


def measure(
    case: AuditCase, n_checks: int, *, repetitions: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Audit one case again and again.

    Parameters
    ----------
    case : AuditCase
        Probabilities and the truth.
    n_checks : int
        Items checked each time; at most half of all are.
    repetitions : int
        Draws.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    DataFrame
        A row for each statement: `case`, `model`, `provenance`, `n_items`, `n_checks`, `truth`
        (accuracy, or prevalence), `statement`, `construction`, `held` (share of repetitions in
        which it was true), `lower` and `upper` (its 95% interval), `size` (mean width of the
        interval, or mean share of items released), `most` (for a release: largest share of errors
        of a released set), and `verdict`, "low" where `upper` is below the nominal level.
    """
    n_items = case.gold.size
    n_checks = min(n_checks, n_items // 2)
    answer = case.posterior.argmax(axis=1)
    wrong = answer != case.gold
    often = int(np.bincount(answer).argmax())
    truth = {
        "accuracy": float(1 - wrong.mean()),
        "prevalence": float((case.gold == often).mean()),
    }
    items = tuple(map(str, range(n_items)))
    categories = tuple(map(str, range(case.posterior.shape[1])))
    found: dict[tuple[str, str], list[tuple[bool, float, float]]] = {}
    first = draw(items, categories, case.posterior, n_checks, rng=rng)
    for _ in range(repetitions):
        design = replace(first, order=sample(first.stratum, first.n_drawn, rng))
        for statement, construction, lower, upper in _intervals(design, case.gold, often):
            value = truth[statement]
            held = lower - 1e-12 <= value <= upper + 1e-12
            found.setdefault((statement, construction), []).append((held, upper - lower, np.nan))
        for rate in ERROR_RATES:
            tested = examine_sets(design, wrong, design.drawn, error_rate=rate, confidence=LEVEL)
            n = int(tested.n_items[tested.released][-1]) if tested.released.any() else 0
            chosen = design.certainty >= tested.least_certainty
            share = float(wrong[chosen].mean()) if n else 0.0
            found.setdefault(("release", f"at most {rate:.0%} wrong"), []).append(
                (share <= rate, n / n_items, share)
            )
    rows = [
        _row(np.array(each)) | {"statement": statement, "construction": construction}
        for (statement, construction), each in found.items()
    ]
    table = pd.DataFrame(rows).assign(
        case=case.name,
        model=case.model,
        provenance=case.provenance,
        n_items=n_items,
        n_checks=n_checks,
    )
    table["truth"] = table["statement"].map(truth).fillna(truth["accuracy"])
    return table


def _intervals(design: Design, gold: Ints, often: int) -> Iterable[tuple[str, str, float, float]]:
    """Yield what is stated, how, and the ends."""
    checked, answer = design.drawn, design.category
    wrong, given, true = answer != gold, answer == often, gold == often

    def by_stratum(mask: NDArray[np.bool_]) -> Ints:
        return np.bincount(design.stratum[checked & mask], minlength=design.sizes.size)

    right = by_stratum(~wrong)
    for how in ("beta", "wilson", "normal"):
        interval = stratified_share(right, design.n_drawn, design.sizes, construction=how)
        yield "accuracy", how, interval.lower, interval.upper
    powered = difference_estimate(
        np.where(checked, ~wrong, np.nan), design.certainty, design.stratum
    )
    yield "accuracy", "with probabilities", powered.lower, powered.upper
    corrected = stratified_prevalence(
        float(given.mean()),
        by_stratum(true & ~given),
        by_stratum(given & ~true),
        design.n_drawn,
        design.sizes,
    )
    yield "prevalence", "corrected, beta", corrected.lower, corrected.upper
    powered = difference_estimate(
        np.where(checked, true, np.nan), design.posterior[:, often], design.stratum
    )
    yield "prevalence", "with probabilities", powered.lower, powered.upper
    alone = stratified_share(by_stratum(true), design.n_drawn, design.sizes)
    yield "prevalence", "checks alone, beta", alone.lower, alone.upper


def _row(values: Floats) -> dict[str, Any]:
    n = len(values)
    k = int(values[:, 0].sum())
    interval = proportion_interval(k, n)
    most = values[:, 2]
    return {
        "held": interval.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "size": float(values[:, 1].mean()),
        "most": float(np.nanmax(most)) if np.isfinite(most).any() else np.nan,
        "verdict": "low" if interval.upper < LEVEL else "holds",
    }


@dataclass(frozen=True)
class Task:
    """A case to be measured with every number of checks.

    Attributes
    ----------
    name : str
        Of a world or a data set.
    model : str
        Of a data set; empty for a world.
    n_items : int
        Of a world; 0 for a data set, which has its own.
    """

    name: str
    model: str
    n_items: int


def tasks(grid: Mapping[str, Any], names: Iterable[str]) -> list[Task]:
    """List what is measured.

    Parameters
    ----------
    grid : mapping
        `worlds` and `items`, which are crossed, and `models`, which are with the data sets.
    names : iterable of str
        Data sets.

    Returns
    -------
    list of Task
        Worlds first.
    """
    simulated = [Task(name, "", n) for name in grid["worlds"] for n in grid["items"]]
    return simulated + [Task(name, model, 0) for name in names for model in grid["models"]]


def run(
    task: Task, grid: Mapping[str, Any], cases: Mapping[str, BenchmarkCase], seed: int
) -> pd.DataFrame:
    """Measure a case with every number of checks.

    Parameters
    ----------
    task : Task
        The case.
    grid : mapping
        `checks` and `repetitions`.
    cases : mapping of str to BenchmarkCase
        Labels and gold of data sets, by name.
    seed : int
        With the names of the task it makes the generator.

    Returns
    -------
    DataFrame
        Rows of `measure`; none if the model refuses the labels.
    """
    words = f"{task.name} {task.model} {task.n_items}".encode()
    rng = np.random.default_rng([seed, *words])
    case: AuditCase | None
    if task.model:
        case = fitted_case(cases[task.name], task.model, rng=rng)
    else:
        case = world(task.name, task.n_items, rng=rng)
    if case is None:
        return pd.DataFrame()
    return pd.concat(
        [
            measure(case, n, repetitions=grid["repetitions"], rng=rng)
            for n in grid["checks"]
            if 2 * n <= case.gold.size or n == min(grid["checks"])
        ],
        ignore_index=True,
    )
