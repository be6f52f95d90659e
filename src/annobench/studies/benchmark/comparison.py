"""Scores of methods with intervals over items, and paired differences between methods."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.studies.benchmark.cases import BenchmarkCase
from annobench.studies.benchmark.fits import FitRecord
from annobench.studies.benchmark.scores import SCORES, features, scores_of

Floats = NDArray[np.float64]

#: Models that all are compared with, where they were scored.
REFERENCES: Final = ("voting", "dawid_skene")


def compare(
    case: BenchmarkCase,
    records: Iterable[FitRecord],
    *,
    replicates: int,
    seed: int,
    level: float = 0.95,
) -> pd.DataFrame:
    """Score the methods on one case, with intervals and differences to the references.

    Parameters
    ----------
    case : BenchmarkCase
        The labels and golds.
    records : iterable of FitRecord
        Fits to it; those without a posterior are left out.
    replicates : int
        Resamples of the items.
    seed : int
        Of the resampling.
    level : float, default 0.95
        Of the intervals, in (0, 1).

    Returns
    -------
    DataFrame
        A row for every method and score: problem, provenance, n_items (scored), method, score,
        estimate, lower, upper, and for each reference r the difference ``minus_r`` with
        ``minus_r_lower`` and ``minus_r_upper``; NaN where the reference has no score. Intervals
        are percentiles.

    Raises
    ------
    AnnotationError
        If no item has both a gold category and a label.
    """
    kept = case.scored
    gold = case.gold[kept]
    if not gold.size:
        raise AnnotationError(
            f"compare: {case.name} has no item with a gold category and a label. Leave it out."
        )
    rng = np.random.default_rng([seed, zlib.crc32(case.name.encode())])
    weights = np.vstack([np.full(gold.size, 1 / gold.size), _resampled(gold.size, replicates, rng)])
    k = case.annotations.n_categories
    values = {
        record.method: scores_of(weights @ features(record.posterior[kept], gold), k)
        for record in records
        if record.posterior is not None
    }
    about = {
        "problem": case.name,
        "provenance": case.provenance,
        "n_items": gold.size,
        "n_labels": case.annotations.n_labels,
        "n_categories": k,
    }
    rows = []
    for method, own in values.items():
        versus = {
            f"minus_{name}": own - values[name] if name in values else np.full_like(own, np.nan)
            for name in REFERENCES
        }
        for column, name in enumerate(SCORES):
            row = about | {"method": method, "score": name}
            row |= _interval("estimate", "", own[:, column], level)
            for title, difference in versus.items():
                row |= _interval(title, f"{title}_", difference[:, column], level)
            rows.append(row)
    return pd.DataFrame(rows)


def _resampled(n: int, replicates: int, rng: np.random.Generator) -> Floats:
    """Return shares of n items drawn n times with replacement, shape (replicates, n)."""
    drawn = rng.integers(n, size=(replicates, n)) + n * np.arange(replicates)[:, None]
    return np.bincount(drawn.ravel(), minlength=n * replicates).reshape(replicates, n) / n


def _interval(title: str, prefix: str, values: Floats, level: float) -> dict[str, float]:
    """Name an estimate (the first value) and the percentiles of the others."""
    lower, upper = np.quantile(values[1:], [(1 - level) / 2, (1 + level) / 2])
    return {title: values[0], f"{prefix}lower": lower, f"{prefix}upper": upper}


def verdict(table: pd.DataFrame, reference: str) -> pd.Series[str]:
    """Say whether a method does better than a reference.

    Parameters
    ----------
    table : DataFrame
        Rows of `compare`.
    reference : str
        One of `REFERENCES`.

    Returns
    -------
    Series of str
        "better" or "worse" where the interval of the difference lies wholly on one side of 0,
        "unclear" where it does not, "" where there is no difference to tell.
    """
    lower, upper = (table[f"minus_{reference}_{end}"] for end in ("lower", "upper"))
    more_is_better = table["score"].map(SCORES).astype(bool)
    named = np.select(
        [lower.isna() | (table["method"] == reference), lower > 0, upper < 0],
        [
            "",
            np.where(more_is_better, "better", "worse"),
            np.where(more_is_better, "worse", "better"),
        ],
        "unclear",
    )
    return pd.Series(named, index=table.index, name=f"versus_{reference}")
