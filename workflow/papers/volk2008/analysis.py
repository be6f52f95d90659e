"""Recompute Volk, Marek and Samuelsson (2008) from its printed tables, and simulate the rest.

The students' links were never published. What the printed numbers of section 5 say of each other
is computed from them; everything else has simulated students (`simulate`) and is no result.
The treebank from which the sentences were taken is an optional source: with it the table of the
gold standard has the links of the whole treebank, too.
"""

import numpy as np
import pandas as pd

from annobench.core.errors import AnnotationError
from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, printed, simulate, tiger

#: Repetitions of all students, for predictive intervals: as they are, and if independent.
N_CLASSES = {"full": (80, 20), "quick": (4, 4)}
#: Resamples of sentence pairs behind each interval of agreement.
N_RESAMPLED = {"full": 1000, "quick": 50}


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute section 5 of the paper."""
    numbers = printed.Printed.of(study)
    union = printed.union_table(numbers)

    results.values(printed.design_values(numbers), of="printed")
    results.values(printed.gold_values(numbers), of="printed")
    results.values(printed.union_values(union), of="printed")
    results.values(printed.strength_values(numbers), of="printed")
    simulated: simulate.Simulation | None = None
    try:
        simulated = simulate.simulate(numbers, rng, *N_CLASSES[effort])
    except AnnotationError as error:
        # What follows from printed numbers does so whether or not students can have them.
        results.fail(error)
    else:
        results.values(simulate.prediction_rows(simulated.predictions), of="simulation")

    gold, folder = printed.gold_table(numbers), study.resource("treebank")
    released = [] if folder is None else [printed.treebank_table(tiger.read_folder(folder))]
    results.table("gold", pd.concat([gold, *released]), of="printed")
    fan_out = results.table("fan_out", printed.fan_out_table, numbers, of="printed")
    results.table("bounds", printed.bounds_table, numbers, of="printed")
    results.table("union", union, of="printed")
    results.table("own_links", printed.own_links_table, numbers, of="printed")
    strengths = results.table("strengths", printed.strengths_table, numbers, of="printed")
    results.figure("gold", figures.gold, gold, fan_out, of="printed")
    results.figure("union", figures.union, numbers, union, of="printed")
    results.figure("strengths", figures.strengths, strengths, gold, of="printed")
    if simulated is not None:
        show_students(results, numbers, simulated, rng, N_RESAMPLED[effort])


def show_students(
    results: Results,
    numbers: printed.Printed,
    simulated: simulate.Simulation,
    rng: np.random.Generator,
    n_resampled: int,
) -> None:
    """Tabulate and draw the simulated students."""
    students = results.table("calibration", simulate.calibration_table, simulated, of="simulation")
    results.table("predictions", simulated.predictions, of="simulation")
    agreement = results.table(
        "agreement",
        simulate.agreement_table,
        simulated,
        rng,
        n_resampled,
        of="simulation",
    )
    results.table("students", simulate.students_table, simulated.links, rng, of="simulation")

    results.figure("students", figures.students, numbers, students, of="simulation")
    results.figure("support", figures.support, simulated, of="simulation")
    results.figure("agreement", figures.agreement, agreement, of="simulation")
    sophie = simulated.links["sophie"], simulated.groups["sophie"]
    results.figure("tree_pair", figures.tree_pair, *sophie, of="simulation")
