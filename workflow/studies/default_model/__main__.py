"""Score the candidates for the default model, and store the tables.

`PYTHONPATH=workflow python -m studies.default_model OUT FOLDER ...` reads the folders of data sets,
as the workflow writes them; constants are those stored without the family of each data set.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from annobench import datasets
from annobench.benchmark.cases import BenchmarkCase
from annobench.core.files import replacing
from studies.default_model.designs import DESIGNS, simulate
from studies.default_model.scoring import ADJUSTED, FROM, POWERS, clumped, score
from studies.pool.cases import family_of

#: Data sets of each design; the slow candidates are fitted to the first.
REPEATS: Final = 4
SEED: Final = 20081
#: Limits of errors expected over errors made, and of the coverage of annotators' accuracy.
CALIBRATED, COVERED = (0.8, 1.25), (0.9, 0.97)
#: Accuracy that the default may lose against Dawid and Skene's model.
LOST: Final = 0.005
CLUMPED: Final = "clumped, power learned"


def score_data(folders: Sequence[str]) -> pd.DataFrame:
    """Score all candidates on real data sets."""
    rows: list[dict[str, Any]] = []
    for folder in folders:
        case = BenchmarkCase.of(datasets.read(Path(folder)))
        if case.provenance == "real":
            about = {"case": case.name, "family": family_of(case.name)}
            rows += [about | row for row in score(case.annotations, case.gold, case.name)]
    return learn_power(pd.DataFrame(rows))


def learn_power(scores: pd.DataFrame) -> pd.DataFrame:
    """Add the clumped model with the power that is best on the other families."""
    names = [clumped(power) for power in POWERS]
    losses = scores[scores["method"].isin(names)].pivot_table(
        index=["family", "case"], columns="method", values="log_loss"
    )
    rows = []
    for family in losses.index.unique("family"):
        best = losses.drop(family, level="family").mean().idxmin()
        chosen = scores[(scores["family"] == family) & (scores["method"] == best)]
        rows.append(chosen.assign(method=CLUMPED))
    kept: pd.DataFrame = scores[~scores["method"].isin(names)]
    result: pd.DataFrame = pd.concat([kept, *rows], ignore_index=True)
    return result


def score_designs() -> pd.DataFrame:
    """Score the candidates on simulated crowds."""
    rows: list[dict[str, Any]] = []
    for design in DESIGNS:
        for repeat in range(REPEATS):
            rng = np.random.default_rng([SEED, repeat, zlib.crc32(design.name.encode())])
            labels, truth = simulate(design, rng)
            about = {"case": design.name, "dependence": design.dependence, "repeat": repeat}
            rows += [about | row for row in score(labels, truth, all_models=repeat == 0)]
    table = pd.DataFrame(rows)
    return table[~table["method"].isin([clumped(power) for power in POWERS if power != 0.4])]


def decide(data: pd.DataFrame, simulated: pd.DataFrame) -> pd.DataFrame:
    """Compare the default with its criterion."""
    return pd.DataFrame(_conditions(data, simulated)).assign(
        holds=lambda table: table["value"].between(table["lower"], table["upper"])
    )


def _conditions(data: pd.DataFrame, simulated: pd.DataFrame) -> Iterator[dict[str, Any]]:
    means = data.groupby("method")[["log_loss", "accuracy"]].mean()
    default, dawid_skene = means.loc[ADJUSTED], means.loc["dawid_skene"]
    yield {
        "condition": "mean log loss on public data sets, at most that of the pool",
        "value": default["log_loss"],
        "lower": 0.0,
        "upper": means.loc["pool", "log_loss"],
    }
    yield {
        "condition": "mean accuracy, at least that of dawid_skene less .005",
        "value": default["accuracy"],
        "lower": dawid_skene["accuracy"] - LOST,
        "upper": 1.0,
    }
    crowds = simulated[simulated["method"] == ADJUSTED]
    for limit in FROM:
        ratio, lower, upper = pooled_ratio(crowds, limit)
        yield {
            "condition": f"errors expected over made in simulated crowds, p of {limit:g} or more",
            "value": ratio,
            "lower": CALIBRATED[0],
            "upper": CALIBRATED[1],
            "interval_lower": lower,
            "interval_upper": upper,
        }
    own = data[data["method"] == ADJUSTED]
    yield {
        "condition": "mean coverage of annotators' accuracy on gold, by data set",
        "value": (own["n_covered"] / own["n_annotators"]).mean(),
        "lower": COVERED[0],
        "upper": COVERED[1],
    }


def pooled_ratio(crowds: pd.DataFrame, limit: float) -> tuple[float, float, float]:
    """Return errors expected over made, with a 95% interval by resampling data sets in designs."""
    columns = [f"expected_{limit:g}", f"actual_{limit:g}"]
    rng = np.random.default_rng(SEED)
    by_design = [part[columns].to_numpy() for _, part in crowds.groupby("case")]
    drawn = []
    for _ in range(1_000):
        sums = sum(part[rng.integers(len(part), size=len(part))].sum(axis=0) for part in by_design)
        drawn.append(sums[0] / max(sums[1], 1))
    lower, upper = np.quantile(drawn, [0.025, 0.975])
    expected, actual = crowds[columns].sum()
    return float(expected / actual), float(lower), float(upper)


def main(out: str, *folders: str) -> None:
    """Score, and store the tables."""
    data, simulated = score_data(folders), score_designs()
    for name, table in {
        "data": data,
        "designs": simulated,
        "decision": decide(data, simulated),
    }.items():
        with replacing(Path(out) / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, float_format="%.5g")


if __name__ == "__main__":
    main(*sys.argv[1:])
