"""Measure the empirical coverage of every kind of interval on simulated labels."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import pandas as pd

from annobench.core.files import recording, replacing
from annobench.studies import coverage


def main(
    grid: Sequence[Mapping[str, Any]], seed: int, estimand_items: int, processes: int
) -> pd.DataFrame:
    """Return the table of a grid; the same whatever the number of processes."""
    tasks = coverage.plan(grid, coverage.cases())
    one = partial(coverage.Task.run, seed=seed, n_items=estimand_items)
    with ProcessPoolExecutor(processes) as pool:
        table = pd.concat(pool.map(one, tasks), ignore_index=True)
    return table.assign(verdict=coverage.verdict(table), provenance="simulated")


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        measured = main(
            grid=snakemake.params.grid,
            seed=snakemake.params.seed,
            estimand_items=snakemake.params.estimand_items,
            processes=snakemake.threads,
        )
        with replacing(snakemake.output.table) as draft:
            measured.to_csv(draft, index=False, float_format="%.6g")
