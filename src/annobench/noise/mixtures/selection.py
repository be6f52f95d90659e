"""Parametric bootstrap tests, and the choice of the number of components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from annobench.core.results import Summarised, SummarisedScalars, axes_or_new
from annobench.noise.mixtures._binomial import draw_histograms
from annobench.noise.mixtures._checks import check_n_components, check_replicates
from annobench.noise.mixtures._parameters import free_model
from annobench.noise.mixtures._scoring import best_start, minimise
from annobench.noise.mixtures.counts import Counts, Floats, max_identifiable_components
from annobench.noise.mixtures.fitting import MixtureFit, fit, refit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BootstrapTest",
    "ComponentSelection",
    "goodness_of_fit",
    "likelihood_ratio_test",
    "likelihood_ratios",
    "select_n_components",
]


@dataclass(frozen=True, eq=False)
class BootstrapTest(SummarisedScalars):
    """A test whose null distribution comes from simulated data.

    Attributes
    ----------
    statistic : float
        Of the observed data.
    p_value : float
        (1 + draws at least as large) / (1 + draws), in (0, 1].
    draws : ndarray, shape (R,)
        The null distribution: the statistic of data simulated under the null hypothesis.
    """

    statistic: float
    p_value: float
    draws: Floats

    @classmethod
    def of(cls, statistic: float, draws: Floats) -> BootstrapTest:
        """Count the draws that are at least as large as the statistic.

        Parameters
        ----------
        statistic : float
            Of the observed data.
        draws : ndarray, shape (R,)
            Statistics under the null hypothesis.

        Returns
        -------
        BootstrapTest
            The test.
        """
        # Two fits of one histogram agree only up to this tolerance.
        reached = draws >= statistic - 1e-6 * (1 + abs(statistic))
        return cls(statistic, float((1 + reached.sum()) / (1 + draws.size)), draws)

    @property
    def standard_error(self) -> float:
        """Monte Carlo standard error of the p-value."""
        return float(np.sqrt(self.p_value * (1 - self.p_value) / self.draws.size))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot the null distribution and the observed statistic.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to plot; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            A histogram with a vertical line.
        """
        axes = axes_or_new(axes)
        axes.hist(self.draws, bins=30, color="lightgrey", label="null distribution")
        axes.axvline(self.statistic, label=f"observed, p = {self.p_value:.3f}")
        axes.set(xlabel="statistic", ylabel="simulated data sets")
        axes.legend()
        return axes


def goodness_of_fit(
    fitted: MixtureFit, *, replicates: int, rng: int | np.random.Generator | None = None
) -> BootstrapTest:
    """Test a fit by its chi-square, with a parametric bootstrap null distribution.

    Parameters
    ----------
    fitted : MixtureFit
        The null hypothesis: data are simulated from it, and refitted by its method.
    replicates : int
        R.
    rng : int, numpy.random.Generator or None, optional
        Seed or generator.

    Returns
    -------
    BootstrapTest
        The test.

    Raises
    ------
    ValueError
        If there are no replicates.
    """
    draws = fitted.bootstrap(replicates, rng, kind="model").chi_square
    return BootstrapTest.of(fitted.chi_square().statistic, draws)


def likelihood_ratio_test(
    counts: Counts,
    n_components: int,
    *,
    replicates: int,
    rng: int | np.random.Generator | None = None,
) -> BootstrapTest:
    """Test m components against m + 1 by the likelihood ratio.

    The likelihood ratio statistic has no asymptotic chi-square distribution here; its null
    distribution is simulated from the fit of m components (McLachlan 1987).

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels.
    n_components : int
        m under the null hypothesis; m + 1 must be identifiable.
    replicates : int
        R.
    rng : int, numpy.random.Generator or None, optional
        Seed or generator.

    Returns
    -------
    BootstrapTest
        The test.

    Raises
    ------
    ValueError
        If n labels don't identify m + 1 components, or there are no replicates.
    """
    check_n_components(n_components, counts)
    check_n_components(n_components + 1, counts)
    check_replicates(replicates)
    fewer, more = fit(counts, n_components), fit(counts, n_components + 1)
    statistic = max(2 * (more.log_likelihood - fewer.log_likelihood), 0.0)
    drawn = draw_histograms(fewer.expected, counts, replicates, np.random.default_rng(rng))
    return BootstrapTest.of(statistic, likelihood_ratios(drawn, fewer))


