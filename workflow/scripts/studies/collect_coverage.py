"""Put the parts of the coverage study together."""

from collections.abc import Iterable

import pandas as pd

from annobench.core.files import recording, replacing
from annobench.studies import coverage
from annobench.studies.parts import join_parts, write_settings


def main(parts: Iterable[str]) -> pd.DataFrame:
    """Return the table of a grid."""
    table = join_parts(parts)
    return table.assign(verdict=coverage.verdict(table), provenance="simulated")


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        collected = main(snakemake.input.parts)
        with replacing(snakemake.output.table) as draft:
            collected.to_csv(draft, index=False, float_format="%.6g")
        # The seed is that of the parts, which depend on it; nothing is drawn here.
        drawn_with = {"seed": snakemake.config["seed"]}
        write_settings(snakemake.output.settings, snakemake.params.settings | drawn_with)
