"""What every coefficient has in common: its record, and the result it returns."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.agreement import breakdown, resampling
from annobench.agreement.forms import Floats, Form
from annobench.agreement.resampling import Interval, Kind, Unit
from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.labels.annotations import Annotations

#: Makes the form of a coefficient, given copies of each annotator (None for one of each).
Build = Callable[[Annotations, Floats | None], Form]


@dataclass(frozen=True)
class Coefficient:
    """The record of one coefficient: who made it, what it takes, what it assumes.

    Attributes
    ----------
    name : str
        Unique among the coefficients; also the name of its function.
    title : str
        As a page shows it.
    reference : str
        Author, year, section or equation.
    accepts : frozenset of str
        Scales of labels, out of "nominal", "ordinal", "interval" and "set".
    annotators : {"two", "any"}
        How many it takes.
    missing : str
        What it does with missing labels.
    degenerate : str
        When it is undefined.
    standard_error : str
        The source of its standard error over items.
    aliases : tuple of str
        Other names of the same coefficient.
    lowest, highest : float
        The range of its values; with weights, kappas have no lowest.
    error_divisor : {0, 1}
        Whether the variance of its standard error divides by n, as the multinomial formula
        does, or by n - 1.
    assumes : str
        In one sentence, what it takes for chance, or what it assumes otherwise.
    variants : mapping of str to tuple of mappings
        For each scale on which it tells something, the options that a report shows; by default
        none, on every scale it accepts.
    pairwise : bool
        Whether its cost grows with the pairs of labels, not with the labels.
    """

    name: str
    title: str
    reference: str
    accepts: frozenset[str]
    annotators: Literal["two", "any"]
    missing: str
    degenerate: str
    standard_error: str
    aliases: tuple[str, ...] = ()
    lowest: float = -math.inf
    highest: float = 1.0
    error_divisor: Literal[0, 1] = 0
    assumes: str = ""
    variants: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict, hash=False)
    pairwise: bool = False

    def check(self, annotations: Annotations) -> Annotations:
        """Refuse labels that the coefficient can't take, and leave out what it ignores.

        Parameters
        ----------
        annotations : Annotations
            The labels.

        Returns
        -------
        Annotations
            For two annotators, the items that both labelled; otherwise the same.

        Raises
        ------
        AnnotationError
            If there are too few or too many annotators, an annotator labelled an item
            twice, no item has two labels, or the scale is not accepted.
        """
        if annotations.scale not in self.accepts:
            raise AnnotationError(
                f"{self.name}: takes {', '.join(sorted(self.accepts))} labels, got the "
                f"{annotations.scale} scale. Choose another coefficient, or another scale."
            )
        if annotations.first_repeat is not None:
            at = annotations.first_repeat
            raise AnnotationError(
                f"{self.name}: annotator {annotations.annotators[annotations.annotator[at]]!r} "
                f"labelled an item twice: {annotations.items[annotations.item[at]]!r}. Keep one "
                "label of each; for the agreement of annotators with themselves, give the second "
                "round another name."
            )
        if self.annotators == "two":
            if annotations.n_annotators != 2:
                raise AnnotationError(
                    f"{self.name}: needs exactly two annotators, got {annotations.n_annotators}. "
                    "Choose two with select(annotators=...), or use by_pair of a coefficient for "
                    "any number."
                )
            return complete_items(annotations, self.name)
        if annotations.n_annotators < 2:
            raise AnnotationError(
                f"{self.name}: needs at least two annotators, got {annotations.n_annotators}. "
                "Agreement is between annotators; with one there is none to measure."
            )
        if not (np.diff(annotations.by_item.offsets) > 1).any():
            raise AnnotationError(
                f"{self.name}: no item has labels of two annotators. Choose annotators and items "
                "that overlap."
            )
        return annotations


@dataclass(frozen=True, eq=False)
class Agreement:
    """A coefficient of agreement on given labels, and everything that follows from it.

    Attributes
    ----------
    method : Coefficient
        The record of the coefficient.
    annotations : Annotations
        The labels it was computed from.
    build : callable
        Makes the form, given annotations and copies of annotators.
    repeat : callable
        The same coefficient, options included, of other annotations.
    collapsible : bool
        Whether categories can be merged to one against the rest: without weights or metric.
    analytic_ends : callable or None
        The ends of the analytic interval, given the result and a level, where the literature has
        better ones than the normal ones.
    """

    method: Coefficient
    annotations: Annotations
    build: Build
    repeat: Callable[[Annotations], Agreement]
    collapsible: bool = True
    analytic_ends: Callable[[Agreement, float], tuple[float, float]] | None = None

    @classmethod
    def of(
        cls,
        method: Coefficient,
        annotations: Annotations,
        build: Build,
        repeat: Callable[[Annotations], Agreement],
        *,
        collapsible: bool = True,
        analytic_ends: Callable[[Agreement, float], tuple[float, float]] | None = None,
    ) -> Agreement:
        """Compute the estimate, and warn if it is undefined.

        Parameters
        ----------
        method, annotations, build, repeat, collapsible, analytic_ends
            The attributes.

        Returns
        -------
        Agreement
            With the estimate.

        Warns
        -----
        DegenerateWarning
            If the estimate is undefined.
        """
        result = cls(method, annotations, build, repeat, collapsible, analytic_ends)
        if math.isnan(result.estimate):
            warnings.warn(
                f"{method.name}: undefined (NaN) on these labels. {method.degenerate}",
                DegenerateWarning,
                stacklevel=3,
            )
        return result

    @property
    def name(self) -> str:
        """The coefficient's name."""
        return self.method.name

    @cached_property
    def form(self) -> Form:
        """The coefficient as a function of sums over items."""
        return self.build(self.annotations, None)

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """The sum of the items' statistics, shape (S,)."""
        return self.form.totals

    @cached_property
    def estimate(self) -> float:
        """The coefficient; NaN where it is undefined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(self.form.value(self.totals))

    @cached_property
    def observed_agreement(self) -> float:
        """One minus the observed disagreement, as a share of the largest distance."""
        return 1 - float(self.form.disagreements(self.totals)[0]) / self.form.scale

    @cached_property
    def expected_agreement(self) -> float:
        """One minus the disagreement expected by chance, as a share of the largest distance."""
        return 1 - float(self.form.disagreements(self.totals)[1]) / self.form.scale

    @cached_property
    def influence(self) -> NDArray[np.float64]:
        """What each item adds to the estimate to first order, shape (I,)."""
        return resampling.influence(self.form, self.totals)

    @cached_property
    def standard_error(self) -> float:
        """Large-sample standard error, items resampled and annotators fixed; NaN if undefined."""
        if math.isnan(self.estimate) or self.n_items < 2:
            return math.nan
        return resampling.standard_error(self.influence, self.used, self.method.error_divisor)

    @cached_property
    def used(self) -> NDArray[np.bool_]:
        """The items that enter the coefficient, shape (I,)."""
        return resampling.used_items(self.form.rows)

    @property
    def n_items(self) -> int:
        """The number of items with labels of at least two annotators."""
        return int((np.diff(self.annotations.by_item.offsets) > 1).sum())

    @property
    def n_annotators(self) -> int:
        """The number of annotators J."""
        return self.annotations.n_annotators

    @property
    def n_labels(self) -> int:
        """The number of labels N."""
        return self.annotations.n_labels

    def bootstrap(
        self, *, unit: Unit = "items", replicates: int = 2000, rng: np.random.Generator | int
    ) -> NDArray[np.float64]:
        """Recompute the coefficient on resampled labels.

        Parameters
        ----------
        unit : {"items", "annotators", "both"}, default "items"
            What is drawn with replacement. Of annotators, pairs of copies are dropped.
        replicates : int, default 2000
            How often.
        rng : numpy.random.Generator or int
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
        return resampling.bootstrap(self, unit, replicates, np.random.default_rng(rng))

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
            The method; see `annobench.agreement.resampling.interval`.
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
            Holds the estimate; NaN where it is undefined.

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
        return resampling.interval(self, kind, unit, level, replicates, generator)

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
            If intervals have no width, as all labels of an item agree.
        """
        return breakdown.by_category(self, level)

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
        return breakdown.by_pair(self)

    def by_annotator(self) -> pd.DataFrame:
        """Compare each annotator with the others.

        Returns
        -------
        DataFrame
            annotator, n_labels, n_pairs, observed_agreement, without, change.
        """
        return breakdown.by_annotator(self)

    def by_item(self) -> pd.DataFrame:
        """Give the observed agreement of every item.

        Returns
        -------
        DataFrame
            item, n_labels, observed_agreement (NaN with fewer than two labels).
        """
        return breakdown.by_item(self)

    def leave_one_out(self) -> pd.DataFrame:
        """Compute the coefficient without each annotator in turn.

        Returns
        -------
        DataFrame
            annotator, estimate; NaN where it is undefined or no pair of annotators is left. A
            coefficient of complete items keeps to those that all annotators labelled.
        """
        return breakdown.leave_one_out(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the labels and the options; the estimate is computed again."""
        return self.repeat, (self.annotations,)

    def __repr__(self) -> str:
        """Say the estimate in one line."""
        return (
            f"Agreement({self.name} {self.estimate:.4g}, standard error {self.standard_error:.2g})"
        )


def complete_items(annotations: Annotations, name: str) -> Annotations:
    """Keep the items that every annotator labelled.

    Parameters
    ----------
    annotations : Annotations
        Labels without repeats.
    name : str
        The coefficient, for messages.

    Returns
    -------
    Annotations
        The same annotators and categories; the other items are gone.

    Raises
    ------
    AnnotationError
        If no item is left.
    """
    complete = annotations.complete()
    if not complete.n_items:
        every = "both annotators" if annotations.n_annotators == 2 else "all annotators"
        raise AnnotationError(
            f"{name}: no item has a label of {every}. Choose annotators and items that overlap."
        )
    return complete
