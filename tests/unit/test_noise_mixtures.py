"""Mixtures of binomials on counts of positive labels: closed forms, refusals, scipy's answers."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
import scipy.optimize
import scipy.stats

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.noise import mixtures
from annobench.noise.mixtures import BinomialMixture, Counts
from annobench.noise.mixtures.hard_share import _at_hard_shares
from annobench.resampling.intervals import central_limits

#: Items of RTE-1 by their positive labels of ten, as Snow et al. (2008) collected them.
RTE = [5, 25, 90, 105, 103, 65, 62, 59, 108, 105, 73]
MODEL_M = BinomialMixture([343, 159, 298], [0.1978, 0.5487, 0.8942])


@pytest.fixture(scope="module")
def rte():
    return Counts.from_histogram(RTE, n_labels=10, n_items=800)


def annotations(rows, categories=("0", "1")):
    item, annotator, label = zip(*rows, strict=True)
    return Annotations.from_arrays(item, annotator, label, categories=categories)


# ------------------------------------------------------------------------------- counts


def test_a_histogram_is_kept_as_it_is(rte):
    assert rte.histogram.tolist() == RTE
    assert (rte.n_items, rte.max_labels, rte.is_balanced, rte.n_groups) == (800, 10, True, 1)


@pytest.mark.parametrize(
    ("histogram", "changes", "message"),
    [
        ([1, 2], {"n_items": 4}, "sums to 3, not to n_items = 4"),
        ([1, 2], {"n_labels": 2}, "2 cells, but 2 labels per item have 3"),
        ([1, -1], {}, "whole numbers of at least 0"),
        ([1, 0.5], {}, "whole numbers of at least 0"),
        ([np.nan, 1], {}, "whole numbers of at least 0"),
        ([0, 0, 0], {}, "no items"),
        ([3], {}, "is not a histogram"),
        ([[1, 2]], {}, "is not a histogram"),
    ],
)
def test_what_is_no_histogram_is_refused(histogram, changes, message):
    with pytest.raises(ValueError, match=message):
        Counts.from_histogram(histogram, **changes)


def test_labels_are_counted_item_by_item():
    a = annotations([("a", 1, 1), ("a", 2, 0), ("b", 1, 1), ("c", 1, 0), ("c", 2, 0), ("c", 2, 0)])
    counts = Counts.from_annotations(a)
    assert counts.labels.tolist() == [1, 1, 2, 2, 2, 3, 3, 3, 3]
    assert counts.positives.tolist() == [0, 1, 0, 1, 2, 0, 1, 2, 3]
    assert counts.items.tolist() == [0, 1, 0, 1, 0, 1, 0, 0, 0]
    assert counts.totals.tolist() == [1] * 9
    turned = Counts.from_annotations(a, positive="0")
    assert turned.items.tolist() == [1, 0, 0, 1, 0, 0, 0, 0, 1]
    with pytest.raises(AnnotationError, match="differs between items"):
        _ = counts.histogram


def test_an_item_without_labels_is_left_out():
    a = Annotations.from_arrays([0, 0], [0, 1], [1, 0], items=range(3), categories=("0", "1"))
    assert Counts.from_annotations(a).n_items == 1


def test_labels_that_are_not_binary_are_refused():
    three = annotations([(0, 0, 0), (0, 1, 1), (1, 0, 2)], categories=("0", "1", "2"))
    with pytest.raises(AnnotationError, match="3 categories"):
        Counts.from_annotations(three)
    with pytest.raises(AnnotationError, match="no category 'x'"):
        Counts.from_annotations(annotations([(0, 0, 0), (0, 1, 1)]), positive="x")
    nobody = Annotations.from_arrays(
        [], [], [], items=["a"], annotators=["b"], categories=("0", "1")
    )
    with pytest.raises(AnnotationError, match="no item has a label"):
        Counts.from_annotations(nobody)


# ------------------------------------------------------------------------------- mixtures


def test_the_probability_of_a_count_is_the_closed_form():
    shares, rates = [Fraction(1, 4), Fraction(3, 4)], [Fraction(1, 5), Fraction(2, 3)]
    exact = [
        comb(6, j) * sum(s * p**j * (1 - p) ** (6 - j) for s, p in zip(shares, rates, strict=True))
        for j in range(7)
    ]
    found = BinomialMixture([1, 3], [0.2, 2 / 3]).pmf(6)
    np.testing.assert_allclose(found, [float(p) for p in exact], rtol=1e-13)


def test_components_are_sorted_and_shares_scaled():
    mixture = BinomialMixture([30, 10], [0.9, 0.1])
    assert mixture.rate.tolist() == [0.1, 0.9]
    assert mixture.share.tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("share", "rate", "message"),
    [
        ([1, 1], [0.2, 1.2], r"rates must be in \[0, 1\]"),
        ([1, 1], [0.2, np.nan], r"rates must be in \[0, 1\]"),
        ([1, -1], [0.2, 0.5], "shares must be at least 0"),
        ([0, 0], [0.2, 0.5], "shares must be at least 0"),
        ([1], [0.2, 0.5], "one of each to every component"),
    ],
)
def test_impossible_components_are_refused(share, rate, message):
    with pytest.raises(ValueError, match=message):
        BinomialMixture(share, rate)


def test_the_posterior_is_bayes_rule():
    mixture = BinomialMixture([0.5, 0.5], [0.2, 0.6])
    two_of_two = 0.36 / (0.04 + 0.36)
    assert mixture.posterior(2, 2)[1] == pytest.approx(two_of_two)
    assert mixture.posterior([[0, 1], [2, 1]], 2).shape == (2, 2, 2)
    sure = BinomialMixture([1, 1], [0, 1]).posterior([0, 1, 3], 3)
    assert sure[0].tolist() == [1, 0]
    assert sure[2].tolist() == [0, 1]
    assert np.isnan(sure[1]).all()  # one of three: neither component can give it


def test_the_hard_share_counts_components_within_the_band():
    assert pytest.approx(159 / 800) == MODEL_M.hard_share()
    assert MODEL_M.hard_share((0.1, 0.3)) == pytest.approx(343 / 800)
    for band in ((0.6, 0.4), (0.0, 0.5), (0.5, 1.0)):
        with pytest.raises(ValueError, match="two ascending rates"):
            MODEL_M.hard_share(band)


def test_simulated_counts_keep_the_numbers_of_labels():
    counts = Counts.from_annotations(
        annotations([("a", 1, 1), ("a", 2, 0), ("b", 1, 1), ("c", 1, 0), ("c", 2, 1)])
    )
    drawn = MODEL_M.simulate(counts, np.random.default_rng(0))
    assert (drawn.totals == counts.totals).all()
    assert drawn.n_items == 3


# ------------------------------------------------------------------------------------ fits


@pytest.mark.parametrize("method", mixtures.METHODS)
@pytest.mark.parametrize("n_components", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_fits_are_no_worse_than_scipys(rte, n_components, method):
    """A general optimiser from many starts finds nothing better."""

    def unpack(v):
        p = 1 / (1 + np.exp(-v[:n_components]))
        e = np.exp(np.append(v[n_components:], 0))
        return BinomialMixture(e / e.sum(), p)

    def objective(v):
        e = 800 * unpack(v).pmf(10)
        if method == "least_squares":
            return ((rte.items - e) ** 2).sum()
        if method == "chi_square":
            return ((rte.items - e) ** 2 / e).sum()
        return 2 * (rte.items * np.log(rte.items / e)).sum()

    fitted = mixtures.fit(rte, n_components, method=method)
    ours = {
        "least_squares": fitted.sum_of_squares,
        "chi_square": fitted.chi_square().statistic,
        "ml": 2 * (rte.items * np.log(rte.items / fitted.expected)).sum(),
    }[method]
    rng = np.random.default_rng(1)
    best = min(
        scipy.optimize.minimize(
            objective,
            np.append(rng.normal(0, 1.5, n_components), np.zeros(n_components - 1)),
            method="L-BFGS-B",
            bounds=[(-18, 18)] * (2 * n_components - 1),
        ).fun
        for _ in range(5)
    )
    assert ours <= best * (1 + 1e-6)


def test_one_component_has_the_mean_rate(rte):
    mean = (np.arange(11) * RTE).sum() / 8000
    fitted = mixtures.fit(rte, 1)
    assert fitted.mixture.rate[0] == pytest.approx(mean)
    assert fitted.standard_error.rate[0] == pytest.approx(np.sqrt(mean * (1 - mean) / 8000))
    assert fitted.standard_error.share[0] == pytest.approx(0)


def test_criteria_count_rates_and_free_shares(rte):
    fitted = mixtures.fit(rte, 2)
    assert fitted.n_parameters == 3
    assert fitted.aic == pytest.approx(6 - 2 * fitted.log_likelihood)
    assert fitted.bic == pytest.approx(3 * np.log(800) - 2 * fitted.log_likelihood)


def test_positive_and_negative_are_interchangeable(rte):
    for method in mixtures.METHODS:
        there = mixtures.fit(rte, 2, method=method).mixture
        back = mixtures.fit(Counts.from_histogram(RTE[::-1]), 2, method=method).mixture
        np.testing.assert_allclose(there.rate, 1 - back.rate[::-1], atol=1e-5)
        np.testing.assert_allclose(there.share, back.share[::-1], atol=1e-5)


def test_a_component_on_the_boundary_has_no_standard_error(rte):
    fitted = mixtures.fit(rte, 3)
    assert fitted.mixture.rate[2] == pytest.approx(1, abs=1e-6)
    assert np.isnan(fitted.standard_error.rate[2])
    assert np.isfinite(fitted.standard_error.share).all()


def test_components_that_coincide_give_standard_errors_without_a_warning():
    counts = Counts.from_histogram([0, 1, 17, 73, 132, 132, 64, 104, 148, 94, 35])
    fitted = mixtures.fit(counts, 5, method="least_squares")
    assert np.ptp(fitted.mixture.rate[:2]) < 1e-6
    # Rounding makes a variance negative; the test suite turns warnings into errors.
    assert fitted.standard_error.share.shape == (5,)


def test_items_with_different_numbers_of_labels_are_fitted_together():
    made = BinomialMixture([0.4, 0.6], [0.2, 0.7])
    parts = [Counts.from_histogram((made.pmf(n) * 1e6).round()) for n in (3, 6)]
    both = Counts(
        *(
            np.concatenate([getattr(p, name) for p in parts])
            for name in ("labels", "positives", "items")
        )
    )
    for method in mixtures.METHODS:
        fitted = mixtures.fit(both, 2, method=method)
        np.testing.assert_allclose(fitted.mixture.rate, made.rate, atol=1e-3)
        np.testing.assert_allclose(fitted.mixture.share, made.share, atol=1e-3)
    assert fitted.chi_square().df == 4 + 7 - 2 - 3


@pytest.mark.parametrize(
    ("n", "largest"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (10, 5), (11, 6)]
)
def test_n_labels_identify_half_as_many_components(n, largest):
    assert mixtures.max_identifiable_components(n) == largest
    counts = Counts.from_histogram(np.full(n + 1, 10))
    mixtures.fit(counts, largest)
    with pytest.raises(ValueError, match=f"{largest + 1} components, but {n} labels"):
        mixtures.fit(counts, largest + 1)
    with pytest.raises(ValueError, match="0 components"):
        mixtures.fit(counts, 0)


def test_two_labels_do_not_identify_two_components():
    # Two mixtures with the same histogram of two labels: one of two components, and one of sure
    # items and coins.
    first = BinomialMixture([0.5, 0.5], [0.25, 0.75]).pmf(2)
    spread = np.sqrt(0.0625 / 0.8)
    second = BinomialMixture([0.4, 0.2, 0.4], [0.5 - spread, 0.5, 0.5 + spread]).pmf(2)
    np.testing.assert_allclose(first, second)


def test_unknown_methods_are_refused(rte):
    with pytest.raises(ValueError, match="method 'mle' is not one of ml"):
        mixtures.fit(rte, 2, method="mle")
    with pytest.raises(ValueError, match="method 'mle'"):
        mixtures.fit_lazy(rte, MODEL_M, method="mle")


# ------------------------------------------------------------------------------------ tests


def test_chi_square_is_scipys():
    expected = np.array([10.0, 20, 30, 40])
    found = mixtures.chi_square([12, 18, 33, 37], expected, n_fitted=1)
    theirs = scipy.stats.chisquare([12, 18, 33, 37], expected, ddof=1)
    assert found.statistic == pytest.approx(theirs.statistic)
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert found.df == 2
    assert found.critical(0.05) == pytest.approx(5.991, abs=5e-4)


def test_the_papers_degrees_of_freedom(rte):
    assert [mixtures.fit(rte, m).chi_square().df for m in (1, 2, 3)] == [9, 7, 5]
    assert np.isnan(mixtures.chi_square([1, 2], [1, 2], n_fitted=1).p_value)


def test_a_cell_that_is_empty_and_expected_to_be_counts_nothing():
    found = mixtures.chi_square([8, 0, 12], [10, 0, 10], n_fitted=0)
    without = mixtures.chi_square([8, 12], [10, 10], n_fitted=0)
    assert found.statistic == pytest.approx(without.statistic)


def test_bins_are_pooled():
    found = mixtures.chi_square([1, 4, 5], [2, 3, 5], n_fitted=0, bins=[0, 0, 1])
    assert found.statistic == 0
    assert found.df == 1
    assert mixtures.pool_cells([6, 7, 8]).tolist() == [0, 1, 2]
    assert mixtures.pool_cells([6, 1, 1]).tolist() == [0, 0, 0]
    assert mixtures.pool_cells([1, 1]).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([1, 2], [1, 2, 3], {}), "observed and"),
        (([1, 2], [-1, 4], {}), "at least 0"),
        (([-1, 2], [1, 4], {}), "at least 0"),
        (([1, 2], [np.nan, 4], {}), "at least 0"),
        (([np.nan, 2], [1, 4], {}), "at least 0"),
        (([1, 2], [1, 2], {"bins": [0]}), "bin numbers"),
    ],
)
def test_cells_that_do_not_fit_are_refused(given, message):
    observed, expected, more = given
    with pytest.raises(ValueError, match=message):
        mixtures.chi_square(observed, expected, n_fitted=0, **more)


def test_the_same_seed_gives_the_same_tests(rte):
    first, second = (
        mixtures.likelihood_ratio_test(rte, 2, replicates=30, rng=np.random.default_rng(5))
        for _ in "ab"
    )
    assert first.p_value == second.p_value
    assert (first.draws == second.draws).all()
    assert first.statistic == pytest.approx(
        2 * (mixtures.fit(rte, 3).log_likelihood - mixtures.fit(rte, 2).log_likelihood), abs=1e-6
    )
    assert 0 < first.p_value <= 1


def test_refits_are_the_fit_itself(rte):
    """A batch of equal histograms gives what one fit from many starts gives."""
    for method, n_components in product(("ml", "least_squares"), (2, 3)):
        fitted = mixtures.fit(rte, n_components, method=method)
        again = mixtures.refit(np.tile(RTE, (3, 1)), fitted)
        np.testing.assert_allclose(again.rate, np.tile(fitted.mixture.rate, (3, 1)), atol=1e-3)
        np.testing.assert_allclose(again.chi_square, fitted.chi_square().statistic, rtol=1e-3)
        np.testing.assert_allclose(again.pmf(10)[0], fitted.mixture.pmf(10), atol=1e-4)


def test_histograms_of_other_sizes_are_refused(rte):
    fitted = mixtures.fit(rte, 2)
    with pytest.raises(ValueError, match=r"for 11 cells"):
        mixtures.refit(np.ones((2, 5)), fitted)
    with pytest.raises(ValueError, match="does not sum to the 800 items"):
        mixtures.refit(np.ones((2, 11)), fitted)
    with pytest.raises(ValueError, match="Fit it by 'ml'"):
        mixtures.likelihood_ratios([RTE], mixtures.fit(rte, 2, method="least_squares"))
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        central_limits(np.zeros(5), 2)
    with pytest.raises(ValueError, match="replicates must be at least 1"):
        mixtures.likelihood_ratio_test(rte, 2, replicates=0, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="6 components"):
        mixtures.likelihood_ratio_test(rte, 5, replicates=1, rng=np.random.default_rng(0))


def test_components_are_added_while_they_are_significant(rte):
    choice = mixtures.select_n_components(
        rte, max_components=3, replicates=39, rng=np.random.default_rng(2)
    )
    assert choice.n_components == 2
    assert choice.best is choice.fits[1]
    table = choice.summary()
    assert table["selected"].tolist() == [False, True, False]
    assert np.isnan(table["bootstrap_p"][2])
    clear = Counts.from_histogram(MODEL_M.pmf(10) * 1e5 // 1)
    choice = mixtures.select_n_components(clear, max_components=3, replicates=19, rng=2)
    assert choice.n_components == 3


# -------------------------------------------------------------------------------- hard items


def test_the_profile_peaks_at_the_share_that_made_the_data():
    counts = Counts.from_histogram((MODEL_M.pmf(10) * 8000).round())
    found = mixtures.hard_share_profile(counts)
    assert found.estimate == pytest.approx(159 / 800, abs=0.005)
    assert found.lower < 159 / 800 < found.upper
    assert found.log_likelihood.max() == 0
    assert 0.4 <= found.mixture.rate[1] <= 0.6
    # Against a free fit of three components, one of which lies in the band
    free = mixtures.fit(counts, 3)
    assert found.estimate == pytest.approx(free.mixture.share[1], abs=0.005)
    error = free.standard_error.share[1]
    assert found.upper - found.lower == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_the_profile_says_when_nothing_is_known(rte):
    found = mixtures.hard_share_profile(rte)
    assert found.lower == 0
    assert found.upper > 0.3


@pytest.mark.parametrize("grid", [[0.2, 0.1], [-0.1, 0.5], [0.5, 1.0], [[0.1]]])
def test_grids_that_are_no_shares_are_refused(rte, grid):
    with pytest.raises(ValueError, match="ascending shares"):
        mixtures.hard_share_profile(rte, grid=grid)


def test_three_components_need_five_labels():
    counts = Counts.from_histogram([10, 5, 5, 5, 10])
    with pytest.raises(ValueError, match="3 components, but 4 labels"):
        mixtures.hard_share_profile(counts)
    with pytest.raises(ValueError, match="two ascending rates"):
        mixtures.smallest_hard_count(Counts.from_histogram(np.ones(11)), within=(0.7, 0.3))


def test_one_item_fewer_than_the_smallest_hard_count_does_not_fit():
    counts = Counts.from_histogram((MODEL_M.pmf(10) * 800).round())
    found = mixtures.smallest_hard_count(counts)
    assert found.chi_square.p_value > 0.05
    assert found.mixture.share[1] * counts.n_items == pytest.approx(found.n_hard)
    fewer = _at_hard_shares(
        counts, np.array([(found.n_hard - 1) / counts.n_items]), mixtures.HARD, "chi_square"
    )[0]
    assert scipy.stats.chi2.sf(fewer[0], 5) <= 0.05


def test_no_hard_items_are_needed_where_two_components_fit(rte):
    assert mixtures.smallest_hard_count(rte).n_hard == 0
    odd = Counts.from_histogram([100, 0] * 5 + [100])
    assert mixtures.smallest_hard_count(odd) is None


# ------------------------------------------------------------------------------ other models


def test_normal_cells_are_scipys():
    share, mean, sd = [0.3, 0.7], [2.0, 8.0], [1.0, 2.0]
    x, norm = np.arange(11), scipy.stats.norm
    density = sum(w * norm.pdf(x, m, s) for w, m, s in zip(share, mean, sd, strict=True))
    np.testing.assert_allclose(mixtures.gaussian_cells(share, mean, sd, 10), density)
    inside = sum(
        w * (norm.cdf(x + 0.5, m, s) - norm.cdf(x - 0.5, m, s))
        for w, m, s in zip(share, mean, sd, strict=True)
    )
    found = mixtures.gaussian_cells(share, mean, sd, 10, cells="interval")
    np.testing.assert_allclose(found, inside)
    whole = mixtures.gaussian_cells(share, mean, sd, 10, cells="normalised")
    assert whole.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="standard deviations"):
        mixtures.gaussian_cells([1], [2], [0], 10)
    with pytest.raises(ValueError, match="cells 'x' is not"):
        mixtures.gaussian_cells([1], [2], [1], 10, cells="x")


@pytest.mark.parametrize(
    "cells",
    ["density", *(pytest.param(c, marks=pytest.mark.slow) for c in ("interval", "normalised"))],
)
def test_normal_distributions_are_recovered(cells):
    made = mixtures.gaussian_cells([0.4, 0.6], [2.5, 8.0], [1.2, 0.9], 10, cells=cells)
    counts = Counts.from_histogram((made * 1e6).round())
    found = mixtures.fit_gaussians(counts, cells=cells)
    np.testing.assert_allclose(found.mean, [2.5, 8.0], atol=0.02)
    np.testing.assert_allclose(found.sd, [1.2, 0.9], atol=0.02)
    assert found.chi_square().df == 5


def test_lazy_annotators_make_a_mixture_of_mean_coins():
    """The paper's double sum, evaluated over who is lazy and who said what."""
    n, lazy, coin = 5, 0.3, 0.8
    diligent = BinomialMixture([0.5, 0.5], [0.1, 0.6])
    pmf = np.zeros(n + 1)
    for share, rate in zip(diligent.share, diligent.rate, strict=True):
        for is_lazy in product([False, True], repeat=n):
            for labels in product([0, 1], repeat=n):
                chance = share
                for idle, x in zip(is_lazy, labels, strict=True):
                    p = coin if idle else rate
                    chance *= (lazy if idle else 1 - lazy) * (p if x else 1 - p)
                pmf[sum(labels)] += chance
    np.testing.assert_allclose(mixtures.with_lazy(diligent, lazy, coin).pmf(n), pmf)
    with pytest.raises(ValueError, match=r"lazy_share must be in \[0, 1\]"):
        mixtures.with_lazy(diligent, 1.3, 0.5)


