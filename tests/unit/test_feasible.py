"""Feasible sets from printed totals."""

import numpy as np
import pytest

from annobench_replication.feasible import Constraints


def table(first_row, first_column, total=10):
    found = Constraints(4)
    found.add([1, 1, 1, 1], total, total)
    found.add([1, 1, 0, 0], *first_row)
    found.add([1, 0, 1, 0], *first_column)
    return found


def test_margins_bound_a_cell():
    # At least 6 + 7 - 10, at most the smaller margin.
    assert table((6, 6), (7, 7)).range([1, 0, 0, 0]) == (3, 6)
    assert table((5, 6), (7, 8)).range([1, 0, 0, 0]) == (2, 6)


def test_contradictions_leave_nothing():
    found = table((6, 6), (7, 7))
    found.add([1, 0, 0, 0], 0, 2)
    assert found.solve([0, 0, 0, 0]) is None
    assert np.isnan(found.range([1, 0, 0, 0])).all()


def test_whole_counts_are_whole():
    found = Constraints(2)
    found.add([2, 1], 5, 5)
    assert found.range([1, 0]) == (0, 2.5)
    assert found.solve([-1, 0], integer=True) == pytest.approx([2, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.add([1], 0, 1), r"Constraints\.add: weights must be 2 numbers"),
        (lambda c: c.add([1, 1], 2, 1), "lower must be at most upper, got 2 and 1"),
        (lambda c: c.add([1, 1], np.nan, 1), "lower must be at most upper"),
        (lambda c: c.solve([1]), r"Constraints\.solve: weights must be 2 numbers"),
        (lambda c: c.range([[1, 1]]), r"Constraints\.range: weights must be 2 numbers"),
        (lambda c: c.range([1, 0]), "the sum is unbounded"),
    ],
)
def test_bad_input_is_an_error(call, message):
    with pytest.raises(ValueError, match=message):
        call(Constraints(2))
