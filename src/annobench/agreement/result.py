"""The result of a coefficient: estimate, intervals and breakdowns."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.agreement.breakdown import (
    by_annotator,
    by_category,
    by_item,
    by_pair,
    leave_one_out,
)
from annobench.agreement.intervals import Kind, interval
from annobench.agreement.replicates import Unit, bootstrap
from annobench.agreement.statistic import Statistic
from annobench.core.errors import DegenerateWarning, IntervalWarning
from annobench.core.results import Summarised, axes_or_new
from annobench.core.texts import plain
from annobench.resampling.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Agreement"]


class Agreement(Statistic, Summarised):
    """A coefficient of agreement on given labels, with its intervals and breakdowns.

    Attributes
    ----------
    method : Coefficient
        The record of the coefficient.
    annotations : Annotations
        The labels from which it was computed.
    make_form : callable
        Makes the form from annotations and multiplicities of annotators.
    refit : callable
        Computes the coefficient, with the same options, for other annotations.
    collapsible : bool
        Whether categories can be merged, that is, without weights or metric.
    analytic_limits : callable or None
        Computes the limits of the analytic interval from the statistic and a level, if better ones
        than normal limits are published.
    """

    def _headline(self) -> str:
        """Return the estimate and its standard error."""
        return f"{self.name} {self.estimate:.4g} (standard error {self.standard_error:.2g})"

    def summary(self, *, level: float = 0.95) -> pd.DataFrame:
        """Return the estimate with its analytic interval, and its components.

        Parameters
        ----------
        level : float, default 0.95
            Level of the interval, in (0, 1).

        Returns
        -------
        DataFrame
            One row, named as the coefficient: estimate, standard_error, lower, upper, level,
            observed_agreement, expected_agreement, n_items, n_annotators, n_labels. NaN if
            undefined. Unlike `interval`, it does not warn of intervals of zero width.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateWarning)
            warnings.simplefilter("ignore", IntervalWarning)
            found = self.interval(level=level)
        row = {
            "estimate": self.estimate,
            "standard_error": self.standard_error,
            "lower": found.lower,
            "upper": found.upper,
            "level": level,
            "observed_agreement": self.observed_agreement,
            "expected_agreement": self.expected_agreement,
            "n_items": self.n_items,
            "n_annotators": self.n_annotators,
            "n_labels": self.n_labels,
        }
        return pd.DataFrame(row, index=pd.Index([self.name], name="coefficient"))

    def plot(self, axes: Axes | None = None, *, level: float = 0.95) -> Axes:
        """Plot the estimate and, if categories can be merged, that of each category.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.
        level : float, default 0.95
            Level of the analytic intervals, in (0, 1).

        Returns
        -------
        matplotlib.axes.Axes
            The axes, with one line per estimate and interval, the overall one on top.
        """
        table = self.summary(level=level).reset_index(names="of")
        if self.collapsible and self.annotations.n_categories > 2:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", IntervalWarning)
                categories = self.by_category(level).rename(columns={"category": "of"})
            table = pd.concat([table, categories], ignore_index=True)
        shown = axes_or_new(axes)
        place = np.arange(len(table))[::-1]
        shown.hlines(place, table["lower"], table["upper"])
        shown.plot(table["estimate"], place, "o")
        shown.set_yticks(place, [plain(name) for name in table["of"]])
        shown.set_xlabel(f"{self.method.title} ({100 * level:.4g}% interval)")
        return shown

    def bootstrap(
        self,
        *,
        unit: Unit = "items",
        replicates: int = 2000,
        rng: np.random.Generator | int | None = None,
    ) -> NDArray[np.float64]:
        """Recompute the coefficient on resampled labels.

        Parameters
        ----------
        unit : {"items", "annotators", "both"}, default "items"
            The unit drawn with replacement. Pairs of copies of an annotator are dropped.
        replicates : int, default 2000
            Number of replicates.
        rng : numpy.random.Generator or int, optional
            The source of randomness, or its seed.

        Returns
        -------
        ndarray, shape (replicates,)
            NaN if the coefficient is undefined.

        Raises
        ------
        AnnotationError
            If there are too few annotators or items to be resampled.
        """
        return bootstrap(self, unit, replicates, np.random.default_rng(rng))

    def interval(
        self,
        kind: Kind = "analytic",
        *,
        unit: Unit = "items",
        level: float = 0.95,
        replicates: int = 2000,
        rng: np.random.Generator | int | None = None,
    ) -> Interval:
        """Return an interval of the coefficient.

        Parameters
        ----------
        kind : {"analytic", "percentile", "bca", "jackknife", "bayesian"}, default "analytic"
            The method; see `annobench.agreement.intervals.interval`.
        unit : {"items", "annotators", "both"}, default "items"
            What is sampled: items, annotators, or both (percentile only).
        level : float, default 0.95
            In (0, 1).
        replicates : int, default 2000
            Number of replicates, for the random kinds.
        rng : numpy.random.Generator or int, optional
            The source of randomness, or its seed; needed by the random kinds.

        Returns
        -------
        Interval
            Contains the estimate; NaN if undefined.

        Raises
        ------
        AnnotationError
            If kind and unit are incompatible, rng is missing, or there are too few annotators or
            items.

        Warns
        -----
        DegenerateWarning
            If there is no interval, or many replicates are undefined.
        IntervalWarning
            If it is too narrow: of zero width, or from few annotators.
        """
        generator = None if rng is None else np.random.default_rng(rng)
        return interval(self, kind, unit, level, replicates, generator)

    def by_category(self, level: float = 0.95) -> pd.DataFrame:
        """Compute the coefficient of each category against the rest ("single-category").

        Parameters
        ----------
        level : float, default 0.95
            Level of the analytic intervals.

        Returns
        -------
        DataFrame
            category, n_labels, estimate, standard_error, lower, upper.

        Raises
        ------
        AnnotationError
            If categories cannot be merged because the coefficient has weights or a metric.

        Warns
        -----
        IntervalWarning
            If intervals have zero width, as when all labels of each item agree.
        """
        return by_category(self, level)

    def by_pair(self) -> pd.DataFrame:
        """Compute the coefficient for every pair of annotators with common items.

        Returns
        -------
        DataFrame
            first, second, n_items, estimate, standard_error, observed_agreement.

        Raises
        ------
        AnnotationError
            If there are too many pairs of labels.
        """
        return by_pair(self)

    def by_annotator(self) -> pd.DataFrame:
        """Compare each annotator with the others.

        Returns
        -------
        DataFrame
            annotator, n_labels, n_pairs, observed_agreement, without, change.
        """
        return by_annotator(self)

    def by_item(self) -> pd.DataFrame:
        """Return the observed agreement of every item.

        Returns
        -------
        DataFrame
            item, n_labels, observed_agreement (NaN with fewer than two labels).
        """
        return by_item(self)

    def leave_one_out(self) -> pd.DataFrame:
        """Compute the coefficient leaving out each annotator in turn.

        Returns
        -------
        DataFrame
            annotator, estimate; NaN where it is undefined or no pair of annotators is left.
            Coefficients of complete items use the items that all annotators labelled.
        """
        return leave_one_out(self)
