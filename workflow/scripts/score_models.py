"""Score the fits of all models to labels with a gold standard."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annobench import models
from annobench.core.files import recording
from annobench.studies.benchmark.cases import read_cases
from annobench.studies.benchmark.fits import read_fits
from annobench.studies.benchmark.regimes import simulate_regimes
from annobench.studies.benchmark.tables import BenchmarkTables, tabulate


def main(
    folders: Sequence[Path], fits: Iterable[Path], grid: Mapping[str, Any], seed: int
) -> BenchmarkTables:
    """Return the tables."""
    return tabulate(
        read_cases(folders) + simulate_regimes(grid["regimes"], seed),
        [record for path in fits for record in read_fits(path.with_suffix(""))],
        [model for _, model in sorted(models.discover().items())],
        replicates=grid["replicates"],
        seed=seed,
        settings=grid,
    )


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            fits=[Path(path) for path in snakemake.input.fits],
            grid=snakemake.params.grid,
            seed=snakemake.params.seed,
        ).write(Path(snakemake.output.settings).parent)
