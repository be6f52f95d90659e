"""Simulated students calibrated to printed numbers of links.

What follows from shares of links drawn, under the model of `annobench.simulation.alignments`: skill
and strictness of each student, what students have in common (from an intersection), how many rival
links there are (from a union), and how much they lean towards fuzzy links.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.polynomial import hermite_e
from numpy.typing import ArrayLike
from scipy import optimize, stats

from annobench.core.errors import AnnotationError
from annobench.simulation.alignments import FUZZIER, Floats

#: Points of a quadrature over what annotators have in common.
_POINTS = 31


def skill_and_strictness(hits: ArrayLike, rivals: ArrayLike) -> tuple[Floats, Floats]:
    """Return the skill and strictness with which given shares of links are drawn.

    Parameters
    ----------
    hits : array_like, shape (J,)
        The share of the gold standard's links that each annotator draws, in (0, 1).
    rivals : array_like, shape (J,)
        The share of the rival links, in (0, 1).

    Returns
    -------
    skill, strictness : ndarray, shape (J,)
        The difference of the normal quantiles, 0 for an annotator who can't distinguish the two;
        and half their sum with the sign turned, 0 for one who misses the first as often as draws
        the other.

    Raises
    ------
    AnnotationError
        If a share is not between 0 and 1.

    Examples
    --------
    >>> skill, strictness = skill_and_strictness([0.8], [0.2])
    >>> round(float(skill[0]), 3), abs(round(float(strictness[0]), 3))
    (1.683, 0.0)
    """
    hit, rival = np.atleast_1d(hits).astype(float), np.atleast_1d(rivals).astype(float)
    for name, share in (("hits", hit), ("rivals", rival)):
        if not ((share > 0) & (share < 1)).all():
            raise AnnotationError(
                f"skill_and_strictness: {name} are {share.tolist()}. Give shares between 0 and 1."
            )
    above, below = stats.norm.ppf(hit), stats.norm.ppf(rival)
    return above - below, -(above + below) / 2


def all_and_none(share: ArrayLike, shared: float) -> tuple[float, float]:
    """Return the probability that all annotators draw a link, and that none does.

    Parameters
    ----------
    share : array_like, shape (J,)
        The probability that each annotator draws it.
    shared : float
        The share of variance that annotators have in common, in [0, 1).

    Returns
    -------
    everybody, nobody : float
        In [0, 1].

    Raises
    ------
    AnnotationError
        If a share or `shared` is out of range.

    Examples
    --------
    >>> [round(p, 4) for p in all_and_none([0.5, 0.5], 0.0)]
    [0.25, 0.25]
    >>> round(all_and_none([0.5, 0.5], 0.5)[0], 4)  # 1/4 + asin(0.5) / (2 pi)
    0.3333
    """
    if not 0 <= shared < 1:
        raise AnnotationError(f"all_and_none: shared is {shared}. Give a share below 1.")
    shares = np.atleast_1d(share).astype(float)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise AnnotationError(f"all_and_none: shares are {shares.tolist()}. Give some in [0, 1].")
    # The more annotators have in common, the steeper the step, and the narrower the grid.
    half = int(9 / min(0.05, max(1e-3, math.sqrt(1 - shared) / 4)))
    point = np.linspace(-9, 9, 2 * half + 1)
    weight = np.exp(-(point**2) / 2)
    quantile = stats.norm.ppf(shares)
    given = (quantile + np.sqrt(shared) * point[:, None]) / np.sqrt(1 - shared)
    every, none = (np.prod(f(given), axis=1) for f in (stats.norm.cdf, stats.norm.sf))
    total = weight.sum()
    return float(weight @ every / total), float(weight @ none / total)


def calibrate(
    hits: Sequence[int], own: Sequence[int], n_gold: int, *, intersection: float, union: float
) -> tuple[float, int]:
    """Find how much annotators must have in common, and how many rival links there must be.

    Parameters
    ----------
    hits, own : sequence of int, length J
        The links of the gold standard that each annotator draws, and the others.
    n_gold : int
        Links of the gold standard.
    intersection, union : float
        The expected numbers of links that everybody and that somebody draws.

    Returns
    -------
    shared : float
        The share of variance in common, from the intersection of gold links.
    n_rivals : int
        The rival links, from the union.

    Raises
    ------
    AnnotationError
        If no share or number gives these sizes, an annotator draws more links than there are,
        or nobody draws others.

    Examples
    --------
    >>> calibrate([50, 50], [10, 10], 100, intersection=100 / 3, union=100 * 2 / 3 + 18)
    (0.5, 328)
    """
    found_of, others = np.asarray(hits), np.asarray(own)
    if n_gold < 1 or not ((found_of >= 0) & (found_of <= n_gold)).all() or not others.sum() > 0:
        raise AnnotationError(
            f"calibrate: of {n_gold} gold links annotators draw {found_of.tolist()}, and "
            f"{others.tolist()} others. Give at most all gold links, and some others."
        )
    gold = found_of / n_gold

    def excess(shared: float) -> float:
        return n_gold * all_and_none(gold, shared)[0] - intersection

    shared = _root("intersection", intersection, excess, 0.0, 0.99)
    found = n_gold * (1 - all_and_none(gold, shared)[1])

    def rest(n_rivals: float) -> float:
        return found + n_rivals * (1 - all_and_none(others / n_rivals, shared)[1]) - union

    n_rivals = _root("union", union, rest, 1.001 * others.max(), 1e4 * others.sum())
    return round(shared, 6), round(n_rivals)


def calibrate_strength(
    drawn: Sequence[tuple[int, bool, ArrayLike]],
    leaning: ArrayLike,
    shared: float,
    *,
    fuzzy: float,
    both: float,
) -> tuple[float, float]:
    """Find how much annotators lean towards fuzzy links, and what they have in common there.

    Parameters
    ----------
    drawn : sequence of (int, bool, array_like of shape (J,))
        For each kind of candidates: how many there are, whether they seem fuzzier, and the
        probability that each annotator draws one.
    leaning : array_like, shape (J,)
        The leaning of each annotator, up to a common shift.
    shared : float
        The share of variance that annotators have in common in what they draw, in [0, 1).
    fuzzy, both : float
        The expected numbers of links that somebody marks fuzzy, and that are marked both ways.

    Returns
    -------
    shift, shared_strength : float
        What to add to the leanings; and the share of variance in common in what seems fuzzy.

    Raises
    ------
    AnnotationError
        If no shift or share gives these numbers.
    """
    lean = np.atleast_1d(leaning).astype(float)
    point, weight = hermite_e.hermegauss(_POINTS)
    weight = weight / weight.sum()

    def given(quantile: Floats, common: float) -> Floats:
        """Return probabilities at each point, shape (points, J)."""
        seen = quantile + np.sqrt(common) * point[:, None]
        return np.asarray(stats.norm.cdf(seen / np.sqrt(1 - common)))

    draws = [given(stats.norm.ppf(np.atleast_1d(share)), shared) for _, _, share in drawn]

    def expected(shift: float, common: float) -> tuple[float, float]:
        """Return the numbers of links marked fuzzy by somebody, and both ways."""
        some, two = 0.0, 0.0
        for (n, fuzzier, _), p in zip(drawn, draws, strict=True):
            q = given(lean + shift + FUZZIER * fuzzier, common)
            # Nobody marks it fuzzy, nobody marks it exact, nobody draws it; (points, points).
            none = [np.prod(1 - p[:, None] * mark, axis=2) for mark in (q, 1 - q, np.ones_like(q))]
            no_fuzzy, no_exact, no_link = (float(weight @ each @ weight) for each in none)
            some += n * (1 - no_fuzzy)
            two += n * (1 - no_fuzzy - no_exact + no_link)
        return some, two

    def shift_for(common: float) -> float:
        return _root("fuzzy", fuzzy, lambda shift: expected(shift, common)[0] - fuzzy, -8, 8)

    def excess(common: float) -> float:
        return expected(shift_for(common), common)[1] - both

    common = _root("both", both, excess, 0.0, 0.98)
    return shift_for(common), common


def _root(
    name: str, value: float, function: Callable[[float], Any], low: float, high: float
) -> float:
    ends = function(low), function(high)
    if ends[0] * ends[1] > 0:
        raise AnnotationError(
            f"calibrate: no annotators with these links have a {name} of {value:.6g}; it lies "
            f"between {value + min(ends):.6g} and {value + max(ends):.6g}."
        )
    return float(optimize.brentq(function, low, high, xtol=1e-6))
