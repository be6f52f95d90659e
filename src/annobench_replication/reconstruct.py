"""Whole numbers that printed summaries determine.

A paper that prints summaries of unpublished counts constrains the counts: they are whole
numbers, of a known sum, and each printed number bounds a function of them to half a unit of
its last place. Where the bounds are close to linear, the counts that meet them are the points
of a lattice inside an ellipsoid, and can be listed without leaving one out.

References
----------
Lenstra, Lenstra and Lovasz (1982). Factoring polynomials with rational coefficients.
Mathematische Annalen 261. Fincke and Pohst (1985). Improved methods for calculating vectors
of short length in a lattice. Mathematics of Computation 44.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["integer_points", "least_squares_step"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: How many points are extended at once.
_AT_ONCE = 50_000


def integer_points(
    matrix: ArrayLike, target: ArrayLike, *, total: int, radius: float, most: int = 1_000_000
) -> Integers:
    """List all whole-number vectors of a given sum that a linear map takes close to a target.

    Parameters
    ----------
    matrix : array_like, shape (R, M)
        The map A, one row a constraint in units of its tolerance; it must tell all vectors
        of one sum apart, which takes at least M - 1 rows.
    target : array_like, shape (R,)
        The values t that the constraints should have.
    total : int
        The sum of each vector.
    radius : float
        The largest Euclidean distance from A h to t, at least 0.
    most : int, default 1_000_000
        How many points are listed at most.

    Returns
    -------
    ndarray of int64, shape (S, M)
        Every vector h of whole numbers (also negative ones) with sum h = total and
        ``|A h - t| <= radius``.

    Raises
    ------
    ValueError
        If the shapes don't fit, a number is not finite or the total not whole, the map leaves
        a direction free, the radius is below 0, or there are more points than `most`.

    Examples
    --------
    >>> integer_points(np.eye(3), [1.2, 2.1, 2.9], total=6, radius=0.5).tolist()
    [[1, 2, 3]]
    """
    a, t = np.asarray(matrix, dtype=float), np.asarray(target, dtype=float)
    if a.ndim != 2 or t.shape != a.shape[:1] or a.shape[1] < 2:
        raise ValueError(
            f"integer_points: matrix {a.shape} and target {t.shape} don't fit. Give (R, M) and "
            "(R,), M at least 2."
        )
    if not 0 <= radius < np.inf:
        raise ValueError(f"integer_points: radius must be at least 0, got {radius}.")
    if not (np.isfinite(a).all() and np.isfinite(t).all() and total == int(total)):
        raise ValueError(
            f"integer_points: matrix and target must be finite and total whole, got total {total}."
        )
    m = a.shape[1]
    # Vectors of one sum differ by whole multiples of these.
    steps = np.hstack([np.eye(m - 1, dtype=np.int64), np.full((m - 1, 1), -1)])
    reached = steps @ a.T
    if np.linalg.matrix_rank(reached) < m - 1:
        raise ValueError(
            "integer_points: the constraints leave a direction free, so there are infinitely "
            "many points. Add a constraint, such as a distance from a likely vector."
        )
    centre = np.full(m, total / m)
    centre += steps.T @ np.linalg.lstsq(reached.T, t - a @ centre, rcond=None)[0]
    origin = np.round(centre).astype(np.int64)
    origin[-1] += total - origin.sum()
    basis, change = _reduced(reached)
    points = _inside(basis, t - a @ origin, radius, most)
    found: Integers = origin + points @ change @ steps
    return found


def _reduced(basis: Floats, quality: float = 0.99) -> tuple[Floats, Integers]:
    """Reduce the rows of a basis after Lenstra, Lenstra and Lovasz; return it and the change."""
    rows = basis.astype(float)
    n = len(rows)
    change = np.eye(n, dtype=np.int64)
    k = 1
    while k < n:
        # Column k holds row k by the directions of Gram and Schmidt.
        triangle = np.linalg.qr(rows[: k + 1].T)[1]
        for j in range(k - 1, -1, -1):
            weight = round(triangle[j, k] / triangle[j, j])
            rows[k] -= weight * rows[j]
            change[k] -= weight * change[j]
            triangle[:, k] -= weight * triangle[:, j]
        lengths = np.diag(triangle) ** 2
        slope = triangle[k - 1, k] / triangle[k - 1, k - 1]
        if lengths[k] >= (quality - slope**2) * lengths[k - 1]:
            k += 1
        else:
            rows[[k - 1, k]], change[[k - 1, k]] = rows[[k, k - 1]], change[[k, k - 1]]
            k = max(k - 1, 1)
    return rows, change


def _inside(basis: Floats, target: Floats, radius: float, most: int) -> Integers:
    """List the coefficients of all lattice points within the radius of the target."""
    q, r = np.linalg.qr(basis.T)
    aim = q.T @ target
    spare = float(radius**2 - (target @ target - aim @ aim))
    n = len(basis)
    found: list[Integers] = []
    n_found = 0
    # Points of which the coefficients from k on are chosen, and how much of the squared
    # radius they leave; the last part of the list goes on first, so that it stays short.
    open_parts = []
    if spare >= 0:
        open_parts.append((n, np.zeros((1, n), dtype=np.int64), np.full(1, spare * (1 + 1e-12))))
    while open_parts:
        k, points, left = open_parts.pop()
        if k == 0:
            n_found += len(points)
            if n_found > most:
                raise ValueError(
                    f"integer_points: more than {most} points. Take a smaller radius or add a "
                    "constraint."
                )
            found.append(points)
            continue
        if len(points) > _AT_ONCE:
            half = len(points) // 2
            open_parts += [(k, points[half:], left[half:]), (k, points[:half], left[:half])]
            continue
        k -= 1
        middle = (aim[k] - points[:, k + 1 :] @ r[k, k + 1 :]) / r[k, k]
        half_width = np.sqrt(left) / abs(r[k, k])
        lowest = np.ceil(middle - half_width).astype(np.int64)
        choices = np.maximum(np.floor(middle + half_width).astype(np.int64) - lowest + 1, 0)
        of = np.repeat(np.arange(len(points)), choices)
        values = lowest[of] + np.arange(len(of)) - np.repeat(np.cumsum(choices) - choices, choices)
        longer = points[of]
        longer[:, k] = values
        used = ((values - middle[of]) * r[k, k]) ** 2
        open_parts.append((k, longer, np.maximum(left[of] - used, 0.0)))
    return np.concatenate([np.zeros((0, n), dtype=np.int64), *found])


def least_squares_step(
    function: Callable[[Floats], Floats], at: ArrayLike, units: ArrayLike
) -> tuple[Floats, Floats]:
    """Say how far a least-squares fit to other data would lie from printed parameters.

    Parameters
    ----------
    function : callable
        The fitted values (M,) at parameters (q,).
    at : array_like, shape (q,)
        The printed parameters.
    units : array_like, shape (q,)
        One unit of the last place of each.

    Returns
    -------
    tuple of ndarray, shapes (q, M) and (q,)
        A and t: the first step of Gauss and Newton from the printed parameters, for data h, is
        A h - t in printed units. It is 0 for the fitted values themselves.

    Examples
    --------
    >>> step, start = least_squares_step(lambda v: v[0] * np.ones(4), [2.5], [0.1])
    >>> (step @ [2, 3, 3, 3] - start).round(6).tolist()
    [2.5]
    """
    place, unit = np.asarray(at, dtype=float), np.asarray(units, dtype=float)
    slopes = []
    for k, size in enumerate(1e-6 * np.maximum(np.abs(place), 1)):
        move = np.zeros_like(place)
        move[k] = size
        slopes.append((function(place + move) - function(place - move)) / (2 * size))
    step = np.linalg.pinv(np.stack(slopes, axis=1)) / unit[:, None]
    return step, step @ function(place)
