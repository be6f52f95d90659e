"""Large-sample standard errors of the shares and rates of components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd
import scipy.linalg

from annobench.core.results import Summarised
from annobench.noise.mixtures._binomial import binomial_pmf
from annobench.noise.mixtures._scoring import MIN_EXPECTED, Method
from annobench.noise.mixtures.counts import Counts, Floats
from annobench.noise.mixtures.mixture import BinomialMixture

__all__ = ["ComponentStandardErrors"]


@dataclass(frozen=True, eq=False)
class ComponentStandardErrors(Summarised):
    """Standard errors of a mixture, NaN where a share or rate is on the boundary.

    They are meaningless, and may be NaN, where components coincide.

    Attributes
    ----------
    share, rate : ndarray, shape (m,)
        Of each component.
    """

    share: Floats
    rate: Floats

    def summary(self) -> pd.DataFrame:
        """Return the standard errors as a table.

        Returns
        -------
        DataFrame
            A row for each component: share, rate; index component, from 1.
        """
        index = pd.RangeIndex(1, self.rate.size + 1, name="component")
        return pd.DataFrame({"share": self.share, "rate": self.rate}, index=index)

    def _headline(self) -> str:
        return f"shares {np.round(self.share, 4).tolist()}, rates {np.round(self.rate, 4).tolist()}"


def component_standard_errors(
    mixture: BinomialMixture, expected: Floats, counts: Counts, method: Method
) -> ComponentStandardErrors:
    """Compute standard errors from the multinomial distribution of the cells."""
    share, rate = mixture.share, mixture.rate
    present = share > 1e-6
    inside = present & (np.minimum(rate, 1 - rate) > 1e-6)
    each = counts.totals * binomial_pmf(rate, counts.labels, counts.positives)
    with np.errstate(invalid="ignore", divide="ignore"):
        by_rate = share[:, None] * each
        by_rate *= (counts.positives - counts.labels * rate[:, None]) / (rate * (1 - rate))[:, None]
    # The shares sum to 1: the directions that keep the sum are spanned by the contrasts.
    contrasts = scipy.linalg.helmert(present.sum()).T if present.sum() > 1 else np.zeros((1, 0))
    jacobian = np.concatenate([contrasts.T @ each[present], by_rate[inside]]).T
    covariance = sandwich_covariance(jacobian, expected, counts, method)
    q = contrasts.shape[1]
    share_error, rate_error = np.full((2, share.size), np.nan)
    # Where components coincide, rounding may leave variances below 0.
    with np.errstate(invalid="ignore"):
        share_error[present] = np.sqrt(np.diag(contrasts @ covariance[:q, :q] @ contrasts.T))
        rate_error[inside] = np.sqrt(np.diag(covariance)[q:])
    return ComponentStandardErrors(share_error, rate_error)


def sandwich_covariance(
    jacobian: Floats, expected: Floats, counts: Counts, method: Method
) -> Floats:
    """Compute the sandwich estimate of the covariance of fitted parameters."""
    weight = (
        np.ones_like(expected)
        if method == "least_squares"
        else 1 / np.maximum(expected, MIN_EXPECTED)
    )
    weighted = jacobian * weight[:, None]
    same_sample = counts.labels[:, None] == counts.labels
    of_cells = np.diag(expected) - same_sample * np.outer(expected, expected) / counts.totals
    bread = np.linalg.pinv(jacobian.T @ weighted, hermitian=True)
    return cast(Floats, bread @ weighted.T @ of_cells @ weighted @ bread)
