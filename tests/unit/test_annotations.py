import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from annobench import Annotations, read_labels
from annobench.agreement import krippendorff_alpha
from annobench.core.errors import AnnotationError
from annobench.io._pieces import outline
from annobench.labels.view import View


def test_names_become_codes_in_order_of_appearance_and_categories_are_sorted():
    a = Annotations.from_arrays(["y", "x", "y"], ["bob", "ann", "ann"], ["no", "yes", "no"])
    assert a.items == ("y", "x")
    assert a.annotators == ("bob", "ann")
    assert a.categories == ("no", "yes")
    assert a.item.tolist() == [0, 1, 0]
    assert a.annotator.tolist() == [0, 1, 1]
    assert a.label.tolist() == [0, 1, 0]
    assert (a.item.dtype, a.annotator.dtype, a.label.dtype) == (np.int32, np.int32, np.int16)


def test_categories_that_are_numbers_are_sorted_as_numbers():
    a = Annotations.from_arrays(["x"] * 3, ["a"] * 3, ["10", "9", "-1"])
    assert a.categories == ("-1", "9", "10")
    assert a.values.tolist() == [10.0, 9.0, -1.0]  # noqa: PD011


@pytest.mark.parametrize("missing", [None, float("nan"), "", pd.NA])
def test_a_missing_label_keeps_the_item_and_the_annotator(missing):
    a = Annotations.from_arrays(["x", "y"], ["ann", "bob"], ["no", missing])
    assert (a.n_items, a.n_annotators, a.n_labels, a.n_categories) == (2, 2, 1, 1)


@pytest.mark.parametrize(
    ("item", "annotator", "role"), [([""], ["a"], "item"), (["x"], [None], "annotator")]
)
def test_an_unnamed_item_or_annotator_is_an_error(item, annotator, role):
    with pytest.raises(AnnotationError, match=rf"1 row\(s\) have no {role}, the first at row 0"):
        Annotations.from_arrays(item, annotator, ["no"])


def test_a_name_that_is_not_valid_unicode_is_an_error():
    with pytest.raises(AnnotationError, match="not valid Unicode"):
        Annotations.from_arrays(["\ud800"], ["a"], ["no"])


def test_columns_of_different_lengths_are_an_error():
    with pytest.raises(AnnotationError, match="item 2, annotator 1, label 2"):
        Annotations.from_arrays(["x", "y"], ["a"], ["no", "no"])


def test_an_unknown_scale_is_an_error():
    with pytest.raises(AnnotationError, match="'ratio' is not one of nominal, ordinal, interval"):
        Annotations.from_arrays(["x"], ["a"], ["1"], scale="ratio")


def test_given_lists_fix_the_order_and_keep_what_has_no_label():
    a = Annotations.from_arrays(
        ["x"], ["a"], ["no"], items=["w", "x"], annotators=["b", "a"], categories=["yes", "no"]
    )
    assert (a.item[0], a.annotator[0], a.label[0]) == (1, 1, 1)
    assert a.counts.tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize("what", ["items", "annotators", "categories"])
def test_a_name_outside_a_given_list_is_an_error(what):
    with pytest.raises(AnnotationError, match="not among the 1 known"):
        Annotations.from_arrays(["x"], ["a"], ["no"], **{what: ["other"]})


def test_a_category_listed_twice_is_an_error():
    with pytest.raises(AnnotationError, match="label 'no' is listed twice"):
        Annotations.from_arrays(["x"], ["a"], ["no"], categories=["no", "no"])


def test_equal_numbers_are_one_category_on_the_interval_scale():
    a = Annotations.from_arrays(
        ["x"] * 5, ["a"] * 5, ["00", "-0", 0.0, "2.50", "2.5"], scale="interval"
    )
    assert a.categories == ("0", "2.5")
    assert a.values.tolist() == [0, 0, 0, 2.5, 2.5]  # noqa: PD011


@pytest.mark.parametrize("label", ["much", "inf", "nan?"])
def test_an_interval_label_must_be_a_finite_number(label):
    with pytest.raises(AnnotationError, match="interval labels must be finite numbers"):
        Annotations.from_arrays(["x"], ["a"], [label], scale="interval")


def test_a_frame_without_a_needed_column_is_an_error():
    with pytest.raises(AnnotationError, match=r"column\(s\) label missing; the frame has 'item'"):
        Annotations.from_frame(pd.DataFrame({"item": ["x"], "annotator": ["a"]}))


