"""Resampling: weights of bootstrap samples, interval constructions, clusters, proportions.

This package is independent of the statistic, which its owner recomputes.
"""

from __future__ import annotations

from annobench.resampling.clusters import (
    cluster_draws,
    homogeneity_chi_square,
    permute_clusters,
    ratio_draws,
)
from annobench.resampling.intervals import (
    Interval,
    bca_interval,
    central_limits,
    equal_tailed_interval,
    jackknife_interval,
    normal_interval,
    percentile_interval,
    predictive_interval,
)
from annobench.resampling.multiplicity import holm
from annobench.resampling.proportions import proportion_interval
from annobench.resampling.ratios import ratio
from annobench.resampling.weights import dirichlet_weights, draw_counts, multinomial_counts

__all__ = [
    "Interval",
    "bca_interval",
    "central_limits",
    "cluster_draws",
    "dirichlet_weights",
    "draw_counts",
    "equal_tailed_interval",
    "holm",
    "homogeneity_chi_square",
    "jackknife_interval",
    "multinomial_counts",
    "normal_interval",
    "percentile_interval",
    "permute_clusters",
    "predictive_interval",
    "proportion_interval",
    "ratio",
    "ratio_draws",
]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
