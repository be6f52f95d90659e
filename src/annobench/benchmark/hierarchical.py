"""A hierarchical model of paired differences between two methods across data sets.

On data set d the first method's score exceeds the second's by x_d, with standard error s_d:

    delta_d ~ student t with 4 degrees of freedom, location mu and scale tau
    x_d     ~ normal(delta_d, s_d)

with uniform priors of mu and of tau > 0. The difference on a new data set is another draw of delta.
It is compared with a region of practical equivalence, [-rope, rope]. Unlike the signed-rank test,
the model uses the sizes and standard errors of the differences: data sets with many items have more
weight, and a method that is better on every data set by less than the standard errors is not
declared better. The t distribution is robust to outlying data sets.

It is the hierarchical model of Corani, Benavoli, Demsar, Mangili and Zaffalon (2017), Statistical
comparison of classifiers through Bayesian hierarchical modelling, Machine Learning 106, 1817-1837,
section 3, for one gold standard per data set instead of repeated cross-validation: the correlated
likelihood of folds is replaced by a normal one, with the standard error from the paired bootstrap,
and the degrees of freedom, which about twenty data sets hardly identify, are fixed. A uniform prior
of tau gives a proper posterior from three data sets on (Gelman 2006, Bayesian Analysis 1, 515-534,
section 5.2).

The posterior is computed on a grid of mu and tau, with the t distribution as a scale mixture of
normal distributions, by the trapezoidal rule over the logarithm of the gamma distributed precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp, stdtr

from annobench.core.errors import AnnotationError

__all__ = ["Hierarchical", "compare_hierarchically"]

Floats = NDArray[np.float64]

#: Of the t distribution of differences over data sets.
DEGREES: Final = 4

#: Logarithms of the precisions of the normal distributions that it is a mixture of, the widest of
#: two thousand times the scale.
LOG_PRECISIONS: Final = np.arange(-15.0, 2.0, 0.8)

#: Steps of the grid: of the logarithm of tau, and of mu in units that grow with the distance from
#: the middle.
STEP_TAU: Final = 0.3
STEP_MU: Final = 0.2

#: How far the grid goes, in the largest distance of a difference from the middle.
REACH: Final = 10.0

#: Fewer data sets give an improper posterior.
FEWEST: Final = 3


@dataclass(frozen=True)
class Hierarchical:
    """Posterior probabilities for a new data set, and estimates for the typical one.

    Attributes
    ----------
    new_better, new_equivalent, new_worse : float
        Probabilities, with sum 1, that on a new data set the difference is above, within or below
        the region of practical equivalence.
    typical, typical_lower, typical_upper : float
        Posterior mean and 95% interval of mu, in units of the score.
    spread : float
        Posterior median of tau, in units of the score.
    """

    new_better: float
    new_equivalent: float
    new_worse: float
    typical: float
    typical_lower: float
    typical_upper: float
    spread: float


def compare_hierarchically(
    differences: ArrayLike, errors: ArrayLike, *, rope: float
) -> Hierarchical:
    """Compare two methods across data sets by the hierarchical model.

    Parameters
    ----------
    differences : array_like, shape (D,)
        Score of the first method minus that of the second, on each data set.
    errors : array_like, shape (D,)
        Standard errors of the differences, above 0.
    rope : float
        At least 0; differences in [-rope, rope] are practically equivalent to 0.

    Returns
    -------
    Hierarchical
        Probabilities and estimates, without Monte Carlo error.

    Raises
    ------
    AnnotationError
        If there are fewer than three data sets, a difference is not finite, or an error is not
        above 0.

    Examples
    --------
    The same differences tell more where they are better known.

    >>> x = [0.02, 0.03, 0.01, 0.02, 0.04, 0.03]
    >>> for error in (0.03, 0.003):
    ...     found = compare_hierarchically(x, [error] * 6, rope=0.005)
    ...     print(round(found.new_better, 2), round(found.new_worse, 2))
    0.83 0.09
    0.9 0.05
    """
    x, s = (np.asarray(each, dtype=np.float64) for each in (differences, errors))
    if x.ndim != 1 or x.shape != s.shape or x.size < FEWEST:
        raise AnnotationError(
            f"compare_hierarchically: needs differences of at least {FEWEST} data sets and as many "
            "errors. Compare on more data sets."
        )
    if not (np.isfinite(x).all() and np.isfinite(s).all() and (s > 0).all()):
        raise AnnotationError(
            "compare_hierarchically: differences must be finite, and their errors finite and above "
            "0. Leave out data sets on which a method has no score."
        )
    mu, tau, weights = _posterior(x, s)
    above, below = (
        float((weights * stdtr(DEGREES, (side * mu[:, None] - rope) / tau)).sum())
        for side in (1, -1)
    )
    of_mu, of_tau = weights.sum(axis=1), weights.sum(axis=0)
    lower, upper = _quantiles(mu, of_mu, 0.025, 0.975)
    (spread,) = _quantiles(tau, of_tau, 0.5)
    return Hierarchical(
        new_better=above,
        new_equivalent=max(0.0, 1 - above - below),
        new_worse=below,
        typical=float(of_mu @ mu),
        typical_lower=lower,
        typical_upper=upper,
        spread=spread,
    )


def _posterior(x: Floats, s: Floats) -> tuple[Floats, Floats, Floats]:
    """Return grid points of mu and tau, and their joint probabilities."""
    middle = float(np.median(x))
    finest = float((s**-2).sum() ** -0.5) / 2
    farthest = REACH * float(max(np.abs(x - middle).max(), s.max()))
    end = np.arcsinh(farthest / finest)
    place = np.arange(-np.ceil(end / STEP_MU), np.ceil(end / STEP_MU) + 1) * STEP_MU
    mu = middle + finest * np.sinh(place)
    tau = np.exp(np.arange(np.log(finest / 4), np.log(farthest), STEP_TAU))
    precision = np.exp(LOG_PRECISIONS)
    shares = np.exp(DEGREES / 2 * (LOG_PRECISIONS - precision))
    shares /= shares.sum()
    variance = s[:, None] ** 2 + tau[:, None, None] ** 2 / precision
    height = shares / np.sqrt(variance)
    likelihood = np.zeros((mu.size, tau.size))
    for d in range(x.size):
        density = np.exp(-((x[d] - mu)[:, None, None] ** 2) / (2 * variance[:, d]))
        with np.errstate(divide="ignore"):
            likelihood += np.log((density * height[:, d]).sum(axis=2))
    logs = likelihood + np.log(np.cosh(place))[:, None] + np.log(tau)
    return mu, tau, np.exp(logs - logsumexp(logs))


def _quantiles(points: Floats, weights: Floats, *levels: float) -> list[float]:
    middles = np.cumsum(weights) - weights / 2
    return [float(np.interp(level, middles, points)) for level in levels]
