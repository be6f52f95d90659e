"""Correlations within groups and pooled, by hand and by scipy, one group at a time."""

import numpy as np
import pytest
import scipy.stats

from annobench.core.errors import AnnotationError
from annobench.evaluation.correlations import (
    correlation_draws,
    grouped_correlation,
    williams_test,
)
from annobench.resampling.clusters import cluster_draws

COEFFICIENTS = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}


@pytest.fixture
def scored(rng):
    """Scores with ties, groups of one to six items, two of them constant."""
    groups = np.repeat(np.arange(40), rng.integers(1, 7, 40))
    truth = rng.integers(1, 4, groups.size) / 3
    judge = np.round(2 * truth + rng.normal(0, 0.8, groups.size))
    judge[groups == 3] = 2.0
    truth[groups == 5] = 1 / 3
    judge[rng.random(groups.size) < 0.05] = np.nan
    return judge, truth, groups


def one_by_one(judge, truth, groups, coefficient):
    found = []
    for group in np.unique(groups):
        own = (groups == group) & ~np.isnan(judge)
        if len(set(judge[own])) > 1 and len(set(truth[own])) > 1:
            found.append(coefficient(judge[own], truth[own])[0])
    return found


@pytest.mark.parametrize("method", COEFFICIENTS)
def test_both_correlations_are_those_of_scipy(scored, method):
    judge, truth, _ = scored
    found = grouped_correlation(*scored, method)
    expected = one_by_one(*scored, COEFFICIENTS[method])
    seen = ~np.isnan(judge)
    assert found.within == pytest.approx(np.mean(expected), abs=1e-12)
    assert found.by_group[~np.isnan(found.by_group)] == pytest.approx(expected, abs=1e-12)
    assert found.n_groups - found.n_constant == len(expected)
    assert found.pooled == pytest.approx(COEFFICIENTS[method](judge[seen], truth[seen])[0])
    assert found.n_items == seen.sum()


@pytest.mark.parametrize("method", COEFFICIENTS)
def test_a_draw_is_the_data_with_each_group_as_often_as_drawn(scored, rng, method):
    judge, truth, groups = scored
    draws = cluster_draws(40, 3, rng=rng)
    found = correlation_draws(*scored, draws, method)
    for place, draw in enumerate(draws):
        rows = [
            (item, (group, copy))
            for group, times in enumerate(draw)
            for copy in range(int(times))
            for item in np.flatnonzero(groups == group)
        ]
        items = np.array([item for item, _ in rows])
        copies = np.unique([str(copy) for _, copy in rows], return_inverse=True)[1]
        again = grouped_correlation(judge[items], truth[items], copies, method)
        assert found.within[place] == pytest.approx(again.within, abs=1e-12)
        assert found.pooled[place] == pytest.approx(again.pooled, abs=1e-12)


def test_a_judge_that_only_knows_the_group_has_no_correlation_within():
    groups = np.repeat([0, 1, 2], 4)
    truth = 10 * groups + np.tile([1, 2, 3, 4], 3)
    found = grouped_correlation(groups, truth, groups)
    assert found.pooled > 0.95
    assert np.isnan(found.within)
    assert found.n_constant == 3


def test_scores_that_differ_by_rounding_alone_are_constant():
    found = grouped_correlation([0.1 + 0.2, 0.3, 0.3], [1, 2, 3], [0, 0, 0])
    assert found.n_constant == 1
    assert np.isnan(found.pooled)


def test_williams_test_of_independent_scores_rejects_as_often_as_stated(rng):
    # Of 2,000 tests at 5% between 72 and 131 reject in all but one run in 500 (binomial).
    rejected = 0
    for _ in range(2_000):
        truth = rng.standard_normal(60)
        scores = truth + rng.standard_normal((2, 60))
        first, second, between = np.corrcoef([truth, *scores])[[0, 0, 1], [1, 2, 2]]
        rejected += williams_test(first, second, between, 60).p_value < 0.05
    low, high = scipy.stats.binom.ppf([0.001, 0.999], 2_000, 0.05)
    assert low <= rejected <= high


def test_williams_test_by_hand():
    # R = 1 - .16 - .25 - .01 + .04 = .62; the mean is .45; 2 * 102 / 100 * .62 + .2025 * .729 =
    # 1.4124; -.1 * sqrt(102 * 1.1 / 1.4124) = -.8913.
    found = williams_test(0.4, 0.5, 0.1, 103)
    assert found.statistic == pytest.approx(-0.8913, abs=5e-5)
    assert found.degrees_of_freedom == 100
    assert found.p_value == pytest.approx(2 * scipy.stats.t.sf(0.8913, 100), abs=1e-4)


def test_wrong_input_is_an_error_with_a_remedy():
    with pytest.raises(AnnotationError, match="method 'r' is not one of pearson, spearman"):
        grouped_correlation([1, 2], [1, 2], [0, 0], "r")
    with pytest.raises(AnnotationError, match="Give each item one of each"):
        grouped_correlation([1, 2], [1], [0, 0])
    with pytest.raises(AnnotationError, match="a whole number from 0 on"):
        grouped_correlation([1, 2], [1, 2], [-1, 0])
    with pytest.raises(AnnotationError, match="Give each group a column"):
        correlation_draws([1, 2], [1, 2], [0, 1], [[1]])
    with pytest.raises(AnnotationError, match="at least 4 items"):
        williams_test(0.1, 0.2, 0.3, 3)


def test_no_items_give_no_correlations():
    draws = correlation_draws([], [], [], [[1.0]])
    assert np.isnan(draws.pooled).all()
    assert np.isnan(draws.within).all()
