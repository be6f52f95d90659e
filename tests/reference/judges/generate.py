"""Regress differences of scores, and agreement over time, by statsmodels; store what it finds.

Run from a clone, in an environment with statsmodels (0.15.0) and pandas; a second:

    python tests/reference/judges/generate.py

statsmodels counts the means of items among the parameters, ours are nested in clusters and count
for nothing; the test converts.
"""

from __future__ import annotations

import datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent


def bias_case(seed: int, per_cluster: int) -> pd.DataFrame:
    """Draw scores of a judge that favours long answers and its own family."""
    rng = np.random.default_rng(seed)
    n = 120
    cluster = np.arange(n) // per_cluster
    own = rng.random(n) < 0.4
    length = np.exp2(rng.normal(7, 1, n) + own)
    human = rng.integers(1, 6, n)
    shift = rng.normal(0, 0.5, cluster.max() + 1)[cluster]
    judge = human + 0.2 * (np.log2(length) - 7) + 0.3 * own + shift + rng.normal(0, 0.7, n)
    return pd.DataFrame(
        {"judge": judge, "human": human, "length": length, "own": own, "cluster": cluster}
    )


def drift_case(seed: int) -> pd.DataFrame:
    """Draw whether a judge agrees with 40 anchor items in six runs, fewer in the later ones."""
    rng = np.random.default_rng(seed)
    item, run = np.repeat(np.arange(40), 6), np.tile(np.arange(6), 40)
    easy = rng.beta(3, 1, 40)[item]
    agrees = rng.random(240) < np.clip(easy - 0.15 * (run == 5), 0, 1)
    kept = rng.random(240) < 0.9
    return pd.DataFrame({"item": item, "run": run, "agrees": agrees})[kept]


BIAS = {"alone": (1, 1), "clusters": (2, 4)}
DRIFT = {"runs": 3}


def main() -> None:
    """Write one table."""
    import statsmodels.api as sm

    rows = []

    def fit(case: str, columns: dict[str, np.ndarray], y: np.ndarray, cluster: np.ndarray) -> None:
        design = np.column_stack(list(columns.values()))
        found = sm.OLS(y, design).fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)
        ends = found.conf_int()[0]
        values = (found.params[0], found.bse[0], *ends, found.pvalues[0])
        rows.append((case, *(f"{value:.15g}" for value in values)))

    for name, (seed, per_cluster) in BIAS.items():
        table = bias_case(seed, per_cluster)
        d = (table["judge"] - table["human"]).to_numpy()
        one, length = np.ones(d.size), np.log2(table["length"].to_numpy())
        own, cluster = table["own"].to_numpy(float), table["cluster"].to_numpy()
        fit(f"{name} score difference", {"one": one}, d, cluster)
        fit(f"{name} length", {"length": length, "one": one}, d, cluster)
        fit(f"{name} own family", {"own": own, "one": one}, d, cluster)
        fit(f"{name} length, adjusted", {"length": length, "own": own, "one": one}, d, cluster)
    for name, seed in DRIFT.items():
        table = drift_case(seed)
        y, run = table["agrees"].to_numpy(float), table["run"].to_numpy()
        item = table["item"].to_numpy()
        means = {f"item{i}": (item == i).astype(float) for i in range(item.max() + 1)}
        fit(f"{name} latest", {"latest": (run == 5).astype(float), **means}, y, item)
        fit(f"{name} trend", {"trend": run / 5, **means}, y, item)
    columns = ["case", "estimate", "standard_error", "lower", "upper", "p_value"]
    header = [
        "note: do not edit; written by the script",
        "script: tests/reference/judges/generate.py",
        f"packages: statsmodels=={version('statsmodels')} numpy=={np.__version__}",
        f"date: {datetime.datetime.now(tz=datetime.UTC).date()}",
    ]
    text = "".join(f"# {line}\n" for line in header)
    table = pd.DataFrame(rows, columns=columns)
    (HERE / "values.csv").write_text(text + table.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    main()
