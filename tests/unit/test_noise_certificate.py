"""The noise certificate: bounds against enumeration, promises, and what it refuses."""

import re
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from annobench import noise
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.noise import _guessing, _rates, easy_hard
from annobench.noise._votes import Votes
from annobench.noise.certificate import hidden_guesses, unexplained_difference


def two(agreed, disagreed):
    """Labels of two annotators, half of each kind either way."""
    a, d = agreed // 2, disagreed // 2
    return Annotations.from_contingency([[agreed - a, d], [disagreed - d, a]])


def votes_of(counts):
    return Votes.of(Annotations.from_counts(counts), "test")


# ------------------------------------------------------------------ easy and hard, guesses given


@pytest.mark.parametrize("chance", [Fraction(1, 2), Fraction(1, 4), Fraction(17, 25)])
@pytest.mark.parametrize("disagreed", [0, 1, 4])
def test_the_bound_is_the_largest_number_that_is_not_rejected(chance, disagreed):
    def at_most(h):
        # P(Binomial(h, 1 - chance) <= d), exactly.
        return sum(comb(h, k) * (1 - chance) ** k * chance ** (h - k) for k in range(disagreed + 1))

    h = disagreed
    while at_most(h + 1) > Fraction(1, 20):
        h += 1
    assert hidden_guesses(disagreed, float(chance), 0.05) == h - disagreed


@pytest.mark.parametrize(("n", "p"), [*product([6, 11], [Fraction(1, 2), Fraction(7, 10)])])
def test_it_holds_at_every_number_of_hard_items(n, p):
    chance = p**2 + (1 - p) ** 2
    limit = [min(n - d, hidden_guesses(d, float(chance), 0.1)) for d in range(n + 1)]
    for h in range(n + 1):
        held = sum(
            comb(h, d) * (1 - chance) ** d * chance ** (h - d)
            for d in range(h + 1)
            if h - d <= limit[d]
        )
        assert held >= Fraction(9, 10)


@pytest.mark.parametrize(
    ("n", "d", "p", "expected"),
    [
        (1000, 100, 0.5, 125),  # section 3.1 of Beigman Klebanov and Beigman (2009)
        (1000, 33, 0.5, 48),  # 5% of 967 are 48.35: the most disagreements for 5%
    ],
)
def test_the_bound_is_that_of_the_paper_where_few_items_are_hard(n, d, p, expected):
    found = noise.certificate(two(n - d, d), guess_distribution=p)
    assert found.n_guesses == expected == found.easy_hard.posterior
    assert found.n_guesses == easy_hard.noise_bound(n, d, found.easy_hard.chance).n_hard
    assert found.rate == expected / (n - d)


def test_where_nearly_all_are_hard_the_bound_is_all_and_equation_1_is_less():
    found = noise.certificate(two(56, 44), guess_distribution=0.5)
    assert found.n_guesses == 56
    assert found.easy_hard.posterior < 56
    assert "nothing is certified" in " ".join(found.remarks)


def test_a_range_of_guesses_reports_its_worst_case():
    labels = two(900, 100)
    within = [
        noise.certificate(labels, guess_distribution=p).n_guesses for p in (0.3, 0.4, 0.5, 0.6)
    ]
    assert (
        noise.certificate(labels, guess_distribution=(0.3, 0.6)).n_guesses
        == max(within)
        == within[0]
    )


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.5), (0.2, 0.4), (0.0001, 0.9), (0.3, 0.35)])
def test_the_worst_case_of_several_categories_is_found(low, high):
    found = _guessing.given((low, high), [2, 3], 3, "test")
    grid = np.linspace(low, high, 61)
    all_three = [
        (a, b, 1 - a - b) for a in grid for b in grid if low - 1e-12 <= 1 - a - b <= high + 1e-12
    ]
    chances = [_guessing.chance_of_agreement(g, [2, 3]) for g in all_three]
    assert found.chance >= max(chances) - 1e-12
    assert found.chance == pytest.approx(max(chances), abs=0.02)


