"""Votes weighted by agreement with their winners: cases by hand, and against plain loops."""

from __future__ import annotations

from functools import partial

import numpy as np
import panels
import pytest
import scipy.stats
from panels import panel

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import catd, pm, voting, wawa, zero_based_skill

simulated = partial(panels.simulated, n_annotators=7, right=(0.4, 0.9), share=0.6)


# The definitions again, label by label, with plain loops.


def rows_of(annotations: Annotations):
    return list(zip(annotations.item, annotations.annotator, annotations.label, strict=True))


def vote(annotations: Annotations, weights) -> tuple[np.ndarray, list[list[int]]]:
    """Return shares and winners of a weighted vote; sums that are equal but for rounding tie."""
    votes = np.zeros((annotations.n_items, annotations.n_categories))
    for i, j, label in rows_of(annotations):
        votes[i, label] += weights[j]
    winners = [[k for k, v in enumerate(row) if v >= row.max() * (1 - 1e-11)] for row in votes]
    total = votes.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, votes / np.where(total > 0, total, 1), 1 / votes.shape[1])
    return shares, winners


def agreement(annotations: Annotations, winners) -> np.ndarray:
    """Return the share of each annotator's labels that name a winner, one of t counting 1/t."""
    right, number = np.zeros(annotations.n_annotators), np.zeros(annotations.n_annotators)
    for i, j, label in rows_of(annotations):
        number[j] += 1
        if label in winners[i]:
            right[j] += 1 / len(winners[i])
    return right / number


# Wawa.


def test_wawa_by_hand():
    # x: 1 wins, y: 0 wins, z: 0 and 1 tie. Annotator 0 is right on x and y and by a half on z.
    fit = wawa.fit(panel({"x": "111", "y": "001", "z": "01-"}))
    np.testing.assert_allclose(fit.accuracy, [2.5 / 3, 2.5 / 3, 1 / 2], rtol=1e-12)
    weight = 2.5 / 3
    share = [1, 0.5 / (2 * weight + 0.5), 0.5]
    np.testing.assert_allclose(fit.posterior[:, 1], share, rtol=1e-12)
    assert fit.posterior[2, 0] == fit.posterior[2, 1]  # still a tie, and shown as one


def test_the_second_vote_of_wawa_can_overturn_the_first():
    # On x the many who are seldom right win the first vote, two against one, by 0.4 each.
    rows = {f"y{n}": "1" + "1001"[n] + "0100"[n] + "11" for n in range(4)} | {"x": "100--"}
    fit = wawa.fit(panel(rows))
    assert voting.fit(panel(rows)).winners[-1].tolist() == [True, False]
    # Annotator 0: right on the four y, 1 and 2: on x and on two and one of the y.
    np.testing.assert_allclose(fit.accuracy, [4 / 5, 3 / 5, 2 / 5, 1, 1], rtol=1e-12)
    np.testing.assert_allclose(fit.posterior[-1], [1.0 / 1.8, 0.8 / 1.8], rtol=1e-12)


@pytest.mark.parametrize("n_categories", [2, 3, 6])
def test_wawa_against_plain_loops(rng, n_categories):
    annotations = simulated(rng, n_categories)
    fit = wawa.fit(annotations)
    weights = agreement(annotations, vote(annotations, np.ones(7))[1])
    np.testing.assert_allclose(fit.accuracy, weights, rtol=1e-12)
    np.testing.assert_allclose(fit.posterior, vote(annotations, weights)[0], rtol=1e-12)


def test_an_annotator_without_labels_agrees_with_nobody_and_changes_nothing():
    labels = {"x": "110", "y": "000", "z": "011"}
    for model in (wawa, zero_based_skill):
        alone, idle = model.fit(panel(labels)), model.fit(panel(labels, annotators="0123"))
        assert np.isnan(idle.accuracy[3])
        np.testing.assert_array_equal(idle.accuracy[:3], alone.accuracy)
        np.testing.assert_array_equal(idle.posterior, alone.posterior)


# Zero-based skill.


