"""Measure how often the noise certificate holds on simulated labels: a part of the study."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from annobench.core.files import recording, replacing
from annobench.studies.certificate_coverage import Regime, regimes, simulated_coverage
from annobench.studies.parts import run_part


def main(settings: Mapping[str, Any], part: int, n_parts: int) -> pd.DataFrame:
    """Return the rows of a part of a grid."""
    grid, seed = settings["design"], settings["seed"]

    def run(regime: Regime) -> pd.DataFrame:
        return pd.DataFrame(
            [simulated_coverage(regime, repetitions=grid["repetitions"], seed=seed)]
        )

    return run_part(regimes(grid), run, part, n_parts)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        measured = main(
            settings=snakemake.params.settings,
            part=int(snakemake.wildcards.part),
            n_parts=snakemake.params.n_parts,
        )
        with replacing(snakemake.output.table) as draft:
            measured.to_parquet(draft)
