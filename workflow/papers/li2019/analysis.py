"""Recompute the accuracies and bounds of the notebooks of Li, Rubinstein and Cohn (2019)."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, values

#: Starts of EBCC on data sets of at most so many labels, and on larger ones.
MANY_LABELS = 50_000
STARTS = {"full": (40, 10), "quick": (3, 2)}
#: The authors' limit of updates, and what shows in seconds that everything can be computed.
ITERATIONS = {"full": 500, "quick": 2}


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute the three notebooks in their order: IBCC, BWA, EBCC."""
    data = {name: study.data(id) for name, id in values.NAMES.items()}
    seeds = {str(name): int(seed) for name, seed in study.numbers("seeds").items()}
    id_of, limit = values.NAMES, ITERATIONS[effort]

    for name, loaded in data.items():
        results.values(values.plain_values(name, loaded), of=id_of[name])

    def ebcc_with(prior: values.Prior) -> dict[str, values.Ebcc]:
        return {
            name: values.ebcc_from_seed(data[name], seed, values.SUBTYPES, prior, limit)
            for name, seed in seeds.items()
        }

    from_seed = ebcc_with("votes")
    for name, found in from_seed.items():
        own = {f"{name}.ebcc.accuracy": found.right.mean(), f"{name}.ebcc.bound": found.bound}
        results.values(own, of=id_of[name])
        whole = {f"{name}.ebcc.bound": found.evidence_bound}
        results.values(whole, of=id_of[name], method="with the priors' constants")

    results.table("labels", values.labels_table(data), of=study.datasets)
    accuracies = values.accuracy_table(data, from_seed)
    results.table("accuracies", accuracies, of=study.datasets)
    by_prior = {"votes": from_seed, "1": ebcc_with(1.0)}
    results.table("readings", values.readings_table(by_prior), of=study.datasets)
    drawn, printed = {}, {}
    for name, generator in zip(seeds, rng.spawn(len(seeds)), strict=True):
        n_starts = STARTS[effort][data[name].annotations.n_labels > MANY_LABELS]
        drawn[name] = values.starts(data[name], generator, n_starts, limit)
        division = values.division_of_seed(data[name], seeds[name], values.SUBTYPES)
        printed[name] = values.settled(data[name], division, limit)
    results.table("starts", values.starts_table(drawn, printed), of=study.datasets)
    results.figure("starts", figures.starts, drawn, printed, of=study.datasets)
    results.figure("accuracies", figures.accuracies, accuracies, of=study.datasets)
