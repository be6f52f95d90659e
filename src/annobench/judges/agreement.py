r"""Agreement among humans, and between humans and a judge, by category.

Two labels of an item by two humans, or by a human and the judge, are drawn at random; items have
equal weight. The *specific agreement* on category k is the probability that one of the two is k
given
that the other is. Chance-corrected agreement subtracts the agreement of labels drawn from the two
distributions, as in Scott's pi for two humans and Cohen's kappa for human and judge. Only items
labelled by two humans and the judge are used, so that both refer to the same items. Intervals are
those of a bootstrap over items, or over their clusters.

Cicchetti and Feinstein (1990), Journal of Clinical Epidemiology 43, 551-558.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.tolerances import ZERO
from annobench.judges.panel import NO_LABEL
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.resampling.clusters import cluster_draws
from annobench.resampling.intervals import central_limits
from annobench.resampling.ratios import ratio

__all__ = ["compare_agreement"]

Floats = NDArray[np.float64]


def compare_agreement(
    humans: Annotations,
    judge: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    replicates: int = 500,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> pd.DataFrame:
    """Compare the agreement of humans with each other and with a judge.

    Parameters
    ----------
    humans : Annotations
        Labels of the humans; only the first label of an item by an annotator is used.
    judge : array_like of int, shape (I,)
        Codes of the humans' categories, -1 for none.
    clusters : array_like, shape (I,), optional
        Cluster of each item; by default items are independent.
    replicates : int, default 500
        Number of bootstrap samples.
    level : float, default 0.95
        Level of the intervals.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    DataFrame
        One row for all categories together (category "", measures "agreement" and "kappa") and one
        for each category (measure "specific agreement"): category, measure, human_human and
        human_judge, and their difference (judge minus human), each with `_lower` and `_upper`;
        n_items. NaN where a category does not occur.

    Raises
    ------
    AnnotationError
        If no item has labels of two humans and of the judge.
    """
    humans = as_annotations(humans, "compare_agreement")
    codes = np.asarray(judge)
    first = humans.first_labels()
    n_humans = np.diff(first.by_item.offsets)
    kept = np.flatnonzero((n_humans > 1) & (codes != NO_LABEL))
    if not kept.size:
        raise AnnotationError(
            "compare_agreement: no item has labels of two humans and of the judge. Have some items "
            "labelled by two humans."
        )
    group = np.arange(kept.size)
    if clusters is not None:
        group = pd.factorize(np.asarray(clusters)[kept])[0]
    sums = _sums(first, codes, kept, n_humans)
    n_clusters = int(group.max()) + 1
    by_cluster = np.zeros((n_clusters, sums.shape[1]))
    np.add.at(by_cluster, group, sums)
    generator = np.random.default_rng(rng)
    estimate = _measures(by_cluster.sum(axis=0), humans.n_categories)
    drawn = _measures(
        cluster_draws(n_clusters, replicates, rng=generator) @ by_cluster, humans.n_categories
    )
    rows = []
    names = [("", "agreement"), ("", "kappa")]
    names += [(category, "specific agreement") for category in humans.categories]
    for place, (category, measure) in enumerate(names):
        row: dict[str, object] = {"category": category, "measure": measure}
        for column, name in enumerate(("human_human", "human_judge", "difference")):
            row[name] = estimate[column, place]
            seen = drawn[:, column, place]
            ends = central_limits(seen[~np.isnan(seen)], level)
            row |= {f"{name}_lower": ends[0], f"{name}_upper": ends[1]}
        rows.append(row | {"n_items": kept.size})
    return pd.DataFrame(rows)


def _sums(
    humans: Annotations, judge: NDArray[np.int64], kept: NDArray[np.int64], n: NDArray[np.int64]
) -> Floats:
    """Return each item's probabilities for the agreement measures, in blocks of K columns."""
    share = humans.counts[kept] / n[kept][:, None]
    m = n[kept][:, None]
    both = share * (humans.counts[kept] - 1) / (m - 1)
    says = np.eye(humans.n_categories)[judge[kept]]
    return np.concatenate([both, share, share * says, says], axis=1) / kept.size


def _measures(sums: Floats, n_categories: int) -> Floats:
    """Compute measures from sums: humans, human and judge, difference; (..., 3, 2 + K)."""
    both, human, agree, judge = (
        sums[..., block * n_categories : (block + 1) * n_categories] for block in range(4)
    )
    total = human.sum(axis=-1, keepdims=True)
    both, human, agree, judge = (part / total for part in (both, human, agree, judge))
    found = []
    for together, other in ((both, human), (agree, judge)):
        observed = together.sum(axis=-1)
        expected = (human * other).sum(axis=-1)
        kappa = ratio(observed - expected, 1 - expected, zero=ZERO)
        specific = ratio(2 * together, human + other)
        found.append(np.concatenate([observed[..., None], kappa[..., None], specific], axis=-1))
    return np.stack([*found, found[1] - found[0]], axis=-2)
