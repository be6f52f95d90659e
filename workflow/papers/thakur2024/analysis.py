"""What the public verdicts give of Thakur et al. (2024), version 6, and ask further.

Values of judges and exam-takers: `values`; those that follow from printed numbers (costs, human
alignment, leniency): `printed_sums`.
"""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, printed_sums, tables, values


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute what the files give, then what follows from printed numbers, then intervals."""
    first, second = (values.Judged.of(study.data(f"llm_eval_{v}")) for v in ("v1", "v2"))
    of, both = "llm_eval_v1", study.datasets
    results.values(values.printed_values(first), of=of)
    results.values(values.samples_of_questions(first, rng, effort), of=of)
    results.values(values.claims(first, second), of=both)
    results.values(printed_sums.costs(study.printed("costs")), of="printed")
    results.values(
        printed_sums.humans(study.printed("humans"), study.printed("figure3")), of="printed"
    )
    scores = study.numbers("human_scores")
    leniency = printed_sums.leniency(study.printed("figure3", dtype="str"), scores)
    results.values(printed_sums.only(leniency, printed_sums.NEW), of="printed")
    older = printed_sums.only(leniency, values.JUDGES.values())
    results.values(older, of="printed", method="from Figure 3 and Table 6")
    results.values(printed_sums.of_figure16(study.printed("figure16")), of="printed")

    found = results.table("judges", tables.judges, first, second, rng, effort, of=both)
    takers = results.table("exam_takers", tables.exam_takers, first, second, of=both)
    results.table(
        "coefficients", tables.coefficients, first, study.printed("figure3"), of=[of, "printed"]
    )
    odd = results.table("agreement_of_judges", tables.odd_ones, first, of=of)
    results.table(
        "figure16", tables.figure16, first, study.printed("figure16"), leniency, of=[of, "printed"]
    )
    results.table("impossible", tables.impossible, first, of=of)
    corrected = results.table("corrected", tables.corrected, second, rng, effort, of="llm_eval_v2")
    results.figure("figure1", figures.figure1, takers, found, of=of)
    results.figure("figure2", figures.figure2, found, takers, of=both)
    results.figure("figure3", figures.figure3, first, of=of)
    results.figure("figure4", figures.figure4, found, of=both)
    results.figure("figure16", figures.figure16, found, of=both)
    results.figure("intervals", figures.intervals, found, of=both)
    results.figure("odd", figures.odd, odd, of=of)
    results.figure("corrected", figures.corrected, corrected, of="llm_eval_v2")
