"""The distribution of the number of positive labels of an item: a mixture of binomials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import xlogy

from annobench.core.results import Summarised
from annobench.noise.mixtures._binomial import binomial_pmf, draw_histograms
from annobench.noise.mixtures._checks import is_hard
from annobench.noise.mixtures.counts import Counts, Floats

__all__ = ["BinomialMixture"]

#: The rates that count as hard: close to a fair coin.
HARD: tuple[float, float] = (0.4, 0.6)


@dataclass(frozen=True, eq=False)
class BinomialMixture(Summarised):
    """A mixture of binomials: components with their shares of items and rates of positive labels.

    Attributes
    ----------
    share : ndarray, shape (m,)
        theta_t, at least 0; scaled to sum to 1, so that numbers of items may be given.
    rate : ndarray, shape (m,)
        p_t in [0, 1], ascending; components are sorted by it.
    """

    share: Floats
    rate: Floats

    def __post_init__(self) -> None:
        """Validate the components, scale the shares, sort by rate."""
        share, rate = (np.atleast_1d(np.asarray(v, dtype=float)) for v in (self.share, self.rate))
        if share.ndim != 1 or share.shape != rate.shape:
            raise ValueError(
                f"BinomialMixture: {share.shape} shares and {rate.shape} rates. Give one of each "
                "to every component."
            )
        if not ((rate >= 0) & (rate <= 1)).all():
            raise ValueError(f"BinomialMixture: rates must be in [0, 1], got {rate.tolist()}.")
        if not ((share >= 0).all() and 0 < share.sum() < np.inf):
            raise ValueError(
                f"BinomialMixture: shares must be at least 0, and not all 0; got {share.tolist()}."
            )
        order = np.argsort(rate, kind="stable")
        object.__setattr__(self, "share", share[order] / share.sum())
        object.__setattr__(self, "rate", rate[order])

    @property
    def n_components(self) -> int:
        """The number of components m."""
        return int(self.rate.size)

    def summary(self) -> pd.DataFrame:
        """Return the components as a table.

        Returns
        -------
        DataFrame
            A row for each component: share, rate; index component, from 1.
        """
        index = pd.RangeIndex(1, self.n_components + 1, name="component")
        return pd.DataFrame({"share": self.share, "rate": self.rate}, index=index)

    def _headline(self) -> str:
        return ", ".join(
            f"{share:.3f} at rate {rate:.3f}"
            for share, rate in zip(self.share, self.rate, strict=True)
        )

    def pmf(self, n_labels: int) -> Floats:
        """Return the probability of each number of positive labels.

        Parameters
        ----------
        n_labels : int
            Labels per item, n.

        Returns
        -------
        ndarray, shape (n + 1,)
            Pr(x = j), j = 0, 1, ..., n.
        """
        each = binomial_pmf(self.rate, np.full(n_labels + 1, n_labels), np.arange(n_labels + 1))
        return self.share @ each

    def expected(self, counts: Counts) -> Floats:
        """Return the expected number of items in each cell.

        Parameters
        ----------
        counts : Counts
            Gives the cells, and the number of items with n labels.

        Returns
        -------
        ndarray, shape (M,)
            Expected items.
        """
        each = binomial_pmf(self.rate, counts.labels, counts.positives)
        return counts.totals * (self.share @ each)

    def log_likelihood(self, counts: Counts) -> float:
        """Return the log likelihood of the items' numbers of positive labels.

        Parameters
        ----------
        counts : Counts
            Items by number of labels and of positive labels.

        Returns
        -------
        float
            Log likelihood without the multinomial coefficient of the cells.
        """
        pmf = self.share @ binomial_pmf(self.rate, counts.labels, counts.positives)
        return float(xlogy(counts.items, pmf).sum())

    def posterior(self, positives: ArrayLike, labels: ArrayLike) -> Floats:
        """Return the probability of each component given an item's labels.

        Parameters
        ----------
        positives, labels : array_like of int, shape (...)
            Numbers of positive labels and of labels of items.

        Returns
        -------
        ndarray, shape (..., m)
            Posterior probabilities; NaN where the labels have probability 0.
        """
        x, n = np.broadcast_arrays(np.asarray(positives), np.asarray(labels))
        each = self.share[:, None] * binomial_pmf(self.rate, n.ravel(), x.ravel())
        with np.errstate(invalid="ignore"):
            posterior = each / each.sum(axis=0)
        return cast(Floats, posterior.T.reshape(*x.shape, self.n_components))

    def simulate(self, counts: Counts, rng: int | np.random.Generator | None = None) -> Counts:
        """Simulate the positive labels of all items.

        Parameters
        ----------
        counts : Counts
            The numbers of labels of the items.
        rng : int, numpy.random.Generator or None, optional
            Seed or generator.

        Returns
        -------
        Counts
            Simulated counts.
        """
        drawn = draw_histograms(self.expected(counts), counts, 1, np.random.default_rng(rng))[0]
        return Counts(counts.labels, counts.positives, drawn.astype(np.int64))

    def hard_share(self, within: tuple[float, float] = HARD) -> float:
        """Return the share of items in hard components.

        Parameters
        ----------
        within : tuple of float, default (0.4, 0.6)
            Band of rates regarded as hard.

        Returns
        -------
        float
            Sum of the shares of the components whose rate is within the band.
        """
        return float(self.share[is_hard(self.rate, within)].sum())
