"""Inference for clustered items, such as the utterances of a meeting.

Items of a cluster are correlated, so resampling or permuting single items gives intervals that are
too narrow and anti-conservative tests. Here whole clusters are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.resampling.ratios import ratio
from annobench.resampling.weights import multinomial_counts

__all__ = ["cluster_draws", "homogeneity_chi_square", "permute_clusters", "ratio_draws"]


def cluster_draws(
    n_clusters: int, replicates: int, *, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw the multiplicity of each cluster in bootstrap samples.

    Parameters
    ----------
    n_clusters, replicates : int
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
        If there is no cluster or no replicate.
    """
    if min(n_clusters, replicates) < 1:
        raise AnnotationError(
            f"cluster_draws: {replicates} replicates of {n_clusters} clusters. "
            "Give at least one of each."
        )
    return multinomial_counts(np.ones(n_clusters), replicates, rng).astype(np.float64)


def ratio_draws(
    ratios: Mapping[str, tuple[ArrayLike, ArrayLike]], cluster: ArrayLike, draws: ArrayLike
) -> dict[str, NDArray[np.float64]]:
    """Compute ratios of sums, such as precision, in bootstrap samples of clusters.

    Parameters
    ----------
    ratios : mapping of str to (array_like, array_like)
        For each name, the items' terms of the numerator and of the denominator, shape (I,).
    cluster : array_like of int, shape (I,)
        Code of each item's cluster, in [0, C).
    draws : array_like, shape (S, C)
        Multiplicities from `cluster_draws`; use the same draws for ratios to be compared.

    Returns
    -------
    dict of str to ndarray, shape (S,)
        The ratio in each sample; NaN where its denominator is 0.

    Raises
    ------
    AnnotationError
        If a cluster's code is not a whole number in [0, C), or a ratio does not have one number per
        item.

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

    return {name: ratio(total(top), total(bottom)) for name, (top, bottom) in ratios.items()}


def permute_clusters(
    assigned: ArrayLike, *, rng: np.random.Generator, strata: ArrayLike | None = None
) -> NDArray[Any]:
    """Permute values assigned to clusters, such as annotators, within strata.

    Parameters
    ----------
    assigned : array_like, shape (C,)
        One value per cluster.
    rng : Generator
        Source of randomness.
    strata : array_like, shape (C,), optional
        Stratum of each cluster; by default all are in one stratum.

    Returns
    -------
    ndarray, shape (C,)
        The values, permuted within strata.

    Raises
    ------
    AnnotationError
        If there is not one stratum per cluster.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> permute_clusters(["a", "a", "b", "b"], strata=[0, 0, 1, 1], rng=rng).tolist()
    ['a', 'a', 'b', 'b']
    """
    values = np.asarray(assigned)
    blocks = np.zeros(values.size) if strata is None else np.asarray(strata)
    if blocks.shape != values.shape:
        raise AnnotationError(
            f"permute_clusters: {blocks.size} strata for {values.size} clusters. Give each cluster "
            "one."
        )
    result = values.copy()
    for block in np.unique(blocks):
        own = np.flatnonzero(blocks == block)
        result[own] = values[rng.permutation(own)]
    return result


def homogeneity_chi_square(
    residual_sums: ArrayLike, sizes: ArrayLike, prevalence: ArrayLike, assigned: ArrayLike
) -> NDArray[np.float64]:
    """Compute the chi-square statistic of annotators' mean residuals against 0.

    Over annotators j and categories k it is the sum of ``n_j mean_jk**2 / prevalence_k``. Its null
    distribution, allowing for differences between clusters, comes from `permute_clusters`.

    Parameters
    ----------
    residual_sums : array_like, shape (C, K)
        For each cluster the sum over its items of the label, as 0 or 1 for each category, minus its
        expected probability.
    sizes : array_like, shape (C,)
        Items of each cluster.
    prevalence : array_like, shape (K,)
        Share of each category, positive.
    assigned : array_like, shape (S, C)
        The annotator of each cluster, one assignment per row, such as from `permute_clusters`.

    Returns
    -------
    ndarray, shape (S,)
        At least 0.

    Examples
    --------
    >>> homogeneity_chi_square([[1, -1], [-1, 1]], [10, 10], [0.5, 0.5], [["a", "b"], ["a", "a"]])
    array([0.8, 0. ])
    """
    sums, n_items, who = np.asarray(residual_sums, float), np.asarray(sizes), np.asarray(assigned)
    total = np.zeros(len(who))
    for name in np.unique(who):
        own = (who == name).astype(np.float64)
        n = own @ n_items
        mean = ratio(own @ sums, n[:, None])
        total += n * (np.nan_to_num(mean) ** 2 / np.asarray(prevalence)).sum(axis=1)
    return total
