"""Weights, ratios and intervals that know nothing of what is resampled."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from annobench import resampling
from annobench.agreement.intervals import containing
from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.resampling.intervals import Interval
from annobench.resampling.proportions import wilson_limits
from annobench.resampling.weights import chunk_sizes, weighted_sum


def test_counts_of_kinds_are_those_of_single_units(rng):
    frequency = np.array([5, 1, 14])
    drawn = resampling.multinomial_counts(frequency, 4000, rng)
    assert (drawn.sum(axis=1) == 20).all()
    # The mean of 4,000 binomial counts of 20 draws: 4.5 standard errors.
    share = frequency / 20
    error = np.sqrt(20 * share * (1 - share) / 4000)
    assert (np.abs(drawn.mean(axis=0) - frequency) < 4.5 * error).all()


def test_dirichlet_weights_have_the_moments_of_their_distribution(rng):
    concentration = np.array([0.5, 2.0, 7.5])
    weights = resampling.dirichlet_weights(concentration, 10.0, 20_000, rng)
    np.testing.assert_allclose(weights.sum(axis=1), 10)
    expected = stats.dirichlet(concentration)
    error = 10 * np.sqrt(expected.var() / 20_000)
    assert (np.abs(weights.mean(axis=0) - 10 * expected.mean()) < 4.5 * error).all()
    np.testing.assert_allclose(weights.var(axis=0), 100 * expected.var(), rtol=0.1)


def test_replicates_are_split_and_none_is_lost():
    assert list(chunk_sizes(10, 1_000_000)) == [4, 4, 2]
    assert list(chunk_sizes(3, 10_000_000)) == [1, 1, 1]
    assert list(chunk_sizes(0, 5)) == []


def test_weights_of_one_replicate_and_of_many_give_the_same_sums(rng):
    rows, weights = rng.normal(size=(6, 2)), rng.integers(0, 3, size=(4, 6))
    many = weighted_sum(rows, weights)
    np.testing.assert_allclose(many, [weighted_sum(rows, one) for one in weights])


def test_a_ratio_is_undefined_without_a_denominator_and_so_is_its_derivative():
    assert np.isnan(resampling.ratio(1.0, 0.0))
    assert np.isnan(resampling.ratio(1.0, -2.0))
    assert resampling.ratio(3, 4) == 0.75
    assert np.isnan(resampling.ratio(1.0, 1e-13, 1e-12))
    undefined = resampling.ratio(1 + 1j, 0j)
    assert np.isnan(undefined.real)
    assert np.isnan(undefined.imag)


@pytest.mark.parametrize("method", ["wilson", "exact"])
@pytest.mark.parametrize(("k", "n"), [(0, 7), (3, 7), (7, 7), (50, 1000)])
def test_the_interval_of_a_proportion_is_scipys(method, k, n):
    found = resampling.proportion_interval(k, n, method=method, level=0.9)
    theirs = stats.binomtest(k, n).proportion_ci(0.9, method)
    assert (found.lower, found.upper) == (theirs.low, theirs.high)
    assert (found.estimate, found.level, found.kind) == (k / n, 0.9, method)


def test_a_proportion_of_nothing_has_no_interval_and_a_level_is_between_0_and_1():
    found = resampling.proportion_interval(0, 0)
    assert np.isnan([found.estimate, found.lower, found.upper]).all()
    with pytest.raises(AnnotationError, match="level must be between 0 and 1"):
        resampling.proportion_interval(1, 2, level=1.0)


def test_an_equal_tailed_interval_is_cut_at_an_estimate_in_its_tail():
    draws = np.linspace(0, 1, 1001)
    middle = resampling.equal_tailed_interval(0.5, draws, 0.9)
    assert (middle.lower, middle.upper) == pytest.approx((0.05, 0.95))
    above = resampling.equal_tailed_interval(1.5, draws, 0.9)
    assert (above.lower, above.upper) == pytest.approx((0.1, 1.5))
    below = resampling.equal_tailed_interval(-0.5, draws, 0.9)
    assert (below.lower, below.upper) == pytest.approx((-0.5, 0.9))


def test_central_limits_leave_out_the_same_share_of_draws_on_both_sides():
    np.testing.assert_allclose(resampling.central_limits(np.arange(101.0), 0.9), [5, 95])


def test_a_jackknife_interval_counts_units_without_which_nothing_is_defined():
    values = np.array([1.0, np.nan, 2.0, 4.0, np.nan])
    found = resampling.jackknife_interval(2.0, values, 0.9)
    defined = resampling.jackknife_interval(2.0, values[~np.isnan(values)], 0.9)
    assert (found.n_undefined, defined.n_undefined) == (2, 0)
    assert (found.lower, found.upper) == (defined.lower, defined.upper)


@pytest.mark.parametrize(("lower", "upper"), [(0.1, 0.2), (0.6, 0.7)])
def test_quantiles_of_replicates_beside_the_estimate_are_no_interval(lower, upper):
    beside = Interval(0.5, lower, upper, 0.9, "percentile")
    with pytest.warns(DegenerateWarning):
        found = containing(beside, "kappa")
    assert np.isnan([found.lower, found.upper]).all()
    # Rounding is forgiven on both sides.
    for end in (0.5 - 1e-14, 0.5 + 1e-14):
        assert containing(replace(beside, lower=end, upper=0.7), "kappa").lower <= 0.5
        assert containing(replace(beside, lower=0.3, upper=end), "kappa").upper >= 0.5


def test_intervals_of_arrays_have_their_shape():
    draws = np.random.default_rng(1).normal(size=(200, 3))
    found = resampling.percentile_interval(draws.mean(axis=0), draws, 0.5)
    assert found.lower.shape == found.upper.shape == (3,)
    np.testing.assert_allclose(found.half_width, (found.upper - found.lower) / 2)
    assert np.isnan(resampling.central_limits(draws[:0], 0.5)).all()


def test_an_interval_says_itself_in_one_line():
    found = resampling.normal_interval(0.5, 0.1, 0.95)
    assert repr(found) == "Interval: 0.5, 0.304 to 0.696 (95% analytic)"
    assert "<table" in found._repr_html_()
    assert found.summary()[["estimate", "kind"]].values.tolist() == [[0.5, "analytic"]]
    draws = np.zeros((9, 2))
    assert repr(resampling.percentile_interval(draws[0], draws, 0.5)) == (
        "Interval: 2 estimates (50% percentile)"
    )


def test_wilsons_limits_without_replacement_solve_the_equation_that_defines_them():
    x, n, size = np.array([0, 7, 50, 3]), np.array([50, 50, 50, 4]), np.array([80, 80, 51, 4])
    z = stats.norm.isf(0.025)
    for p in wilson_limits(x / n, n, size, z):
        variance = p * (1 - p) / n * (size - n) / (size - 1)  # of a hypergeometric share
        assert (x / n - p) ** 2 == pytest.approx(z**2 * variance, abs=1e-15)


def test_wilsons_limits_of_a_boundless_set_are_the_textbooks():
    lower, upper = wilson_limits([0.3, 1.0], [10, 10], [10**12] * 2, stats.norm.isf(0.025))
    for k, *limits in zip((3, 10), lower, upper, strict=True):
        assert limits == pytest.approx(list(stats.binomtest(k, 10).proportion_ci(0.95, "wilson")))


def test_wilsons_limits_cover_as_often_as_they_say():
    # All samples of 60 out of 90 items, for every number of items that there may be: the mean
    # coverage is the level, which limits for boundless sets exceed (.99).
    size, n = 90, 60
    found = np.arange(n + 1)
    lower, upper = wilson_limits(found / n, np.full(n + 1, n), np.full(n + 1, size), 1.96)
    covered = []
    for items in range(9, size - 8):
        held = (lower <= items / size) & (items / size <= upper)
        covered.append(stats.hypergeom(size, items, n).pmf(found)[held].sum())
    assert np.mean(covered) == pytest.approx(0.95, abs=0.005)
