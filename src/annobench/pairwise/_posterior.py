"""Estimates of strengths with their uncertainty, as a mixture of normal or t distributions.

The maximum of a likelihood is a mixture of one part. Covariances for clusters are those of Liang
and Zeger (1986), Biometrika 73, 13-22, with the factor C / (C - 1) (N - 1) / (N - P) for C clusters
and P parameters; limits and tests are then Student's with C - 1 degrees of freedom.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import stdtr

__all__ = ["Posterior", "sandwich"]

Floats = NDArray[Any]
#: Halvings of the range in which a quantile lies.
_STEPS: Final = 60


class Posterior(NamedTuple):
    """A mixture.

    Attributes
    ----------
    weight : ndarray, shape (H,)
        Of sum 1.
    centre : ndarray, shape (H, P)
        Parameters, strengths first.
    covariance : ndarray, shape (H, P, P)
        Of the parameters.
    df : float
        Degrees of freedom; infinite for normal distributions.
    """

    weight: Floats
    centre: Floats
    covariance: Floats
    df: float

    def of(self, contrasts: Floats) -> Posterior:
        """Transform to linear functions of the parameters, given as rows."""
        return self._replace(
            centre=self.centre @ contrasts.T, covariance=contrasts @ self.covariance @ contrasts.T
        )

    def mean(self) -> Floats:
        """Return the mean, shape (P,)."""
        return np.asarray(self.weight @ self.centre)

    def total_covariance(self) -> Floats:
        """Return the covariance, within and between parts, shape (P, P)."""
        apart = self.centre - self.mean()
        within = np.tensordot(self.weight, self.covariance, axes=1)
        return np.asarray(within + apart.T @ (self.weight[:, None] * apart))

    def quantiles(self, *shares: float) -> Floats:
        """Return quantiles of each parameter, shape (number of shares, P)."""
        variance = np.diagonal(self.covariance, axis1=1, axis2=2)
        error = np.sqrt(np.maximum(variance, 1e-300))
        width = 1 + np.abs(self.centre).max(axis=0) + error.max(axis=0)
        ends = []
        for share in shares:
            low, high = -1e3 * width, 1e3 * width
            for _ in range(_STEPS):
                middle = (low + high) / 2
                below = self.weight @ stdtr(self.df, (middle - self.centre) / error) < share
                low, high = np.where(below, middle, low), np.where(below, high, middle)
            ends.append((low + high) / 2)
        return np.array(ends)

    def p_values(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> Floats:
        """Return two-sided p-values that parameters i and j are equal, averaged over the parts."""
        spread = np.diagonal(self.covariance, axis1=1, axis2=2)
        variance = spread[:, i] + spread[:, j] - 2 * self.covariance[:, i, j]
        z = np.abs(self.centre[:, i] - self.centre[:, j]) / np.sqrt(np.maximum(variance, 1e-300))
        return np.asarray(self.weight @ (2 * stdtr(self.df, -z)))


def sandwich(
    inverse: Floats, scores: Any, cluster: NDArray[np.int64] | None, n_comparisons: int
) -> Floats:
    """Return the covariance of a maximum: robust to dependence in clusters, if there are any."""
    if cluster is None:
        return inverse
    n, c = cluster.size, int(cluster.max()) + 1
    n_free = len(inverse) - 1  # as strengths have sum 0
    sums = (
        sparse.csr_array((np.ones(n), (cluster, np.arange(n))), shape=(c, n)) @ scores
    ).toarray()
    factor = c / (c - 1) * (n_comparisons - 1) / (n_comparisons - n_free)
    return np.asarray(factor * inverse @ (sums.T @ sums) @ inverse)
