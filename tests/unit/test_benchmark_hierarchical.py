"""The hierarchical comparison: against a sampler, its symmetries, and how often it is right."""

import numpy as np
import pytest

from annobench.benchmark.hierarchical import DEGREES, compare_hierarchically
from annobench.core.errors import AnnotationError

X = np.array([0.02, 0.035, -0.01, 0.06, 0.015, 0.3, 0.01])
S = np.array([0.004, 0.02, 0.01, 0.03, 0.005, 0.02, 0.015])


def gibbs(x, s, rope, draws, rng):
    """Sample mu, tau, the differences and their precisions in turn; uniform priors."""
    n, mu, tau, found = x.size, x.mean(), x.std(), np.empty((draws, 5))
    for row in range(draws + 500):
        shrunk = (x - mu) ** 2
        weight = rng.gamma((DEGREES + 1) / 2, 1, n) / ((DEGREES + shrunk / tau**2) / 2)
        for _ in range(3):
            precision = weight / tau**2 + s**-2.0
            delta = rng.normal((weight * mu / tau**2 + x / s**2) / precision, precision**-0.5)
            weight = rng.gamma((DEGREES + 1) / 2, 1, n) / (
                (DEGREES + (delta - mu) ** 2 / tau**2) / 2
            )
            mu = rng.normal(weight @ delta / weight.sum(), tau / weight.sum() ** 0.5)
            # A uniform prior of tau: tau^2 is inverse gamma of shape (n - 1) / 2.
            tau = (weight @ (delta - mu) ** 2 / 2 / rng.gamma((n - 1) / 2)) ** 0.5
        new = mu + tau * rng.standard_t(DEGREES)
        if row >= 500:
            found[row - 500] = new > rope, new < -rope, mu, tau, mu > 0
    return found


def test_the_posterior_is_that_of_a_gibbs_sampler():
    draws = gibbs(X, S, 0.005, 6000, np.random.default_rng(1))
    found = compare_hierarchically(X, S, rope=0.005)
    # Errors of means of correlated draws, from thirty batches of them.
    batches = draws.reshape(30, 200, 5).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / 30**0.5
    mean = draws.mean(axis=0)
    for n, value in enumerate((found.new_better, found.new_worse, found.typical)):
        assert value == pytest.approx(mean[n], abs=4 * error[n])
    assert found.spread == pytest.approx(np.median(draws[:, 3]), rel=0.06)
    ends = np.quantile(draws[:, 2], [0.025, 0.975])
    width = ends[1] - ends[0]
    assert (found.typical_lower, found.typical_upper) == pytest.approx(ends, abs=0.05 * width)


def test_the_other_way_round_is_the_mirror_image():
    there, back = (compare_hierarchically(side * X, S, rope=0.005) for side in (1, -1))
    assert there.new_better == pytest.approx(back.new_worse)
    assert there.new_equivalent == pytest.approx(back.new_equivalent)
    assert there.typical == pytest.approx(-back.typical)
    assert there.typical_lower == pytest.approx(-back.typical_upper)
    assert there.new_better + there.new_equivalent + there.new_worse == pytest.approx(1)


def test_the_unit_of_the_score_does_not_matter():
    one, other = (compare_hierarchically(c * X, c * S, rope=c * 0.005) for c in (1, 1000))
    assert one.new_better == pytest.approx(other.new_better)
    assert 1000 * one.typical == pytest.approx(other.typical)
    assert 1000 * one.spread == pytest.approx(other.spread)


def test_what_is_known_better_counts_for_more():
    x = np.array([0.03, 0.03, 0.03, -0.03, -0.03, -0.03])
    first = np.where(x > 0, 0.002, 0.2)
    found = compare_hierarchically(x, first, rope=0.005)
    even = compare_hierarchically(x, np.full(6, 0.01), rope=0.005)
    assert found.new_better > 0.75
    assert even.new_better == pytest.approx(even.new_worse)
    assert even.typical == pytest.approx(0, abs=1e-9)


def test_small_differences_of_large_errors_are_not_told_apart():
    x = np.full(8, 0.01)
    known, unknown = (compare_hierarchically(x, np.full(8, s), rope=0.005) for s in (0.001, 0.1))
    assert known.new_better > 0.97
    assert unknown.new_better < 0.6


def test_one_data_set_far_off_changes_little_whether_it_is_far_or_very_far():
    near = np.r_[np.linspace(0.02, 0.04, 12), -0.4]
    far = np.r_[np.linspace(0.02, 0.04, 12), -4.0]
    errors = np.full(13, 0.005)
    found = [compare_hierarchically(x, errors, rope=0.005).new_better for x in (near, far)]
    assert min(found) > 0.85
    assert found[0] == pytest.approx(found[1], abs=0.03)


def test_methods_that_never_differ_are_equivalent():
    found = compare_hierarchically(np.zeros(6), np.full(6, 1 / 500), rope=0.01)
    assert found.new_equivalent > 0.95


def test_of_cases_of_equal_probability_that_share_comes_true():
    rng = np.random.default_rng(8)
    probability, outcome = [], []
    for _ in range(350):
        mu, tau = rng.normal(0, 0.02), abs(rng.normal(0, 0.02))
        s = rng.uniform(0.003, 0.02, 12)
        x = rng.normal(mu + tau * rng.standard_t(DEGREES, 12), s)
        found = compare_hierarchically(x, s, rope=0.005)
        new = mu + tau * rng.standard_t(DEGREES)
        probability += [found.new_better, found.new_worse, found.new_equivalent]
        outcome += [new > 0.005, new < -0.005, abs(new) <= 0.005]
    p, y = np.array(probability), np.array(outcome, dtype=float)
    bins = np.minimum((p * 4).astype(int), 3)
    for each in range(4):
        kept = bins == each
        error = (p[kept] * (1 - p[kept])).sum() ** 0.5 / kept.sum()
        # Uniform priors are not the distribution that worlds were drawn from: up to .03 more.
        assert y[kept].mean() == pytest.approx(p[kept].mean(), abs=3 * error + 0.03)


@pytest.mark.parametrize(
    ("x", "s", "message"),
    [
        ([1, 2], [1, 1], "at least 3 data sets"),
        ([1, 2, 3], [1, 1], "as many errors"),
        ([1, 2, np.nan], [1, 1, 1], "must be finite"),
        ([1, 2, 3], [1, 0, 1], "above 0"),
    ],
)
def test_what_cannot_be_compared_is_refused(x, s, message):
    with pytest.raises(AnnotationError, match=message):
        compare_hierarchically(x, s, rope=0.01)