def likelihood_ratios(histograms: ArrayLike, fitted: MixtureFit) -> Floats:
    """Return the likelihood ratio of m against m + 1 components for many histograms.

    Parameters
    ----------
    histograms : array_like, shape (R, M)
        Items in each cell of the fit's counts.
    fitted : MixtureFit
        A maximum-likelihood fit of m components, which gives starting values.

    Returns
    -------
    ndarray, shape (R,)
        Twice the difference in log likelihood, at least 0.

    Raises
    ------
    ValueError
        If the fit is not by maximum likelihood.
    """
    if fitted.method != "ml":
        raise ValueError(f"likelihood_ratios: the fit is by {fitted.method!r}. Fit it by 'ml'.")
    observed = np.asarray(histograms, dtype=float)
    small = refit(observed, fitted)
    m = fitted.mixture.n_components
    model = free_model(fitted.counts, m + 1)
    # The optimum depends on where the further component starts.
    starts = []
    for new in (0.02, 0.2, 0.4, 0.6, 0.8, 0.98):
        added = np.full((len(observed), 1), new)
        share = np.hstack([0.95 * small.share, np.full_like(added, 0.05)])
        starts.append(model.theta(share, np.hstack([small.rate, added])))
    tall = np.tile(observed, (len(starts), 1))
    large = best_start(minimise(model, np.concatenate(starts), tall, "ml"), len(observed))
    return cast(Floats, np.maximum(small.deviance - large.objective, 0.0))


@dataclass(frozen=True, eq=False)
class ComponentSelection(Summarised):
    """The number of components supported by the counts.

    Attributes
    ----------
    n_components : int
        The smallest m that is not rejected against m + 1 components.
    fits : tuple of MixtureFit
        Fits of 1, 2, ... components.
    tests : tuple of BootstrapTest
        Likelihood ratio tests of 1, 2, ... against one more, up to the first that does not
        reject.
    """

    n_components: int
    fits: tuple[MixtureFit, ...]
    tests: tuple[BootstrapTest, ...]

    @property
    def best(self) -> MixtureFit:
        """The fit of the selected number of components."""
        return self.fits[self.n_components - 1]

    def summary(self) -> pd.DataFrame:
        """Compare the numbers of components.

        Returns
        -------
        DataFrame
            A row for each number: n_components, log_likelihood, aic, bic, chi_square, df,
            chi_square_p, likelihood_ratio (against one more), bootstrap_p (NaN where it was not
            tested), selected.
        """
        rows = []
        for fitted in self.fits:
            m, pearson = fitted.mixture.n_components, fitted.chi_square()
            test = self.tests[m - 1] if m <= len(self.tests) else None
            rows.append(
                {
                    "n_components": m,
                    "log_likelihood": fitted.log_likelihood,
                    "aic": fitted.aic,
                    "bic": fitted.bic,
                    "chi_square": pearson.statistic,
                    "df": pearson.df,
                    "chi_square_p": pearson.p_value,
                    "likelihood_ratio": test.statistic if test else np.nan,
                    "bootstrap_p": test.p_value if test else np.nan,
                    "selected": m == self.n_components,
                }
            )
        return pd.DataFrame(rows)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot AIC and BIC against the number of components.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to plot; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The selected number is marked by a vertical line.
        """
        axes = axes_or_new(axes)
        table = self.summary().set_index("n_components")
        for name in ("aic", "bic"):
            axes.plot(table.index, table[name], "o-", label=name.upper())
        axes.axvline(self.n_components, color="grey", linestyle=":", label="selected")
        axes.set(xlabel="components", ylabel="criterion", xticks=table.index)
        axes.legend()
        return axes

    def _headline(self) -> str:
        return f"{self.n_components} of {len(self.fits)} considered; {self.best._headline()}"


def select_n_components(
    counts: Counts,
    *,
    max_components: int | None = None,
    level: float = 0.05,
    replicates: int = 199,
    rng: int | np.random.Generator | None = None,
) -> ComponentSelection:
    """Add components as long as one more is significant.

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels.
    max_components : int, optional
        Largest number considered; by default the largest that is identifiable.
    level : float, default 0.05
        Significance level of each test.
    replicates : int, default 199
        Bootstrap replicates of each test.
    rng : int, numpy.random.Generator or None, optional
        Seed or generator.

    Returns
    -------
    ComponentSelection
        The number selected, with the fits and tests that led to it.

    Raises
    ------
    ValueError
        If more components are asked for than n labels identify.
    """
    largest = max_components
    if largest is None:
        largest = max_identifiable_components(counts.max_labels)
    check_n_components(largest, counts)
    generator = np.random.default_rng(rng)
    fits = tuple(fit(counts, m) for m in range(1, largest + 1))
    tests: list[BootstrapTest] = []
    for m in range(1, largest):
        tests.append(likelihood_ratio_test(counts, m, replicates=replicates, rng=generator))
        if tests[-1].p_value > level:
            return ComponentSelection(m, fits, tuple(tests))
    return ComponentSelection(largest, fits, tuple(tests))
