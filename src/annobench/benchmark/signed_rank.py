"""A Bayesian signed-rank test of two methods across data sets.

The differences z_1, ..., z_q of a score between two methods on q data sets are a sample from an
unknown distribution. Its prior is a Dirichlet process of strength s = 1/2 with the
pseudo-observation z_0 = 0, that is, equivalent methods. A posteriori the distribution has weights w
~ Dirichlet(s, 1, ..., 1) on z_0, ..., z_q. Two questions are answered:

- Is one of them better in general? theta_right is the probability, under the weights, that the
  mean of two differences is above the region of practical equivalence [-rope, rope],

      theta_right = sum over i, j of w_i w_j 1[(z_i + z_j) / 2 > rope],

  and theta_left and theta_rope likewise. `better`, `worse` and `equivalent` are the posterior
  probabilities that theta_right, theta_left or theta_rope is the largest of the three.
- What will a new data set show? The predictive probability that its difference is above rope is
  the posterior mean of the weight there, `next_better` = n_right / (q + s).

Both treat the data sets as a random sample, with equal weights, and the differences as known
without error.

References: Benavoli, Corani, Mangili, Zaffalon and Ruggeri (2014), A Bayesian Wilcoxon signed-rank
test based on the Dirichlet process, ICML, sections 3 and 4; Benavoli, Corani, Demsar and Zaffalon
(2017), Time for a change, Journal of Machine Learning Research 18, section 4.2, for the region of
practical equivalence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError

__all__ = ["DRAWS", "SignedRank", "signed_rank"]

#: The prior's strength: the weight of the pseudo-observation in observations.
STRENGTH: Final = 0.5

#: Draws from the posterior; the Monte Carlo error of a probability is then at most 0.005.
DRAWS: Final = 10_000


@dataclass(frozen=True)
class SignedRank:
    """Posterior probabilities for two methods.

    Attributes
    ----------
    better, equivalent, worse : float
        Probabilities, with sum 1, that the first method is better in general, practically
        equivalent, or worse. "Better" is a larger value.
    next_better, next_worse : float
        Probabilities that on a new data set the difference is above, or below, the region of
        practical equivalence.
    """

    better: float
    equivalent: float
    worse: float
    next_better: float
    next_worse: float


def signed_rank(
    differences: ArrayLike,
    *,
    rope: float,
    rng: np.random.Generator | int,
    strength: float = STRENGTH,
    draws: int = DRAWS,
) -> SignedRank:
    """Compare two methods across data sets by the Bayesian signed-rank test.

    Parameters
    ----------
    differences : array_like, shape (q,)
        Score of the first method minus that of the second, on each data set.
    rope : float
        At least 0; differences in [-rope, rope] are practically none.
    rng : numpy.random.Generator or int
        Source of the draws, or a seed.
    strength : float, default 0.5
        Strength of the prior, above 0.
    draws : int, default 10000
        Number of posterior draws.

    Returns
    -------
    SignedRank
        Probabilities; ties between two thetas count one half each.

    Raises
    ------
    AnnotationError
        If there are no differences, or one is not finite.

    Examples
    --------
    One data set, on which the first method is better: theta_rope = w_0^2 is below one half with
    probability 2^(-1/4) = 0.841, as w_0 is beta(1/2, 1).

    >>> round(signed_rank([0.3], rope=0.01, rng=1).better, 2)
    0.84
    """
    z = np.asarray(differences, dtype=np.float64)
    if z.ndim != 1 or not z.size or not np.isfinite(z).all():
        raise AnnotationError(
            "signed_rank: needs finite differences of at least one data set. Leave out data sets "
            "where a method has no score."
        )
    weights = np.random.default_rng(rng).dirichlet(np.r_[strength, np.ones(z.size)], draws)
    thetas = _thetas(z, rope, weights)
    largest = thetas == thetas.max(axis=1, keepdims=True)
    shares = (largest / largest.sum(axis=1, keepdims=True)).mean(axis=0)
    n_left, n_right = (z < -rope).sum(), (z > rope).sum()
    total = z.size + strength
    return SignedRank(
        better=float(shares[2]),
        equivalent=float(shares[1]),
        worse=float(shares[0]),
        next_better=float(n_right / total),
        next_worse=float(n_left / total),
    )


def _thetas(
    z: NDArray[np.float64], rope: float, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return theta_left, theta_rope and theta_right of each draw, shape (draws, 3)."""
    places = np.r_[0.0, z]
    means = (places[:, None] + places) / 2
    left, right = (
        np.einsum("di,di->d", weights @ side.astype(np.float64), weights)
        for side in (means < -rope, means > rope)
    )
    return np.column_stack([left, 1 - left - right, right])
