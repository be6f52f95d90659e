"""Score what is known of the labels of two sets of LeWiDi 2023 without their texts."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, values


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute baselines, and what the other annotators tell of one who is left out."""
    found = {id.removeprefix("lewidi_"): values.Splits.of(study.data(id)) for id in study.datasets}
    of = study.datasets
    results.table("baselines", values.baselines_table, found, of=of)
    held_out = results.table("held_out", values.held_out_table, found, rng, effort, of=of)
    annotators = results.table("annotators", values.annotators_table, found, of=of)
    results.figure("held_out", figures.held_out, held_out, of=of)
    results.figure("annotators", figures.annotators, annotators, of=of)
