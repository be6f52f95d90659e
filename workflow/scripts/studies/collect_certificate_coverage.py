"""Put the simulated coverage of the noise certificate beside the exact one and the power."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from annobench.core.files import recording, replacing
from annobench.studies import certificate_coverage
from annobench.studies.parts import join_parts, write_settings


def main(parts: Iterable[str], design: Mapping[str, Any], seed: int) -> list[pd.DataFrame]:
    """Return curves, exact, simulated and power."""
    exact = {"items": design["exact_items"], "guesses": design["guesses"]}
    return [
        certificate_coverage.exact_curves(**exact).assign(provenance="closed_form"),
        certificate_coverage.exact_summary(
            design["exact_items"], certificate_coverage.EXACT_ANNOTATORS, design["guesses"]
        ).assign(provenance="closed_form"),
        join_parts(parts).assign(provenance="simulated"),
        certificate_coverage.power_table(repetitions=4 * design["repetitions"], seed=seed).assign(
            provenance="simulated"
        ),
    ]


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        settings = snakemake.params.settings | {"seed": snakemake.params.seed}
        tables = main(snakemake.input.parts, settings["design"], settings["seed"])
        for path, table in zip(snakemake.output.tables, tables, strict=True):
            with replacing(path) as draft:
                table.to_csv(draft, index=False, float_format="%.6g")
        write_settings(snakemake.output.settings, settings)
