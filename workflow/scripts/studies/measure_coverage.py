"""Measure the empirical coverage of intervals on simulated labels: a part of the study."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from annobench.core.files import recording, replacing
from annobench.studies import coverage
from annobench.studies.parts import run_part


def main(settings: Mapping[str, Any], seed: int, part: int, n_parts: int) -> pd.DataFrame:
    """Return the rows of a part of a grid."""
    tasks = coverage.plan(settings["design"], coverage.cases())
    run = partial(coverage.Task.run, seed=seed, n_items=settings["estimand_items"])
    return run_part(tasks, run, part, n_parts)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        measured = main(
            settings=snakemake.params.settings,
            seed=snakemake.params.seed,
            part=int(snakemake.wildcards.part),
            n_parts=snakemake.params.n_parts,
        )
        with replacing(snakemake.output.table) as draft:
            measured.to_parquet(draft)
