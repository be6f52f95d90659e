"""How often a search finds what was never printed."""

import numpy as np
import pytest

from annobench_replication.searches import MAX_SHIFT, Search, chance, search_rows, single_values


def one(printed, *readings):
    return Search((printed,), np.array(readings, float)[:, None])


def test_a_search_finds_what_some_reading_rounds_to():
    search = one("0.74", 0.715, 0.7449)
    assert search.finds()
    assert search.finds([-2])  # 0.72: 0.715 lies on its limit.
    assert not search.finds([4])
    assert not one("0.74", np.nan).finds()


def test_one_reading_must_give_all_values():
    crossed = Search(("0.5", "0.6"), np.array([[0.5, 0.7], [0.4, 0.6]]))
    assert not crossed.finds()
    assert crossed.finds([0, 1])
    np.testing.assert_allclose(crossed.best, [0.5, 0.7])


def test_the_chance_is_the_share_of_shifted_values_that_are_found(rng):
    # Of the 18 values that are 1 to 9 units off, readings hit none, one, all.
    assert chance([one("5.0", 5.0)], rng) == 0
    assert chance([one("5.0", 5.0, 5.3)], rng, 20_000) == pytest.approx(1 / 18, abs=0.006)
    everything = 5 + np.arange(-MAX_SHIFT, MAX_SHIFT + 1) / 10
    assert chance([one("5.0", *everything)], rng) == 1
    # A search without readings beside one that finds everything.
    both = [one("5.0", *everything), one("5.0", np.nan)]
    assert chance(both, rng, 20_000) == pytest.approx(0.5, abs=0.02)


def test_the_nearest_reading_is_shown_with_the_chance(rng):
    [row] = search_rows(["a.b"], one("0.74", 0.5, 0.73, 0.8), 0.25)
    assert (row.target, row.value, row.base_rate) == ("a.b", 0.73, 0.25)
    assert row.method == "best of 3 readings"
    [row] = single_values({"a.b": "0.70"}, {"a.b": [0.66, 0.72]}, rng)
    # 0.66 and 0.72 of 0.61 to 0.79.
    assert row.value == 0.72
    assert row.base_rate == pytest.approx(2 / 18, abs=0.03)
