"""Recompute Su and Markert (2008) from its confusion matrices and from Micro-WNOp."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, tables, values

#: Resampled sets of items behind each interval.
REPLICATES = {"full": 2000, "quick": 50}


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute sections 4 and 5 of the paper."""
    senses = values.read_senses(study)
    printed, ratings = study.numbers("counts"), {id: study.data(id) for id in study.datasets}
    of_ratings, of_gain, of_tables = rng.spawn(3)
    replicates = REPLICATES[effort]

    changes = tables.differences(senses, ratings)
    table5 = tables.reliability(ratings, of_ratings, replicates)
    shares = tables.shares(senses["test", "polarity"])

    # Sections 4.1 to 4.3.
    for number, labels in ((1, senses["train", "full"]), (2, senses["test", "full"])):
        results.values(values.table_cells(number, labels, totals_only=True), of="printed")
    for number, level in ((3, "subjectivity"), (4, "polarity")):
        cells = values.table_cells(number, senses["test", level], totals_only=False)
        results.values(cells, of="printed")
    results.values(
        values.agreement_rows("train", senses["train", "full"], single=False), of="printed"
    )
    results.values(values.agreement_rows("test", senses["test", "full"], single=True), of="printed")
    observed = []
    for level in values.LEVELS.levels:
        rows = values.agreement_rows(level, senses["test", level], single=True)
        observed.append(rows[0].value)
        results.values(rows, of="printed")
    for method, by_target in values.shares_by_reading(shares).items():
        results.values(by_target, of="printed", method=method)
    results.values(values.arithmetic(printed, observed), of="printed")

    # Section 4.4, and with the annotators exchanged.
    claims = values.annotator_claims(senses)
    results.values(claims, of="printed")
    results.values(values.turned(claims), of="printed", method="annotators exchanged")

    # Differences, and section 5 with Table 5.
    tested = changes.set_index("target")
    for target in ("polarity.cohen_kappa_gain", "subjectivity.cohen_kappa_gain"):
        results.values({target: values.with_ends(tested.loc[target])}, of="printed")
    alpha = {"group2.alpha_gain": values.with_ends(tested.loc["group2.alpha_gain"], 100)}
    results.values(alpha, of=study.datasets)
    kappa = {"polarity.cohen_kappa_gain": values.bootstrapped_gain(senses, of_gain, replicates)}
    results.values(kappa, of="printed", method="bootstrap")
    results.values({"data.n_synsets": values.n_synsets(ratings)}, of=study.datasets)
    by_hand = {"data.n_synsets": sum(printed[group] for group in values.GROUPS)}
    results.values(by_hand, of="printed", method="sum of the groups")
    results.values(values.reliability_rows(table5), of=study.datasets)

    coefficients = results.table(
        "coefficients", tables.coefficients, senses, of_tables, replicates, of="printed"
    )
    single = results.table("single_category", tables.single_category, senses, of="printed")
    results.table("confusions", tables.confusions, senses["test", "full"], of="printed")
    results.table("differences", changes, of=("printed", *study.datasets))
    results.table("annotators", tables.annotators, senses, of="printed")
    results.table("shares", shares, of="printed")
    results.table("reliability", table5, of=study.datasets)
    results.table("readings", tables.readings, ratings, of=study.datasets)
    results.table("scores", tables.scores, ratings, of=study.datasets)

    results.figure("figure1", figures.figure1, of="printed")
    results.figure("kappas", figures.kappas, single, coefficients, of="printed")
    results.figure("differences", figures.differences, changes, of="printed")
    results.figure("reliability", figures.reliability, table5, of=study.datasets)
    group1 = "micro_wnop_group1_positive"
    results.figure("rater2", figures.rater2, ratings[group1], of=group1)