def test_three_categories_guessed_alike_agree_by_chance_in_a_third():
    counts = [[2, 0, 0]] * 80 + [[1, 1, 0]] * 20
    found = noise.certificate(Annotations.from_counts(counts), guess_distribution=[1 / 3] * 3)
    assert found.easy_hard.chance == pytest.approx(1 / 3)
    assert found.n_guesses == easy_hard.noise_bound(100, 20, 1 / 3).n_hard


def test_unequal_numbers_of_labels_agree_by_their_mean_chance():
    counts = [[2, 0]] * 50 + [[0, 4]] * 40 + [[2, 2]] * 10
    found = noise.certificate(Annotations.from_counts(counts), guess_distribution=0.5)
    assert found.easy_hard.chance == pytest.approx((50 * 0.5 + 50 * 0.125) / 100)
    assert "unequal numbers" in " ".join(found.remarks)


def test_a_majority_with_a_disagreement_counts_as_a_guess():
    counts = [[5, 0]] * 60 + [[4, 1]] * 25 + [[2, 3]] * 15
    labels = Annotations.from_counts(counts)
    unanimous, majority = (
        noise.certificate(labels, guess_distribution=0.5, min_agreement=keep)
        for keep in ("unanimous", "majority")
    )
    assert (unanimous.n_retained, majority.n_retained) == (60, 100)
    assert majority.n_guesses == unanimous.n_guesses + 40
    rules = majority.rules.set_index("keep")
    assert rules.loc[0.8, "n_guesses"] == unanimous.n_guesses + 25


def test_ties_are_not_retained_and_labels_are_the_majority():
    labels = Annotations.from_counts([[2, 2], [1, 3], [4, 0]], categories=["no", "yes"])
    found = noise.certificate(labels, guess_distribution=0.5, min_agreement="majority")
    assert found.retained.tolist() == [False, True, True]
    assert found.label.tolist() == [-1, 1, 0]


def test_items_with_one_label_are_left_out():
    labels = Annotations.from_counts([[1, 0], [2, 0], [1, 1], [0, 2]])
    found = noise.certificate(labels, guess_distribution=0.5)
    assert (found.n_items, found.n_left_out, found.n_retained) == (3, 1, 2)
    assert not found.retained[0]


# ----------------------------------------------------------------- easy and hard, guesses estimated


@pytest.mark.parametrize("positives", [0, 3, 8, 12])
def test_limits_from_three_labels_are_those_of_clopper_and_pearson(positives):
    # Of three labels that disagree, one or two are positive: one more by a coin of the guess.
    d = 12
    size, ones = np.full(d, 3), np.r_[np.full(positives, 2), np.full(d - positives, 1)]
    low, high = _guessing._exact_limits(ones, size, 0.05)
    exact = stats.binomtest(positives, d).proportion_ci(0.95, "exact")
    assert (low, high) == pytest.approx((exact.low, exact.high), abs=1e-7)


def test_limits_from_more_labels_invert_the_enumerated_distribution():
    size, ones = np.array([4, 4, 3]), np.array([1, 3, 2])
    low, high = _guessing._exact_limits(ones, size, 0.1)

    def tail(p, upper):
        total = part = 0.0
        for xs in product(range(1, 4), range(1, 4), range(1, 3)):
            weight = np.prod(
                [comb(n, x) * p**x * (1 - p) ** (n - x) for n, x in zip(size, xs, strict=True)]
            )
            total += weight
            part += weight * (sum(xs) >= ones.sum() if upper else sum(xs) <= ones.sum())
        return part / total

    assert tail(low, upper=True) == pytest.approx(0.05, rel=1e-6)
    assert tail(high, upper=False) == pytest.approx(0.05, rel=1e-6)


def test_limits_of_very_many_labels_are_those_of_the_normal_distribution(rng):
    size = np.full(20_000, 5)
    ones = rng.choice(np.arange(1, 5), size=size.size, p=np.array([10, 20, 20, 10]) / 60)
    low, high = _guessing._exact_limits(ones, size, 0.05)
    # At 1/2 the labels of an item are 1 to 4 in proportions 1, 2, 2, 1, with variance 11/12, and
    # the mean moves with p by the variance over p (1 - p).
    error = np.sqrt(20_000 * 11 / 12) / (20_000 * 11 / 12 / 0.25)
    assert high - low == pytest.approx(2 * stats.norm.isf(0.025) * error, rel=0.01)


