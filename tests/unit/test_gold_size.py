"""How many gold items distinguish two methods: formula by hand, and power by simulation."""

import math

import numpy as np
import pytest
import scipy.stats

from annobench.core.errors import AnnotationError
from annobench.evaluation.gold_size import (
    compare_accuracies,
    detectable,
    differences_in_accuracy,
    items_needed,
)

Z_LEVEL, Z_POWER = scipy.stats.norm.ppf([0.975, 0.8])


def sure(codes, n_categories=2):
    """Give all probability to one category of each item."""
    return np.eye(n_categories)[np.asarray(codes, dtype=int)]


def test_the_formula_by_hand():
    # (1.959964 * sqrt(.2) + .841621 * sqrt(.2 - .01))^2 / .01 = (.876523 + .366854)^2 / .01
    assert items_needed(0.1, 0.2) == math.ceil((0.876523 + 0.366854) ** 2 / 0.01) == 155
    assert items_needed(-0.1, 0.2) == 155


def test_an_equal_accuracy_needs_infinitely_many():
    assert items_needed(0.0, 0.3) == math.inf


def test_where_one_method_is_always_right_few_items_do():
    # psi = delta = 1 leaves no variance: z^2 = 3.84.
    assert items_needed(1.0, 1.0) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"difference": 0.5, "discordance": 0.2}, "between the square of the difference, 0.25"),
        ({"difference": 0.1, "discordance": 1.2}, "and 1, got 1.2"),
        ({"difference": 0.1, "discordance": 0.2, "level": 0.0}, "level must be between 0 and 1"),
        ({"difference": 0.1, "discordance": 0.2, "power": 1.0}, "between 0 and 1"),
    ],
)
def test_impossible_numbers_are_refused(arguments, message):
    with pytest.raises(AnnotationError, match=message):
        items_needed(**arguments)


@pytest.mark.parametrize(("only_first", "only_second"), [(0.10, 0.05), (0.20, 0.14), (0.30, 0.22)])
def test_the_number_gives_the_power_that_it_states(rng, only_first, only_second):
    difference, discordance = only_first - only_second, only_first + only_second
    n = int(items_needed(difference, discordance))

    def power(size, repetitions=4_000):
        counts = rng.multinomial(size, [only_first, only_second, 1 - discordance], size=repetitions)
        z = (counts[:, 0] - counts[:, 1]) / np.sqrt(np.maximum(counts[:, :2].sum(axis=1), 1))
        return (np.abs(z) > Z_LEVEL).mean()

    # Four standard errors of a share of 4,000, and a point for the normal approximation.
    slack = 4 * math.sqrt(0.8 * 0.2 / 4_000) + 0.01
    assert power(n) == pytest.approx(0.8, abs=slack)
    # The negative control: half the items have far less power.
    assert power(n // 2) < 0.8 - 3 * slack


@pytest.mark.parametrize(("difference", "discordance"), [(0.05, 0.1), (0.02, 0.3), (0.3, 0.5)])
def test_what_is_detectable_is_the_inverse_of_what_is_needed(difference, discordance):
    n = items_needed(difference, discordance)
    # Exact where the difference is 0; beyond, the variance under the alternative is smaller.
    exact = (Z_LEVEL + Z_POWER) * math.sqrt(discordance / n)
    assert detectable(discordance, int(n)) == pytest.approx(exact)
    assert difference <= exact * (1 + 1 / n)
    assert exact < difference * (1 + difference**2 / discordance)


def test_a_comparison_counts_discordant_items():
    gold = [0, 0, 0, 0, 1, 1, 1, 1, -1]
    first = sure([0, 0, 0, 0, 1, 1, 0, 1, 0])  # 7 of 8
    second = sure([0, 0, 0, 1, 0, 0, 1, 1, 0])  # 5 of 8; differs in 4, of which 3 for the first
    found = compare_accuracies(first, second, gold)
    assert found.n_items == 8
    assert found.difference == pytest.approx(2 / 8)
    assert found.discordance == pytest.approx(4 / 8)
    assert found.p_value == pytest.approx(2 * scipy.stats.norm.sf(2 / math.sqrt(4)))
    assert found.items_needed == items_needed(0.25, 0.5)
    assert found.detectable == detectable(0.5, 8)
    reverse = compare_accuracies(second, first, gold)
    assert reverse.difference == -found.difference
    assert reverse.p_value == found.p_value


def test_tied_categories_count_by_their_share():
    # A tie of two is half right, so that d is 1/2 on both items: mean 1/2, mean square 1/4.
    found = compare_accuracies(sure([0, 1]), [[0.5, 0.5], [0.5, 0.5]], [0, 1])
    assert (found.difference, found.discordance) == (0.5, 0.25)
    assert math.isfinite(found.items_needed)


def test_methods_that_never_differ_have_no_number():
    found = compare_accuracies(sure([0, 1]), sure([0, 1]), [0, 0])
    assert (found.difference, found.p_value, found.items_needed) == (0, 1, math.inf)
    assert found.detectable == 0


def test_the_test_rejects_as_often_as_it_says(rng):
    repetitions, n = 2_000, 400
    draws = rng.choice(3, p=[0.1, 0.1, 0.8], size=(repetitions, n))
    gold = np.zeros(n, dtype=int)
    rejected = sum(
        compare_accuracies(sure(row == 1), sure(row == 0), gold).p_value <= 0.05 for row in draws
    )
    low, high = scipy.stats.binom.ppf([5e-5, 1 - 5e-5], repetitions, 0.05)
    # The number of discordant items is a whole one: the level is met within a point.
    assert low - 20 <= rejected <= high + 20


def test_a_gold_standard_without_items_is_refused():
    with pytest.raises(AnnotationError, match="no item has a gold category"):
        compare_accuracies(sure([0]), sure([1]), [-1])


def test_methods_are_tested_against_one():
    gold = np.zeros(100, dtype=int)
    wrong = {"a": 10, "b": 4, "c": 4, "d": 60}
    found = differences_in_accuracy(
        "b", {name: sure(np.arange(100) < n) for name, n in wrong.items()}, gold
    ).set_index("method")
    assert found["minus_best"].tolist() == pytest.approx([-0.06, 0, 0, -0.56])
    assert math.isnan(found.loc["b", "p_value"])
    assert math.isnan(found.loc["b", "items_needed"])
    assert found.loc["c", "items_needed"] == math.inf
    # Holm: the smallest of three p-values is tripled, the next doubled.
    p_a, p_d = (2 * scipy.stats.norm.sf(math.sqrt(n)) for n in (6, 56))
    assert found.loc["d", "p_value"] == pytest.approx(3 * p_d)
    assert found.loc["a", "p_value"] == pytest.approx(2 * p_a)
    assert found.loc["c", "p_value"] == 1


def test_corrected_values_keep_their_order():
    gold = np.zeros(50, dtype=int)
    # McNemar's values of 5 and 6 discordant items, times 2 and 1: the larger is raised.
    answers = {"x": sure(np.arange(50) < 5), "y": sure(np.arange(50) < 6)}
    found = differences_in_accuracy("best", {"best": sure([0] * 50)} | answers, gold).set_index(
        "method"
    )
    doubled = 2 * 2 * scipy.stats.norm.sf(math.sqrt(6))
    assert doubled > 2 * scipy.stats.norm.sf(math.sqrt(5))
    assert found["p_value"].dropna().tolist() == pytest.approx([doubled, doubled])
