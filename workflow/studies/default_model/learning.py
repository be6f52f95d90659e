"""Learn the constants of the default model from public data sets, without each family in turn.

`python -m studies.default_model.learning FOLDER ...` reads the folders of data sets, as the
workflow writes them, and stores the constants in the package.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import digamma, logit, polygamma
from scipy.stats import norm

from annobench import datasets
from annobench.benchmark.cases import BenchmarkCase
from annobench.core.files import replacing
from annobench.models import adjusted_dawid_skene
from annobench.models._accuracy import accuracy_posteriors
from annobench.models.adjusted_dawid_skene import (
    AdjustedFit,
    Adjustment,
    Evidence,
    combine,
)
from studies.default_model.scoring import ENOUGH_GOLD, SMALLEST
from studies.pool.cases import family_of

Floats = NDArray[np.float64]

#: Items of a data set that are learned from at most.
MOST_ITEMS: Final = 1_000
#: Where the search begins; spreads do not affect it.
START: Final = Adjustment(0.5, 0.75, 0.3, 0.015, -3.0, 1.0, 0.4, 0.2)
SPREADS: Final = np.arange(0, 2, 0.01)
LEVEL: Final = 0.95


class Example(NamedTuple):
    """What is learned from one data set.

    Attributes
    ----------
    family : str
        Who collected the labels.
    evidence : Evidence
        Of items with gold, at most 1,000.
    gold : ndarray of int, shape (n,)
        Their categories.
    case : BenchmarkCase
        All labels.
    fitted : AdjustedFit
        A fit, of whose constants only the posterior depends.
    """

    family: str
    evidence: Evidence
    gold: NDArray[np.int64]
    case: BenchmarkCase
    fitted: AdjustedFit


def example(case: BenchmarkCase, seed: int) -> Example:
    """Fit a data set, and draw items with gold."""
    fitted = adjusted_dawid_skene.fit(case.annotations, adjustment=START)
    scored = np.flatnonzero(case.scored)
    some = np.random.default_rng(seed).permutation(scored)[:MOST_ITEMS]
    seen = fitted.evidence
    part = Evidence(seen.scores[some], seen.log_prevalence, seen.votes[some])
    return Example(family_of(case.name), part, case.gold[some], case, fitted)


def learn(examples: Sequence[Example]) -> Adjustment:
    """Learn all constants."""

    def loss(theta: Floats) -> float:
        if theta.min() < 0 or theta[3] > 0.5:
            return np.inf
        return float(np.mean([_log_loss(each, _with_powers(theta)) for each in examples]))

    start = [START.correlation, START.prevalence_power, START.votes_power, START.floor]
    theta = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-6}).x
    measured = [each.fitted.dependence_check.correlation for each in examples]
    logs = np.log([value for value in measured if value > 0])
    powers = _with_powers(theta)
    spreads = [
        _spread([function(each, powers) for each in examples])
        for function in (_accuracy_errors, _prevalence_errors)
    ]
    constants = [*theta, logs.mean(), logs.std(ddof=1), *spreads]
    return Adjustment(*[round(float(value), 4) for value in constants])


def _with_powers(theta: Floats) -> Adjustment:
    rho, prevalence_power, votes_power, floor = map(float, theta)
    return Adjustment(rho, prevalence_power, votes_power, floor, 0.0, 1.0, 0.0, 0.0)


def _log_loss(each: Example, adjustment: Adjustment) -> float:
    posterior = combine(each.evidence, 1.0, adjustment)
    right = posterior[np.arange(each.gold.size), each.gold]
    return float(-np.log(np.maximum(right, SMALLEST)).mean())


def _accuracy_errors(each: Example, adjustment: Adjustment) -> tuple[Floats, Floats]:
    """Return errors of annotators' accuracy on the logit scale, and sampling variances."""
    labels, gold = each.case.annotations, each.case.gold[each.case.annotations.item]
    posterior = combine(each.fitted.evidence, each.fitted.weight, adjustment)
    size, has_gold = labels.n_annotators, gold >= 0
    hits = posterior[labels.item, labels.label]
    expected = np.bincount(labels.annotator, hits, minlength=size).astype(np.float64)
    n = np.bincount(labels.annotator, minlength=size).astype(np.float64)
    correct, wrong = accuracy_posteriors(expected, n)
    n_gold = np.bincount(labels.annotator[has_gold], minlength=size)
    right = np.bincount(labels.annotator[has_gold & (gold == labels.label)], minlength=size)
    on_gold = logit((right + 0.5) / (n_gold + 1))
    # Mean and variance of the logit of a beta variable.
    error = on_gold - (digamma(correct) - digamma(wrong))
    variance = polygamma(1, correct) + polygamma(1, wrong)
    enough = n_gold >= ENOUGH_GOLD
    return error[enough], variance[enough]


def _prevalence_errors(each: Example, adjustment: Adjustment) -> tuple[Floats, Floats]:
    """Return errors of the prevalence on the log scale, and sampling variances."""
    scored = each.case.scored
    posterior = combine(each.fitted.evidence, each.fitted.weight, adjustment)[scored]
    n, k = posterior.shape
    share = (np.bincount(each.case.gold[scored], minlength=k)[:k] + 0.5) / (n + k / 2)
    estimate = posterior.mean(axis=0)
    return np.log(share) - np.log(estimate), (1 - estimate) / (n * estimate)


def _spread(errors: Iterable[tuple[Floats, Floats]]) -> float:
    """Return the smallest spread with which intervals cover, on average over data sets."""
    several = [(error, variance) for error, variance in errors if error.size]
    width = norm.ppf((1 + LEVEL) / 2)

    def covered(spread: float) -> float:
        shares = [
            np.mean(np.abs(error) <= width * np.sqrt(variance + spread**2))
            for error, variance in several
        ]
        return float(np.mean(shares))

    return next((float(spread) for spread in SPREADS if covered(spread) >= LEVEL), SPREADS[-1])


def learn_all(examples: Sequence[Example]) -> dict[str, Any]:
    """Learn from all examples, and without each family."""
    families = sorted({each.family for each in examples})
    return {
        "families": {each.case.name: each.family for each in examples},
        "all": vars(learn(examples)),
        "without": {
            family: vars(learn([each for each in examples if each.family != family]))
            for family in families
        },
    }


def main(folders: Sequence[str], write: Callable[[str], object] = print) -> None:
    """Learn from the real data sets among the folders, and store the constants."""
    cases = [BenchmarkCase.of(datasets.read(Path(folder))) for folder in folders]
    learned = learn_all([example(case, seed=1) for case in cases if case.provenance == "real"])
    path = Path(adjusted_dawid_skene.__file__).with_suffix(".json")
    with replacing(path) as draft:
        draft.write_text(json.dumps(learned, indent=1) + "\n", encoding="utf-8")
    write(f"{path.name}: {learned['all']}")


if __name__ == "__main__":
    main(sys.argv[1:])
