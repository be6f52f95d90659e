"""Weighted majority vote that keeps ties, with given or estimated weights.

Each label is a vote of its annotator's weight for its category. If annotator j is right with
probability a_j, errs evenly among the K - 1 wrong labels, and all categories are equally probable,
then the optimal weights are the log odds ::

    w_j = log(a_j (K - 1) / (1 - a_j))

and the item's probabilities are proportional to the exponentials of its categories' votes. An
annotator who guesses has weight 0, and one who is worse a negative weight.

Accuracies are estimated by agreement with the winners of the unweighted vote, after adding one
right and K - 1 wrong labels to each annotator, so that an annotator without labels has weight 0; a
label that ties with t - 1 others counts 1/t. Accuracies and winners of the weighted vote are
updated alternately until the winners no longer change. Agreement with the majority overestimates
accuracy, because the majority includes the annotator's own vote, the more so the fewer labels an
item has. Models that use the probabilities of all categories, such as `one_coin`, do not have this
bias.

Nitzan and Paroush (1982), International Economic Review 23, 289-297 (the weights, two
categories); Berend and Kontorovich (2015), Journal of Machine Learning Research 16 (estimated).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import voting
from annobench.models._passes import PartitionedFit, Passing
from annobench.models._votes import Floats, Votes, check_search, normalised
from annobench.models.base import Conventions, Fit, Method, best_categories, warned_of
from annobench.scale._blocks import BlockedLabels

__all__ = ["METHOD", "WeightedVotingFit", "fit", "fit_partitions"]

METHOD = Method(
    name="weighted_voting",
    title="weighted vote",
    reference="Nitzan and Paroush (1982), theorem 1; estimated as in Berend and Kontorovich (2015)",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {"weights", "accuracy", "votes", "winners", "is_tie", "n_iterations", "converged"}
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a vote of its own",
        ties="shared; winners that tie count 1/t each when accuracies are estimated",
        smoothing="one right and K - 1 wrong labels added per annotator",
        start="winners of the unweighted vote",
        optimum="winners that no longer change, or `max_iterations`",
    ),
    compares=True,
    offers=frozenset({"fit_partitions"}),
    unchanged_by=frozenset({"separate blocks"}),
)


@dataclass(frozen=True, eq=False)
class WeightedVotingFit(Fit):
    """The weighted votes of each item.

    Attributes
    ----------
    posterior : ndarray of float, shape (I, K)
        Normalised exponentials of the votes; 1/K each for an item without labels.
    weights : ndarray of float, shape (J,)
        Weight of each annotator's votes, log odds of accuracy if estimated.
    accuracy : ndarray of float, shape (J,)
        The accuracies of which the weights are the log odds, in [0, 1].
    votes : ndarray of float, shape (I, K)
        Sums of the weights.
    winners : ndarray of bool, shape (I, K)
        The categories with the most votes.
    is_tie : ndarray of bool, shape (I,)
        Whether more than one category won; an item without labels is a tie of all.
    n_iterations : int
        Rounds of voting with estimated weights; 0 if the weights were given.
    converged : bool
        Whether the winners were unchanged in the last round; True if weights were given.
    """

    weights: Floats
    accuracy: Floats
    votes: Floats
    winners: NDArray[np.bool_]
    is_tie: NDArray[np.bool_]
    n_iterations: int
    converged: bool


def fit(
    annotations: Annotations, *, weights: ArrayLike | None = None, max_iterations: int = 100
) -> WeightedVotingFit:
    """Count weighted votes.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories; repeated labels are further votes.
    weights : array_like, shape (J,), optional
        Fixed weights; by default they are estimated.
    max_iterations : int, default 100
        Rounds of estimation, at least 1; the first uses agreement with the unweighted vote. Fewer
        than in other models, as the winners converge or cycle after a few rounds.

    Returns
    -------
    WeightedVotingFit
        Posterior, weights, votes, winners and ties.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, the weights are not one finite
        number for each annotator, or none are given and no item has labels of two annotators.
    ValueError
        If `max_iterations` is below 1.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.

    Notes
    -----
    Estimation may cycle, and then has not converged. A round costs two additions per label.

    References
    ----------
    Nitzan and Paroush (1982), theorem 1.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxx"), list("abc"), list("110"))
    >>> fit(a, weights=[1, 1, 2]).is_tie  # 1 + 1 for "1" and 2 for "0"
    array([ True])
    """
    annotations = METHOD.check(annotations, informed=weights is not None)
    check_search(METHOD.name, 0, max_iterations)
    if max_iterations < 1:
        raise ValueError(
            f"weighted_voting.fit: max_iterations must be at least 1, got {max_iterations}."
        )
    counted = Votes(annotations)
    if weights is not None:
        stated = _checked(weights, annotations)
        votes, winners = counted.weighted(stated)
        return _as_fit(
            annotations, annotations.items, stated, votes, winners, n_iterations=0, converged=True
        )
    winners = voting.fit(annotations).winners
    converged, n_iterations = False, 0
    while n_iterations < max_iterations and not converged:
        before = winners
        estimated = _log_odds(counted.agreeing(winners), counted.n_given, winners.shape[1])
        votes, winners = counted.weighted(estimated)
        converged = bool((winners == before).all())
        n_iterations += 1
    fitted = _as_fit(
        annotations, annotations.items, estimated, votes, winners, n_iterations, converged
    )
    return warned_of(METHOD.name, fitted)


class _Parameters(NamedTuple):
    """Weights of the last round, and of the round before it, shape (J,)."""

    weights: Floats
    before: Floats


class _Sums(NamedTuple):
    """Numbers of agreeing labels and of all labels by annotator, and of items with new winners."""

    agreeing: Floats
    given: Floats
    changed: int


@dataclass(frozen=True)
class _Passes:
    def begin(self, votes: Votes, number: int) -> _Sums:
        winners = best_categories(votes.annotations.counts.astype(np.float64))
        return _Sums(votes.agreeing(winners), votes.n_given, 0)

    def sweep(self, votes: Votes, theta: _Parameters, number: int) -> tuple[_Sums, Floats]:
        before = votes.weighted(theta.before)[1]
        counted, winners = votes.weighted(theta.weights)
        changed = int((winners != before).any(axis=1).sum())
        sums = _Sums(votes.agreeing(winners), votes.n_given, changed)
        return sums, normalised(counted)[0]


def fit_partitions(passing: Passing, *, max_iterations: int = 100) -> PartitionedFit:
    """Estimate weights from partitions, as `fit` does from labels in memory.

    Parameters
    ----------
    passing : Passing
        The labels, and the workers that process them.
    max_iterations : int, default 100
        As for `fit`.

    Returns
    -------
    PartitionedFit
        Without items.

    Notes
    -----
    A pass counts the votes twice, with the current and the previous weights, so that nothing is
    stored per item.
    """
    labels = passing.labels
    METHOD.check(labels)
    check_search(METHOD.name, 0, max_iterations)
    passes, k = _Passes(), labels.n_categories
    total = passing.begin(passes)
    weights, n_iterations, converged = np.ones_like(total.given), 0, False
    while n_iterations < max_iterations and not converged:
        theta = _Parameters(_log_odds(total.agreeing, total.given, k), weights)
        total, weights = passing.sweep(passes, theta), theta.weights
        converged = total.changed == 0
        n_iterations += 1
        passing.say(f"round {n_iterations}: {total.changed:,} items with new winners")
    nobody = np.zeros((0, k))
    fitted = _as_fit(labels, (), weights, nobody, nobody.astype(bool), n_iterations, converged)
    return PartitionedFit(warned_of(METHOD.name, fitted), passes, theta)


def _checked(weights: ArrayLike, annotations: Annotations) -> Floats:
    stated = np.asarray(weights, dtype=np.float64)
    if stated.shape != (annotations.n_annotators,) or not np.isfinite(stated).all():
        raise AnnotationError(
            f"weighted_voting: weights must be {annotations.n_annotators} finite numbers, one for "
            f"each annotator, got {stated.tolist()}. Give weight 0 to an annotator who should be "
            "ignored."
        )
    return stated


def _log_odds(right: Floats, given: Floats, n_categories: int) -> Floats:
    """Estimate weights from numbers of agreeing labels and of all labels, shape (J,)."""
    k, wrong = n_categories, given - right
    if k == 1:
        return np.zeros(right.shape)
    return np.asarray(np.log((right + 1) * (k - 1) / (wrong + k - 1)))


def _as_fit(
    annotations: Annotations | BlockedLabels,
    items: tuple[str, ...],
    weights: Floats,
    votes: Floats,
    winners: NDArray[np.bool_],
    n_iterations: int,
    converged: bool,
) -> WeightedVotingFit:
    posterior, _ = normalised(votes)
    odds = np.exp(np.minimum(weights, 700.0)) / max(annotations.n_categories - 1, 1)
    certain = annotations.n_categories == 1
    return WeightedVotingFit(
        items,
        annotations.annotators,
        annotations.categories,
        posterior=posterior,
        weights=weights,
        accuracy=np.ones_like(odds) if certain else odds / (1 + odds),
        votes=votes,
        winners=winners,
        is_tie=winners.sum(axis=1) > 1,
        n_iterations=n_iterations,
        converged=converged,
    )
