"""The easy/hard model against enumeration in whole numbers, and what its bounds promise."""

import time
from fractions import Fraction
from itertools import product, takewhile
from math import comb

import numpy as np
import pytest
import scipy.stats

from annobench.core.errors import DegenerateWarning
from annobench.noise import easy_hard
from annobench.noise.easy_hard import (
    agreement_chance,
    bound_coverage,
    chance_difference,
    disagreed_shares,
    expected_kappa,
    fit_guesses,
    guess_rate_from_disagreement,
    hard_given_agreed,
    largest_disagreement,
    noise_bound,
)

#: n, d, p of small projects, with ends.
SMALL = [
    (1, 0, "1/2"),
    (1, 1, "1/2"),
    (6, 0, "1/3"),
    (12, 5, "1/16"),
    (25, 3, "9/10"),
    (40, 39, "1/2"),
    (60, 20, "41/50"),
]


def enumerated(n, d, p, prior=None):
    """Apply Equation 1 in whole numbers: probability of h = d..n hard items."""
    prior = prior or [1] * (n + 1)
    weights = [comb(h, d) * p ** (h - d) * (1 - p) ** d * prior[h] for h in range(d, n + 1)]
    return [weight / sum(weights) for weight in weights]


# ------------------------------------------------------------------------- chance agreement


def test_chance_agreement_is_counted_over_every_outcome():
    q, n = Fraction(2, 7), 5
    for kept in (3, 4, 5):
        total = sum(
            q ** sum(labels) * (1 - q) ** (n - sum(labels))
            for labels in product((0, 1), repeat=n)
            if max(sum(labels), n - sum(labels)) >= kept
        )
        assert agreement_chance(float(q), n, kept=kept) == pytest.approx(float(total), rel=1e-13)
    assert agreement_chance(float(q), n, kept=3) == pytest.approx(1, rel=1e-13)


def test_annotators_may_guess_each_in_their_own_way_over_many_categories():
    rows = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.4, 0.4, 0.2]])
    both = sum(
        np.prod([rows[j, k] for j, k in enumerate(labels)])
        for labels in product(range(3), repeat=3)
        if max(labels.count(k) for k in range(3)) >= 2
    )
    assert agreement_chance(rows, kept=2) == pytest.approx(both, rel=1e-13)
    assert agreement_chance([0.2] * 5, 3) == pytest.approx(5 * 0.2**3, rel=1e-13)


# ----------------------------------------------------------------------- Equation 1 and bounds


def test_more_items_than_there_are_cannot_be_hard():
    found = hard_given_agreed(20, 5, 0.4)
    assert found.tail([15, 20, 1_000]).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("n", "d", "p"), SMALL)
def test_equation_1_is_that_of_enumeration(n, d, p):
    wanted = [float(x) for x in enumerated(n, d, Fraction(p))]
    found = hard_given_agreed(n, d, float(Fraction(p)))
    np.testing.assert_allclose(found.pmf, wanted, rtol=1e-12)
    tails = [sum(wanted[j + 1 :]) for j in range(n - d + 1)]
    np.testing.assert_allclose(found.tail(found.support), tails, rtol=1e-11, atol=1e-300)
    assert found.mean == pytest.approx(sum(j * x for j, x in enumerate(wanted)), rel=1e-12)
    for level in (0.5, 0.95, 0.99):
        bound = next(j for j, tail in enumerate(tails) if tail < 1 - level)
        assert found.upper(level) == bound
        assert noise_bound(n, d, float(Fraction(p)), level=level).n_hard == bound


def test_a_prior_weighs_the_numbers_of_hard_items():
    prior = [3, 1, 4, 1, 5, 9, 2, 6]
    wanted = [float(x) for x in enumerated(7, 2, Fraction(1, 4), prior)]
    np.testing.assert_allclose(hard_given_agreed(7, 2, 0.25, prior=prior).pmf, wanted, rtol=1e-12)
    without_none = hard_given_agreed(7, 2, 0.25, prior=[0] + [1] * 7)
    np.testing.assert_allclose(without_none.pmf, hard_given_agreed(7, 2, 0.25).pmf, rtol=1e-14)
    # The prior of the paper leaves out 0: that shows with no disagreement, and only there.
    assert hard_given_agreed(7, 0, 0.25, prior=[0] + [1] * 7).pmf[0] == 0


def test_the_bound_is_that_of_a_binomial_test():
    # P(h > t | d) = P(at most d disagreements among t + 1 guessed items), far from n.
    found = hard_given_agreed(5_000, 40, 0.3)
    t = np.arange(41, 140)
    wanted = scipy.stats.binom.cdf(40, t + 1, 0.7)
    np.testing.assert_allclose(found.tail(t - 40), wanted, rtol=1e-10)


