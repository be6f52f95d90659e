"""Mixtures of two normal distributions, the alternative to binomials."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import pandas as pd
import scipy.stats
from numpy.typing import ArrayLike
from scipy.special import expit

from annobench.core.results import Summarised, axes_or_new
from annobench.noise.mixtures._scoring import best_start, minimise, with_jacobian
from annobench.noise.mixtures.counts import Counts, Floats
from annobench.noise.mixtures.pearson import ChiSquare, chi_square

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Cells", "GaussianFit", "fit_gaussians", "gaussian_cells"]

Cells = Literal["density", "interval", "normalised"]


@dataclass(frozen=True, eq=False)
class GaussianFit(Summarised):
    """Two normal distributions fitted to a histogram by least squares.

    Attributes
    ----------
    share, mean, sd : ndarray, shape (2,)
        Share of items, mean and standard deviation of the number of positive labels, sorted
        by mean.
    expected : ndarray, shape (n + 1,)
        Expected items; they need not sum to I.
    counts : Counts
        The counts to which they were fitted.
    """

    share: Floats
    mean: Floats
    sd: Floats
    expected: Floats
    counts: Counts

    def summary(self) -> pd.DataFrame:
        """Return the two components.

        Returns
        -------
        DataFrame
            A row for each: share, mean, sd; index component.
        """
        index = pd.RangeIndex(1, 3, name="component")
        return pd.DataFrame({"share": self.share, "mean": self.mean, "sd": self.sd}, index=index)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot observed and expected items by number of positive labels.

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
        axes.plot(self.expected, label="expected")
        axes.plot(self.counts.histogram, "o", label="observed")
        axes.set(xlabel="positive labels", ylabel="items")
        axes.legend()
        return axes

    def _headline(self) -> str:
        return ", ".join(
            f"{share:.3f} of mean {mean:.2f} and sd {sd:.2f}"
            for share, mean, sd in zip(self.share, self.mean, self.sd, strict=True)
        )

    @property
    def sum_of_squares(self) -> float:
        """Sum over cells of (observed - expected)^2."""
        return float(((self.counts.items - self.expected) ** 2).sum())

    def chi_square(self, bins: ArrayLike | None = None) -> ChiSquare:
        """Test the fit with Pearson's chi-square.

        Parameters
        ----------
        bins : array_like of int, shape (n + 1,), optional
            Number of each cell's bin.

        Returns
        -------
        ChiSquare
            With five parameters fitted.
        """
        return chi_square(self.counts.items, self.expected, n_fitted=5, bins=bins)


def gaussian_cells(
    share: ArrayLike, mean: ArrayLike, sd: ArrayLike, n_labels: int, *, cells: Cells = "density"
) -> Floats:
    """Evaluate a mixture of normal distributions at 0, 1, ..., n.

    Parameters
    ----------
    share, mean, sd : array_like, shape (..., m)
        Share, mean and standard deviation of each component.
    n_labels : int
        n.
    cells : {"density", "interval", "normalised"}
        The density at each whole number; the probability of the interval of half a unit on
        either side; or the density of each component divided by its sum over 0, 1, ..., n.

    Returns
    -------
    ndarray, shape (..., n + 1)
        They need not sum to 1 unless normalised, as normal distributions extend below 0 and
        above n.

    Raises
    ------
    ValueError
        If a standard deviation is not positive, or the kind of cells is not known.
    """
    weight, mu, sigma = (np.asarray(v, dtype=float)[..., None] for v in (share, mean, sd))
    if not (sigma > 0).all():
        raise ValueError("gaussian_cells: standard deviations must be above 0.")
    x = np.arange(n_labels + 1)
    if cells in ("density", "normalised"):
        z = (x - mu) / sigma
        each = np.exp(-z * z / 2) / (np.sqrt(2 * np.pi) * sigma)
        if cells == "normalised":
            each /= np.maximum(each.sum(axis=-1, keepdims=True), np.finfo(float).tiny)
    elif cells == "interval":
        ndtr = scipy.stats.norm.cdf
        each = ndtr((x + 0.5 - mu) / sigma) - ndtr((x - 0.5 - mu) / sigma)
    else:
        raise ValueError(
            f"gaussian_cells: cells {cells!r} is not one of density, interval, normalised."
        )
    return cast(Floats, (weight * each).sum(axis=-2))


def fit_gaussians(counts: Counts, *, cells: Cells = "density") -> GaussianFit:
    """Fit two normal distributions by least squares.

    Parameters
    ----------
    counts : Counts
        Of items that all have the same number of labels.
    cells : {"density", "interval", "normalised"}
        How the probability of a count is approximated, as in `gaussian_cells`.

    Returns
    -------
    GaussianFit
        The best of the fits from a grid of starts.

    Raises
    ------
    AnnotationError
        If the number of labels differs from item to item.
    """
    histogram, n = counts.histogram.astype(float), counts.max_labels

    def values(theta: Floats) -> tuple[Floats, Floats, Floats]:
        first = expit(theta[:, 4])
        share = np.stack([first, 1 - first], axis=1)
        return share, n * theta[:, :2], n * np.exp(theta[:, 2:4])

    def expected(theta: Floats) -> Floats:
        return counts.n_items * gaussian_cells(*values(theta), n, cells=cells)

    means = combinations((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 2)
    start = np.array([[*pair, -2.0, -2.0, 0.0] for pair in means])
    observed = np.tile(histogram, (len(start), 1))
    best = best_start(minimise(with_jacobian(expected), start, observed, "least_squares"), 1)
    share, mean, sd = (part[0] for part in values(best.parameters))
    order = np.argsort(mean)
    return GaussianFit(share[order], mean[order], sd[order], best.expected[0], counts)
