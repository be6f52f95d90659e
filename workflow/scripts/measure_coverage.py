"""Measure the empirical coverage of intervals on simulated labels: a part of the study."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from annobench.core.files import recording, replacing
from annobench.studies import coverage
from annobench.studies.parts import run_part


def main(
    grid: Sequence[Mapping[str, Any]], seed: int, estimand_items: int, part: int, n_parts: int
) -> pd.DataFrame:
    """Return the rows of a part of a grid."""
    tasks = coverage.plan(grid, coverage.cases())
    run = partial(coverage.Task.run, seed=seed, n_items=estimand_items)
    return run_part(tasks, run, part, n_parts)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        measured = main(
            grid=snakemake.params.grid,
            seed=snakemake.params.seed,
            estimand_items=snakemake.params.estimand_items,
            part=int(snakemake.wildcards.part),
            n_parts=snakemake.params.n_parts,
        )
        with replacing(snakemake.output.table) as draft:
            measured.to_parquet(draft)
