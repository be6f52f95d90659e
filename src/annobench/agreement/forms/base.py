"""Coefficients as functions of sums over items: one engine for estimates and uncertainty.

A form turns labels into one row of statistics for each item, and the sum of those rows into
the coefficient. To resample items is then to weight the rows; the derivative with respect to
the sum gives the standard error; an item is left out by subtraction.

Annotators carry multiplicities c, all 1 in the labels themselves. When annotators are resampled,
copies of the same annotator are not a pair: an item with the weighted counts n_k,
m = sum n_k and q = sum c^2 has m^2 - q ordered pairs, and as a label is at no distance from
itself, sum_kl n_k V_kl n_l counts the disagreements of just those.

Everything is expressed as disagreement: V = 1 - W for weights of agreement W, or a metric's
distances, and the coefficient is 1 - D_o / D_e.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annobench.core.tolerances import ZERO
from annobench.resampling.ratios import ratio

__all__ = ["Form", "cross", "dense"]

Floats = NDArray[Any]
#: Rows of statistics, one for each item; sparse where a row is mostly zeros.
Rows = NDArray[Any] | sparse.csr_array
#: Totals of rows; complex while a derivative is taken.
Totals = NDArray[Any]


class Form(ABC):
    """What every form offers.

    Attributes
    ----------
    scale : float
        The largest disagreement of a pair.
    additive : bool
        Whether the row of an item depends on its labels alone, so that the totals without an
        annotator differ by the rows of that annotator's items.
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
        """Mean disagreement of the pairs of labels of each item, shape (I,); NaN without pair."""

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
            In the unit of the distances.
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

    def gradient(self, totals: Totals) -> Floats | None:
        """Return the derivative with respect to the totals, where a form has a quick one.

        Parameters
        ----------
        totals : ndarray, shape (S,)
            Sums of rows.

        Returns
        -------
        ndarray, shape (S,), or None
            None leaves it to the complex step.
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
    """A coefficient that is no observed agreement set against an expected one."""

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


def dense(rows: Rows) -> NDArray[Any]:
    """Return rows as an ordinary array.

    Parameters
    ----------
    rows : ndarray or csr_array, shape (P, S)
        Statistics.

    Returns
    -------
    ndarray, shape (P, S)
        The same.
    """
    return np.asarray(rows.toarray() if isinstance(rows, sparse.csr_array) else rows)
