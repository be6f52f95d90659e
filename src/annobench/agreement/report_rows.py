"""One value of a report: a coefficient with options, unless its computation takes too long.

This is decided by sizes, not by time, so that the same labels give the same table everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

import numpy as np
from scipy import sparse

from annobench.agreement.coefficients import discover
from annobench.agreement.forms.base import Form
from annobench.agreement.forms.counts import count_label_pairs
from annobench.agreement.forms.margins import PairMean
from annobench.agreement.intervals import MAX_MISS_RATIO
from annobench.agreement.record import Coefficient, Options
from annobench.agreement.result import Agreement
from annobench.core.errors import AnnotationError, as_sentence
from annobench.labels.annotations import Annotations
from annobench.resampling.intervals import Interval
from annobench.scale._blocks import BlockedLabels

__all__ = ["COLUMNS", "Settings", "Variant", "described", "entries", "variants"]

#: The columns of a report.
COLUMNS: Final = (
    "breakdown",
    "of",
    "coefficient",
    "options",
    "estimate",
    "standard_error",
    "lower",
    "upper",
    "level",
    "interval",
    "n_items",
    "n_labels",
    "observed_agreement",
    "expected_agreement",
    "note",
)

#: Terms of weights between categories, of all items, beyond which they are left out, for time.
MAX_WEIGHTED_TERMS: Final = 2_000_000_000
#: Pairs of labels beyond which coefficients that need them all are left out: about 5 s.
MAX_LABEL_PAIRS: Final = 2_000_000
#: Entries of statistics that a breakdown of one coefficient may go through: below 1 s.
MAX_ENTRIES: Final = 10_000_000
#: A pair of labels costs as much as so many entries.
PAIR_COST: Final = 32
#: Terms of a standard error without a quick derivative, and of a bootstrap: a few seconds.
MAX_ERROR_TERMS: Final = 100_000_000
MAX_BOOTSTRAP_TERMS: Final = 1_000_000_000
FEW_SHARED: Final = (
    "Analytic interval, as pairs of annotators share few items, which resampling only repeats."
)


@dataclass(frozen=True)
class Settings:
    """Settings of intervals.

    Attributes
    ----------
    rng : numpy.random.Generator or None
        Source of randomness for the bootstrap; None for analytic intervals.
    level : float
        In (0, 1).
    replicates : int
        Number of bootstrap samples.
    """

    rng: np.random.Generator | None
    level: float
    replicates: int


@dataclass(frozen=True)
class Variant:
    """A coefficient with options.

    Attributes
    ----------
    method : Coefficient
        Its record.
    function : callable
        Function of annotations, options and, if the record requires it, a category.
    options : dict
        Of the function.
    """

    method: Coefficient
    function: Callable[..., Agreement]
    options: dict[str, Any]

    @property
    def names(self) -> dict[str, Any]:
        """Names of the coefficient and its options in a row."""
        shown = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return {"coefficient": self.method.name, "options": shown}

    @property
    def weighted(self) -> bool:
        """Whether each evaluation multiplies by a table of weights."""
        return "weights" in self.options

    @property
    def two_only(self) -> bool:
        """Whether it is for two annotators only."""
        return self.method.annotators == "two"

    def refusal(self, annotations: Annotations) -> str:
        """Return the reason why it takes too long.

        Parameters
        ----------
        annotations : Annotations
            The labels.

        Returns
        -------
        str
            Empty if it does not.
        """
        k = annotations.n_categories
        if self.weighted and (k > 2_000 or annotations.n_items * k**2 > MAX_WEIGHTED_TERMS):
            return (
                f"Left out: weights between {k:,} categories take long. Krippendorff's alpha of "
                "the scale needs none."
            )
        if self.method.pairwise and (n := count_label_pairs(annotations)) > MAX_LABEL_PAIRS:
            return f"Left out: it compares all {n:,} pairs of labels, which takes long."
        if "combinations" in self.options:
            n = len(annotations.elements) ** 2 * annotations.n_labels
            if n > 5 * MAX_ENTRIES:
                return f"Left out: {len(annotations.elements):,} elements in pairs take long."
        return ""

    def compute(self, annotations: Annotations, **more: Any) -> Agreement | str:
        """Compute the coefficient, or return the reason why not.

        Parameters
        ----------
        annotations : Annotations
            The labels.
        **more
            Options in addition to those of the variant.

        Returns
        -------
        Agreement or str
            The result, or the reason for its absence.
        """
        if refusal := self.refusal(annotations):
            return refusal
        try:
            result: Agreement = self.function(annotations, **self.options, **more)
        except AnnotationError as error:
            return as_sentence(error, self.method.name)
        return result


def variants(scale: str) -> list[Variant]:
    """List the coefficients that are meaningful on a scale, with each set of options.

    Parameters
    ----------
    scale : {"nominal", "ordinal", "interval", "set"}
        Of the labels.

    Returns
    -------
    list of Variant
        By the names of their modules.
    """
    return [
        Variant(module.METHOD, getattr(module, name), dict(options))
        for name, module in discover().items()
        for options in _options(module.METHOD, scale)
    ]


def _options(method: Coefficient, scale: str) -> tuple[Options, ...]:
    if scale not in method.accepts:
        return ()
    return method.variants.get(scale, ()) if method.variants else ({},)


def described(
    result: Agreement | str,
    settings: Settings,
    *,
    bootstrap: bool = False,
    weighted: bool = False,
) -> dict[str, Any]:
    """Lay out a value with its interval, or the reason for its absence.

    Parameters
    ----------
    result : Agreement or str
        What `Variant.compute` returned.
    settings : Settings
        Settings of intervals.
    bootstrap : bool, default False
        Whether to use a bootstrap interval, if there is a source of randomness.
    weighted : bool, default False
        Whether categories have weights.

    Returns
    -------
    dict
        Columns of a report.
    """
    if isinstance(result, str):
        return {"note": result}
    if not math.isnan(result.estimate) and _error_terms(result, weighted) > MAX_ERROR_TERMS:
        return {**_estimates(result), "note": "Without standard error, which takes long here."}
    bootstrap = bootstrap and settings.rng is not None
    if bootstrap and isinstance(form := result.form, PairMean) and form.pairs.n_pairs:
        missed = 1 - form.resampled_coverage(result.totals, settings.level)
        if missed > MAX_MISS_RATIO * (1 - settings.level):
            values = laid_out(result, settings, bootstrap=False)
            return values | {"note": f"{FEW_SHARED} {values['note']}".strip()}
    takes_long = bootstrap and entries(result, weighted) * settings.replicates > MAX_BOOTSTRAP_TERMS
    return laid_out(result, settings, bootstrap=bootstrap, takes_long=takes_long)


class _Measured(Protocol):
    """Contents of a row: a coefficient in memory or on partitions."""

    @property
    def method(self) -> Coefficient:
        """The record of the coefficient."""

    @property
    def estimate(self) -> float:
        """The coefficient."""

    @property
    def standard_error(self) -> float:
        """Its standard error."""

    @property
    def observed_agreement(self) -> float:
        """The observed agreement."""

    @property
    def expected_agreement(self) -> float:
        """The agreement expected by chance."""

    @property
    def n_items(self) -> int:
        """Items with labels of two annotators."""

    @property
    def n_labels(self) -> int:
        """The number of labels N."""

    def interval(
        self,
        kind: Literal["analytic", "percentile"],
        *,
        level: float,
        replicates: int = ...,
        rng: np.random.Generator | None = ...,
    ) -> Interval:
        """Return an interval."""


def laid_out(
    result: _Measured, settings: Settings, *, bootstrap: bool, takes_long: bool = False
) -> dict[str, Any]:
    """Lay out a coefficient with its interval."""
    values = _estimates(result)
    if math.isnan(result.estimate):
        return {**values, "note": f"Undefined. {result.method.degenerate}"}
    notes = []
    values["standard_error"] = result.standard_error
    interval = None
    if bootstrap and settings.rng is not None:
        if takes_long:
            notes.append("Analytic interval, as the bootstrap takes long here.")
        else:
            try:
                interval = result.interval(
                    "percentile",
                    level=settings.level,
                    replicates=settings.replicates,
                    rng=settings.rng,
                )
            except AnnotationError:
                notes.append("Analytic interval, as there are too few items to resample.")
            if interval is not None and math.isnan(interval.lower):
                notes.append("Analytic interval, as the bootstrap's excludes the estimate.")
                interval = None
    interval = interval or result.interval("analytic", level=settings.level)
    values |= {
        "lower": interval.lower,
        "upper": interval.upper,
        "level": settings.level,
        "interval": interval.kind,
    }
    if math.isnan(interval.lower):
        notes.append("Too few items for an interval.")
    if interval.caution:
        notes.append(as_sentence(interval.caution))
    if interval.n_undefined:
        notes.append(f"Undefined in {interval.n_undefined} bootstrap samples.")
    return {**values, "note": " ".join(notes)}


def _estimates(result: _Measured) -> dict[str, Any]:
    names = ("estimate", "n_items", "n_labels", "observed_agreement", "expected_agreement")
    return {name: getattr(result, name) for name in names}


def entries(result: Agreement, weighted: bool) -> int:
    """Count the statistics that one evaluation processes, more if categories are weighted.

    Parameters
    ----------
    result : Agreement
        The coefficient.
    weighted : bool
        Whether categories have weights.

    Returns
    -------
    int
        At least 1.
    """
    rows = result.form.rows
    n = int(rows.nnz) if isinstance(rows, sparse.csr_array) else int(rows.size)
    cost = PAIR_COST * count_label_pairs(result.annotations) if result.method.pairwise else 0
    return max(n, cost, 1) * (1 + weighted * result.annotations.n_categories // 8)


def _error_terms(result: Agreement, weighted: bool) -> int:
    """Count the terms of the standard error: one evaluation per item or total."""
    form = type(result.form)
    if form.gradient is not Form.gradient or form.influence is not Form.influence:
        return entries(result, weighted)
    n_items, n_totals = result.form.rows.shape
    return int(min(n_items, n_totals) * n_totals) * (1 + weighted * result.annotations.n_categories)


def overall_row(
    variant: Variant, values: dict[str, Any], labels: Annotations | BlockedLabels
) -> dict[str, Any]:
    """Return the row of a coefficient for all labels."""
    # Where labels are missing, what the coefficient does about it belongs to its value.
    if "estimate" in values and labels.n_labels < labels.n_items * labels.n_annotators:
        values["note"] = f"{values['note']} {variant.method.missing}".strip()
    return {"breakdown": "overall", "of": "", **variant.names, **values}
