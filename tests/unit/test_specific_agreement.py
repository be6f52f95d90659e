"""Specific agreement: by hand, by loops over pairs, and beside the coefficients it belongs to."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from annobench import agreement
from annobench.agreement.replicates import bootstrap_groups
from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.labels.annotations import Annotations


def made(rng, n_items=30, n_annotators=4, missing=0.2):
    rows = [
        (i, j, str(rng.integers(3)))
        for i in range(n_items)
        for j in range(n_annotators)
        if rng.random() > missing
    ]
    item, annotator, label = zip(*rows, strict=True)
    return Annotations.from_arrays(item, annotator, label, categories=["0", "1", "2"])


def looped(labels_of_items, category):
    """Count ordered pairs of labels of different annotators, one by one."""
    chosen = together = 0
    for labels in labels_of_items:
        for (j, first), (other, second) in itertools.permutations(labels, 2):
            if j != other and first == category:
                chosen += 1
                together += second == category
    return together / chosen


def by_item(a):
    return [
        [(int(a.annotator[n]), a.categories[a.label[n]]) for n in a.by_item[i]]
        for i in range(a.n_items)
    ]


def test_two_annotators_by_hand():
    # Both 80 times, one alone 10 and 5 times: 160 / 175; for the other category 10 / 25.
    a = Annotations.from_contingency([[80, 10], [5, 5]])
    assert agreement.specific_agreement(a, "0").estimate == pytest.approx(160 / 175, rel=1e-14)
    assert agreement.specific_agreement(a, "1").estimate == pytest.approx(10 / 25, rel=1e-14)


@pytest.mark.parametrize("category", ["0", "1", "2"])
def test_several_annotators_by_loops(rng, category):
    a = made(rng)
    found = agreement.specific_agreement(a, category).estimate
    assert found == pytest.approx(looped(by_item(a), category), rel=1e-12)


def test_copies_of_annotators_are_what_copied_labels_give(rng):
    a = made(rng)
    copies = np.array([3.0, 0, 2, 1])
    copied = [[(j, k) for j, k in labels for _ in range(int(copies[j]))] for labels in by_item(a)]
    form = agreement.specific_agreement(a, "1").make_form(a, copies)
    assert float(form.value(form.totals)) == pytest.approx(looped(copied, "1"), rel=1e-12)


def test_items_and_pairs_are_told_apart():
    # Of three labels of x, two are of the category: four ordered pairs begin in it, two end there.
    # The item z has one label and is no pair.
    rows = [
        ("x", "a", 1),
        ("x", "b", 1),
        ("x", "c", 0),
        ("y", "a", 0),
        ("y", "b", 0),
        ("z", "a", 1),
    ]
    result = agreement.specific_agreement(Annotations.from_arrays(*zip(*rows, strict=True)), "1")
    found = result.by_item().set_index("item")["observed_agreement"]
    assert found["x"] == pytest.approx(0.5)
    assert found[["y", "z"]].isna().all()
    assert result.used.tolist() == [True, True, False]
    assert result.refit(result.annotations).estimate == result.estimate
    pairs = result.by_pair().set_index(["first", "second"])["estimate"]
    assert pairs["a", "b"] == 1
    assert pairs["a", "c"] == 0


def test_the_weighted_mean_over_categories_is_percent_agreement(rng):
    a = made(rng, missing=0)
    given = np.bincount(a.label)
    values = [agreement.specific_agreement(a, k).estimate for k in a.categories]
    percent = agreement.percent_agreement(a).estimate
    assert np.average(values, weights=given) == pytest.approx(percent, rel=1e-12)


def test_kappa_tends_to_it_as_what_nobody_chose_grows():
    values = [
        agreement.cohen_kappa(Annotations.from_contingency([[40, 10], [20, n]])).estimate
        for n in (100, 10_000, 1_000_000)
    ]
    limit = agreement.specific_agreement(Annotations.from_contingency([[40, 10], [20, 0]]), "0")
    assert limit.estimate == pytest.approx(80 / 110)
    gaps = limit.estimate - np.array(values)
    assert (gaps > 0).all()
    assert gaps[-1] < 1e-4 < gaps[0]


def test_what_nobody_chose_changes_neither_estimate_nor_error():
    few, many = (
        agreement.specific_agreement(Annotations.from_contingency(t), "0")
        for t in ([[40, 10], [20, 5]], [[40, 10], [20, 5000]])
    )
    assert few.estimate == many.estimate
    assert few.standard_error == pytest.approx(many.standard_error, rel=1e-9)


def test_a_category_that_nobody_chose_is_undefined():
    a = Annotations.from_contingency([[3, 1, 0], [2, 4, 0], [0, 0, 0]])
    with pytest.warns(DegenerateWarning, match="Nobody gave the category"):
        assert np.isnan(agreement.specific_agreement(a, "2").estimate)
    with pytest.raises(AnnotationError, match="category '9' is not among '0', '1', '2'"):
        agreement.specific_agreement(a, "9")


def test_groups_of_one_item_are_items():
    kappa = agreement.cohen_kappa(Annotations.from_contingency([[30, 10], [20, 40]]))
    groups = bootstrap_groups(kappa, np.arange(100), replicates=4000, rng=1)
    items = kappa.bootstrap(replicates=4000, rng=2)
    assert groups.std() == pytest.approx(items.std(), rel=0.08)


def test_groups_of_equal_items_widen_as_their_size():
    # Ten equal items a group are one item ten times: the error grows by the root of ten.
    kappa = agreement.cohen_kappa(Annotations.from_contingency([[300, 100], [200, 400]]))
    groups = bootstrap_groups(kappa, np.arange(1000) // 10, replicates=4000, rng=1)
    assert groups.std() == pytest.approx(kappa.standard_error * 10**0.5, rel=0.15)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.zeros(5, dtype=int), "whole number for each item"),
        (np.zeros(100), "whole number for each item"),
        (np.zeros(100, dtype=int), "got 1 group of"),
    ],
)
def test_groups_that_are_none_are_refused(groups, message):
    kappa = agreement.cohen_kappa(Annotations.from_contingency([[30, 10], [20, 40]]))
    with pytest.raises(AnnotationError, match=message):
        bootstrap_groups(kappa, groups, rng=1)
    with pytest.raises(AnnotationError, match="at least 1"):
        bootstrap_groups(kappa, np.arange(100), replicates=0, rng=1)