def plain_zero_based_skill(annotations: Annotations, n_rounds: int) -> tuple:
    skill, rate = np.full(annotations.n_annotators, 0.123), 1.0
    for number in range(1, n_rounds + 1):
        if number % 20 == 0:
            rate /= 2
        share = agreement(annotations, vote(annotations, skill)[1])
        skill = skill + rate * (share - skill)
    return vote(annotations, skill)[0], skill


def chain(n_annotators: int) -> Annotations:
    """Return ties of neighbours, each decided by the one before it, one a round.

    Annotator j - 1 says 1 on item j, annotator j says 0. At first all are right by halves but
    annotator 0, whose word on another item nobody contradicts.
    """
    rows = [("anchor", 0, 1)]
    for j in range(1, n_annotators):
        rows += [(j, j - 1, 1), (j, j, 0)]
    return Annotations.from_arrays(*zip(*rows, strict=True))


@pytest.mark.parametrize("n_rounds", [1, 2, 25, 45])
def test_zero_based_skill_against_plain_loops(rng, n_rounds):
    # The value that all begin with does not matter; the loops begin with another.
    for labels in (simulated(rng, 2), simulated(rng, 6), chain(40)):
        fit = zero_based_skill.fit(labels, tolerance=0, max_iterations=n_rounds)
        posterior, skill = plain_zero_based_skill(labels, n_rounds)
        np.testing.assert_allclose(fit.accuracy, skill, rtol=1e-12)
        np.testing.assert_allclose(fit.posterior, posterior, rtol=1e-12)
        assert (fit.n_iterations, fit.converged) == (n_rounds, False)


def test_one_round_of_zero_based_skill_is_wawa_and_none_is_voting(rng):
    idle = zero_based_skill.fit(panel({"x": "11"}, annotators="012"), max_iterations=0)
    np.testing.assert_array_equal(idle.accuracy, [1, 1, np.nan])
    annotations = simulated(rng)
    none = zero_based_skill.fit(annotations, max_iterations=0)
    np.testing.assert_allclose(none.posterior, voting.fit(annotations).posterior, rtol=1e-12)
    one, other = zero_based_skill.fit(annotations, max_iterations=1), wawa.fit(annotations)
    np.testing.assert_array_equal(one.accuracy, other.accuracy)
    np.testing.assert_array_equal(one.posterior, other.posterior)


def test_zero_based_skill_stops_where_another_round_changes_nothing(rng):
    annotations = simulated(rng)
    fit = zero_based_skill.fit(annotations)
    assert fit.converged
    assert fit.n_iterations < 20  # the rate was 1: the end is exact
    hundred = zero_based_skill.fit(annotations, tolerance=0)
    assert hundred.n_iterations == 100
    np.testing.assert_array_equal(fit.accuracy, hundred.accuracy)
    np.testing.assert_array_equal(fit.posterior, hundred.posterior)


def test_rounds_at_the_rate_1_never_go_round_in_a_circle(rng):
    # With r_j labels of n_j that name winners, the weights are r_j / n_j. New winners have the
    # most weight: sum r_j / n_j r'_j >= sum r_j^2 / n_j. By Cauchy and Schwarz sum r_j^2 / n_j
    # therefore never falls, and where it stays, everything does.
    for labels in (simulated(rng, 2, 40), simulated(rng, 4, 40), chain(18)):
        number = np.bincount(labels.annotator)
        squares = [
            number @ zero_based_skill.fit(labels, tolerance=0, max_iterations=n).accuracy ** 2
            for n in range(1, 19)
        ]
        assert np.diff(squares).min() >= -1e-12 * squares[-1]
        assert squares[-1] > squares[0]


def test_one_decision_a_round_takes_as_many_rounds_as_decisions():
    # Fourteen decisions, a round for the weights that follow, and one that finds nothing to do.
    fit = zero_based_skill.fit(chain(15))
    assert (fit.n_iterations, fit.converged) == (16, True)
    assert fit.accuracy[[0, 1, 2]].tolist() == [1, 0, 1]


# PM.


