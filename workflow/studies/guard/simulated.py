"""Simulated labels on which cautions should appear, or should not.

    PYTHONPATH=workflow python -m studies.guard.simulated

A fit fails if the share of right categories is more than .05 below that of the votes. The cautions
that compare a fit with the votes should appear then, and not otherwise. The check whether
annotators err together should have its level where they do not.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from annobench import models
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.regimes import simulate
from annobench.core.errors import AnnotationError
from annobench.models import dawid_skene
from annobench.models._guard import against_votes, guard
from annobench.models.base import Fit
from annobench.resampling.proportions import proportion_interval

#: By how much the votes are more accurate than a fit that fails.
FAILS: Final = 0.05
#: Sets of each design of the check of dependence; of each kind and size; of each kind for optima.
CHECKED, FITTED, SEARCHED = 150, 4, 10
#: The models of the check, and those that are compared with the votes.
CHECKED_MODELS: Final = ("dawid_skene", "ibcc", "one_coin")
MODELS: Final = (
    *("dawid_skene", "fast_dawid_skene", "one_coin", "ibcc", "glad", "mace", "minimax_entropy"),
    *("mmsr", "weighted_voting", "zencrowd", "kos", "bwa", "catd", "pm", "wawa"),
    *("zero_based_skill", "random_clumped"),
)
#: Random starts among which the best optimum is looked for.
MANY_STARTS: Final = 40


class Design(NamedTuple):
    """Simulated labels: a kind of the benchmark's regimes, K, labels per item, I and J."""

    kind: str
    n_categories: int
    labels_per_item: int
    n_items: int
    n_annotators: int
    labels: str

    def draw(self, seed: int) -> BenchmarkCase:
        """Simulate one set."""
        return simulate(
            self.kind,
            n_categories=self.n_categories,
            labels_per_item=self.labels_per_item,
            n_items=self.n_items,
            n_annotators=self.n_annotators,
            seed=seed,
        )


#: Of the check whether annotators err together; the last column says whether they do.
DESIGNS: Final = (
    Design("good", 3, 8, 200, 8, "independent"),
    Design("mixed", 2, 5, 400, 20, "independent"),
    Design("good", 4, 5, 500, 50, "independent"),
    Design("spam", 3, 4, 500, 40, "independent"),
    Design("adversarial", 2, 5, 500, 30, "independent"),
    Design("difficulty", 3, 5, 400, 20, "dependent"),
    Design("correlated", 3, 5, 400, 20, "dependent"),
    Design("mixed", 2, 3, 300, 60, "independent, few labels"),
    Design("mixed", 20, 4, 200, 8, "independent, few labels"),
)

#: Kinds of regimes of the cautions that compare with the votes, and their sizes.
KINDS: Final = (
    *("good", "mixed", "spam", "adversarial", "correlated", "difficulty", "imbalance"),
    "long_tail",
)
SIZES: Final = ((2, 5, 300, 20), (2, 3, 300, 100), (4, 5, 300, 30), (2, 10, 150, 10))


def _fitted(model: str, case: BenchmarkCase) -> Fit | None:
    options = {} if models.get(model).METHOD.deterministic else {"rng": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return models.fit(case.annotations, model, **options)
        except AnnotationError:
            return None


def dependence(model: str, design: Design, *, n: int, seed: int) -> pd.DataFrame:
    """Check sets of one design, a row each."""
    rows: list[dict[str, Any]] = []
    for world in range(n):
        case = design.draw(seed + world)
        if (fitted := _fitted(model, case)) is None:
            continue
        found = fitted.dependence(case.annotations)
        assert found is not None
        rows.append(
            {"model": model, "design": case.name, "errors": design.labels}
            | {"p_value": found.p_value, "correlation": found.correlation}
        )
    return pd.DataFrame(rows)


def failures(
    names: Sequence[str], size: tuple[int, int, int, int], *, n: int, seed: int
) -> pd.DataFrame:
    """Fit models to sets of one size, a row a fit: whether it fails, and what is said."""
    rows: list[dict[str, Any]] = []
    for kind in KINDS:
        for world in range(n):
            case = Design(kind, *size, "").draw(seed + world)
            votes = case.annotations.counts.argmax(axis=1)
            for name in names:
                if (fitted := _fitted(name, case)) is None:
                    continue
                right = fitted.posterior.argmax(axis=1) == case.gold
                said = [each.name for each in against_votes(fitted.posterior, case.annotations)]
                loss = float((votes == case.gold).mean() - right.mean())
                rows.append(
                    {"model": name, "regime": kind, "design": case.name}
                    | {"fails": loss > FAILS, "said": " ".join(said)}
                )
    return pd.DataFrame(rows)


def optima(*, n: int, seed: int) -> pd.DataFrame:
    """Fit Dawid and Skene's model, a row a set: whether many starts, and the guard, find better."""
    rows: list[dict[str, Any]] = []
    for kind, k in (("mixed", 4), ("spam", 2), ("good", 2)):
        for world in range(n):
            case = Design(kind, k, 3, 100, 20, "").draw(seed + world)
            a = case.annotations
            fitted = dawid_skene.fit(a)
            best = dawid_skene.restarts(a, rng=seed, n_random=MANY_STARTS).best
            moved = (best.posterior.argmax(axis=1) != fitted.posterior.argmax(axis=1)).any()
            better = best.log_posterior - fitted.log_posterior > 1e-6 * abs(fitted.log_posterior)
            said = {each.name for each in guard(fitted, a, rng=np.random.default_rng(seed))}
            rows.append(
                {"model": "dawid_skene", "regime": kind, "design": case.name}
                | {"fails": bool(better and moved), "said": " ".join(said & {"other_optimum"})}
            )
    return pd.DataFrame(rows)


def alarms(checked: pd.DataFrame) -> pd.DataFrame:
    """Count p-values below .05, with 95% Wilson intervals, and below .01, by model and errors."""
    rows = []
    for (model, errors), part in checked.groupby(["model", "errors"], sort=False):
        below = int((part["p_value"] < 0.05).sum())
        ends = proportion_interval(below, len(part))
        rows.append(
            {"model": model, "errors": errors, "n": len(part), "below_05": below / len(part)}
            | {"lower": ends.lower, "upper": ends.upper}
            | {"below_01": (part["p_value"] < 0.01).mean()}
        )
    return pd.DataFrame(rows)


def power(fits: pd.DataFrame, by: str) -> pd.DataFrame:
    """Count how many fits that fail are warned of, and how many others, by a column."""
    warned = fits.assign(warned=fits["said"] != "")
    counted = warned.groupby([by, "fails"], sort=False)["warned"].agg(["size", "mean"])
    return counted.unstack("fails")


def main() -> None:
    """Print the tables."""
    checks = [dependence(m, d, n=CHECKED, seed=0) for m in CHECKED_MODELS for d in DESIGNS]
    print(alarms(pd.concat(checks)).round(3).to_string())
    fits = pd.concat([failures(MODELS, size, n=FITTED, seed=100) for size in SIZES])
    for name in ("unanimous_overturned", "far_from_votes", "rare_category"):
        own = fits.assign(said=fits["said"].where(fits["said"].str.contains(name), ""), of=name)
        print(power(own, "of").round(3).to_string())
    print(power(fits.assign(of="any"), "of").round(3).to_string())
    print(power(fits, "regime").round(3).to_string())
    print(power(optima(n=SEARCHED, seed=100), "regime").round(3).to_string())


if __name__ == "__main__":
    main()
