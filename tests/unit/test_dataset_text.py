"""Tables of text are read as they stand, and refused with the line that is wrong."""

import numpy as np
import pandas as pd
import pytest

from annobench.core.errors import ReaderError
from annobench_datasets import _text

HEADER = ("a", "b")


@pytest.fixture
def write(tmp_path):
    def call(content):
        path = tmp_path / "table.csv"
        path.write_text(content, encoding="utf-8")
        return path

    return call


def test_whole_numbers_are_read(write):
    found = _text.read_integers(write("a,b\n1,-2\n3,4\n"), HEADER, ",")
    np.testing.assert_array_equal(found, [[1, -2], [3, 4]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        # A field too many in every row is taken for names of rows by a quick reader.
        ("a,b\n1,2,3\n4,5,6\n", "line 2: 3 fields where 2 are needed"),
        ("a,b\n0,2,3\n1,5,6\n", "line 2: 3 fields where 2 are needed"),
        ("a,b\n7,2,3\n9,5,6\n2,8,9\n", "line 2: 3 fields where 2 are needed"),
        ("a,b\n1,2\n4,5,6\n", "line 3: 3 fields where 2 are needed"),
        ("a,b\n1,2\n3\n", "line 3: 1 fields where 2 are needed"),
        ("a,c\n1,2\n", "the header is"),
        ("a,b\n1,2\n3,4.5\n", "line 3: b '4.5' is not a whole number"),
        ("a,b\n1,1234567890123456789012\n", "line 2: b '1234567890123456789012' is not a whole"),
        ("a,b\n", "no rows"),
        ("", "the header is"),
    ],
)
def test_what_are_no_whole_numbers_is_refused_with_its_line(write, content, message):
    with pytest.raises(ReaderError, match=message):
        _text.read_integers(write(content), HEADER, ",")


def test_rows_know_their_lines(write):
    rows = _text.read_rows(write("a\tb\n\nx\ty\n"), HEADER)
    assert rows.to_dict("index") == {3: {"a": "x", "b": "y"}}


def test_numbers_are_finite(write):
    values = pd.Series(["1.5", "-0"], index=[2, 3])
    assert [repr(value) for value in _text.numbers(write(""), values, "score").tolist()] == [
        "1.5",
        "0.0",
    ]
    for wrong in ("inf", "-inf", "nan", "much"):
        with pytest.raises(ReaderError, match=rf"line 3: score '{wrong}' is not a number"):
            _text.numbers(write(""), pd.Series(["1", wrong], index=[2, 3]), "score")


def test_rows_of_an_item_carry_one_value(write):
    items = pd.Series(["x", "y", "x"], index=[2, 3, 4])
    _text.one_per_item(write(""), items, pd.Series(["1", "2", "1"], index=items.index), "gold")
    with pytest.raises(ReaderError, match="line 4: item 'x' has gold '3', but '1' above"):
        _text.one_per_item(write(""), items, pd.Series(["1", "2", "3"], index=items.index), "gold")