def test_the_likeliest_guesses_solve_their_equation():
    votes = votes_of([[3, 1, 0]] * 7 + [[1, 1, 2]] * 5 + [[0, 3, 0]] * 3 + [[2, 1, 0]] * 4)
    split = ~votes.unanimous
    counts, size = votes.counts[split], votes.size[split]
    g = _guessing._most_likely(counts, size)
    # Given that they disagree, the expected labels are the observed ones.
    expected = sum(n * (g - g**n) / (1 - (g**n).sum()) for n in size)
    assert expected == pytest.approx(counts.sum(axis=0), rel=1e-6)


def test_the_largest_chance_of_several_categories_is_on_the_edge_of_the_likelihood():
    votes = votes_of([[3, 1, 0]] * 20 + [[1, 1, 2]] * 15 + [[2, 2, 0]] * 12 + [[4, 0, 0]] * 50)
    split = ~votes.unanimous
    counts, size = votes.counts[split], votes.size[split]
    likely = _guessing._most_likely(counts, size)
    worst = _guessing._largest_chance(counts, size, likely, votes.size, 0.025)

    def log_likelihood(g):
        return counts.sum(axis=0) @ np.log(g) - size.size * np.log1p(-(g**4).sum())

    gap = 2 * (log_likelihood(likely) - log_likelihood(worst))
    assert gap == pytest.approx(stats.chi2.isf(0.05, 1), abs=0.05)
    grid = np.arange(0.005, 1, 0.01)
    allowed = [
        _guessing.chance_of_agreement(g, votes.size)
        for g in ((a, b, 1 - a - b) for a in grid for b in grid if a + b < 0.995)
        if 2 * (log_likelihood(likely) - log_likelihood(np.array(g))) <= stats.chi2.isf(0.05, 1)
    ]
    assert _guessing.chance_of_agreement(worst, votes.size) >= max(allowed) - 1e-3


def test_the_posterior_of_unknown_guesses_is_equation_1_averaged():
    labels = Annotations.from_counts([[3, 0]] * 12 + [[2, 1]] * 3 + [[1, 2]] * 2)
    votes = Votes.of(labels, "test")
    p = (np.arange(1000) + 0.5) / 1000
    chance = p**3 + (1 - p) ** 3
    joint = np.array(
        [
            [comb(5 + m, 5) * c**m * q**8 * (1 - q) ** 7 / np.sqrt(q * (1 - q)) for m in range(13)]
            for q, c in zip(p, chance, strict=True)
        ]
    )
    pmf = joint.sum(axis=0) / joint.sum()
    for miss in (0.01, 0.05, 0.3):
        smallest = next(t for t in range(13) if pmf[t + 1 :].sum() < miss)
        assert _guessing.posterior_hidden(votes, miss) == smallest


def test_the_certificate_is_wider_than_with_its_own_estimate_given():
    labels = Annotations.from_counts([[5, 0]] * 60 + [[4, 1]] * 15 + [[2, 3]] * 25)
    found = noise.certificate(labels, model="easy_hard")
    assert found.easy_hard.estimated
    # Of the labels of items with a disagreement, 90 of 200 are of the second category.
    assert found.easy_hard.guess_distribution[0] < 90 / 200 < found.easy_hard.guess_distribution[1]
    given = noise.certificate(labels, guess_distribution=0.45)
    assert given.n_guesses <= found.easy_hard.posterior <= found.n_guesses


# ----------------------------------------------------------------------- any number of types


def test_many_unanimous_labels_leave_no_guesses():
    labels = Annotations.from_counts([[20, 0]] * 100 + [[0, 20]] * 100)
    found = noise.certificate(labels, min_agreement="unanimous")
    assert (found.model, found.n_retained, found.n_guesses) == ("rates", 200, 0)
    # A majority might have been retained of an item that is hard, had there been one.
    assert 0 < noise.certificate(labels).n_guesses < 20


