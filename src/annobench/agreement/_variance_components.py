"""Variance components of a two-way random design without replication: items and annotators.

x_ij = mu + p_i + a_j + e_ij. Complete designs have mean squares; others are fitted by REML: with s
= (s_p, s_a) the standard deviations of items and annotators divided by the residual one, the mixed
model equations of (mu, a, p) scaled by s have the matrix

    C = [X'X, X'Z S; S Z'X, S Z'Z S + I],

and -2 log L = (N - 1) log q + log |C| up to a constant, with q the residual sum of squares of the
equations. The many items are absorbed, as their block of C is diagonal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy  # loads its parts when they are used
from numpy.typing import NDArray
from scipy import sparse

from annobench.labels.annotations import Annotations

__all__ = ["Components", "Refits"]

Floats = NDArray[Any]

#: The largest standard deviation of items or annotators, in that of the residual.
_MOST: Final = 1e4
#: The share of the labels' standard deviation below which a residual is rounding.
_NONE: Final = 1e-8


@dataclass(frozen=True)
class Components:
    """Variance components.

    Attributes
    ----------
    items, annotators, residual : float
        At least 0.
    """

    items: float
    annotators: float
    residual: float


def from_mean_squares(table: Floats) -> tuple[Components, tuple[float, float, float]]:
    """Estimate components of a complete table by the analysis of variance."""
    n, j = table.shape
    centred = table - table.mean()
    item, annotator = centred.mean(axis=1), centred.mean(axis=0)
    left = centred - item[:, None] - annotator
    items = j * float(item @ item) / (n - 1)
    annotators = n * float(annotator @ annotator) / (j - 1)
    residual = float((left**2).sum()) / ((n - 1) * (j - 1))
    found = Components(
        max(0.0, (items - residual) / j), max(0.0, (annotators - residual) / n), residual
    )
    return found, (items, annotators, residual)


class _Design:
    """Sums of labels for the likelihood."""

    def __init__(self, a: Annotations, values: Floats) -> None:
        self.n_labels = a.n_labels
        shape = (a.n_items, a.n_annotators)
        self.given = sparse.csr_array((np.ones(a.n_labels), (a.item, a.annotator)), shape=shape)
        self.per_item = np.bincount(a.item, minlength=shape[0]).astype(float)
        self.per_annotator = np.bincount(a.annotator, minlength=shape[1]).astype(float)
        self.set_values(a, values)

    def set_values(self, a: Annotations, values: Floats) -> None:
        """Set other labels for the same design."""
        self.item_sum = np.bincount(a.item, values, minlength=self.per_item.size)
        self.annotator_sum = np.bincount(a.annotator, values, minlength=self.per_annotator.size)
        self.square = float(values @ values)

    def profile(self, scales: Floats) -> tuple[float, float]:
        """Return -2 log L, up to a constant, and the residual variance that minimises it."""
        of_items, of_annotators = scales
        diagonal = of_items**2 * self.per_item + 1
        weight = of_items**2 / diagonal
        crossed = (self.given.T @ self.given.multiply(weight[:, None])).toarray()
        j = self.per_annotator.size
        c = np.empty((1 + j, 1 + j))
        c[0, 0] = self.n_labels - weight @ self.per_item**2
        c[0, 1:] = of_annotators * (self.per_annotator - self.given.T @ (weight * self.per_item))
        c[1:, 0] = c[0, 1:]
        c[1:, 1:] = of_annotators**2 * (np.diag(self.per_annotator) - crossed) + np.eye(j)
        right = np.empty(1 + j)
        right[0] = self.item_sum.sum() - weight @ (self.per_item * self.item_sum)
        right[1:] = of_annotators * (self.annotator_sum - self.given.T @ (weight * self.item_sum))
        factor = scipy.linalg.cho_factor(c, lower=True)
        q = self.square - weight @ self.item_sum**2 - right @ scipy.linalg.cho_solve(factor, right)
        variance = max(q, 0.0) / (self.n_labels - 1)
        if variance <= 1e-14 * self.square / self.n_labels:
            return -math.inf, 0.0
        determinant = np.log(diagonal).sum() + 2 * np.log(np.diag(factor[0])).sum()
        return (self.n_labels - 1) * math.log(variance) + float(determinant), variance


class Refits:
    """REML fits to the given labels, and to labels simulated for the same design.

    Patterson and Thompson (1971), Biometrika 58; Searle, Casella and McCulloch (1992), Variance
    Components, Chapter 6.
    """

    def __init__(self, a: Annotations, values: Floats) -> None:
        self.a = a
        self.values = values - values.mean()
        self.design = _Design(a, self.values)

    def explains_all(self) -> bool:
        """Return whether items and annotators explain the labels without residual."""
        n = np.arange(self.a.n_labels)
        place = np.concatenate([self.a.item, self.a.annotator + self.a.n_items])
        ones = np.ones(2 * n.size)
        effects = sparse.csr_array((ones, (np.tile(n, 2), place)))
        residual = sparse.linalg.lsqr(effects, self.values, atol=1e-12, btol=1e-12)[3]
        return bool(residual <= _NONE * np.linalg.norm(self.values))

    def fit(self, start: Floats | None = None) -> Components:
        """Estimate the components, from one start or several."""
        # The likelihood may have a ridge along which one component vanishes: start on both sides.
        starts = ((1.0, 0.5), (0.3, 0.3), (1.0, 0.0)) if start is None else (start,)
        best: Any = None
        for each in starts:
            found = scipy.optimize.minimize(  # type: ignore[call-overload]
                lambda scales: self.design.profile(scales)[0],
                np.array(each),
                method="L-BFGS-B",
                bounds=[(0, _MOST), (0, _MOST)],
                options={"ftol": 1e-14, "gtol": 1e-8},
            )
            if best is None or found.fun < best.fun - 1e-9:
                best = found
        variance = float(self.design.profile(best.x)[1])
        items, annotators = (variance * best.x**2).tolist()
        return Components(items, annotators, variance)

    def draw(self, of: Components, rng: np.random.Generator) -> Components:
        """Simulate normal labels of the same design with given components, and fit them."""
        item, annotator, residual = (
            rng.normal(scale=math.sqrt(variance), size=n)
            for variance, n in (
                (of.items, self.a.n_items),
                (of.annotators, self.a.n_annotators),
                (of.residual, self.a.n_labels),
            )
        )
        values = item[self.a.item] + annotator[self.a.annotator] + residual
        self.design.set_values(self.a, values - values.mean())
        # From 0 the gradient, which is of squares, leads nowhere.
        scales = np.sqrt([of.items / of.residual, of.annotators / of.residual])
        return self.fit(np.maximum(scales, 0.1))
