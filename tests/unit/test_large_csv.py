"""Large tables are written by Arrow as pandas writes them, or by pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from annobench.core import _large_csv, files
from annobench.core._large_csv import write_unquoted

N = 40


@pytest.fixture
def table(rng):
    return pd.DataFrame(
        {
            "item": [f"i{n}" for n in range(N)],
            "zürich": pd.Series(["a", None] * (N // 2), dtype="str"),
            "n": np.arange(N) - 3,
            "share": np.where(np.arange(N) % 7, rng.random(N), np.nan),
            "tied": np.arange(N) % 3 == 0,
        }
    )


@pytest.fixture(autouse=True, params=["pyarrow", "pandas"])
def writer(request, monkeypatch):
    """Have tables written by Arrow, and as where it is not installed."""
    monkeypatch.setattr(_large_csv, "is_installed", lambda _: request.param == "pyarrow")


def test_it_writes_what_pandas_writes(table, tmp_path):
    assert write_unquoted(table, tmp_path / "arrow.csv")
    table.to_csv(tmp_path / "pandas.csv", index=False, lineterminator="\n")
    assert (tmp_path / "arrow.csv").read_bytes() == (tmp_path / "pandas.csv").read_bytes()


def test_every_digit_of_small_and_large_numbers_is_kept(rng, tmp_path):
    numbers = rng.standard_normal(N) * 10.0 ** rng.integers(-320, 300, N)
    # Python writes exponents from 1e+16, Arrow from 1e+10.
    between = [sign * 1.25 * 10.0**n for n in range(8, 18) for sign in (-1, 1)]
    numbers = [*numbers, *between, np.inf, -np.inf, 0.0]
    assert write_unquoted(pd.DataFrame({"x": numbers, "y": 1}), tmp_path / "t.csv")
    lines = (tmp_path / "t.csv").read_text().splitlines()[1:]
    assert [float(line.split(",")[0]) for line in lines] == numbers


@pytest.mark.parametrize(
    "column",
    [["a,b"] * N, ['"'] * N, ["a\nb"] * N, ["a\rb"] * N, ["a", 1] * (N // 2), [np.float32(1)] * N],
)
def test_what_needs_quotes_or_has_other_types_is_left_to_pandas(table, column, tmp_path):
    assert not write_unquoted(table.assign(other=column), tmp_path / "t.csv")
    assert not write_unquoted(table.rename(columns={"n": "n,m"}), tmp_path / "t.csv")
    assert not write_unquoted(table[["item"]], tmp_path / "t.csv")
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize("text", ["plain", "a,b", "a\rb"])
def test_a_large_table_is_written_as_a_small_one(table, text, tmp_path, monkeypatch):
    table = table.assign(item=text)
    files.write_csv(table, tmp_path / "small.csv")
    monkeypatch.setattr(files, "_LARGE", 10)
    files.write_csv(table, tmp_path / "large.csv")
    assert (tmp_path / "large.csv").read_bytes() == (tmp_path / "small.csv").read_bytes()
