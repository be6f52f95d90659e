"""Results show as one line in a console and as an escaped table in a notebook."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from annobench.core.results import MAX_ROWS, Summarised, SummarisedScalars


@dataclass(frozen=True, eq=False)
class Shares(Summarised):
    share: pd.Series
    secret: list[int] = field(default_factory=list)

    def summary(self) -> pd.DataFrame:
        return self.share.to_frame("share")

    def _headline(self) -> str:
        return f"{len(self.share)} categories,\n  first {self.share.index[0]}"


@dataclass(frozen=True, eq=False)
class MoreShares(Shares):
    more: int = 0


class Own(Shares):
    def __repr__(self) -> str:
        return "own"


@dataclass(frozen=True)
class OwnKept(Own):
    more: int = 0


@pytest.mark.parametrize("kind", [Shares, MoreShares])
def test_a_dataclass_shows_its_headline_on_one_line(kind):
    found = kind(pd.Series({"yes": 0.25, "no": 0.75}))
    assert repr(found) == f"{kind.__name__}: 2 categories, first yes"


def test_a_repr_of_its_own_is_kept_and_inherited():
    share = pd.Series({"yes": 1.0})
    assert repr(Own(share)) == repr(OwnKept(share)) == "own"


def test_html_has_headline_and_table_and_escapes_untrusted_names():
    html = Shares(pd.Series({"<script>alert(1)</script>": 0.25, "b&c": 0.75}))._repr_html_()
    assert "<script>" not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 2  # in the headline and the index
    assert "b&amp;c" in html
    assert "<table" in html
    assert "0.75" in html


def test_long_summaries_are_elided_in_html():
    html = Shares(pd.Series(1.0, index=[f"c{k}" for k in range(10 * MAX_ROWS)]))._repr_html_()
    assert html.count("<tr") <= MAX_ROWS + 3
    assert "c0" in html
    assert f"c{10 * MAX_ROWS - 1}" in html


def test_summary_and_headline_are_required():
    class Incomplete(Summarised):
        def summary(self) -> pd.DataFrame:
            return pd.DataFrame()

    with pytest.raises(TypeError, match="_headline"):
        Incomplete()


@dataclass(frozen=True, eq=False)
class Bound(SummarisedScalars):
    n_items: int
    rate: float
    method: str
    draws: np.ndarray


def test_scalars_are_summarised_and_arrays_left_out():
    found = Bound(48, 48 / 967, "exact", np.zeros(5))
    assert repr(found) == "Bound: n_items = 48, rate = 0.0496381, method = exact"
    assert found.summary().to_dict("records") == [
        {"n_items": 48, "rate": 48 / 967, "method": "exact"}
    ]
