"""Lazy annotators are told from diligent ones by name."""

import numpy as np
import pytest
import scipy.stats

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.noise.lazy import find_lazy

TRUTH = np.tile([0, 1], 100)


def panel(rng, n_lazy, n_annotators=12, coin=0.7):
    lazy = np.arange(n_annotators)[:, None] < n_lazy
    rate = np.where(lazy, coin, np.where(TRUTH == 1, 0.9, 0.15))
    annotator, item = np.indices(rate.shape)
    label = (rng.random(rate.shape) < rate).astype(int)
    return Annotations.from_arrays(
        item.ravel(), annotator.ravel(), label.ravel(), items=range(200), categories=("0", "1")
    )


def test_two_kinds_of_annotators_are_told_apart():
    found = find_lazy(panel(np.random.default_rng(4), 3), TRUTH)
    assert set(found.table["annotator"][:3]) == {"0", "1", "2"}
    assert found.table["lazy_probability"][:3].min() > 0.99
    assert found.table["lazy_probability"][3:].max() < 0.01
    assert found.lazy_share == pytest.approx(0.25, abs=0.01)
    assert found.share_of_labels == pytest.approx(0.25, abs=0.01)
    assert found.lazy_rate == pytest.approx(0.7, abs=0.05)
    np.testing.assert_allclose(found.rate, [0.15, 0.9], atol=0.05)


def test_nobody_is_called_lazy_where_nobody_is():
    found = find_lazy(panel(np.random.default_rng(5), 0), TRUTH)
    assert found.share_of_labels < 0.01
    # Not 0, of which no label leads back.
    assert found.lazy_share == 1e-9


def test_the_estimate_stays_where_another_step_would_leave_it():
    # Diligent on four items each: nobody is surely lazy, and the probabilities fall slowly.
    truth, annotator = np.tile([0, 1], 10), np.repeat(np.arange(5), 4)
    label = truth.copy()
    label[[8, 19]] = 1 - label[[8, 19]]
    a = Annotations.from_arrays(range(20), annotator, label, categories=("0", "1"))
    found = find_lazy(a, truth)
    assert found.table.index.tolist() == list(range(5))
    chance = found.table.set_index("annotator").loc[list(a.annotators), "lazy_probability"]
    again = []
    for j in range(5):
        own = annotator == j
        guessed = np.where(label[own] == 1, found.lazy_rate, 1 - found.lazy_rate).prod()
        rate = found.rate[truth[own]]
        known = np.where(label[own] == 1, rate, 1 - rate).prod()
        lazy = found.lazy_share * guessed
        again.append(lazy / (lazy + (1 - found.lazy_share) * known))
    # A step that changes less than 1e-10 is the last, and the next one changes less still.
    np.testing.assert_allclose(again, chance, atol=1e-9)
    assert found.lazy_share == pytest.approx(chance.mean(), abs=1e-9)


def test_annotators_alike_stay_in_their_order():
    # Every other one of 30 gives the positive label throughout, all alike; the others are right.
    truth = np.tile([0, 1], 40)
    item, annotator = np.indices((80, 30))
    label = np.where(annotator % 2, 1, truth[:, None])
    a = Annotations.from_arrays(
        item.ravel(), annotator.ravel(), label.ravel(), annotators=range(30), categories=("0", "1")
    )
    order = find_lazy(a, truth).table["annotator"].astype(int).tolist()
    assert order == [*range(1, 30, 2), *range(0, 30, 2)]


def test_rates_and_tests_are_those_of_each_annotators_table():
    a = panel(np.random.default_rng(6), 2)
    row = find_lazy(a, TRUTH).table.iloc[0]
    own = a.annotator == a.annotators.index(row["annotator"])
    truth, says = TRUTH[a.item[own]], a.label[own]
    assert row["sensitivity"] == pytest.approx(says[truth == 1].mean())
    assert row["specificity"] == pytest.approx(1 - says[truth == 0].mean())
    table = [[(says[truth == t] == x).sum() for x in (1, 0)] for t in (1, 0)]
    theirs = scipy.stats.fisher_exact(table, alternative="greater").pvalue
    assert row["p_better_than_chance"] == pytest.approx(theirs)


def test_an_annotator_without_items_of_a_kind_has_no_rate():
    a = Annotations.from_arrays([0, 0, 1], [0, 1, 0], [1, 1, 0], categories=("0", "1"))
    table = find_lazy(a, [1, 0]).table.set_index("annotator")
    assert np.isnan(table.loc["1", "specificity"])
    assert table.loc["1", "sensitivity"] == 1


def test_labels_and_truth_that_are_not_binary_are_refused():
    three = Annotations.from_arrays([0, 0], [0, 1], [1, 2], categories=("0", "1", "2"))
    with pytest.raises(AnnotationError, match="3 categories"):
        find_lazy(three, [0])
    none = Annotations.from_arrays([], [], [], items=[0], annotators=[0], categories=("0", "1"))
    with pytest.raises(AnnotationError, match="there are no labels"):
        find_lazy(none, [0])
    with pytest.raises(AnnotationError, match="gold"):
        find_lazy(panel(np.random.default_rng(1), 1), TRUTH[:-1])
