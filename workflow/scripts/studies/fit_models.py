"""Fit one model, or all, to labels with a gold standard, real or simulated."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annobench import models
from annobench.benchmark.cases import read_cases
from annobench.benchmark.fits import FitRecord, fit_all, write_fits
from annobench.benchmark.regimes import simulate_regimes
from annobench.core.files import recording


def main(
    method: str, folders: Sequence[Path], regimes: Mapping[str, Any] | None, limit: float, seed: int
) -> list[FitRecord]:
    """Return the records of the fits to data sets, and to the simulated regimes if there are."""
    known = models.discover()
    cases = read_cases(folders) + (simulate_regimes(regimes, seed) if regimes else [])
    chosen = sorted(known) if method == "all" else [method]
    return fit_all(cases, [known[name] for name in chosen], limit=limit, seed=seed)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        records = main(
            method=snakemake.wildcards.method,
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            regimes=snakemake.params.regimes,
            limit=snakemake.params.limit,
            seed=snakemake.params.seed,
        )
        write_fits(records, Path(snakemake.output.records).with_suffix(""))