@pytest.mark.parametrize("method", mixtures.METHODS)
def test_lazy_annotators_are_recovered(method):
    made = mixtures.with_lazy(MODEL_M, 0.25, 0.7).pmf(10)
    found = mixtures.fit_lazy(Counts.from_histogram((made * 1e6).round()), MODEL_M, method=method)
    assert found.lazy_share == pytest.approx(0.25, abs=0.005)
    assert found.lazy_rate == pytest.approx(0.7, abs=0.01)
    assert found.chi_square().df == 8
    assert all(0 < error < 0.01 for error in found.standard_error)


def test_new_annotators_for_every_label_leave_two_binomials():
    """Figure 4 with fresh annotators: whatever their rates, a label is a flip of the mean coin."""
    rates = {0.1: 0.3, 0.5: 0.7}  # half the annotators one coin, half the other
    n = 4
    pmf = np.zeros(n + 1)
    for coins in product(rates, repeat=n):
        for labels in product([0, 1], repeat=n):
            chance = 1.0
            for coin, x in zip(coins, labels, strict=True):
                chance *= rates[coin] * (coin if x else 1 - coin)
            pmf[sum(labels)] += chance
    mean = 0.3 * 0.1 + 0.7 * 0.5
    np.testing.assert_allclose(pmf, scipy.stats.binom.pmf(np.arange(n + 1), n, mean))