def test_a_contingency_table_becomes_two_labels_an_item():
    a = Annotations.from_contingency([[2, 1], [0, 3]], categories=["no", "yes"])
    assert (a.n_items, a.n_annotators, a.n_labels) == (6, 2, 12)
    first, second = (a.label[a.by_annotator[j]] for j in (0, 1))
    table = np.zeros((2, 2), dtype=int)
    np.add.at(table, (first, second), 1)
    assert table.tolist() == [[2, 1], [0, 3]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1, 2]], "must be square"),
        ([[1.5, 0], [0, 1]], "whole numbers"),
        ([[-1, 0], [0, 1]], "whole numbers"),
    ],
)
def test_a_malformed_contingency_table_is_an_error(table, message):
    with pytest.raises(AnnotationError, match=message):
        Annotations.from_contingency(table)


@pytest.mark.parametrize("ascending", [False, True])
def test_a_view_is_the_stable_sort(ascending):
    group = np.random.default_rng(1).integers(2, 9, size=200)
    group = np.sort(group) if ascending else group
    view = View.of(group.astype(np.int32), 10)
    np.testing.assert_array_equal(view.order, np.argsort(group, kind="stable"))
    np.testing.assert_array_equal(np.diff(view.offsets), np.bincount(group, minlength=10))


def test_views_group_labels_and_keep_their_order():
    view = View.of(np.array([1, 0, 1]), 3)
    assert view.offsets.tolist() == [0, 1, 3, 3]
    assert view[1].tolist() == [0, 2]
    assert view[2].size == 0


def test_counts_hold_repeated_labels():
    a = Annotations.from_arrays(["x", "x", "y"], ["a", "a", "a"], ["1", "1", "2"])
    assert a.counts.tolist() == [[2, 0], [0, 1]]


