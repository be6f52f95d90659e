"""Fit one model, or all, to parts of the labels of some data sets."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from annobench import models
from annobench.benchmark.cases import read_cases
from annobench.benchmark.refits import COLUMNS, refit
from annobench.core.files import recording, replacing


def main(
    method: str, folders: Sequence[Path], refits: Mapping[str, Any], seed: int
) -> pd.DataFrame:
    """Return the scores of the fits."""
    known = models.discover()
    tables = [
        refit(case, known[name], settings=refits, limit=refits["limit"], seed=seed)
        for name in (sorted(known) if method == "all" else [method])
        for case in read_cases(folders)
    ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=COLUMNS)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        table = main(
            method=snakemake.wildcards.method,
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            refits=snakemake.params.refits,
            seed=snakemake.params.seed,
        )
        with replacing(snakemake.output.table) as draft:
            table.to_csv(draft, index=False)
