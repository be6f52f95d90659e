"""PM, or CRH for categories: categories and weights that minimise weighted disagreement.

Let d_j be the distance of annotator j from the winners: the share of the annotator's labels that
differ from the winner. Weights and winners are updated in turn::

    w_j = -log(d_j / max over annotators of d)
    the category of an item is the one whose labels have the most weight

from the winners of the unweighted vote until the winners no longer change. The annotator with the
largest distance has weight 0. A label that ties with t - 1 others counts 1 - 1/t.

The framework minimises the sum of w_j d_j over weights and winners. If distances are divided by
their sum instead of their maximum, and d_j is the number of labels instead of the share, the two
steps minimise this objective alternately under the constraint that the exp(-w_j) sum to 1 (theorems
1 and 2), and it never increases (theorem 6). In practice the authors use the maximum, and propose
shares if annotators label different numbers of items. The survey of Zheng et al. (2017), where the
method is called PM, uses the maximum and the number of labels, so that of two annotators with equal
error rates the one with more labels has the smaller weight.

Li, Li, Gao, Zhao, Fan and Han (2014), Resolving conflicts in heterogeneous data by truth discovery
and source reliability estimation, SIGMOD, 1187-1198, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations
from annobench.models._votes import Floats, Votes, check_search, shares_of
from annobench.models.base import Conventions, Fit, Method, best_categories, warned_of

__all__ = ["METHOD", "Distance", "PmFit", "Reference", "fit"]

METHOD = Method(
    name="pm",
    title="PM",
    reference="Li, Li, Gao, Zhao, Fan and Han (2014), section 2; PM of Zheng et al. (2017)",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset({"weights", "n_iterations", "converged"}),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="shared; winners that tie count 1/t each in the distances",
        smoothing="none; a distance counts as 1e-7 of the largest at least",
        start="winners of the unweighted vote",
        optimum="winners that no longer change, or 100 rounds",
    ),
    compares=True,
    unchanged_by=frozenset({"repeated labels", "repeated items", "idle category"}),
)

Distance = Literal["share", "number"]
Reference = Literal["maximum", "sum"]

#: The smallest distance, as a share of the largest or of their sum, as in Zheng et al. (2017).
LEAST = 1e-7


@dataclass(frozen=True, eq=False)
class PmFit(Fit):
    """Votes weighted by distance from their winners.

    Attributes
    ----------
    posterior : ndarray of float, shape (I, K)
        Shares of the weighted votes, or of the unweighted ones if all weights are 0; 1/K each for
        an item without labels.
    weights : ndarray of float, shape (J,)
        Between 0 and 16.1 = -log(1e-7); NaN for an annotator without labels.
    n_iterations : int
        Rounds of weights and winners.
    converged : bool
        Whether the winners were unchanged in the last round.
    """

    weights: Floats
    n_iterations: int
    converged: bool


def fit(
    annotations: Annotations,
    *,
    distance: Distance = "share",
    relative_to: Reference = "maximum",
    max_iterations: int = 100,
) -> PmFit:
    """Alternate between weights by distance from the winners and weighted voting.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories; repeated labels are further labels.
    distance : {"share", "number"}, default "share"
        Whether an annotator's distance is the share or the number of labels that differ.
    relative_to : {"maximum", "sum"}, default "maximum"
        Divisor of the distances: their maximum or their sum.
    max_iterations : int, default 100
        Rounds, at least 0. Fewer than in other models, as the winners converge or cycle after a few
        rounds.

    Returns
    -------
    PmFit
        Shares of the weighted votes, weights, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, or no item has labels of two
        annotators.
    ValueError
        If an option is invalid.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.

    Notes
    -----
    If all annotators agree on everything, all weights are 0, and the votes are unweighted. A round
    costs three additions per label.

    References
    ----------
    Li, Li, Gao, Zhao, Fan and Han (2014), section 2, theorems 1, 2 and 6.

    Examples
    --------
    >>> rows = ["1111", "1110", "0001", "0110"]  # the last is a tie at first
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> found = fit(Annotations.from_arrays(*zip(*labels)))
    >>> found.weights.round(3), found.posterior[3].round(3)
    (array([ 1.099, 16.118, 16.118,  0.   ]), array([0.033, 0.967]))
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, 0, max_iterations)
    for name, word, known in (
        ("distance", distance, Distance),
        ("relative_to", relative_to, Reference),
    ):
        if word not in get_args(known):
            raise ValueError(
                f"pm.fit: {name} must be one of {', '.join(get_args(known))}, got {word!r}."
            )
    counted = Votes(annotations)
    weights = np.where(counted.n_given > 0, 0.0, np.nan)
    votes, winners = _count(counted, weights)
    converged, n_iterations = False, 0
    while n_iterations < max_iterations and not converged:
        before = winners
        weights = _weights(counted, winners, distance, relative_to)
        votes, winners = _count(counted, weights)
        converged = np.array_equal(winners, before)
        n_iterations += 1
    fitted = PmFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=shares_of(votes),
        weights=weights,
        n_iterations=n_iterations,
        converged=converged,
    )
    return warned_of(METHOD.name, fitted)


def _weights(
    counted: Votes, winners: NDArray[np.bool_], distance: Distance, relative_to: Reference
) -> Floats:
    """Return minus the logs of relative distances, NaN for an annotator without labels."""
    off = np.maximum(1 - counted.agreement(winners), 0)
    if distance == "number":
        off = off * counted.n_given
    reference = np.nanmax(off) if relative_to == "maximum" else np.nansum(off)
    if reference == 0:
        return np.where(np.isnan(off), np.nan, 0.0)
    return np.asarray(np.abs(np.log(np.maximum(off / reference, LEAST))))


def _count(counted: Votes, weights: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Count weighted votes, and unweighted ones on items whose labels all have weight 0."""
    votes, winners = counted.weighted(weights)
    weightless = votes.sum(axis=1) == 0
    if weightless.any():
        counts = counted.annotations.counts[weightless].astype(np.float64)
        votes[weightless], winners[weightless] = counts, best_categories(counts)
    return votes, winners
