"""Fit one model to labels with a gold standard, real or simulated."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annobench.core.files import recording
from annobench.studies import models as benchmark


def main(
    method: str, folders: Sequence[Path], regimes: Mapping[str, Any] | None, limit: float, seed: int
) -> list[benchmark.FitRecord]:
    """Return the records of the fits to data sets, and to the simulated regimes if there are."""
    cases = benchmark.cases(folders, regimes, seed)
    return benchmark.fit_all(cases, limit=limit, seed=seed, methods=[method])


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        records = main(
            method=snakemake.wildcards.method,
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            regimes=snakemake.params.regimes,
            limit=snakemake.params.limit,
            seed=snakemake.params.seed,
        )
        benchmark.write_fits(records, Path(snakemake.output.records).with_suffix(""))
