"""A value that only repeats a number is found by changing all numbers at once."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annobench.core.errors import PublicationError
from annobench.reporting.printed import parse_printed
from annobench_replication import dependence
from annobench_replication.dependence import Number, change, numbers_of, trace

NUMBERS = [
    Number("a, row 1", "a", "12"),
    Number("a, row 2", "a", "30"),
    Number("a, row 3", "a", "58"),
    Number("b, row 1", "b", ".79"),
    Number("b, row 2", "b", ".41"),
]


def analysis(**functions):
    """Make an analysis of functions of the five numbers, and of the share of data kept."""

    def run(changes, data):
        numbers = [float(parse_printed(changes.get(n, n.text)).value) for n in NUMBERS]
        kept = 0.9 - 0.1 * data["labels"] if "labels" in data else 1.0
        return {name: function(numbers, kept) for name, function in functions.items()}

    return run


def traced(rng, data=(), **functions):
    frame = trace(analysis(**functions), NUMBERS, data, rng)
    return frame.set_index("target")


@pytest.mark.parametrize(
    ("function", "number"),
    [
        (lambda x, _: x[1], "a, row 2"),
        (lambda x, _: 100 * x[3], "b, row 1"),
        (lambda x, _: x[2] / 1000, "a, row 3"),
        (lambda x, _: 1 - x[4], "b, row 2"),
        (lambda x, _: max(x[:3]), "a, row 3"),
        (lambda x, _: min(x[3:]) + 7, "b, row 2"),
        (lambda x, _: x[1] / 2, "a, row 2"),
        (lambda x, _: x[1] / 3, "a, row 2"),
        (lambda x, _: 7 - 0.3 * x[3], "b, row 1"),
    ],
)
def test_a_number_returned_in_another_guise_restates_it(rng, function, number):
    row = traced(rng, y=function).loc["y"]
    assert row["restates"] == number
    assert row["rests_on"] == number[0]


@pytest.mark.parametrize(
    ("function", "rests_on"),
    [
        (lambda x, _: x[0] + x[1], "a"),
        (lambda x, _: x[0] / (x[0] + x[1] + x[2]), "a"),
        (lambda x, _: x[3] - x[4], "b"),
        (lambda x, _: x[0] * x[3], "a; b"),
        # A function of one number that is not the number itself can fail.
        (lambda x, _: x[3] ** 2, "b"),
    ],
)
def test_arithmetic_with_numbers_is_no_restatement(rng, function, rests_on):
    row = traced(rng, y=function).loc["y"]
    assert row["restates"] == ""
    assert row["rests_on"] == rests_on
    assert len(row["values"].split()) >= dependence.N_SMALL


@pytest.mark.parametrize("function", [lambda *_: 0.5, lambda x, _: float(len(x))])
def test_a_constant_and_the_length_of_a_list_rest_on_nothing(rng, function):
    row = traced(rng, y=function).loc["y"]
    assert (row["restates"], row["rests_on"], row["values"]) == (dependence.NOTHING, "", "")


def test_a_count_over_a_threshold_moves_with_large_changes(rng):
    # 58 moves by at most 3 in the runs with small changes, and by up to 52 in the large ones.
    frame = traced(rng, up=lambda x, _: float(x[2] > 62), far=lambda x, _: float(x[2] > 200))
    assert frame["rests_on"].tolist() == ["a", ""]
    assert frame["restates"].tolist() == ["", dependence.NOTHING]


def test_what_data_move_is_noted_for_each_draw(rng):
    frame = traced(rng, ["labels"], n=lambda _, kept: 800 * kept, both=lambda x, kept: x[0] * kept)
    assert frame["restates"].tolist() == ["", "a, row 1"]
    assert frame["rests_on"].tolist() == ["labels", "a; labels"]
    assert frame["base"].tolist() == ["800", "12"]
    assert frame["values"].tolist()[0] == ""
    assert frame["data_values"].tolist() == ["720 640 560 480", "10.8 9.6 8.4 7.2"]


def test_a_refused_number_is_found_and_the_others_are_still_changed(rng):
    def picky(changes, data):
        if NUMBERS[2] in changes:
            raise ValueError("the totals don't agree")
        return analysis(y=lambda x, _: x[0], z=lambda x, _: x[2], s=lambda x, _: x[0] + x[1])(
            changes, data
        )

    frame = trace(picky, NUMBERS, (), rng).set_index("target")
    assert frame["restates"].tolist() == ["a, row 1", dependence.NOTHING, ""]


def test_numbers_that_are_refused_together_are_changed_apart(rng):
    def picky(changes, data):
        if NUMBERS[0] in changes and NUMBERS[4] in changes:
            raise ValueError("one or the other")
        return analysis(y=lambda x, _: x[4], s=lambda x, _: x[0] * x[4])(changes, data)

    frame = trace(picky, NUMBERS, (), rng).set_index("target")
    # The product moves in both blocks, in each in step with a number; it is neither.
    assert frame["restates"].tolist() == ["b, row 2", ""]


def test_data_that_an_analysis_refuses_to_lose_are_an_error(rng):
    def picky(changes, data):
        if data:
            raise ValueError("an item is missing")
        return {"y": 1.0}

    with pytest.raises(PublicationError, match="refuses labels with some items"):
        trace(picky, NUMBERS, ["labels"], rng)


def test_groups_need_not_be_told_apart(rng):
    frame = trace(analysis(y=lambda x, _: x[0] + x[1]), NUMBERS, (), rng, by_group=False)
    assert frame["rests_on"].tolist() == [dependence.ANY_NUMBER]


def test_data_sets_need_not_be_told_apart(rng):
    runs = []
    of_labels = analysis(n=lambda _, kept: 800 * kept, y=lambda x, _: x[0], one=lambda *_: 1.0)

    def noted(changes, data):
        runs.append(set(data))
        return of_labels(changes, data)

    frame = trace(noted, NUMBERS, ["labels", "more"], rng, by_group=False)
    assert frame["rests_on"].tolist() == [dependence.ANY_DATA, dependence.ANY_NUMBER, ""]
    assert frame["restates"].tolist() == ["", "a, row 1", dependence.NOTHING]
    assert [data for data in runs if data] == [{"labels", "more"}] * dependence.N_DRAWS


def test_changes_that_cancel_out_do_not_make_a_constant(rng):
    # Two numbers that change by 1 to 3 cancel out in one of six runs.
    ones = [Number("a, row 1", "a", "1"), Number("a, row 2", "a", "2")]

    def total(changes, data):
        return {"y": sum(float(parse_printed(changes.get(n, n.text)).value) for n in ones)}

    for seed in range(60):
        [row] = trace(total, ones, (), np.random.default_rng(seed)).to_dict("records")
        assert row["restates"] == ""
        assert row["rests_on"] in ("a", dependence.ANY_NUMBER)


def test_a_tiny_value_moves_too(rng):
    row = traced(rng, p=lambda x, _: 10.0 ** -x[1]).loc["p"]
    assert row["rests_on"] == "a"


def test_a_coincidence_is_told_from_a_restatement():
    # Without the run that leaves it alone, the sum is taken for a number with seed 24.
    many = [Number(f"a, row {n}", "a", "50") for n in range(400)]

    def total(changes, data):
        values = [float(changes.get(number, number.text)) for number in many]
        return {"sum": values[7] + values[8], "one": values[7]}

    for seed in range(20, 30):
        found = trace(total, many, (), np.random.default_rng(seed)).set_index("target")
        assert found["restates"].to_dict() == {"sum": "", "one": "a, row 7"}


def test_a_value_that_becomes_undefined_has_not_moved(rng):
    frame = traced(
        rng,
        ["labels"],
        y=lambda x, _: x[0] if x[0] == 12 else np.nan,
        z=lambda _, kept: 7.0 if kept == 1 else np.nan,
    )
    assert set(frame["values"]) == set(frame["data_values"]) == {""}
    assert set(frame["restates"]) == {dependence.NOTHING}


@settings(deadline=None)
@given(
    st.sampled_from(["0", "1", "7", "1,600", ".79", "0.99", "1.00", "-3", "-.2", "98%", "100%"]),
    st.integers(0, 1_000),
    st.sampled_from([0.0, 0.3]),
)
def test_a_changed_number_is_another_of_the_same_form(text, seed, share):
    other = change(text, np.random.default_rng(seed), share=share)
    before, after = parse_printed(text), parse_printed(other)
    assert before.value != after.value
    assert before.unit == after.unit
    assert other.endswith("%") == text.endswith("%")
    if before.value >= 0:
        assert after.value >= 0
    if "." in text:
        assert after.value <= 1
    if text.endswith("%"):
        assert after.value <= 100


def test_numbers_of_a_table_are_named_by_their_place():
    table = pd.DataFrame(
        [["1", ".66", "yes", ""], ["2", ".39", "no", "4"]], columns=["judge", "kappa", "close", "n"]
    )
    found = list(numbers_of("table1.csv", table))
    assert [number.text for number in found] == [".66", ".39", "4"]
    assert found[2].name == "table1.csv, judge 2 (row 2), n"
    assert {number.group for number in found} == {"table1.csv"}


def test_what_was_found_is_read_back(rng, tmp_path):
    frame = trace(analysis(y=lambda x, _: x[0], z=lambda *_: 1.0), NUMBERS, (), rng)
    path = tmp_path / "dependence.csv"
    dependence.write(frame, path)
    pd.testing.assert_frame_equal(dependence.read(path), frame)
    path.write_text("target,rests_on\n")
    with pytest.raises(PublicationError, match="line 1: the header is 'target,rests_on'"):
        dependence.read(path)


@pytest.mark.parametrize(("data", "rests_on"), [(["labels"], "labels"), (["labels", "x"], "data")])
def test_what_only_a_later_draw_of_data_moves_rests_on_data(rng, data, rests_on):
    def late(changes, drawn):
        return {"y": 0.4 if drawn.get("labels", 0) == 2 else 0.5}

    [row] = trace(late, NUMBERS, data, rng).to_dict("records")
    assert (row["rests_on"], row["restates"], row["data_values"]) == (rests_on, "", "0.4")


def test_numbers_of_another_group_leave_the_changes_of_a_group_as_they_are():
    run = analysis(y=lambda x, _: x[0] + x[1] ** 2 + x[2])
    other = Number("c, row 1", "c", "7")
    found = [
        trace(run, numbers, (), np.random.default_rng(5))["values"].iloc[0].split()
        for numbers in (NUMBERS, [*NUMBERS, other])
    ]
    # The last three are the large changes of the group alone.
    assert found[0][-3:] == found[1][-3:]
