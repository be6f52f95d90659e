"""Recompute the values of the notebook of Calderon, Reichart and Dror (2025), and ask further."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, values


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute the notebook's values, then intervals, power, baselines, and a model's view."""
    data = {id: study.data(id) for id in study.datasets}
    found = values.cases(data, study.printed("settings", dtype={"name": "str"}))
    for case in found:
        if case.name != values.FREE_TEXT:
            results.values(values.printed_values(case), of=[f"alt_{case.name}", "settings"])

    of = study.datasets
    judges = results.table("judges", values.judges_table, found, rng, effort, of=of)
    results.table("humans", values.humans_table, found, of=of, digits=10)
    baselines = results.table("baselines", values.baselines_table, found, of=of)
    results.table("epsilons", values.epsilons_table, found, of=of)
    results.table("left_out", values.left_out_table, found, of=of)
    power = results.table("power", values.power_table, found, rng, effort, of=of)
    models = results.table("models", values.models_table, found, rng, effort, of=of, digits=8)
    results.figure("intervals", figures.intervals, judges, baselines, of=of)
    results.figure("knowledge", figures.knowledge, models, of=of)
    results.figure("power", figures.power, judges, power, of=of)
