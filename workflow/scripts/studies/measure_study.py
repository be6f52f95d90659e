"""Measure a part of the cells of a study."""

from importlib import import_module
from pathlib import Path

import pandas as pd

from annobench.core.files import recording, replacing
from study_contract.cells import measure_part
from study_contract.running import OwnStudy


def main(key: str, study: OwnStudy, part: int, n_parts: int) -> pd.DataFrame:
    """Return the rows of a part."""
    cells = import_module(f"studies.{key}.cells")
    return measure_part(cells.cells(study), part, n_parts)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        folders = [Path(meta).parent for meta in snakemake.input.metas]
        measured = main(
            snakemake.params.key,
            OwnStudy(
                snakemake.params.settings,
                {folder.name: folder for folder in folders},
            ),
            int(snakemake.wildcards.part),
            snakemake.params.n_parts,
        )
        with replacing(snakemake.output.table) as draft:
            measured.to_parquet(draft)
