"""Measure how often the noise certificate holds on simulated labels: a part of the study."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from annobench.core.files import recording, replacing
from annobench.studies.certificate_coverage import Regime, regimes, simulated_coverage
from annobench.studies.parts import run_part


def main(design: Mapping[str, Any], seed: int, part: int, n_parts: int) -> pd.DataFrame:
    """Return the rows of a part of a grid."""

    def run(regime: Regime) -> pd.DataFrame:
        return pd.DataFrame(
            [simulated_coverage(regime, repetitions=design["repetitions"], seed=seed)]
        )

    return run_part(regimes(design), run, part, n_parts)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        measured = main(
            design=snakemake.params.settings["design"],
            seed=snakemake.params.seed,
            part=int(snakemake.wildcards.part),
            n_parts=snakemake.params.n_parts,
        )
        with replacing(snakemake.output.table) as draft:
            measured.to_parquet(draft)
