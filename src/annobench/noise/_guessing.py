"""Chance agreement of guesses, for guess distributions that are given or estimated.

The n labels of a hard item agree with probability ``sum_k g[k]**n``, where ``g[k]`` is the
probability that a guess is k. This chance is convex in g, so that its maximum over a range of
distributions is at an extreme point; for a given mean distribution it is largest when all
annotators have the same one, by the inequality of the arithmetic and geometric means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft, optimize, stats

from annobench.core.errors import AnnotationError
from annobench.core.results import SummarisedScalars
from annobench.core.tolerances import SUM_TO_ONE
from annobench.models._fixed_point import Settling
from annobench.noise._votes import Votes

Floats = NDArray[np.float64]
Guess = float | Sequence[float]
#: A chance of agreement, so that agreement on a hard item does not count as certain.
MAX_CHANCE = 1 - 1e-12
#: Distance of guess probabilities from 0 and 1 in the optimisation.
_EDGE = 1e-9
#: Grid points of the numerical integration over the guess probability.
_GRID = 1_000


@dataclass(frozen=True, eq=False)
class Guesses(SummarisedScalars):
    """The guess distribution, given or estimated, and the resulting chance agreement.

    Attributes
    ----------
    likely : ndarray, shape (K,)
        The maximum-likelihood distribution; for a given range, that of the largest chance.
    chance : float
        The largest chance of agreement, averaged over the items' numbers of labels.
    likely_chance : float
        The chance of agreement for `likely`.
    low, high : float
        Lower and upper limit of the probability of the last of two categories; with more
        categories, of any category.
    estimated : bool
        Whether the distribution was estimated.
    """

    likely: Floats
    chance: float
    likely_chance: float
    low: float
    high: float
    estimated: bool


def chance_of_agreement(guess: ArrayLike, sizes: ArrayLike) -> float:
    """Return the probability that all guesses on an item agree, averaged over items."""
    g = np.asarray(guess, dtype=np.float64)
    number, items = np.unique(np.asarray(sizes), return_counts=True)
    return float((g[:, None] ** number).sum(axis=0) @ items / items.sum())


def given(guess: Guess, sizes: ArrayLike, n_categories: int, caller: str) -> Guesses:
    """Find the largest chance of agreement for a given distribution or range of guesses."""
    try:
        values = np.atleast_1d(np.asarray(guess, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.ndim != 1 or not values.size or not np.all((values > 0) & (values < 1)):
        raise AnnotationError(
            f"{caller}: guess_distribution {guess!r} is not between 0 and 1 (both excluded). Give "
            "the probability that a guess is the last category, such as 0.5, or a range, (0.4, "
            "0.6)."
        )
    corners = _corners(values, n_categories, guess, caller)
    chances = [chance_of_agreement(corner, sizes) for corner in corners]
    worst = int(np.argmax(chances))
    low, high = _ends(corners, n_categories)
    return Guesses(corners[worst], chances[worst], chances[worst], low, high, False)


def posterior_hidden(votes: Votes, alpha: float) -> int:
    """Return the posterior bound on the number of hard items without a disagreement."""
    split = ~votes.unanimous
    size, d = votes.size[split], int(split.sum())
    positives = int(votes.counts[split, 1].sum())
    p = (np.arange(_GRID) + 0.5) / _GRID
    number, items = np.unique(votes.size, return_counts=True)
    chance = (p[:, None] ** number + (1 - p)[:, None] ** number) @ items / votes.n_items
    # The mean chance of agreement stands for that of each number of labels.
    log_weight = (positives - 0.5) * np.log(p) + (size.sum() - positives - 0.5) * np.log1p(-p)
    log_weight -= (d + 1) * np.log1p(-chance)
    agreed = votes.n_items - d
    within = stats.nbinom.cdf(agreed, d + 1, 1 - chance)
    weight = np.exp(log_weight - log_weight.max())
    total = float(weight @ within)

    def tail(t: int) -> float:
        return float(weight @ (within - stats.nbinom.cdf(t, d + 1, 1 - chance))) / total

    low, high = -1, agreed
    while high - low > 1:
        t = (low + high) // 2
        low, high = (low, t) if tail(t) < alpha else (t, high)
    return high


def _ends(corners: list[Floats], n_categories: int) -> tuple[float, float]:
    shown = [c[-1:] if n_categories == 2 else c for c in corners]
    return float(min(map(np.min, shown))), float(max(map(np.max, shown)))


def _corners(values: Floats, n_categories: int, guess: Guess, caller: str) -> list[Floats]:
    """Return candidate extreme points of a range, up to the order of categories."""
    if n_categories == 2 and values.size <= 2:
        if values[0] > values[-1]:
            raise AnnotationError(
                f"{caller}: the range of guess_distribution {guess!r} is descending. Give (low, "
                "high)."
            )
        return [np.array([1 - p, p]) for p in values]
    if values.size == n_categories:
        if abs(values.sum() - 1) > SUM_TO_ONE:
            raise AnnotationError(
                f"{caller}: guess_distribution must sum to 1 over the {n_categories} categories, "
                f"got {values.sum():g}. Correct the probabilities."
            )
        return [values / values.sum()]
    if values.size != 2:
        raise AnnotationError(
            f"{caller}: guess_distribution has {values.size} number(s) for {n_categories} "
            "categories. Give one probability for each category, or a range (low, high) that "
            "contains each of them."
        )
    low, high = values
    if not (n_categories * low <= 1 <= n_categories * high):
        raise AnnotationError(
            f"{caller}: no {n_categories} probabilities between {low:g} and {high:g} sum to 1. "
            "Widen the range."
        )
    # An extreme point: as many at the upper end as possible, one between, the others low.
    corner = np.full(n_categories, low)
    left = 1 - corner.sum()
    for k in range(n_categories):
        step = min(high - low, left)
        corner[k] += step
        left -= step
    return [corner]


def estimated(votes: Votes, alpha: float, caller: str, *, likely: Floats | None = None) -> Guesses:
    """Estimate the guess distribution from items on which annotators disagree."""
    split = ~votes.unanimous & (votes.size >= 3)
    if not split.any():
        why = (
            "two labels that disagree are one of each, whatever the guesses"
            if votes.size.max() == 2
            else "no item of three labels shows a disagreement"
        )
        raise AnnotationError(
            f"{caller}: the distribution of guesses can't be estimated, as {why}. Give it "
            "as guess_distribution, such as 0.5, or as a range, such as 0.3,0.7, whose worst case "
            "is reported."
        )
    counts, size = votes.counts[split], votes.size[split]
    if likely is None:
        likely = _most_likely(counts, size)
    if votes.n_categories == 2:
        low, high = _exact_limits(counts[:, 1], size, alpha)
        chance = max(chance_of_agreement([1 - p, p], votes.size) for p in (low, high))
    else:
        worst = _largest_chance(counts, size, likely, votes.size, alpha)
        low, high, chance = (
            float(worst.min()),
            float(worst.max()),
            chance_of_agreement(worst, votes.size),
        )
    return Guesses(likely, chance, chance_of_agreement(likely, votes.size), low, high, True)


def _most_likely(counts: NDArray[np.int64], size: NDArray[np.int64]) -> Floats:
    """Maximise the conditional likelihood given a disagreement by EM; it is unimodal."""
    number, items = np.unique(size, return_counts=True)
    total = counts.sum(axis=0).astype(np.float64)
    g: Floats = total / total.sum()
    settling = Settling(1e-10)
    for _ in range(2_000):
        power = g[:, None] ** number
        chance = np.minimum(power.sum(axis=0), MAX_CHANCE)
        unseen = power @ (items * number / (1 - chance))
        new = (total + unseen) / (total + unseen).sum()
        before, g = g, np.asarray(new, dtype=np.float64)
        if settling.has_settled(before, g):
            break
    return g


def _exact_limits(
    positives: NDArray[np.int64], size: NDArray[np.int64], alpha: float
) -> tuple[float, float]:
    """Return exact confidence limits of the probability of the second category."""
    seen = int(positives.sum())
    number, items = np.unique(size, return_counts=True)

    def excess(p: float, *, upper: bool) -> float:
        pmf = _pmf_of_sum(number, items, p)
        return float((pmf[seen:] if upper else pmf[: seen + 1]).sum()) - alpha / 2

    # The root is bracketed near the estimate first, where it is if labels are many.
    centre = float(np.clip(seen / (number @ items), _EDGE, 1 - _EDGE))
    half_width = 5 / float(np.sqrt(number @ items))

    def limit(end: float, *, upper: bool) -> float:
        other = 1 - end
        near, far = (
            centre + float(np.clip(x - centre, -half_width, half_width)) for x in (end, other)
        )
        below = partial(excess, upper=upper)
        start = near if below(near) < 0 else end
        stop = far if below(far) > 0 else other
        if below(start) >= 0:
            return 0.0 if upper else 1.0
        return float(optimize.brentq(below, start, stop, xtol=1e-8))

    return limit(_EDGE, upper=True), limit(1 - _EDGE, upper=False)


def _pmf_of_sum(number: NDArray[np.int64], items: NDArray[np.int64], p: float) -> Floats:
    """Return the pmf of the number of positive labels on disagreed items."""
    length = int(number @ items) + 1
    padded = fft.next_fast_len(length, real=True)
    spectrum = np.ones(padded // 2 + 1, dtype=np.complex128)
    for n, m in zip(number, items, strict=True):
        log_pmf = stats.binom.logpmf(np.arange(1, n), n, p)
        pmf = np.r_[0, np.exp(log_pmf - log_pmf.max())]
        spectrum *= fft.rfft(pmf / pmf.sum(), padded) ** m
    return np.asarray(np.clip(fft.irfft(spectrum, padded)[:length], 0, None))


def _largest_chance(
    counts: NDArray[np.int64],
    size: NDArray[np.int64],
    likely: Floats,
    sizes: NDArray[np.int64],
    alpha: float,
) -> Floats:
    """Return the non-rejected guess distribution with the largest chance of agreement."""
    number, items = np.unique(size, return_counts=True)
    total = counts.sum(axis=0)

    def log_likelihood(g: Floats) -> float:
        chance = np.minimum((g[:, None] ** number).sum(axis=0), MAX_CHANCE)
        return float(total @ np.log(g) - items @ np.log1p(-chance))

    inside = np.clip(likely, _EDGE, 1)
    inside /= inside.sum()
    lowest = log_likelihood(inside) - stats.chi2.isf(2 * alpha, 1) / 2

    def gap_towards(corner: Floats, t: float) -> float:
        return log_likelihood((1 - t) * inside + t * corner) - lowest

    def excess(g: Any) -> Any:
        # The solver needs constraints on the scale of its objective.
        return (log_likelihood(np.clip(g, _EDGE, 1)) - lowest) / float(total.sum())

    best = inside
    for k in np.argsort(-inside)[:3]:
        # Start from the boundary of the region towards the vertices of frequent categories.
        corner = np.full(inside.size, _EDGE)
        corner[k] = 1 - _EDGE * (inside.size - 1)
        fraction = _boundary_fraction(partial(gap_towards, corner))
        found = optimize.minimize(  # type: ignore[call-overload]
            lambda g: -chance_of_agreement(g, sizes),
            (1 - fraction) * inside + fraction * corner,
            bounds=optimize.Bounds(_EDGE, 1),
            constraints=[
                optimize.LinearConstraint(np.ones(inside.size), 1, 1),
                optimize.NonlinearConstraint(excess, 0, np.inf),
            ],
            method="SLSQP",
        )
        for g in (found.x, (1 - fraction) * inside + fraction * corner):
            g = np.clip(g, _EDGE, 1) / np.clip(g, _EDGE, 1).sum()
            allowed = log_likelihood(g) >= lowest - 0.01
            if allowed and chance_of_agreement(g, sizes) > chance_of_agreement(best, sizes):
                best = g
    return best


def _boundary_fraction(gap: Callable[[float], float]) -> float:
    """Return the fraction of a line up to which a gap that starts positive stays positive."""
    return 1.0 if gap(1.0) >= 0 else float(optimize.brentq(gap, 0, 1))
