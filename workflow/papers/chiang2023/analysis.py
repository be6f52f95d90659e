"""Recompute Chiang and Lee (2023) from ChatGPT's answers on Topical-Chat, and ask further.

Section 3 and Appendix B: `values.printed_values` (Tables 2 to 4) and `claims`; the tables of
SummEval, whose answers are not available, are checked against one another by `summeval`.
"""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import claims, figures, summeval, tables, values


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute the tables of Topical-Chat, the claims, and what they depend on."""
    rated = {name: values.Rated.of(study.data(f"chiang2023_{name}")) for name in values.ATTRIBUTES}
    draws = values.draws_for(rated, rng, effort)
    of = study.datasets
    by_reading = {reading: values.correlations(rated, reading) for reading in values.READINGS}
    found = by_reading[values.PAPER]
    intervals = values.intervals(rated, draws)

    results.values(values.printed_values(found, intervals), of=of)
    unread = values.auto_cot_values(by_reading[values.UNREAD_AS_ZERO])
    results.values(unread, of=of, method="answers without a number count as 0")
    results.values(values.sizes(rated, study.data("chiang2023_naturalness")), of=of)
    tests = claims.tests(rated)
    results.values(claims.claims(found, tests), of=of)
    results.values(claims.one_sided(tests), of=of, method="one-sided test")
    gpt4 = study.numbers("gpt4").to_dict()
    results.values({"gpt4.attributes": claims.as_good_as(found, gpt4)}, of=["printed", *of])
    results.values(summeval.claims(study.printed("summeval")), of="printed")
    results.values(summeval.printed_again(study.printed("summeval")), of="printed")

    results.table("correlations", tables.correlations, rated, found, intervals, of=of)
    results.table(
        "misplaced", tables.misplaced, study.printed("table2"), found, of=["printed", *of]
    )
    readings = results.table(
        "readings",
        tables.readings,
        study.printed("searched", dtype="str"),
        by_reading,
        of=["printed", *of],
    )
    gains = results.table("gains", tables.gains, rated, found, tests, draws, of=of)
    writers = results.table("writers", tables.writers, rated, draws, of=of)
    answers = results.table("answers", tables.answers, rated, of=of)
    results.table("records", tables.records, rated, of=of)
    results.figure("gains", figures.gains, gains, of=of)
    results.figure("writers", figures.writers, writers, of=of)
    results.figure("answers", figures.answers, answers, of=of)
    results.figure("readings", figures.readings, readings, of=["printed", *of])
