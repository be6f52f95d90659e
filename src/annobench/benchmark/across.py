"""Pairwise comparisons of methods that generalise beyond these data sets, for each score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd

from annobench.benchmark.hierarchical import Hierarchical, compare_hierarchically
from annobench.benchmark.scores import SCORES
from annobench.benchmark.signed_rank import SignedRank, signed_rank

__all__ = ["compare_across"]

#: Fewer data sets tell nothing.
MIN_DATASETS: Final = 5

#: What the other method's row would say: by the column from which it takes the value.
MIRRORED: Final[Mapping[str, str]] = {
    "better": "worse",
    "worse": "better",
    "next_better": "next_worse",
    "next_worse": "next_better",
    "new_better": "new_worse",
    "new_worse": "new_better",
}
NEGATED: Final[Mapping[str, str]] = {
    "typical": "typical",
    "typical_lower": "typical_upper",
    "typical_upper": "typical_lower",
}


def compare_across(
    scores: pd.DataFrame, differences: pd.DataFrame, n_items: Mapping[str, int], seed: int
) -> pd.DataFrame:
    """Compare all pairs of methods on each score across data sets.

    Parameters
    ----------
    scores, differences : DataFrame
        As in `annobench.benchmark.comparison.Comparison`.
    n_items : mapping of str to int
        The counted data sets, with their numbers of scored items. Standard errors of differences
        are at least one divided by this number: methods that agree on n items may differ on the
        next.
    seed : int
        Seed of the signed-rank test, the same for all pairs.

    Returns
    -------
    DataFrame
        One row for each score in `SCORES` and pair of methods with at least `MIN_DATASETS` common
        data sets: score, method, other (later in the alphabet), n_datasets, and the attributes of
        `SignedRank` and `Hierarchical`, oriented so that larger is better.
    """
    rows = []
    kept = scores[scores["problem"].isin(list(n_items))]
    floor = 1 / pd.Series(n_items, dtype=float)
    for name, about in SCORES.items():
        wide = kept[kept["score"] == name].pivot_table("estimate", "problem", "method")
        own = differences[differences["score"] == name]
        sign = 1 if about.more_is_better else -1
        for place, method in enumerate(wide.columns):
            known = own.pivot(index="problem", columns="method", values=method)
            for other in wide.columns[place + 1 :]:
                z = sign * (wide[method] - wide[other]).dropna()
                if z.size < MIN_DATASETS:
                    continue
                errors = np.maximum(known[other].reindex(z.index), floor[z.index])
                ranked = signed_rank(z.to_numpy(), rope=about.rope, rng=seed)
                modelled = compare_hierarchically(z, errors, rope=about.rope)
                found = vars(ranked) | vars(modelled)
                rows.append((name, method, other, z.size, *found.values()))
    names = [*SignedRank.__dataclass_fields__, *Hierarchical.__dataclass_fields__]
    return pd.DataFrame(rows, columns=["score", "method", "other", "n_datasets", *names])


def compared_with(reference: str, across: pd.DataFrame) -> pd.DataFrame:
    """Return the comparisons of all methods with one."""
    ahead = across[across["other"] == reference]
    behind = across[across["method"] == reference].rename(
        columns={"method": "other", "other": "method"}
    )
    turned = behind.assign(
        **{name: behind[source] for name, source in MIRRORED.items()},
        **{name: -behind[source] for name, source in NEGATED.items()},
    )
    return pd.concat([ahead, turned[list(ahead.columns)]], ignore_index=True)