def test_the_largest_share_is_that_of_a_linear_program_solved_by_hand():
    # Two labels of an item with rate r agree with probability r^2 + (1 - r)^2. If 58% agree,
    # items just below 0.6, of which 52% agree, may be a share 0.42 / 0.48 beside sure ones, and
    # coins, of which half agree, 0.42 / 0.5: the first leave more guesses among the agreed.
    votes = votes_of([[2, 0]] * 58_000 + [[1, 1]] * 42_000)
    classes = _rates.Groups.of(votes, 0.6)
    # A region that is hardly wider than a point.
    region = _rates.Region.of(classes, 0.99)
    goal = _rates.kept_guesses(votes, classes, 1.0, 0.6)
    assert region.largest(goal) == pytest.approx(0.42 / 0.48 * 0.52, abs=0.005)


def test_labels_that_no_rates_can_make_are_certified_nothing():
    # Ten labels split 7 to 3 on every item: copied, not independent.
    found = noise.certificate(Annotations.from_counts([[7, 3]] * 300))
    assert not found.fits
    assert found.n_guesses == found.n_retained == 300
    assert "reject the model" in str(found)
    assert "not independent" in " ".join(found.remarks)


@pytest.mark.parametrize("keep", ["majority", 0.8, "unanimous"])
def test_names_and_order_do_not_matter(keep, rng):
    counts = rng.multinomial(7, [0.7, 0.2, 0.1], size=80)
    one = noise.certificate(Annotations.from_counts(counts), min_agreement=keep)
    other = noise.certificate(Annotations.from_counts(counts[::-1, [2, 0, 1]]), min_agreement=keep)
    assert (one.n_retained, one.n_guesses) == (other.n_retained, other.n_guesses)
    assert one.expected == pytest.approx(other.expected)


