"""CATD: votes weighted by an upper confidence limit of each annotator's error variance.

Assume that an annotator's errors are normally distributed with mean 0 and an individual variance,
and let e_j be the sum of the squared errors of n_j labels. The upper confidence limit of the
variance is e_j divided by a low quantile of the chi-squared distribution with n_j degrees of
freedom, and the weight is its inverse::

    w_j = chi2_quantile(alpha / 2, n_j) / e_j
    the category of an item is the one whose labels have the most weight

For many labels the quantile is near n_j, and the weight near the inverse of the error rate. For few
labels the quantile is far smaller, .001 for one and 3.2 for ten, so annotators with few labels have
small weights. For categories an error is a label other than the winner, and a label that ties with
t - 1 others counts as 1 - 1/t of an error. Winners and weights are updated in turn, from the
winners of the unweighted vote until they no longer change.

The paper divides the weights by their sum, which changes nothing. Without errors the weight would
be infinite; as in the survey of Zheng et al. (2017) 1e-9 is added to e_j, so that an annotator
without errors outweighs all others, however few labels there are. The survey takes quantiles from a
table with two decimals up to 30 labels, and uses Fisher's approximation above.

Li, Li, Gao, Su, Zhao, Demirbas, Fan and Han (2014), A confidence-aware approach for truth discovery
on long-tail data, Proceedings of the VLDB Endowment 8(4), 425-436, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri

from annobench.core.errors import check_level
from annobench.labels.annotations import Annotations
from annobench.models import voting
from annobench.models._votes import Floats, Votes, check_search, shares_of
from annobench.models.base import Conventions, Fit, Method, warned_of

__all__ = ["METHOD", "CatdFit", "fit"]

METHOD = Method(
    name="catd",
    title="CATD",
    reference="Li, Li, Gao, Su, Zhao, Demirbas, Fan and Han (2014), section 3",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset({"weights", "n_iterations", "converged"}),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="shared; winners that tie count 1/t each in the errors",
        smoothing="none; 1e-9 added to an annotator's errors",
        start="winners of the unweighted vote",
        optimum="winners that no longer change, or 100 rounds",
    ),
    compares=True,
    unchanged_by=frozenset({"idle category", "separate blocks"}),
)

#: Added to an annotator's errors, as in Zheng et al. (2017).
EPSILON = 1e-9


@dataclass(frozen=True, eq=False)
class CatdFit(Fit):
    """Votes weighted by a lower confidence limit of precision.

    Attributes
    ----------
    posterior : ndarray of float, shape (I, K)
        Shares of the weighted votes; 1/K each for an item without labels.
    weights : ndarray of float, shape (J,)
        Above 0, up to 1e9 n_j for an annotator without errors; NaN for one without labels.
    n_iterations : int
        Rounds of weights and winners.
    converged : bool
        Whether the winners were unchanged in the last round.
    """

    weights: Floats
    n_iterations: int
    converged: bool


def fit(annotations: Annotations, *, level: float = 0.95, max_iterations: int = 100) -> CatdFit:
    """Alternate between weighting annotators by their errors and weighted voting.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories; repeated labels are further labels.
    level : float, default 0.95
        Level of the interval, 1 - alpha, in (0, 1).
    max_iterations : int, default 100
        Rounds, at least 0. Fewer than in other models, as the winners converge or cycle after a few
        rounds.

    Returns
    -------
    CatdFit
        Shares of the weighted votes, weights, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, no item has labels of two annotators, or
        the level is out of range.
    ValueError
        If `max_iterations` is below 0.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.

    Notes
    -----
    A round costs three additions per label.

    References
    ----------
    Li, Li, Gao, Su, Zhao, Demirbas, Fan and Han (2014), section 3.

    Examples
    --------
    >>> rows = ["111", "011", "101", "110", "11-", "00-", "11-", "00-"]  # each is off once
    >>> labels = [(i, j, l) for i, row in enumerate(rows) for j, l in enumerate(row) if l != "-"]
    >>> fit(Annotations.from_arrays(*zip(*labels))).weights.round(3)  # of eight labels, or four
    array([2.18 , 2.18 , 0.484])
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, 0, max_iterations)
    check_level(level, "catd.fit")
    counted = Votes(annotations)
    # The inverse of the upper tail; NaN without labels.
    quantile = chdtri(counted.n_given, (1 + level) / 2)
    weights = np.where(counted.n_given > 0, 1.0, np.nan)
    winners = voting.fit(annotations).winners
    votes = annotations.counts.astype(np.float64)
    converged, n_iterations = False, 0
    while n_iterations < max_iterations and not converged:
        before = winners
        errors = np.maximum(counted.n_given - counted.agreeing(winners), 0)
        weights = quantile / (errors + EPSILON)
        votes, winners = counted.weighted(weights)
        converged = np.array_equal(winners, before)
        n_iterations += 1
    fitted = CatdFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=shares_of(votes),
        weights=weights,
        n_iterations=n_iterations,
        converged=converged,
    )
    return warned_of(METHOD.name, fitted)
