"""A coefficient on given labels, as numbers: form, totals, estimate, influence, standard error."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annobench.agreement.forms.base import Floats, Form, Rows, Totals, dense
from annobench.agreement.record import Coefficient
from annobench.core.errors import DegenerateWarning
from annobench.core.tolerances import ZERO
from annobench.labels.annotations import Annotations
from annobench.resampling.weights import MAX_CELLS

__all__ = ["Statistic", "standard_error"]

#: Makes the form of a coefficient, given copies of each annotator (None for one of each).
MakeForm = Callable[[Annotations, Floats | None], Form]

#: The imaginary step of a derivative.
_STEP: Final = 1e-30


@dataclass(frozen=True, eq=False, repr=False)
class Statistic:
    """A coefficient on given labels: its form, totals, estimate and standard error.

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

    method: Coefficient
    annotations: Annotations
    make_form: MakeForm
    refit: Callable[[Annotations], Statistic]
    collapsible: bool = True
    analytic_limits: Callable[[Statistic, float], tuple[float, float]] | None = None

    @classmethod
    def of(
        cls,
        method: Coefficient,
        annotations: Annotations,
        make_form: MakeForm,
        refit: Callable[[Annotations], Statistic],
        *,
        collapsible: bool = True,
        analytic_limits: Callable[[Statistic, float], tuple[float, float]] | None = None,
    ) -> Self:
        """Compute the estimate, and warn if it is undefined.

        Parameters
        ----------
        method, annotations, make_form, refit, collapsible, analytic_limits
            The attributes.

        Returns
        -------
        Self
            With the estimate.

        Warns
        -----
        DegenerateWarning
            If the estimate is undefined.
        """
        result = cls(method, annotations, make_form, refit, collapsible, analytic_limits)
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
        return self.make_form(self.annotations, None)

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
        """The empirical influence value of each item, shape (I,)."""
        return influence_values(self.form, self.totals)

    @cached_property
    def standard_error(self) -> float:
        """Large-sample standard error, items resampled and annotators fixed; NaN if undefined."""
        if math.isnan(self.estimate) or self.n_items < 2:
            return math.nan
        return standard_error(self.influence, self.used, self.method.ddof)

    @cached_property
    def used(self) -> NDArray[np.bool_]:
        """The items used by the coefficient, shape (I,)."""
        return used_items(self.form.rows)

    @cached_property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest possible value, of which the record or the form knows."""
        return max(self.method.lowest, self.form.lowest(self.totals)), self.method.highest

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle labels and options; the estimate is recomputed."""
        return self.refit, (self.annotations,)


def influence_values(form: Form, totals: Totals) -> NDArray[np.float64]:
    """Return the empirical influence value of each item."""
    rows = form.rows
    n_items, n_totals = rows.shape
    with np.errstate(invalid="ignore", divide="ignore"):
        influence = form.influence(totals)
        if influence is not None:
            return influence
        gradient = form.gradient(totals)
        if gradient is not None:
            return np.asarray(rows @ gradient)
        if n_totals <= n_items:
            directions: Any = sparse.eye_array(n_totals, format="csr")
            return np.asarray(rows @ _derivatives(form, totals, directions))
        return _derivatives(form, totals, rows)


def _derivatives(form: Form, totals: Totals, directions: Rows) -> NDArray[np.float64]:
    found = [np.zeros(0)]
    step = max(1, MAX_CELLS // max(1, totals.size))
    for start in range(0, directions.shape[0], step):
        piece = dense(directions[start : start + step])
        found.append(np.imag(form.value(totals + 1j * _STEP * piece)) / _STEP)
    return np.concatenate(found)


def standard_error(influence: NDArray[np.float64], used: NDArray[np.bool_], ddof: int = 0) -> float:
    """Return the large-sample standard error over items.

    Parameters
    ----------
    influence : ndarray, shape (I,)
        Empirical influence values.
    used : ndarray of bool, shape (I,)
        The items used.
    ddof : {0, 1}, default 0
        The variance divides by n - ddof; 0 in the multinomial formula.

    Returns
    -------
    float
        NaN with fewer than two items.
    """
    return error_of_variance(
        int(used.sum()), float(influence[used].var()) if used.any() else 0, ddof
    )


def error_of_variance(n_items: int, variance: float, ddof: int = 0) -> float:
    """Return the large-sample standard error, given the variance of the influence values."""
    n = n_items
    if n < 2:
        return math.nan
    error = math.sqrt(variance * n * n / (n - ddof))
    return 0.0 if error < ZERO else error


def used_items(rows: Rows) -> NDArray[np.bool_]:
    """Mark the items whose rows are not all zero."""
    if isinstance(rows, sparse.csr_array):
        return np.asarray(abs(rows).sum(axis=1) > 0)
    return np.asarray(rows.any(axis=1))
