"""Submitted methods compared with Dawid and Skene's model on the labels that they answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.external_methods.comparison import REFERENCE, compare
from annobench.benchmark.external_methods.submission import Submission

__all__ = ["COLUMNS", "score_submitted"]

#: Columns of the table.
COLUMNS: Final = (
    *("method", "author", "date", "benchmark", "problem", "provenance", "n_items"),
    *("accuracy", "lower", "upper", "reference_accuracy", "difference", "difference_lower"),
    *("difference_upper", "note"),
)

#: Processor time of a fit of the reference, in seconds.
LIMIT: Final = 20.0


def score_submitted(
    submissions: Sequence[Submission], cases: Sequence[BenchmarkCase], *, seed: int, replicates: int
) -> pd.DataFrame:
    """Score submitted methods on labels with gold.

    Parameters
    ----------
    submissions : sequence of Submission
        The submissions; may be empty.
    cases : sequence of BenchmarkCase
        Labels with gold, of different names.
    seed : int
        Of the resampling.
    replicates : int
        Resamples of the items.

    Returns
    -------
    DataFrame
        One row per submission and case, with the columns `COLUMNS`: `accuracy` over `n_items` gold
        items with a 95% interval; `reference_accuracy`, of Dawid and Skene's model on the same
        items; and the paired `difference` with a 95% interval. If the submission does not answer
        the labels, these are NaN, and `note` gives the reason.
    """
    if not submissions:
        return pd.DataFrame(columns=list(COLUMNS))
    found = compare(
        cases, submissions, against=[REFERENCE], limit=LIMIT, seed=seed, replicates=replicates
    )
    ranking = pd.concat(
        [table.assign(problem=name) for name, table in found.rankings.items()], ignore_index=True
    )
    base = ranking[ranking["method"] == REFERENCE].set_index("problem")["accuracy"]
    keys = ["method", "problem"]
    about = pd.DataFrame(
        [
            {"method": name, "author": each.author, "date": each.date, "benchmark": each.benchmark}
            for name, each in zip(found.candidates, submissions, strict=True)
        ]
    )
    data = pd.DataFrame(
        [
            {"problem": case.name, "provenance": case.provenance, "n_items": int(case.scored.sum())}
            for case in cases
        ]
    )
    table = about.merge(data, how="cross")
    values = ["accuracy", "lower", "upper", "difference", "difference_lower", "difference_upper"]
    table = table.join(ranking.set_index(keys)[values], on=keys)
    table = table.join(base.rename("reference_accuracy"), on="problem")
    table = table.join(found.tables.fits.set_index(keys)["note"], on=keys)
    return table[list(COLUMNS)]
