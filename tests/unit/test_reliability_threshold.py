"""The number of marks that chance hardly ever reaches."""

import itertools

import numpy as np
import pytest
import scipy.stats

from annobench.labels.annotations import Annotations
from annobench.noise.reliability_threshold import (
    compare_cuts,
    deliberate,
    poisson_binomial_pmf,
    threshold,
)


def enumerated(rates):
    """Add up all 2^n outcomes, as the paper did for its 512."""
    pmf = np.zeros(len(rates) + 1)
    for outcome in itertools.product((0, 1), repeat=len(rates)):
        pmf[sum(outcome)] += np.prod(np.where(outcome, rates, 1 - np.asarray(rates)))
    return pmf


def test_the_distribution_is_that_of_all_outcomes(rng):
    rates = rng.random(9)
    assert poisson_binomial_pmf(rates) == pytest.approx(enumerated(rates), rel=1e-12)


def test_equal_rates_give_the_binomial():
    assert poisson_binomial_pmf([0.3] * 20) == pytest.approx(
        scipy.stats.binom.pmf(np.arange(21), 20, 0.3), rel=1e-11
    )


def test_a_stack_of_rates_is_treated_row_by_row(rng):
    rates = rng.random((4, 3, 5))
    pmf = poisson_binomial_pmf(rates)
    assert pmf.shape == (4, 3, 6)
    assert pmf[2, 1] == pytest.approx(enumerated(rates[2, 1]), rel=1e-12)


def test_the_threshold_is_the_least_number_that_is_rare_enough():
    found = threshold([0.04] * 9, level=0.999)
    assert (found.n_marks, found.n_annotators) == (4, 9)
    assert found.chance[3] > 0.001 >= found.chance_rate
    assert found.chance == pytest.approx(scipy.stats.binom.sf(np.arange(-1, 10), 9, 0.04))
    assert found.expected_items(2364) == pytest.approx(2364 * found.chance_rate)
    assert threshold([0.04] * 9, level=0.995).n_marks == 3


def test_a_tie_with_the_level_counts():
    # Three coins of one in ten: all heads once in a thousand.
    assert threshold([0.1] * 3, level=0.999).n_marks == 3


def test_there_may_be_no_threshold():
    found = threshold([0.9] * 3, level=0.99)
    assert found.n_marks == 4
    assert found.chance_rate == 0


def test_unequal_rates_make_many_marks_less_likely():
    equal = poisson_binomial_pmf([0.04] * 9)[4:].sum()
    unequal = poisson_binomial_pmf([0.02] * 3 + [0.04] * 3 + [0.06] * 3)[4:].sum()
    assert unequal < equal


def test_items_are_judged_by_the_rates_of_their_own_annotators():
    # a marks half of the items, b and c one of four.
    rows = [("x", "a", "1"), ("x", "b", "1"), ("x", "c", "1"), ("y", "a", "1"), ("y", "b", "0")]
    rows += [("z", "a", "0"), ("z", "b", "0"), ("z", "c", "0"), ("u", "a", "0"), ("u", "b", "0")]
    rows += [("u", "c", "0"), ("v", "c", "0")]
    item, annotator, label = zip(*rows, strict=True)
    a = Annotations.from_arrays(item, annotator, label, items="xyzuvw")
    found = deliberate(a, "1", level=0.9)
    assert found.marks.tolist() == [3, 1, 0, 0, 0, 0]
    assert found.n_labels.tolist() == [3, 2, 3, 3, 1, 0]
    assert found.chance[:2] == pytest.approx([1 / 32, 1 - 3 / 8])
    # At least two of (1/2, 1/4, 1/4): 1/32 + 5/32 * ... = 7/32 by hand, so three are needed.
    assert found.threshold.tolist() == [3, 3, 3, 3, 2, 1]
    assert found.reliable.tolist() == [True] + [False] * 5
    assert found.expected_items == pytest.approx(3 / 32)
    everybody = deliberate(a, "1", level=0.9, rates=0.1)
    assert everybody.threshold.tolist() == [2, 2, 2, 2, 1, 1]


def test_coins_reach_the_threshold_as_often_as_stated(rng):
    rates = np.array([0.02, 0.05, 0.1, 0.2, 0.3])
    labels = (rng.random((20_000, 5)) < rates).astype(int)
    found = deliberate(Annotations.from_wide(labels), "1", level=0.95)
    low, high = scipy.stats.binom.interval(0.9999, 20_000, found.expected_items / 20_000)
    assert low <= found.reliable.sum() <= high
    assert found.expected_items <= 0.05 * 20_000


