"""Fit pairwise judgements by other packages and store what they find.

Run from a clone, in an environment with statsmodels, crowd-kit and pandas:

    python tests/reference/pairwise/generate.py

statsmodels fits the model without ties as a logistic regression. crowd-kit's NoisyBradleyTerry has
annotators of different reliability. Its likelihood is stored here at the maximum that scipy finds
without crowd-kit's derivatives: in version 1.4.2 the gradient overwrites what it has summed for an
annotator, so that its optimiser stops elsewhere; where, is stored, too.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
#: Items, annotators, comparisons, seed.
CASES = {"few": (4, 3, 120, 1), "many": (8, 6, 900, 2)}


def comparisons(name: str) -> pd.DataFrame:
    """Draw comparisons without ties by annotators of whom the last ones mostly guess the left."""
    k, j, n, seed = CASES[name]
    rng = np.random.default_rng(seed)
    strength, reliability = np.linspace(-1.5, 1.5, k), np.linspace(0.95, 0.3, j)
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    annotator = rng.integers(0, j, n)
    won = rng.random(n) < 1 / (1 + np.exp(strength[right] - strength[left]))
    guessed = rng.random(n) > reliability[annotator]
    won = np.where(guessed, rng.random(n) < 0.7, won)
    names = np.array([f"m{i}" for i in range(k)])
    return pd.DataFrame(
        {
            "worker": np.array([f"w{i}" for i in range(j)])[annotator],
            "left": names[left],
            "right": names[right],
            "label": np.where(won, names[left], names[right]),
        }
    )


def by_statsmodels(name: str) -> Iterator[tuple[str, str, str, float, float]]:
    """Yield strengths of sum 0 and their errors, and the log-likelihood."""
    import statsmodels.api as sm

    data = comparisons(name)
    items = sorted(set(data["left"]) | set(data["right"]))
    design = np.zeros((len(data), len(items)))
    design[np.arange(len(data)), [items.index(x) for x in data["left"]]] = 1
    design[np.arange(len(data)), [items.index(x) for x in data["right"]]] -= 1
    won = (data["label"] == data["left"]).to_numpy().astype(float)
    fit = sm.Logit(won, design[:, 1:]).fit(disp=0, tol=1e-12)
    k = len(items)
    # From strengths relative to the first item to strengths of sum 0.
    centre = np.eye(k)[:, 1:] - 1 / k
    strength = centre @ fit.params
    error = np.sqrt(np.diag(centre @ fit.cov_params() @ centre.T))
    for item, x, e in zip(items, strength, error, strict=True):
        yield name, "statsmodels", item, x, e
    yield name, "statsmodels", "log_likelihood", fit.llf, np.nan


def by_crowdkit(name: str) -> Iterator[tuple[str, str, str, float, float]]:
    """Yield the maximum of crowd-kit's log-likelihood, its strengths, and where crowd-kit stops."""
    from crowdkit.aggregation import NoisyBradleyTerry
    from scipy.optimize import minimize
    from scipy.special import logit

    data = comparisons(name)
    items, people = sorted(set(data["left"])), sorted(set(data["worker"]))
    k, j = len(items), len(people)
    coded = np.array([[items.index(x) + 1 for x in data[c]] for c in ("left", "right", "label")]).T
    workers = np.array([people.index(x) for x in data["worker"]])

    def objective(x: np.ndarray) -> float:
        return NoisyBradleyTerry._compute_log_likelihood(x, coded, workers, k, j, 0.0)

    best = None
    for seed in range(8):
        start = np.random.default_rng(seed).normal(size=1 + k + 2 * j)
        bounds = [(-8, 8)] * start.size
        found = minimize(
            objective,
            start,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": 5_000, "maxfun": 10**6, "ftol": 1e-13, "gtol": 1e-8},
        )
        if best is None or found.fun < best.fun:
            best = found
    strength = best.x[1 : k + 1] - best.x[1 : k + 1].mean()
    for item, x in zip(items, strength, strict=True):
        yield name, "crowd-kit", item, x, np.nan
    for person, x in zip(people, best.x[1 + k + j :], strict=True):
        yield name, "crowd-kit", person, 1 / (1 + np.exp(-x)), np.nan
    yield name, "crowd-kit", "log_likelihood", -best.fun, np.nan
    own = NoisyBradleyTerry(n_iter=1_000, tol=1e-12, regularization_ratio=0.0).fit(data)
    stopped = np.concatenate(
        [[0], logit(own.scores_[items]), logit(own.biases_[people]), logit(own.skills_[people])]
    )
    yield name, "crowd-kit", "log_likelihood_where_it_stops", -objective(stopped), np.nan


def main() -> None:
    """Write values.csv."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [row for name in CASES for by in (by_statsmodels, by_crowdkit) for row in by(name)]
    with (HERE / "values.csv").open("w", encoding="utf-8") as out:
        out.write("# edit: do not, run the script\n")
        out.write("# script: tests/reference/pairwise/generate.py\n")
        packages = " ".join(f"{name}=={version(name)}" for name in ("statsmodels", "crowd-kit"))
        out.write(f"# packages: {packages}\n")
        out.write(f"# date: {datetime.datetime.now(datetime.UTC).date()}\n")
        columns = ["case", "package", "of", "value", "standard_error"]
        pd.DataFrame(rows, columns=columns).to_csv(out, index=False, float_format="%.12g")


if __name__ == "__main__":
    main()