def test_a_share_of_labels_is_reached_whatever_rounding_makes_of_it():
    labels = Annotations.from_counts([[8, 2], [7, 3], [3, 0], [2, 1]])
    assert noise.certificate(labels, min_agreement=0.8, model="rates").retained.tolist() == [
        True,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(("n_labels", "chosen"), [(2, "easy_hard"), (4, "easy_hard"), (5, "rates")])
def test_the_model_is_chosen_by_the_number_of_labels(n_labels, chosen):
    labels = Annotations.from_counts([[n_labels, 0]] * 20 + [[1, n_labels - 1]] * 20)
    guess = 0.5 if chosen == "easy_hard" else None
    assert noise.certificate(labels, guess_distribution=guess).model == chosen


# ------------------------------------------------------------------------ how the error is shared

#: Of the error 0.05, three tenths are for what is unknown, and the rest for the number.
UNKNOWN_ERROR, NUMBER_ERROR = 0.015, 0.035
#: Shares of a certificate that spends a part twice, or exchanges the two.
WRONG_SHARES = [(0.05, 0.05), (0.05, 0.035), (0.015, 0.05), (0.035, 0.015)]


def most(n, p, error):
    """Return the smallest m with P(Binomial(n, p) > m) at most an error."""
    return next(m for m in range(n + 1) if stats.binom.sf(m, n, p) <= error)


def hidden_by_hand(d, ones, unknown_error, number_error):
    """Bound hidden guesses among items of three labels of which d disagree, `ones` with two of 1.

    Given that they disagree, three labels of probability p are two of 1 with probability p, so
    that `ones` is binomial: its exact limits, at half the error each, are where a tail is as much.
    """

    def tail(p, ks):
        return sum(comb(d, k) * p**k * (1 - p) ** (d - k) for k in ks)

    def root(ks, rises):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            short = (tail(middle, ks) < unknown_error / 2) == rises
            low, high = (middle, high) if short else (low, middle)
        return low

    ends = root(range(ones, d + 1), rises=True), root(range(ones + 1), rises=False)
    chance = max(p**3 + (1 - p) ** 3 for p in ends)

    def at_most_d(h):
        return sum(comb(h, k) * (1 - chance) ** k * chance ** (h - k) for k in range(d + 1))

    h = d
    while at_most_d(h + 1) > number_error:
        h += 1
    return h - d


def test_the_error_is_shared_between_guesses_and_their_number():
    d, ones = 40, 26
    counts = [[3, 0]] * 300 + [[1, 2]] * ones + [[2, 1]] * (d - ones)
    found = noise.certificate(Annotations.from_counts(counts))
    assert found.easy_hard.estimated
    assert found.n_guesses == hidden_by_hand(d, ones, UNKNOWN_ERROR, NUMBER_ERROR)
    # Half of both for the bound beside which coins are thrown.
    assert found.n_guesses_half == hidden_by_hand(d, ones, UNKNOWN_ERROR / 2, NUMBER_ERROR / 2)
    for shares in WRONG_SHARES:
        assert hidden_by_hand(d, ones, *shares) != found.n_guesses


def test_given_guesses_leave_the_whole_error_to_their_number():
    d = 40
    counts = [[3, 0]] * 300 + [[1, 2]] * 26 + [[2, 1]] * (d - 26)
    found = noise.certificate(Annotations.from_counts(counts), guess_distribution=0.7)
    chance = 0.7**3 + 0.3**3
    for error, number in ((0.05, found.n_guesses), (0.025, found.n_guesses_half)):
        h = d + number
        for hard, rejected in ((h, False), (h + 1, True)):
            below = sum(
                comb(hard, k) * (1 - chance) ** k * chance ** (hard - k) for k in range(d + 1)
            )
            assert (below <= error) == rejected


def share_by_hand(n, agreed, unknown_error):
    """Bound the share of kept guesses among items of two labels.

    Pairs of a type that is sure always agree, and those of a rate r with probability
    r^2 + (1 - r)^2, which is 0.52 next to 0.6. At least `low` of the pairs agree, so that such a
    type is at most a share (1 - low) / (1 - 0.52), of which 0.52 are kept.
    """
    low = stats.binomtest(agreed, n).proportion_ci(1 - unknown_error, "exact").low
    return (1 - low) / 0.48 * 0.52


def test_the_error_is_shared_between_rates_and_the_number_of_guesses():
    n, agreed = 6_000, 5_600
    labels = Annotations.from_counts([[2, 0]] * agreed + [[1, 1]] * (n - agreed))
    found = noise.certificate(labels, model="rates", min_agreement="unanimous")
    by_hand = {
        shares: most(n, share_by_hand(n, agreed, shares[0]), shares[1])
        for shares in [(UNKNOWN_ERROR, NUMBER_ERROR), *WRONG_SHARES]
    }
    assert found.n_guesses == by_hand[UNKNOWN_ERROR, NUMBER_ERROR]
    for shares in WRONG_SHARES:
        assert by_hand[shares] != found.n_guesses
    halves = most(n, share_by_hand(n, agreed, UNKNOWN_ERROR / 2), NUMBER_ERROR / 2)
    assert found.n_guesses_half == halves


# -------------------------------------------------------------------------------- the condition


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({"guess_distribution": 0.5}, "as given"),
        ({}, "which is estimated from the disagreements"),
        ({"model": "rates"}, "independently of each other.* fewer than 60% of all annotators"),
        ({"model": "rates", "easy_rate": 0.7}, "fewer than 70% of all annotators"),
    ],
)
def test_the_claim_names_its_condition_wherever_it_is_printed(options, condition):
    labels = Annotations.from_counts([[3, 0]] * 80 + [[1, 2]] * 3 + [[2, 1]] * 3)
    found = noise.certificate(labels, **options)
    for text in (str(found), repr(found)):
        assert text.count("With confidence 0.95, at most") == 1
        assert re.search(f"This holds if .*{condition}", text)
    assert found.condition in str(found)
    if found.model == "easy_hard":
        assert "all annotators give an easy item the same label" in found.condition
        assert "each guesses a hard one independently" in found.condition