def test_pm_by_hand():
    # z is a tie, off by a half for 0 and 1; 2 is off on y. Shares 1/6, 1/6 and 1/2, and z ties on.
    one = pm.fit(panel({"x": "111", "y": "001", "z": "01-"}))
    np.testing.assert_allclose(one.weights, np.log([3, 3, 1]), atol=1e-12)
    assert (one.n_iterations, one.converged) == (1, True)
    # With w, a tie of 1 and 2: shares 1/6, 1/4 and 1.5/3.
    labels = panel({"x": "111", "y": "001", "z": "01-", "w": "-01"})
    first = pm.fit(labels, max_iterations=1)
    np.testing.assert_allclose(first.weights, np.log([3, 2, 1]), atol=1e-12)
    np.testing.assert_allclose(first.posterior[2, 0], np.log(3) / np.log(6), rtol=1e-12)
    assert first.posterior[3].tolist() == [1, 0]
    assert not first.converged
    # Then 0 is off nowhere, 1 on z, 2 on y and w: 0, 1/4, 2/3.
    second = pm.fit(labels, max_iterations=2)
    np.testing.assert_allclose(second.weights, [-np.log(pm.LEAST), np.log(8 / 3), 0], rtol=1e-9)
    assert second.converged


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # Annotator 0 is off on one of four labels, 1 on one of two, 2 and 3 on none of four.
        ({}, [np.log(2), 0]),
        ({"distance": "number"}, [0, 0]),
        ({"relative_to": "sum"}, [np.log(3), np.log(1.5)]),
        ({"distance": "number", "relative_to": "sum"}, [np.log(2), np.log(2)]),
    ],
)
def test_distances_and_what_they_are_divided_by(options, expected):
    labels = panel({"x": "1111", "y": "0-11", "z": "1-11", "w": "1011"})
    fit = pm.fit(labels, max_iterations=1, **options)
    np.testing.assert_allclose(fit.weights[:2], expected, atol=1e-12)
    np.testing.assert_allclose(fit.weights[2:], -np.log(1e-7), rtol=1e-12)


def plain_pm(annotations: Annotations, distance: str, relative_to: str, n_rounds: int):
    number = np.bincount(annotations.annotator)
    _, winners = vote(annotations, np.ones(annotations.n_annotators))
    values = []
    for _ in range(n_rounds):
        off = 1 - agreement(annotations, winners)
        off = off * number if distance == "number" else off
        reference = off.max() if relative_to == "maximum" else off.sum()
        # Next to 0, not 0, the worst one's votes count where there are no others.
        weights = np.maximum(-np.log(np.maximum(off / reference, 1e-7)), 1e-12)
        values.append(weights @ off)
        shares, winners = vote(annotations, weights)
    return shares, weights, values


@pytest.mark.parametrize("distance", ["share", "number"])
@pytest.mark.parametrize("relative_to", ["maximum", "sum"])
@pytest.mark.parametrize("n_categories", [2, 5])
def test_pm_against_plain_loops(rng, distance, relative_to, n_categories):
    annotations = simulated(rng, n_categories)
    options = {"distance": distance, "relative_to": relative_to}
    for n_rounds in (1, 2, 6):
        fit = pm.fit(annotations, max_iterations=n_rounds, **options)
        posterior, weights, _ = plain_pm(annotations, distance, relative_to, fit.n_iterations)
        np.testing.assert_allclose(fit.weights, weights, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(fit.posterior, posterior, atol=1e-10)


@pytest.mark.parametrize("n_categories", [2, 3, 5])
def test_by_number_and_sum_the_weighted_distance_never_rises(rng, n_categories):
    # Theorem 6: each step solves for its own half.
    annotations = simulated(rng, n_categories, n_items=300)
    values = plain_pm(annotations, "number", "sum", 8)[2]
    assert np.diff(values).max() <= 1e-12 * values[0]
    assert values[-1] < values[0]
    assert pm.fit(annotations, distance="number", relative_to="sum").converged


def test_where_all_agree_pm_weighs_nobody_and_counts_votes():
    fit = pm.fit(panel({"x": "11-", "y": "000"}))
    assert fit.weights.tolist() == [0, 0, 0]
    assert fit.posterior[:, 1].tolist() == [1, 0]


def test_items_of_the_annotator_who_weighs_nothing_are_called_by_votes():
    # Annotator 2 is furthest off, and alone on y.
    fit = pm.fit(panel({"x": "110", "z": "110", "w": "10-", "v": "111", "y": "--0"}))
    assert fit.weights[2] == 0
    assert fit.posterior[-1].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"distance": "mean"}, "pm.fit: distance must be one of share, number, got 'mean'"),
        ({"relative_to": "all"}, "pm.fit: relative_to must be one of maximum, sum, got 'all'"),
    ],
)
def test_unknown_words_of_pm_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        pm.fit(panel({"x": "11"}), **options)


