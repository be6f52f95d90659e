"""Sets of categories: credible, by a model's probabilities, or conformal, by gold items.

A conformal set holds each category whose p-value is above 1 - level. Let s = 1 - q be the
nonconformity score, with q the probability of an item's gold category. The p-value of category k
for an item is the share of gold items, including the item itself, whose score is at least the
item's score for k. The probabilities must not depend on the gold category of the item with which an
item is compared. If they are the same for all gold items, the sets are *split conformal*: they
contain the category of a new item with probability at least `level`, provided that gold items are a
random sample. If gold items are in folds, each with probabilities fitted to the other folds, the
sets are *cross-conformal*: the guarantee is 1 - 2 (1 - level), minus a term of the order of the
number of folds divided by the number of gold items, while the coverage is usually near `level`. By
category, only gold items of category k are used for k, and the guarantee holds within each
category. If gold was not drawn at random, items have weights, the number of items without gold for
each gold item like them, and the p-value is the weighted share.

References
----------
Vovk, Gammerman and Shafer (2005), Algorithmic learning in a random world, for conformal sets,
chapter 4.5 for those by category; Vovk (2015), Cross-conformal predictors, Annals of Mathematics
and Artificial Intelligence 74, 9-28; Barber, Candes, Ramdas and Tibshirani (2021), Predictive
inference with the jackknife+, Annals of Statistics 49, 486-507, section 4, for the guarantee;
Tibshirani, Barber, Candes and Ramdas (2019), Conformal prediction under covariate shift, NeurIPS,
section 2, for weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError, check_level

__all__ = ["ENOUGH", "conformal_sets", "counts_by_category", "credible_sets"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Sets are by category if each has this many times the fewest gold items that can exclude one.
ENOUGH: Final = 2


def credible_sets(posterior: ArrayLike, level: float = 0.9) -> Bools:
    """Return the smallest set of categories of each item with at least this probability.

    Parameters
    ----------
    posterior : array_like, shape (I, K)
        Probabilities; rows sum to 1.
    level : float, default 0.9
        In (0, 1).

    Returns
    -------
    ndarray of bool, shape (I, K)
        Whether a category is in an item's set; ties are broken by order.

    Raises
    ------
    AnnotationError
        If the level is out of range.

    Examples
    --------
    >>> credible_sets([[0.95, 0.05], [0.6, 0.4]]).sum(axis=1).tolist()
    [1, 2]
    """
    check_level(level, "credible_sets")
    table = np.asarray(posterior, dtype=np.float64)
    order = np.argsort(-table, axis=1, kind="stable")
    ordered = np.take_along_axis(table, order, axis=1)
    before = np.cumsum(ordered, axis=1) - ordered
    inside = np.empty(table.shape, dtype=bool)
    np.put_along_axis(inside, order, before < level, axis=1)
    return inside


def fewest_gold(level: float) -> int:
    """Return the least number of gold items with which a conformal set can exclude a category."""
    check_level(level, "fewest_gold")
    return math.ceil(1 / (1 - level) - 1e-9) - 1


def counts_by_category(gold: ArrayLike, n_categories: int, level: float) -> bool:
    """Return whether there are enough gold items of every category for sets by category.

    Parameters
    ----------
    gold : array_like of int
        Known categories; -1 where there is none.
    n_categories : int
        K.
    level : float
        In (0, 1).

    Returns
    -------
    bool
        Whether each category has `ENOUGH` times `fewest_gold` items.
    """
    codes = np.asarray(gold)
    counts = np.bincount(codes[codes >= 0], minlength=n_categories)
    return bool(counts.min() >= ENOUGH * fewest_gold(level))


def conformal_sets(
    posteriors: Sequence[Floats],
    fold: ArrayLike,
    gold: ArrayLike,
    level: float = 0.9,
    *,
    by_category: bool = False,
    weight: ArrayLike | None = None,
) -> Bools:
    """Return sets that contain the items' categories with a given probability.

    Parameters
    ----------
    posteriors : sequence of ndarray, shape (I, K)
        Probabilities of all items, by fold, computed without the gold items of the fold; a single
        array if no gold was used.
    fold : array_like of int, shape (I,)
        Fold of each gold item; -1 for other items.
    gold : array_like of int, shape (I,)
        Codes of gold categories, where there is a fold.
    level : float, default 0.9
        In (0, 1).
    by_category : bool, default False
        Whether only gold items of a category are used for that category. A category with fewer gold
        items than can exclude it is in every set.
    weight : array_like, shape (I,), optional
        Weights of at least 0, of gold items and others: the density of items without gold relative
        to that of gold items. By default 1.

    Returns
    -------
    ndarray of bool, shape (I, K)
        Whether a category is in an item's set. A set may be empty: no category conforms.

    Raises
    ------
    AnnotationError
        If the level is out of range, or there are too few gold items to exclude a category.

    Examples
    --------
    >>> q = np.tile([[0.9, 0.1], [0.1, 0.9]], (10, 1))
    >>> known = np.tile([0, 1], 10)
    >>> sets = conformal_sets([np.vstack([q, [[0.8, 0.2]]])], [0] * 20 + [-1], [*known, -1])
    >>> sets[0].tolist(), sets[20].tolist()  # no gold item was as doubtful as the last
    ([True, False], [False, False])
    """
    check_level(level, "conformal_sets")
    folds, codes = np.asarray(fold), np.asarray(gold)
    known = np.flatnonzero(folds >= 0)
    k = posteriors[0].shape[1]
    least = fewest_gold(level)
    if known.size < least:
        raise AnnotationError(
            f"conformal_sets: sets at level {level:g} need at least {least} gold items, got "
            f"{known.size}. Check more items, or choose a lower level."
        )
    w = np.ones(codes.size) if weight is None else np.asarray(weight, dtype=np.float64)
    above = np.zeros(posteriors[0].shape)
    total = np.zeros(k)
    for number, q in enumerate(posteriors):
        inside = known[folds[known] == number]
        score = 1 - q[inside, codes[inside]]
        for category in range(k):
            counted = codes[inside] == category if by_category else np.ones(inside.size, dtype=bool)
            order = np.argsort(score[counted], kind="stable")
            ahead = np.append(0.0, np.cumsum(w[inside][counted][order]))
            place = np.searchsorted(score[counted][order], 1 - q[:, category], side="left")
            above[:, category] += ahead[-1] - ahead[place]
            total[category] += ahead[-1]
    all_weight = total + w[:, None]
    share = np.divide(above + w[:, None], all_weight, np.ones(above.shape), where=all_weight > 0)
    # Beyond rounding: one gold item in ten is not above a tenth.
    return np.asarray(share > 1 - level + 1e-9)
