"""Items of varying difficulty, for simulators of labels with dependent errors.

Errors on an item are dependent for two reasons. On hard items all annotators err more often: a
label is correct if a normal variable is below the annotator's threshold, and these variables
correlate within an item. Misleading items look like items of another category, which annotators
then give. Neither changes the shares of labels given the true category, so calibration to a table
of labels by gold category is preserved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtr, ndtri

__all__ = ["EVEN", "Difficulty", "both", "draw_labels", "quantiles"]

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
    """Return how often items of a category (row) look like another one (column)."""
    shares = np.asarray(confusion, dtype=np.float64)
    return (1 - misleading) * np.eye(len(shares)) + misleading * shares


def confusion_by_appearance(confusion: ArrayLike, looks: Floats) -> Floats:
    """Return the shares of labels by what items look like."""
    shares = np.linalg.solve(looks, np.asarray(confusion, dtype=np.float64)).clip(0)
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def draw_appearance(rng: np.random.Generator, category: Codes, looks: Floats) -> Codes:
    """Draw the apparent category of each item, with the given shares of misleading items."""
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
    """Draw each annotator's confusion matrix about a mean one."""
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
    """Draw uniform numbers, a row each, that are alike within an item."""
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
    """Return the probability that two annotators of an item both know its category.

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
    """Return the mean probability of knowing for a given probability that both know."""
    from scipy.optimize import brentq

    def excess(mean: float) -> float:
        rates = quantiles(mean, concentration)
        return both(rates, rates, correlation) - agreement

    low, high = 1e-6, 1 - 1e-6
    if excess(low) >= 0:
        return low
    return high if excess(high) <= 0 else float(brentq(excess, low, high, xtol=1e-9))


def quantiles(mean: float, concentration: float | None) -> Floats:
    """Return quantiles of a beta distribution as annotators' probabilities of knowing.

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
