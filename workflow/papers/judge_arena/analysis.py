"""Recompute the page's estimates, and see what the judge knows of the humans' choices."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, values


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute the page's values, then rates, win rates by six methods, and coverage."""
    arenas = [values.Arena.of(id.removeprefix("arena_"), study.data(id)) for id in study.datasets]
    numbers = study.numbers("vignette").to_dict()
    counts, level = values.split_of(numbers), float(numbers["level"])
    page = values.page_estimates(counts, level)
    results.values(values.shares(arenas[0]), of=study.datasets[0])
    results.values(values.page_values(page), of="printed")

    of = study.datasets
    results.table("judges", values.judges_table, arenas, of=of)
    estimates = results.table("estimates", values.estimates_table, arenas, rng, of=of)
    coverage = results.table(
        "coverage", values.coverage_table, arenas, rng, effort, of=["simulation", *of]
    )
    results.table("vignette", values.vignette_table, counts, page, level, of="printed")
    results.figure("heaps", figures.heaps, arenas, of=of)
    results.figure("estimates", figures.estimates, estimates, of=of)
    results.figure("coverage", figures.coverage, coverage, of="simulation")
