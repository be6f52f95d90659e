r"""Least squares with standard errors that allow for clusters and unequal variances.

With residuals e, design X and clusters c, the covariance of the coefficients is ::

    G / (G - 1) * (I - 1) / (I - P) * (X'X)^-1 (sum over c of X_c' e_c e_c' X_c) (X'X)^-1

for G clusters, I rows and P columns (CR1; HC1 where every row is a cluster). Tests and intervals
are Student's with G - 1 degrees of freedom.

Liang and Zeger (1986), Biometrika 73, 13-22; MacKinnon and White (1985), Journal of Econometrics
29, 305-325.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from annobench.core.tolerances import ZERO

__all__ = ["LeastSquares", "least_squares"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """A fit by least squares.

    Attributes
    ----------
    coefficients : ndarray, shape (P,)
        NaN if the columns are not linearly independent.
    covariance : ndarray, shape (P, P)
        Robust; NaN with a single cluster.
    n_clusters : int
        G.
    """

    coefficients: Floats
    covariance: Floats
    n_clusters: int

    def test(self, which: int, level: float) -> dict[str, float]:
        """Test that a coefficient is 0.

        Parameters
        ----------
        which : int
            Index of the coefficient.
        level : float
            Of the interval.

        Returns
        -------
        dict of str to float
            estimate, lower, upper and p_value; NaN where undefined.
        """
        value, df = float(self.coefficients[which]), self.n_clusters - 1
        error = float(np.sqrt(self.covariance[which, which]))
        if df < 1 or math.isnan(error):
            return {"estimate": value} | dict.fromkeys(("lower", "upper", "p_value"), math.nan)
        half = float(t.ppf((1 + level) / 2, df)) * error
        p_value = 2 * t.sf(abs(value) / error, df) if error > ZERO else float(abs(value) <= ZERO)
        return {
            "estimate": value,
            "lower": value - half,
            "upper": value + half,
            "p_value": float(p_value),
        }


def least_squares(columns: Floats, y: Floats, clusters: NDArray[np.int64]) -> LeastSquares:
    """Fit by least squares.

    Parameters
    ----------
    columns : ndarray of float, shape (I, P)
        The design.
    y : ndarray of float, shape (I,)
        The response.
    clusters : ndarray of int, shape (I,)
        Codes of clusters.

    Returns
    -------
    LeastSquares
        Coefficients and their covariance.
    """
    n, p = columns.shape
    used, place = np.unique(clusters, return_inverse=True)
    nothing = LeastSquares(np.full(p, np.nan), np.full((p, p), np.nan), used.size)
    if n < p or np.linalg.matrix_rank(columns) < p:
        return nothing
    inverse = np.linalg.inv(columns.T @ columns)
    coefficients = inverse @ (columns.T @ y)
    if used.size < 2 or n <= p:
        return LeastSquares(coefficients, nothing.covariance, used.size)
    sums = np.zeros((used.size, p))
    np.add.at(sums, place, columns * (y - columns @ coefficients)[:, None])
    factor = used.size / (used.size - 1) * (n - 1) / (n - p)
    return LeastSquares(coefficients, factor * inverse @ (sums.T @ sums) @ inverse, used.size)
