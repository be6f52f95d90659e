"""Recompute Tetreault and Chodorow (2008) from its printed tables.

No label, judgement or output of the system was published. Printed tables give what follows
from them exactly; a simulation calibrated to printed aggregates stands beside the rest and
decides no verdict. The two annotators are the paper's Rater 1 and Rater 2.
"""

import numpy as np

from annobench.evaluation.sampling import Population
from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.statistics import kappas
from annobench_replication.study import Study

from . import approach, figures, judgments, values

#: Assumptions of the simulation of Table 4 alone, which nothing printed decides: how often the
#: system flags an error that only one annotator sees, against one that both see.
DOUBTFUL = (0.1, 0.5, 1.0)
#: Repetitions of every simulation, and resampled sets of contexts behind an interval.
SIMULATIONS = {"full": 4_000, "quick": 1_000}
REPLICATES = {"full": 2_000, "quick": 100}
#: Numbers of sets tried beside 18.
FEWER_SETS = (12, 9, 6, 3)


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute sections 3 to 6 of the paper."""
    texts = {f"table{n}": study.printed(f"table{n}", dtype="str") for n in (2, 4)}
    words = study.printed("printed_values", dtype="str").set_index("name")["value"]
    printed = words.astype(float)
    table1, table2, table4, table6 = (study.printed(f"table{n}") for n in (1, 2, 4, 6))
    labels = study.printed("table3", index_col="rater1")
    matrix = labels.loc[judgments.CATEGORIES, judgments.CATEGORIES].to_numpy()
    of_table3, of_cloze, of_sets, of_table4, of_table6, *of_coverage = rng.spawn(7)
    n = SIMULATIONS[effort]

    measures = judgments.f_measures(table1)
    total = int(printed["double_labels"])
    n_sets = total // int(printed["set_size"])
    sets = {n_sets: judgments.simulate_sets(matrix, total, n_sets, n, of_sets)}
    cloze = judgments.simulate_cloze(table2, printed, n, of_cloze)
    sample = approach.figure1_sample(printed)
    population = approach.application_population(table6, printed)
    application = approach.simulate_application(population, printed, n, of_table6)

    # Sections 3 to 6, and what stands beside them.
    results.values(values.native(measures, words), of="printed")
    results.values(values.cloze(texts["table2"], words), of="printed")
    results.values(values.of_table3(matrix), of="printed")
    results.values(values.differences(texts["table4"]), of="printed")
    results.values(values.sampling_approach(sample, printed), of="printed")
    results.values(values.application(printed), of="printed")
    results.values(values.sets(sets[n_sets]), of="printed")
    results.values(values.simulations(cloze, application), of="simulation")
    results.values(values.other_readings(sample, table2, printed), of="printed")

    # Sections 3 to 5.
    inputs = matrix, of_table3, REPLICATES[effort]
    coefficients = results.table("coefficients", judgments.coefficients, *inputs, of="printed")
    feasible = judgments.differences_feasibility(table4, printed)
    sets |= {k: judgments.simulate_sets(matrix, total, k, n, of_sets) for k in FEWER_SETS}
    two_gold = {
        doubtful: judgments.simulate_two_gold(matrix, table4, printed, doubtful, n, of_table4)
        for doubtful in DOUBTFUL
    }

    # Section 6.
    example = approach.figure1_population(sample)
    rare = Population.from_rates(population.size, error_rate=0.03, precision=0.9, recall=0.9)
    designs = {
        "Figure 1": (example, [(75, 150), (150, 300), (250, 500), (500, 1000), (750, 1500)]),
        "Table 6": (population, [(25, 50), (50, 100), (100, 200), (150, 300), (250, 500)]),
        "Few misses": (rare, [(25, 50), (50, 100), (100, 200), (250, 500), (500, 1000)]),
    }
    likely = approach.likely_sample(population, 250, 500)
    samples = {"Figure 1": sample, "Table 6, likely counts": likely}
    intervals, coverage = approach.intervals_table(samples), approach.coverage_table(designs)
    simulated = [
        approach.simulated_coverage(name, designs[name][0], designs[name][1][-1], n, of_corpus)
        for name, of_corpus in zip(("Figure 1", "Table 6"), of_coverage, strict=True)
    ]
    for name, table in (
        ("f_measures", measures),
        ("intervals", figures.in_words(intervals)),
        ("coverage", figures.in_words(coverage)),
        ("cloze_feasibility", judgments.cloze_feasibility(table2, printed)),
        ("annotators_as_systems", judgments.annotators_as_systems(matrix)),
        ("table4_feasibility", feasible),
        ("table5", figures.in_words(approach.recommended(intervals, "Figure 1"))),
        ("table6_feasibility", approach.application_feasibility(table6, printed)),
        ("sample_sizes", approach.sizes_table(population, printed)),
        ("savings", approach.savings_table(printed)),
        ("methods", approach.methods_table(population, printed)),
    ):
        results.table(name, table, of="printed")
    for name, table in (
        ("sets", judgments.sets_table(sets, printed)),
        ("two_gold_standards", judgments.two_gold_table(two_gold)),
        ("simulated_application", approach.application_summary(application)),
        ("simulated_coverage", figures.in_words(approach.both_coverages(simulated, coverage))),
    ):
        results.table(name, table, of="simulation")

    results.figure("coefficients", figures.coefficients, coefficients, of="printed")
    drawn = sets, printed, float(kappas(matrix))
    results.figure("sets", figures.sets, *drawn, of="simulation", caption={"n": f"{n:,}"})
    scored = two_gold, table4, feasible
    results.figure("two_annotators", figures.two_annotators_as_gold, *scored, of="simulation")
    results.figure("figure1", figures.figure1, sample, of="printed")
    corpus = {
        "corpus": f"{population.size:,} contexts with an error rate of "
        f"{population.error_rate:.0%} (§6), precision and recall as the standard approach of "
        "Table 6"
    }
    shown = table6, printed, application, population
    results.figure("application", figures.application, *shown, of="simulation", caption=corpus)
    results.figure("intervals", figures.intervals, intervals, of="printed")
    results.figure("coverage", figures.coverage, coverage, of="printed", caption=corpus)
    results.figure("sizes", figures.sizes, population, printed, of="printed", caption=corpus)
