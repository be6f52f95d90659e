"""Bayesian weighted average (BWA): labels as numbers, annotators by their precision.

Categories are treated separately. A label is y = 1 if it names the category and 0 otherwise; an
item has a value z, near 1 if it is of the category, and annotators scatter around z with individual
precisions. Repeated labels of an item by an annotator count as one, with y = 1 for each category
among them::

    z_i ~ Normal(mu, 1 / lambda)     y_ij ~ Normal(z_i, 1 / v_j)     v_j ~ Gamma(a / 2, b / 2)

Values and their mean mu are a local maximum of the posterior density, with precisions integrated
out, found by EM from the shares of ones; the expected precisions and the values are ::

    v_j = (a + N_j) / (b + sum of (y_ij - z_i)^2)
    z_i = (lambda mu + sum of v_j y_ij) / (lambda + sum of v_j)

b is a times the mean of p (1 - p) over labels, where p is the item's share of ones, times
4 (1 - 1/K). The probabilities of an item are its K values, normalised.

Li, Rubinstein and Cohn (2019), Truth inference at scale: a Bayesian model for adjudicating highly
redundant crowd annotations, WWW, 1028-1038, and the authors' settings. The derivation of the
updates as EM for this density, and hence `history`, is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln

from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import (
    SETTLED,
    TOLERANCE,
    kept_positive,
    largest_change,
    run_em,
    space_of,
)
from annobench.models._variational import check_positive
from annobench.models._votes import Floats, check_search
from annobench.models.base import Conventions, Fit, Method, warned_of
from annobench.models.kernels.votes import add_squares, add_votes, add_weights, correct_squares

__all__ = ["METHOD", "BwaFit", "fit"]

Codes = NDArray[np.int32]

METHOD = Method(
    name="bwa",
    title="BWA",
    reference="Li, Rubinstein and Cohn (2019), Truth inference at scale, WWW",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("item_values", "precision", "weights", "objective", "n_iterations", "converged"),
            *("history",),
        }
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="an annotator's labels of an item are one, which names each of their categories",
        ties="by the annotators' precisions; equal values if these tie, too",
        smoothing="15 labels' worth of prior for each annotator's precision",
        start="vote shares",
        optimum=f"a local maximum of the density of the items' values; {SETTLED}",
    ),
    compares=True,
    merges_repeats=True,
    unchanged_by=frozenset({"repeated labels"}),
)


@dataclass(frozen=True, eq=False)
class BwaFit(Fit):
    """A fit of BWA.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        The values of each item as shares.
    item_values : ndarray, shape (I, K)
        Value of each item for each category, in [0, 1]; the mean for an item without labels.
    precision : ndarray, shape (J, K)
        Expected precision of each annotator for each category; NaN for a category that has all or
        none of the labels of every item, and is thus uninformative.
    objective : float
        Log density of the labels and values, precisions integrated out, summed over categories
        except those that have all or none of the labels of every item.
    n_iterations : int
        Updates of the values.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        The objective at the start and after every update; it never falls.
    """

    item_values: Floats
    precision: Floats
    objective: float
    n_iterations: int
    converged: bool
    history: Floats
    _premise: ClassVar[str] = "a category is as probable as its share of the item's values"

    @cached_property
    def weights(self) -> Floats:
        """Mean precision of each annotator over the informative categories, shape (J,)."""
        told = self.precision[:, ~np.isnan(self.precision[0])]
        return np.asarray(told.mean(axis=1) if told.size else np.full(len(told), np.nan))


def fit(
    annotations: Annotations,
    *,
    prior_labels: float = 15.0,
    value_precision: float = 1.0,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> BwaFit:
    """Fit BWA, from the vote shares.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    prior_labels : float, default 15.0
        a: the weight of the prior of a precision, in labels, above 0.
    value_precision : float, default 1.0
        lambda: precision of the items' values around their mean, above 0.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done, without acceleration.
    max_iterations : int, default 1_000
        Maximum number of updates.

    Returns
    -------
    BwaFit
        Values, precisions, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, or no item has labels of two
        annotators.
    ValueError
        If a number is out of range.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.

    Notes
    -----
    The values of an item without labels are the means; it does not affect the fit. For a category
    that has all or none of the labels of every item, the values are the shares. An iteration costs
    3 K additions per label.

    References
    ----------
    Li, Rubinstein and Cohn (2019), Truth inference at scale, WWW, 1028-1038.

    Examples
    --------
    >>> rows = ["111", "111", "000", "000", "110", "001"]  # the third errs twice, the others never
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> fit(Annotations.from_arrays(*zip(*labels))).weights.round(1)
    array([8.8, 8.8, 6.4])
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    check_positive(METHOD.name, prior_labels=prior_labels, value_precision=value_precision)
    model = _Model.of(annotations, prior_labels, value_precision)
    values = model.shares
    first = model.moments(values)
    history, converged = [model.log_density(values, first.errors)], False
    if max_iterations > 0:

        def expect(moments: _Moments) -> tuple[tuple[Floats, _Moments], float, float]:
            after = np.where(model.divided, model.values(moments), model.shares)
            updated = model.moments(after)
            density = model.log_density(after, updated.errors)
            return (after, updated), density, density

        def moved(before: tuple[Floats, _Moments], after: tuple[Floats, _Moments]) -> float:
            rows = (each[0][model.labelled] for each in (before, after))
            return largest_change(*(own / own.sum(axis=1, keepdims=True) for own in rows))

        end = run_em(
            first,
            expect,
            lambda expected, _: expected[1],
            tolerance,
            max_iterations - 1,  # the first update is that of the shares
            space=space_of(first, (kept_positive, kept_positive)),
            moved=moved,
        )
        values, first = end.expected
        history, converged = history + end.history, end.converged
    values = np.where(model.labelled[:, None], values, model.mean(values))
    fitted = BwaFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=values / values.sum(axis=1, keepdims=True),
        item_values=values,
        precision=np.where(model.divided, model.precision(first.errors), np.nan),
        objective=history[-1],
        n_iterations=len(history) - 1,
        converged=converged,
        history=np.array(history),
    )
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)