def test_cuts_explain_what_their_correlation_says(rng):
    marks, outcome = np.array([0, 0, 1, 1, 3, 3]), np.array([1.0, 2, 2, 3, 5, 7])
    found = compare_cuts(marks, outcome, rng=rng, replicates=200)
    assert found["cut"].tolist()[:-1] == [1, 3]
    assert found["items"].tolist() == [4, 2, 6]
    for row, x in zip(found.itertuples(), (marks >= 1, marks >= 3, marks), strict=True):
        assert row.explained == pytest.approx(np.corrcoef(x, outcome)[0, 1] ** 2)
        assert row.lower <= row.explained <= row.upper
    # At least one mark: 2, 3, 5, 7 against 1, 2: seven pairs and one tie of eight.
    assert found["area"].tolist()[:2] == pytest.approx([7.5 / 8, 1])
    assert found["best"].sum() == pytest.approx(1)


@pytest.mark.parametrize("unit", [1e-9, 1e200])
def test_the_unit_of_the_outcome_does_not_matter(unit, rng):
    marks = rng.integers(0, 4, size=50)
    outcome = marks + rng.standard_normal(50)
    one, other = (
        compare_cuts(marks, scaled, rng=np.random.default_rng(1), replicates=50)
        for scaled in (outcome, unit * outcome)
    )
    for name in ("explained", "lower", "upper", "best"):
        assert one[name].to_numpy() == pytest.approx(other[name].to_numpy(), nan_ok=True)


@pytest.mark.parametrize("wrong", [{"replicates": 0}, {"level": 1.5}])
def test_resampling_needs_replicates_and_a_level(wrong, rng):
    with pytest.raises(ValueError, match="needs a replicate and a level"):
        compare_cuts([1, 2, 3], [1.0, 2.0, 4.0], rng=rng, **wrong)


def test_the_line_is_best_where_marks_count(rng):
    marks = rng.integers(0, 11, size=3000)
    found = compare_cuts(marks, marks + 3 * rng.standard_normal(3000), rng=rng, replicates=100)
    assert found["explained"].idxmax() == len(found) - 1
    # Var(marks) = 10, variance 9 of the noise.
    assert found["lower"].iloc[-1] - 0.03 < 10 / 19 < found["upper"].iloc[-1] + 0.03
    assert found["best"].idxmax() in (4, 5)


@pytest.mark.parametrize(
    ("marks", "outcome", "message"),
    [
        ([1, 2], [1.0], "must have the same length"),
        ([1, 1], [1.0, 2.0], "must differ"),
        ([1, 2], [1.0, 1.0], "must differ"),
        ([], [], "must differ"),
        ([1, 2], [1.0, np.nan], "an outcome is nan. Leave such items out"),
        ([1, 2], [1.0, np.inf], "an outcome is inf"),
    ],
)
def test_cuts_need_something_to_predict(marks, outcome, message, rng):
    with pytest.raises(ValueError, match=message):
        compare_cuts(marks, outcome, rng=rng)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: poisson_binomial_pmf([]), "at least one annotator"),
        (lambda a: poisson_binomial_pmf([0.5, 1.5]), r"rates must be in \[0, 1\], got 1.5"),
        (lambda a: poisson_binomial_pmf([np.nan]), r"rates must be in \[0, 1\], got nan"),
        (lambda a: threshold([[0.5]], level=0.9), r"got an array of shape \(1, 1\)"),
        (lambda a: threshold([0.5], level=1), "level must be between 0 and 1, got 1"),
        (lambda a: deliberate(a, "yes", level=0.9), "'yes' is not one of 0, 1"),
        (lambda a: deliberate(a, "1", level=0.0), "level must be between 0 and 1"),
        (lambda a: deliberate(a, "1", level=0.9, rates=[0.1]), "one number or 2"),
        (lambda a: deliberate(a, "1", level=0.9, rates=-0.1), "got -0.1"),
    ],
)
def test_bad_input_is_an_error(call, message):
    a = Annotations.from_wide([["0", "1"], ["1", "1"]])
    with pytest.raises(ValueError, match=message):
        call(a)


def test_limits_are_undefined_where_no_resample_has_a_correlation():
    # Of two items half of the resamples have one item twice.
    limits = [compare_cuts([0, 1], [1, 2], replicates=1, rng=seed)["lower"] for seed in range(20)]
    assert {bool(np.isnan(lower).all()) for lower in limits} == {False, True}
