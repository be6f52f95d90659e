"""Inference where items come in clusters."""

import numpy as np
import pytest
import scipy.stats

from annobench.core.errors import AnnotationError
from annobench.resampling.clusters import (
    cluster_draws,
    homogeneity_chi_square,
    permute_clusters,
    ratio_draws,
)
from annobench.resampling.intervals import predictive_interval


def test_each_sample_has_as_many_clusters_as_there_are(rng):
    draws = cluster_draws(7, 50, rng=rng)
    assert draws.shape == (50, 7)
    assert (draws.sum(axis=1) == 7).all()


def test_ratios_are_those_of_the_clusters_drawn_by_hand():
    cluster = np.array([0, 0, 1, 2])
    right, named = np.array([True, False, True, False]), np.array([True, True, True, False])
    draws = [[1, 1, 1], [0, 2, 1], [0, 0, 3]]
    found = ratio_draws({"precision": (right, named)}, cluster, draws)["precision"]
    assert found == pytest.approx([2 / 3, 1.0, np.nan], nan_ok=True)


def test_a_cluster_outside_the_draws_is_refused():
    with pytest.raises(AnnotationError, match=r"must be in \[0, 2\)"):
        ratio_draws({"x": ([1], [1])}, [2], [[1, 1]])


def test_resampling_clusters_is_wider_than_resampling_items(rng):
    # 40 clusters whose 50 items are all right or all wrong: the variance is that of 40 items.
    cluster = np.repeat(np.arange(40), 50)
    right = (np.arange(40) % 2)[cluster]
    one = np.ones(cluster.size)
    clustered = ratio_draws({"x": (right, one)}, cluster, cluster_draws(40, 2000, rng=rng))["x"]
    item = ratio_draws(
        {"x": (right, one)}, np.arange(one.size), cluster_draws(one.size, 500, rng=rng)
    )["x"]
    # Each variance estimate has a relative standard error of at most sqrt(2 / 500) = 6%.
    assert clustered.var() / item.var() == pytest.approx(50, rel=0.3)


def test_a_permutation_keeps_the_values_of_each_stratum(rng):
    values, strata = np.array(list("aabbbc")), np.array([0, 0, 0, 1, 1, 1])
    for _ in range(20):
        found = permute_clusters(values, strata=strata, rng=rng)
        assert sorted(found[:3]) == ["a", "a", "b"]
        assert sorted(found[3:]) == ["b", "b", "c"]
    assert sorted(permute_clusters(values, rng=rng)) == sorted(values)
    with pytest.raises(AnnotationError, match="2 strata for 6 clusters"):
        permute_clusters(values, strata=[0, 1], rng=rng)


def test_every_permutation_is_as_likely(rng):
    seen = [tuple(permute_clusters([0, 1, 2], rng=rng)) for _ in range(1200)]
    counts = [seen.count(order) for order in set(seen)]
    assert len(counts) == 6
    assert scipy.stats.chisquare(counts).pvalue > 1e-4


def test_the_homogeneity_statistic_by_hand_and_zero_without_residuals():
    sums, sizes = np.array([[4.0, -4.0], [1.0, -1.0], [-5.0, 5.0]]), np.array([10, 10, 20])
    # "a" has mean residuals .25 and -.25 over 20 items, "b" the opposite over 20.
    wanted = 20 * (0.25**2 / 0.4 + 0.25**2 / 0.6) * 2
    found = homogeneity_chi_square(sums, sizes, [0.4, 0.6], [["a", "a", "b"]])
    assert found == pytest.approx([wanted], rel=1e-12)
    assert homogeneity_chi_square(np.zeros((3, 2)), sizes, [0.4, 0.6], [["a", "b", "b"]]) == 0


def test_a_permutation_test_holds_its_level_where_clusters_differ_and_annotators_do_not(rng):
    # Clusters have effects of their own; a permutation of items calls that a difference of
    # annotators, one of clusters does not.
    p_values = {"cluster": [], "item": []}
    for _ in range(100):
        cluster = np.repeat(np.arange(12), 40)
        who = np.repeat(["a", "b"], 6)
        residual = rng.normal(0, 0.3, 12)[cluster] + rng.normal(0, 0.5, cluster.size)
        columns = np.column_stack([residual, -residual])
        sums = np.column_stack([np.bincount(cluster, c) for c in columns.T])
        for kind, parts, sizes, of in (
            ("cluster", sums, np.full(12, 40), who),
            ("item", columns, np.ones(cluster.size), who[cluster]),
        ):
            drawn = np.stack([of, *(permute_clusters(of, rng=rng) for _ in range(39))])
            values = homogeneity_chi_square(parts, sizes, [0.5, 0.5], drawn)
            p_values[kind].append((values[1:] >= values[0]).mean())
    # Valid p-values fall below .05 five times in 100: more than 15 times once in 30,000.
    assert np.sum(np.array(p_values["cluster"]) < 0.05) <= 15
    assert np.sum(np.array(p_values["item"]) < 0.05) > 40


def test_the_coverage_of_the_predictive_interval_is_its_level(rng):
    held = 0
    for _ in range(400):
        *seen, coming = rng.normal(3, 2, 9)
        found = predictive_interval(seen, 0.8)
        held += found.lower <= coming <= found.upper
    low, high = scipy.stats.binom.ppf([0.0005, 0.9995], 400, 0.8)
    assert low <= held <= high


@pytest.mark.parametrize(
    ("values", "level"),
    [([1.0], 0.9), ([1.0, np.nan], 0.9), ([1.0, np.inf], 0.9), ([1.0, 2.0], 1.0)],
)
def test_a_predictive_interval_needs_values_and_a_level(values, level):
    with pytest.raises(AnnotationError, match="needs at least two values"):
        predictive_interval(values, level)


@pytest.mark.parametrize(("n_clusters", "replicates"), [(0, 5), (5, 0)])
def test_nothing_is_drawn_of_no_clusters(n_clusters, replicates, rng):
    with pytest.raises(AnnotationError, match="at least one of each"):
        cluster_draws(n_clusters, replicates, rng=rng)


@pytest.mark.parametrize(
    ("part", "cluster", "message"),
    [
        ([1], [0, 1], "Give each item one number"),
        ([1, 1], [0.0, 1.0], "a whole number, must be"),
    ],
)
def test_each_item_has_a_number_and_a_cluster(part, cluster, message):
    with pytest.raises(AnnotationError, match=message):
        ratio_draws({"x": (part, [1, 1])}, cluster, [[1, 1]])
