"""Recompute the results of VariErr (2024): who finds errors, and whose labels vary with reason."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import claims, figures, people, values

LABELS, JUDGEMENTS, SCORES = "varierr_labels", "varierr_judgements", "varierr_scores"


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute the abstract's sizes, Table 1, the files of results, and the conclusions."""
    labels, found = study.data(LABELS), people.Round2(study.data(JUDGEMENTS))
    scored = values.Scored.of(study.data(SCORES))
    of_results = values.result_values(scored)
    precisions = claims.precisions(scored, rng, effort)
    results.values(people.size_values(labels, found), of=[LABELS, JUDGEMENTS])
    results.values(claims.claim_values(precisions), of=SCORES)
    results.values(people.example_values(found), of=JUDGEMENTS)
    results.values(of_results, of=SCORES)

    everything = [LABELS, JUDGEMENTS, SCORES]
    marks = people.marks_table(found, study.printed("marks"))
    results.table("marks", marks, of=[JUDGEMENTS, "printed"])
    results.table("labels", people.labels_table(labels, found, scored), of=everything)
    results.table("readings", values.readings_table(scored, of_results), of=SCORES)
    ties = results.table("ties", values.ties_table(scored), of=SCORES, digits=10)
    precision = claims.precisions_table(precisions)
    results.table("precisions", precision, of=SCORES, digits=10)
    results.table("claims", claims.claims_table(precisions), of=SCORES, digits=10)
    results.table("peers", people.peers_table(found, scored), of=everything, digits=10)
    results.table("agreement", people.agreement_table(labels, found), of=JUDGEMENTS, digits=8)
    replicates = claims.REPLICATES[effort]
    results.table(
        "detectors", people.detectors_table, found, rng, replicates, of=JUDGEMENTS, digits=8
    )
    chance = {
        where: of_results[f"{claims.WHERE[where][0]}.random.ap"]
        for where in (claims.CONCLUSIONS, "labels that one annotator gave")
    }
    results.figure("reversal", figures.reversal, precision, chance, of=SCORES)
    results.figure("ties", figures.ties, ties, of=SCORES)
