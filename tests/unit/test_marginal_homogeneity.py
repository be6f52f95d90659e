"""Tests of marginal homogeneity where tables are degenerate, and of what a result says."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from annobench.agreement import marginal_homogeneity
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations


def of_table(table, **options):
    return marginal_homogeneity(Annotations.from_contingency(table, **options))


def pair(table, **options) -> pd.Series:
    return of_table(table, **options).pairs.iloc[0]


THREE = np.array([[20, 7, 3], [2, 15, 6], [1, 2, 12]])


@pytest.mark.parametrize(
    "wider",
    [
        np.pad(THREE, (0, 1)),  # nobody used the fourth category
        np.pad(THREE, (0, 1)) + np.diag([0, 0, 0, 9]),  # they never differ on it
    ],
)
def test_a_category_that_is_never_confused_takes_no_degree_of_freedom(wider):
    narrow, wide = pair(THREE), pair(wider)
    assert wide["df"] == narrow["df"] == 2
    assert wide["stuart_maxwell"] == pytest.approx(narrow["stuart_maxwell"], rel=1e-12)
    assert wide["p_value"] == pytest.approx(narrow["p_value"], rel=1e-12)


def test_a_category_that_neither_used_is_not_listed():
    found = of_table(np.pad(THREE, (0, 1)), categories=list("abcd"))
    assert found.categories["category"].tolist() == ["a", "b", "c"]


def test_parts_that_are_not_confused_with_each_other_are_tested_together():
    # Two tables of two categories: the statistics add up, with one degree of freedom each.
    block = np.zeros((4, 4), dtype=int)
    block[:2, :2] = [[20, 9], [1, 20]]
    block[2:, 2:] = [[5, 2], [6, 5]]
    found = pair(block)
    assert found["df"] == 2
    assert found["stuart_maxwell"] == pytest.approx(8**2 / 10 + 4**2 / 8, rel=1e-12)
    assert found["p_value"] == pytest.approx(stats.chi2.sf(6.4 + 2, 2), rel=1e-12)


def test_two_who_never_differ_have_no_test():
    found = of_table([[3, 0], [0, 4]])
    assert found.pairs["df"].item() == 0
    for name in ("stuart_maxwell", "bhapkar", "p_value", "p_bhapkar", "p_adjusted"):
        assert math.isnan(found.pairs[name].item())
    assert found.categories[["difference", "lower", "upper"]].eq(0).all(axis=None)
    assert repr(found) == (
        "MarginalHomogeneity: margins of 0 of 1 pairs differ at level 0.05, adjusted"
    )


def test_if_all_items_differ_in_one_direction_the_wald_statistic_is_infinite():
    found = pair([[0, 6], [0, 0]])
    assert found["stuart_maxwell"] == pytest.approx(6)
    assert found["bhapkar"] == math.inf
    assert found["p_bhapkar"] == 0
    assert found["p_value"] == pytest.approx(2 / 2**6)


def test_two_confused_categories_of_three_are_tested_exactly():
    table = np.diag([4, 4, 4])
    table[0, 1], table[1, 0] = 7, 1
    assert pair(table)["p_value"] == pytest.approx(stats.binomtest(1, 8).pvalue)


def test_ordered_labels_are_tested_for_their_direction():
    found = marginal_homogeneity(
        Annotations.from_arrays(
            np.tile(np.arange(10), 2),
            ["a"] * 10 + ["b"] * 10,
            [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 2, 2, 1, 1, 2, 1, 1, 1, 2],
            scale="ordinal",
        )
    ).pairs.iloc[0]
    assert found["n_different"] == 6
    assert found["first_higher"] == pytest.approx(5 / 6)
    assert found["p_higher"] == pytest.approx(stats.binomtest(5, 6).pvalue)


def test_the_labels_of_every_pair_are_compared_on_their_common_items():
    wide = pd.DataFrame(
        {
            "a": ["x", "x", "y", "x", None],
            "b": ["x", "y", "y", "y", "y"],
            "c": [None, None, "x", "x", "x"],
        }
    )
    a = Annotations.from_wide(wide)
    found = marginal_homogeneity(a)
    assert {(r["first"], r["second"]): r["n_items"] for _, r in found.pairs.iterrows()} == {
        ("a", "b"): 4,
        ("a", "c"): 2,
        ("b", "c"): 3,
    }
    for row in found.pairs.itertuples():
        two = marginal_homogeneity(a.select(annotators=[row.first, row.second])).pairs.iloc[0]
        assert row.p_value == pytest.approx(two["p_value"], nan_ok=True)
    # y stands for both categories; only the items that all labelled count.
    assert found.panel["category"].tolist() == ["y"]
    assert found.panel["n_items"].tolist() == [2]
    worst = found.pairs.iloc[0]
    assert (worst["first"], worst["second"], worst["difference"]) == ("b", "c", -1.0)
    p = found.pairs["p_value"].dropna().sort_values().to_numpy()
    assert found.pairs["p_adjusted"].iloc[0] == pytest.approx(min(1, p[0] * p.size))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (Annotations.from_sets([1, 1], ["x", "y"], [{"a"}, {"b"}]), "got sets"),
        (Annotations.from_arrays([1, 2], ["x", "y"], [0, 1]), "no two annotators have an item"),
        (Annotations.from_arrays([1, 1, 1], ["x", "x", "y"], [0, 1, 1]), "labelled an item twice"),
        (Annotations.from_counts([[2, 1], [0, 3]]), "anonymous"),
    ],
)
def test_labels_that_cannot_be_tested_are_refused(labels, message):
    with pytest.raises(AnnotationError, match=message):
        marginal_homogeneity(labels)


def test_pairs_with_few_common_items_are_left_out_on_request():
    a = Annotations.from_arrays(
        [*range(8), *range(8), 0, 1], [*"a" * 8, *"b" * 8, *"cc"], [*"xyxyxyxy", *"xxxyyyxy", *"xy"]
    )
    assert len(marginal_homogeneity(a).pairs) == 3
    found = marginal_homogeneity(a, min_items=3).pairs
    assert found[["first", "second"]].to_numpy().tolist() == [["a", "b"]]
    assert found["p_adjusted"].item() == found["p_value"].item()
    with pytest.raises(AnnotationError, match="no two annotators have 9 items in common"):
        marginal_homogeneity(a, min_items=9)