def test_unequal_numbers_of_labels_are_part_of_the_condition():
    unequal = [[3, 0]] * 50 + [[0, 4]] * 40 + [[1, 2]] * 10
    found = noise.certificate(Annotations.from_counts(unequal), guess_distribution=0.5)
    assert "as many labels as easy ones" in found.condition
    equal = noise.certificate(
        Annotations.from_counts([[3, 0]] * 50 + [[1, 2]] * 10), guess_distribution=0.5
    )
    assert "as many labels" not in equal.condition


def test_where_nothing_is_certified_no_condition_is_named():
    found = noise.certificate(Annotations.from_counts([[7, 3]] * 300))
    assert "This holds" not in str(found)


# --------------------------------------------------------------------------------- differences


@pytest.mark.parametrize(("systems", "step"), [("opposed", 2), ("independent", 1)])
def test_the_smallest_difference_is_the_first_that_guesses_hardly_reach(systems, step):
    r, error = 20, 0.025
    flips = stats.binom(r, 0.5) if systems == "opposed" else stats.binom(2 * r, 0.5)

    def reaches(d):
        # 2 B(r, 1/2) - r, or the sum of r steps of -1, 0, 0, 1: B(2 r, 1/2) - r.
        values = step * np.arange(flips.args[0] + 1) - r
        return flips.pmf(np.arange(values.size))[np.abs(values) >= d].sum()

    smallest = next(d for d in range(1, r + 2) if reaches(d) < error)
    assert unexplained_difference(r, r, 0.95, systems) == smallest


def test_of_any_systems_the_difference_exceeds_all_guesses():
    found = noise.certificate(two(900, 100), guess_distribution=0.5)
    assert found.smallest_difference() == found.n_guesses + 1
    assert found.smallest_difference("independent") < found.smallest_difference("opposed")
    with pytest.raises(AnnotationError, match="'rivals' is not one of"):
        found.smallest_difference("rivals")


# -------------------------------------------------------------------------------- against gold


def test_wrong_labels_are_counted_where_there_is_gold():
    labels = Annotations.from_counts([[2, 0]] * 6 + [[0, 2]] * 2 + [[1, 1]] * 2)
    found = noise.certificate(labels, guess_distribution=0.5)
    truth = found.against(np.array([0, 0, 0, 0, 1, -1, 1, 1, 0, 0]))
    assert (truth.n_checked, truth.n_wrong, truth.rate) == (7, 1, 1 / 7)
    assert not truth.exceeds
    interval = truth.interval()
    # Clopper and Pearson's lower limit of 1 in 7 is that of 1 - (1 - p)^7 = 0.025.
    assert interval.lower == pytest.approx(1 - 0.975 ** (1 / 7))
    assert interval.upper > truth.rate
    with pytest.raises(AnnotationError, match="gold must be 10 codes"):
        found.against([0, 1])
    with pytest.raises(AnnotationError, match="level must be between 0 and 1"):
        truth.interval(2)


# -------------------------------------------------------------------------------- bad input

