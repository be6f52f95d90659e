"""Replicates of a coefficient: the bootstrap, the jackknife, draws from a posterior.

Labels are never copied: a bootstrap sample of items is a vector of weights on the rows of a form,
and items with equal rows are drawn together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from annobench.agreement.forms.base import Floats, Form, Rows, Totals, dense
from annobench.agreement.statistic import Statistic, used_items
from annobench.core.errors import AnnotationError
from annobench.core.texts import counted
from annobench.labels.annotations import Annotations
from annobench.resampling.weights import (
    MAX_CELLS,
    check_replicates,
    chunk_sizes,
    dirichlet_weights,
    draw_counts,
    multinomial_counts,
    weighted_sum,
)

__all__ = [
    "MAX_CATEGORIES",
    "Patterns",
    "Unit",
    "bootstrap",
    "bootstrap_groups",
    "jackknife",
    "posterior",
]

Unit = Literal["items", "annotators", "both"]

#: Fewer annotators than this are too small a sample of annotators.
MIN_ANNOTATORS: Final = 5
#: Rows of more columns are hardly ever equal, and not worth comparing.
MAX_COLUMNS: Final = 64
#: Categories of which two annotators' pairs of labels have a prior, one item spread over all.
MAX_CATEGORIES: Final = 30


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct rows and their frequencies.

    Attributes
    ----------
    rows : ndarray or csr_array, shape (P, S)
        Rows of a form.
    frequency : ndarray of int64, shape (P,)
        Number of items with each row.
    """

    rows: Rows
    frequency: NDArray[np.int64]

    @classmethod
    def of(cls, form: Form) -> Patterns:
        """Find the distinct rows, in the order of the items.

        Parameters
        ----------
        form : Form
            The coefficient.

        Returns
        -------
        Patterns
            One pattern per item if rows are rarely equal.
        """
        rows = form.rows[used_items(form.rows)]
        n = rows.shape[0]
        if rows.shape[1] > MAX_COLUMNS:
            return cls(rows, np.ones(n, dtype=np.int64))
        different, frequency, _ = distinct_rows(dense(rows))
        if frequency.size > n / 3:
            return cls(dense(rows), np.ones(n, dtype=np.int64))
        return cls(different, frequency)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.frequency.sum())

    def totals(self, weights: NDArray[Any]) -> Totals:
        """Weight the rows and sum them.

        Parameters
        ----------
        weights : ndarray, shape (B, P)
            Weights of B replicates.

        Returns
        -------
        ndarray, shape (B, S)
            Totals.
        """
        return weighted_sum(self.rows, weights)

    def draws(self, replicates: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        """Draw weights of bootstrap samples.

        Parameters
        ----------
        replicates : int
            Number of replicates.
        rng : numpy.random.Generator
            The source of randomness.

        Yields
        ------
        ndarray, shape (B, P)
            Weights of some replicates at a time.
        """
        n, p = self.n_items, self.frequency.size
        for size in chunk_sizes(replicates, max(p, self.rows.shape[1])):
            if p < n:
                yield multinomial_counts(self.frequency, size, rng)
            else:
                yield draw_counts(n, size, rng)

    def values(self, form: Form, replicates: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Recompute a coefficient on bootstrap samples.

        Parameters
        ----------
        form : Form
            The coefficient.
        replicates : int
            Number of replicates.
        rng : numpy.random.Generator
            The source of randomness.

        Returns
        -------
        ndarray, shape (replicates,)
            NaN where it is undefined.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            drawn = self.draws(replicates, rng)
            return np.concatenate([form.value(self.totals(weights)) for weights in drawn])


def distinct_rows(
    rows: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Find the distinct rows."""
    if not len(rows):
        return rows, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    code = pd.DataFrame(rows).groupby(list(range(rows.shape[1])), sort=False).ngroup()
    first = np.unique(code, return_index=True)[1]
    return rows[first], np.bincount(code), first


def bootstrap(
    statistic: Statistic, unit: Unit, replicates: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Recompute a coefficient on resampled items, annotators, or both.

    Parameters
    ----------
    statistic : Statistic
        The coefficient on its labels.
    unit : {"items", "annotators", "both"}
        The unit drawn with replacement.
    replicates : int
        Number of replicates.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray, shape (replicates,)
        NaN where it is undefined.

    Raises
    ------
    AnnotationError
        If there are fewer than two items or `MIN_ANNOTATORS` annotators to be resampled,
        or `replicates` is below 1.
    """
    check_unit(statistic, unit)
    check_replicates(replicates)
    with np.errstate(invalid="ignore", divide="ignore"):
        if unit == "items":
            return Patterns.of(statistic.form).values(statistic.form, replicates, rng)
        if unit == "both":
            return np.array([_replicate_of_both(statistic, rng) for _ in range(replicates)])
        samples = np.stack([_draw_annotators(statistic, rng) for _ in range(replicates)])
        different, which = np.unique(samples, axis=0, return_inverse=True)
        forms = (statistic.make_form(statistic.annotations, copies) for copies in different)
        return np.array([float(form.value(form.totals)) for form in forms])[which]


def bootstrap_groups(
    statistic: Statistic,
    groups: NDArray[Any],
    *,
    replicates: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> NDArray[np.float64]:
    """Recompute a coefficient on resampled groups of items, such as sentences or meetings.

    Parameters
    ----------
    statistic : Statistic
        The coefficient on its labels.
    groups : ndarray of int, shape (I,)
        The group of each item, in [0, G); a group is drawn whole.
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
        If there is not one group for each item, there are fewer than two groups, or `replicates` is
        below 1.

    Notes
    -----
    Groups without items are not drawn. With few groups percentile intervals are too narrow: with
    ten, the coverage of a 95% interval is about 90%.

    Examples
    --------
    >>> from annobench import agreement
    >>> table = Annotations.from_contingency([[30, 10], [20, 40]])
    >>> kappa = agreement.cohen_kappa(table)
    >>> draws = bootstrap_groups(kappa, np.arange(100) // 10, replicates=50, rng=1)
    >>> draws.shape
    (50,)
    """
    check_replicates(replicates)
    code = np.asarray(groups)
    n_items = statistic.annotations.n_items
    if code.shape != (n_items,) or not np.issubdtype(code.dtype, np.integer):
        raise AnnotationError(
            f"bootstrap_groups: groups has shape {code.shape}, and the labels have {n_items} "
            "items. Give one whole number for each item."
        )
    known, place = np.unique(code, return_inverse=True)
    if known.size < 2:
        raise AnnotationError(
            f"bootstrap_groups: got {counted(known.size, 'group')} of items. Resampling needs two."
        )
    sums = sparse.csr_array((np.ones(n_items), (place, np.arange(n_items)))) @ statistic.form.rows
    generator = np.random.default_rng(rng)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = [
            statistic.form.value(weighted_sum(sums, draw_counts(known.size, size, generator)))
            for size in chunk_sizes(replicates, max(known.size, sums.shape[1]))
        ]
    return np.concatenate(parts)


def _draw_annotators(statistic: Statistic, rng: np.random.Generator) -> Floats:
    """Draw as many annotators as there are, with replacement, and count each."""
    active = active_annotators(statistic.annotations)
    copies = np.zeros(statistic.n_annotators)
    copies[active] = draw_counts(active.size, 1, rng)[0]
    return copies


def _replicate_of_both(statistic: Statistic, rng: np.random.Generator) -> float:
    form = statistic.make_form(statistic.annotations, _draw_annotators(statistic, rng))
    weights = np.zeros((1, form.rows.shape[0]))
    used = np.flatnonzero(statistic.used)
    weights[0, used] = draw_counts(used.size, 1, rng)[0]
    return float(form.value(weighted_sum(form.rows, weights)[0]))


def jackknife(statistic: Statistic, unit: Unit) -> NDArray[np.float64]:
    """Recompute a coefficient without each item, or without each annotator.

    Parameters
    ----------
    statistic : Statistic
        The coefficient on its labels.
    unit : {"items", "annotators"}
        The unit left out.

    Returns
    -------
    ndarray, shape (number of items or annotators that have labels,)
        NaN where it is undefined.

    Raises
    ------
    AnnotationError
        If there are too few annotators or items to leave one out.
    """
    check_unit(statistic, unit)
    with np.errstate(invalid="ignore", divide="ignore"):
        if unit == "annotators":
            active = active_annotators(statistic.annotations)
            return np.array([without_annotator(statistic, j) for j in active], dtype=float)
        patterns = Patterns.of(statistic.form)
        totals = statistic.totals
        values = [np.zeros(0)]
        step = max(1, MAX_CELLS // max(1, totals.size))
        for start in range(0, patterns.frequency.size, step):
            values.append(statistic.form.value(totals - dense(patterns.rows[start : start + step])))
        return np.repeat(np.concatenate(values), patterns.frequency)


def without_annotator(statistic: Statistic, annotator: int) -> float:
    """Recompute a coefficient without one annotator."""
    copies = np.ones(statistic.n_annotators)
    copies[annotator] = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        if not statistic.form.additive:
            form = statistic.make_form(statistic.annotations, copies)
            return float(form.value(form.totals))
        touched = _items_of(statistic.annotations, annotator)
        before, after = (statistic.make_form(touched, one) for one in (None, copies))
        return float(after.value(statistic.totals - before.totals + after.totals))


def _items_of(annotations: Annotations, annotator: int) -> Annotations:
    """Keep the items that an annotator labelled, with all labels, without names."""
    labelled = np.zeros(annotations.n_items, dtype=bool)
    labelled[annotations.item[annotations.by_annotator[annotator]]] = True
    items = np.flatnonzero(labelled)
    view = annotations.by_item
    size = view.offsets[items + 1] - view.offsets[items]
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    labels = view.order[np.repeat(view.offsets[items], size) + within]
    return replace(
        annotations,
        item=np.repeat(np.arange(items.size, dtype=np.int32), size),
        annotator=annotations.annotator[labels],
        label=annotations.label[labels],
        items=("",) * items.size,
    )


def posterior(statistic: Statistic, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw a coefficient from the Dirichlet posterior of the items' distribution.

    Parameters
    ----------
    statistic : Statistic
        The coefficient on its labels.
    draws : int
        Number of replicates.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray, shape (draws,)
        NaN where it is undefined.

    Notes
    -----
    For two annotators who labelled all items, the prior is 1/K^2 on each pair of labels, up to 30
    categories; otherwise it is the Bayesian bootstrap, without prior mass on unobserved patterns of
    labels. References: `annobench.agreement.intervals.interval`.
    """
    check_replicates(draws)
    form, rows, concentration = _posterior_rows(statistic)
    n_items = statistic.used.sum()
    values = [np.zeros(0)]
    with np.errstate(invalid="ignore", divide="ignore"):
        for size in chunk_sizes(draws, max(rows.shape)):
            weights = dirichlet_weights(concentration, n_items, size, rng)
            values.append(form.value(weighted_sum(rows, weights)))
    return np.concatenate(values)


def _posterior_rows(statistic: Statistic) -> tuple[Form, Rows, Floats]:
    """Return a form, its rows, and the parameters of the Dirichlet distribution over them."""
    a = statistic.annotations
    k = a.n_categories
    if has_prior(statistic):
        cells = Annotations.from_contingency(np.ones((k, k)), categories=a.categories)
        cells = replace(cells, scale=a.scale)
        both = np.zeros((a.n_items, 2), dtype=np.int64)
        both[a.item, a.annotator] = a.label
        seen = np.bincount(both[:, 0] * k + both[:, 1], minlength=k * k)
        form = statistic.make_form(cells, None)
        return form, form.rows, seen + 1 / k**2
    patterns = Patterns.of(statistic.form)
    return statistic.form, patterns.rows, patterns.frequency.astype(np.float64)


def has_prior(statistic: Statistic) -> bool:
    """Return whether the prior has mass on unobserved pairs of labels."""
    a = statistic.annotations
    complete = a.n_annotators == 2 and a.n_labels == 2 * a.n_items
    return complete and a.scale in ("nominal", "ordinal") and a.n_categories <= MAX_CATEGORIES


def check_unit(statistic: Statistic, unit: Unit) -> None:
    """Reject resampling of too few items or annotators."""
    if unit != "items":
        active = active_annotators(statistic.annotations).size
        if active < MIN_ANNOTATORS:
            raise AnnotationError(
                f"{statistic.name}: {active} annotators are too few to resample; at least "
                f"{MIN_ANNOTATORS} are needed. Resample items, and generalise only to items."
            )
    if unit != "annotators" and statistic.used.sum() < 2:
        raise AnnotationError(
            f"{statistic.name}: items can't be resampled, as only {statistic.used.sum()} enters "
            "the coefficient. Give at least two."
        )


def active_annotators(annotations: Annotations) -> NDArray[np.int64]:
    """Find the annotators who share an item with another."""
    shared = np.diff(annotations.by_item.offsets)[annotations.item] > 1
    n_shared = np.bincount(annotations.annotator[shared], minlength=annotations.n_annotators)
    return np.flatnonzero(n_shared)
