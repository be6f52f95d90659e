"""Audits: what is drawn, and what checks of it tell, against sums by hand and enumeration."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from annobench.audit.assessment import assess
from annobench.audit.design import allocate, cut, draw, read_design, write_design
from annobench.audit.difference_estimator import difference_estimate
from annobench.audit.release import checks_needed, equal_rate, fallback, p_value, release
from annobench.core.errors import AnnotationError, ReaderError
from annobench.evaluation.sampling import StratifiedSample, estimate
from annobench.resampling.proportions import proportion_interval
from annobench.resampling.stratified import share_limits, stratified_prevalence, stratified_share


def names(n):
    return tuple(f"i{k}" for k in range(n))


def two_categories(certainty):
    return np.column_stack([certainty, 1 - np.asarray(certainty)])


@pytest.fixture
def design():
    certainty = 1 - np.random.default_rng(5).beta(0.5, 4, 2_000) / 2
    return draw(names(2_000), ("a", "b"), two_categories(certainty), 200, rng=1)


def test_neymans_rule_by_hand():
    # Standard deviations .1 and .3: 900 * .1 to 300 * .3 is one to one.
    assert allocate(np.array([900, 300]), np.array([90.0, 90.0]), 100).tolist() == [50, 50]
    # A stratum can't give more than it has, and every stratum gives two.
    assert allocate(np.array([1000, 10]), np.array([10.0, 30.0]), 50).tolist() == [40, 10]
    assert allocate(np.array([10_000, 50]), np.array([2_000.0, 1.0]), 60).tolist() == [58, 2]


def test_all_checks_are_allocated():
    rng = np.random.default_rng(0)
    for _ in range(200):
        sizes = rng.integers(1, 200, rng.integers(1, 6))
        n = int(rng.integers(10, 300))
        quota = allocate(sizes, sizes * rng.uniform(0.2, 0.5, sizes.size), n)
        assert quota.sum() == max(min(n, sizes.sum()), np.minimum(2, sizes).sum())
        assert (quota <= sizes).all()


def test_equally_certain_items_are_in_one_stratum_and_strata_fall_in_certainty():
    certainty = np.repeat([1.0, 0.9, 0.8, 0.6, 0.5], [50, 20, 20, 7, 3])
    stratum = cut(np.random.default_rng(1).permutation(certainty), 5)
    assert len(set(stratum)) > 1
    shuffled = np.random.default_rng(1).permutation(certainty)
    lowest = [shuffled[stratum == h].min() for h in range(stratum.max() + 1)]
    highest = [shuffled[stratum == h].max() for h in range(stratum.max() + 1)]
    assert all(high < low for low, high in zip(lowest[:-1], highest[1:], strict=True))


def test_less_certain_items_are_checked_more_often(design):
    rates = design.n_drawn / design.sizes
    # Up to whole numbers
    assert (np.diff(rates) > -1 / design.sizes[:-1]).all()
    assert rates[-1] > 1.5 * rates[0]
    # The floor of .05: an item that is as good as certain is drawn 2.3 times less often at most.
    assert rates[-1] / rates[0] < 0.5 / math.sqrt(0.05 * 0.95) + 0.2
    assert design.drawn.sum() == 200


def test_every_item_is_drawn_with_the_probability_that_is_stated():
    certainty = np.repeat([0.99, 0.7], [30, 10])
    drawn = np.zeros(40)
    for seed in range(400):
        design = draw(names(40), ("a", "b"), two_categories(certainty), 20, rng=seed)
        drawn += design.drawn
    chance = design.inclusion_probability
    z = (drawn - 400 * chance) / np.sqrt(400 * chance * (1 - chance))
    # Of 40 standard normal values none exceeds 4.5 once in 3,700 runs.
    assert np.abs(z).max() < 4.5
    assert abs(chance.sum() - 20) < 1e-9


def test_a_design_is_read_as_it_was_written(design, tmp_path):
    assert write_design(design, tmp_path) == ["to_check.csv", "design.csv"]
    found = read_design(tmp_path / "design.csv")
    assert found.items == design.items
    assert found.categories == design.categories
    np.testing.assert_array_equal(found.stratum, design.stratum)
    np.testing.assert_array_equal(found.order, design.order)
    np.testing.assert_array_equal(found.posterior, design.posterior)
    listed = pd.read_csv(tmp_path / "to_check.csv")
    assert list(listed) == ["item", "gold"]
    assert listed["item"].tolist() == [design.items[i] for i in np.argsort(design.order)[-200:]]


def test_names_that_look_like_missing_values_survive(tmp_path):
    design = draw(("NA", "nan", "", "1e5"), ("NA", "b"), np.tile([0.9, 0.1], (4, 1)), 10, rng=1)
    write_design(design, tmp_path)
    assert read_design(tmp_path / "design.csv").items == design.items
    assert read_design(tmp_path / "design.csv").categories == ("NA", "b")


def test_a_file_that_is_no_design_is_refused(tmp_path):
    path = tmp_path / "design.csv"
    with pytest.raises(ReaderError, match="no such file"):
        read_design(path)
    path.write_text("item,label\nx,1\n")
    with pytest.raises(ReaderError, match="is not a design"):
        read_design(path)


@pytest.mark.parametrize(("x", "n", "size"), [(0, 5, 12), (2, 5, 12), (5, 5, 12), (3, 11, 12)])
def test_exact_limits_are_those_of_trying_all(x, n, size):
    cdf = stats.hypergeom.cdf
    inside = [
        m
        for m in range(size + 1)
        if cdf(x, size, m, n) > 0.025 and cdf(n - x, size, size - m, n) > 0.025
    ]
    lower, upper = share_limits(x, n, size)
    assert (lower * size, upper * size) == pytest.approx((min(inside), max(inside)))


def test_exact_limits_of_a_large_set_are_clopper_and_pearsons():
    lower, upper = share_limits(3, 50, 10**8)
    exact = stats.binomtest(3, 50).proportion_ci(0.95, "exact")
    assert (lower, upper) == pytest.approx((exact.low, exact.high), rel=1e-5)


def test_the_search_for_limits_agrees_with_plain_bisection():
    rng = np.random.default_rng(2)
    for _ in range(200):
        size = int(rng.integers(1, 400))
        n = int(rng.integers(1, size + 1))
        x = int(rng.integers(0, n + 1))
        m = np.arange(x, size - (n - x) + 1)
        fits = stats.hypergeom.cdf(x, size, m, n) > 0.025
        assert share_limits(x, n, size)[1] == m[fits].max() / size


def test_a_stratified_share_by_hand():
    found = stratified_share([1, 4], [50, 20], [90_000, 10_000])
    assert found.estimate == pytest.approx(0.9 / 50 + 0.1 * 4 / 20)
    # Moments of the weighted sum of beta variables, each n_h nearly as with replacement; for the
    # upper end one more in the first stratum, where a check weighs .9 / 50.
    for end, at, more in ((found.lower, 0.025, 0), (found.upper, 0.975, 1)):
        parts = stats.beta(1 + more, 50 - more), stats.beta(4, 17)
        mean = 0.9 * parts[0].mean() + 0.1 * parts[1].mean()
        variance = 0.81 * parts[0].var() + 0.01 * parts[1].var()
        both = mean * (1 - mean) / variance - 1
        assert end == pytest.approx(stats.beta.ppf(at, mean * both, (1 - mean) * both), abs=3e-4)


def test_one_stratum_has_clopper_and_pearsons_interval_and_a_census_none():
    exact = stats.binomtest(2, 40).proportion_ci(0.95, "exact")
    found = stratified_share([2], [40], [10**7])
    assert (found.lower, found.upper) == pytest.approx((exact.low, exact.high), abs=1e-5)
    everything = stratified_share([2, 3], [40, 10], [40, 10])
    assert everything.lower == everything.upper == everything.estimate == 0.1


def test_errors_in_several_strata_are_not_more_certain_than_in_one():
    """Four errors, one a stratum: as if four of one; recovered variances would say twice that."""
    four = stratified_share([1] * 4, [50] * 4, [10**6] * 4)
    one = stratified_share([4], [200], [4 * 10**6])
    assert four.lower == pytest.approx(one.lower, rel=0.03)
    assert four.upper == pytest.approx(one.upper, rel=0.03)


def test_the_interval_of_a_share_is_that_of_the_rest():
    x, n, size = np.array([48, 15]), np.array([50, 20]), np.array([900, 300])
    found, rest = stratified_share(x, n, size), stratified_share(n - x, n, size)
    assert (found.lower, found.upper) == pytest.approx((1 - rest.upper, 1 - rest.lower))


def test_coverage_of_the_interval_is_at_least_nominal():
    """Exact, by enumeration of two strata of 40 and 20 items, 12 and 10 of them checked."""
    sizes, checks = (40, 20), (12, 10)
    ends = {
        xs: stratified_share(xs, checks, sizes, level=0.9)
        for xs in product(range(checks[0] + 1), range(checks[1] + 1))
    }
    for wrong in product((0, 1, 3, 8, 20), (0, 1, 4, 10)):
        truth = sum(wrong) / 60
        chances = [
            stats.hypergeom.pmf(np.arange(n + 1), size, m, n)
            for n, size, m in zip(checks, sizes, wrong, strict=True)
        ]
        held = sum(
            chances[0][xs[0]] * chances[1][xs[1]]
            for xs, end in ends.items()
            if end.lower - 1e-12 <= truth <= end.upper + 1e-12
        )
        assert held >= 0.9, wrong


def test_a_stratum_without_checks_may_hold_anything():
    found = stratified_share([0, 0], [30, 0], [300, 100])
    assert found.upper >= 0.25
    assert found.estimate == 0


@pytest.mark.parametrize("construction", ["wilson", "normal"])
def test_other_constructions_are_near_for_many_checks(construction):
    counts = [200, 300], [2000, 1500], [10**6, 10**6]
    near, exact = stratified_share(*counts, construction=construction), stratified_share(*counts)
    assert (near.lower, near.upper) == pytest.approx((exact.lower, exact.upper), abs=1e-3)


def test_wilsons_interval_of_one_stratum_is_wilsons():
    found = stratified_share([3], [50], [10**9], construction="wilson")
    wilson = stats.binomtest(3, 50).proportion_ci(0.95, "wilson")
    assert (found.lower, found.upper) == pytest.approx((wilson.low, wilson.high), rel=1e-5)


def test_wilsons_interval_without_replacement_is_that_of_sampling():
    found = stratified_share([700], [5000], [8000], construction="wilson")
    sample = StratifiedSample(8000, 8000, 5000, 5000, 700, 700)
    same = estimate(sample, method="wilson").precision
    ends = math.floor(8000 * same.lower), math.ceil(8000 * same.upper)  # whole items, outward
    assert (found.lower * 8000, found.upper * 8000) == pytest.approx(ends)


def test_shares_that_can_not_be_are_refused():
    with pytest.raises(AnnotationError, match="at most as many found as checked"):
        stratified_share([3], [2], [10])
    with pytest.raises(ValueError, match="is not one of beta, wilson, jeffreys, normal"):
        stratified_share([1], [2], [10], construction="wald")


def test_prevalence_of_a_census_is_the_truth():
    found = stratified_prevalence(0.5, [2, 0], [1, 1], [10, 10], [10, 10])
    assert found.estimate == found.lower == found.upper == 0.5


def test_the_p_value_is_valid_whatever_stratum_the_errors_are_in():
    """Enumerate: two strata of 12 and 8 items, half of each checked, more than a fifth wrong."""
    sizes, checks = (12, 8), (6, 4)
    too_many = 5
    for first in range(too_many + 1):
        if too_many - first > sizes[1]:
            continue
        wrong = (first, too_many - first)
        chances = [
            stats.hypergeom.pmf(np.arange(n + 1), size, m, n)
            for n, size, m in zip(checks, sizes, wrong, strict=True)
        ]
        for delta in (0.01, 0.05, 0.1, 0.2, 0.3):
            rejected = sum(
                chances[0][a] * chances[1][b]
                for a, b in product(range(7), range(5))
                if p_value(a + b, 10, 0.5, 20, 0.2) <= delta
            )
            assert rejected <= delta + 1e-12


def test_the_p_value_of_a_census_is_certain():
    assert p_value(4, 20, 1.0, 20, 0.2) == 0.0
    assert p_value(5, 20, 1.0, 20, 0.2) == 1.0


def test_few_wrong_items_of_a_small_set_bound_the_trials():
    # 90 of 100 checked without an error: that 6 are wrong has the chance of missing all six.
    assert p_value(0, 90, 0.9, 100, 0.05) == pytest.approx(0.1**6)
    exact = stats.hypergeom.cdf(0, 100, 6, 90)
    assert exact <= p_value(0, 90, 0.9, 100, 0.05) < 20 * exact


def test_checks_that_are_used_give_every_item_the_same_chance(design):
    used, rates = equal_rate(design, design.drawn)
    counts = np.bincount(design.stratum[used])
    assert (np.abs(counts - rates[0] * design.sizes) < 1).all()
    assert rates[0] == design.n_drawn[0] / design.sizes[0]
    np.testing.assert_allclose(rates, np.minimum.accumulate(counts / design.sizes))
    for h, n in enumerate(counts):
        own = np.sort(design.order[design.drawn & (design.stratum == h)])
        np.testing.assert_array_equal(np.sort(design.order[used & (design.stratum == h)]), own[:n])


def test_fallback_never_hands_on_more_than_it_has():
    deltas, rejected = fallback(np.array([0.01, 0.9, 0.9, 0.04, 0.9, 0.9]), np.zeros(6), 0.06)
    # Parts of .02 at 0, 2 and 4: the first is handed to the second; the fourth gets nothing.
    np.testing.assert_allclose(deltas, [0.02, 0.02, 0.02, 0, 0.02, 0])
    assert rejected.tolist() == [True, False, False, False, False, False]


def test_fallback_rejects_too_often_for_no_set_of_true_hypotheses():
    """All hypotheses that are true get independent uniform p-values, the others 0: exact chance."""
    delta, m = 0.3, 4
    cuts = [0, 0.1, 0.2, 0.3, 1.0]
    middles, widths = [(a + b) / 2 for a, b in pairwise(cuts)], np.diff(cuts)
    for n in range(1, m + 1):
        for true in combinations(range(m), n):
            chance = 0.0
            for at in product(range(4), repeat=n):
                p = np.zeros(m)
                p[list(true)] = [middles[k] for k in at]
                _, rejected = fallback(p, np.zeros(m), delta)
                if rejected[list(true)].any():
                    chance += float(np.prod(widths[list(at)]))
            assert chance <= delta + 1e-12


def test_a_perfect_consensus_is_released_whole(design):
    found = release(design, np.zeros(2_000, bool), design.drawn)
    assert found.n_items == 2_000
    assert found.probability == design.certainty.min()


def test_nothing_is_released_where_half_is_wrong(design):
    found = release(design, design.order % 2 == 0, design.drawn)
    assert found.n_items == 0
    assert math.isnan(found.probability)
    assert not np.isfinite(found.sets["checks_needed"]).any()


def test_more_is_released_at_a_larger_rate_of_errors(design):
    wrong = np.random.default_rng(3).random(2_000) < 1 - design.certainty
    sizes = [
        release(design, wrong, design.drawn, error_rate=rate).n_items for rate in (0.03, 0.1, 0.3)
    ]
    assert sizes == sorted(sizes)
    assert sizes[-1] > 0


def test_checks_needed_by_hand():
    # No error expected: ln(.05) / ln(.95) = 58.4; for the half that is most certain, twice as many.
    assert checks_needed(0.0, 10**6, error_rate=0.05, confidence=0.95, of_items=10**6) == 59
    half = checks_needed(0.0, 10**6, error_rate=0.05, confidence=0.95, of_items=2 * 10**6)
    assert abs(half - 118) <= 1
    assert checks_needed(0.05, 100, error_rate=0.05, confidence=0.95, of_items=100) == math.inf


def test_the_difference_estimate_by_hand():
    y = np.array([1, 0, 1, np.nan, np.nan, 0, 1, np.nan, np.nan, np.nan])
    f = np.array([0.9, 0.2, 0.6, 0.7, 0.1, 0.3, 0.8, 0.5, 0.4, 0.9])
    stratum = np.repeat([0, 1], 5)
    found = difference_estimate(y, f, stratum, weight=0.5)
    rest = y - 0.5 * f
    means = np.nanmean(rest[:5]), np.nanmean(rest[5:])
    assert found.estimate == pytest.approx(0.5 * f.mean() + 0.5 * sum(means))
    spread = [np.nanvar(part, ddof=1) for part in (rest[:5], rest[5:])]
    variance = 0.25 * (1 - 3 / 5) * spread[0] / 3 + 0.25 * (1 - 2 / 5) * spread[1] / 2
    assert found.standard_error == pytest.approx(math.sqrt(variance))
    assert found.by_checks == pytest.approx(0.5 * (2 / 3 + 1 / 2))


def test_the_weight_has_the_least_variance():
    rng = np.random.default_rng(4)
    f = rng.random(500)
    y = np.where(rng.random(500) < 0.2, (rng.random(500) < 0.3 + 0.4 * f).astype(float), np.nan)
    best = difference_estimate(y, f)
    assert 0 < best.weight < 1
    for other in (best.weight - 0.05, best.weight + 0.05):
        assert difference_estimate(y, f, weight=other).standard_error > best.standard_error


def test_predictions_that_tell_nothing_count_for_nothing():
    y = np.r_[np.tile([0.0, 1.0], 50), np.full(100, np.nan)]
    found = difference_estimate(y, np.tile([0.0, 0.0, 1.0, 1.0], 50))
    assert found.weight == 0
    assert found.standard_error == found.by_checks_error


def test_an_assessment_puts_everything_together(design):
    rng = np.random.default_rng(6)
    truth = np.where(rng.random(2_000) < design.certainty, "a", "b")
    checked = {design.items[i]: truth[i] for i in np.flatnonzero(design.drawn)}
    found = assess(design, checked, rng=1)
    wrong = (truth == "b") & design.drawn
    weight = 1 / design.inclusion_probability
    assert found.accuracy.estimate == pytest.approx(1 - (weight * wrong).sum() / 2_000)
    assert found.accuracy.lower < (truth == "a").mean() < found.accuracy.upper
    assert found.strata["wrong"].sum() == len(found.wrong) == wrong.sum()
    a = found.prevalence.set_index("category").loc["a"]
    # The model calls everything "a": its share, less what was found to be "b".
    assert a["by_model"] == 1
    assert a["estimate"] == pytest.approx(found.accuracy.estimate)
    assert a["by_probabilities_lower"] < a["by_probabilities"] < a["by_probabilities_upper"]
    assert a["by_checks"] == pytest.approx(found.accuracy.estimate)
    items = found.items_frame().set_index("item")
    assert (items.loc[found.wrong["item"], "category"] == "b").all()
    assert (items.loc[list(checked), "probability"] == 1).all()
    assert items["released"].sum() >= found.release.n_items
    assert not found.remarks
    assert "200 of 2,000 items checked" in repr(found)
    assert found.summary().loc["all", "checked"] == 200


def test_checking_may_stop_early_but_not_skip(design):
    first = {design.items[i]: "a" for i in np.flatnonzero(design.drawn) if design.order[i] < 50}
    found = assess(design, first, rng=1)
    assert found.n_checked == 50
    assert len(found.remarks) == 1
    assert "150 of the 200 items drawn were not checked." in found.remarks[0]
    last = {design.items[i]: "a" for i in np.flatnonzero(design.drawn) if design.order[i] >= 150}
    assert "checked out of order" in assess(design, last, rng=1).remarks[0]


def test_a_category_that_no_label_names_is_wrong(design):
    checked = {design.items[i]: "c" for i in np.flatnonzero(design.drawn)}
    found = assess(design, checked, rng=1)
    assert found.accuracy.estimate == 0
    assert found.calibration is None
    assert any("category without labels" in text for text in found.remarks)
    assert "c" in set(found.items_frame()["category"])
    first = int(np.flatnonzero(design.order == 0)[0])
    alone = dict.fromkeys(checked, "a") | {design.items[first]: "c"}
    remarks = assess(design, alone, rng=1).remarks
    said = "1 checked item has a category without labels, such as 'c': it counts as wrong."
    assert said in remarks
    loud = assess(design, dict.fromkeys(checked, "A"), rng=1)
    assert any("'A' is written 'a' there: write both alike." in text for text in loud.remarks)
    columns = ["estimate", "by_probabilities", "by_checks"]
    for name in columns:
        ends = [f"{name}_lower", f"{name}_upper"] if name != "estimate" else ["lower", "upper"]
        table = loud.prevalence[[name, *ends]].dropna()
        assert ((table >= 0) & (table <= 1)).all(axis=None)
        assert (table[ends[0]] <= table[name]).all()
        assert (table[name] <= table[ends[1]]).all()


def test_a_prevalence_is_no_less_than_0_and_no_more_than_1():
    # .1 + 0 - 5 / 10 is below 0, and .9 + 5 / 10 above 1.
    low = stratified_prevalence(0.1, [0], [5], [10], [1000])
    high = stratified_prevalence(0.9, [5], [0], [10], [1000])
    assert (low.lower, low.estimate, high.estimate, high.upper) == (0, 0, 1, 1)
    assert low.upper >= 0
    assert high.lower <= 1


def test_items_that_were_not_drawn_are_refused(design):
    other = design.items[int(np.flatnonzero(~design.drawn)[0])]
    with pytest.raises(AnnotationError, match="was checked but not drawn"):
        assess(design, {other: "a"})
    with pytest.raises(AnnotationError, match="is not among the 2,000 items"):
        assess(design, {"nobody": "a"})
    few = {design.items[i]: "a" for i in np.flatnonzero(design.drawn)[:9]}
    with pytest.raises(AnnotationError, match="Check at least 10"):
        assess(design, few)


def test_of_an_unlimited_population_a_stratum_is_never_known():
    all_checked = stratified_share([57], [67], [67], construction="wilson", unlimited=True)
    alone = proportion_interval(57, 67)
    assert (all_checked.lower, all_checked.upper) == pytest.approx((alone.lower, alone.upper))
    assert stratified_share([57], [67], [67], construction="wilson").lower == 57 / 67


def test_jeffreys_limits_of_one_stratum_are_those_of_brown_cai_and_dasgupta():
    one = stratified_share([3], [20], [20], construction="jeffreys", unlimited=True)
    assert one.lower == pytest.approx(stats.beta.ppf(0.025, 3.5, 17.5))
    assert one.upper == pytest.approx(stats.beta.ppf(0.975, 3.5, 17.5))
    none = stratified_share([0], [20], [20], construction="jeffreys", unlimited=True)
    assert (none.lower, none.upper) == (0, pytest.approx(stats.beta.ppf(0.975, 0.5, 20.5)))
    assert stratified_share([3], [20], [20], construction="jeffreys").lower == 3 / 20
