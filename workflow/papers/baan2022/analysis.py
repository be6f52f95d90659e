"""Recompute the notebook of Baan et al. (2022): calibration when humans disagree."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, uncertainty, values

SNLI, PREDICTIONS = "chaosnli_snli", "chaosnli_predictions"
SETS = (SNLI, "chaosnli_mnli", "chaosnli_alphanli")


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute the notebook's sizes, Table 1, Table 2 and the figure after publication."""
    sets = {name: study.data(name) for name in SETS}
    items = values.Items.of(sets[SNLI], study.data(PREDICTIONS))
    settings = values.Settings.of(study.numbers("settings").to_dict())
    compared = values.comparisons(items, settings)
    of = [SNLI, PREDICTIONS]
    results.values(uncertainty.claim_values(items, compared["bonus"], settings, rng, effort), of=of)
    results.values(values.size_values(items, sets), of=[*SETS, PREDICTIONS])
    results.values(values.table1_values(items, settings), of=of)
    for table, own in compared.items():
        results.values(own.values(table), of=of)

    results.table("labels", uncertainty.labels_table(items), of=of)
    results.table(
        "uncertainty", uncertainty.uncertainty_table, items, settings, rng, effort, of=of, digits=8
    )
    results.table("ties", uncertainty.ties_table(items, settings), of=of, digits=10)
    by_temperature = uncertainty.temperatures_table(items, settings)
    results.table("temperatures", by_temperature, of=of, digits=8)
    results.table("best_temperatures", uncertainty.best_temperatures(by_temperature), of=of)
    votes = results.table(
        "votes", uncertainty.votes_table, items, settings, rng, effort, of=of, digits=8
    )
    results.table("agreement", uncertainty.agreement_table(sets), of=list(SETS), digits=8)
    results.figure("figure1", figures.figure1, compared["table2"], of=of)
    results.figure("figure2", figures.figure2, compared, of=of)
    results.figure("temperature", figures.temperature, by_temperature, settings.temperature, of=of)
    results.figure("votes", figures.votes, votes, of=of)