# CATD.


def test_catd_by_hand():
    # The quantile of chi-squared with two degrees of freedom is closed: -2 log(1 - p).
    fit = catd.fit(panel({"x": "110", "y": "101"}), max_iterations=1)
    low = -2 * np.log(1 - 0.025)
    np.testing.assert_allclose(fit.weights, [low / 1e-9, low / 1, low / 1], rtol=1e-6)
    half = catd.fit(panel({"x": "110", "y": "101"}), level=0.5, max_iterations=1)
    np.testing.assert_allclose(half.weights[1:], -2 * np.log(0.75), rtol=1e-6)


def test_few_labels_weigh_little_however_good():
    # Off: one of 41 labels, none of 40, one of two, none of two.
    rows = {f"x{n}": "11--" for n in range(38)} | {"y": "0111", "z": "110-", "w": "1--1"}
    fit = catd.fit(panel(rows))
    number, errors = np.array([41, 40, 2, 2]), np.array([1, 0, 1, 0])
    expected = scipy.stats.chi2.ppf(0.025, number) / (errors + 1e-9)
    np.testing.assert_allclose(fit.weights, expected, rtol=1e-9)
    assert 20 < fit.weights[0] < 41
    assert fit.weights[2] < 0.06
    assert fit.weights[3] > 1e7


def plain_catd(annotations: Annotations, level: float, n_rounds: int):
    number = np.bincount(annotations.annotator)
    _, winners = vote(annotations, np.ones(annotations.n_annotators))
    for _ in range(n_rounds):
        errors = number * (1 - agreement(annotations, winners))
        weights = scipy.stats.chi2.ppf((1 - level) / 2, number) / (errors + 1e-9)
        shares, winners = vote(annotations, weights)
    return shares, weights


@pytest.mark.parametrize("n_categories", [2, 5])
def test_catd_against_plain_loops(rng, n_categories):
    annotations = simulated(rng, n_categories)
    for n_rounds in (1, 2, 6):
        fit = catd.fit(annotations, level=0.9, max_iterations=n_rounds)
        posterior, weights = plain_catd(annotations, 0.9, fit.n_iterations)
        np.testing.assert_allclose(fit.weights, weights, rtol=1e-8)
        np.testing.assert_allclose(fit.posterior, posterior, atol=1e-9)
    assert catd.fit(annotations).converged


def test_a_level_out_of_its_range_is_refused():
    with pytest.raises(AnnotationError, match="level must be between 0 and 1, got 95"):
        catd.fit(panel({"x": "11"}), level=95)


@pytest.mark.parametrize("model", [pm, catd])
@pytest.mark.parametrize("n_rounds", [0, 1, 5])
def test_an_annotator_without_labels_has_no_weight(model, n_rounds):
    labels = {"x": "110", "y": "000", "z": "011", "w": "101"}
    alone = model.fit(panel(labels), max_iterations=n_rounds)
    idle = model.fit(panel(labels, annotators="0123"), max_iterations=n_rounds)
    assert np.isnan(idle.weights).tolist() == [False, False, False, True]
    np.testing.assert_array_equal(idle.weights[:3], alone.weights)
    np.testing.assert_array_equal(idle.posterior, alone.posterior)


@pytest.mark.parametrize("model", [pm, catd])
def test_no_round_leaves_the_votes(model, rng):
    annotations = simulated(rng)
    none = model.fit(annotations, max_iterations=0)
    np.testing.assert_allclose(none.posterior, voting.fit(annotations).posterior, rtol=1e-12)
    assert (none.n_iterations, none.converged) == (0, False)