def test_a_hundred_thousand_items_take_less_than_a_second():
    began = time.process_time()
    found = hard_given_agreed(100_000, 10_000, 0.5)
    assert found.upper() == scipy.stats.nbinom.isf(0.05, 10_001, 0.5)
    assert time.process_time() - began < 1
    assert found.pmf.sum() == pytest.approx(1, rel=1e-12)
    assert found.mean == pytest.approx(10_001, rel=1e-9)  # (d + 1) p / (1 - p)
    assert found.standard_deviation == pytest.approx((10_001 * 2) ** 0.5, rel=1e-9)
    assert largest_disagreement(100_000, 0.5) == 4_609


def test_items_kept_by_their_majority_are_hard_for_certain():
    found = hard_given_agreed(1_000, 188, 1 / 16, n_split_kept=63)
    alone = hard_given_agreed(1_000, 188, 1 / 16)
    assert (found.n_agreed, found.n_kept) == (812, 875)
    assert found.tail(62) == 1
    assert found.upper() == alone.upper() + 63
    assert found.mean == pytest.approx(alone.mean + 63)
    assert found.interval() == tuple(end + 63 for end in alone.interval())
    assert found.rate() == found.upper() / 875


def test_an_interval_leaves_at_most_its_tails():
    found = hard_given_agreed(200, 20, 0.5)
    low, high = found.interval(0.9)
    assert 1 - found.tail(low - 1) <= 0.05 < 1 - found.tail(low)
    assert found.tail(high) <= 0.05 < found.tail(high - 1)


def test_no_item_kept_has_no_noise_rate():
    assert np.isnan(noise_bound(3, 3, 0.5).rate)


def test_a_larger_chance_of_agreement_gives_a_larger_bound():
    bounds = [noise_bound(300, 30, p).n_hard for p in np.linspace(0.05, 0.95, 19)]
    assert bounds == sorted(bounds)


