"""Whole numbers that printed summaries determine."""

from itertools import product

import numpy as np
import pytest

from annobench_replication.reconstruct import integer_points


@pytest.mark.parametrize("seed", range(5))
def test_no_point_is_left_out(seed):
    rng = np.random.default_rng(seed)
    matrix, truth = rng.normal(size=(6, 4)), np.array([3, 0, 5, 2])
    target = matrix @ truth + rng.normal(0, 0.3, size=6)
    found = integer_points(matrix, target, total=10, radius=4.0)
    box = np.array(list(product(range(-12, 25), repeat=3)))
    box = np.column_stack([box, 10 - box.sum(axis=1)])
    inside = box[np.linalg.norm(box @ matrix.T - target, axis=1) <= 4.0]
    assert 1 < len(inside) < 5000
    assert {tuple(h) for h in found} == {tuple(h) for h in inside}
    assert (found.sum(axis=1) == 10).all()


def test_a_lattice_squeezed_flat_is_searched_quickly():
    # Columns all but equal: without reduction of the basis the search would take ages.
    rng = np.random.default_rng(3)
    matrix = 1000 * np.ones((9, 8)) + rng.normal(size=(9, 8))
    truth = rng.integers(0, 100, size=8)
    found = integer_points(matrix, matrix @ truth, total=truth.sum(), radius=1e-6)
    assert found.tolist() == [truth.tolist()]


def test_nothing_is_found_where_nothing_is():
    assert integer_points(np.eye(2), [0.5, 0.5], total=1, radius=0.1).shape == (0, 2)
    # A target that no real vector reaches
    matrix = np.vstack([np.eye(2), np.eye(2)])
    assert len(integer_points(matrix, [0, 1, 5, 5], total=1, radius=1.0)) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"matrix": np.ones((1, 3))}, "don't fit"),
        ({"matrix": np.ones((3, 3))}, "leave a direction free"),
        ({"radius": -1.0}, "radius must be at least 0"),
        ({"radius": np.inf}, "radius must be at least 0"),
        ({"matrix": np.eye(3) * np.nan}, "must be finite"),
        ({"target": [1, np.nan, 3]}, "must be finite"),
        ({"total": 6.5}, "total whole, got total 6.5"),
        ({"radius": 50.0, "most": 10}, "more than 10 points"),
    ],
)
def test_bad_input_is_refused(changes, message):
    given = {"matrix": np.eye(3), "target": [1, 2, 3], "total": 6, "radius": 1.0} | changes
    with pytest.raises(ValueError, match=message):
        integer_points(**given)
