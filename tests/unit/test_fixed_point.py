"""The stopping rule of all iterations, and their acceleration."""

import numpy as np
import pytest

from annobench.models._anderson import Anderson
from annobench.models._fixed_point import (
    PLAIN,
    Search,
    Settling,
    kept_positive,
    kept_probable,
)


def linear(rates, seed=1):
    """Return a linear map with these rates of convergence, and its fixed point, zero."""
    basis = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(rates), len(rates))))[0]
    return basis @ np.diag(rates) @ basis.T


def searched(matrix, tolerance=1e-6, max_iterations=1_000, start=1.0):
    """Search for zero, with minus the squared norm as the objective; every probability moves."""
    search = Search(np.full(len(matrix), start), tolerance, max_iterations)
    before = search.point
    while search.is_on:
        point = search.point
        moved, before = np.abs(point - before).max(), point
        search.receive(matrix @ point, moved, -float(point @ point))
    return search


def test_the_fixed_point_of_a_linear_map_is_found_in_as_many_steps_as_it_has_dimensions(rng):
    matrix, shift = 0.6 * np.linalg.qr(rng.normal(size=(5, 5)))[0], rng.normal(size=5)
    memory, point = Anderson(5), np.zeros(5)
    for _ in range(7):
        memory.add(point, matrix @ point + shift)
        point = memory.proposal()
    np.testing.assert_allclose(point, np.linalg.solve(np.eye(5) - matrix, shift), atol=1e-12)


def test_slow_directions_are_not_lost_beside_fast_ones():
    matrix = linear([0.1, 0.5, 0.9, 1 - 1e-4, 1 - 1e-5])
    memory, point = Anderson(5), np.ones(5)
    for _ in range(8):
        memory.add(point, matrix @ point)
        point = memory.proposal()
    np.testing.assert_allclose(point, 0, atol=1e-7)


@pytest.mark.parametrize("rate", [0.5, 0.99, 0.9999])
def test_a_small_step_of_a_slow_iteration_is_not_closeness(rate):
    # The point is rate ** n, its distance from the limit.
    settling, point, n = Settling(1e-6), np.ones(1), 0
    while not settling.has_settled(point, rate * point):
        point, n = rate * point, n + 1
    assert point[0] == pytest.approx(1e-6, rel=1 - rate)
    # Negative control: a rule of steps stops as soon as (1 - rate) * distance is 1e-6.
    assert n >= np.log(1e-6) / np.log(rate) > 1.2 * np.log(1e-6 / (1 - rate)) / np.log(rate) / 1.3


def test_an_iteration_that_leaves_a_point_has_not_settled():
    settling, point = Settling(1e-6), np.full(1, 1e-12)
    for _ in range(20):
        assert not settling.has_settled(point, 1.5 * point)
        point = 1.5 * point


def test_points_that_do_not_move_have_settled_and_a_first_point_has_not():
    settling, point = Settling(1e-15), np.ones(3)
    assert not settling.has_settled(point, point)
    assert settling.has_settled(point, point)
    nothing = Settling(1e-6)
    assert not nothing.has_settled(np.zeros(0), np.zeros(0))
    assert nothing.has_settled(np.zeros(0), np.zeros(0))


@pytest.mark.parametrize("slow", [0.9, 0.999, 1 - 1e-5])
def test_a_search_ends_within_the_tolerance_of_its_limit(slow):
    search = searched(linear([0.2, 0.5, 0.7, slow]))
    assert search.converged
    assert np.abs(search.point).max() <= 1e-6
    assert search.n_iterations <= 40
    assert np.diff(search.history).min() >= 0


def test_a_search_cut_short_has_not_converged_and_ends_at_an_accepted_point():
    search = searched(linear([*np.linspace(0.1, 0.9, 20), 0.999]), max_iterations=12)
    assert not search.converged
    assert search.n_iterations == 12
    assert search.history[-1] == -float(search.point @ search.point)


def test_with_a_tolerance_of_0_nothing_is_accelerated():
    matrix, point = linear([0.2, 0.99]), np.ones(2)
    search = searched(matrix, tolerance=0, max_iterations=50)
    for _ in range(50):
        point = matrix @ point
    np.testing.assert_array_equal(search.point, point)
    assert search.n_iterations == 50 != PLAIN


def test_a_search_leaves_an_unstable_point_as_the_iteration_does_and_sooner():
    # Away from an unstable point: to extrapolate would lead back to it.
    evaluated = []
    search = Search(np.full(1, 1e-8), 1e-6, 100)
    while search.is_on:
        x = search.point
        evaluated.append(x[0])
        # Gradient steps on x^4 / 4 - x^2 / 2, whose minimum is at 1.
        search.receive(
            x + 0.05 * (x - x**3),
            np.inf if len(evaluated) < 2 else 1e-9,
            float(x[0] ** 2 / 2 - x[0] ** 4 / 4),
        )
        assert search.n_iterations < 100
    assert search.point[0] == pytest.approx(1, abs=1e-3)
    assert np.diff(search.history).min() >= 0
    # The iteration itself multiplies the distance by 1.05 at a time.
    assert len(evaluated) < np.log(1e8) / np.log(1.05) / 4


def test_proposals_stay_inside_as_images_do():
    image = np.array([0.2, 0.9])
    np.testing.assert_allclose(kept_positive(np.array([-1.0, 5.0]), image), [0.02, 5])
    np.testing.assert_allclose(kept_probable(np.array([-1.0, 5.0]), image), [0.02, 0.99])
