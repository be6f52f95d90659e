"""The share of hard items: profile likelihood, and the smallest number that is not rejected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import scipy.stats
from numpy.typing import ArrayLike

from annobench.core.results import Summarised, axes_or_new
from annobench.noise.mixtures._checks import check_n_components, checked_band
from annobench.noise.mixtures._parameters import MixtureModel
from annobench.noise.mixtures._scoring import Method, minimise
from annobench.noise.mixtures.counts import Counts, Floats
from annobench.noise.mixtures.fitting import fit
from annobench.noise.mixtures.mixture import HARD, BinomialMixture
from annobench.noise.mixtures.pearson import ChiSquare, chi_square

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HardCount", "HardShareProfile", "hard_share_profile", "smallest_hard_count"]


@dataclass(frozen=True, eq=False)
class HardShareProfile(Summarised):
    """The profile likelihood of the share of hard items.

    Attributes
    ----------
    share : ndarray, shape (G,)
        The grid of shares.
    log_likelihood : ndarray, shape (G,)
        Profile log likelihood at each share, minus its maximum.
    estimate, lower, upper : float
        The maximum-likelihood estimate and the likelihood interval.
    mixture : BinomialMixture
        The three components at the estimate.
    level : float
        Of the interval, in (0, 1).
    """

    share: Floats
    log_likelihood: Floats
    estimate: float
    lower: float
    upper: float
    mixture: BinomialMixture
    level: float

    def summary(self) -> pd.DataFrame:
        """Return estimate and interval of the share of hard items.

        Returns
        -------
        DataFrame
            One row: estimate, lower, upper, level.
        """
        names = ("estimate", "lower", "upper", "level")
        return pd.DataFrame([{name: getattr(self, name) for name in names}])

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot the profile log likelihood and the limit of the interval.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to plot; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The plot.
        """
        axes = axes_or_new(axes)
        axes.plot(self.share, self.log_likelihood)
        axes.axhline(-_margin(self.level), color="grey", linestyle=":")
        axes.set(xlabel="share of hard items", ylabel="log likelihood below its maximum")
        return axes

    def _headline(self) -> str:
        return (
            f"{self.estimate:.3f} ({self.level:.0%} interval {self.lower:.3f} to {self.upper:.3f})"
        )


def hard_share_profile(
    counts: Counts,
    *,
    within: tuple[float, float] = HARD,
    grid: ArrayLike | None = None,
    level: float = 0.95,
) -> HardShareProfile:
    """Profile the likelihood of the share of hard items.

    The model has three components: two easy ones, with rates below and above the band, and a
    hard one with its rate inside. Unlike the number of components, the share of the hard one is
    a regular parameter, except at 0.

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels, some with 5 labels.
    within : tuple of float, default (0.4, 0.6)
        Band of rates regarded as hard.
    grid : array_like, optional
        Ascending shares in [0, 1); by default every half percent.
    level : float, default 0.95
        Confidence level of the interval: the shares whose likelihood ratio is below the quantile
        of the chi-square distribution with one degree of freedom.

    Returns
    -------
    HardShareProfile
        Estimate, interval and profile.

    Raises
    ------
    ValueError
        If three components are not identifiable, or the band or the grid is out of range.
    """
    shares = np.linspace(0, 0.995, 200) if grid is None else np.asarray(grid, dtype=float)
    if shares.ndim != 1 or not ((shares >= 0) & (shares < 1)).all() or (np.diff(shares) <= 0).any():
        raise ValueError("hard_share_profile: grid must be ascending shares in [0, 1).")
    deviance, mixtures = _at_hard_shares(counts, shares, within, "ml")
    profile = (deviance.min() - deviance) / 2
    best = int(deviance.argmin())
    inside = np.flatnonzero(profile >= -_margin(level))
    lower, upper = (
        _crossing(shares, profile, end, step, _margin(level))
        for end, step in ((inside[0], -1), (inside[-1], 1))
    )
    return HardShareProfile(
        shares, profile, float(shares[best]), lower, upper, mixtures(best), level
    )


def _margin(level: float) -> float:
    """Return the drop of the log likelihood that defines the interval."""
    return float(scipy.stats.chi2.ppf(level, df=1)) / 2


def _crossing(shares: Floats, profile: Floats, inside: int, step: int, margin: float) -> float:
    """Interpolate where the profile falls below the margin, next to the last share inside."""
    outside = inside + step
    if not 0 <= outside < shares.size:
        return float(shares[inside])
    weight = (profile[inside] + margin) / (profile[inside] - profile[outside])
    return float(shares[inside] + weight * (shares[outside] - shares[inside]))


