"""Fit every model to labels with a gold standard, real and simulated, and score it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from annobench import datasets, models
from annobench.core.files import recording, replacing
from annobench.studies import models as baselines


def problems(
    folders: Sequence[Path], regimes: Mapping[str, Any], seed: int
) -> Iterator[baselines.Problem]:
    """Yield the data sets that have a gold label to score, then the simulated regimes."""
    for folder in folders:
        data = datasets.read(folder)
        problem = baselines.Problem(data.id, data.annotations, data.gold, data.provenance)
        if problem.scored.any():
            yield problem
    for kind, n_categories, n_labels in product(
        baselines.KINDS, regimes["categories"], regimes["labels_per_item"]
    ):
        yield baselines.simulate(
            kind,
            n_categories=n_categories,
            labels_per_item=n_labels,
            n_items=regimes["items"],
            n_annotators=regimes["annotators"],
            seed=seed,
        )


def main(
    folders: Sequence[Path], grid: Mapping[str, Any], seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the tables of scores, of attempts and of methods."""
    tried = list(problems(folders, grid["regimes"], seed))
    attempts = baselines.attempt_all(tried, limit=grid["limit"], seed=seed)
    scores = pd.concat(
        [
            baselines.compare(
                problem,
                [each for each in attempts if each.problem == problem.name],
                replicates=grid["replicates"],
                seed=seed,
            )
            for problem in tried
        ],
        ignore_index=True,
    )
    for reference in baselines.REFERENCES:
        scores[f"versus_{reference}"] = baselines.verdict(scores, reference)
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
    return scores, baselines.costs(tried, attempts), methods


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        tables = main(
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            grid=snakemake.params.grid,
            seed=snakemake.params.seed,
        )
        for path, table in zip(snakemake.output, tables, strict=True):
            with replacing(path) as draft:
                table.to_csv(draft, index=False, float_format="%.6g")
