"""Mixtures of binomials are recovered where they can be told apart, and not where they can't.

Standard errors are checked by the sum of squared z values, which is chi-square if they are
honest. Where two components' rates meet, or one component is rare, the likelihood is not quadratic
and z values are not normal; what is left to ask there is that the fit says so by wide intervals.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from annobench.noise import mixtures
from annobench.noise.mixtures import BinomialMixture, Counts, MixtureFit
from annobench.resampling.intervals import central_limits

EASY_HARD = BinomialMixture([0.43, 0.2, 0.37], [0.2, 0.55, 0.9])
TWO = BinomialMixture([0.54, 0.46], [0.24, 0.87])
#: Chance that an honest standard error fails a test.
LEVEL = 1e-3


def histograms(mixture, n_items, n_labels, replicates, rng):
    return rng.multinomial(n_items, mixture.pmf(n_labels), size=replicates)


def refitted(mixture, n_items, n_labels, replicates, rng, method="ml"):
    """Fit simulated data sets; return the fits, and the fit of the expected histogram."""
    drawn = histograms(mixture, n_items, n_labels, replicates, rng)
    template = Counts.from_histogram(drawn[0])
    at_truth = MixtureFit(mixture, template, method)
    return mixtures.refit(drawn, at_truth), at_truth


def z_values(found, at_truth):
    """Standardise rates and all shares but the last by the standard errors at the truth."""
    truth, error = at_truth.mixture, at_truth.standard_error
    return np.hstack(
        [
            ((found.share - truth.share) / error.share)[:, :-1],
            (found.rate - truth.rate) / error.rate,
        ]
    )


def is_honest(z):
    """Say whether the variance of each z value is that of a standard normal variable."""
    low, high = scipy.stats.chi2.ppf([LEVEL / 2, 1 - LEVEL / 2], df=len(z) - 1)
    spread = ((z - z.mean(axis=0)) ** 2).sum(axis=0)
    return bool(((low < spread) & (spread < high)).all())


@pytest.mark.parametrize("method", mixtures.METHODS)
@pytest.mark.parametrize("truth", [TWO, EASY_HARD], ids=["two", "three"])
def test_components_are_recovered_with_honest_errors(truth, method):
    rng = np.random.default_rng(2010)
    z = z_values(*refitted(truth, 20_000, 10, 150, rng, method))
    assert is_honest(z)
    assert (np.abs(z.mean(axis=0)) < 5 / np.sqrt(len(z))).all()
    # The negative control: errors stated at half or double their size are found out.
    assert not is_honest(2 * z)
    assert not is_honest(z / 2)


def test_a_true_number_of_components_is_rejected_at_the_stated_rate():
    rng = np.random.default_rng(7)
    drawn = histograms(TWO, 800, 10, 300, rng)
    null = mixtures.fit(Counts.from_histogram(drawn[0]), 2)
    # The null distribution at the truth stands for that at each fit, which would take a bootstrap.
    null_draws = mixtures.likelihood_ratios(histograms(TWO, 800, 10, 600, rng), null)
    rejected = (mixtures.likelihood_ratios(drawn, null) > np.quantile(null_draws, 0.95)).sum()
    assert scipy.stats.binom.cdf(rejected, 300, 0.05) > LEVEL
    assert scipy.stats.binom.sf(rejected - 1, 300, 0.05) > LEVEL
    # A chi-square distribution with two degrees of freedom would hardly ever reject.
    assert (null_draws > scipy.stats.chi2.isf(0.05, 2)).mean() < 0.04


def test_a_third_component_as_in_the_paper_is_found():
    rng = np.random.default_rng(8)
    null = mixtures.fit(Counts.from_histogram(histograms(EASY_HARD, 800, 10, 1, rng)[0]), 2)
    null_draws = mixtures.likelihood_ratios(histograms(null.mixture, 800, 10, 300, rng), null)
    found = mixtures.likelihood_ratios(histograms(EASY_HARD, 800, 10, 50, rng), null)
    assert (found > np.quantile(null_draws, 0.95)).mean() > 0.95


@pytest.mark.slow
@pytest.mark.parametrize("n_labels", [5, 10, 20])
@pytest.mark.parametrize("hard_share", [0.1, 0.2, 0.4])
@pytest.mark.parametrize("easy", [0.05, 0.15, 0.25])
def test_three_components_over_a_grid(easy, hard_share, n_labels):
    """Rates and shares have the spread that their standard errors at the truth say.

    With five labels three components leave no degree of freedom: the histogram fits exactly, and
    only enormous data sets tell the components apart (33 million items at rates of .25, .5 and .75
    with a tenth of hard items). The grid therefore grows its data sets until the smallest share is
    known to a twentieth of itself; at a tenth the estimates are still skewed.
    """
    rng = np.random.default_rng(int(1000 * easy + 100 * hard_share + n_labels))
    rest = (1 - hard_share) / 2
    truth = BinomialMixture([rest, hard_share, rest], [easy, 0.5, 1 - easy])
    n_items = 2_000
    while True:
        found, at_truth = refitted(truth, n_items, n_labels, 200, rng)
        if at_truth.standard_error.share.max() < 0.05 * truth.share.min():
            break
        n_items *= 4
    z = z_values(found, at_truth)
    assert is_honest(z)
    assert not is_honest(1.6 * z)


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.0, 0.02])
def test_components_whose_rates_meet_are_not_identified(gap):
    """Two equal rates: any split of the share fits as well, and the fit says so."""
    truth = BinomialMixture([0.5, 0.5], [0.5 - gap, 0.5 + gap])
    found, _ = refitted(truth, 800, 10, 300, np.random.default_rng(3))
    low, high = central_limits(found.share[:, 0], 0.9)
    assert high - low > 0.5
    counts = Counts.from_histogram(histograms(truth, 800, 10, 1, np.random.default_rng(4))[0])
    assert (
        mixtures.likelihood_ratio_test(
            counts, 1, replicates=99, rng=np.random.default_rng(5)
        ).p_value
        > 0.05
    )


@pytest.mark.slow
@pytest.mark.parametrize("hard", [0.0, 0.05, 0.2])
def test_the_profile_interval_covers_the_share_of_hard_items(hard):
    """At least as often as stated; more often at a share of 0, which lies at its limit."""
    rng = np.random.default_rng(11)
    rest = (1 - hard) / 2
    truth = BinomialMixture([rest, hard, rest], [0.2, 0.5, 0.9])
    covered, grid = 0, np.linspace(0, 0.6, 61)
    for drawn in histograms(truth, 800, 10, 150, rng):
        profile = mixtures.hard_share_profile(Counts.from_histogram(drawn), grid=grid)
        covered += profile.lower <= hard <= profile.upper
    assert scipy.stats.binom.cdf(covered, 150, 0.95) > LEVEL
    if hard:
        assert scipy.stats.binom.sf(covered - 1, 150, 0.95) > LEVEL


@pytest.mark.slow
def test_chi_square_rejects_a_true_model_at_the_stated_rate():
    """With eleven cells filled, the paper's degrees of freedom are right for likelihood fits."""
    for truth, df in ((TWO, 7), (EASY_HARD, 5)):
        found, _ = refitted(truth, 800, 10, 600, np.random.default_rng(12))
        rejected = (found.chi_square > scipy.stats.chi2.isf(0.05, df)).sum()
        assert scipy.stats.binom.cdf(rejected, 600, 0.05) > LEVEL
        assert scipy.stats.binom.sf(rejected - 1, 600, 0.08) > LEVEL


@pytest.mark.slow
def test_lazy_annotators_have_honest_errors():
    made = mixtures.with_lazy(EASY_HARD, 0.2, 0.7)
    rng = np.random.default_rng(13)
    fits = [
        mixtures.fit_lazy(Counts.from_histogram(drawn), EASY_HARD)
        for drawn in histograms(made, 5_000, 10, 120, rng)
    ]
    z = np.array(
        [
            [(f.lazy_share - 0.2) / f.standard_error[0], (f.lazy_rate - 0.7) / f.standard_error[1]]
            for f in fits
        ]
    )
    assert is_honest(z)
    assert not is_honest(2 * z)