@pytest.mark.parametrize("chance", [0.01, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("rate", [0.02, 0.05, 0.3, 0.9])
def test_the_largest_disagreement_is_that_of_a_search(chance, rate):
    for n in (1, 2, 13, 50):
        rates = [noise_bound(n, d, chance).rate for d in range(n)]
        wanted = len(list(takewhile(lambda x: x <= rate, rates))) - 1
        assert largest_disagreement(n, chance, rate=rate) == wanted


def test_coverage_is_counted_over_every_number_of_disagreements():
    n, h, p = 30, 12, Fraction(2, 5)
    wanted = sum(
        comb(h, d) * (1 - p) ** d * p ** (h - d)
        for d in range(h + 1)
        if h - d <= noise_bound(n, d, 0.4).n_hard
    )
    assert bound_coverage(n, h, 0.4) == pytest.approx(float(wanted), rel=1e-12)


def test_the_bound_holds_at_any_number_of_hard_items_far_from_all():
    found = [bound_coverage(300, h, 0.5) for h in range(0, 260, 7)]
    assert min(found) >= 0.95
    assert np.mean([bound_coverage(60, h, 0.5) for h in range(61)]) >= 0.95
    # The negative control: a chance believed too low.
    assert bound_coverage(300, 100, 0.5, assumed=0.4) < 0.6


# --------------------------------------------------------------------------- two classifiers


def convolved(n_hard, differ):
    """Distribution of the difference in correct answers, at -R..R."""
    found = np.ones(1)
    for _ in range(n_hard):
        found = np.convolve(found, [differ / 2, 1 - differ, differ / 2])
    return found


def smallest(pmf, level):
    r = len(pmf) // 2
    tails = [pmf[np.abs(np.arange(-r, r + 1)) > s].sum() for s in range(r + 1)]
    return next(s for s, tail in enumerate(tails) if tail < 1 - level)


@pytest.mark.parametrize("differ", [0.2, 0.5, 0.77, 1])
@pytest.mark.parametrize("n_hard", [0, 1, 2, 9, 60])
def test_the_exact_difference_is_that_of_convolution(n_hard, differ):
    for level in (0.8, 0.95):
        wanted = smallest(convolved(n_hard, differ), level)
        found = chance_difference(n_hard, 100, level=level, differ=differ)
        assert found.n_items == wanted
        assert found.standard_deviation == pytest.approx((n_hard * differ) ** 0.5)


@pytest.mark.parametrize("differ", [0.3, 0.5, 1])
def test_the_difference_is_averaged_over_the_number_of_hard_items(differ):
    hard = hard_given_agreed(60, 6, 0.5)
    pmf = np.zeros(2 * 54 + 1)
    for r, weight in zip(hard.support, hard.pmf, strict=True):
        pmf[54 - r : 54 + r + 1] += weight * convolved(r, differ)
    found = chance_difference(hard, differ=differ)
    assert found.n_items == smallest(pmf, 0.95)
    assert found.rate == found.n_items / 54


def test_the_share_of_differing_answers_has_no_special_values():
    hard = hard_given_agreed(2_000, 300, 0.5)
    for differ in (0.5, 1 - 1e-9):
        near = chance_difference(hard, differ=differ - 1e-9)
        assert chance_difference(hard, differ=differ).tail == pytest.approx(near.tail, rel=1e-5)


def test_chebyshev_is_never_below_the_exact_bound():
    for r in (1, 10, 125, 1_000):
        for differ in (0.5, 1):
            loose, exact = (
                chance_difference(r, 2_000, differ=differ, method=method)
                for method in ("chebyshev", "exact")
            )
            assert loose.n_items >= exact.n_items
            assert loose.tail < 0.05
            # One item less, and the inequality promises less than it should.
            assert loose.n_items**2 * 0.05 <= r * differ * (1 + 1e-9)


def test_chebyshev_at_a_tie_takes_the_item_more():
    # 125 / .05 = 50^2: a tail of exactly 5% is not below 5%.
    assert chance_difference(125, 900, differ=1, method="chebyshev").n_items == 50


# -------------------------------------------------------- the chance of agreement from labels


def test_footnote_3_is_never_above_the_truth_with_two_annotators():
    grid = np.linspace(0.03, 0.97, 33)
    for q1, q2 in product(grid, grid):
        guess = [[q1, 1 - q1], [q2, 1 - q2]]
        found = guess_rate_from_disagreement(disagreed_shares(guess))
        true = agreement_chance(guess)
        assert found.chance <= found.min_chance + 1e-12
        assert found.min_chance <= true + 1e-12
        assert found.chance <= 0.5 + 1e-12
        assert not found.identified
        if abs(q1 - 0.5) + abs(q2 - 0.5) > 0.01:
            assert found.chance < true


def test_the_min_chance_is_reached_by_opposed_guesses():
    for q in (0.5, 0.6, 0.9):
        guess = [[q, 1 - q], [1 - q, q]]
        found = guess_rate_from_disagreement(disagreed_shares(guess))
        assert found.min_chance == pytest.approx(agreement_chance(guess), rel=1e-12)


def test_two_annotators_who_guess_alike_always_look_like_fair_coins():
    for q in (0.5, 0.7, 0.99):
        assert guess_rate_from_disagreement(disagreed_shares(q)).chance == pytest.approx(0.5)
    three = guess_rate_from_disagreement([[0.5, 0.3, 0.2]] * 3)
    assert three.chance == pytest.approx(0.5**3 + 0.3**3 + 0.2**3)
    assert np.isnan(three.min_chance)
    assert three.identified


@pytest.mark.parametrize(
    "guess",
    [
        [[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]],
        [[0.5, 0.5]] * 5,
        [[0.5, 0.3, 0.2], [0.2, 0.6, 0.2]],
        [[0.7, 0.1, 0.1, 0.1], [0.25] * 4],
    ],
)
def test_guesses_are_recovered_from_the_disagreed_items(guess):
    fit = fit_guesses(disagreed_shares(guess))
    assert fit.converged
    # The iterations end when a step is below 1e-12; the slowest shrinks by a factor .95.
    np.testing.assert_allclose(fit.guess, guess, atol=1e-10)
    assert fit.chance == pytest.approx(agreement_chance(guess), abs=1e-10)


def test_a_shared_guess_is_recovered_in_closed_form():
    # Three annotators, two categories: the share is (1 + q) / 3.
    for q in (0.5, 0.7, 0.85):
        fit = fit_guesses([(1 + q) / 3] * 3, shared=True)
        assert fit.guess[0, 0] == pytest.approx(q, abs=1e-10)


def test_fitted_guesses_maximise_the_likelihood():
    shares = np.array([[0.5, 0.5], [0.7, 0.3], [0.6, 0.4]])

    def log_likelihood(guess):  # an item, of the labels given that they were not all alike
        return (shares * np.log(guess)).sum() - np.log1p(-guess.prod(axis=0).sum())

    best = fit_guesses(shares).guess
    for j, step in product(range(3), (-1e-3, 1e-3)):
        other = best.copy()
        other[j] += [step, -step]
        assert log_likelihood(other) < log_likelihood(best)


def test_shares_as_one_sided_as_can_be_are_reported():
    with pytest.warns(DegenerateWarning, match="not identified below 1"):
        assert not fit_guesses([2 / 3] * 3, max_iterations=200).converged


# ------------------------------------------------------------------------------------- kappa


def test_kappa_is_the_share_of_easy_items_where_categories_are_alike():
    for share, q in product((0, 0.3, 0.8, 1), ([0.5, 0.5], [0.9, 0.1], [0.2, 0.3, 0.5])):
        found = expected_kappa(share, q, q, 3)
        assert found.kappa == pytest.approx(share, abs=1e-12)
        alike = (1 - share) * sum(x**3 for x in q)
        assert found.noise == pytest.approx(alike / (share + alike), abs=1e-12)


def test_kappa_may_be_far_from_the_share_of_easy_items():
    # Easy items all of one category: .9 observed, .9^2 + .1^2 = .82 expected, by hand.
    found = expected_kappa(0.8, 1.0, 0.5)
    assert found.kappa == pytest.approx((0.9 - 0.82) / 0.18)
    assert np.isnan(expected_kappa(1, 1.0, 0.5).kappa)


# --------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hard_given_agreed(10, 11, 0.5), "n_disagreed=11 exceeds n_items=10"),
        (lambda: hard_given_agreed(10, -1, 0.5), "n_disagreed=-1: give a whole number"),
        (lambda: hard_given_agreed(0, 0, 0.5), "n_items=0: give a whole number of at least 1"),
        (lambda: hard_given_agreed(10.5, 1, 0.5), "n_items=10.5: give a whole number"),
        (lambda: hard_given_agreed(10, float("nan"), 0.5), "n_disagreed=nan: give a whole"),
        (lambda: hard_given_agreed(10, 1, 0), "chance=0 is not between 0 and 1"),
        (lambda: hard_given_agreed(10, 1, 1.0), "chance=1.0 is not between 0 and 1"),
        (lambda: hard_given_agreed(10, 1, float("nan")), "chance=nan is not between"),
        (lambda: hard_given_agreed(10, 1, 0.5, n_split_kept=2), "n_split_kept=2 exceeds"),
        (lambda: hard_given_agreed(3, 1, 0.5, prior=[1, 1]), "Give 4 weights"),
        (lambda: hard_given_agreed(3, 1, 0.5, prior=[1, -1, 1, 1]), "none negative"),
        (lambda: hard_given_agreed(3, 2, 0.5, prior=[1, 1, 0, 0]), "no weight on 2..3"),
        (lambda: noise_bound(10, 1, 0.5, level=1), "level=1 is not between 0 and 1"),
        (lambda: largest_disagreement(10, 0.5, rate=0), "rate=0 is not between 0 and 1"),
        (lambda: bound_coverage(10, 11, 0.5), "n_hard=11 exceeds n_items=10"),
        (lambda: bound_coverage(10, 3, 0.5, assumed=2), "assumed=2 is not between"),
        (lambda: agreement_chance(1.2), "guess=1.2 is not between 0 and 1"),
        (lambda: agreement_chance([0.5, 0.6]), "sum to 1"),
        (lambda: agreement_chance(0.5, 1), "n_annotators=1: give a whole number of at least 2"),
        (lambda: agreement_chance(0.5, 4, kept=2), "not a majority of 4 annotators"),
        (lambda: agreement_chance([[0.5, 0.5]]), "at least two annotators"),
        (lambda: chance_difference(5), "n_kept is missing"),
        (lambda: chance_difference(5, 4), "hard=5 exceeds n_kept=4"),
        (lambda: chance_difference(5, 9, differ=0), "differ=0 is not between"),
        (lambda: chance_difference(5, 9, method="other"), "not one of 'exact'"),
        (lambda: guess_rate_from_disagreement([0.5]), "at least two annotators"),
        (lambda: guess_rate_from_disagreement([0.9, 0.9]), "sum to 1.8 over 2 annotators"),
        (lambda: guess_rate_from_disagreement([1.2, -0.2]), "not a distribution"),
        (lambda: fit_guesses([0.5, 0.5]), "do not determine their guesses"),
        (lambda: fit_guesses([[0.5, 0.3, 0.2]] * 2, shared=True), "a common guess distribution"),
        (lambda: disagreed_shares([[1, 0], [1, 0]]), "never disagree"),
        (lambda: expected_kappa(1.5, 0.5, 0.5), "easy_share=1.5 is not in"),
        (lambda: expected_kappa(0.5, [0.5, 0.5], [0.2, 0.3, 0.5]), "guess has 3 categories"),
    ],
)
def test_bad_input_is_refused_with_a_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_distribution_can_not_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        easy_hard.hard_given_agreed(5, 1, 0.5).pmf[0] = 1


def test_a_bound_is_exceeded_with_less_than_the_probability_left():
    found = hard_given_agreed(40, 5, 0.5)
    t = int(np.count_nonzero(found.tail(np.arange(36)) >= 0.5)) - 1
    left = found.tail(t)
    # From one half on, 1 - (1 - x) is x to the last bit.
    assert 0.5 <= left < 1
    assert found.upper(1 - left) == t + 1
