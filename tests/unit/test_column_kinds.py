"""Columns that hold no labels: what each kind is known by, and what is taken for labels."""

import pytest

from annobench.labels.column_kinds import is_coefficient, unlike_labels

DATES = ["2024-05-01", "2024-05-02", "2024-05-02", "2024-05-03", "2024-05-04", "2024-05-07"]
A, B = list("121212"), list("112212")


def added(first, second, shift=0):
    return [str(int(a) + int(b) + 2 * shift) for a, b in zip(first, second, strict=True)]


def shifted(labels, shift):
    return [str(int(label) + shift) for label in labels]


def test_dates_are_times_where_two_columns_have_labels():
    assert unlike_labels({"made": DATES, "a": A, "b": B}) == {"made": "times"}
    assert unlike_labels({"made": DATES, "a": A}) == {}
    assert unlike_labels({"first": DATES, "second": DATES}) == {}


def test_sums_are_totals_where_they_are_beyond_all_labels():
    # Of 1 and 2 the sums are 2 to 4, of which 2 is a label, too; of 4 and 5 they are 8 to 10.
    assert unlike_labels({"a": A, "b": B, "c": added(A, B)}) == {}
    columns = {"a": shifted(A, 3), "b": shifted(B, 3), "c": added(A, B, 3)}
    assert unlike_labels(columns) == {"c": "totals"}


def test_means_are_totals_where_one_is_between_labels():
    means = [f"{int(n) / 2:g}" for n in added(A, B)]
    assert unlike_labels({"a": A, "b": B, "c": means}) == {"c": "totals"}
    assert unlike_labels({"a": A, "b": A, "c": A}) == {}


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("kappa", ["0.5", "1", ""], True),
        ("kappa", ["1", "0"], False),
        ("Kappa", ["x", ""], False),
        ("agreement_rate", ["0.5"], True),
        ("anna", ["0.5"], False),
    ],
)
def test_a_coefficient_has_its_name_and_a_fraction(name, cells, expected):
    assert is_coefficient(name, cells) is expected


def test_annotators_who_nearly_agree_are_no_means_of_each_other():
    equal = ["0.5", "1.5", "2.5"]
    assert unlike_labels({"a": equal, "b": equal, "c": equal}) == {}
    close = {
        "a": ["20.001", "21.502", "19.333", "20.777"],
        "b": ["20.002", "21.500", "19.336", "20.777"],
        "c": ["20.001", "21.503", "19.332", "20.779"],
    }
    assert unlike_labels(close) == {}
    assert unlike_labels({name: [f"{n}e-5" for n in own] for name, own in close.items()}) == {}


@pytest.mark.parametrize("decimals", [2, 3, 6, 15])
def test_a_mean_is_one_to_as_many_decimals_as_it_has(decimals):
    labels = {"a": "13245", "b": "22354", "c": "13344"}
    means = [f"{sum(map(int, row)) / 3:.{decimals}f}" for row in zip(*labels.values(), strict=True)]
    columns = {name: list(own) for name, own in labels.items()}
    assert unlike_labels({**columns, "x": means}) == {"x": "totals"}
    wrong = float(means[-1]) + 10.0 ** (1 - min(decimals, 6))
    off = [*means[:-1], f"{wrong:.{decimals}f}"]
    assert unlike_labels({**columns, "x": off}) == {}
