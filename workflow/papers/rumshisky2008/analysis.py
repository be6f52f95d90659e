"""Recompute Rumshisky and Batiukova (2008), and simulate the labels it does not show.

What the paper lists, its verbs, senses, relations and examples, is described in tables. Counting
a list that was typed in shows nothing of the study, so no count is compared with the paper.

The paper prints one agreement, 95%: the share of equal labels among the sentences that were
retained, averaged over 20 verbs. Neither annotator said N/A to these, and adjudication did not
throw them out. The labels were not published; `simulate` makes some with the paper's design.
"""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.ledger import CALIBRATION_METHOD
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, printed, relations, simulate

N_STUDIES = {"full": 40, "quick": 4}
N_RESAMPLED = {"full": 1000, "quick": 100}
N_RANDOM = {"full": 40, "quick": 4}


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute sections 2 to 5 of the paper."""
    lists = printed.Printed.of(study)

    results.values(printed.reference_values(lists), of="printed")
    average = "agreement.macro_average"
    calibrated_to = {average: lists.design["agreement"]}
    results.values(calibrated_to, of="simulation", method=CALIBRATION_METHOD)
    results.values(
        {average: printed.largest_agreement(lists)},
        of="printed",
        method="upper bound from the printed disagreements",
    )

    verbs = simulate.verbs_of(lists)
    error = simulate.calibrate(verbs, simulate.USUAL, lists.agreement)
    n = int(lists.design["sentences_per_verb"])
    labels = simulate.draw(verbs, error, simulate.USUAL, n, rng)

    # Sections 2 to 5: the lists.
    results.table("inventory", printed.inventory_table, lists, of="printed")
    examples = results.table("examples", printed.examples_table, lists, of="printed")

    # Section 3.2: what 95% can mean.
    bounds = results.table("bounds", printed.bounds, lists, of="closed_form")
    chance = results.table("chance_corrected", printed.chance_corrected, lists, of="closed_form")
    scenarios = simulate.scenarios(lists, verbs, rng, n_studies=N_STUDIES[effort])
    results.table("scenarios", scenarios, of="simulation")
    by_verb = results.table("verbs", simulate.verbs_table, verbs, labels, of="simulation")

    # Section 4: relations between senses.
    related = relations.by_relation(lists, verbs, labels, rng, n_resampled=N_RESAMPLED[effort])
    results.table("relations", related, of="simulation")
    coarser = relations.coarser(lists, verbs, error, rng, n_random=N_RANDOM[effort])
    results.table("coarser", coarser, of="simulation")

    results.figure("not_applicable", figures.not_applicable, bounds, scenarios, of="simulation")
    results.figure("chance", figures.chance, chance, by_verb, of="simulation")
    results.figure("relations", figures.relations, lists, examples, related, of="simulation")
    results.figure("coarser", figures.coarser, coarser, of="simulation")
