"""Any number of types of items: what labels say of guesses, whatever the items' rates.

An item has, for each category, a rate: the share of all annotators who would give it that label.
Annotators are independent given the item. Nothing is assumed of how rates vary over items. A
kept label is *settled* if its rate is at least `settled`, such as 0.6, and otherwise a guess.

An item's votes are summed up by the share of labels of its majority category, in classes. The
probability of a class is linear in the distribution of rates over (item, category) pairs, and so
is that of a guess being kept: the largest share of kept guesses that the observed classes allow
is the solution of a linear program. The classes are held within exact simultaneous limits, so
that the bound holds for any distribution of rates and any number of items.

References: Ignatiadis and Wager (2022), Journal of the American Statistical Association 117,
1149-1166, for bounds by localisation; Berger and Boos (1994), Journal of the American Statistical
Association 89, 1012-1016, for spending a part of the error on the unknown distribution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from annobench.noise._votes import Counts, Votes, reaches

Floats = NDArray[np.float64]

#: Classes of the majority's share of labels.
_CLASSES = 10
#: Steps of the grid of rates.
_STEPS = 200
#: Rates just below `settled` are guesses.
_BELOW = 1e-9
#: Steps of the EM algorithm for a distribution without a form, whose likelihood is flat.
_EM_STEPS = 500


@dataclass(frozen=True, eq=False)
class Classes:
    """Items by the share of labels of their majority.

    Attributes
    ----------
    seen : ndarray of int, shape (B,)
        Items in each class, from small to large shares; those without a majority are in none.
    n_items : int
        All items M.
    rates : ndarray, shape (R,)
        A grid of rates; of two categories from one half, as the other category has the rest.
    chance : ndarray, shape (B, R)
        ``[b, r]``: probability that a category of rate r is an item's majority, and in class b;
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
    def of(cls, votes: Votes, settled: float) -> Classes:
        """Sort items into classes.

        Parameters
        ----------
        votes : Votes
            Of items with two labels or more.
        settled : float
            A rate that the grid holds, and one just below it.

        Returns
        -------
        Classes
            At most ten.
        """
        size, top = votes.size, votes.top
        majority = 2 * top > size
        number, items = np.unique(size, return_counts=True)
        edges = _edges(number, items)
        two = votes.n_categories == 2
        least = 0.5 if two else 0.0
        rates = np.unique(np.r_[np.linspace(least, 1, _STEPS + 1), settled - _BELOW, settled])
        rates = rates[rates >= least]
        chance = np.zeros((edges.size, rates.size))
        for n, m in zip(number, items, strict=True):
            votes_of = np.arange(n // 2 + 1, n + 1)
            pmf = np.asarray(stats.binom.pmf(votes_of[:, None], n, rates))
            if two:
                pmf = pmf + np.asarray(stats.binom.pmf(votes_of[:, None], n, 1 - rates))
            pmf = pmf * (m / votes.n_items)
            np.add.at(chance, _class(edges, votes_of / n), pmf)
        seen = np.bincount(_class(edges, (top / size)[majority]), minlength=edges.size)
        return cls(seen, votes.n_items, rates, chance, two)


def _edges(number: Counts, items: Counts) -> Floats:
    """Return the lower ends of the classes: the shares there can be, or tenths of their range.

    They depend on the numbers of labels alone, not on the labels.
    """
    shares = np.unique(np.concatenate([np.arange(n // 2 + 1, n + 1) / n for n in number]))
    if shares.size > _CLASSES:
        # The last class is the unanimous items.
        shares = np.r_[0.5, 0.5 + 0.5 * np.arange(1, _CLASSES - 1) / (_CLASSES - 1), 1.0]
    return np.asarray(shares - 1e-9)


def _class(edges: Floats, share: Floats) -> Counts:
    return np.asarray(np.searchsorted(edges, share, side="right") - 1)


@dataclass(frozen=True, eq=False)
class Region:
    """The distributions of rates that the classes allow.

    Attributes
    ----------
    classes : Classes
        Observed.
    matrix, limit : ndarray
        Distributions w over the grid with ``matrix @ w <= limit``.
    """

    classes: Classes
    matrix: Floats
    limit: Floats

    @classmethod
    def of(cls, classes: Classes, miss: float) -> Region:
        """Hold the classes, and all of them from each one upwards, within exact limits.

        Parameters
        ----------
        classes : Classes
            Observed.
        miss : float
            Probability that the true distribution is outside, at most.

        Returns
        -------
        Region
            Limits are those of Clopper and Pearson, at `miss` over their number.
        """
        n = classes.n_items
        # The tail from the lowest class is all majorities; that from the highest is that class.
        chance = np.vstack([classes.chance, classes.chance[::-1].cumsum(axis=0)[1:]])
        seen = np.r_[classes.seen, classes.seen[::-1].cumsum()[1:]]
        each = miss / (2 * seen.size)
        with np.errstate(invalid="ignore"):
            low = np.where(seen == 0, 0, stats.beta.ppf(each, seen, n - seen + 1))
            high = np.where(seen == n, 1, stats.beta.isf(each, seen + 1, n - seen))
        # No item has two categories that more than half of all annotators would give.
        above = (classes.rates > 0.5).astype(np.float64)
        return cls(classes, np.vstack([chance, -chance, above]), np.r_[high, -low, 1.0])

    def largest(self, goal: Floats) -> float:
        """Return the largest mean of a function of the rate.

        Parameters
        ----------
        goal : ndarray, shape (R,)
            Summed over the categories of an item.

        Returns
        -------
        float
            The mean over items; NaN if no distribution of rates is allowed.
        """
        rates = self.classes.rates
        # The rates of an item's categories sum to 1; of two, the larger one stands for both.
        once = np.ones(rates.size) if self.classes.two else rates
        found = optimize.linprog(
            -goal, A_ub=self.matrix, b_ub=self.limit, A_eq=once[None], b_eq=[1.0], method="highs"
        )
        return float(goal @ np.asarray(found.x)) if found.status == 0 else float("nan")


def kept_guesses(votes: Votes, classes: Classes, keep: float, settled: float) -> Floats:
    """Return how likely a category of each rate is kept though its rate is below `settled`.

    Parameters
    ----------
    votes : Votes
        Decides how many labels items have.
    classes : Classes
        Decides the grid.
    keep : float
        Share of labels, see `Votes.kept`.
    settled : float
        Guesses are below.

    Returns
    -------
    ndarray, shape (R,)
        Of two categories, that either is.
    """

    def kept(rates: Floats) -> Floats:
        chance = np.zeros(rates.size)
        for n, m in zip(*np.unique(votes.size, return_counts=True), strict=True):
            top = np.arange(n + 1)
            top = top[reaches(top, n, keep)]
            pmf = np.asarray(stats.binom.pmf(top[:, None], n, rates))
            chance += pmf.sum(axis=0) * (m / votes.n_items)
        return chance

    guesses = np.where(classes.rates < settled - _BELOW / 2, kept(classes.rates), 0)
    # Of two categories the one with the smaller rate is a guess in any case.
    return np.asarray(guesses + kept(1 - classes.rates) if classes.two else guesses)


@dataclass(frozen=True, eq=False)
class Spread:
    """The distribution of rates over items and categories, estimated without a form.

    The rates of all (item, category) pairs are taken for draws from one distribution, which is
    estimated by maximum likelihood as if pairs were independent; posteriors follow from it.

    Attributes
    ----------
    rates, mass : ndarray, shape (R,)
        A grid, and the share of pairs of each rate.
    votes : Votes
        What it was estimated from.
    """

    rates: Floats
    mass: Floats
    votes: Votes

    @classmethod
    def of(cls, votes: Votes, settled: float) -> Spread:
        """Estimate the distribution.

        Parameters
        ----------
        votes : Votes
            Of items with two labels or more.
        settled : float
            A rate that the grid holds, and one just below it.

        Returns
        -------
        Spread
            After a fixed number of steps of EM: the likelihood is flat.
        """
        pairs, number = _pairs(votes)
        steps = np.arange(_STEPS + 1) / _STEPS
        rates = np.unique(np.r_[steps, settled - _BELOW, settled])
        chance = np.asarray(stats.binom.pmf(pairs[1][:, None], pairs[0][:, None], rates))
        mass = np.full(rates.size, 1 / rates.size)
        share = number / number.sum()
        for _ in range(_EM_STEPS):
            mass = mass * ((share / np.maximum(chance @ mass, 1e-300)) @ chance)
        return cls(rates, np.asarray(mass / mass.sum()), votes)

    def easy_share(self, settled: float) -> float:
        """Return the share of items of which some category has a settled rate.

        Parameters
        ----------
        settled : float
            Above one half, so that no item has two such categories.

        Returns
        -------
        float
            In [0, 1].
        """
        above = self.mass[self.rates >= settled - _BELOW / 2].sum()
        return min(1.0, float(above) * self.votes.n_categories)

    def guess_probability(self, settled: float) -> Floats:
        """Return how probable it is that each item's most frequent label is a guess.

        Parameters
        ----------
        settled : float
            Rates below are guesses.

        Returns
        -------
        ndarray, shape (M,)
            Probability that the rate of the most frequent category is below `settled`.
        """
        votes = self.votes
        pairs = np.stack([votes.size, votes.top])
        distinct, place = np.unique(pairs, axis=1, return_inverse=True)
        chance = np.asarray(stats.binom.pmf(distinct[1][:, None], distinct[0][:, None], self.rates))
        posterior = chance * self.mass
        below = posterior[:, self.rates < settled - _BELOW / 2].sum(axis=1)
        share = np.clip(below / posterior.sum(axis=1), 0, 1)
        return np.asarray(share[place.reshape(-1)])


def _pairs(votes: Votes) -> tuple[Counts, Counts]:
    """Return the distinct pairs of an item's labels and one category's, and how often they are."""
    size = np.repeat(votes.size, votes.n_categories)
    pairs, number = np.unique(np.stack([size, votes.counts.ravel()]), axis=1, return_counts=True)
    return np.asarray(pairs), np.asarray(number)
