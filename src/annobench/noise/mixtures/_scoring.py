"""Minimise the distance of expected from observed counts, many data sets in one batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Method = Literal["ml", "least_squares", "chi_square"]
#: Maps parameters (B, q) and row numbers to expected cells (B, M) and their Jacobian (B, M, q).
Model = Callable[[Floats, Integers], tuple[Floats, Floats]]

METHODS: tuple[Method, ...] = ("ml", "least_squares", "chi_square")
#: Bound of a parameter; on the logit scale it is within 2e-8 of a rate of 0 or 1.
LIMIT = 18.0
#: What is divided by an expected number of items is divided by at least this.
MIN_EXPECTED = 1e-12


class Found(NamedTuple):
    """Minima of a batch: parameters (B, q), expected cells (B, M), objective (B,)."""

    parameters: Floats
    expected: Floats
    objective: Floats


def objective(method: Method, observed: Floats, expected: Floats) -> Floats:
    """Return the sum of squares, the deviance or Pearson's chi-square of each row."""
    if method == "least_squares":
        return cast(Floats, ((observed - expected) ** 2).sum(axis=-1))
    e = np.maximum(expected, MIN_EXPECTED)
    if method == "chi_square":
        return cast(Floats, ((observed - e) ** 2 / e).sum(axis=-1))
    # The term e - h makes it a distance also where the cells have different sums.
    ratio = np.divide(observed, e, out=np.ones_like(e), where=observed > 0)
    return cast(Floats, 2 * (observed * np.log(ratio) + e - observed).sum(axis=-1))


def minimise(
    model: Model,
    start: Floats,
    observed: Floats,
    method: Method,
    *,
    max_iterations: int = 200,
    tolerance: float = 1e-7,
) -> Found:
    """Minimise the distance of expected from observed cells, row by row."""
    theta = start.copy()
    active = np.arange(len(theta))
    cells, slope = model(theta, active)
    value = objective(method, observed, cells)
    damping = np.full(len(theta), 1e-2)
    for _ in range(max_iterations):
        if not active.size:
            break
        h, e, jacobian = observed[active], cells[active], slope[active]
        weight = np.ones_like(e) if method == "least_squares" else 1 / np.maximum(e, MIN_EXPECTED)
        residual = (h * h * weight - e) / 2 if method == "chi_square" else h - e
        weighted = jacobian * weight[..., None]
        curvature = np.einsum("bmi,bmj->bij", weighted, jacobian)
        gradient = np.einsum("bmi,bm->bi", weighted, residual)
        diagonal = np.einsum("bii->bi", curvature)
        diagonal += damping[active, None] * diagonal + 1e-10
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        trial = np.clip(theta[active] + np.clip(step, -4, 4), -LIMIT, LIMIT)
        new_cells, new_slope = model(trial, active)
        new_value = objective(method, h, new_cells)
        gain = value[active] - new_value
        better = gain >= 0
        moved = active[better]
        theta[moved], cells[moved] = trial[better], new_cells[better]
        slope[moved], value[moved] = new_slope[better], new_value[better]
        damping[active] = np.where(better, damping[active] / 6, damping[active] * 5)
        damping[active] = np.clip(damping[active], 1e-9, None)
        finished = (better & (gain <= tolerance * (1 + new_value))) | (damping[active] > 1e9)
        active = active[~finished]
    return Found(theta, cells, value)


def best_start(found: Found, n_sets: int) -> Found:
    """Keep the best start of each data set; rows are grouped by start."""
    table = found.objective.reshape(-1, n_sets)
    row = table.argmin(axis=0) * n_sets + np.arange(n_sets)
    return Found(*(part[row] for part in found))


def with_jacobian(cells: Callable[[Floats], Floats]) -> Model:
    """Add a Jacobian by central differences to a function of parameters (B, q)."""

    def model(theta: Floats, rows: Integers) -> tuple[Floats, Floats]:
        step = 1e-6
        slopes = []
        for k in range(theta.shape[1]):
            move = np.zeros(theta.shape[1])
            move[k] = step
            slopes.append((cells(theta + move) - cells(theta - move)) / (2 * step))
        return cells(theta), np.stack(slopes, axis=-1)

    return model
