"""Collapsing categories along a hierarchy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.hierarchy import Hierarchy

WEATHER = Hierarchy(
    {
        "wet": {"rain": "wet", "snow": "wet", "sun": "dry"},
        "cold": {"rain": "mild", "snow": "cold", "sun": "mild"},
    }
)
TABLE = [[20, 15, 5], [5, 15, 0], [5, 0, 15]]


def weather():
    return Annotations.from_contingency(TABLE, categories=["rain", "snow", "sun"])


def contingency(a):
    """Count pairs of labels; items have one of each of two annotators."""
    wide = a.to_frame().pivot(index="item", columns="annotator", values="label")
    return [
        [int(((wide["1"] == k) & (wide["2"] == m)).sum()) for m in a.categories]
        for k in a.categories
    ]


def test_a_contingency_table_collapses_to_the_sums_of_its_blocks():
    # wet: 20 + 15 + 5 + 15 = 55; rain or snow against sun: 5 + 0, and 5 + 0 the other way.
    assert contingency(WEATHER.collapse(weather(), "wet")) == [[55, 5], [5, 15]]
    # mild: rain and sun, 20 + 5 + 5 + 15 = 45; snow with snow 15; 15 + 0 and 5 + 0 between.
    assert contingency(WEATHER.collapse(weather(), "cold")) == [[45, 15], [5, 15]]


def test_items_annotators_and_the_order_of_parents_are_kept():
    a, collapsed = weather(), WEATHER.collapse(weather(), "cold", scale="ordinal")
    assert collapsed.categories == WEATHER.parents("cold") == ("mild", "cold")
    assert collapsed.scale == "ordinal"
    assert (collapsed.items, collapsed.annotators) == (a.items, a.annotators)
    assert np.array_equal(collapsed.item, a.item)
    assert np.array_equal(collapsed.annotator, a.annotator)
    assert collapsed.label.dtype == a.label.dtype
    assert not collapsed.label.flags.writeable


def test_missing_and_repeated_labels_stay_as_they_are():
    a = Annotations.from_arrays(["x", "x", "y", "x"], list("abab"), ["p", "q", "r", "q"])
    collapsed = a.recode({"p": "s", "q": "s", "r": "r"})
    assert collapsed.to_frame()["label"].tolist() == ["s", "s", "r", "s"]
    assert collapsed.counts.tolist() == [[3, 0], [0, 1]]


def test_a_parent_without_a_label_is_still_a_category():
    a = Annotations.from_arrays(["x"], ["a"], ["p"], categories=["p", "q"])
    assert a.recode({"p": "one", "q": "two"}).categories == ("one", "two")


def test_nested_levels_are_collapsed_one_after_the_other():
    a = Annotations.from_arrays(range(4), ["a"] * 4, range(4))
    pairs = a.recode({"0": "low", "1": "low", "2": "high", "3": "high"})
    assert pairs.recode({"low": "any", "high": "any"}).categories == ("any",)


def test_names_that_are_no_text_are_taken_as_text():
    a = Annotations.from_arrays(range(3), ["a"] * 3, [1, 2, 3])
    assert a.recode({1: "low", 2: "low", 3: "high"}).categories == ("low", "high")


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1),
    st.lists(st.integers(0, 4), min_size=5, max_size=5),
)
def test_observed_agreement_never_falls(pairs, parents):
    table = np.zeros((5, 5), dtype=int)
    np.add.at(table, tuple(np.array(pairs).T), 1)
    a = Annotations.from_contingency(table)
    collapsed = a.recode({str(k): f"parent {p}" for k, p in enumerate(parents)})
    n = a.n_items
    before, after = ((each.label[:n] == each.label[n:]).sum() for each in (a, collapsed))
    assert after >= before
    assert collapsed.n_labels == a.n_labels


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({"rain": "wet", "sun": "dry"}, r"no new name is given for 'snow'\. Map every category"),
        ({"rain": "wet", "snow": "wet", "sun": "dry", "hail": "wet"}, "for 'hail', which the"),
        ({"rain": "wet", "snow": "", "sun": "dry"}, "a name is empty"),
        ({}, "no new name is given for 'rain', 'snow', 'sun'"),
        ({1: "wet", "1": "dry"}, "two new names are given for '1'"),
    ],
)
def test_a_mapping_that_does_not_fit_is_an_error(parents, message):
    with pytest.raises(AnnotationError, match=message):
        weather().recode(parents)


def test_long_lists_of_names_are_cut():
    a = Annotations.from_arrays(range(9), ["a"] * 9, range(9))
    with pytest.raises(AnnotationError, match="'1', '2', '3', '4', '5' and 3 more"):
        a.recode({"0": "zero"})


def test_an_unknown_level_or_scale_is_an_error():
    with pytest.raises(AnnotationError, match=r"no level 'warm'\. Known: 'wet', 'cold'"):
        WEATHER.collapse(weather(), "warm")
    with pytest.raises(AnnotationError, match="no level 'warm'"):
        WEATHER.parents("warm")
    with pytest.raises(AnnotationError, match="scale 'interval' is not one of nominal, ordinal"):
        WEATHER.collapse(weather(), "wet", scale="interval")


def test_levels_must_exist_and_name_the_same_categories():
    with pytest.raises(AnnotationError, match="there is no level"):
        Hierarchy({})
    with pytest.raises(AnnotationError, match="'wet' names no category"):
        Hierarchy({"wet": {}})
    with pytest.raises(AnnotationError, match="level 'cold' has no parent for 'sun'"):
        Hierarchy({"wet": {"rain": "wet", "sun": "dry"}, "cold": {"rain": "mild"}})


def test_a_hierarchy_does_not_change_with_what_it_was_made_from():
    level = {"rain": "wet"}
    made = Hierarchy({"wet": level})
    level["sun"] = "dry"
    assert made.categories == ("rain",)
    with pytest.raises(TypeError):
        made.levels["wet"]["sun"] = "dry"


def test_labels_that_are_sets_are_refused():
    a = Annotations.from_sets(["x"], ["a"], [{"rain", "snow"}])
    with pytest.raises(AnnotationError, match="labels are sets of elements"):
        a.recode({"{rain, snow}": "wet"})