def test_the_arrays_can_not_be_changed():
    a = Annotations.from_arrays(["x", "y"], ["a", "a"], ["1", "2"])
    for array in (a.item, a.annotator, a.label, a.counts, a.by_item.order, a.by_annotator.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_frame_of_names_gives_the_same_annotations_back():
    a = Annotations.from_arrays(["y", "x"], ["b", "a"], ["no", "yes"])
    b = Annotations.from_frame(a.to_frame())
    assert (b.items, b.annotators, b.categories) == (a.items, a.annotators, a.categories)
    assert b.label.tolist() == a.label.tolist()


def test_dropping_annotators_keeps_items_and_categories():
    a = Annotations.from_arrays(["x", "y", "y"], ["a", "b", "c"], ["1", "2", "1"])
    kept = a.select(annotators=np.array([False, True, True]))
    assert kept.annotators == ("b", "c")
    assert kept.items == ("x", "y")
    assert kept.annotator.tolist() == [0, 1]
    assert kept.counts.tolist() == [[0, 0], [1, 1]]


def test_a_mask_of_the_wrong_length_is_an_error():
    a = Annotations.from_arrays(["x"], ["a"], ["1"])
    with pytest.raises(AnnotationError, match=r"True or False for each of the 1 annotators"):
        a.select(annotators=np.array([True, False]))


def test_no_labels_at_all_are_allowed():
    a = Annotations.from_arrays([], [], [])
    assert (a.n_items, a.n_annotators, a.n_labels, a.n_categories) == (0, 0, 0, 0)
    assert a.counts.shape == (0, 0)


def test_the_order_of_ordinal_categories_has_to_be_known():
    words = ["low", "high", "mid"]
    with pytest.raises(AnnotationError, match="order of the ordinal categories 'low', 'high'"):
        Annotations.from_arrays([1, 2, 3], list("aaa"), words, scale="ordinal")
    order = ["low", "mid", "high"]
    given = Annotations.from_arrays(
        [1, 2, 3], list("aaa"), words, scale="ordinal", categories=order
    )
    assert given.categories == tuple(order)
    frame = pd.DataFrame({"item": [1, 2, 3], "annotator": list("aaa"), "label": words})
    frame["label"] = pd.Categorical(frame["label"], [*order, "top"], ordered=True)
    assert Annotations.from_frame(frame, scale="ordinal").categories == (*order, "top")
    numbers = Annotations.from_arrays([1, 2], list("aa"), ["10", "9"], scale="ordinal")
    assert numbers.categories == ("9", "10")


def test_columns_cannot_be_written():
    a = Annotations(
        np.array([0, 0], np.int32),
        np.array([0, 1], np.int32),
        np.array([0, 0]),
        ("x",),
        ("a", "b"),
        ("k",),
    )
    for column in (a.item, a.annotator, a.label):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


@pytest.mark.parametrize(
    ("table", "categories", "message"),
    [
        ([[1, 2], [3, 4]], ["a"], "2 different names"),
        ([[1, 2], [3, 4]], ["a", "a"], "2 different names"),
        ([["x", "y"], ["z", "w"]], None, "numbers of items"),
        ([[1, np.nan], [3, 4]], None, "whole numbers"),
        ([[1, 0.5], [3, 4]], None, "whole numbers"),
        ([[1, np.inf], [3, 4]], None, "whole numbers"),
    ],
)
def test_tables_that_are_none_are_refused(table, categories, message):
    with pytest.raises(AnnotationError, match=message):
        Annotations.from_contingency(table, categories=categories)


def test_the_names_of_a_frame_name_the_categories():
    frame = pd.DataFrame([[1, 2], [3, 4]], index=["no", "yes"], columns=["no", "yes"])
    assert Annotations.from_contingency(frame).categories == ("no", "yes")


def test_sets_as_labels():
    a = Annotations.from_sets(
        ["u", "u", "v", "v"], list("abab"), [{"y", "x"}, ["x"], set(), None], elements=["x", "y"]
    )
    assert a.categories == ("{}", "{x}", "{x, y}")
    assert a.n_labels == 3
    np.testing.assert_array_equal(a.membership, [[0, 0], [1, 0], [1, 1]])
    assert a.select(annotators=np.array([True, False])).members == a.members
    one = Annotations.from_sets([1, 1], list("ab"), [{"x, y"}, {"x", "y"}])
    assert len(set(one.categories)) == 2


def test_elements_of_sets_come_in_alphabetical_order():
    # Of one set, the category lists them all; in a set they come in any order.
    letters = "qwertzuiopasdfghjklyxcvbnm"
    a = Annotations.from_sets([1], ["a"], [set(letters)])
    assert a.categories == ("{" + ", ".join(sorted(letters)) + "}",)
    np.testing.assert_array_equal(a.membership, np.ones((1, 26)))


@pytest.mark.parametrize(
    ("label", "elements", "message"),
    [
        ("joy", None, "not a set"),
        (3, None, "not a set"),
        (2.5, None, "not a set"),
        ({"joy"}, ["fear"], "'joy' not among"),
        ({"joy"}, ["joy", "joy"], "listed twice"),
        ([float("nan")], None, "without a name"),
    ],
)
def test_sets_that_are_none_are_refused(label, elements, message):
    with pytest.raises(AnnotationError, match=message):
        Annotations.from_sets([1], ["a"], [label], elements=elements)


def test_numbers_too_large_to_be_squared_are_refused():
    with pytest.raises(AnnotationError, match="finite numbers"):
        Annotations.from_arrays([1], ["a"], [1e200], scale="interval")


def test_a_wide_table_has_items_in_rows():
    frame = pd.DataFrame({"ann": ["a", "b", None], "bob": ["a", "a", ""]}, index=["u", "v", "w"])
    a = Annotations.from_wide(frame)
    assert (a.items, a.annotators, a.categories) == (("u", "v", "w"), ("ann", "bob"), ("a", "b"))
    assert a.n_labels == 4
    with pytest.raises(AnnotationError, match="row for each item"):
        Annotations.from_wide([1, 2])
    with pytest.raises(AnnotationError, match="listed twice"):
        Annotations.from_wide(frame.set_axis(["ann", "ann"], axis=1))


def test_counts_give_the_labels_back():
    counts = np.array([[2, 1, 0], [0, 0, 4], [0, 0, 0]])
    a = Annotations.from_counts(counts, categories="xyz")
    np.testing.assert_array_equal(a.counts, counts)
    assert a.first_repeat is None
    assert a.n_annotators == 4
    named = pd.DataFrame(counts, columns=list("xyz"), index=list("uvw"))
    assert Annotations.from_counts(named).items == ("u", "v", "w")
    with pytest.raises(AnnotationError, match="2 categories for 3 columns"):
        Annotations.from_counts(counts, categories="xy")
    with pytest.raises(AnnotationError, match="whole numbers"):
        Annotations.from_counts([[0.5, 1]])


@pytest.mark.parametrize(
    ("column", "message"),
    [("xx", "column of names"), (3, "column of names"), (np.zeros((2, 2)), "one dimension")],
)
def test_what_is_no_column_is_refused(column, message):
    with pytest.raises(AnnotationError, match=message):
        Annotations.from_arrays(column, ["a", "b"], [1, 2])


def test_columns_may_be_generators_and_hold_tuples():
    a = Annotations.from_arrays((x for x in "xy"), iter("ab"), [("k", 1), ("k", 2)])
    assert a.items == ("x", "y")
    assert a.categories == ("('k', 1)", "('k', 2)")


def test_a_column_that_comes_twice_is_refused():
    frame = pd.DataFrame([["x", "a", 1, 2]], columns=["item", "annotator", "label", "label"])
    with pytest.raises(AnnotationError, match="'label' occurs twice"):
        Annotations.from_frame(frame)


@pytest.mark.parametrize(
    ("item", "annotator", "shared"),
    [
        ("xxyzz", "abaaa", [True, False, False]),  # the last item twice by one
        ("xyz", "abc", [False, False, False]),
        ("xxxyz", "aabbb", [True, False, False]),
        ("xxxyz", "baaab", [True, False, False]),
    ],
)
def test_shared_items_have_two_different_annotators(item, annotator, shared):
    a = Annotations.from_arrays(list(item), list(annotator), ["1"] * len(item))
    assert a.is_shared.tolist() == shared


TIMES = pd.to_datetime(["2020-01-01", "2021-02-03", "2020-01-01", "2021-02-03"])
TYPED = {
    "integers": np.array([2, 1, 2, 3]),
    "small integers": np.array([2, 1, 2, 3], dtype=np.uint8),
    "booleans": np.array([True, False, True, True]),
    "numbers": np.array([2.0, np.nan, 1.5, 2.0]),
    "zeros": np.array([0.0, -0.0, 1.0, -0.0]),
    "short numbers": np.array([0.1, np.nan, 0.2, 0.1], dtype=np.float32),
    "long numbers": np.array([0.5, 0.25, 0.5, 0.25], dtype=np.longdouble),
    "texts": np.array(["b", "a", "", "b"]),
    "strings": pd.Series(["b", None, "", "b"], dtype="string"),
    "nullable integers": pd.Series([2, None, 1, 2], dtype="Int64"),
    "nullable booleans": pd.Series([True, None, False, True], dtype="boolean"),
    "categorical": pd.Series(pd.Categorical(["b", None, "a", "b"])),
    "categorical numbers": pd.Series(pd.Categorical([2.0, None, 1.5, 2.0])),
    "times": pd.Series(TIMES),
    "nanoseconds": pd.Series(TIMES.as_unit("ns")),
    "an index": pd.Index([2, 1, 2, 3]),
}


def described(made):
    columns = made.item.tolist(), made.annotator.tolist(), made.label.tolist()
    return columns, made.items, made.annotators, made.categories


@pytest.mark.parametrize("values", TYPED.values(), ids=TYPED)
def test_a_column_of_any_type_is_that_of_its_values(values):
    objects = list(pd.Series(values).astype(object))
    rows = list("xxyy")
    for given in (values, pd.Series(values)):
        expected = described(Annotations.from_arrays(rows, list("abab"), objects))
        assert described(Annotations.from_arrays(rows, list("abab"), given)) == expected
        if not any(pd.isna(value) or value == "" for value in objects):
            expected = described(Annotations.from_arrays(objects, objects, rows))
            assert described(Annotations.from_arrays(given, given, rows)) == expected
        table = pd.DataFrame({"ann": given, "bob": given}).set_axis(list("wxyz"))
        assert described(Annotations.from_wide(table)) == described(
            Annotations.from_wide(table.astype(object))
        )


ORDER = ["low", "mid", "top", "apex"]


def test_every_constructor_takes_the_categories_and_the_order_of_a_categorical(tmp_path):
    kind = pd.CategoricalDtype([*ORDER, "unused"], ordered=True)
    table = pd.DataFrame(
        {"ann": ["low", "mid", "top", "apex"], "bob": ["mid", "mid", "top", "top"]},
        index=pd.Index(list("wxyz"), name="item"),
        dtype=kind,
    )
    long = table.reset_index().melt("item", var_name="annotator", value_name="label")
    long["label"] = long["label"].astype(kind)
    columns = long["item"], long["annotator"], long["label"]
    made = [
        Annotations.from_frame(long),
        Annotations.from_arrays(*columns),
        Annotations.from_arrays(*columns[:2], pd.Categorical(columns[2])),
        Annotations.from_wide(table),
        Annotations.from_wide(table.reset_index(), item="item"),
    ]
    path = tmp_path / "long.parquet"
    for rows in (1, 100):
        long.to_parquet(path, row_group_size=rows)
        made.append(read_labels(path))
        wanted = dict.fromkeys(("item", "annotator", "label"))
        assert outline(str(path), wanted)[1:] == ((*ORDER, "unused"), "ordinal")
    assert read_labels(path, scale="nominal").scale == "nominal"
    assert {(a.scale, a.categories) for a in made} == {("ordinal", (*ORDER, "unused"))}
    assert len({krippendorff_alpha(a).estimate for a in made}) == 1
    # An option has the last word, and without an order the categories are names.
    assert Annotations.from_wide(table, scale="nominal").scale == "nominal"
    unordered = table.astype(pd.CategoricalDtype(kind.categories))
    assert Annotations.from_wide(unordered).scale == "nominal"
    assert Annotations.from_wide(unordered).categories == (*ORDER, "unused")


def test_columns_of_two_orders_are_refused():
    up, down = (pd.CategoricalDtype(order, ordered=True) for order in (ORDER, ORDER[::-1]))
    table = pd.DataFrame({"ann": ["low", "top"], "bob": ["low", "mid"]})
    table = table.astype({"ann": up, "bob": down})
    with pytest.raises(AnnotationError, match="differ in categories or order"):
        Annotations.from_wide(table)
    assert Annotations.from_wide(table, categories=ORDER).scale == "ordinal"


@pytest.mark.parametrize("again", [copy.copy, lambda a: pickle.loads(pickle.dumps(a)), replace])
def test_whole_numbers_are_named_when_they_are_asked_for(again):
    numbers = np.array([17, -4, 17, 9])
    made = Annotations.from_arrays(numbers, np.array([True, False, False, True]), list("abab"))
    assert (made.n_items, made.n_annotators) == (3, 2)
    assert "items" not in vars(made)
    found = again(made)
    assert found.items == made.items == ("17", "-4", "9")
    assert found.annotators == made.annotators == ("True", "False")
    assert (found.n_items, found.n_annotators) == (3, 2)
    assert made.items is made.items
    with pytest.raises(AttributeError, match="'Annotations' object has no attribute 'item_names'"):
        made.item_names  # noqa: B018


@pytest.mark.parametrize(
    "numbers",
    [
        np.random.default_rng(1).integers(-30_000, 40_000, size=60_000),
        np.random.default_rng(1).integers(-30_000, 40_000, size=60_000).astype(np.int32),
        np.repeat(np.arange(30_000, dtype=np.uint16), 2)[::-1],
        np.random.default_rng(1).integers(0, 2**62, size=60_000) * 2,
        np.arange(60_000, dtype=np.uint64) + np.uint64(2**63),
        np.arange(60_000) + np.iinfo(np.int64).min,
        np.arange(60_000) % 2 == 0,
    ],
    ids=["negative", "narrow", "unsigned", "far apart", "above int64", "lowest", "boolean"],
)
def test_many_whole_numbers_are_coded_as_few_are(numbers):
    texts = list(map(str, numbers.tolist()))
    made = Annotations.from_arrays(numbers, numbers, numbers)
    named = Annotations.from_arrays(texts, texts, texts)
    assert made.items == named.items
    assert made.categories == named.categories
    for column in ("item", "annotator", "label"):
        np.testing.assert_array_equal(getattr(made, column), getattr(named, column))


def test_masked_labels_are_missing():
    table = np.ma.masked_equal([[1, 2], [9, 2], [3, 9]], 9)
    a = Annotations.from_wide(table)
    assert (a.categories, a.n_labels) == (("1", "2", "3"), 4)
    masked = np.ma.array([1, 2, 3], mask=[False, True, False])
    b = Annotations.from_arrays(list("xyz"), list("aaa"), masked)
    assert (b.categories, b.n_labels) == (("1", "3"), 2)


@pytest.mark.parametrize("label", [["p", "q"], {"p"}, frozenset("p"), {"p": 1}, np.array(["p"])])
def test_a_collection_is_no_label(label):
    with pytest.raises(AnnotationError, match=r"is a collection, not a name.*from_sets"):
        Annotations.from_arrays(["x", "y"], ["a", "a"], ["p", label])


def test_bytes_are_no_names():
    with pytest.raises(AnnotationError, match=r"b'p' is bytes.*\.decode"):
        Annotations.from_wide(np.array([[b"p", b"q"]]))
    with pytest.raises(AnnotationError, match="b'x' is bytes"):
        Annotations.from_arrays([b"x"], ["a"], ["p"])
