"""The result of a coefficient that users hold: its numbers, with intervals and breakdowns."""

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
        The labels it was computed from.
    make_form : callable
        Makes the form, given annotations and copies of annotators.
    refit : callable
        The same coefficient, options included, of other annotations.
    collapsible : bool
        Whether categories can be merged to one against the rest: without weights or metric.
    analytic_limits : callable or None
        The lower and upper limit of the analytic interval, given the statistic and a level, where
        the literature has better ones than the normal ones.
    """

    def _headline(self) -> str:
        """Return the estimate and its standard error."""
        return f"{self.name} {self.estimate:.4g} (standard error {self.standard_error:.2g})"

    def summary(self, *, level: float = 0.95) -> pd.DataFrame:
        """Return the estimate with its analytic interval, and its components.

        Parameters
        ----------
        level : float, default 0.95
            Of the interval, in (0, 1).

        Returns
        -------
        DataFrame
            One row, named as the coefficient: estimate, standard_error, lower, upper, level,
            observed_agreement, expected_agreement, n_items, n_annotators, n_labels. NaN where
            undefined; what an interval without width means, `interval` warns of.
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
        """Draw the estimate and, where categories can be merged, that of each of them.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where; by default in a new figure.
        level : float, default 0.95
            Of the analytic intervals, in (0, 1).

        Returns
        -------
        matplotlib.axes.Axes
            One line for each estimate with its interval, the first on top.
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
            What is drawn with replacement. Of annotators, pairs of copies are dropped.
        replicates : int, default 2000
            How often.
        rng : numpy.random.Generator or int, optional
            The source of randomness, or its seed.

        Returns
        -------
        ndarray, shape (replicates,)
            NaN where a replicate leaves the coefficient undefined.

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
            What varies: the items, the annotators, or both (percentile alone).
        level : float, default 0.95
            In (0, 1).
        replicates : int, default 2000
            Of the random kinds.
        rng : numpy.random.Generator or int, optional
            The source of randomness, or its seed; needed by the random kinds.

        Returns
        -------
        Interval
            Contains the estimate; NaN where it is undefined.

        Raises
        ------
        AnnotationError
            If kind and unit don't go together, rng is missing, or there are too few
            annotators or items.

        Warns
        -----
        DegenerateWarning
            If there is no interval, or it leaves out many undefined replicates.
        IntervalWarning
            If it is too narrow: without width, or from few annotators.
        """
        generator = None if rng is None else np.random.default_rng(rng)
        return interval(self, kind, unit, level, replicates, generator)

    def by_category(self, level: float = 0.95) -> pd.DataFrame:
        """Set each category against the rest ("single-category" coefficient).

        Parameters
        ----------
        level : float, default 0.95
            Of the analytic intervals.

        Returns
        -------
        DataFrame
            category, n_labels, estimate, standard_error, lower, upper.

        Raises
        ------
        AnnotationError
            If weights or a metric leave no meaning to merged categories.

        Warns
        -----
        IntervalWarning
            If intervals have no width, as where all labels of an item agree.
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
        """Give the observed agreement of every item.

        Returns
        -------
        DataFrame
            item, n_labels, observed_agreement (NaN with fewer than two labels).
        """
        return by_item(self)

    def leave_one_out(self) -> pd.DataFrame:
        """Compute the coefficient without each annotator in turn.

        Returns
        -------
        DataFrame
            annotator, estimate; NaN where it is undefined or no pair of annotators is left. A
            coefficient of complete items keeps to those that all annotators labelled.
        """
        return leave_one_out(self)
