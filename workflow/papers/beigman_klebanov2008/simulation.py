"""The study, simulated: marks and votes calibrated to Tables 1 to 4."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from annobench import agreement
from annobench.labels.annotations import Annotations
from annobench.noise.reliability_threshold import deliberate
from annobench_replication.statistics import mean_and_range

from .constraints import patterns
from .marks import SimulatedMarks, marks_and_votes
from .printed import SUBSETS, Printed

#: By type of metaphor.
Marks = Mapping[str, SimulatedMarks]


def simulate(printed: Printed, rng: np.random.Generator, chosen: Mapping[str, np.ndarray]) -> Marks:
    """Simulate marks and votes of all types once, from their patterns."""
    return {
        name: marks_and_votes(
            patterns=chosen[name],
            n_items=printed.count("n_paragraphs"),
            n_added=int(printed.cell(2, "random", name)["n"]),
            **acceptance(printed, name),
            rng=rng,
        )
        for name in printed.types
    }


def acceptance(printed: Printed, name: str) -> dict[str, np.ndarray]:
    """Return the probabilities of acceptance by number of marks."""
    reliable = np.arange(printed.count("n_annotators") + 1) >= printed.design["threshold"]

    def share(table: int, subset: str) -> float:
        return printed.cell(table, subset, name)["percent"] / 100

    rejected, other = (
        np.where(reliable, share(table, "reliable"), share(table, "unreliable")) for table in (4, 3)
    )
    other[0] = share(2, "random")
    return {"accept_own": 1 - rejected, "accept_other": other}


def tables_of(made: SimulatedMarks, threshold: int) -> dict[tuple[str, str], tuple]:
    """Compute numbers of paragraphs and percentages of Tables 2 to 4 from simulated votes."""
    a = made.annotations
    marks = np.bincount(a.item, weights=a.label, minlength=a.n_items)[made.validated]
    chosen = (marks == 0, marks > 0, (marks > 0) & (marks < threshold), marks >= threshold)
    cells: dict[tuple[str, str], tuple] = {}
    for subset, rows in zip(SUBSETS, chosen, strict=True):
        votes, own = made.accepted[rows], made.marked[rows]
        cells["table2", subset] = (len(votes), 100 * votes.mean())
        if subset in SUBSETS[2:]:
            cells["table3", subset] = (int((~own.all(axis=1)).sum()), 100 * votes[~own].mean())
            cells["table4", subset] = (int(own.any(axis=1).sum()), 100 * (1 - votes[own].mean()))
    return cells


def repeat(
    printed: Printed, rng: np.random.Generator, repetitions: int
) -> tuple[Marks, pd.DataFrame]:
    """Simulate the study again and again; return the first one, and the tables of all."""
    chosen = {name: patterns(printed, name) for name in printed.types}
    threshold = printed.count("threshold")
    first = simulate(printed, rng, chosen)
    runs = [
        {(*k, name): v for name, one in made.items() for k, v in tables_of(one, threshold).items()}
        for made in (first, *(simulate(printed, rng, chosen) for _ in range(repetitions)))
    ]
    rows = []
    for cell, row in printed.cells.iterrows():
        mean, low, high = mean_and_range([run[cell][1] for run in runs])
        rows.append(
            dict(zip(("table", "subset", "type"), cell, strict=True))
            | {"n": runs[0][cell][0], "n_printed": int(row["n"]), "percent": mean}
            | {"percent_lower": low, "percent_upper": high, "percent_printed": row["percent"]}
        )
    return first, pd.DataFrame(rows)


def describe(printed: Printed, made: Marks) -> pd.DataFrame:
    """Describe the simulated marks as Table 1 does, and apply the threshold to them."""
    rows, rates = [], shares(made["vehicle"].annotations)
    for name, one in made.items():
        a, table1 = one.annotations, printed.table1.loc[name]
        kappa = agreement.fleiss_kappa(a)
        ends = kappa.interval()
        found = deliberate(a, "1", level=printed.design["confidence"], rates=rates)
        rows.append(
            {"type": name, "kappa": kappa.estimate, "lower": ends.lower, "upper": ends.upper}
            | {"kappa_printed": table1["kappa"], "marked": 100 * shares(a).mean()}
            | {"marked_printed": table1["marked"], "threshold": int(found.threshold[0])}
            | {"reliable": int(found.reliable.sum()), "reliable_by_chance": found.expected_items}
        )
    return pd.DataFrame(rows)


def shares(a: Annotations) -> np.ndarray:
    """Return each annotator's share of marks."""
    return np.bincount(a.annotator, weights=a.label) / np.bincount(a.annotator)
