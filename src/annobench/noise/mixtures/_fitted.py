"""What all fits of a mixture of binomials have in common."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd
from numpy.typing import ArrayLike

from annobench.core.results import Summarised, axes_or_new
from annobench.noise.mixtures._scoring import Method
from annobench.noise.mixtures.counts import Counts, Floats
from annobench.noise.mixtures.mixture import BinomialMixture
from annobench.noise.mixtures.pearson import ChiSquare, chi_square

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class FittedMixture(Summarised):
    """A mixture of binomials and the counts to which it was fitted."""

    mixture: BinomialMixture
    counts: Counts
    method: Method

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """The number of parameters fitted."""

    @cached_property
    def expected(self) -> Floats:
        """Expected items in each cell, shape (M,)."""
        return self.mixture.expected(self.counts)

    @property
    def log_likelihood(self) -> float:
        """Log likelihood of the items' numbers of positive labels."""
        return self.mixture.log_likelihood(self.counts)

    @property
    def sum_of_squares(self) -> float:
        """Sum over cells of (observed - expected)^2."""
        return float(((self.counts.items - self.expected) ** 2).sum())

    def chi_square(self, bins: ArrayLike | None = None) -> ChiSquare:
        """Test the fit with Pearson's chi-square."""
        return chi_square(
            self.counts.items,
            self.expected,
            n_fitted=self.n_parameters,
            n_totals=self.counts.n_groups,
            bins=bins,
        )

    def cells_frame(self) -> pd.DataFrame:
        """Return observed and expected items by cell."""
        return self.counts.summary().assign(expected=self.expected)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot observed and expected items against the share of positive labels."""
        axes = axes_or_new(axes)
        for n, cells in self.cells_frame().groupby("labels"):
            share = cells["positives"] / cells["labels"]
            (line,) = axes.plot(share, cells["expected"], label=f"expected, {n} labels")
            axes.plot(share, cells["items"], "o", color=line.get_color(), label="observed")
        axes.set(xlabel="share of positive labels", ylabel="items")
        axes.legend()
        return axes

    def _headline(self) -> str:
        test = self.chi_square()
        return (
            f"{self.mixture._headline()} ({self.method}; chi-square {test.statistic:.2f} with "
            f"{test.df} df)"
        )
