"""A gold standard by majority, ties decided by how often annotators went with the majority.

Every category of every item is a vote of yes or no. The majority decides. Each annotator has
an expert index xi, the number of votes so far in which the annotator was of the majority. A
tie goes to yes if the annotators who said yes have the larger sum of xi, else to no. Items
are taken in the order given, so another order can decide ties otherwise.

The paper's Algorithm 1 leaves xi as it is after a tie; its text can be read as raising the xi
of those whom the decision of a tie proves right. `count_ties` chooses the second reading.

Reference: Bhowmick, Mitra and Basu (2008), section 4 and Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.agreement.coefficients.paired_agreement import membership_array
from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations


@dataclass(frozen=True, eq=False)
class ExpertGold(Summarised):
    """A gold standard of set-valued labels, and how it came about.

    T is the number of ties.

    Attributes
    ----------
    gold : ndarray of bool, shape (I, C)
        Whether the item is put into the category.
    expert_index : ndarray of int, shape (J,)
        Final xi of each annotator.
    tied : ndarray of bool, shape (I, C)
        Votes that were tied.
    tie_item, tie_category : ndarray of int, shape (T,)
        Item and category of each tie, in the order met.
    tie_for, tie_against : ndarray of int, shape (T,)
        Sums of xi of the annotators who said yes and of those who said no.
    """

    gold: NDArray[np.bool_]
    expert_index: NDArray[np.int64]
    tied: NDArray[np.bool_]
    tie_item: NDArray[np.int64]
    tie_category: NDArray[np.int64]
    tie_for: NDArray[np.int64]
    tie_against: NDArray[np.int64]

    @property
    def n_ties(self) -> int:
        """The number of ties T."""
        return int(self.tie_item.size)

    @property
    def n_unresolved(self) -> int:
        """The number of ties that xi leaves tied; they go to no."""
        return int((self.tie_for == self.tie_against).sum())

    def summary(self) -> pd.DataFrame:
        """Return the expert index.

        Returns
        -------
        DataFrame
            A row for each annotator: expert_index; index annotator, its code.
        """
        index = pd.RangeIndex(self.expert_index.size, name="annotator")
        return pd.DataFrame({"expert_index": self.expert_index}, index)

    def _headline(self) -> str:
        items, categories = self.gold.shape
        return (
            f"{items:,} items, {categories} categories, {self.n_ties:,} ties, "
            f"{self.n_unresolved:,} of them unresolved"
        )


def expert_gold(
    annotations: Annotations, *, order: ArrayLike | None = None, count_ties: bool = False
) -> ExpertGold:
    """Decide a gold standard by Algorithm 1 of Bhowmick, Mitra and Basu (2008).

    Parameters
    ----------
    annotations : Annotations
        Set-valued labels; who did not label an item has no vote on it.
    order : array_like of int, shape (I,), optional
        The codes of the items in the order to take them; by default that of the annotations.
    count_ties : bool, default False
        Whether the decision of a tie raises the xi of those who voted that way.

    Returns
    -------
    ExpertGold
        Gold standard, final expert index, and every tie with its resolution.

    Raises
    ------
    AnnotationError
        If the labels are not sets, an annotator labelled an item twice, or `order` does not
        name every item once.

    Notes
    -----
    Within an item, categories are taken in the order of `annotations.elements`. With an odd
    number of annotators who label everything there is no tie, and xi decides nothing. An
    item without a label is tied at 0 and goes to no. Time grows with I J C.

    References
    ----------
    Bhowmick, Mitra and Basu (2008), Algorithm 1.

    Examples
    --------
    Four annotators; the first item is voted 3 : 1, the second is a tie between annotators
    who were right before (sum of xi 2) and one who was right and one who was wrong (1).

    >>> from annobench.agreement.coefficients.paired_agreement import from_membership
    >>> votes = [[[1], [1], [1], [0]], [[1], [1], [0], [0]]]
    >>> result = expert_gold(from_membership(votes))
    >>> result.gold.ravel().tolist(), result.expert_index.tolist(), result.n_ties
    ([True, True], [1, 1, 1, 0], 1)
    """
    annotations = as_annotations(annotations, "expert_gold")
    membership, given = membership_array(annotations)
    taken = _order(order, len(membership))
    membership, given = membership[taken], given[taken]
    # [n, j] is +1 for yes, -1 for no and 0 for no vote; n runs over categories within items.
    vote = np.where(membership, 1, -1) * given[:, :, None]
    vote = vote.transpose(0, 2, 1).reshape(-1, membership.shape[1]).astype(np.int64)
    balance = vote.sum(axis=1)
    with_majority = (vote * np.sign(balance)[:, None] > 0).astype(np.int64)
    ties = np.flatnonzero(balance == 0)
    index = np.cumsum(with_majority, axis=0)[ties]
    decided = balance > 0
    gained = np.zeros(vote.shape[1], dtype=np.int64)
    in_favour, against = (np.zeros(ties.size, dtype=np.int64) for _ in range(2))
    for t, n in enumerate(ties):
        expertise = index[t] + gained
        in_favour[t], against[t] = expertise[vote[n] > 0].sum(), expertise[vote[n] < 0].sum()
        decided[n] = in_favour[t] > against[t]
        if count_ties:
            gained += vote[n] == (1 if decided[n] else -1)
    gold, tied = (np.empty_like(membership[:, 0]) for _ in range(2))
    gold[taken] = decided.reshape(gold.shape)
    tied[taken] = (balance == 0).reshape(gold.shape)
    item, category = np.divmod(ties, max(gold.shape[1], 1))
    return ExpertGold(
        gold,
        with_majority.sum(axis=0) + gained,
        tied,
        taken[item],
        category,
        in_favour,
        against,
    )


def _order(order: ArrayLike | None, n_items: int) -> NDArray[np.int64]:
    taken = np.arange(n_items) if order is None else np.asarray(order)
    if not np.array_equal(np.sort(taken, axis=None), np.arange(n_items)):
        raise AnnotationError(
            f"expert_gold: order must name each of the {n_items} items once, by its code from 0 to "
            f"{n_items - 1}. Give a permutation, or leave it out."
        )
    return taken.astype(np.int64)
