"""Scores averaged over data sets.

A mean over data sets describes only these data sets, and means of two methods are comparable only
over the same ones. `whole` therefore marks methods with a score on every data set, and the log loss
is also given relative to a reference method, over common data sets.
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
        The counted data sets.
    reference : str
        The reference method.

    Returns
    -------
    DataFrame
        One row per method with a score: method; n_datasets; whole, "yes" if it has a score on every
        data set on which any method has one; mean and median of the log loss, the accuracy and the
        calibration error; log_loss_to_reference, the mean difference from the reference over common
        data sets, NaN if there are none; overconfidence, the mean probability of the best category
        minus the accuracy. Whole methods come first, sorted by median log loss.
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
