"""A ranking of the methods of a benchmark, and its conclusion in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from annobench.benchmark.across import compared_with
from annobench.benchmark.comparison import NORMAL, differences_to
from annobench.benchmark.tables import BenchmarkTables, counted, without_unconverged
from annobench.core.texts import counted as with_noun

__all__ = ["conclusion", "ranking"]

SCORE: Final = "accuracy"


def ranking(tables: BenchmarkTables, reference: str) -> list[dict[str, Any]]:
    """Rank methods by their mean accuracy over the data sets that count.

    Parameters
    ----------
    tables : BenchmarkTables
        The numbers.
    reference : str
        The method that each is compared with.

    Returns
    -------
    list of dict
        Of each method with a score: method; n_datasets; whole, whether it has a score on every data
        set that counts; mean, lower and upper, its mean accuracy with a 95% interval over items,
        given the data sets; wins and losses, the data sets on which it is better and worse than
        the reference beyond chance, all methods at once; typical, typical_lower and typical_upper,
        its difference from the reference on a typical data set, with a 95% interval, NaN if there
        are too few data sets; differs, "better", "worse" or "no". Sorted by mean, methods scored on
        every data set first, since means over fewer data sets are not comparable.
    """
    counting = counted(tables.problems)
    scores = without_unconverged(tables.scores, tables.fits)
    own = scores[(scores["score"] == SCORE) & scores["problem"].isin(counting)]
    if own.empty:
        return []
    variance = ((own["upper"] - own["lower"]) / (2 * NORMAL)) ** 2
    grouped = own.assign(variance=variance).groupby("method")
    mean, n = grouped["estimate"].mean(), grouped.size()
    reach = NORMAL * np.sqrt(grouped["variance"].sum()) / n
    table = pd.DataFrame(
        {
            "n_datasets": n,
            "whole": n == own["problem"].nunique(),
            "mean": mean,
            "lower": mean - reach,
            "upper": mean + reach,
        }
    )
    table = table.join(_counts(tables, own, reference)).join(_typical(tables, reference))
    table = table.assign(
        differs=np.select(
            [table["typical_lower"] > 0, table["typical_upper"] < 0], ["better", "worse"], "no"
        )
    )
    ordered = table.rename_axis("method").reset_index()
    ordered = ordered.sort_values(
        ["whole", "mean", "method"], ascending=[False, False, True], ignore_index=True
    )
    return [{str(k): v for k, v in row.items()} for row in ordered.to_dict("records")]


def _counts(tables: BenchmarkTables, own: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Count the data sets on which methods are better and worse than the reference."""
    found = differences_to(reference, own, tables.differences)
    sure = found["difference"].abs() > found["critical"] * found["error"]
    return pd.DataFrame(
        {
            "wins": (sure & (found["difference"] > 0)).groupby(found["method"]).sum(),
            "losses": (sure & (found["difference"] < 0)).groupby(found["method"]).sum(),
        }
    )


def _typical(tables: BenchmarkTables, reference: str) -> pd.DataFrame:
    names = ["typical", "typical_lower", "typical_upper"]
    across = tables.across[tables.across["score"] == SCORE]
    return compared_with(reference, across).set_index("method")[names].astype(float)


def conclusion(rows: Sequence[Mapping[str, Any]], reference: str) -> str:
    """Return the conclusion of a ranking in a sentence.

    Parameters
    ----------
    rows : sequence of dict
        As from `ranking`.
    reference : str
        The method that others are compared with.

    Returns
    -------
    str
        Empty if nothing is ranked.
    """
    if not rows:
        return ""
    best = rows[0]
    others = [row for row in rows if row["method"] != reference and not np.isnan(row["typical"])]
    highest = (
        f"On {with_noun(int(best['n_datasets']), 'data set')} {best['method']} has the highest "
        f"mean accuracy, {best['mean']:.3f}"
    )
    if not others:
        return f"{highest}."
    better, worse = (_named(others, way) for way in ("better", "worse"))
    return (
        f"{highest}; of {with_noun(len(others), 'method')} compared with {reference}, {better} "
        f"significantly better on a typical data set, and {worse} worse."
    )


def _named(rows: Sequence[Mapping[str, Any]], way: str) -> str:
    names = [row["method"] for row in rows if row["differs"] == way]
    listed = f" ({', '.join(names)})" if names else ""
    return f"{len(names) or 'none'}{listed} {'is' if len(names) < 2 else 'are'}"
