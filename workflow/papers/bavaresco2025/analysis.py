"""Recompute the human side of JUDGE-BENCH (Bavaresco et al. 2025) from its released ratings."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, values


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute agreement and upper bounds, then what the bounds are made of."""
    settings = study.numbers("settings")
    data = {name: values.read(study.data(f"judge_bench_{name}")) for name in values.NAMES}
    of = study.datasets
    of_others, of_bounds, of_positions, of_crossed, of_raters = rng.spawn(5)

    alpha = values.alphas(study)
    results.values(values.sizes(data), of=of)
    results.values(values.alpha_values(alpha), of=of)
    bounds = values.bounds(data, settings, effort)
    results.values(values.bound_values(bounds), of=of)
    results.values(values.other_seeds(data, settings, effort, of_others), of=of)

    table = results.table(
        "bounds", values.table_of_bounds, data, bounds, alpha, of_bounds, effort, of=of
    )
    results.table("positions", values.table_of_positions, data, of_positions, effort, of=of)
    first = values.NAMES[0]
    crossed = values.crossed_alphas(data[first], of_crossed, values.REPLICATES[effort])
    alphas = results.table("alphas", values.table_of_alphas, study, data, crossed, of=of)
    raters = results.table(
        "raters", values.table_of_raters, data[first], of_raters, of=f"judge_bench_{first}"
    )
    results.figure("bounds", figures.bounds, table, of=of)
    results.figure("alphas", figures.alphas, alphas, of=of)
    results.figure("raters", figures.raters, raters, of=f"judge_bench_{first}")
