"""Measure how often the statements of audits hold: a part of the study."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.benchmark.cases import read_cases
from annobench.core.files import recording, replacing
from annobench.studies import audit_coverage
from annobench.studies.parts import run_part


def main(
    folders: Iterable[Path], grid: Mapping[str, Any], seed: int, part: int, n_parts: int
) -> pd.DataFrame:
    """Return the rows of a part of a grid."""
    cases = {case.name: case for case in read_cases(folders)}

    def run(task: audit_coverage.Task) -> pd.DataFrame:
        return audit_coverage.run(task, grid, cases, seed)

    return run_part(audit_coverage.tasks(grid, cases), run, part, n_parts)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        measured = main(
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            grid=snakemake.params.grid,
            seed=snakemake.params.seed,
            part=int(snakemake.wildcards.part),
            n_parts=snakemake.params.n_parts,
        )
        with replacing(snakemake.output.table) as draft:
            measured.to_parquet(draft)
