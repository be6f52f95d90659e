"""Verbs of labels: properties that hold of any labels, cases by hand, and refusals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations

N_ITEMS, N_ANNOTATORS, CATEGORIES = 5, 4, ("a", "b", "c")
SEEDS = st.integers(0, 1000)
#: The first call may have to compile.
PROPERTY = settings(deadline=None, max_examples=50)


@st.composite
def labels(draw, repeats=True):
    """Draw labels in any order, some missing and, unless refused, some repeated."""
    row = st.tuples(
        st.integers(0, N_ITEMS - 1), st.integers(0, N_ANNOTATORS - 1), st.sampled_from(CATEGORIES)
    )
    rows = draw(st.lists(row, max_size=40, unique_by=None if repeats else lambda r: r[:2]))
    item, annotator, label = zip(*rows, strict=True) if rows else ((), (), ())
    return Annotations.from_arrays(
        item,
        annotator,
        label,
        items=range(N_ITEMS),
        annotators=range(N_ANNOTATORS),
        categories=CATEGORIES,
    )


def rows(a):
    """List the labels by name, in their order."""
    return a.to_frame().to_numpy().tolist()


def same(a, b):
    """Say whether two sets of labels are the same in every respect."""
    columns = ("item", "annotator", "label")
    about = ("items", "annotators", "categories", "scale", "members", "elements")
    return all(
        np.array_equal(getattr(a, c), getattr(b, c)) and getattr(a, c).dtype == getattr(b, c).dtype
        for c in columns
    ) and all(getattr(a, name) == getattr(b, name) for name in about)


def masks(n):
    return st.lists(st.booleans(), min_size=n, max_size=n)


# -------------------------------------------------------------------------------- select


@PROPERTY
@given(labels())
def test_selecting_all_is_the_identity(a):
    assert a.select() is a
    assert a.select(items=a.items, annotators=range(a.n_annotators)) is a
    assert a.select(labels=np.ones(a.n_labels, bool)) is a


@PROPERTY
@given(labels(), masks(N_ITEMS), masks(N_ANNOTATORS))
def test_a_selection_has_the_rows_that_a_frame_has(a, items, annotators):
    found = a.select(items=items, annotators=annotators)
    frame = a.to_frame()
    stays = [items[i] and annotators[j] for i, j in zip(a.item, a.annotator, strict=True)]
    assert rows(found) == frame[np.array(stays, bool)].to_numpy().tolist()
    assert found.items == tuple(np.array(a.items)[items])
    assert found.annotators == tuple(np.array(a.annotators)[annotators])
    assert found.categories == a.categories
    assert (found.item.dtype, found.annotator.dtype) == (np.int32, np.int32)


@PROPERTY
@given(labels(), masks(N_ITEMS), masks(N_ANNOTATORS))
def test_masks_codes_and_names_in_any_order_select_the_same(a, items, annotators):
    by_mask = a.select(items=items, annotators=annotators)
    codes = np.flatnonzero(items)[::-1], np.flatnonzero(annotators)[::-1]
    assert same(a.select(items=codes[0], annotators=codes[1]), by_mask)
    names = [a.items[i] for i in codes[0]], [a.annotators[j] for j in codes[1]]
    assert same(a.select(items=names[0], annotators=names[1]), by_mask)


@PROPERTY
@given(labels(), masks(N_ITEMS), masks(N_ANNOTATORS))
def test_selections_commute_and_are_idempotent(a, items, annotators):
    together = a.select(items=items, annotators=annotators)
    assert same(a.select(items=items).select(annotators=annotators), together)
    assert same(a.select(annotators=annotators).select(items=items), together)
    assert together.select(items=together.items) is together


@PROPERTY
@given(labels(), st.data())
def test_a_selection_of_labels_keeps_names(a, data):
    stays = np.array(data.draw(masks(a.n_labels)), bool)
    found = a.select(labels=stays)
    assert (found.items, found.annotators) == (a.items, a.annotators)
    assert rows(found) == a.to_frame()[stays].to_numpy().tolist()
    assert same(a.select(labels=np.flatnonzero(stays)[::-1]), found)


def test_a_selection_of_labels_counts_them_before_items_are_removed():
    a = Annotations.from_arrays(list("xyz"), list("aab"), list("110"))
    found = a.select(items=["y", "z"], labels=[0, 1])
    assert rows(found) == [["y", "a", "1"]]
    assert (found.items, found.annotators) == (("y", "z"), ("a", "b"))


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"items": [True]}, r"items of shape \(1,\)\. Give True or False for each of the 2 items"),
        ({"annotators": [[0]]}, r"annotators of shape \(1, 1\)"),
        ({"items": ["x", "w", "v"]}, "items 'w', 'v' unknown"),
        ({"items": [-1]}, "items -1 unknown. Give existing names, or .* from 0 to 1"),
        ({"annotators": [2]}, "annotators 2 unknown"),
        ({"annotators": [1, 1]}, "some annotators are listed twice"),
        ({"labels": ["1"]}, "labels are given as .* indices as whole numbers"),
        ({"labels": [0.5]}, "labels are given as float64"),
    ],
)
def test_a_selection_that_makes_no_sense_is_refused(wanted, message):
    a = Annotations.from_arrays(list("xy"), list("ab"), list("10"))
    with pytest.raises(AnnotationError, match=message):
        a.select(**wanted)


# -------------------------------------------------- complete, first labels, samples, parts


@PROPERTY
@given(labels(repeats=False))
def test_complete_items_have_a_label_of_each_annotator(a):
    found = a.complete()
    assert (np.diff(found.by_item.offsets) == a.n_annotators).all()
    assert found.annotators == a.annotators
    assert found.complete() is found
    everybody = [i for i in range(N_ITEMS) if len(set(a.annotator[a.by_item[i]])) == N_ANNOTATORS]
    assert found.items == tuple(a.items[i] for i in everybody)


def test_repeated_labels_do_not_make_an_item_complete():
    a = Annotations.from_arrays(list("xx"), list("aa"), list("10"), annotators="ab")
    with pytest.raises(AnnotationError, match=r"labelled an item twice.* first_labels\(\)"):
        a.complete()
    assert a.first_labels().complete().n_items == 0


@PROPERTY
@given(labels())
def test_first_labels_are_at_most_one_of_each_item_and_annotator(a):
    found = a.first_labels()
    frame = a.to_frame()
    assert rows(found) == frame.drop_duplicates(["item", "annotator"]).to_numpy().tolist()
    assert found.first_repeat is None
    assert found.first_labels() is found
    assert (found.items, found.annotators) == (a.items, a.annotators)


@PROPERTY
@given(labels(), st.integers(1, 6), SEEDS)
def test_a_subsample_is_without_replacement_and_follows_from_its_seed(a, per_item, seed):
    found = a.subsample(per_item, np.random.default_rng(seed))
    size, all_of_them = (each.counts.sum(axis=1) for each in (found, a))
    assert np.array_equal(size, np.minimum(all_of_them, per_item))
    assert (found.counts <= a.counts).all()
    assert same(found, a.subsample(per_item, seed))
    assert (found.items, found.annotators) == (a.items, a.annotators)
    # What is drawn stands in the old order.
    place = {tuple(row): n for n, row in reversed(list(enumerate(rows(a))))}
    if a.first_repeat is None:
        order = [place[tuple(row)] for row in rows(found)]
        assert order == sorted(order)


def test_a_subsample_by_hand():
    a = Annotations.from_arrays(list("aaabbc"), list("xyzxyx"), list("121212"))
    kept = a.subsample(2, np.random.default_rng(1))
    assert np.bincount(kept.item).tolist() == [2, 2, 1]
    assert kept.items == a.items


def test_every_label_is_drawn_equally_often(rng):
    a = Annotations.from_wide([list("abcd"), ["a", "b", None, None]])
    drawn = sum(a.subsample(2, rng).counts[0] for _ in range(2000))
    # Four binomial counts of 2,000 draws at 1/2: three standard errors are 67.
    assert abs(drawn - 1000).max() < 67


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2"])
def test_a_subsample_of_no_whole_number_is_refused(wrong):
    with pytest.raises(AnnotationError, match=r"per_item is .*whole number of at least 1"):
        Annotations.from_arrays(["x"], ["a"], ["1"]).subsample(wrong)


@PROPERTY
@given(labels(), st.lists(st.sampled_from("pqr"), min_size=N_ITEMS, max_size=N_ITEMS))
def test_parts_are_a_partition(a, key):
    parts = a.split_by(key)
    assert list(parts) == list(dict.fromkeys(key))
    for group, part in parts.items():
        assert same(part, a.select(items=[group == own for own in key]))
    together = sorted(row for part in parts.values() for row in rows(part))
    assert together == sorted(rows(a))
    assert sorted(name for part in parts.values() for name in part.items) == sorted(a.items)


def test_groups_may_be_a_column_of_any_type():
    a = Annotations.from_arrays(list("xyz"), list("aab"), list("110"))
    for key in (pd.Series([7, 8, 7], index=[5, 5, 5]), np.array([7, 8, 7]), (7, 8, 7)):
        assert {group: part.items for group, part in a.split_by(key).items()} == {
            7: ("x", "z"),
            8: ("y",),
        }
    assert a.split_by(["one"] * 3)["one"].n_labels == 3


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (["p"], r"groups of shape \(1,\) for 2 items. Give one for each item"),
        ([["p"], ["q"]], r"groups of shape \(2, 1\)"),
        (["p", None], "1 item.s. have no group, the first is 'y'"),
        ([np.nan, 1.0], "the first is 'x'"),
    ],
)
def test_groups_that_are_not_one_of_each_item_are_refused(key, message):
    a = Annotations.from_arrays(list("xy"), list("ab"), list("10"))
    with pytest.raises(AnnotationError, match=message):
        a.split_by(key)


# ------------------------------------------------------------------------- new categories

MAPPINGS = st.fixed_dictionaries({name: st.sampled_from("uvw") for name in CATEGORIES})
AGAIN = st.fixed_dictionaries({name: st.sampled_from("yz") for name in "uvw"})


@PROPERTY
@given(labels(), MAPPINGS)
def test_recoding_replaces_each_name_and_nothing_else(a, mapping):
    found = a.recode(mapping)
    assert rows(found) == [[item, who, mapping[label]] for item, who, label in rows(a)]
    assert (found.items, found.annotators, found.scale) == (a.items, a.annotators, a.scale)
    assert found.categories == tuple(dict.fromkeys(mapping[name] for name in CATEGORIES))


@PROPERTY
@given(labels(), MAPPINGS, AGAIN)
def test_recoding_composes(a, first, second):
    used = {name: second[name] for name in first.values()}
    both = {name: second[first[name]] for name in CATEGORIES}
    assert same(a.recode(first).recode(used), a.recode(both))


@PROPERTY
@given(labels(), MAPPINGS)
def test_the_order_of_a_mapping_does_not_matter(a, mapping):
    assert same(a.recode(mapping), a.recode(dict(reversed(mapping.items()))))


@PROPERTY
@given(labels())
def test_counts_are_invariant_under_renaming(a):
    renamed = a.recode({name: f"new {name}" for name in CATEGORIES})
    assert np.array_equal(renamed.counts, a.counts)
    assert same(a.recode(dict(zip(CATEGORIES, CATEGORIES, strict=True))), a)


@PROPERTY
@given(labels(), st.permutations(CATEGORIES))
def test_a_given_order_of_categories_permutes_counts(a, order):
    found = a.recode({name: name for name in CATEGORIES}, categories=[*order, "never"])
    assert found.categories == (*order, "never")
    assert np.array_equal(found.counts[:, :-1], a.counts[:, [CATEGORIES.index(k) for k in order]])
    assert rows(found) == rows(a)


@PROPERTY
@given(labels(), st.sampled_from(CATEGORIES))
def test_a_binary_category_is_counted_as_before(a, category):
    found = a.binarize(category)
    assert found.categories == (f"not {category}", category)
    k = CATEGORIES.index(category)
    assert np.array_equal(found.counts[:, 1], a.counts[:, k])
    assert np.array_equal(found.counts.sum(axis=1), a.counts.sum(axis=1))
    mapping = {name: category if name == category else f"not {category}" for name in CATEGORIES}
    assert same(found, a.recode(mapping, categories=found.categories))


@PROPERTY
@given(labels())
def test_relabelling_with_the_same_codes_changes_nothing(a):
    assert same(a.relabel(a.label), a)
    assert same(a.relabel(a.label.astype(np.int64).tolist()), a)
    reversed_ = a.relabel(2 - a.label, categories=CATEGORIES[::-1])
    assert rows(reversed_) == rows(a)


@PROPERTY
@given(labels(), MAPPINGS, st.integers(1, 4), SEEDS)
def test_new_categories_and_fewer_labels_commute(a, mapping, per_item, seed):
    assert same(
        a.recode(mapping).subsample(per_item, seed), a.subsample(per_item, seed).recode(mapping)
    )
    assert same(a.recode(mapping).first_labels(), a.first_labels().recode(mapping))


def test_verbs_keep_the_scale():
    a = Annotations.from_arrays(list("xxy"), list("aba"), [1, 2, 3], scale="ordinal")
    for found in (
        a.select(items=["x"]),
        a.complete(),
        a.subsample(1, 1),
        a.split_by([1, 1])[1],
        a.recode({"1": "low", "2": "low", "3": "high"}),
        a.relabel([0, 0, 0]),
    ):
        assert found.scale == "ordinal"
    assert a.binarize("1").scale == "nominal"
    assert a.recode({"1": "p", "2": "q", "3": "q"}, scale="nominal").scale == "nominal"


def test_sets_keep_their_elements_until_they_get_other_categories():
    a = Annotations.from_sets(list("xxy"), list("aba"), [{"joy"}, {"joy", "fear"}, set()])
    for found in (a.select(items=["x"]), a.relabel([0, 0, 0]), a.subsample(1, 1)):
        assert (found.scale, found.members, found.elements) == ("set", a.members, a.elements)
    joy = a.relabel(a.membership[a.label, a.elements.index("joy")], categories=["no", "joy"])
    assert (joy.scale, joy.members, joy.elements) == ("nominal", (), ())
    assert joy.counts.tolist() == [[0, 2], [1, 0]]
    assert a.binarize("{}").counts.tolist() == [[2, 0], [0, 1]]
    with pytest.raises(AnnotationError, match="labels are sets of elements"):
        a.recode(dict.fromkeys(a.categories, "any"))


def test_interval_categories_stay_different_numbers():
    a = Annotations.from_arrays(list("xyz"), list("aaa"), [1, 2, 3], scale="interval")
    assert a.recode({"1": "0", "2": "0", "3": "9.5"}).values.tolist() == [0, 0, 9.5]  # noqa: PD011
    assert a.recode({"1": "low", "2": "low", "3": "high"}, scale="ordinal").n_categories == 2
    with pytest.raises(AnnotationError, match=r"must be finite numbers .* got 'low'"):
        a.recode({"1": "low", "2": "low", "3": "4"})
    with pytest.raises(AnnotationError, match="are equal numbers"):
        a.relabel([0, 1, 1], categories=["1", "01"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a.relabel([0]), r"codes of shape \(1,\) and type int64 for 2 labels"),
        (lambda a: a.relabel([0.0, 1.0]), "type float64 .* one whole number for each"),
        (lambda a: a.relabel([0, 2]), "codes from 0 to 2 for 2 categories. Give the position"),
        (lambda a: a.relabel([0, -1]), "codes from -1 to 0"),
        (lambda a: a.relabel([0, 1], categories=["p", "p"]), "'p', 'p' are not different names"),
        (lambda a: a.relabel([0, 1], categories=["p", ""]), "not different names. Name each once"),
        (lambda a: a.relabel([0, 1], scale="set"), "'set' is not one of nominal, ordinal, interv"),
        (lambda a: a.binarize("2"), "category '2' is not among '0', '1'. Name one of them"),
        (lambda a: a.recode({"0": "p", "1": "q"}, categories=["p"]), "'q' is not among .* 'p'"),
    ],
)
def test_new_labels_that_make_no_sense_are_refused(change, message):
    with pytest.raises(AnnotationError, match=message):
        change(Annotations.from_arrays(list("xy"), list("ab"), list("10")))


def test_many_categories_need_wider_codes_and_few_do_not():
    n = 40_000
    a = Annotations.from_arrays(range(n), ["a"] * n, range(n))
    assert a.label.dtype == np.int32
    assert a.binarize("7").label.dtype == np.int16
    assert a.relabel(a.label, categories=range(n)).label.dtype == np.int32


def test_labels_of_few_categories_can_become_labels_of_many():
    a = Annotations.from_arrays(list("xyz"), list("aaa"), list("010"))
    found = a.relabel([39_999, 0, 33_000], categories=range(40_000))
    assert [found.categories[code] for code in found.label] == ["39999", "0", "33000"]


@pytest.mark.parametrize("mapping", [{"0": "", "1": "q"}, {"": "p", "0": "p", "1": "q"}])
def test_an_empty_name_of_a_category_is_refused(mapping):
    a = Annotations.from_arrays(list("xy"), list("ab"), list("10"))
    with pytest.raises(AnnotationError, match="recode: a name is empty"):
        a.recode(mapping)


def test_what_verbs_return_cannot_be_written():
    a = Annotations.from_arrays(list("xxy"), list("aba"), list("101"))
    codes = np.array([0, 1, 0], dtype=np.int16)
    for found in (a.select(items=["x"]), a.relabel(codes), a.split_by([1, 2])[1]):
        for column in (found.item, found.annotator, found.label):
            assert not column.flags.writeable
    assert codes.flags.writeable, "a caller's array stays the caller's"


def test_values_that_name_their_items_need_not_be_in_their_order():
    a = Annotations.from_arrays(list("xxyyz"), list("ababa"), list("11011"))
    named = {"z": "q", "y": "p", "x": "q", "w": "p"}
    expected = {"q": ("x", "z"), "p": ("y",)}
    assert {g: part.items for g, part in a.split_by(named).items()} == expected
    series = pd.Series(["q", "p", "q"], index=["z", "y", "x"])
    assert {g: part.items for g, part in a.split_by(series).items()} == expected
    assert a.select(items=series == "p").items == ("y",)
    assert a.select(annotators=pd.Series([True, False], index=["b", "a"])).annotators == ("b",)
    with pytest.raises(AnnotationError, match="split_by: no value is given for 'y', 'z'"):
        a.split_by({"x": "q"})


def test_merging_categories_that_are_apart_leaves_no_order():
    a = Annotations.from_arrays(
        list("xyz"),
        list("aaa"),
        ["low", "mid", "high"],
        categories=["low", "mid", "high"],
        scale="ordinal",
    )
    apart = {"low": "extreme", "mid": "mid", "high": "extreme"}
    with pytest.raises(AnnotationError, match="the order of 'extreme', 'mid' is unknown"):
        a.recode(apart)
    assert a.recode(apart, scale="nominal").scale == "nominal"
    assert a.recode(apart, categories=["mid", "extreme"]).categories == ("mid", "extreme")
    assert a.recode({"low": "b", "mid": "a", "high": "a"}).categories == ("b", "a")
