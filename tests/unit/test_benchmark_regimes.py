"""Simulated regimes: each has the size and the annotators that its description states."""

import math

import numpy as np
import pytest

from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.regimes import KINDS, simulate, simulate_regimes
from annobench.labels.annotations import Annotations

SIZE = {"n_categories": 2, "labels_per_item": 5, "n_items": 60, "n_annotators": 12}


def accuracy_of_labels(one):
    gold = one.gold[one.annotations.item]
    right = one.annotations.label == gold
    n = np.bincount(one.annotations.annotator)
    return np.bincount(one.annotations.annotator, weights=right) / n


@pytest.mark.parametrize("n_categories", [2, 5])
@pytest.mark.parametrize("kind", ["good", "mixed", "spam", "adversarial"])
def test_regimes_have_the_stated_size_and_annotators(kind, n_categories):
    one = simulate(
        kind, n_categories=n_categories, labels_per_item=10, n_items=2000, n_annotators=40, seed=3
    )
    a = one.annotations
    assert (a.n_items, a.n_annotators, a.n_labels) == (2000, 40, 20_000)
    assert a.first_repeat is None
    assert one.provenance == "regime"
    share = np.bincount(one.gold, minlength=n_categories) / 2000
    first = 2 / (n_categories + 1)
    assert abs(share[0] - first) < 4 * math.sqrt(first * (1 - first) / 2000)
    right = accuracy_of_labels(one)
    bad = {"good": 0, "mixed": 0, "spam": 20, "adversarial": 12}[kind]
    if kind == "mixed":
        assert right.min() < 0.6 < 0.85 < right.max()
    else:
        # Beta(17, 3) has mean 0.85 and deviation 0.078.
        assert abs(right[bad:].mean() - 0.85) < 4 * 0.078 / math.sqrt(40 - bad)
    if kind == "adversarial":
        assert right[:bad].max() < 0.5


def big(kind, **size):
    given = {"n_categories": 2, "labels_per_item": 5, "n_items": 4000, "n_annotators": 80} | size
    return simulate(kind, **given, seed=5)


def rows(one):
    """Whether each label is right, and its gold category."""
    gold = one.gold[one.annotations.item]
    return one.annotations.label == gold, gold


def correlation_given_category(one):
    """The mean correlation, given the category, of being right between labels of one item."""
    right, gold = rows(one)
    table = right.reshape(-1, 5) - np.array([right[gold == k].mean() for k in (0, 1)])[
        one.gold
    ].reshape(-1, 1)
    pairs = np.corrcoef(table.T)[np.triu_indices(5, 1)]
    return pairs.mean()


def test_errors_are_independent_given_the_category_unless_the_kind_says_otherwise():
    # Of 10 pairs of 4,000 items the mean correlation has an error of about .016 / sqrt(10).
    assert abs(correlation_given_category(big("good"))) < 0.02
    assert correlation_given_category(big("correlated")) > 0.1
    assert correlation_given_category(big("difficulty")) > 0.05


def test_correlated_annotators_are_fooled_on_a_quarter_of_the_items():
    right, _ = rows(big("correlated"))
    # .75 x .85 + .25 x .5 x .85; over annotators the mean of beta(5, 5) has an error of .017.
    assert right.mean() == pytest.approx(0.74375, abs=0.03)
    wrong = 1 - right.reshape(-1, 5).mean(axis=1)
    # Binomial errors alone would make most wrong on 2.7% of the items.
    assert (wrong > 0.5).mean() > 0.08


def test_annotators_who_tire_are_worse_in_the_end():
    right, _ = rows(big("drift"))
    first, last = right[:2000].mean(), right[-2000:].mean()
    # From .85 on average to the middle between that and chance.
    assert first == pytest.approx(0.85, abs=0.04)
    assert last == pytest.approx((0.85 + 0.5) / 2, abs=0.05)


def test_few_and_the_long_tail_have_the_labels_they_state():
    per_item = np.bincount(big("few", labels_per_item=2).annotations.item, minlength=4000)
    assert set(per_item) == {1, 2}
    assert per_item.mean() == pytest.approx(1.5, abs=0.04)
    one = big("long_tail")
    load = np.bincount(one.annotations.annotator)
    assert one.annotations.n_labels >= 20_000
    assert load.min() == 1
    assert 95 < load.max() <= 100
    # Half of the annotators have up to the root of 100.
    assert (load <= 10).mean() == pytest.approx(0.5, abs=0.07)
    assert one.annotations.first_repeat is None


def test_the_rare_category_has_its_prevalence():
    one = big("imbalance")
    assert (one.gold == 1).mean() == pytest.approx(0.02, abs=4 * math.sqrt(0.02 * 0.98 / 4000))


def test_of_many_categories_neighbours_are_confused():
    one = big("many", n_categories=50)
    right, gold = rows(one)
    away = (one.annotations.label.astype(int) - gold) % 50
    wrong = away[~right]
    # Four fifths, and two of the 49 wrong ones of the rest.
    assert np.isin(wrong, [1, 49]).mean() == pytest.approx(0.8 + 0.2 * 2 / 49, abs=0.02)


def test_settings_are_crossed():
    crossed = [
        {"kinds": ["good", "few"], "categories": [2, 3], "labels_per_item": [2]},
        {"kinds": ["many"], "categories": [9], "labels_per_item": [3]},
    ]
    found = simulate_regimes({"items": 30, "annotators": 6, "crossed": crossed}, 1)
    assert [each.name for each in found] == [
        "good, K = 2, 2 labels",
        "good, K = 3, 2 labels",
        "few, K = 2, 2 labels",
        "few, K = 3, 2 labels",
        "many, K = 9, 3 labels",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_small_regimes_are_labels_with_gold(kind):
    one = simulate(kind, **SIZE | {"n_items": 20, "n_annotators": 5, "labels_per_item": 3}, seed=1)
    assert isinstance(one, BenchmarkCase)
    assert isinstance(one.annotations, Annotations)
    assert one.scored.any()
    assert set(one.gold) <= {0, 1}


def test_the_same_seed_gives_the_same_regime_and_another_another():
    first, second, third = (simulate("mixed", **SIZE, seed=seed) for seed in (1, 1, 2))
    assert first.annotations.label.tobytes() == second.annotations.label.tobytes()
    assert first.annotations.label.tobytes() != third.annotations.label.tobytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"kind": "lazy"}, "kind must be one of"), ({"labels_per_item": 13}, "13 labels per item")],
)
def test_regimes_that_cannot_be_are_refused(options, message):
    given = {"kind": "good", "labels_per_item": 3} | options
    with pytest.raises(ValueError, match=message):
        simulate(given.pop("kind"), n_categories=2, n_items=5, n_annotators=12, seed=1, **given)
