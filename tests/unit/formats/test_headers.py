"""Which row of a table is its header."""

import pytest

from annobench.core.errors import ReaderError
from annobench.io.formats.headers import _are_names, find_header


@pytest.mark.parametrize(
    ("row", "whole", "expected"),
    [
        (["a", "b"], True, True),
        (["a", "1"], True, False),
        (["a", "0"], True, False),
        (["a", "", "b"], True, False),
        (["a", "", "b"], False, True),
        (["a", ""], True, True),
    ],
)
def test_names_of_columns_are_no_numbers(row, whole, expected):
    assert _are_names(row, whole=whole) is expected


def test_a_row_with_a_number_is_no_header_below_a_title():
    assert find_header([["Survey"], ["item", "label"], ["x", "1"]]) == (1, 1, ("item", "label"))
    assert find_header([["item"], ["x", "1"], ["y", "2"]]) == (0, 1, ("item",))


def test_a_header_of_more_rows_than_there_are_is_refused():
    rows = [["item", "label"], ["x", "1"]]
    assert find_header(rows, 2).rows == 2
    with pytest.raises(ReaderError, match="Of a header of 3 rows only 2 are there"):
        find_header(rows, 3)
