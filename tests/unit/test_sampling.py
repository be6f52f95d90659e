"""Precision and recall from a stratified sample: by hand, by enumeration, by simulation."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.evaluation import sampling
from annobench.evaluation.sampling import (
    METHODS,
    Population,
    StratifiedSample,
    coverage,
    estimate,
    random_sample_size,
    sample_sizes,
    savings,
)

Z = scipy.stats.norm.ppf(0.975)
#: Tetreault and Chodorow (2008), Figure 1.
FIGURE1 = StratifiedSample(1000, 9000, 750, 1500, 600, 450)
#: Every item of a corpus so small that all its samples can be listed.
FLAGGED, PASSED = (1, 1, 0, 1, 0), (0, 1, 0, 0, 1, 0, 0)
TINY = Population(len(FLAGGED), len(PASSED), sum(FLAGGED), sum(PASSED))


def every_sample(n_flagged=3, n_passed=4):
    """List the sample, and so the count of errors, of every draw; all are equally likely."""
    for one in itertools.combinations(FLAGGED, n_flagged):
        for other in itertools.combinations(PASSED, n_passed):
            yield StratifiedSample(
                len(FLAGGED), len(PASSED), n_flagged, n_passed, sum(one), sum(other)
            )


# ------------------------------------------------------------------------------ by hand


def test_the_rates_of_the_papers_example():
    found = estimate(FIGURE1)
    assert found.hits.value == pytest.approx(0.8 * 0.1)
    assert found.false_positives.value == pytest.approx(0.2 * 0.1)
    assert found.misses.value == pytest.approx(0.3 * 0.9)
    assert found.error_rate.value == pytest.approx(0.35)
    assert found.precision.value == pytest.approx(0.8)
    assert found.recall.value == pytest.approx(0.08 / 0.35)


def test_the_papers_interval_of_hits_and_precision():
    found = estimate(FIGURE1, method="paper")
    half = Z * math.sqrt(0.8 * 0.2 / 750)
    assert found.hits.lower == pytest.approx(0.1 * (0.8 - half))  # 0.077
    assert found.precision.upper == pytest.approx(0.8 + half)  # 0.83
    misses_up = 0.9 * (0.3 + Z * math.sqrt(0.3 * 0.7 / 1500))
    assert found.recall.lower == pytest.approx(found.hits.lower / (found.hits.lower + misses_up))
    alone = estimate(FIGURE1, method="paper_hits_only")
    assert alone.recall.lower == pytest.approx(found.hits.lower / (found.hits.lower + 0.27))


def test_standard_errors_without_replacement_by_hand():
    found = estimate(FIGURE1, method="stratified")
    # A quarter of the flagged and five sixths of the passed are not sampled.
    flagged, passed = 0.25 * 0.8 * 0.2 / 749, 5 / 6 * 0.3 * 0.7 / 1499
    assert found.precision.standard_error == pytest.approx(math.sqrt(flagged))
    assert found.misses.standard_error == pytest.approx(0.9 * math.sqrt(passed))
    variance = (0.27**2 * 0.01 * flagged + 0.08**2 * 0.81 * passed) / 0.35**4
    assert found.recall.standard_error == pytest.approx(math.sqrt(variance))
    assert found.recall.upper == pytest.approx(0.08 / 0.35 + Z * math.sqrt(variance))
    assert found.error_rate.standard_error == pytest.approx(
        math.sqrt(0.01 * flagged + 0.81 * passed)
    )


def test_log_odds_intervals_by_hand():
    found = estimate(FIGURE1, method="logit").recall
    odds = 0.08 / 0.27
    # The standard error of log odds of recall, log A - log B, from those of log A and log B.
    relative = math.sqrt(0.25 * 0.2 / 0.8 / 749 + 5 / 6 * 0.7 / 0.3 / 1499)
    upper = odds * math.exp(Z * relative)
    assert found.upper == pytest.approx(upper / (1 + upper))


def test_wilson_of_a_boundless_stratum_is_the_textbooks():
    sample = StratifiedSample(10**12, 10**12, 10, 10, 10, 0)
    found = estimate(sample)
    # Of 10 out of 10 the lower end is n/(n + z^2).
    assert found.precision.lower == pytest.approx(10 / (10 + Z**2), rel=1e-9)
    assert found.precision.upper == pytest.approx(1)
    assert found.misses.upper == pytest.approx(0.5 * Z**2 / (10 + Z**2), rel=1e-9)


def test_wilsons_recall_solves_the_equation_that_defines_it():
    found = estimate(FIGURE1)
    a, b, recall = found.hits, found.misses, found.recall
    # The lower end r is where the lower limit of (1 - r) A - r B, by recovered variances, is 0.
    for r, low, high in (
        (recall.lower, a.value - a.lower, b.upper - b.value),
        (recall.upper, a.upper - a.value, b.value - b.lower),
    ):
        error = math.hypot((1 - r) * low, r * high)
        assert abs((1 - r) * a.value - r * b.value) == pytest.approx(error)


def test_no_error_among_the_passed_leaves_recall_possibly_below_one():
    found = estimate(StratifiedSample(100, 900, 50, 90, 40, 0)).recall
    assert found.value == found.upper == 1
    assert 0 < found.lower < 0.9


def test_no_error_among_the_flagged_leaves_recall_possibly_above_zero():
    found = estimate(StratifiedSample(100, 900, 50, 90, 0, 9)).recall
    assert found.value == found.lower == 0
    assert 0 < found.upper < 0.2


@pytest.mark.parametrize("method", ["stratified", "logit", "wilson"])
def test_nothing_is_uncertain_when_everything_is_sampled(method):
    found = estimate(StratifiedSample(10, 90, 10, 90, 8, 12), method=method)
    for name, truth in (("precision", 0.8), ("recall", 0.4), ("error_rate", 0.2)):
        one = getattr(found, name)
        assert [one.value, one.lower, one.upper] == pytest.approx([truth] * 3)
        assert one.standard_error == 0


def test_savings_by_hand():
    saved = savings(750, 22_000, hours_per_label=4 / 500)
    assert saved.labels_saved == 21_250
    assert saved.share_saved == pytest.approx(21_250 / 22_000)
    assert (saved.hours, saved.exhaustive_hours) == (6, 176)
    assert saved.hours_saved == 170


# ----------------------------------------------------------------------- by enumeration


def test_totals_and_their_variances_are_unbiased_over_every_sample():
    drawn = [estimate(one, method="stratified") for one in every_sample()]
    for name, truth in (
        ("hits", 3 / 12),
        ("misses", 2 / 12),
        ("false_positives", 2 / 12),
        ("error_rate", 5 / 12),
        ("precision", 3 / 5),
    ):
        values = np.array([getattr(one, name).value for one in drawn])
        errors = np.array([getattr(one, name).standard_error for one in drawn])
        assert values.mean() == pytest.approx(truth)
        assert (errors**2).mean() == pytest.approx(values.var()), name


def test_the_planned_error_of_precision_is_that_of_every_sample():
    values = [one.hits / 3 for one in every_sample()]
    assert TINY.standard_errors(3, 4)[0] == pytest.approx(np.std(values))


def test_the_planned_error_of_recall_nears_that_of_large_samples():
    population = Population(2_000, 20_000, 1_500, 3_000)
    hits, misses = population.draw(1_000, 10_000, n=40_000, rng=np.random.default_rng(1))
    a, b = hits / 1_000 * 2_000, misses / 10_000 * 20_000
    # The standard deviation of 40,000 draws is within four of its own errors, 4/sqrt(80,000);
    # the linearisation adds less than another thousandth.
    simulated = np.std(a / (a + b))
    assert population.standard_errors(1_000, 10_000)[1] == pytest.approx(simulated, rel=0.016)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore::annobench.core.errors.DegenerateWarning")
def test_coverage_is_the_share_of_all_samples_whose_interval_holds_the_truth(method):
    drawn = [estimate(one, method=method) for one in every_sample()]
    for name in ("precision", "recall"):
        truth = getattr(TINY, name)
        ends = np.array([getattr(one, name)[2:] for one in drawn])
        held = (ends[:, 0] <= truth + 1e-12) & (truth <= ends[:, 1] + 1e-12)
        exact = coverage(TINY, 3, 4, method=method)
        assert getattr(exact, name) == pytest.approx(held.mean())
        assert getattr(exact, f"{name}_width") == pytest.approx(np.nanmean(ends[:, 1] - ends[:, 0]))


@pytest.mark.parametrize(
    "wishes",
    [{"recall": 0.12}, {"precision": 0.2, "recall": 0.12}, {"precision": 0.05, "recall": 0.3}],
)
def test_no_smaller_samples_satisfy_the_wishes(wishes):
    population = Population(20, 90, 15, 30)
    asked = {f"{name}_half_width": wish for name, wish in wishes.items()}
    found = sample_sizes(population, **asked)

    def satisfies(n, m):
        widths = dict(zip(("precision", "recall"), population.standard_errors(n, m), strict=True))
        return all(Z * widths[name] <= wish + 1e-12 for name, wish in wishes.items())

    assert satisfies(*found[:2])
    least = min(n + m for n, m in itertools.product(range(1, 21), range(1, 91)) if satisfies(n, m))
    assert sum(found[:2]) == least


# ------------------------------------------------------------------------ by simulation


def test_exact_coverage_is_what_simulation_gives(rng):
    population = Population.from_rates(22_000, error_rate=0.1, precision=0.8, recall=0.12)
    hits, misses = population.draw(250, 500, n=4_000, rng=rng)
    exact = coverage(population, 250, 500)
    size = population.flagged, population.passed
    held = np.array(
        [
            one.lower <= population.recall <= one.upper
            for h, m in zip(hits, misses, strict=True)
            for one in [estimate(StratifiedSample(*size, 250, 500, int(h), int(m))).recall]
        ]
    )
    assert abs(held.mean() - exact.recall) < 4 * math.sqrt(0.05 * 0.95 / 4_000)


def test_the_recommended_interval_is_honest_and_the_papers_are_not():
    population = Population.from_rates(22_000, error_rate=0.1, precision=0.8, recall=0.12)
    ours = coverage(population, 250, 500, method=sampling.RECOMMENDED)
    assert abs(ours.recall - 0.95) < 0.005
    # The samples leave 80 of 330 flagged items to chance, which the paper's formula ignores.
    assert coverage(population, 250, 500, method="paper").precision > 0.999
    assert coverage(population, 250, 500, method="paper_hits_only").recall < 0.4


def test_the_recommended_interval_keeps_its_level_where_errors_are_rare():
    population = Population.from_rates(22_000, error_rate=0.03, precision=0.9, recall=0.9)
    assert coverage(population, 50, 100, method="wilson").recall > 0.93
    # Mostly no miss is found, and then the other methods know of no uncertainty.
    for method in set(METHODS) - {"wilson"}:
        assert coverage(population, 50, 100, method=method).recall < 0.5


def test_draws_of_one_seed_are_the_same():
    first, second = (TINY.draw(3, 4, n=9, rng=np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(first, second)


# ---------------------------------------------------------------------------- contracts


@given(st.data(), st.sampled_from(METHODS), st.floats(0.5, 0.999))
@pytest.mark.filterwarnings("ignore::annobench.core.errors.DegenerateWarning")
def test_every_interval_holds_its_estimate_within_zero_and_one(data, method, level):
    flagged, passed = (data.draw(st.integers(1, 60)) for _ in range(2))
    n, m = data.draw(st.integers(1, flagged)), data.draw(st.integers(1, passed))
    sample = StratifiedSample(
        flagged, passed, n, m, data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    )
    found = estimate(sample, method=method, level=level)
    for name in ("hits", "false_positives", "misses", "error_rate", "precision", "recall"):
        value, _, lower, upper = getattr(found, name)
        if not math.isnan(value + lower):
            assert -1e-12 <= lower <= value + 1e-9, name
            assert value - 1e-9 <= upper <= 1 + 1e-12, name
    if method == "wilson" and sample.hits + sample.misses:
        assert math.isfinite(found.recall.lower + found.recall.upper)


@given(st.floats(0.5, 0.999))
def test_a_higher_level_gives_a_wider_interval(level):
    narrow, wide = (estimate(FIGURE1, level=one).recall for one in (level, level + 0.0005))
    assert wide.lower < narrow.lower < narrow.upper < wide.upper


def test_more_samples_narrow_the_interval():
    small = Population(1000, 9000, 800, 2700).standard_errors(75, 150)
    large = Population(1000, 9000, 800, 2700).standard_errors(750, 1500)
    assert all(one < other for one, other in zip(large, small, strict=True))


def test_stratifying_needs_fewer_labels_than_a_random_sample_for_the_same_recall():
    population = Population.from_rates(22_000, error_rate=0.1, precision=0.8, recall=0.12)
    # R (1 - R)/e = 1.056; V = (0.03/z)^2; n = 1.056/(V + 1.056/22,000).
    by_hand = 1.056 / ((0.03 / Z) ** 2 + 1.056 / 22_000)
    assert random_sample_size(population, 0.03) == math.ceil(by_hand)
    assert sum(sample_sizes(population, recall_half_width=0.03)[:2]) < 1_000


def test_a_corpus_from_rates_has_those_rates():
    population = Population.from_rates(22_000, error_rate=0.1, precision=0.8, recall=0.12)
    assert population.precision == pytest.approx(0.8)
    assert population.recall == pytest.approx(0.12)
    assert population.error_rate == pytest.approx(0.1)


def test_precision_alone_asks_for_none_of_the_passed():
    found = sample_sizes(Population(1000, 9000, 800, 2700), precision_half_width=0.03)
    assert found.passed_sample == 0
    assert found.precision_half_width <= 0.03
    assert math.isnan(found.recall_half_width)


def test_a_stratum_without_errors_needs_one_item():
    assert sample_sizes(Population(10, 90, 10, 30), precision_half_width=0.1).flagged_sample == 1


# ---------------------------------------------------------------------------- bad input


def test_no_error_found_leaves_recall_undefined():
    with pytest.warns(DegenerateWarning, match=r"no error was found .* Sample more items"):
        found = estimate(StratifiedSample(100, 900, 50, 90, 0, 0))
    assert math.isnan(found.recall.value)
    assert math.isnan(found.recall.lower)
    assert found.precision.value == 0


def test_one_sampled_item_leaves_the_variance_undefined():
    with pytest.warns(DegenerateWarning, match="a sample of one item"):
        found = estimate(StratifiedSample(100, 900, 50, 1, 30, 1))
    assert math.isnan(found.misses.standard_error)
    assert math.isfinite(found.recall.lower)  # Wilson's interval needs no estimated variance


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((0, 90, 1, 10, 0, 0), "flagged is 0, an empty stratum"),
        ((10, 0, 1, 1, 0, 0), "passed is 0, an empty stratum"),
        ((10, 90, 11, 10, 0, 0), r"flagged_sample is 11, but the stratum has 10.*from 1 to 10"),
        ((10, 90, 5, 0, 0, 0), r"passed_sample is 0, .*from 1 to 90"),
        ((10, 90, 5, 10, 6, 0), r"hits is 6, and flagged_sample is 5.*from 0 to 5"),
        ((10, 90, 5, 10, 0, -1), "misses is -1"),
        ((10, 90, 5, 10, 2.5, 0), r"hits is 2\.5. Give a whole number"),
        ((10, 90, 5, math.nan, 2, 0), "passed_sample is nan"),
    ],
)
def test_impossible_samples_are_refused(numbers, message):
    with pytest.raises(AnnotationError, match=message):
        StratifiedSample(*numbers)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((0, 90, 0, 10), "flagged is 0, an empty stratum"),
        ((10, 90, 11, 10), "flagged_errors is 11, and flagged is 10"),
        ((10, 90, 1, "3"), "passed_errors is '3'. Give a whole number"),
    ],
)
def test_impossible_populations_are_refused(numbers, message):
    with pytest.raises(AnnotationError, match=message):
        Population(*numbers)


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ({"error_rate": 0, "precision": 0.8, "recall": 0.1}, "error_rate is 0"),
        ({"error_rate": 0.1, "precision": 1.2, "recall": 0.1}, r"precision is 1\.2"),
        ({"error_rate": 0.1, "precision": 0.8, "recall": math.nan}, "recall is nan"),
        ({"error_rate": 0.9, "precision": 0.1, "recall": 1}, "have 900 flagged and -800 passed"),
        ({"error_rate": 0.001, "precision": 0.9, "recall": 0.1}, "have 0 flagged"),
    ],
)
def test_impossible_rates_are_refused(rates, message):
    with pytest.raises(AnnotationError, match=message):
        Population.from_rates(100, **rates)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimate(FIGURE1, method="wald"), "method 'wald' is not one of paper"),
        (lambda: estimate(FIGURE1, level=95), "level is 95. Give one between 0 and 1"),
        (lambda: coverage(TINY, 6, 4), "flagged_sample is 6"),
        (lambda: coverage(Population(5, 5, 0, 0), 2, 2), "population has no error"),
        (lambda: TINY.draw(3, 99, n=1, rng=np.random.default_rng(0)), "passed_sample is 99"),
        (lambda: TINY.standard_errors(0, 1), "flagged_sample is 0"),
        (lambda: sample_sizes(TINY), "no half-width is given"),
        (lambda: sample_sizes(TINY, recall_half_width=0.0), r"recall_half_width is 0\.0"),
        (lambda: sample_sizes(TINY, precision_half_width=math.nan), "precision_half_width is nan"),
        (lambda: sample_sizes(Population(5, 5, 0, 0), recall_half_width=0.1), "has no error"),
        (lambda: random_sample_size(Population(5, 5, 0, 0), 0.1), "has no error"),
        (lambda: random_sample_size(TINY, -1), "recall_half_width is -1"),
        (lambda: savings(10, 0, hours_per_label=1), "exhaustive_labels is 0"),
        (lambda: savings(11, 10, hours_per_label=1), "labels is 11, and exhaustive_labels is 10"),
        (lambda: savings(1, 10, hours_per_label=0), "hours_per_label is 0"),
    ],
)
def test_impossible_requests_are_refused(call, message):
    with pytest.raises(AnnotationError, match=message):
        call()


def test_a_population_without_errors_has_no_recall():
    population = Population(5, 5, 0, 0)
    assert math.isnan(population.recall)
    precision, recall = population.standard_errors(2, 2)
    assert precision == 0
    assert math.isnan(recall)
