"""A_m: agreement of annotators who may assign several categories to an item.

Two annotators agree on a pair of categories if they make the same decision on both categories.
Observed agreement is the share of (item, pair of categories, pair of annotators) on which they
agree. Expected agreement is the product of two annotators' shares of each combination of decisions
on a pair of categories, summed over combinations and averaged over pairs:

    P_ip    = agreeing pairs of annotators / pairs of annotators                  (Eq. 2)
    P_i     = mean of P_ip over pairs of categories                               (Eq. 3)
    P_o     = mean of P_i over items                                              (Eq. 4)
    P(p_g|u) = share of items to which u gives combination g on pair p             (Eq. 5)
    P(p_g)  = mean of P(p_g|u) P(p_g|v) over pairs of annotators u, v             (Eq. 6)
    P(p)    = sum of P(p_g) over combinations                                     (Eq. 7)
    P_e     = mean of P(p) over pairs of categories                               (Eq. 8)
    A_m     = (P_o - P_e) / (1 - P_e)                                             (Eq. 1)

The paper pools the combinations [0 1] and [1 0] in Eqs. 5 to 7, but not in Eq. 2, where they
disagree. Expected agreement is therefore too high: for independent annotators A_m is below 0. With
`combinations=4` both parts distinguish the four combinations.

I items, J annotators, C categories (elements of the sets), P = C (C - 1) / 2 pairs of them,
G = 3 or 4 combinations: [0 0], [0 1] (with [1 0] if G = 3), [1 0], [1 1].

Reference: Bhowmick, Mitra and Basu (2008), Coling workshop on human judgements in
computational linguistics, 58-65; equations as numbered there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from functools import cached_property, partial
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.agreement.forms.base import Floats, Form, Totals
from annobench.agreement.record import Coefficient, Example
from annobench.agreement.result import Agreement
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations

__all__ = [
    "METHOD",
    "PairedAgreement",
    "PairedForm",
    "from_membership",
    "membership_array",
    "paired_agreement",
]

METHOD: Final = Coefficient(
    name="paired_agreement",
    title="A_m",
    reference="Bhowmick, Mitra and Basu (2008), Eqs. 1 to 8",
    accepts=frozenset({"set"}),
    annotators="any",
    missing="Items that an annotator did not label are left out.",
    degenerate="Expected agreement is 1: on every pair of categories, each annotator always gives "
    "the same combination, [0 1] and [1 0] counting as one unless combinations is 4.",
    standard_error="Infinitesimal jackknife over items.",
    assumes="Chance: each annotator decides on two categories jointly and blindly, by their own "
    "shares of the combinations.",
    complete=True,
    variants={"set": ({"combinations": 3}, {"combinations": 4})},
    examples=(Example(scale="set", n_categories=4),),
)

#: What becomes of the combinations [0 0], [0 1], [1 0], [1 1] in expected agreement.
_POOLING: Final = {3: np.array([0, 1, 1, 2]), 4: np.array([0, 1, 2, 3])}


class PairedForm(Form):
    """A_m as a function of sums over items.

    Parameters
    ----------
    membership : ndarray of bool, shape (I, J, C)
        ``[i, j, c]``: annotator j put item i into category c.
    multiplicity : ndarray, shape (J,), or None
        Copies of each annotator; two copies of the same annotator are not a pair.
    combinations : {3, 4}
        Combinations that expected agreement distinguishes.
    """

    def __init__(
        self, membership: NDArray[np.bool_], multiplicity: Floats | None, combinations: int
    ) -> None:
        n_annotators, n_categories = membership.shape[1:]
        self.category_pairs = np.column_stack(np.triu_indices(n_categories, k=1))
        first, second = self.category_pairs.T
        # [i, j, p] is 0, 1, 2, 3 for [0 0], [0 1], [1 0], [1 1].
        self._code = 2 * membership[:, :, first] + membership[:, :, second].astype(np.int64)
        self._pool = _POOLING[combinations]
        self._times = np.ones(n_annotators) if multiplicity is None else multiplicity
        self._shape = (n_annotators, first.size, int(self._pool[-1]) + 1)
        n_pairs = float(self._times.sum() ** 2 - (self._times**2).sum()) / 2
        #: Pairs of annotators; NaN where all are copies of one.
        self.n_pairs = n_pairs or math.nan

    @cached_property
    def item_pair_agreement(self) -> Floats:
        """P_ip (Eq. 2), shape (I, P)."""
        agreeing = np.zeros((self._code.shape[0], self._code.shape[2]))
        for combination in range(4):
            given = (self._code == combination) * self._times[:, None]
            agreeing += given.sum(axis=1) ** 2 - (given**2).sum(axis=1)
        return np.asarray(agreeing / 2 / self.n_pairs)

    @cached_property
    def item_disagreement(self) -> Floats:
        """One minus P_i (Eq. 3), shape (I,)."""
        return np.asarray(1 - self.item_pair_agreement.mean(axis=1))

    @cached_property
    def rows(self) -> Floats:
        """One, the disagreement, and the combinations given, shape (I, 2 + J P G).

        The combinations are scaled so that products of two annotators' shares are divided by the
        number of pairs of annotators.
        """
        scale = self._times / math.sqrt(self.n_pairs)
        pooled = self._pool[self._code][..., None] == np.arange(self._shape[2])
        given = (pooled * scale[:, None, None]).reshape(len(pooled), -1)
        return np.column_stack([np.ones(len(pooled)), self.item_disagreement, given])

    def shares(self, totals: Totals) -> Totals:
        """Return P(p_g|u) (Eq. 5).

        Parameters
        ----------
        totals : ndarray, shape (..., 2 + J P G)
            Sums of rows.

        Returns
        -------
        ndarray, shape (..., J, P, G)
            Each annotator's share of the items, times the copies of the annotator.
        """
        return self._scaled(totals) * math.sqrt(self.n_pairs)

    def combination_agreement(self, totals: Totals) -> Totals:
        """Return P(p_g) (Eq. 6).

        Parameters
        ----------
        totals : ndarray, shape (..., 2 + J P G)
            Sums of rows.

        Returns
        -------
        ndarray, shape (..., P, G)
            In [0, 1].
        """
        share = self._scaled(totals)
        # Over pairs u < v, the sum of x_u x_v is half of (sum of x)^2 minus the sum of x^2.
        return np.asarray((share.sum(axis=-3) ** 2 - (share**2).sum(axis=-3)) / 2)

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        observed = totals[..., 1] / totals[..., 0]
        return observed, 1 - self.combination_agreement(totals).sum(axis=-1).mean(axis=-1)

    def lowest(self, totals: Floats) -> float:
        # With four combinations, both disagreements are means over pairs of categories of those of
        # Conger's kappa.
        return -1.0 if self._shape[2] == 4 else -math.inf

    def _scaled(self, totals: Totals) -> Totals:
        share = totals[..., 2:] / totals[..., :1]
        return share.reshape(*totals.shape[:-1], *self._shape)


class PairedAgreement(Agreement):
    """A_m with all intermediate values, and the methods of `Agreement`.

    Attributes
    ----------
    method, annotations, make_form, refit, collapsible, analytic_limits
        As for `Agreement`; the annotations are those of items that every annotator labelled.
    """

    @property
    def _paired(self) -> PairedForm:
        assert isinstance(self.form, PairedForm)
        return self.form

    @property
    def category_pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of the two categories of each pair, P of them."""
        return tuple(itertools.combinations(self.annotations.elements, 2))

    @cached_property
    def item_pair_agreement(self) -> Floats:
        """P_ip (Eq. 2), shape (I, P), for the items that every annotator labelled."""
        return self._paired.item_pair_agreement

    @cached_property
    def item_agreement(self) -> Floats:
        """P_i (Eq. 3), shape (I,)."""
        return np.asarray(self.item_pair_agreement.mean(axis=1))

    @cached_property
    def combination_agreement(self) -> NDArray[Any]:
        """P(p_g) (Eq. 6), shape (P, G)."""
        return self._paired.combination_agreement(self.totals)

    @cached_property
    def pair_agreement(self) -> NDArray[Any]:
        """P(p) (Eq. 7), shape (P,)."""
        return np.asarray(self.combination_agreement.sum(axis=1))


