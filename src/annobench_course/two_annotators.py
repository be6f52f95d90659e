"""Tables of two annotators, from which sessions 1 and 2 compute by hand."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from annobench_course.exercise import Given

__all__ = [
    "cells",
    "corrected",
    "draw_cells",
    "draw_counts",
    "expected",
    "kappa",
    "observed",
    "pooled",
    "shares",
]

#: A table in shares of the items, shape (K, K).
Shares = NDArray[np.float64]


def draw_counts(
    rng: np.random.Generator, n_items: int, n_categories: int, agreement: float
) -> NDArray[np.int64]:
    """Draw a table of two annotators who use the categories unevenly.

    Parameters
    ----------
    rng : numpy.random.Generator
        The source of randomness.
    n_items, n_categories : int
        Items I and categories K.
    agreement : float
        The share of items on which they agree, of which a little more comes by chance.

    Returns
    -------
    ndarray of int, shape (K, K)
        ``[k, l]``: items labelled k by the first and l by the second.
    """
    share = rng.dirichlet(np.full(n_categories, 3.0))
    other = rng.dirichlet(np.full(n_categories**2, 2.0)).reshape(n_categories, n_categories)
    joint = agreement * np.diag(share) + (1 - agreement) * other
    return rng.multinomial(n_items, joint.ravel()).reshape(n_categories, n_categories)


def draw_cells(rng: np.random.Generator) -> dict[str, int]:
    """Draw a table of yes and no by its cells, 100 items.

    Parameters
    ----------
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    dict of str to int
        Items with yes of `both`, of the `first` alone, of the `second` alone, of `neither`.
    """
    counts = draw_counts(rng, 100, 2, float(rng.uniform(0.4, 0.8)))
    return dict(zip(("both", "first", "second", "neither"), map(int, counts.ravel()), strict=True))


def cells(given: Given) -> Shares:
    """Return the cells of `draw_cells` as a table.

    Parameters
    ----------
    given : mapping
        With `both`, `first`, `second` and `neither`.

    Returns
    -------
    ndarray, shape (2, 2)
        Shares, yes before no.
    """
    counts = [[given["both"], given["first"]], [given["second"], given["neither"]]]
    return np.asarray(counts, dtype=np.float64) / np.sum(counts)


def shares(given: Given) -> Shares:
    """Return the frame `table` of an exercise as shares.

    Parameters
    ----------
    given : mapping
        With `table`, counts.

    Returns
    -------
    ndarray, shape (K, K)
        They sum to 1.
    """
    counts = np.asarray(given["table"], dtype=np.float64)
    return np.asarray(counts / counts.sum())


def observed(p: Shares) -> float:
    """Return the observed agreement.

    Parameters
    ----------
    p : ndarray, shape (K, K)
        Shares.

    Returns
    -------
    float
        In [0, 1].
    """
    return float(np.trace(p))


def expected(p: Shares) -> float:
    """Return the expected agreement in Cohen's kappa: each annotator keeps the own margins.

    Parameters
    ----------
    p : ndarray, shape (K, K)
        Shares.

    Returns
    -------
    float
        In [0, 1].
    """
    return float(p.sum(axis=1) @ p.sum(axis=0))


def pooled(p: Shares) -> Shares:
    """Return the shares of the categories among all labels of both annotators.

    Parameters
    ----------
    p : ndarray, shape (K, K)
        Shares.

    Returns
    -------
    ndarray, shape (K,)
        They sum to 1.
    """
    return np.asarray((p.sum(axis=1) + p.sum(axis=0)) / 2)


def corrected(agreement: float, chance: float) -> float:
    """Return an agreement corrected for chance.

    Parameters
    ----------
    agreement, chance : float
        Observed and expected agreement.

    Returns
    -------
    float
        At most 1; NaN if chance gives 1.
    """
    return (agreement - chance) / (1 - chance) if chance < 1 else math.nan


def kappa(p: Shares) -> float:
    """Return Cohen's kappa.

    Parameters
    ----------
    p : ndarray, shape (K, K)
        Shares.

    Returns
    -------
    float
        At most 1.
    """
    return corrected(observed(p), expected(p))