def _at_hard_shares(
    counts: Counts, shares: Floats, within: tuple[float, float], method: Method
) -> tuple[Floats, Callable[[int], BinomialMixture]]:
    """Fit easy, hard and easy components at each share of the hard one."""
    low, high = checked_band(within)
    check_n_components(3, counts)
    bands = ((0.0, low), (low, high), (high, 1.0))
    starts = [
        (0.5 * low, middle, 0.5 + 0.5 * high, left)
        for middle in (0.75 * low + 0.25 * high, 0.25 * low + 0.75 * high)
        for left in (0.3, 0.7)
    ]
    fixed = np.tile(shares, len(starts))
    model = MixtureModel(counts, bands, (1, fixed))
    start = np.concatenate(
        [
            np.tile(
                model.theta(np.array([left, 0.0, 1 - left]), np.array([a, b, c])), (shares.size, 1)
            )
            for a, b, c, left in starts
        ]
    )
    observed = np.tile(counts.items.astype(float), (len(start), 1))
    found = minimise(model, start, observed, method)
    table = found.objective.reshape(len(starts), -1)
    row = table.argmin(axis=0) * shares.size + np.arange(shares.size)
    share, rate = model.values(found.parameters[row], row)
    return found.objective[row], lambda g: BinomialMixture(share[g], rate[g])


@dataclass(frozen=True, eq=False)
class HardCount(Summarised):
    """The smallest number of hard items at which three components are not rejected.

    Attributes
    ----------
    n_hard : int
        Items of the hard component.
    mixture : BinomialMixture
        The three components.
    chi_square : ChiSquare
        The test of their fit.
    """

    n_hard: int
    mixture: BinomialMixture
    chi_square: ChiSquare

    def summary(self) -> pd.DataFrame:
        """Return the number of hard items with the test of the fit.

        Returns
        -------
        DataFrame
            One row: n_hard, statistic, df, p_value.
        """
        frame = self.chi_square.summary()
        frame.insert(0, "n_hard", self.n_hard)
        return frame

    def _headline(self) -> str:
        return f"{self.n_hard} hard items, p = {self.chi_square.p_value:.3f}"


def smallest_hard_count(
    counts: Counts, *, within: tuple[float, float] = HARD, level: float = 0.05
) -> HardCount | None:
    """Find the smallest number of hard items whose fit is not rejected.

    For each number of hard items the other parameters minimise Pearson's chi-square. The degrees
    of freedom are those of a free mixture of three components, as in the paper's section 7.2;
    with no hard item they are those of two.

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels, some with 5 labels.
    within : tuple of float, default (0.4, 0.6)
        Band of rates regarded as hard.
    level : float, default 0.05
        Significance level of the chi-square test.

    Returns
    -------
    HardCount or None
        None if every number is rejected.

    Raises
    ------
    ValueError
        If three components are not identifiable, or the band is out of range.
    """
    checked_band(within)
    check_n_components(3, counts)
    n_items = counts.n_items
    two = fit(counts, 2, method="chi_square")
    test = two.chi_square()
    if test.p_value > level:  # no hard items at all, and two parameters fewer
        share, rate = two.mixture.share, two.mixture.rate
        none_hard = BinomialMixture(
            np.array([share[0], 0, share[1]]), np.array([rate[0], rate.mean(), rate[1]])
        )
        return HardCount(0, none_hard, test)
    df = counts.items.size - counts.n_groups - 5
    limit = float(scipy.stats.chi2.isf(level, df)) if df > 0 else 0.0
    numbers = np.unique(np.linspace(0, n_items - 1, min(n_items, 61)).astype(int))
    while True:
        values, mixtures = _at_hard_shares(counts, numbers / n_items, within, "chi_square")
        fitting = np.flatnonzero(values < limit)
        if not fitting.size:
            return None
        first = int(fitting[0])
        if first == 0 or numbers[first] - numbers[first - 1] == 1:
            break
        low, high = numbers[first - 1], numbers[first]
        numbers = np.unique(np.linspace(low, high, min(high - low + 1, 12)).astype(int))
    found = mixtures(first)
    test = chi_square(counts.items, found.expected(counts), n_fitted=5, n_totals=counts.n_groups)
    return HardCount(int(numbers[first]), found, test)