def paired_agreement(
    annotations: Annotations, *, combinations: Literal[3, 4] = 3
) -> PairedAgreement:
    """Estimate A_m of Bhowmick, Mitra and Basu (2008).

    Parameters
    ----------
    annotations : Annotations
        Set-valued labels of at least two annotators, from at least two elements; items that
        some annotator did not label are left out.
    combinations : {3, 4}, default 3
        Combinations that expected agreement distinguishes: 3 as in the paper, which pools
        [0 1] and [1 0] there, 4 as in its observed agreement.

    Returns
    -------
    PairedAgreement
        The estimate, its standard error and intervals, and all intermediate values.

    Raises
    ------
    AnnotationError
        If the labels are not sets, there are fewer than two annotators or elements, an
        annotator labelled an item twice, no item has labels of all annotators, or
        `combinations` is neither 3 nor 4.

    Warns
    -----
    DegenerateWarning
        If expected agreement is 1; the estimate is then NaN. With 3 combinations this can happen
        even if labels differ: if there are two elements and each label has one.

    Notes
    -----
    Time and memory grow with I J C^2.

    References
    ----------
    Bhowmick, Mitra and Basu (2008), Eqs. 1 to 8.

    Examples
    --------
    Two annotators, two categories, one of four items labelled unlike: P_o = 3/4. Each gives
    [0 0] to a half or a quarter of the items, and [1 1] to a half: P_e = 1/8 + 1/4.

    >>> first = [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> second = [[0, 0], [0, 1], [1, 1], [1, 1]]
    >>> result = paired_agreement(from_membership(np.stack([first, second], axis=1)))
    >>> result.observed_agreement, result.expected_agreement
    (0.75, 0.375)
    >>> round(result.estimate, 12)
    0.6
    """
    if combinations not in _POOLING:
        raise AnnotationError(
            f"paired_agreement: combinations must be 3 or 4, got {combinations!r}. Use 3 for the "
            "measure as published, 4 for the same chance model in both parts."
        )
    kept = METHOD.check(annotations)
    if len(kept.elements) < 2:
        raise AnnotationError(
            f"paired_agreement: the sets are of {len(kept.elements)} element(s), but pairs of "
            "categories need two. Name all elements when building the annotations."
        )

    def make_form(given: Annotations, multiplicity: Floats | None) -> PairedForm:
        return PairedForm(membership_array(given)[0], multiplicity, combinations)

    refit = partial(paired_agreement, combinations=combinations)
    return PairedAgreement.of(METHOD, kept, make_form, refit, collapsible=False)


