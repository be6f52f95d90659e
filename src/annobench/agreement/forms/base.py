"""Coefficients as functions of sums over items: one engine for estimates and uncertainty.

A form maps labels to one row of statistics per item, and the sum of the rows to the coefficient.
Resampling items then means weighting the rows; the derivative with respect to the sum gives the
standard error; leaving out an item means subtracting its row.

Annotators have multiplicities c, all 1 in the original labels. When annotators are resampled,
copies of the same annotator are not a pair: an item with weighted counts n_k, m = sum n_k and q =
sum c^2 has m^2 - q ordered pairs. As a label has distance 0 from itself, sum_kl n_k V_kl n_l counts
the disagreements of exactly these.

Everything is expressed as disagreement: V = 1 - W for weights of agreement W, or a metric's
distances, and the coefficient is 1 - D_o / D_e.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annobench.core.tolerances import ZERO
from annobench.resampling.ratios import ratio

__all__ = ["Form", "cross"]

Floats = NDArray[Any]
#: Rows of statistics, one for each item; sparse where a row is mostly zeros.
Rows = NDArray[Any] | sparse.csr_array
#: Totals of rows; complex while a derivative is taken.
Totals = NDArray[Any]


class Form(ABC):
    """Interface of all forms.

    Attributes
    ----------
    scale : float
        Maximum disagreement of a pair.
    additive : bool
        Whether an item's row depends only on its own labels, so that leaving out an annotator
        changes only the rows of that annotator's items.
    """

    scale: float = 1.0
    additive: bool = False

    @property
    @abstractmethod
    def rows(self) -> Rows:
        """The statistics of each item, shape (I, S)."""

    @property
    @abstractmethod
    def item_disagreement(self) -> Floats:
        """Mean disagreement of each item's pairs of labels, shape (I,); NaN without a pair."""

    @abstractmethod
    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the observed and the expected disagreement.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        observed, expected : ndarray, shape (...)
            Disagreements, in the unit of the distances.
        """

    def value(self, totals: Totals) -> Totals:
        """Return the coefficient.

        Parameters
        ----------
        totals : ndarray, shape (..., S)
            Sums of rows.

        Returns
        -------
        ndarray, shape (...)
            NaN where it is undefined.
        """
        observed, expected = self.disagreements(totals)
        return 1 - ratio(observed, expected, ZERO * self.scale)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the rows, shape (S,)."""
        return np.asarray(self.rows.sum(axis=0), dtype=np.float64)

    def lowest(self, totals: Floats) -> float:
        """Return the minimum of the coefficient's range, if it depends on labels or options.

        Parameters
        ----------
        totals : ndarray, shape (S,)
            Sums of rows.

        Returns
        -------
        float
            Minus infinity if there is none, or if it is that of the coefficient's record.
        """
        return -math.inf

    def gradient(self, totals: Totals) -> Floats | None:
        """Return the derivative with respect to the totals, if the form has a fast one.

        Parameters
        ----------
        totals : ndarray, shape (S,)
            Sums of rows.

        Returns
        -------
        ndarray, shape (S,), or None
            If None, the complex step is used.
        """
        return None

    def influence(self, totals: Totals) -> Floats | None:
        """Return the items' influence values, if those of the derivative are too small.

        Parameters
        ----------
        totals : ndarray, shape (S,)
            The sum of all rows.

        Returns
        -------
        ndarray, shape (I,), or None
            If None, they follow from the derivative.
        """
        return None


class PairForm(Form):
    """A form that compares the labels of an item in pairs."""

    size: Floats
    copies: Floats

    @cached_property
    def n_pairs(self) -> Floats:
        """Ordered pairs of labels of different annotators for each item, shape (I,)."""
        return self.size**2 - self.copies


class WithoutChance(Form):
    """A coefficient without observed and expected agreement."""

    n_items: int

    @cached_property
    def item_disagreement(self) -> Floats:
        """Not defined: NaN for each item."""
        return np.full(self.n_items, np.nan)

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        undefined = np.full(totals.shape[:-1], np.nan)
        return undefined, undefined


def cross(first: Totals, second: Totals, distances: Floats | None) -> Totals:
    """Sum the distances between all labels of two distributions.

    Parameters
    ----------
    first, second : ndarray, shape (..., K)
        Numbers or shares of labels.
    distances : ndarray, shape (K, K), or None
        V; None for nominal labels.

    Returns
    -------
    ndarray, shape (...)
        sum_kl first_k V_kl second_l.
    """
    if distances is None:
        return first.sum(axis=-1) * second.sum(axis=-1) - (first * second).sum(axis=-1)
    return ((first @ distances) * second).sum(axis=-1)


def embeds(distances: Floats | None) -> bool:
    """Return whether distances are squared Euclidean distances of points, one for each category.

    The two labels of an item then disagree at most twice as much as by chance: for the points x and
    y of a pair, E|x - y|^2 is the disagreement by chance minus twice their covariance, which is at
    least minus half of it. Nominal labels, linear and quadratic weights and the named metrics but
    MASI have such points (Schoenberg 1938, Transactions of the American Mathematical Society 44).
    """
    if distances is None or len(distances) < 2:
        return True
    from_first = distances[0, 1:]
    products = (from_first[:, None] + from_first - distances[1:, 1:]) / 2
    rounding = 1e-9 * max(float(distances.max()), 1.0) * np.eye(len(products))
    try:
        np.linalg.cholesky(products + rounding)
    except np.linalg.LinAlgError:
        return False
    return True


def dense(rows: Rows) -> NDArray[Any]:
    """Return rows as an ordinary array."""
    return np.asarray(rows.toarray() if isinstance(rows, sparse.csr_array) else rows)
