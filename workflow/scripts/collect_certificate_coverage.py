"""Put the simulated coverage of the noise certificate beside the exact one and the power."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from annobench.core.files import recording, replacing
from annobench.studies import certificate_coverage
from annobench.studies.parts import join_parts, write_settings


def main(parts: Iterable[str], settings: Mapping[str, Any]) -> list[pd.DataFrame]:
    """Return curves, exact, simulated and power."""
    grid, seed = settings["design"], settings["seed"]
    design = {"items": grid["exact_items"], "guesses": grid["guesses"]}
    return [
        certificate_coverage.exact_curves(**design).assign(provenance="closed_form"),
        certificate_coverage.exact_summary(
            grid["exact_items"], certificate_coverage.EXACT_ANNOTATORS, grid["guesses"]
        ).assign(provenance="closed_form"),
        join_parts(parts).assign(provenance="simulated"),
        certificate_coverage.power_table(repetitions=4 * grid["repetitions"], seed=seed).assign(
            provenance="simulated"
        ),
    ]


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        settings = snakemake.params.settings
        tables = main(snakemake.input.parts, settings)
        for path, table in zip(snakemake.output.tables, tables, strict=True):
            with replacing(path) as draft:
                table.to_csv(draft, index=False, float_format="%.6g")
        write_settings(snakemake.output.settings, settings)
