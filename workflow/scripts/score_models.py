"""Score the fits of all models to labels with a gold standard."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from annobench import models
from annobench.core.files import recording, replacing
from annobench.studies import models as benchmark


def main(
    folders: Sequence[Path], fits: Iterable[Path], grid: Mapping[str, Any], seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the tables of scores, of fits and of methods."""
    cases = benchmark.cases(folders, grid["regimes"], seed)
    records = benchmark.in_order(
        cases, [record for path in fits for record in benchmark.read_fits(path.with_suffix(""))]
    )
    scores = pd.concat(
        [
            benchmark.compare(
                case,
                [record for record in records if record.problem == case.name],
                replicates=grid["replicates"],
                seed=seed,
            )
            for case in cases
        ],
        ignore_index=True,
    )
    for reference in benchmark.REFERENCES:
        scores[f"versus_{reference}"] = benchmark.verdict(scores, reference)
    methods = pd.DataFrame(
        [
            {
                "method": name,
                "reference": model.METHOD.reference,
                "deterministic": model.METHOD.deterministic,
            }
            for name, model in sorted(models.discover().items())
        ]
    )
    return scores, benchmark.tabulate(cases, records), methods


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        tables = main(
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            fits=[Path(path) for path in snakemake.input.fits],
            grid=snakemake.params.grid,
            seed=snakemake.params.seed,
        )
        for path, table in zip(snakemake.output, tables, strict=True):
            with replacing(path) as draft:
                table.to_csv(draft, index=False, float_format="%.6g")