PAIR = Annotations.from_contingency([[4, 1], [1, 4]])
REFUSED = {
    "p of 0": (PAIR, {"guess_distribution": 0.0}, "not between 0 and 1"),
    "p above 1": (PAIR, {"guess_distribution": 1.2}, "not between 0 and 1"),
    "no p": (PAIR, {"guess_distribution": ()}, "not between 0 and 1"),
    "p in words": (PAIR, {"guess_distribution": "half"}, "not between 0 and 1"),
    "a range that runs down": (PAIR, {"guess_distribution": (0.7, 0.3)}, "is descending"),
    "too many probabilities": (PAIR, {"guess_distribution": [0.2, 0.3, 0.5]}, "3 number"),
    "two labels, no guess": (PAIR, {}, "can't be estimated, as two labels"),
    "no disagreement": (
        Annotations.from_counts([[3, 0], [0, 3]]),
        {},
        "no item of three labels shows",
    ),
    "one annotator": (
        Annotations.from_arrays(["x", "y"], ["a", "a"], [0, 1]),
        {},
        "one annotator never",
    ),
    "one category": (Annotations.from_counts([[2], [2]]), {}, "all labels are the same category"),
    "a label twice": (
        Annotations.from_arrays(["x", "x"], ["a", "a"], [0, 1]),
        {},
        "more than once",
    ),
    "sets": (
        Annotations.from_sets(["x", "x"], ["a", "b"], [{"p"}, set()]),
        {},
        "set labels have",
    ),
    "numbers": (
        Annotations.from_arrays(["x", "x"], ["a", "b"], [1, 5], scale="interval"),
        {},
        "noise.dichotomise",
    ),
    "level": (PAIR, {"guess_distribution": 0.5, "level": 1.0}, "level must be between"),
    "min_agreement": (
        PAIR,
        {"guess_distribution": 0.5, "min_agreement": 0.3},
        "min_agreement must be",
    ),
    "keep by name": (
        PAIR,
        {"guess_distribution": 0.5, "min_agreement": "most"},
        "min_agreement must be",
    ),
    "model": (PAIR, {"guess_distribution": 0.5, "model": "magic"}, "model 'magic' is not one of"),
    "easy_rate": (PAIR, {"model": "rates", "easy_rate": 1.0}, "easy_rate must be"),
    "a guess for rates": (PAIR, {"model": "rates", "guess_distribution": 0.5}, "Drop it"),
    "a sum of three": (
        Annotations.from_counts([[2, 0, 0], [1, 1, 0]]),
        {"guess_distribution": [0.5, 0.4, 0.3]},
        "sum to 1",
    ),
    "a range that none is in": (
        Annotations.from_counts([[2, 0, 0], [1, 1, 0]]),
        {"guess_distribution": (0.1, 0.2)},
        "Widen the range",
    ),
    "one probability of three": (
        Annotations.from_counts([[2, 0, 0], [1, 1, 0]]),
        {"guess_distribution": 0.5},
        "1 number",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_and_how_to_mend_it(case):
    labels, options, message = REFUSED[case]
    with pytest.raises(AnnotationError, match=message):
        noise.certificate(labels, **options)


def test_a_scale_is_split_at_a_threshold():
    scale = Annotations.from_arrays(
        ["x", "x", "y", "y"], list("abab"), [-5, 0, 40, 0], scale="interval"
    )
    long = noise.dichotomise(scale, 1.23456789e-7)
    assert long.categories == ("below 1.23456789e-07", "1.23456789e-07 or more")
    assert noise.dichotomise(scale, 0).counts.tolist() == [[1, 1], [0, 2]]
    with pytest.raises(AnnotationError, match="all 4 labels lie on one side of 50"):
        noise.dichotomise(scale, 50)


def test_nothing_retained_is_said():
    labels = Annotations.from_counts([[2, 1]] * 4 + [[1, 2]] * 3)
    found = noise.certificate(labels, model="easy_hard")
    assert found.n_retained == 0
    assert np.isnan(found.rate)
    assert "nothing to certify" in str(found)


def test_rules_are_tidy():
    labels = Annotations.from_counts([[5, 0]] * 30 + [[4, 1]] * 10 + [[2, 3]] * 10)
    rules = noise.certificate(labels).rules
    assert isinstance(rules, pd.DataFrame)
    assert rules["keep"].is_monotonic_increasing
    assert rules["n_retained"].is_monotonic_decreasing
    assert rules["keep"].tolist() == [0.5, 0.8, 1.0]  # of five labels: three, four, all
    assert (rules["n_guesses"] <= rules["n_retained"]).all()


def test_kept_items_with_a_disagreement_are_expected_to_be_hard():
    # Of three labels two suffice: the items of two against one are kept as well, and all hard.
    rng = np.random.default_rng(12)
    label = np.where(rng.random((60, 3)) < 0.85, 1, 0)
    item, annotator = np.indices(label.shape)
    a = Annotations.from_arrays(item.ravel(), annotator.ravel(), label.ravel())
    unanimous = noise.certificate(a, guess_distribution=0.5)
    most = noise.certificate(a, guess_distribution=0.5, min_agreement=0.6)
    visible = most.n_retained - unanimous.n_retained
    assert visible == (np.ptp(label, axis=1) == 1).sum() > 0
    assert most.expected == pytest.approx(unanimous.expected + visible, rel=1e-12)
    assert most.n_guesses == unanimous.n_guesses + visible
