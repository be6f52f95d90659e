"""Recompute Berthelin et al. (2008) from its printed tables, and simulate the rest.

None of the judgements was published. Three things are done without them. What the printed
tables say about one another is computed and compared. The genre labels of 60 documents are
reconstructed, because whole numbers of errors leave hardly a choice. And panels of judges are
simulated, calibrated to one table to show what another one should look like.
"""

import numpy as np
import pandas as pd

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.searches import searched_values, single_values
from annobench_replication.study import Study

from . import figures, genre, simulate, tables, values
from .printed import Printed


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute sections 3 and 4 of the paper."""
    printed = Printed.of(study)
    of_genre, *of_simulated, of_scales, of_together = rng.spawn(8)
    simulation, simulated = simulate.Simulation(printed.n_documents, effort), ("simulation",)

    # Sections 3.1, 3.2 and 4, by what other printed numbers say.
    for exact in (
        values.scale_values,
        values.symmetric_values,
        values.agreement_values,
        values.category_values,
        values.difficulty_values,
        values.share_values,
        values.agreement_changes,
    ):
        results.values(exact(printed), of="printed")
    results.values({"subtasks.second_harder": values.second_subtask(printed)}, of="printed")

    # Tables 7 (genre) and 8, from labels that give them.
    fits = genre.genre_fits(printed)
    rows = genre.genre_rows(printed, fits, of_genre)
    results.values(rows, of="printed")

    # Tables 1 to 5, 7 (categories), 9 and 10, and section 3.2, from simulated judges.
    steps = {
        "scale_change": simulate.scale_change,
        "self_agreement": simulate.self_agreement,
        "category_pairs": simulate.leave_pair_out,
        "f_scores": simulate.f_scores,
        "even_errors": simulate.even_errors,
    }
    predicted = {
        name: step(printed, simulation, generator)
        for (name, step), generator in zip(steps.items(), of_simulated, strict=True)
    }
    for row in pd.concat(predicted.values()).itertuples():
        interval = row.predicted, row.lower, row.upper
        value = row.predicted if np.isnan(row.lower) else interval
        results.values({row.target: value}, of=simulated)
    for method, by_target in values.other_readings(printed).items():
        results.values(by_target, of="printed", method=method)
    as_printed = searched_values(study)
    medians = {"text.games_restricted.median": [*tables.median_readings(printed).values()]}
    results.values(single_values(as_printed, medians, rng.spawn(1)[0]), of="printed")
    # A trace with other numbers stops here: not every number leaves labels that give the tables.
    results.complete_values()

    solutions = genre.genre_labels(printed, fits)
    if not solutions:
        raise ValueError(
            "table7.csv and table8.csv: no labels of the documents give both tables. "
            "Correct the printed values."
        )
    by_scale = simulate.coefficients_by_scale(printed, simulation, of_scales)
    for name, table in (
        ("correspondence", tables.correspondence(printed)),
        ("ratings", tables.ratings(printed)),
        ("medians", tables.medians(printed)),
        ("shares", tables.smallest_corpus(printed.column("shares", "percent"))),
        ("genre_readings", genre.genre_readings(printed)),
        ("genre_left_out", genre.left_out(printed, fits)),
        ("genre_documents", genre.genre_documents(solutions)),
        ("genre_agreement", genre.genre_agreement(solutions[0], of_together)),
        ("second_test", tables.second_test(printed)),
        ("difficulty", tables.difficulty(printed)),
    ):
        results.table(name, table, of="printed")
    categories = results.table("categories", tables.categories, printed, of="printed")
    for name, table in (predicted | {"coefficients": by_scale}).items():
        results.table(name, table, of=simulated)

    change, own, pairs, scores, _ = predicted.values()
    results.figure("scale_change", figures.scale_change, change, printed, of=simulated)
    results.figure("coefficients", figures.coefficients, by_scale, own, of=simulated)
    results.figure("genre", figures.genre, solutions[0], rows, of="printed")
    results.figure("categories", figures.categories, pairs, scores, of=simulated)
    results.figure("precision_recall", figures.precision_recall, categories, of="printed")
    results.figure("systems", figures.systems, printed, of="printed")
