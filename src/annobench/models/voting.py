"""Majority vote that keeps ties.

The probability of a category is its share of the item's labels. Annotators have equal weights, and
ties are not broken, so that scores can count them as one half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations
from annobench.models._passes import PartitionedFit, Passing
from annobench.models._votes import Votes
from annobench.models.base import CHANGES, Conventions, Fit, Method, best_categories

__all__ = ["METHOD", "VotingFit", "fit", "fit_partitions"]

METHOD = Method(
    name="voting",
    title="majority vote",
    reference="Snow et al. (2008), section 4; ties as in Carpenter (2008), section 4",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset({"prevalence", "winners", "is_tie"}),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a vote of its own",
        ties="shared: each best category has its share of the votes",
        smoothing="none",
        start="no search",
        optimum="vote shares",
    ),
    offers=frozenset({"fit_partitions"}),
    unchanged_by=frozenset(CHANGES),
)


@dataclass(frozen=True, eq=False)
class VotingFit(Fit):
    """The votes of each item.

    Attributes
    ----------
    posterior : ndarray of float, shape (I, K)
        Shares of the votes; 1/K each for an item without labels.
    prevalence : ndarray of float, shape (K,)
        Mean of the shares over items with labels.
    winners : ndarray of bool, shape (I, K)
        The categories with the most votes.
    is_tie : ndarray of bool, shape (I,)
        Whether more than one category won; an item without labels is a tie of all.
    """

    _premise: ClassVar[str] = "a category is as probable as its share of the votes"

    prevalence: NDArray[np.float64]
    winners: NDArray[np.bool_]
    is_tie: NDArray[np.bool_]


def fit(annotations: Annotations) -> VotingFit:
    """Count the votes of every item.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories; repeated labels are further votes.

    Returns
    -------
    VotingFit
        Vote shares, winners and ties.

    Raises
    ------
    AnnotationError
        If there are no labels, or they are on the interval scale.

    Notes
    -----
    The shares of an item without labels are 1/K, and it counts as a tie. The cost is linear in the
    number of labels.

    References
    ----------
    Snow, O'Connor, Jurafsky and Ng (2008), section 4.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxyy"), list("abab"), list("1101"))
    >>> fit(a).posterior[:, 1]
    array([1. , 0.5])
    """
    annotations = METHOD.check(annotations)
    votes = Votes(annotations)
    shares = votes.shares
    winners = best_categories(annotations.counts.astype(np.float64))
    return VotingFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=shares,
        prevalence=shares[votes.labelled].mean(axis=0),
        winners=winners,
        is_tie=winners.sum(axis=1) > 1,
    )


class _Sums(NamedTuple):
    shares: NDArray[np.float64]
    n_labelled: int


@dataclass(frozen=True)
class _Passes:
    def begin(self, votes: Votes, number: int) -> _Sums:
        shares = votes.shares[votes.labelled]
        return _Sums(shares.sum(axis=0), len(shares))

    def sweep(
        self, votes: Votes, theta: tuple[()], number: int
    ) -> tuple[_Sums, NDArray[np.float64]]:
        return self.begin(votes, number), votes.shares


def fit_partitions(passing: Passing) -> PartitionedFit:
    """Count the votes of every item in partitions, as `fit` does in memory.

    Parameters
    ----------
    passing : Passing
        The labels, and the workers that process them.

    Returns
    -------
    PartitionedFit
        Without items.
    """
    labels = passing.labels
    METHOD.check(labels)
    total = passing.begin(_Passes())
    nobody = np.zeros((0, labels.n_categories))
    found = VotingFit(
        (),
        labels.annotators,
        labels.categories,
        posterior=nobody,
        prevalence=total.shares / total.n_labelled,
        winners=nobody.astype(bool),
        is_tie=np.zeros(0, dtype=bool),
    )
    return PartitionedFit(found, _Passes(), ())
