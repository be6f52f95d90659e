"""Means over data sets, differences with intervals over families, and what the criterion says."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from studies.pool.comparison import CREDIBLE, EQUAL, POOL, STACKING, VARIANTS

#: Bootstrap samples of families.
REPLICATES: Final = 10_000

#: What is no rival of the pool.
OWN: Final = (POOL, CREDIBLE, *VARIANTS)

MEANS: Final = ("log_loss", "brier", "accuracy", "calibration_error", "covered", "set_size")


def of_data(scores: pd.DataFrame) -> pd.DataFrame:
    """Leave out the regimes."""
    return scores[scores["provenance"] != "regime"]


def means(scores: pd.DataFrame) -> pd.DataFrame:
    """Average scores over data sets, and over regimes.

    Parameters
    ----------
    scores : DataFrame
        As from `compare`.

    Returns
    -------
    DataFrame
        A row per kind (data, regimes), number of gold items and method: `n_cases`, means, and the
        medians of log loss and calibration error.
    """
    kind = np.where(scores["provenance"] == "regime", "regimes", "data")
    grouped = scores.groupby([kind, "n_gold", "method"], sort=False)
    table = grouped[list(MEANS)].mean()
    for name in ("log_loss", "calibration_error"):
        table[f"median_{name}"] = grouped[name].median()
    table.insert(0, "n_cases", grouped.size())
    table.index.names = ["kind", "n_gold", "method"]
    whole = table["n_cases"].groupby(["kind", "n_gold"]).transform("max") == table["n_cases"]
    return table[whole].reset_index()


def differences(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Compare the pool's mean log loss with that of each method.

    Parameters
    ----------
    scores : DataFrame
        As from `compare`.
    seed : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        A row per number of gold items and method: `difference`, pool less method, with a 95%
        interval over families, `n_better` data sets of `n_cases`.
    """
    rows = []
    for n_gold, part in of_data(scores).groupby("n_gold"):
        loss = part.pivot_table(index=["family", "case"], columns="method", values="log_loss")
        loss = loss.drop(columns=CREDIBLE, errors="ignore").dropna(axis=1)
        apart = loss.rsub(loss[POOL], axis=0).drop(columns=POOL)
        sums = apart.groupby("family").sum()
        sizes = apart.groupby("family").size().to_numpy()
        rng = np.random.default_rng([seed, int(part["n_gold"].iloc[0])])
        even = np.full(sizes.size, 1 / sizes.size)
        drawn = rng.multinomial(sizes.size, even, size=REPLICATES)
        samples = drawn @ sums.to_numpy() / (drawn @ sizes)[:, None]
        ends = np.quantile(samples, [0.025, 0.975], axis=0)
        rows.append(
            pd.DataFrame(
                {
                    "n_gold": n_gold,
                    "method": apart.columns,
                    "difference": apart.mean().to_numpy(),
                    "lower": ends[0],
                    "upper": ends[1],
                    "n_better": (apart < 0).sum().to_numpy(),
                    "n_cases": len(apart),
                }
            )
        )
    return pd.concat(rows, ignore_index=True)


def decision(means: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """Say of each part of the criterion that concerns scores whether it holds.

    Parameters
    ----------
    means, differences : DataFrame
        As from the functions of these names.

    Returns
    -------
    DataFrame
        A row per condition: `part` of the criterion, `condition`, the `value` found, the `limit`
        that it must be below (or not above, of `accuracy` not below), and whether it `holds`.
    """
    rows = [*_of_losses("1", 0, means, differences)]
    data = means[(means["kind"] == "data") & (means["n_gold"] == 0)].set_index("method")
    best = _best(data)
    error = data["median_calibration_error"]
    for limit, name in ((0.06, "median calibration error"), (error[best], f"that of {best}")):
        rows.append(("2", name, error[POOL], limit, error[POOL] <= limit))
    accuracy = data["accuracy"]
    least = accuracy["dawid_skene"] - 0.005
    rows.append(("3", "mean accuracy", accuracy[POOL], least, accuracy[POOL] >= least))
    if 100 in set(means["n_gold"]):
        rows += _of_losses("4", 100, means, differences)
    loss = means[(means["kind"] == "regimes") & (means["n_gold"] == 0)].set_index("method")[
        "log_loss"
    ]
    limit = loss["dawid_skene"]
    rows.append(("5", "mean log loss of the regimes", loss[POOL], limit, loss[POOL] <= limit))
    return pd.DataFrame(rows, columns=["part", "condition", "value", "limit", "holds"])


def best_single(means: pd.DataFrame, n_gold: int) -> str:
    """Return the model of the lowest mean log loss."""
    return _best(means[(means["kind"] == "data") & (means["n_gold"] == n_gold)].set_index("method"))


def _rivals(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out the pool, its variants, and what is no model."""
    return table.drop(index=[*OWN, EQUAL, STACKING], errors="ignore")


def _best(table: pd.DataFrame) -> str:
    return str(_rivals(table)["log_loss"].idxmin())


def _of_losses(
    part: str, n_gold: int, means: pd.DataFrame, differences: pd.DataFrame
) -> list[tuple[str, str, float, float, bool]]:
    data = means[(means["kind"] == "data") & (means["n_gold"] == n_gold)].set_index("method")
    best, loss = _best(data), data["log_loss"]
    rows = [(part, f"mean log loss, and that of {best}", loss[POOL], loss[best])]
    apart = differences[differences["n_gold"] == n_gold].set_index("method")
    for name in dict.fromkeys(["dawid_skene", best]):
        upper = float(apart["upper"][name])
        rows.append((part, f"upper end of the difference to {name}", upper, 0.0))
    return [(*row, bool(row[2] < row[3])) for row in rows]
