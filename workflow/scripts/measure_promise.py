"""Count how often the noise certificate holds: exactly where it can be, else by simulation."""

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from typing import Any

import pandas as pd

from annobench.core.files import recording, replacing
from annobench.noise._guessing import chance_of_agreement
from annobench.studies import certificate_coverage

#: Designs whose planned power is held against certificates: items, annotators, share of hard items.
DESIGNS = ((300, 2, 0.02), (300, 2, 0.05), (300, 3, 0.1), (300, 4, 0.2), (1000, 4, 0.2))
#: The most annotators of the exact curves; with more, hardly a guess is hidden.
EXACT_ANNOTATORS = (2, 3)


def curves(grid: Mapping[str, Any]) -> pd.DataFrame:
    """Compute the exact coverage at every number of hard items."""
    found = []
    for n, j, p in product(grid["exact_items"], EXACT_ANNOTATORS, grid["guesses"]):
        chance = chance_of_agreement([1 - p, p], [j])
        found.append(
            certificate_coverage.exact_coverage(n, chance).assign(
                n_items=n, n_annotators=j, guess=p
            )
        )
    return pd.concat(found, ignore_index=True)


def main(grid: Mapping[str, Any], seed: int, processes: int) -> list[pd.DataFrame]:
    """Return curves, exact, simulated and power; the same whatever the number of processes."""
    one = partial(
        certificate_coverage.simulated_coverage, repetitions=grid["repetitions"], seed=seed
    )
    with ProcessPoolExecutor(processes) as pool:
        simulated = pd.DataFrame(pool.map(one, certificate_coverage.regimes(grid)))
    power = pd.DataFrame(
        [
            certificate_coverage.simulated_power(
                *design, repetitions=4 * grid["repetitions"], seed=seed
            )
            for design in DESIGNS
        ]
    )
    exact = certificate_coverage.exact_summary(
        grid["exact_items"], EXACT_ANNOTATORS, grid["guesses"]
    )
    return [
        curves(grid).assign(provenance="closed_form"),
        exact.assign(provenance="closed_form"),
        simulated.assign(provenance="simulated"),
        power.assign(provenance="simulated"),
    ]


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        tables = main(
            grid=snakemake.params.grid,
            seed=snakemake.params.seed,
            processes=snakemake.threads,
        )
        for path, table in zip(snakemake.output, tables, strict=True):
            with replacing(path) as draft:
                table.to_csv(draft, index=False, float_format="%.6g")