def membership_array(annotations: Annotations) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Lay out set-valued labels as one array.

    Parameters
    ----------
    annotations : Annotations
        Set-valued labels, at most one of an annotator for an item.

    Returns
    -------
    tuple of ndarray of bool
        Of shape (I, J, C), ``[i, j, c]``: annotator j put item i into category c; and of
        shape (I, J): annotator j labelled item i at all.

    Raises
    ------
    AnnotationError
        If the labels are not sets, or an annotator labelled an item twice.
    """
    if annotations.scale != "set":
        raise AnnotationError(
            f"membership_array: the labels are {annotations.scale}, but must be sets. "
            "Build them with Annotations.from_sets."
        )
    shape = (annotations.n_items, annotations.n_annotators)
    given = np.zeros(shape, dtype=bool)
    given[annotations.item, annotations.annotator] = True
    if given.sum() < annotations.n_labels:
        raise AnnotationError(
            "membership_array: an annotator labelled an item twice. Keep one label of each."
        )
    membership = np.zeros((*shape, len(annotations.elements)), dtype=bool)
    membership[annotations.item, annotations.annotator] = annotations.membership[annotations.label]
    return membership, given


def from_membership(
    membership: ArrayLike,
    *,
    annotators: Iterable[object] | None = None,
    elements: Iterable[object] | None = None,
) -> Annotations:
    """Build set-valued annotations from an array, the reverse of `membership_array`.

    Parameters
    ----------
    membership : array_like of bool, shape (I, J, C)
        ``[i, j, c]``: annotator j put item i into category c. Every annotator labels every
        item.
    annotators, elements : iterable, optional
        Names of the annotators and of the categories; by default "0", "1", ....

    Returns
    -------
    Annotations
        Set-valued labels, with items named by their position.

    Raises
    ------
    AnnotationError
        If the array has another shape, or contains values other than 0 and 1.

    Examples
    --------
    >>> from_membership([[[1, 0], [1, 1]]], elements=["joy", "fear"]).categories
    ('{joy}', '{joy, fear}')
    """
    array = np.asarray(membership)
    if array.ndim != 3 or not np.isin(array, (0, 1)).all():
        raise AnnotationError(
            f"from_membership: the array of shape {array.shape} must have the shape (items, "
            "annotators, categories) and contain only 0 and 1. Code for each category whether the "
            "annotator chose it."
        )
    n_items, n_annotators, n_elements = array.shape
    people = list(map(str, range(n_annotators) if annotators is None else annotators))
    names = np.array(list(map(str, range(n_elements) if elements is None else elements)))
    item, annotator = (index.ravel() for index in np.indices((n_items, n_annotators)))
    # Few sets differ, so each is named once.
    rows = array.reshape(-1, n_elements).astype(bool)
    distinct, code = np.unique(rows, axis=0, return_inverse=True)
    sets = [tuple(names[chosen]) for chosen in distinct]
    return Annotations.from_sets(
        item,
        [people[j] for j in annotator],
        [sets[k] for k in code.ravel()],
        items=range(n_items),
        annotators=people,
        elements=names,
    )
