"""Recompute what Northcutt, Athalye and Mueller (2021) state of label errors in ten test sets."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import candidates, figures, tables, values


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute the abstract's numbers, those of the first version's table, and other readings."""
    votes = {name: values.Checked.of(name, study.data(id)) for name, id in values.VOTES.items()}
    probabilities = {
        name: candidates.Predicted.of(study.data(id)) for name, id in values.PREDICTIONS.items()
    }
    scale = study.numbers("scale")
    of_votes, of_predictions = [*values.VOTES.values()], [*values.PREDICTIONS.values()]
    found = {name: candidates.readings(each) for name, each in probabilities.items()}

    # The abstracts, the authors' post and their README, then the table of the first version.
    results.values(values.averages(votes, scale), of=[*of_votes, "printed"])
    for name, of in values.VOTES.items():
        results.values(values.of_one_set(name, votes[name]), of=of)
        if name in values.SAMPLED:
            scaled = values.scaled(name, votes[name], scale)
            results.values(scaled, of=[of, "printed"])
    results.values(values.guesses(found), of=of_predictions)
    results.values(values.quantisation(probabilities), of=values.PREDICTIONS["cifar10"])
    for rule in values.OTHER_RULES:
        results.values(values.averages(votes, scale, rule), of=[*of_votes, "printed"], method=rule)

    rates = results.table("rates", tables.rates, votes, scale, of=[*of_votes, "printed"])
    agreement = results.table("agreement", tables.agreement_table, votes, of=of_votes)
    both = [*of_votes, *of_predictions]
    overlap = results.table("candidates", tables.candidates_table, votes, probabilities, of=both)
    results.table("rankings", tables.rankings, votes, probabilities, of=both, digits=10)
    by_votes = results.table("votes", tables.by_votes, votes, of=of_votes)
    results.figure("rates", figures.rates, rates, of=[*of_votes, "printed"])
    results.figure("votes", figures.votes, by_votes, agreement, of=of_votes)
    results.figure("candidates", figures.candidates, overlap, of=both)
