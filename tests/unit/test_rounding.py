"""Rounded inputs make an interval, exact where it can be worked out by hand."""

import pytest

from annobench_replication.rounding import counts_that_round_to, half_unit, propagate


@pytest.mark.parametrize(
    ("printed", "half"), [(".79", 0.005), ("62", 0.5), ("1,600", 0.5), ("4.60", 0.005)]
)
def test_half_a_unit_is_of_the_last_printed_place(printed, half):
    assert half_unit(printed) == half


def test_counts_whose_share_rounds_to_a_printed_number():
    # .79 of 250 is 196.25 to 198.75.
    assert counts_that_round_to(0.79, 250, unit=0.01) == [197, 198]
    assert counts_that_round_to(0.76, 200, unit=0.01) == [151, 152, 153]
    assert counts_that_round_to(0.78, 7, unit=0.01) == []
    assert counts_that_round_to(81, 136, unit=1, percent=True) == [110]
    assert counts_that_round_to(48, 136, unit=1, percent=True) == [65]
    assert counts_that_round_to(89, 249, unit=1, percent=True) == [221, 222]
    assert counts_that_round_to(66, 249, unit=1, percent=True) == [164, 165]


def test_a_difference_may_be_off_by_both_halves():
    # .80 - .50, each off by up to .005.
    value, lower, upper = propagate(lambda x: x[0] - x[1], [".80", ".50"])
    assert (value, lower, upper) == pytest.approx((0.30, 0.29, 0.31), rel=1e-12)


def test_a_ratio_is_largest_where_its_divisor_is_least():
    # 4.5 / 10.5 to 5.5 / 9.5.
    value, lower, upper = propagate(lambda x: x[0] / x[1], ["5", "10"])
    assert (value, lower, upper) == pytest.approx((0.5, 4.5 / 10.5, 5.5 / 9.5), rel=1e-12)


def test_numbers_and_counts_are_exact():
    value, lower, upper = propagate(lambda x: x[0] * x[1] / x[2], ["50", 7, "10"], counts=[2])
    assert (value, lower, upper) == pytest.approx((35.0, 49.5 * 0.7, 50.5 * 0.7), rel=1e-12)


def test_a_direction_that_hangs_on_another_input_is_found():
    # x * y with both around 0: largest at equal signs, least at opposite ones.
    value, lower, upper = propagate(lambda x: x[0] * x[1], ["0.0", "0.0"])
    assert (value, lower, upper) == pytest.approx((0, -0.0025, 0.0025), rel=1e-12)


def test_many_inputs_are_searched_one_at_a_time():
    # The mean of 40 percentages, each off by up to a half, less the first of them.
    printed = [str(n) for n in range(40)]
    value, lower, upper = propagate(lambda x: sum(x) / len(x) - x[0], printed)
    off = 0.5 * (39 / 40 + 39 / 40)
    assert value == pytest.approx(19.5, rel=1e-12)
    assert (lower, upper) == pytest.approx((19.5 - off, 19.5 + off), rel=1e-12)


def test_text_that_is_no_number_is_an_error():
    with pytest.raises(ValueError, match="'a half' is not a printed number"):
        propagate(sum, ["a half"])
