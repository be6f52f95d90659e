"""Fit pairwise judgements by other packages and store what they find.

Run from a clone, in an environment with statsmodels and pandas:

    python tests/reference/pairwise/generate.py

statsmodels fits the model without ties as a logistic regression whose intercept is the effect of
being shown first, with standard errors of independent comparisons and of clusters.
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
    prompt = np.random.default_rng(seed + 100).integers(0, 30, n)
    return pd.DataFrame(
        {
            "worker": np.array([f"w{i}" for i in range(j)])[annotator],
            "left": names[left],
            "right": names[right],
            "label": np.where(won, names[left], names[right]),
            "prompt": np.array([f"p{i}" for i in range(30)])[prompt],
        }
    )


def by_statsmodels(name: str) -> Iterator[tuple[str, str, float, float, float]]:
    """Yield strengths of sum 0 and the effect of order, with their errors."""
    import statsmodels.api as sm

    data = comparisons(name)
    items = sorted(set(data["left"]) | set(data["right"]))
    k = len(items)
    design = np.zeros((len(data), k + 1))
    design[np.arange(len(data)), [items.index(x) for x in data["left"]]] = 1
    design[np.arange(len(data)), [items.index(x) for x in data["right"]]] -= 1
    design[:, k] = 1
    won = (data["label"] == data["left"]).to_numpy().astype(float)
    model = sm.Logit(won, design[:, 1:])
    groups = pd.factorize(data["prompt"])[0]
    alone = model.fit(disp=0, tol=1e-12)
    robust = model.fit(disp=0, tol=1e-12, cov_type="cluster", cov_kwds={"groups": groups})
    # From strengths relative to the first item to strengths of sum 0.
    centre = np.eye(k + 1)[:, 1:]
    centre[:k] -= np.append(np.ones(k - 1) / k, 0)
    errors = [np.sqrt(np.diag(centre @ fit.cov_params() @ centre.T)) for fit in (alone, robust)]
    for row in zip([*items, "first"], centre @ alone.params, *errors, strict=True):
        yield name, *row


def main() -> None:
    """Write values.csv."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [row for name in CASES for row in by_statsmodels(name)]
    with (HERE / "values.csv").open("w", encoding="utf-8") as out:
        out.write("# edit: do not, run the script\n")
        out.write("# script: tests/reference/pairwise/generate.py\n")
        out.write(f"# packages: statsmodels=={version('statsmodels')}\n")
        out.write(f"# date: {datetime.datetime.now(datetime.UTC).date()}\n")
        columns = ["case", "of", "value", "standard_error", "clustered_error"]
        pd.DataFrame(rows, columns=columns).to_csv(out, index=False, float_format="%.12g")


if __name__ == "__main__":
    main()
