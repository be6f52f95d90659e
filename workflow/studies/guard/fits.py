"""Simulated labels on which cautions should appear, or should not.

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
from annobench.models._guard import against_votes, guard, two_annotators
from annobench.models.base import Fit

#: By how much the votes are more accurate than a fit that fails.
FAILS: Final = 0.05
#: Random starts among which the best optimum is looked for.
MANY_STARTS: Final = 40
#: The models whose check of dependence has its level measured.
CHECKED_MODELS: Final = ("dawid_skene", "ibcc", "one_coin")


class Design(NamedTuple):
    """Simulated labels: a kind of the benchmark's regimes, K, labels per item, I and J."""

    kind: str
    n_categories: int
    labels_per_item: int
    n_items: int
    n_annotators: int

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


#: Of the check whether annotators err together, by whether they do.
CHECKED: Final = {
    Design("good", 3, 8, 200, 8): "independent",
    Design("mixed", 2, 5, 400, 20): "independent",
    Design("good", 4, 5, 500, 50): "independent",
    Design("spam", 3, 4, 500, 40): "independent",
    Design("adversarial", 2, 5, 500, 30): "independent",
    Design("difficulty", 3, 5, 400, 20): "dependent",
    Design("correlated", 3, 5, 400, 20): "dependent",
    Design("mixed", 2, 3, 300, 60): "independent, few labels",
    Design("mixed", 20, 4, 200, 8): "independent, few labels",
}

#: Of the cautions that compare a fit with the votes, by regime.
_KINDS: Final = (
    *("good", "mixed", "spam", "adversarial", "correlated", "difficulty", "imbalance"),
    "long_tail",
)
_SIZES: Final = ((2, 5, 300, 20), (2, 3, 300, 100), (4, 5, 300, 30), (2, 10, 150, 10))
#: What is said of two annotators is stated apart, as their votes tie wherever they differ.
TWO: Final = "two annotators"
FITTED: Final = {
    **{Design(kind, *size): kind for size in _SIZES for kind in _KINDS},
    Design("good", 2, 2, 300, 2): TWO,
    Design("mixed", 2, 2, 300, 2): TWO,
}
#: Of the search for other optima.
SEARCHED: Final = tuple(
    Design(kind, k, 3, 100, 20) for kind, k in (("mixed", 4), ("spam", 2), ("good", 2))
)


def _fitted(model: str, case: BenchmarkCase) -> Fit | None:
    options = {} if models.get(model).METHOD.deterministic else {"rng": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return models.fit(case.annotations, model, **options)
        except AnnotationError:
            return None


def _row(part: str, model: str, regime: str, case: BenchmarkCase, **found: Any) -> dict[str, Any]:
    none = {"p_value": np.nan, "fails": False, "said": ""}
    return {"part": part, "model": model, "regime": regime, "design": case.name} | none | found


def dependence(model: str, design: Design, *, n: int, seed: int) -> pd.DataFrame:
    """Check sets of one design, a row each."""
    rows = []
    for world in range(n):
        case = design.draw(seed + world)
        if (fitted := _fitted(model, case)) is None:
            continue
        found = fitted.dependence(case.annotations)
        assert found is not None
        rows.append(_row("dependence", model, CHECKED[design], case, p_value=found.p_value))
    return pd.DataFrame(rows)


def failures(names: Sequence[str], design: Design, *, n: int, seed: int) -> pd.DataFrame:
    """Fit models to sets of one design, a row a fit: whether it fails, and what is said."""
    rows = []
    for world in range(n):
        case = design.draw(seed + world)
        a = case.annotations
        by_votes = float((a.counts.argmax(axis=1) == case.gold).mean())
        for name in names:
            if (fitted := _fitted(name, case)) is None:
                continue
            right = float((fitted.posterior.argmax(axis=1) == case.gold).mean())
            said = [*against_votes(fitted.posterior, a), *two_annotators(fitted, a)]
            rows.append(
                _row(
                    "votes",
                    name,
                    FITTED[design],
                    case,
                    fails=by_votes - right > FAILS,
                    said=" ".join(each.name for each in said),
                )
            )
    return pd.DataFrame(rows)


def optima(design: Design, *, n: int, seed: int) -> pd.DataFrame:
    """Fit Dawid and Skene's model, a row a set: whether many starts, and the guard, find better."""
    rows = []
    for world in range(seed, seed + n):
        case = design.draw(world)
        a = case.annotations
        fitted = dawid_skene.fit(a)
        best = dawid_skene.restarts(a, rng=world, n_random=MANY_STARTS).best
        moved = bool((best.posterior.argmax(axis=1) != fitted.posterior.argmax(axis=1)).any())
        better = best.log_posterior - fitted.log_posterior > 1e-6 * abs(fitted.log_posterior)
        # Other starts than the forty.
        said = {each.name for each in guard(fitted, a, rng=np.random.default_rng([world, 1]))}
        rows.append(
            _row(
                "optima",
                "dawid_skene",
                design.kind,
                case,
                fails=better and moved,
                said=" ".join(said & {"other_optimum"}),
            )
        )
    return pd.DataFrame(rows)
