"""Buy the labels of real data sets again, in the order of strategies."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from annobench.benchmark.cases import read_cases
from annobench.core.files import recording, replacing
from annobench.studies import label_next


def main(folders: Iterable[Path], repeats: int, seed: int) -> pd.DataFrame:
    """Return accuracy by data set, strategy and number of labels."""
    cases = read_cases(folders)
    found = label_next.compare(cases, repeats=repeats, seed=seed)
    return found.assign(provenance=found["case"].map({c.name: c.provenance for c in cases}))


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        measured = main(
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            repeats=snakemake.params.grid["repeats"],
            seed=snakemake.params.seed,
        )
        with replacing(snakemake.output.table) as draft:
            measured.to_csv(draft, index=False, float_format="%.6g")
