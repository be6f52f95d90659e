"""Wawa, worker agreement with aggregate: a vote weighted by agreement with the majority.

After a majority vote, an annotator's accuracy is the share of the annotator's labels that agree
with the winner; a label that ties with t - 1 others counts 1/t. In a second vote labels are
weighted by these accuracies; the probabilities are the shares of the weights. There is no further
iteration.

The weights are between 0 and 1, although log odds would be optimal
(`annobench.models.weighted_voting`): three annotators with accuracy .6 outvote one who is always
right, and no label counts against its category.

Ustalov, Pavlichenko and Tseitlin (2024), Journal of Open Source Software 9(96), 6227: crowd-kit,
which breaks ties by the order of rows and of the categories' names, and counts an annotator's exact
repeats as one label in agreement.
"""

from __future__ import annotations

from dataclasses import dataclass

from annobench.labels.annotations import Annotations
from annobench.models import voting
from annobench.models._votes import Floats, Votes, shares_of
from annobench.models.base import CHANGES, Conventions, Fit, Method

__all__ = ["METHOD", "WawaFit", "fit"]

METHOD = Method(
    name="wawa",
    title="Wawa",
    reference="Ustalov, Pavlichenko and Tseitlin (2024), JOSS 9(96), 6227: Wawa of crowd-kit",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset({"accuracy"}),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a vote of its own",
        ties="shared; winners that tie count 1/t each when agreement is counted",
        smoothing="none",
        start="no search",
        optimum="shares of a vote weighted by agreement with the unweighted one",
    ),
    compares=True,
    unchanged_by=frozenset(CHANGES),
)


@dataclass(frozen=True, eq=False)
class WawaFit(Fit):
    """Votes weighted by agreement.

    Attributes
    ----------
    posterior : ndarray of float, shape (I, K)
        Shares of the weighted votes; 1/K each for an item without labels.
    accuracy : ndarray of float, shape (J,)
        Share of an annotator's labels that agree with the winner of the unweighted vote, in [0, 1],
        and the weight of the annotator's labels; NaN for an annotator without labels.
    """

    accuracy: Floats


def fit(annotations: Annotations) -> WawaFit:
    """Vote, and vote again with weights by agreement with the first vote.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories; repeated labels are further votes.

    Returns
    -------
    WawaFit
        Shares of the weighted votes, and the agreement of annotators.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, or no item has labels of two
        annotators.

    Notes
    -----
    An item's winner agrees with at least one annotator, whose weight is above 0, so every item with
    labels has votes. The cost is four additions per label.

    References
    ----------
    Ustalov, Pavlichenko and Tseitlin (2024), Journal of Open Source Software 9(96), 6227.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxxyyy"), list("abcabc"), list("110100"))
    >>> fit(a).accuracy  # "1" wins on x, "0" on y
    array([0.5, 1. , 0.5])
    >>> fit(a).posterior[:, 1]  # 0.5 + 1 of 2, and 0.5 of 2
    array([0.75, 0.25])
    """
    annotations = METHOD.check(annotations)
    counted = Votes(annotations)
    accuracy = counted.agreement(voting.fit(annotations).winners)
    votes, _ = counted.weighted(accuracy)
    return WawaFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=shares_of(votes),
        accuracy=accuracy,
    )
