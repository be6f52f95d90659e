"""Expected Fleiss' kappa and noise rate of a mixture of easy and hard items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from annobench.core.results import SummarisedScalars
from annobench.noise.easy_hard._checks import check_distributions, guess_rows
from annobench.noise.easy_hard.guessing import agreement_chance

__all__ = ["ExpectedKappa", "expected_kappa"]


@dataclass(frozen=True)
class ExpectedKappa(SummarisedScalars):
    """Expected agreement and noise rate under the easy/hard model.

    Attributes
    ----------
    kappa : float
        Fleiss' kappa (of Siegel and Castellan), of expected proportions; at most 1, NaN if there is
        only one category.
    observed_agreement, expected_agreement : float
        Agreement of pairs of annotators, in [0, 1].
    noise : float
        Share of hard items among those that all annotators agree on, in [0, 1].
    """

    kappa: float
    observed_agreement: float
    expected_agreement: float
    noise: float


def expected_kappa(
    easy_share: float, easy: ArrayLike, guess: ArrayLike, n_annotators: int = 2
) -> ExpectedKappa:
    """Compute Fleiss' kappa and the noise of a mixture of easy and hard items.

    Parameters
    ----------
    easy_share : float
        Share of easy items, in [0, 1].
    easy : float or array_like, shape (K,)
        Prevalence of one of two categories, or of each, among the easy items.
    guess : float or array_like, shape (K,)
        Distribution of a guess on a hard item, the same for all annotators.
    n_annotators : int, default 2
        J, at least 2. The noise depends on it; kappa does not.

    Returns
    -------
    ExpectedKappa
        Kappa and noise. If easy and hard items have the same distribution of categories, kappa
        equals the share of easy items; otherwise it may be far above or below it.

    Raises
    ------
    ValueError
        If a share is outside [0, 1], or the distributions are invalid or differ in length.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 3.3.

    Examples
    --------
    >>> found = expected_kappa(0.8, 0.5, 0.5)
    >>> round(found.kappa, 4), round(found.noise, 4)  # 0.1 of 0.9 agreed items are hard
    (0.8, 0.1111)
    """
    share = float(easy_share)
    if not 0 <= share <= 1:
        raise ValueError(f"easy_share={share} is not in [0, 1]. Give a share of the items.")
    prevalence = np.asarray(easy, dtype=np.float64)
    if prevalence.ndim == 0:
        prevalence = np.array([prevalence, 1 - prevalence])
    check_distributions("easy", prevalence[None])
    rows = guess_rows(guess, n_annotators)
    if rows.shape[1] != prevalence.size or np.ptp(rows, axis=0).max() > 0:
        raise ValueError(
            f"guess has {rows.shape[1]} categories and easy has {prevalence.size}. Give both for "
            "the same categories, and one guess for all annotators."
        )
    marginal = share * prevalence + (1 - share) * rows[0]
    observed = share + (1 - share) * float(rows[0] @ rows[0])
    expected = float(marginal @ marginal)
    agreed = (1 - share) * agreement_chance(rows)
    return ExpectedKappa(
        kappa=(observed - expected) / (1 - expected) if expected < 1 else float("nan"),
        observed_agreement=observed,
        expected_agreement=expected,
        noise=agreed / (share + agreed) if share + agreed else float("nan"),
    )
