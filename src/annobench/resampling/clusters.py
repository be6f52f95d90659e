"""Inference where items come in clusters, such as the utterances of a meeting.

Items of a cluster resemble each other, so that resampling or exchanging single items makes
intervals too short and tests too eager. Here whole clusters are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.stats
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.evaluation.scores import _ratio

__all__ = ["cluster_draws", "departures", "exchange", "predictive_interval", "ratio_draws"]


def cluster_draws(
    n_clusters: int, n_draws: int, *, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw how often each cluster is in each bootstrap sample.

    Parameters
    ----------
    n_clusters, n_draws : int
        At least 1.
    rng : Generator
        Source of randomness.

    Returns
    -------
    ndarray, shape (S, C)
        Whole numbers; each row sums to C.

    Raises
    ------
    AnnotationError
        If there is no cluster, or no draw is asked for.
    """
    if min(n_clusters, n_draws) < 1:
        raise AnnotationError(
            f"cluster_draws: {n_draws} draws of {n_clusters} clusters. Give at least one of each."
        )
    share = np.full(n_clusters, 1 / n_clusters)
    return rng.multinomial(n_clusters, share, size=n_draws).astype(np.float64)


def ratio_draws(
    ratios: Mapping[str, tuple[ArrayLike, ArrayLike]], cluster: ArrayLike, draws: ArrayLike
) -> dict[str, NDArray[np.float64]]:
    """Compute ratios of sums, such as precision, in bootstrap samples of clusters.

    Parameters
    ----------
    ratios : mapping of str to (array_like, array_like)
        For each name what each item adds to the numerator and to the denominator, shape (I,).
    cluster : array_like of int, shape (I,)
        Code of each item's cluster, in [0, C).
    draws : array_like, shape (S, C)
        As `cluster_draws` makes them; one set for all gives differences their correlation.

    Returns
    -------
    dict of str to ndarray, shape (S,)
        The ratio in each sample; NaN where its denominator is 0.

    Raises
    ------
    AnnotationError
        If a cluster's code is not a whole number in [0, C), or a ratio does not have one number
        an item.

    Examples
    --------
    >>> right, named = [1, 0, 1], [1, 1, 1]
    >>> ratio_draws({"precision": (right, named)}, [0, 0, 1], [[1, 1], [2, 0]])["precision"]
    array([0.66666667, 0.5       ])
    """
    weights, codes = np.asarray(draws, dtype=np.float64), np.asarray(cluster)
    n_clusters = weights.shape[1]
    if codes.dtype.kind not in "iu" or not ((codes >= 0) & (codes < n_clusters)).all():
        raise AnnotationError(
            f"ratio_draws: a cluster's code, a whole number, must be in [0, {n_clusters}), the "
            "columns of draws. Count the clusters from 0."
        )

    def total(part: ArrayLike) -> NDArray[np.float64]:
        added = np.asarray(part, dtype=np.float64)
        if added.shape != codes.shape:
            raise AnnotationError(
                f"ratio_draws: a part of shape {added.shape} for {codes.size} items. Give each "
                "item one number."
            )
        return np.asarray(weights @ np.bincount(codes, added, n_clusters))

    return {name: _ratio(total(top), total(bottom)) for name, (top, bottom) in ratios.items()}


def exchange(
    assigned: ArrayLike, *, rng: np.random.Generator, strata: ArrayLike | None = None
) -> NDArray[Any]:
    """Exchange what is assigned to clusters, such as their annotators, within strata.

    Parameters
    ----------
    assigned : array_like, shape (C,)
        One value a cluster.
    rng : Generator
        Source of randomness.
    strata : array_like, shape (C,), optional
        Clusters of different strata exchange nothing; by default all are one stratum.

    Returns
    -------
    ndarray, shape (C,)
        The values in another order, each stratum with its own.

    Raises
    ------
    AnnotationError
        If the strata are not one a cluster.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> exchange(["a", "a", "b", "b"], strata=[0, 0, 1, 1], rng=rng).tolist()
    ['a', 'a', 'b', 'b']
    """
    values = np.asarray(assigned)
    blocks = np.zeros(values.size) if strata is None else np.asarray(strata)
    if blocks.shape != values.shape:
        raise AnnotationError(
            f"exchange: {blocks.size} strata for {values.size} clusters. Give one a cluster."
        )
    result = values.copy()
    for block in np.unique(blocks):
        own = np.flatnonzero(blocks == block)
        result[own] = values[rng.permutation(own)]
    return result


def predictive_interval(values: ArrayLike, level: float) -> tuple[float, float]:
    """Return where one more value like those seen lies, such as of another train-test split.

    Parameters
    ----------
    values : array_like, shape (R,)
        At least two, drawn alike.
    level : float
        In (0, 1).

    Returns
    -------
    tuple of (float, float)
        ``mean -+ t sd sqrt(1 + 1/R)`` with the quantile of Student's distribution of R - 1
        degrees of freedom, exact for normal values.

    Raises
    ------
    AnnotationError
        If there are fewer than two values or one is not finite, or the level is not in (0, 1).

    Examples
    --------
    >>> low, high = predictive_interval([1.0, 2.0, 3.0], 0.5)
    >>> round((high - low) / 2, 4)  # 0.8165 * 1 * sqrt(4 / 3)
    0.9428
    """
    x = np.asarray(values, dtype=np.float64)
    if x.size < 2 or not np.isfinite(x).all() or not 0 < level < 1:
        raise AnnotationError(
            f"predictive_interval: needs at least two values, all finite, and a level in (0, 1), "
            f"got {x.size} values, {int((~np.isfinite(x)).sum())} not finite, level {level}. "
            "Correct these."
        )
    reach = scipy.stats.t.isf((1 - level) / 2, x.size - 1) * x.std(ddof=1) * np.sqrt(1 + 1 / x.size)
    return float(x.mean() - reach), float(x.mean() + reach)


def departures(
    residual_sums: ArrayLike, sizes: ArrayLike, prevalence: ArrayLike, assigned: ArrayLike
) -> NDArray[np.float64]:
    """Measure how far annotators depart from what is expected of their items.

    The chi-square distance of annotators' mean residuals from 0: over annotators j and
    categories k, the sum of ``n_j mean_jk**2 / prevalence_k``. Exchanging annotators between
    clusters shows what chance and the differences between clusters make of it.

    Parameters
    ----------
    residual_sums : array_like, shape (C, K)
        For each cluster the sum over its items of the label, as 0 or 1 for each category, less
        its expected probability.
    sizes : array_like, shape (C,)
        Items of each cluster.
    prevalence : array_like, shape (K,)
        Share of each category, positive.
    assigned : array_like, shape (S, C)
        The annotator of each cluster, once a row; such as rows from `exchange`.

    Returns
    -------
    ndarray, shape (S,)
        At least 0.

    Examples
    --------
    >>> departures([[1, -1], [-1, 1]], [10, 10], [0.5, 0.5], [["a", "b"], ["a", "a"]])
    array([0.8, 0. ])
    """
    sums, n_items, who = np.asarray(residual_sums, float), np.asarray(sizes), np.asarray(assigned)
    total = np.zeros(len(who))
    for name in np.unique(who):
        own = (who == name).astype(np.float64)
        n = own @ n_items
        mean = _ratio(own @ sums, n[:, None])
        total += n * (np.nan_to_num(mean) ** 2 / np.asarray(prevalence)).sum(axis=1)
    return total
