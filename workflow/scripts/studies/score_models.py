"""Score the fits of all models to labels with a gold standard."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annobench import models
from annobench.benchmark.cases import read_cases
from annobench.benchmark.fits import read_fits
from annobench.benchmark.regimes import simulate_regimes
from annobench.benchmark.tables import BenchmarkTables, read_table, tabulate
from annobench.core.files import recording


def main(
    folders: Sequence[Path],
    fits: Iterable[Path],
    refits: Iterable[Path],
    grid: Mapping[str, Any],
    grid_name: str,
    seed: int,
) -> BenchmarkTables:
    """Return the tables."""
    folder = "baselines_full" if grid_name == "full" else "baselines"
    job = "{method}/{case}" if grid_name == "full" else "all/all"
    shown = {
        "grid": grid_name,
        "smoke": grid_name == "reduced",
        "command": "make aggregation" if grid_name == "full" else "snakemake --cores all",
        "fit_command": f"snakemake --cores 1 results/studies/{folder}/fits/{job}.json",
    }
    return tabulate(
        read_cases(folders) + simulate_regimes(grid["regimes"], seed),
        [record for path in fits for record in read_fits(path.with_suffix(""))],
        [model for _, model in sorted(models.discover().items())],
        replicates=grid["replicates"],
        seed=seed,
        refits=[read_table(path) for path in refits],
        settings=shown | dict(grid),
    )


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            fits=[Path(path) for path in snakemake.input.fits],
            refits=[Path(path) for path in snakemake.input.refits],
            grid=snakemake.params.grid,
            grid_name=snakemake.params.grid_name,
            seed=snakemake.params.seed,
        ).write(Path(snakemake.output.tables[0]).parent)
