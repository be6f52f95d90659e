"""Recompute Bhowmick, Mitra and Basu (2008), check its tables against each other, and try A_m.

The paper's corpus was never published. Some of its values follow from printed ones, and are
computed. Others are only confined by them: an observed agreement by the disagreements of Table 4,
say, if these are what they seem to be. Such a range can't confirm a value; the table
`consistency` shows it, and it decides no verdict. The paper's tables and figures are made of a
simulated corpus in place of the lost one, and of the headlines of SemEval-2007.

A corpus is an array of shape (I, J, C): annotator j put item i into category c.
"""

from collections.abc import Sequence

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import constraints, figures, simulate, tables, values

#: The smallest score of 100 from which an emotion belongs to a label: the middle of the scale.
THRESHOLD = 50
#: The thresholds whose coefficients are compared.
THRESHOLDS = {"full": (1, 10, 20, 30, 40, 50, 60, 70, 80, 90), "quick": (10, 50)}
#: Simulated corpora, and random orders of the headlines.
REPEATS = {"full": 30, "quick": 2}
ORDERS = {"full": 200, "quick": 3}


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute the paper's values from print, and its exhibits from simulation and headlines."""
    printed = values.Printed.of(study)
    of_corpus, of_repeats, of_orders = rng.spawn(3)

    # Section 3, then Tables 1 to 5 and what the text says of them.
    results.values(values.closed_forms(), of="closed_form")
    results.values(values.from_rounded(printed), of="printed")
    results.values(values.means_of_pairs(printed), of="printed", method="mean_of_table2")
    results.values(values.from_counts(printed), of="printed")

    feasible = constraints.Corpora()
    checks = constraints.consistency(printed, feasible)
    results.table("consistency", checks, of="printed")
    results.table("parity", constraints.parity, printed, of="printed")
    results.table("attainable", constraints.attainable_agreements, feasible, of="closed_form")

    # Tables 1 to 5 and Algorithm 1, on the simulated corpus and on the headlines.
    of_headlines = study.datasets
    emotions = [study.data(id) for id in of_headlines]
    headlines, judges = tables.headline_sets(emotions, THRESHOLD)
    annotators = {"stand-in": ["1", "2", "3"], "headlines": judges}
    corpora = {"stand-in": simulate.corpus(of_corpus, printed), "headlines": headlines}
    both = ("simulation", *of_headlines)
    results.table("table1", tables.table1, corpora, of=both)
    results.table("table3", tables.table3, corpora, printed.table3, of=both)
    results.table("table5", tables.table5, corpora, printed.table5, of=both)
    repeated = tables.repeated_corpora(of_repeats, printed, REPEATS[effort])
    results.table("stand_in", repeated, of="simulation")
    gold = results.table("gold", tables.gold_standards, corpora, of=both)
    results.table("expert_index", tables.expert_indices, corpora, annotators, of=both)
    both_corpora: tuple[tuple[str, str, str | Sequence[str]], ...] = (
        ("stand-in", "", "simulation"),
        ("headlines", "_headlines", of_headlines),
    )
    for name, suffix, of in both_corpora:
        for number, table in ((2, tables.table2), (4, tables.table4)):
            results.table(f"table{number}{suffix}", table, corpora[name], annotators[name], of=of)
    results.table(
        "tie_orders", tables.tie_orders, headlines, of_orders, ORDERS[effort], of=of_headlines
    )

    # A_m beside other coefficients on the headlines.
    on_sets = tables.set_coefficients(headlines, judges)
    coefficients = tables.with_annotators(tables.coefficients(headlines, judges), on_sets)
    many = tables.by_threshold(emotions, THRESHOLDS[effort])
    results.table("coefficients", coefficients, of=of_headlines)
    results.table("differences", tables.differences, on_sets, of=of_headlines)
    results.table("leave_one_out", tables.leave_one_out, on_sets, of=of_headlines)
    results.table("thresholds", many, of=of_headlines)

    results.figure("consistency", figures.consistency, checks, of="printed")
    share = {"single_percent": printed.text["single_percent"]}
    score = {"threshold": THRESHOLD}
    options = {"of": of_headlines, "caption": score}
    by_annotator = tables.category_counts(headlines, judges)
    results.figure("figure1_headlines", figures.annotators, by_annotator, **options)
    results.figure("figure3_headlines", figures.gold, gold["headlines"], **options)
    counts, simulated = (values.confusions(corpora[n]) for n in ("headlines", "stand-in"))
    simulation = ("printed", "simulation")
    results.figure(
        "figure2", figures.confusions, printed.table5, simulated, of=simulation, caption=share
    )
    results.figure("figure2_headlines", figures.confusions, counts, of=of_headlines, caption=score)
    results.figure(
        "coefficients", figures.coefficients, coefficients, of=of_headlines, caption=score
    )
    results.figure("thresholds", figures.thresholds, many, THRESHOLD, of=of_headlines)
    results.figure("chance", figures.chance, of="closed_form")
