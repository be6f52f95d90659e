"""Bounds on the number of guesses for an arbitrary distribution of the items' rates.

An item has, for each category, a rate: the share of all annotators who would give it that label.
Annotators are independent given the item; the distribution of rates over items is arbitrary. A
kept label is easy if its rate is at least `easy_rate`, such as 0.6, and otherwise a guess.

Items are grouped by the share of labels of their majority category. The probability of a group is
linear in the distribution of rates over (item, category) pairs, and so is the probability that a
guess is kept: the largest share of kept guesses compatible with the observed groups is the solution
of a linear program. The groups are constrained by exact simultaneous confidence limits, so that
the bound is valid for any distribution of rates and any number of items.

References: Ignatiadis and Wager (2022), Journal of the American Statistical Association 117,
1149-1166, for bounds by localisation; Berger and Boos (1994), Journal of the American Statistical
Association 89, 1012-1016, for spending part of the error probability on the nuisance distribution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from annobench.core.tolerances import WHOLE
from annobench.noise._votes import Counts, Votes, reaches

Floats = NDArray[np.float64]

#: Maximum number of groups by the majority's share of labels.
_GROUPS = 10
#: Steps of the grid of rates.
_STEPS = 200
#: Distance of the grid point just below `easy_rate`.
_BELOW = 1e-9
#: Steps of EM for the nonparametric distribution of rates; its likelihood is flat.
_EM_STEPS = 500


@dataclass(frozen=True, eq=False)
class Groups:
    """Items grouped by the share of labels of their majority.

    Attributes
    ----------
    seen : ndarray of int, shape (B,)
        Items in each group, from small to large shares; items without a majority are in none.
    n_items : int
        All items M.
    rates : ndarray, shape (R,)
        A grid of rates; of two categories from one half, as the other category has the rest.
    chance : ndarray, shape (B, R)
        ``[b, r]``: probability that a category of rate r is an item's majority, and in group b;
        of two categories, that either is.
    two : bool
        Whether there are two categories.
    """

    seen: Counts
    n_items: int
    rates: Floats
    chance: Floats
    two: bool

    @classmethod
    def of(cls, votes: Votes, easy_rate: float) -> Groups:
        """Group the items."""
        size, top = votes.size, votes.top
        majority = 2 * top > size
        number, items = np.unique(size, return_counts=True)
        edges = _edges(number, items)
        two = votes.n_categories == 2
        smallest = 0.5 if two else 0.0
        rates = np.unique(
            np.r_[np.linspace(smallest, 1, _STEPS + 1), easy_rate - _BELOW, easy_rate]
        )
        rates = rates[rates >= smallest]
        chance = np.zeros((edges.size, rates.size))
        for n, m in zip(number, items, strict=True):
            votes_of = np.arange(n // 2 + 1, n + 1)
            pmf = np.asarray(stats.binom.pmf(votes_of[:, None], n, rates))
            if two:
                pmf = pmf + np.asarray(stats.binom.pmf(votes_of[:, None], n, 1 - rates))
            pmf = pmf * (m / votes.n_items)
            np.add.at(chance, _group_of(edges, votes_of / n), pmf)
        seen = np.bincount(_group_of(edges, (top / size)[majority]), minlength=edges.size)
        return cls(seen, votes.n_items, rates, chance, two)


def _edges(number: Counts, items: Counts) -> Floats:
    """Return the lower ends of the groups: the possible shares, or tenths of their range."""
    shares = np.unique(np.concatenate([np.arange(n // 2 + 1, n + 1) / n for n in number]))
    if shares.size > _GROUPS:
        # The last group is the unanimous items.
        shares = np.r_[0.5, 0.5 + 0.5 * np.arange(1, _GROUPS - 1) / (_GROUPS - 1), 1.0]
    return np.asarray(shares - WHOLE)


def _group_of(edges: Floats, share: Floats) -> Counts:
    return np.asarray(np.searchsorted(edges, share, side="right") - 1)


@dataclass(frozen=True, eq=False)
class Region:
    """The distributions of rates compatible with the observed groups.

    Attributes
    ----------
    groups : Groups
        Observed.
    matrix, limit : ndarray
        Distributions w over the grid with ``matrix @ w <= limit``.
    """

    groups: Groups
    matrix: Floats
    limit: Floats

    @classmethod
    def of(cls, groups: Groups, alpha: float) -> Region:
        """Constrain each group, and each upper tail of groups, by exact confidence limits."""
        n = groups.n_items
        # The tail from the lowest group is all majorities; that from the highest is that group.
        chance = np.vstack([groups.chance, groups.chance[::-1].cumsum(axis=0)[1:]])
        seen = np.r_[groups.seen, groups.seen[::-1].cumsum()[1:]]
        each = alpha / (2 * seen.size)
        with np.errstate(invalid="ignore"):
            lower = np.where(seen == 0, 0, stats.beta.ppf(each, seen, n - seen + 1))
            upper = np.where(seen == n, 1, stats.beta.isf(each, seen + 1, n - seen))
        # No item has two categories that more than half of all annotators would give.
        above = (groups.rates > 0.5).astype(np.float64)
        return cls(groups, np.vstack([chance, -chance, above]), np.r_[upper, -lower, 1.0])

    def largest(self, goal: Floats) -> float:
        """Return the largest mean of a function of the rate."""
        rates = self.groups.rates
        # The rates of an item's categories sum to 1; of two, the larger one stands for both.
        once = np.ones(rates.size) if self.groups.two else rates
        found = optimize.linprog(
            -goal, A_ub=self.matrix, b_ub=self.limit, A_eq=once[None], b_eq=[1.0], method="highs"
        )
        return float(goal @ np.asarray(found.x)) if found.status == 0 else float("nan")


def kept_guesses(votes: Votes, groups: Groups, min_agreement: float, easy_rate: float) -> Floats:
    """Return the probability that a category is kept although its rate is below `easy_rate`."""

    def kept(rates: Floats) -> Floats:
        chance = np.zeros(rates.size)
        for n, m in zip(*np.unique(votes.size, return_counts=True), strict=True):
            top = np.arange(n + 1)
            top = top[reaches(top, n, min_agreement)]
            pmf = np.asarray(stats.binom.pmf(top[:, None], n, rates))
            chance += pmf.sum(axis=0) * (m / votes.n_items)
        return chance

    guesses = np.where(groups.rates < easy_rate - _BELOW / 2, kept(groups.rates), 0)
    # Of two categories the one with the smaller rate is a guess in any case.
    return np.asarray(guesses + kept(1 - groups.rates) if groups.two else guesses)


@dataclass(frozen=True, eq=False)
class RateDistribution:
    """The nonparametric maximum-likelihood distribution of rates over items and categories.

    The rates of all (item, category) pairs are treated as independent draws from one distribution,
    from which posteriors follow (empirical Bayes).

    Attributes
    ----------
    rates, mass : ndarray, shape (R,)
        A grid, and the share of pairs of each rate.
    votes : Votes
        The label counts it was estimated from.
    """

    rates: Floats
    mass: Floats
    votes: Votes

    @classmethod
    def of(cls, votes: Votes, easy_rate: float) -> RateDistribution:
        """Estimate the distribution."""
        pairs, number = _pairs(votes)
        steps = np.arange(_STEPS + 1) / _STEPS
        rates = np.unique(np.r_[steps, easy_rate - _BELOW, easy_rate])
        chance = np.asarray(stats.binom.pmf(pairs[1][:, None], pairs[0][:, None], rates))
        mass = np.full(rates.size, 1 / rates.size)
        share = number / number.sum()
        for _ in range(_EM_STEPS):
            mass = mass * ((share / np.maximum(chance @ mass, 1e-300)) @ chance)
        return cls(rates, np.asarray(mass / mass.sum()), votes)

    def easy_share(self, easy_rate: float) -> float:
        """Return the share of items with a category whose rate is at least `easy_rate`."""
        above = self.mass[self.rates >= easy_rate - _BELOW / 2].sum()
        return min(1.0, float(above) * self.votes.n_categories)

    def guess_probability(self, easy_rate: float) -> Floats:
        """Return the probability that each item's most frequent label is a guess."""
        votes = self.votes
        pairs = np.stack([votes.size, votes.top])
        distinct, index = np.unique(pairs, axis=1, return_inverse=True)
        chance = np.asarray(stats.binom.pmf(distinct[1][:, None], distinct[0][:, None], self.rates))
        posterior = chance * self.mass
        below = posterior[:, self.rates < easy_rate - _BELOW / 2].sum(axis=1)
        share = np.clip(below / posterior.sum(axis=1), 0, 1)
        return np.asarray(share[index.reshape(-1)])


def _pairs(votes: Votes) -> tuple[Counts, Counts]:
    """Return the distinct pairs (labels of an item, labels of a category) and their frequencies."""
    size = np.repeat(votes.size, votes.n_categories)
    pairs, number = np.unique(np.stack([size, votes.counts.ravel()]), axis=1, return_counts=True)
    return np.asarray(pairs), np.asarray(number)
