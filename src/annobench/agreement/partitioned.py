"""Coefficients of agreement on labels that do not fit in memory.

A coefficient is a function of sums over items, so one pass over partitions suffices for the
estimate. The same pass counts items by pattern of statistics, and the bootstrap draws counts of
patterns, without a further pass.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.agreement.coefficients import discover
from annobench.agreement.forms.alpha import OrdinalAlpha
from annobench.agreement.forms.base import Form, dense
from annobench.agreement.forms.pooled import Pooled
from annobench.agreement.intervals import (
    agreed_caution,
    containing,
    no_analytic_interval,
    unmoved_caution,
)
from annobench.agreement.record import Coefficient
from annobench.agreement.replicates import MAX_COLUMNS, Patterns, distinct_rows
from annobench.agreement.report_rows import (
    COLUMNS,
    Settings,
    laid_out,
    overall_row,
    variants,
)
from annobench.agreement.result import Agreement
from annobench.agreement.statistic import error_of_variance, influence_values, used_items
from annobench.core.discovery import did_you_mean
from annobench.core.errors import (
    AnnotationError,
    DegenerateWarning,
    IntervalWarning,
    as_sentence,
    check_level,
)
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.resampling.intervals import (
    TOLERANCE,
    Interval,
    normal_interval,
    percentile_interval,
)
from annobench.resampling.weights import check_replicates
from annobench.scale._blocks import Block, BlockedLabels
from annobench.scale._sources import workers_of
from annobench.scale._workers import Scheduler

__all__ = ["PartitionedAgreement", "agreement_of_partitions", "report_partitions"]

#: With more patterns than this there is no bootstrap.
MAX_PATTERNS: Final = 200_000
#: Forms whose rows depend on the labels of their item alone.
_FORMS: Final = (Pooled, OrdinalAlpha)


@dataclass(frozen=True, eq=False)
class PartitionedAgreement(Summarised):
    """A coefficient on partitions.

    Attributes
    ----------
    method : Coefficient
        The record of the coefficient.
    form : Form
        The coefficient as a function of sums over items.
    totals : ndarray, shape (S,)
        The sums.
    standard_error : float
        Large-sample standard error, items resampled and annotators fixed; NaN if undefined.
    n_items, n_annotators, n_labels : int
        Number of items with at least two labels; numbers of all annotators and labels.
    patterns : Patterns or None
        Distinct rows, in the order of the source; None if there are too many.
    """

    method: Coefficient
    form: Form
    totals: NDArray[np.float64]
    standard_error: float
    n_items: int
    n_annotators: int
    n_labels: int
    patterns: Patterns | None

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

    def bootstrap(
        self, *, replicates: int = 2000, rng: np.random.Generator | int | None = None
    ) -> NDArray[np.float64]:
        """Recompute the coefficient on resampled items.

        Parameters
        ----------
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
            If there are fewer than two items, no replicate, or too many patterns.

        Notes
        -----
        The values equal those of `Agreement.bootstrap` with the same seed if that draws by pattern,
        too, that is, if there are at most a third as many patterns as items. Otherwise it draws
        item by item, and the values differ but have the same distribution.
        """
        check_replicates(replicates)
        if self.patterns is None:
            raise AnnotationError(
                f"{self.method.name}: the items' statistics have more than {MAX_PATTERNS:,} "
                f"patterns or {MAX_COLUMNS} columns, too many for the bootstrap. Use the standard "
                "error."
            )
        if self.patterns.n_items < 2:
            raise AnnotationError(
                f"{self.method.name}: items can't be resampled, as only {self.patterns.n_items} "
                "enters the coefficient. Give at least two."
            )
        return self.patterns.values(self.form, replicates, np.random.default_rng(rng))

    def interval(
        self,
        kind: Literal["analytic", "percentile"] = "analytic",
        *,
        level: float = 0.95,
        replicates: int = 2000,
        rng: np.random.Generator | int | None = None,
    ) -> Interval:
        """Return an interval of the coefficient, items resampled.

        Parameters
        ----------
        kind : {"analytic", "percentile"}, default "analytic"
            Normal with the standard error, or quantiles of the bootstrap.
        level : float, default 0.95
            In (0, 1).
        replicates : int, default 2000
            Of the bootstrap.
        rng : numpy.random.Generator or int, optional
            The source of randomness, or its seed.

        Returns
        -------
        Interval
            As for `Agreement.interval`.

        Raises
        ------
        AnnotationError
            As for `bootstrap`; or if there is no such kind, or the level is not in (0, 1).

        Warns
        -----
        DegenerateWarning
            If the estimate is outside the quantiles of the bootstrap, and there is no interval.
        IntervalWarning
            If the interval has zero width, as when all labels of each item agree.
        """
        if kind not in ("analytic", "percentile"):
            raise AnnotationError(
                f"{self.method.name}: there is no {kind!r} interval on partitions. Use analytic or "
                "percentile."
            )
        check_level(level, self.method.name)
        if math.isnan(self.estimate):
            return Interval(math.nan, math.nan, math.nan, level, kind)
        if kind == "analytic":
            found = normal_interval(self.estimate, self.standard_error, level)
            if math.isnan(found.lower):
                said = f"{self.method.name}: {no_analytic_interval(self.n_items)}"
                warnings.warn(said, DegenerateWarning, stacklevel=2)
        else:
            draws = self.bootstrap(replicates=replicates, rng=rng)
            defined = draws[~np.isnan(draws)]
            found = containing(percentile_interval(self.estimate, defined, level), self.method.name)
            found = replace(found, n_undefined=draws.size - defined.size)
        lowest = max(self.method.lowest, self.form.lowest(self.totals))
        ends = np.clip([found.lower, found.upper], lowest, self.method.highest)
        found = replace(found, lower=float(ends[0]), upper=float(ends[1]))
        if not abs(found.upper - found.lower) < TOLERANCE:
            return found
        agreed = abs(1 - self.observed_agreement) < TOLERANCE
        caution = (
            agreed_caution(kind, level, self.n_items) if agreed else unmoved_caution(kind, "items")
        )
        warnings.warn(f"{self.method.name}: {caution}", IntervalWarning, stacklevel=2)
        return replace(found, caution=caution)

    def summary(self) -> pd.DataFrame:
        """Return the estimate and its components.

        Returns
        -------
        DataFrame
            One row, named as the coefficient.
        """
        row = {
            name: getattr(self, name)
            for name in (
                *("estimate", "standard_error", "observed_agreement", "expected_agreement"),
                *("n_items", "n_annotators", "n_labels"),
            )
        }
        return pd.DataFrame(row, index=pd.Index([self.method.name], name="coefficient"))

    def _headline(self) -> str:
        return f"{self.method.name} {self.estimate:.4g} (standard error {self.standard_error:.2g})"


class _Counted:
    """Distinct rows, their frequencies, and the first row of the source with each."""

    def __init__(
        self, rows: NDArray[Any], frequency: NDArray[np.int64], first: NDArray[np.int64]
    ) -> None:
        self.rows, self.frequency, self.first = rows, frequency, first

    def __add__(self, other: _Counted) -> _Counted:
        if len(self.rows) > MAX_PATTERNS:
            return self
        rows = np.concatenate([self.rows, other.rows])
        table = pd.DataFrame(rows)
        columns = list(table.columns)
        table["frequency"] = np.concatenate([self.frequency, other.frequency])
        table["first"] = np.concatenate([self.first, other.first])
        merged = table.groupby(columns, sort=False).agg({"frequency": "sum", "first": "min"})
        different = merged.index.to_frame().to_numpy(dtype=np.float64)
        return _Counted(different, merged["frequency"].to_numpy(), merged["first"].to_numpy())


class _Sums(NamedTuple):
    totals: NDArray[np.float64]
    n_items: int
    repeats: list[str]
    patterns: _Counted


class _Moments(NamedTuple):
    """Number, sum and sum of squares of the influence values of the items used."""

    number: int
    total: float
    squares: float


def agreement_of_partitions(
    labels: BlockedLabels,
    coefficient: str = "krippendorff_alpha",
    *,
    scheduler: Scheduler = None,
    say: Callable[[str], None] = lambda line: None,
    **options: Any,
) -> PartitionedAgreement:
    """Estimate a coefficient of agreement from partitions, on Dask's workers.

    Parameters
    ----------
    labels : BlockedLabels
        The labels.
    coefficient : str, default "krippendorff_alpha"
        One that pools annotators, such as "percent_agreement", "fleiss_kappa" or "gwet_ac1".
    scheduler : str, distributed.Client or concurrent.futures.Executor, optional
        What processes partitions, as for `annobench.report`.
    say : callable, optional
        Called with the address of Dask's dashboard, in a line.
    **options
        Of the coefficient, such as ``metric="ordinal"``.

    Returns
    -------
    PartitionedAgreement
        Estimate, standard error, and a bootstrap.

    Raises
    ------
    AnnotationError
        If there is no such coefficient, or it distinguishes annotators; if an annotator labelled an
        item twice, or no item has two labels.

    Warns
    -----
    DegenerateWarning
        If the estimate is undefined.

    Notes
    -----
    One pass sums the statistics and counts their patterns, a second one computes the standard error
    at the estimate.
    """
    probe = additive(labels, coefficient, options)
    with workers_of(labels, scheduler, say=say) as workers:
        sums = labels.map_sum(workers, _sums, coefficient, options)
        if sums.repeats:
            raise AnnotationError(
                f"{coefficient}: {sums.repeats[0]}. Keep one label of each; for the agreement of "
                "annotators with themselves, give the second round another name."
            )
        if not sums.n_items:
            raise AnnotationError(
                f"{coefficient}: no item has labels of two annotators. Choose annotators and items "
                "that overlap."
            )
        moments = labels.map_sum(workers, _moments, coefficient, options, sums.totals)
    mean = moments.total / max(moments.number, 1)
    variance = max(moments.squares / max(moments.number, 1) - mean**2, 0.0)
    found = PartitionedAgreement(
        probe.method,
        probe.form,
        sums.totals,
        error_of_variance(moments.number, variance, probe.method.ddof),
        sums.n_items,
        labels.n_annotators,
        labels.n_labels,
        _in_order(sums.patterns),
    )
    if math.isnan(found.estimate):
        warnings.warn(
            f"{coefficient}: undefined (NaN) on these labels. {probe.method.degenerate}",
            DegenerateWarning,
            stacklevel=2,
        )
    return found


def additive(labels: BlockedLabels, coefficient: str, options: dict[str, Any]) -> Agreement:
    """Return a coefficient of two labels of one item, if it can be summed over partitions."""
    probe = _probe(labels, coefficient, options)
    if probe.method.complete or not isinstance(probe.form, _FORMS):
        raise AnnotationError(
            f"{coefficient}: does not run on partitions, as an item's statistics depend on other "
            "items. Use one that pools annotators, such as krippendorff_alpha with the "
            "nominal or ordinal metric, percent_agreement, fleiss_kappa or gwet_ac1."
        )
    return probe


def report_partitions(
    labels: BlockedLabels,
    *,
    rng: np.random.Generator | int | None = None,
    level: float = 0.95,
    replicates: int = 2000,
    scheduler: Scheduler = None,
    say: Callable[[str], None] = lambda line: None,
) -> pd.DataFrame:
    """Compute all coefficients that can be summed over partitions, with intervals.

    Parameters
    ----------
    labels : BlockedLabels
        The labels; their scale decides what applies.
    rng, level, replicates
        As for `annobench.report`.
    scheduler, say
        As for `agreement_of_partitions`.

    Returns
    -------
    DataFrame
        The rows "overall" of `annobench.report`. The note lists the coefficients that do not run on
        partitions.

    Raises
    ------
    AnnotationError
        If an annotator labelled an item twice, no item has two labels, or the level is not in
        (0, 1).
    """
    check_level(level, "report")
    settings = Settings(None if rng is None else np.random.default_rng(rng), level, replicates)
    rows = []
    with workers_of(labels, scheduler, say=say) as workers, warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        warnings.simplefilter("ignore", IntervalWarning)
        for variant in variants(labels.scale):
            name = variant.method.name
            if variant.method.per_category or (labels.n_annotators != 2 and variant.two_only):
                continue
            try:
                additive(labels, name, variant.options)
            except AnnotationError as error:
                values = {"note": as_sentence(error, name)}
            else:
                found = agreement_of_partitions(labels, name, scheduler=workers, **variant.options)
                takes_long = found.patterns is None
                values = laid_out(found, settings, bootstrap=True, takes_long=takes_long)
            rows.append(overall_row(variant, values, labels))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _probe(labels: Annotations | BlockedLabels, name: str, options: dict[str, Any]) -> Agreement:
    """Return the coefficient of two labels of one item, whose form applies to all items."""
    known = {
        module.METHOD.name: getattr(module, module.METHOD.name) for module in discover().values()
    }
    if name not in known:
        raise AnnotationError(
            f"agreement: there is no coefficient {name!r}.{did_you_mean(name, known)} Name one of "
            f"{', '.join(sorted(known))}."
        )
    codes = np.array([0, min(1, labels.n_categories - 1)], dtype=np.int16)
    pair = Annotations(
        np.zeros(2, dtype=np.int32),
        np.arange(2, dtype=np.int32),
        codes,
        ("",),
        ("", " "),
        labels.categories,
        labels.scale,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        found: Agreement = known[name](pair, **options)
    return found


def _sums(block: Block, coefficient: str, options: dict[str, Any]) -> _Sums:
    labels = block.annotations
    form = _probe(labels, coefficient, options).make_form(labels, None)
    repeats = []
    if labels.first_repeat is not None:
        item = block.names[int(labels.item[labels.first_repeat])]
        annotator = labels.annotators[labels.annotator[labels.first_repeat]]
        repeats = [f"annotator {annotator!r} labelled an item twice: {item!r}"]
    n_items = int((np.diff(labels.by_item.offsets) > 1).sum())
    used = used_items(form.rows)
    rows = form.rows[used]
    if rows.shape[1] > MAX_COLUMNS:
        # As many as say that there are too many.
        none = np.zeros((MAX_PATTERNS + 1, 1))
        counted = _Counted(none, np.zeros(len(none), dtype=np.int64), np.zeros(len(none), np.int64))
    else:
        different, frequency, first = distinct_rows(dense(rows).astype(np.float64))
        counted = _Counted(different, frequency, block.first_rows[used][first])
    return _Sums(form.totals, n_items, repeats, counted)


def _moments(
    block: Block, coefficient: str, options: dict[str, Any], totals: NDArray[np.float64]
) -> _Moments:
    labels = block.annotations
    form = _probe(labels, coefficient, options).make_form(labels, None)
    influence = influence_values(form, totals)[used_items(form.rows)]
    return _Moments(influence.size, float(influence.sum()), float(influence @ influence))


def _in_order(counted: _Counted) -> Patterns | None:
    if len(counted.rows) > MAX_PATTERNS:
        return None
    order = np.argsort(counted.first)
    return Patterns(counted.rows[order], counted.frequency[order])
