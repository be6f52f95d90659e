r"""Least squares with standard errors that allow for clusters and unequal variances.

With residuals e, design X and G clusters c, the covariance of the coefficients is ::

    (G - 1) / G * (X'X)^-1 (sum over c of s_c s_c') (X'X)^-1,   s_c = (1 - M_c (X'X)^-1)^-1 X_c' e_c

with M_c = X_c' X_c: that of the jackknife by clusters (CR3; HC3 where every row is a cluster). For
a mean it is the usual one. Tests and intervals are Student's with G - 1 degrees of freedom. Without
the inverse, variances are too small if some clusters have extreme values: with 30 answers, the
coverage of 95% intervals of a slope was .87.

Liang and Zeger (1986), Biometrika 73, 13-22; MacKinnon and White (1985), Journal of Econometrics
29, 305-325; Bell and McCaffrey (2002), Survey Methodology 28, 169-181.
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
        Robust; NaN with a single cluster, or if one cluster alone determines a coefficient.
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
    products = np.empty((used.size, p, p))
    for i, j in np.ndindex(p, p):
        products[:, i, j] = np.bincount(place, columns[:, i] * columns[:, j], used.size)
    without = np.eye(p) - products @ inverse
    if (abs(np.linalg.det(without)) < ZERO).any():
        return LeastSquares(coefficients, nothing.covariance, used.size)
    left_out = np.linalg.solve(without, sums[:, :, None])[:, :, 0] @ inverse
    covariance = (used.size - 1) / used.size * left_out.T @ left_out
    return LeastSquares(coefficients, covariance, used.size)
