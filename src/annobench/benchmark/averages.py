"""Scores averaged over data sets: whether probabilities mean what they say.

A mean over data sets is that of these data sets and of no others, and two methods' means can be
compared only if they are over the same ones. So `whole` says which methods have a score on every
data set, and the log loss is also given relative to one method's, over the sets that both have.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np
import pandas as pd

__all__ = ["AVERAGED", "COLUMNS", "average"]

#: What is averaged.
AVERAGED: Final = ("log_loss", "accuracy", "calibration_error")

COLUMNS: Final = (
    *("method", "n_datasets", "whole"),
    *(f"{how}_{score}" for score in AVERAGED for how in ("mean", "median")),
    "log_loss_to_reference",
    "overconfidence",
)


def average(
    scores: pd.DataFrame, curves: pd.DataFrame, problems: Collection[str], reference: str
) -> pd.DataFrame:
    """Average scores over data sets.

    Parameters
    ----------
    scores, curves : DataFrame
        As in `annobench.benchmark.comparison.Comparison`.
    problems : collection of str
        The data sets that count.
    reference : str
        A method.

    Returns
    -------
    DataFrame
        A row for every method with a score: method; n_datasets; whole, "yes" if it has a score on
        every data set that any method has one on; mean and median of the log loss, the accuracy
        and the calibration error; log_loss_to_reference, the mean difference to the reference's
        over the data sets that both have, NaN where there is none; overconfidence, the mean of the
        probability of the best category less the accuracy. First the whole ones, by median log
        loss.
    """
    kept = scores[scores["problem"].isin(problems) & scores["score"].isin(AVERAGED)]
    if kept.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    grouped = kept.groupby(["method", "score"])["estimate"]
    wide = pd.concat(
        [grouped.agg(how).unstack("score").add_prefix(f"{how}_") for how in ("mean", "median")],
        axis=1,
    )
    n = kept.groupby("method")["problem"].nunique()
    points = curves[curves["problem"].isin(problems) & (curves["curve"] == "calibration")]
    gap = (points["x"] - points["y"]) * points["n_items"]
    keys = [points["method"], points["problem"]]
    by_set = gap.groupby(keys).sum() / points["n_items"].groupby(keys).sum()
    loss = kept[kept["score"] == "log_loss"].pivot(
        index="problem", columns="method", values="estimate"
    )
    base = loss.get(reference, np.nan)
    wide = wide.assign(
        n_datasets=n,
        whole=(n == kept["problem"].nunique()).map({True: "yes", False: "no"}),
        log_loss_to_reference=loss.sub(base, axis=0).mean(),
        overconfidence=by_set.groupby("method").mean(),
    )
    ordered = wide.reset_index().sort_values(
        ["whole", "median_log_loss", "method"], ascending=[False, True, True], ignore_index=True
    )
    return ordered.rename_axis(columns=None).reindex(columns=list(COLUMNS))
