"""Fit mixtures of binomials to counts, and again to resampled histograms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from annobench.core.results import Summarised, axes_or_new
from annobench.noise.mixtures._binomial import binomial_pmf, draw_histograms
from annobench.noise.mixtures._checks import (
    check_method,
    check_n_components,
    check_replicates,
    is_hard,
)
from annobench.noise.mixtures._fitted import FittedMixture
from annobench.noise.mixtures._parameters import free_model, start_grid
from annobench.noise.mixtures._scoring import Method, best_start, minimise, objective
from annobench.noise.mixtures.counts import Counts, Floats
from annobench.noise.mixtures.mixture import HARD, BinomialMixture
from annobench.noise.mixtures.standard_errors import (
    ComponentStandardErrors,
    component_standard_errors,
)
from annobench.resampling.intervals import central_limits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MixtureBootstrap", "MixtureFit", "fit", "refit"]


@dataclass(frozen=True, eq=False)
class MixtureFit(FittedMixture):
    """A mixture of binomials fitted to counts.

    Attributes
    ----------
    mixture : BinomialMixture
        The estimates.
    counts : Counts
        The counts to which it was fitted.
    method : {"ml", "least_squares", "chi_square"}
        The criterion.
    """

    mixture: BinomialMixture
    counts: Counts
    method: Method

    @property
    def n_parameters(self) -> int:
        """The number of free rates and shares, 2 m - 1."""
        return 2 * self.mixture.n_components - 1

    @property
    def aic(self) -> float:
        """Akaike's information criterion; parameters on the boundary count in full."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """The Bayesian information criterion, with the items as observations."""
        return float(self.n_parameters * np.log(self.counts.n_items) - 2 * self.log_likelihood)

    @cached_property
    def standard_error(self) -> ComponentStandardErrors:
        """Large-sample standard errors, from the multinomial distribution of the cells."""
        return component_standard_errors(self.mixture, self.expected, self.counts, self.method)

    def summary(self) -> pd.DataFrame:
        """Return the components with standard errors.

        Returns
        -------
        DataFrame
            A row for each component: share, share_error, rate, rate_error; index component.
        """
        error = self.standard_error
        frame = self.mixture.summary()
        frame.insert(1, "share_error", error.share)
        return frame.assign(rate_error=error.rate)

    def bootstrap(
        self,
        replicates: int,
        rng: int | np.random.Generator | None = None,
        *,
        kind: Literal["items", "model"] = "items",
    ) -> MixtureBootstrap:
        """Fit the mixture to resampled histograms.

        Parameters
        ----------
        replicates : int
            R.
        rng : int, numpy.random.Generator or None, optional
            Seed or generator.
        kind : {"items", "model"}
            Draw items with replacement (nonparametric), or simulate them from the fit
            (parametric).

        Returns
        -------
        MixtureBootstrap
            The fits.

        Raises
        ------
        ValueError
            If there are no replicates.
        """
        check_replicates(replicates)
        centre = self.counts.items.astype(float) if kind == "items" else self.expected
        drawn = draw_histograms(centre, self.counts, replicates, np.random.default_rng(rng))
        return refit(drawn, self)


def fit(counts: Counts, n_components: int, *, method: Method = "ml") -> MixtureFit:
    """Fit a mixture of binomials.

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels.
    n_components : int
        m, at most (n + 1) / 2.
    method : {"ml", "least_squares", "chi_square"}, default "ml"
        Maximum likelihood; least squares on the histogram, as the paper; or least Pearson
        chi-square.

    Returns
    -------
    MixtureFit
        The best of the fits from a grid of starts.

    Raises
    ------
    ValueError
        If n labels do not identify this many components, or the method is unknown.

    Examples
    --------
    >>> made = BinomialMixture([0.5, 0.5], [0.1, 0.8]).pmf(10) * 1e6
    >>> fit(Counts.from_histogram(made.round()), 2).mixture.rate.round(3).tolist()
    [0.1, 0.8]
    """
    check_n_components(n_components, counts)
    check_method(method)
    model = free_model(counts, n_components)
    rates = start_grid(n_components)
    start = model.theta(np.full_like(rates, 1 / n_components), rates)
    observed = np.tile(counts.items.astype(float), (len(start), 1))
    best = best_start(minimise(model, start, observed, method, max_iterations=150), 1)
    best = minimise(
        model, best.parameters, observed[:1], method, max_iterations=2000, tolerance=1e-14
    )
    share, rate = model.values(best.parameters, np.arange(1))
    return MixtureFit(BinomialMixture(share[0], rate[0]), counts, method)


