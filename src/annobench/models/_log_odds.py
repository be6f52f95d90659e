"""What models with normal item effects on log odds share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaincinv, xlogy

from annobench.models.kernels.item_difficulty import FIRST_ROW, HIGHEST, ROW_STEP, TAPS, tabulate

Floats = NDArray[np.float64]

#: Largest number of categories: the order of the classes is checked at every draw of a mean, at
#: a cost of K ** 5 a sweep where labels tell little.
MAX_CATEGORIES = 20
#: Steps of the grid, in standard deviations of log gamma variables: sums are exact to 1e-4.
_STEP = 1.2


class Patterns(NamedTuple):
    """The input of kernels: P patterns of counts of labels, a grid of Q values of v.

    Attributes
    ----------
    table : ndarray, shape (rows, 2, numbers, columns)
        Log factors for each occurring number of labels, in even and odd half steps of the grid.
    own : ndarray, shape (numbers, Q)
        Factor of the labels that name the item's category.
    values : ndarray, shape (Q,)
        exp(v).
    origin : int
        Even column of the first grid point.
    step : float
        Step of the grid.
    code : ndarray of int, shape (P, K)
        Index of a pattern's number of labels in each category.
    size : ndarray, shape (P,)
        Number of labels in a pattern.
    amount : ndarray, shape (P,)
        Number of items with the pattern.
    begin, length, stride : ndarray of int, shape (P,)
        Its grid points.
    """

    table: Floats
    own: Floats
    values: Floats
    origin: int
    step: float
    code: NDArray[np.int64]
    size: Floats
    amount: Floats
    begin: NDArray[np.int64]
    length: NDArray[np.int64]
    stride: NDArray[np.int64]


def lay_out(counts: NDArray[np.int64], largest_mean: float) -> tuple[Patterns, NDArray[np.int64]]:
    """Lay out the patterns of labels, and return each item's pattern."""
    labelled = counts.any(axis=1)
    known, found, amount = np.unique(
        counts[labelled], axis=0, return_inverse=True, return_counts=True
    )
    pattern = np.full(len(counts), len(known))
    pattern[labelled] = found.ravel()
    numbers, code = np.unique(known, return_inverse=True)
    n = known.sum(axis=1).astype(np.float64)
    low, high = np.log(gammaincinv(n, 1e-3)) - 7, np.log(gammainccinv(n, 1e-5))
    fine = _STEP / np.sqrt(1 + n)
    step, start = fine.min(), low.min()
    begin, stride = ((low - start) / step).astype(int), (fine / step).astype(int)
    length = np.ceil((high - start) / step - begin).astype(int) // stride + 2
    v = start + step * np.arange((begin + (length - 1) * stride).max() + 1)
    origin = int(largest_mean / step) + TAPS
    n_rows = int((HIGHEST - FIRST_ROW) / ROW_STEP) + TAPS + 1
    table = np.empty((n_rows, 2, numbers.size, v.size + 2 * origin))
    tabulate(numbers.astype(np.float64), start - origin * step, step / 2, table)
    often = numbers[:, None]
    own = np.exp(often * v - np.exp(v) - xlogy(often, often) + often)
    described = code.reshape(known.shape), n, amount.astype(np.float64), begin, length, stride
    return Patterns(table, own, np.exp(v), origin, step, *described), pattern


def draw_means(rng: np.random.Generator, k: int) -> Floats:
    """Draw a chain's initial mean log odds, for annotators better than chance."""
    mean = -rng.uniform(0.5, 2.5, size=(k, k))
    np.fill_diagonal(mean, 0.0)
    return mean


def draw_spreads(rng: np.random.Generator, k: int) -> Floats:
    """Draw a chain's initial standard deviations, shape (K, K), 1 on the diagonal."""
    spread = rng.uniform(0.2, 1.5, size=(k, k))
    np.fill_diagonal(spread, 1.0)
    return spread


def off_diagonal(draws: Floats, categories: Sequence[str]) -> tuple[Floats, list[str]]:
    """Return the off-diagonal entries of matrices."""
    wrong = ~np.eye(len(categories), dtype=bool)
    entries = draws[:, :, wrong]
    names = np.array([[f"{truth} > {label}" for label in categories] for truth in categories])
    return entries, list(names[wrong])


def root_of_covariance(visited: Floats, old: Floats) -> Floats:
    """Return the Cholesky factor of the covariance matrix of a chain's draws."""
    n, d = visited.shape
    if n < 20:
        return old
    covariance = np.cov(visited.T) * (n + 10 * np.eye(d)) / (n + 10)
    return np.asarray(np.linalg.cholesky(covariance) * 2.38 / np.sqrt(d))