def test_annotators_of_their_own_give_a_sum_of_unequal_flips():
    a = annotations([(i, j, 0) for i in range(2) for j in range(3)])
    right_1, right_0 = np.array([0.9, 0.8, 0.6]), np.array([0.7, 0.5, 1.0])
    pmf = np.zeros(4)
    for labels in product([0, 1], repeat=3):
        one = np.prod(np.where(labels, right_1, 1 - right_1))
        zero = np.prod(np.where(labels, 1 - right_0, right_0))
        pmf[sum(labels)] += 0.3 * one + 0.7 * zero
    found = mixtures.annotator_histogram(a, 0.3, right_1, right_0)
    np.testing.assert_allclose(found, 2 * pmf)


@pytest.mark.parametrize(
    ("prevalence", "rates", "message"),
    [
        (1.2, [0.5] * 3, "must be in"),
        (0.5, [0.5, 1.2, 0.5], "must be in"),
        (0.5, [0.5], "one of each"),
    ],
)
def test_impossible_annotators_are_refused(prevalence, rates, message):
    a = annotations([(i, j, 0) for i in range(2) for j in range(3)])
    with pytest.raises(ValueError, match=message):
        mixtures.annotator_histogram(a, prevalence, rates, rates)


def test_annotators_histogram_needs_equal_numbers_of_labels():
    a = annotations([(0, 0, 0), (0, 1, 1), (1, 0, 0)])
    with pytest.raises(AnnotationError, match="differs between items"):
        mixtures.annotator_histogram(a, 0.5, [0.9, 0.9], [0.9, 0.9])