@dataclass(frozen=True, eq=False)
class MixtureBootstrap(Summarised):
    """Mixtures fitted to resampled histograms.

    Attributes
    ----------
    share, rate : ndarray, shape (R, m)
        Estimates from each replicate, sorted by rate.
    chi_square, deviance : ndarray, shape (R,)
        Pearson's chi-square, and the likelihood ratio against the saturated model, of each fit.
    """

    share: Floats
    rate: Floats
    chi_square: Floats
    deviance: Floats

    def summary(self) -> pd.DataFrame:
        """Return percentile intervals of all parameters.

        Returns
        -------
        DataFrame
            A row for each component: share_lower, share_upper, rate_lower, rate_upper, at 95%;
            index component.
        """
        ends = {
            f"{name}_{end}": values
            for name in ("share", "rate")
            for end, values in zip(("lower", "upper"), self.interval(name), strict=True)
        }
        index = pd.RangeIndex(1, self.rate.shape[1] + 1, name="component")
        return pd.DataFrame(ends, index=index)

    def replicates_frame(self) -> pd.DataFrame:
        """Return the estimates of all replicates.

        Returns
        -------
        DataFrame
            A row for each replicate and component: replicate, component, share, rate.
        """
        replicate, component = np.indices(self.rate.shape)
        return pd.DataFrame(
            {
                "replicate": replicate.ravel(),
                "component": component.ravel() + 1,
                "share": self.share.ravel(),
                "rate": self.rate.ravel(),
            }
        )

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot share against rate of the components of all replicates.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to plot; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The plot; a colour for each component.
        """
        axes = axes_or_new(axes)
        for component, rows in self.replicates_frame().groupby("component"):
            axes.plot(rows["rate"], rows["share"], ".", alpha=0.5, label=f"component {component}")
        axes.set(xlabel="rate of positive labels", ylabel="share of items")
        axes.legend()
        return axes

    def _headline(self) -> str:
        return f"{len(self.rate)} replicates of {self.rate.shape[1]} components"

    def pmf(self, n_labels: int) -> Floats:
        """Return the probability of each number of positive labels, for each fit.

        Parameters
        ----------
        n_labels : int
            Labels per item, n.

        Returns
        -------
        ndarray, shape (R, n + 1)
            Probabilities.
        """
        grid = np.arange(n_labels + 1)
        each = binomial_pmf(self.rate, np.full(n_labels + 1, n_labels), grid)
        return cast(Floats, np.einsum("rt,rtx->rx", self.share, each))

    def hard_share(self, within: tuple[float, float] = HARD) -> Floats:
        """Return the share of items in hard components in each replicate.

        Parameters
        ----------
        within : tuple of float, default (0.4, 0.6)
            Band of rates regarded as hard.

        Returns
        -------
        ndarray, shape (R,)
            Shares.
        """
        return cast(Floats, (self.share * is_hard(self.rate, within)).sum(axis=1))

    def interval(self, name: Literal["share", "rate"], level: float = 0.95) -> Floats:
        """Return percentile intervals of shares or rates.

        Parameters
        ----------
        name : {"share", "rate"}
            Which parameter.
        level : float, default 0.95
            Confidence level, in (0, 1).

        Returns
        -------
        ndarray, shape (2, m)
            Lower and upper ends.
        """
        return central_limits(getattr(self, name), level)


def refit(histograms: ArrayLike, fitted: MixtureFit) -> MixtureBootstrap:
    """Fit the same model to many histograms, in one batch.

    Parameters
    ----------
    histograms : array_like, shape (R, M)
        Items in each cell of the fit's counts, with the same totals.
    fitted : MixtureFit
        Gives the method, the number of components and one of the starting values.

    Returns
    -------
    MixtureBootstrap
        The fits.

    Raises
    ------
    ValueError
        If the histograms have other cells or other totals.
    """
    observed = np.asarray(histograms, dtype=float)
    counts, m = fitted.counts, fitted.mixture.n_components
    if observed.ndim != 2 or observed.shape[1] != counts.items.size:
        raise ValueError(
            f"refit: histograms of shape {observed.shape} for {counts.items.size} cells. Give one "
            "row per histogram."
        )
    for n in np.unique(counts.labels):
        cells = counts.labels == n
        if not np.allclose(observed[:, cells].sum(axis=1), counts.items[cells].sum()):
            raise ValueError(
                f"refit: a histogram does not sum to the {counts.items[cells].sum()} items that "
                f"have {n} labels. Give histograms with as many items as the fit."
            )
    model = free_model(counts, m)
    spread = [np.linspace(low, high, m) for low, high in ((0.1, 0.9), (0.05, 0.6), (0.4, 0.95))]
    starts = [model.theta(fitted.mixture.share, fitted.mixture.rate)]
    starts += [model.theta(np.full(m, 1 / m), rates) for rates in spread if m > 1]
    start = np.repeat(np.array(starts), len(observed), axis=0)
    tall = np.tile(observed, (len(starts), 1))
    found = best_start(minimise(model, start, tall, fitted.method), len(observed))
    share, rate = model.values(found.parameters, np.arange(len(observed)))
    order = np.argsort(rate, axis=1, kind="stable")
    return MixtureBootstrap(
        np.take_along_axis(share, order, axis=1),
        np.take_along_axis(rate, order, axis=1),
        objective("chi_square", observed, found.expected),
        objective("ml", observed, found.expected),
    )
