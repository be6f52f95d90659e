"""Recompute Beigman Klebanov, Beigman and Diermeier (2008) from its printed tables.

The marks and votes were never published, but the printed tables constrain one another:
integers that satisfy all of them are the patterns of the simulated study. Real judgements of
metaphor in discourse show the method at work.
"""

import numpy as np

from annobench.noise.reliability_threshold import compare_cuts
from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import constraints, discourse, figures, simulation, tables, values
from .printed import Printed

#: How often the study is simulated, and how often judgements are resampled.
N_SIMULATED = {"full": 60, "quick": 4}
N_BOOTSTRAP = {"full": 2000, "quick": 100}
RATING, DECISION = "metaphor_discourse_rating", "metaphor_discourse_binary"


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute sections 2 to 6 of the paper, a simulation of it, and an extension."""
    printed = Printed.read(study)
    of_discourse, replicates = (RATING, DECISION), N_BOOTSTRAP[effort]

    results.values(values.design(printed), of="printed")
    results.values(values.chance(printed), of="printed")
    results.values({"chance.n_outcomes": 2.0 ** printed.design["n_annotators"]}, of="closed_form")
    results.values(values.tables_2_to_4(printed), of="printed")
    results.values(values.text(printed), of="printed")

    # Sections 3 to 6.
    rates = results.table("chance_rates", tables.chance_rates, printed, of="printed")
    printed.refuse_gaps()
    results.table("unequal_rates", tables.unequal_rates, printed, of="printed")
    found = results.table("bottom_lines", values.bottom_lines, printed, of="printed")
    spread = results.table("intervals", values.intervals, printed, of="printed")
    results.table("tests", tables.tests, printed, of="printed")
    ranges = results.table("feasible", constraints.feasible, printed, of="printed")
    results.table("delays", tables.delays, printed, of="printed")

    # The study, simulated.
    made, votes = simulation.repeat(printed, rng, N_SIMULATED[effort])
    results.table("simulated_marks", simulation.describe, printed, made, of="simulation")
    results.table("simulated_votes", votes, of="simulation")

    # The extension.
    both = discourse.Discourse.of(*map(study.data, of_discourse))
    results.table("thresholds", discourse.thresholds, both, of=of_discourse)
    curve = results.table("ratings_by_marks", discourse.by_marks, both, of=of_discourse)
    by_cut = compare_cuts(both.marks, both.rating, rng=rng, replicates=replicates)
    results.table("cuts", by_cut, of=of_discourse)
    results.table("groups", discourse.groups, both, rng, replicates, of=of_discourse)
    results.table("beyond_the_number", discourse.beyond_the_number, both, of=of_discourse)

    results.figure("chance", figures.chance, rates, printed, of="printed")
    results.figure("acceptance", figures.acceptance, spread, printed, of="printed")
    results.figure("consistency", figures.consistency, found, ranges, of="printed")
    results.figure("marks", figures.marks, made, ranges, printed, of="simulation")
    results.figure("discourse", figures.discourse, both, curve, by_cut, of=of_discourse)
