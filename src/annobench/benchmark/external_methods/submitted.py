"""Submitted methods beside the model of Dawid and Skene, on the labels that they answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd
from scipy.special import ndtri

from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.comparison import differences_to
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

_NORMAL: Final = float(ndtri(0.975))


def score_submitted(
    submissions: Sequence[Submission], cases: Sequence[BenchmarkCase], *, seed: int, replicates: int
) -> pd.DataFrame:
    """Score submitted methods on labels with gold.

    Parameters
    ----------
    submissions : sequence of Submission
        May be empty.
    cases : sequence of BenchmarkCase
        Labels with gold, of different names.
    seed : int
        Of the resampling.
    replicates : int
        Resamples of the items.

    Returns
    -------
    DataFrame
        A row for each submission and case, with the columns `COLUMNS`: `accuracy` over `n_items`
        gold items with a 95% interval; `reference_accuracy` that of Dawid and Skene's model on the
        same items; and the paired `difference` from it with a 95% interval. These are NaN where the
        submission does not answer the labels, and `note` says why.
    """
    if not submissions:
        return pd.DataFrame(columns=list(COLUMNS))
    found = compare(
        cases, submissions, against=[REFERENCE], limit=LIMIT, seed=seed, replicates=replicates
    )
    scores = found.tables.scores[found.tables.scores["score"] == "accuracy"]
    paired = differences_to(REFERENCE, scores, found.tables.differences)
    paired = paired[paired["score"] == "accuracy"]
    reach = _NORMAL * paired["error"]
    paired = paired.assign(
        difference_lower=paired["difference"] - reach, difference_upper=paired["difference"] + reach
    )
    base = scores[scores["method"] == REFERENCE].set_index("problem")["estimate"]
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
    table = table.join(scores.set_index(keys)[["estimate", "lower", "upper"]], on=keys)
    table = table.join(base.rename("reference_accuracy"), on="problem")
    interval = ["difference", "difference_lower", "difference_upper"]
    table = table.join(paired.set_index(keys)[interval], on=keys)
    table = table.join(found.tables.fits.set_index(keys)["note"], on=keys)
    return table.rename(columns={"estimate": "accuracy"})[list(COLUMNS)]
