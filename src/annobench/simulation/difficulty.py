"""Items that differ in difficulty, for simulators of labels: annotators err together.

Two things make the errors of an item's annotators depend on each other. A hard item is one on
which all err more often than elsewhere: each label is right if a normal number stays below the
annotator's threshold, and these numbers correlate within an item. A misleading item looks like one
of another category, and annotators label what it looks like. Either leaves the shares of labels,
given the true category, where they are: what is calibrated to a table of labels by gold category
stays so, whatever the difficulty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtr, ndtri

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

#: Nodes of Gauss-Hermite quadrature over items, and quantiles of annotators.
_NODES, _QUANTILES = 41, 200
#: Strata of annotators' shares of right labels.
_STRATA = 4


@dataclass(frozen=True)
class Difficulty:
    """How much items differ.

    Attributes
    ----------
    correlation : float
        Within an item, of the normal numbers by which labels are right or wrong, in [0, 1); at 0
        labels of one category are equally hard everywhere.
    misleading : float
        Of the wrong labels of a category, the share by which its items look like others, in
        [0, 1): with the share e of wrong labels, ``misleading * e`` of its items.
    """

    correlation: float = 0.0
    misleading: float = 0.0

    def __post_init__(self) -> None:
        for name in ("correlation", "misleading"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(
                    f"Difficulty: {name} must be in [0, 1), got {getattr(self, name)}."
                )


EVEN = Difficulty()


def appearances(confusion: ArrayLike, misleading: float) -> Floats:
    """Return how often items of a category (row) look like another one (column).

    Parameters
    ----------
    confusion : array_like, shape (K, K)
        Shares of labels (columns) of the items of each category (rows).
    misleading : float
        As of `Difficulty`.

    Returns
    -------
    ndarray, shape (K, K)
        Rows sum to 1. The other categories come as often as the labels that name them.

    Examples
    --------
    >>> appearances([[0.9, 0.1], [0.2, 0.8]], 0.5).round(3).tolist()
    [[0.95, 0.05], [0.1, 0.9]]
    """
    shares = np.asarray(confusion, dtype=np.float64)
    return (1 - misleading) * np.eye(len(shares)) + misleading * shares


def confusion_by_appearance(confusion: ArrayLike, looks: Floats) -> Floats:
    """Return the shares of labels by what items look like.

    Parameters
    ----------
    confusion : array_like, shape (..., K, K)
        Shares of labels (columns) by the category that items have (rows).
    looks : ndarray, shape (K, K)
        As from `appearances`.

    Returns
    -------
    ndarray, shape (..., K, K)
        Rows sum to 1; times `looks` they give `confusion`, unless a share would be below 0.
    """
    shares = np.linalg.solve(looks, np.asarray(confusion, dtype=np.float64)).clip(0)
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def draw_appearance(rng: np.random.Generator, category: Codes, looks: Floats) -> Codes:
    """Draw what each item looks like; of each category as many mislead as the shares say.

    Parameters
    ----------
    rng : Generator
        Source of randomness.
    category : ndarray of int, shape (I,)
        True categories.
    looks : ndarray, shape (K, K)
        As from `appearances`.

    Returns
    -------
    ndarray of int, shape (I,)
        Categories.
    """
    seen = category.copy()
    edges = looks.cumsum(axis=1)
    for k, edge in enumerate(edges):
        own = rng.permutation(np.flatnonzero(category == k))
        # Evenly spaced points with one random shift: each share is met up to one item.
        points = (np.arange(own.size) + rng.random()) / max(own.size, 1)
        seen[own] = np.minimum(np.searchsorted(edge, points, side="right"), len(edge) - 1)
    return seen


def draw_confusions(
    rng: np.random.Generator, mean: Floats, concentration: Floats, load: Codes
) -> Floats:
    """Draw each annotator's confusion matrix about a mean one.

    Parameters
    ----------
    rng : Generator
        Source of randomness.
    mean : ndarray, shape (J, K, K)
        Mean confusion matrix of annotators like each one.
    concentration : ndarray, shape (J, K)
        Of the Dirichlet distribution of each row; the larger, the more alike the annotators.
    load : ndarray of int, shape (J,)
        Labels of each annotator.

    Returns
    -------
    ndarray, shape (J, K, K)
        Rows sum to 1. Shares of right labels are stratified: of each four annotators who follow
        each other by load one is in each quarter of the distribution. Where a few annotators give
        most labels, draws differ less so than with independent annotators.
    """
    n_annotators, n_categories = concentration.shape
    own = np.arange(n_categories)
    right = mean[:, own, own]
    rank = np.empty((n_annotators, n_categories))
    rank[np.argsort(-load, kind="stable")] = _stratified(rng, n_annotators, n_categories)
    inside = (right > 0) & (right < 1)
    a, b = (np.where(inside, concentration * share, 1.0) for share in (right, 1 - right))
    drawn = np.where(inside, betaincinv(a, b, rank), right)
    off = np.where(np.eye(n_categories, dtype=bool), 0.0, mean)
    gammas = rng.standard_gamma(off * concentration[:, :, None])
    # A row of small parameters can underflow to zero; its mean is used instead.
    gammas = np.where(gammas.sum(axis=2, keepdims=True) > 0, gammas, off)
    total = gammas.sum(axis=2, keepdims=True)
    wrong = np.divide(gammas, total, out=np.zeros_like(gammas), where=total > 0)
    result = (1 - drawn)[:, :, None] * wrong
    result[:, own, own] = drawn
    return np.asarray(result)


def _stratified(rng: np.random.Generator, n: int, columns: int) -> Floats:
    """Draw uniform numbers, shape (n, columns), with one of each four rows in each quarter."""
    blocks = -(-n // _STRATA)
    quarters = rng.permuted(np.tile(np.arange(_STRATA), (columns, blocks, 1)), axis=2)
    drawn = (quarters + rng.random(quarters.shape)) / _STRATA
    return np.asarray(drawn.reshape(columns, -1).T[:n])


def shared_ranks(rng: np.random.Generator, item: Codes, n_items: int, correlation: float) -> Floats:
    """Draw uniform numbers, a row each, that are alike within an item.

    Parameters
    ----------
    rng : Generator
        Source of randomness.
    item : ndarray of int, shape (N,)
        The item of each.
    n_items : int
        I.
    correlation : float
        Of the normal numbers behind them.

    Returns
    -------
    ndarray, shape (N,)
        In (0, 1).
    """
    common = rng.standard_normal(n_items)[item]
    noise = rng.standard_normal(item.size)
    return np.asarray(ndtr(np.sqrt(correlation) * common + np.sqrt(1 - correlation) * noise))


def draw_labels(
    rng: np.random.Generator,
    confusion: Floats,
    annotator: Codes,
    item: Codes,
    seen: Codes,
    correlation: float,
) -> Codes:
    """Draw labels from annotators' confusion matrices, dependent within an item.

    Parameters
    ----------
    rng : Generator
        Source of randomness.
    confusion : ndarray, shape (J, K, K)
        Confusion matrices, by what items look like.
    annotator, item : ndarray of int, shape (N,)
        Who labels what.
    seen : ndarray of int, shape (I,)
        What each item looks like.
    correlation : float
        As of `Difficulty`; it holds for which wrong label is given, too.

    Returns
    -------
    ndarray of int, shape (N,)
        Codes of the labels.
    """
    looks, place = seen[item], np.arange(item.size)
    rest = confusion[annotator, looks]
    right = rest[place, looks]
    is_right = shared_ranks(rng, item, seen.size, correlation) < right
    rest[place, looks] = 0.0
    edges = rest.cumsum(axis=1)
    point = shared_ranks(rng, item, seen.size, correlation) * edges[:, -1]
    wrong = np.minimum((point[:, None] >= edges).sum(axis=1), confusion.shape[1] - 1)
    return np.where(is_right | (edges[:, -1] == 0), looks, wrong)


def both(rates: ArrayLike, others: ArrayLike, correlation: float) -> float:
    """Return how often two annotators of an item both know its category.

    Parameters
    ----------
    rates, others : array_like
        The probabilities to know, of each of two groups of annotators.
    correlation : float
        As of `Difficulty`.

    Returns
    -------
    float
        The mean over items and over pairs of one of each group.

    Examples
    --------
    >>> round(both([0.5], [0.5], 0.5), 4)  # 1/4 + arcsin(1/2) / (2 pi)
    0.3333
    """
    node, weight = np.polynomial.hermite_e.hermegauss(_NODES)

    def known(group: ArrayLike) -> Floats:
        threshold = ndtri(np.clip(np.asarray(group, dtype=np.float64), 1e-12, 1 - 1e-12))
        shift = threshold[:, None] - np.sqrt(correlation) * node
        return np.asarray(ndtr(shift / np.sqrt(1 - correlation)).mean(axis=0))

    return float(weight @ (known(rates) * known(others)) / weight.sum())


def rate_for(agreement: float, correlation: float, concentration: float | None = None) -> float:
    """Return the mean probability to know with which two annotators both know so often.

    Parameters
    ----------
    agreement : float
        How often both know: Krippendorff's alpha, where who does not know guesses by the shares.
    correlation : float
        As of `Difficulty`.
    concentration : float, optional
        Of the beta distribution of annotators; by default all know equally much.

    Returns
    -------
    float
        In (0, 1); without correlation and of equal annotators the square root of `agreement`.

    Examples
    --------
    >>> round(rate_for(0.25, 0.0), 6)
    0.5
    """
    from scipy.optimize import brentq

    def excess(mean: float) -> float:
        rates = quantiles(mean, concentration)
        return both(rates, rates, correlation) - agreement

    low, high = 1e-6, 1 - 1e-6
    if excess(low) >= 0:
        return low
    return high if excess(high) <= 0 else float(brentq(excess, low, high, xtol=1e-9))


def quantiles(mean: float, concentration: float | None) -> Floats:
    """Return what equally many annotators each know: quantiles of a beta distribution.

    Parameters
    ----------
    mean : float
        The mean probability to know.
    concentration : float or None
        Of the beta distribution; None if all know equally much.

    Returns
    -------
    ndarray
        Probabilities to know, ascending.
    """
    if concentration is None:
        return np.array([mean])
    rank = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    return np.asarray(betaincinv(mean * concentration, (1 - mean) * concentration, rank))
