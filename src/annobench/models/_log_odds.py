"""What models share whose log odds have normally distributed effects: starts, means over items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Floats = NDArray[np.float64]

#: Items that a mean over the population of items is taken over.
N_POINTS = 64
#: Largest number of categories: the order of the classes is checked at every draw of a mean, at
#: a cost of K ** 5 a sweep where labels tell little.
MAX_CATEGORIES = 20


def draw_means(rng: np.random.Generator, k: int) -> Floats:
    """Draw mean log odds that a chain starts from, of annotators better than chance.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    k : int
        K.

    Returns
    -------
    ndarray, shape (K, K)
        Of each wrong label against the right one, in [-2.5, -0.5]; 0 on the diagonal.
    """
    mean = -rng.uniform(0.5, 2.5, size=(k, k))
    np.fill_diagonal(mean, 0.0)
    return mean


def draw_spreads(rng: np.random.Generator, k: int) -> Floats:
    """Draw standard deviations that a chain starts from, shape (K, K), 1 on the diagonal.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    k : int
        K.

    Returns
    -------
    ndarray, shape (K, K)
        In [0.2, 1.5].
    """
    spread = rng.uniform(0.2, 1.5, size=(k, k))
    np.fill_diagonal(spread, 1.0)
    return spread


def normal_points(rng: np.random.Generator, k: int) -> Floats:
    """Draw points that averages over a standard normal distribution are taken over.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    k : int
        Dimensions.

    Returns
    -------
    ndarray, shape (N_POINTS, K)
        A Latin hypercube: in each dimension one point in every 64th part.
    """
    strata = rng.permuted(np.tile(np.arange(N_POINTS), (k, 1)), axis=1).T
    return np.asarray(ndtri((strata + rng.random(strata.shape)) / N_POINTS))


def off_diagonal(
    draws: Floats, categories: Sequence[str], *, log: bool = False
) -> tuple[Floats, list[str]]:
    """Take the entries of matrices that are not those of right labels.

    Parameters
    ----------
    draws : ndarray, shape (C, S, K, K)
        Of a parameter.
    categories : sequence of str
        Names.
    log : bool, default False
        Whether to give logarithms.

    Returns
    -------
    draws : ndarray, shape (C, S, K (K - 1))
        The entries.
    names : list of str
        Theirs, "truth > label".
    """
    wrong = ~np.eye(len(categories), dtype=bool)
    entries = draws[:, :, wrong]
    names = np.array([[f"{truth} > {label}" for label in categories] for truth in categories])
    return np.log(entries) if log else entries, list(names[wrong])