class _Moments(NamedTuple):
    """Squared errors of the annotators, shape (J, K), and mean values of the items, (K,)."""

    errors: Floats
    mean: Floats


@dataclass(frozen=True, eq=False)
class _Model:
    """Labels, priors, and the updates of all categories side by side.

    Attributes
    ----------
    pairs : tuple of ndarray
        Item and annotator of each labelled pair.
    named : tuple of ndarray
        Item, annotator and category, for each category named by the pair.
    shape : tuple of int
        I, J and K.
    shares : ndarray, shape (I, K)
        Share of an item's annotators who named the category; 0 for an item without labels.
    labelled : ndarray of bool, shape (I,)
        Which items have labels.
    n_given : ndarray, shape (J, 1)
        Items of each annotator.
    a, lambda_ : float
        Parameters of the priors.
    b : ndarray, shape (K,)
        Parameter of the precisions' priors.
    """

    pairs: tuple[Codes, Codes]
    named: tuple[Codes, Codes, Codes]
    shape: tuple[int, int, int]
    shares: Floats
    labelled: NDArray[np.bool_]
    n_given: Floats
    a: float
    b: Floats
    lambda_: float

    @classmethod
    def of(cls, annotations: Annotations, a: float, lambda_: float) -> _Model:
        shape = annotations.n_items, annotations.n_annotators, annotations.n_categories
        item, annotator = annotations.item, annotations.annotator
        label = annotations.label.astype(np.int32)
        pairs, named = (item, annotator), (item, annotator, label)
        if annotations.first_repeat is not None:
            pairs, named = _distinct(pairs, shape[:2]), _distinct(named, shape)
        votes = np.zeros((shape[0], shape[2]))
        add_votes(*named, np.ones(shape[1:]), votes)
        labels = np.bincount(pairs[0], minlength=shape[0])[:, None]
        shares = votes / np.maximum(labels, 1)
        n_given = np.bincount(pairs[1], minlength=shape[1])[:, None].astype(np.float64)
        b = a * (shares * (1 - shares))[pairs[0]].mean(axis=0) * 4 * (1 - 1 / shape[2])
        return cls(pairs, named, shape, shares, labels[:, 0] > 0, n_given, a, b, lambda_)

    @property
    def divided(self) -> NDArray[np.bool_]:
        """Whether a category was named by some annotators of an item and not by all, shape (K,)."""
        return self.b > 0

    def mean(self, values: Floats) -> Floats:
        """Return the mean values of the items, shape (K,)."""
        return np.asarray(values[self.labelled].mean(axis=0))

    def squared_errors(self, values: Floats) -> Floats:
        """Sum the annotators' squared errors, shape (J, K)."""
        total = np.zeros(self.shape[1:])
        add_squares(*self.pairs, values, total)
        correct_squares(*self.named, values, total)
        return np.maximum(total, 0)  # rounding

    def moments(self, values: Floats) -> _Moments:
        """Return all that the next values depend on."""
        return _Moments(self.squared_errors(values), self.mean(values))

    def precision(self, errors: Floats) -> Floats:
        """Return the expected precisions, shape (J, K), 1 for a category that is not divided."""
        top = np.broadcast_to(self.a + self.n_given, errors.shape)
        ones = np.ones_like(errors)
        return cast(Floats, np.divide(top, self.b + errors, out=ones, where=self.divided))

    def values(self, moments: _Moments) -> Floats:
        """Average the labels of each item and the mean value, weighted by precision."""
        precision = self.precision(moments.errors)
        total = np.tile(self.lambda_ * moments.mean, (self.shape[0], 1))
        weight = np.full(total.shape, self.lambda_)
        add_votes(*self.named, precision, total)
        add_weights(*self.pairs, precision, weight)
        return cast(Floats, total / weight)

    def log_density(self, values: Floats, errors: Floats) -> float:
        """Return the log density of labels and values, precisions integrated out."""
        values, errors, b = (x[..., self.divided] for x in (values, errors, self.b))
        n, a = self.n_given, self.a
        of_labels = (
            gammaln((a + n) / 2)
            - gammaln(a / 2)
            + a / 2 * np.log(b)
            - (a + n) / 2 * np.log(b + errors)
            - n / 2 * np.log(np.pi)
        )
        own = values[self.labelled]
        distance = (own - own.mean(axis=0)) ** 2
        of_values = (np.log(self.lambda_ / (2 * np.pi)) - self.lambda_ * distance) / 2
        return float(of_labels.sum() + of_values.sum())


def _distinct(columns: tuple[Codes, ...], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return the distinct rows of columns of codes, in order."""
    cells = pd.unique(np.ravel_multi_index(columns, shape))
    return tuple(column.astype(np.int32) for column in np.unravel_index(cells, shape))
