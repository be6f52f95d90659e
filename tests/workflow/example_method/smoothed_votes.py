"""Vote shares with one vote for every category to begin with.

Laplace's rule of succession: an item with n labels, of which n_k name category k, gets
the posterior (n_k + 1) / (n + K). Nothing is known of the annotators.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations
from annobench.models.base import Conventions, Fit, Method

METHOD = Method(
    name="smoothed_votes",
    reference="Laplace (1774), rule of succession",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset({"prevalence"}),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a vote of its own",
        ties="shared equally",
        smoothing="one vote added for every category",
        start="no search",
        optimum="a closed form",
    ),
    unchanged_by=frozenset({"repeated items", "separate blocks"}),
)


@dataclass(frozen=True, eq=False)
class SmoothedVotesFit(Fit):
    """The smoothed votes of each item.

    Attributes
    ----------
    posterior : ndarray of float, shape (I, K)
        Smoothed shares of the votes; rows sum to 1.
    prevalence : ndarray of float, shape (K,)
        Mean of the shares over all items.
    """

    prevalence: NDArray[np.float64]


def fit(annotations: Annotations) -> SmoothedVotesFit:
    """Count the votes of every item, from one for each category.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.

    Returns
    -------
    SmoothedVotesFit
        Smoothed shares; 1/K everywhere for an item without labels.

    Raises
    ------
    AnnotationError
        If there are no labels, or they are on the interval scale.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xx"), list("ab"), list("11"), categories=list("01"))
    >>> fit(a).posterior  # (0 + 1) / (2 + 2) and (2 + 1) / (2 + 2)
    array([[0.25, 0.75]])
    """
    annotations = METHOD.check(annotations)
    counts = annotations.counts + 1
    posterior = counts / counts.sum(axis=1, keepdims=True)
    return SmoothedVotesFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=posterior,
        prevalence=posterior.mean(axis=0),
    )
