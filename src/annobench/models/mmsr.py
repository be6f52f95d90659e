"""M-MSR: annotators' skills by robust rank-one completion of their agreement matrix.

Annotator j labels an item correctly with probability p_j and errs evenly among the K - 1 wrong
labels. With the skill ``s_j = (K p_j - 1) / (K - 1)``, 1 if always right and 0 for guessing, the
share A_jk of common items on which j and k agree has the expectation given by ::

    C_jk = (K A_jk - 1) / (K - 1),      E[C_jk] = s_j s_k      (j not k, with items in common)

so that C completes a matrix of rank one, some of whose rows and columns may be corrupted
arbitrarily by annotators who do not follow the model. Absolute skills come from two factors u and
v, which start at 1 and are updated alternately: v_j becomes a trimmed mean of the ratios ``|C_jk| /
u_k`` over the annotators k with items in common with j, without the F largest and the F smallest
ratios, or all those beyond the previous v_j if they are fewer than F; then u is updated likewise
from v. The absolute skills are u, scaled so that both factors have the same norm.

Signs: annotators who agree less than by chance (C_jk < 0) should differ in sign, others should not.
The signs are those of the vector that minimises the sum of (x_j + x_k)**2 over the former pairs and
of half of (x_j - x_k)**2 over the latter, relative to its norm weighted by each annotator's terms
in these sums; within each block of annotators connected by common items, most skills are positive.
Skills are kept at least 1 / sqrt(I) away from the ends of their range. The posterior follows by
Bayes' rule with the estimated p and equally probable categories: votes are weighted by log(p_j (K -
1) / (1 - p_j)), exponentiated and normalised.

What differs from the paper's algorithm as its authors' program has it: factors start at 1 and
not at random; F is at least 0; blocks are scaled and signed separately; the extra node that
the program puts on each edge of agreement to determine the signs is eliminated, which changes
nothing if signs exist that contradict no pair; and if a block would have as many negative as
positive skills, the side with more labels is positive.

Ma and Olshevsky (2020), NeurIPS 33, 21841-21852.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh

from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import SETTLED, TOLERANCE, Settling, largest_change
from annobench.models._votes import Floats, Votes, check_search, normalised
from annobench.models.base import ConfusionFit, Conventions, Method, warned_of
from annobench.models.kernels.completion import refit_factor

__all__ = ["METHOD", "MmsrFit", "fit"]

METHOD = Method(
    name="mmsr",
    title="M-MSR",
    reference="Ma and Olshevsky (2020), algorithm 1 and section 4",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset({"weights", "accuracy", "skill", "confusion", "n_iterations", "converged"}),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a vote of its own; agreement is the share of pairs of labels that agree",
        ties="by the annotators' weights; equal probabilities if these tie, too",
        smoothing="skills stay 1 / sqrt(I) away from the ends of their range",
        start="every absolute skill at 1",
        optimum=f"a fixed point of alternating trimmed means; {SETTLED}",
    ),
    compares=True,
)

#: Blocks of more annotators get their signs from an iterative solver.
LARGEST_DENSE = 200


@dataclass(frozen=True, eq=False)
class MmsrFit(ConfusionFit):
    """A fit of M-MSR.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Normalised exponentials of the weighted votes; 1/K each for an item without labels.
    weights : ndarray, shape (J,)
        Weight of each annotator's votes: log of `accuracy` over the probability of each error.
    accuracy : ndarray, shape (J,)
        Probability of a correct label; 1/K for an annotator who shares no item.
    n_iterations : int
        Updates of both factors.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    """

    weights: Floats
    accuracy: Floats
    n_iterations: int
    converged: bool

    def count_parameters(self, n_annotators: int, n_items: int) -> int:
        """Count the free parameters: accuracies.

        Parameters
        ----------
        n_annotators : int
            Annotators who gave labels.
        n_items : int
            I.

        Returns
        -------
        int
            Number of free parameters.
        """
        return n_annotators

    @cached_property
    def skill(self) -> Floats:
        """The skill (K p - 1) / (K - 1) of each annotator, shape (J,); 0 is guessing."""
        k = max(len(self.categories), 2)
        return np.asarray((k * self.accuracy - 1) / (k - 1))

    @cached_property
    def confusion(self) -> Floats:
        """Confusion matrices, shape (J, K, K): ``[j, truth, label]``."""
        k = len(self.categories)
        if k == 1:
            return np.ones((self.accuracy.size, 1, 1))
        wrong = (1 - self.accuracy) / (k - 1)
        same = np.eye(k, dtype=bool)
        return np.where(same, self.accuracy[:, None, None], wrong[:, None, None])


class _Agreement(NamedTuple):
    """C for pairs of annotators with items in common, as compressed sparse rows, by block.

    Attributes
    ----------
    matrix : sparse array, shape (J, J)
        C, with explicit zeros stored.
    block : ndarray of int, shape (J,)
        Block of each annotator.
    """

    matrix: csr_array
    block: NDArray[np.int32]


def fit(
    annotations: Annotations,
    *,
    n_trimmed: int | None = None,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> MmsrFit:
    """Estimate skills by robust rank-one completion, and weight votes by them.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    n_trimmed : int, optional
        F, the number of ratios trimmed at either end, at least 0. It must be at least the number of
        annotators who do not follow the model among those who share items with any given annotator.
        By default, as in the authors' program, half the smallest number of annotators with whom any
        annotator shares items, minus one.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done.
    max_iterations : int, default 1_000
        Maximum number of updates. With trimming the skills may cycle.

    Returns
    -------
    MmsrFit
        Posterior, weights, accuracies, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, or no item has labels of two
        annotators.
    ValueError
        If a number is out of range.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.

    Notes
    -----
    Computing agreement takes time linear in the number of pairs of labels within items, and memory
    linear in the number of pairs of annotators who share items. An update sorts each annotator's
    pairs.

    References
    ----------
    Ma and Olshevsky (2020), algorithm 1 and section 4.

    Examples
    --------
    >>> rows = ["1110", "0001", "1110", "0001", "1110", "0011"]  # the fourth is wrong nearly always
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> fit(Annotations.from_arrays(*zip(*labels))).accuracy.round(2)
    array([0.8, 0.8, 0.8, 0.2])
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    if n_trimmed is not None and n_trimmed < 0:
        raise ValueError(f"mmsr.fit: n_trimmed must be at least 0, got {n_trimmed}.")
    votes = Votes(annotations)
    # With one category known every label is right, as if another had not been used.
    k = max(annotations.n_categories, 2)
    margin = 1 / np.sqrt(votes.labelled.sum())
    agreement = _agreement(annotations, k)
    signs = _signs(agreement, votes.given.sum(axis=1))

    def weighted(absolute: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the posterior, weights and accuracies of absolute skills."""
        skill = np.maximum(np.minimum(signs * absolute, 1 - margin), margin - 1 / (k - 1))
        accuracy = (skill * (k - 1) + 1) / k
        weights = np.log(accuracy * (k - 1) / (1 - accuracy))
        of_labels = np.broadcast_to(weights[:, None], votes.given.shape)
        return normalised(votes.scores(of_labels))[0], weights, accuracy

    settling = Settling(tolerance)
    n_iterations, converged, before = 0, False, np.ones_like(signs)
    posterior, weights, accuracy = weighted(before)
    for absolute in itertools.islice(_completed(agreement, n_trimmed, margin), max_iterations):
        n_iterations += 1
        last, (posterior, weights, accuracy) = posterior, weighted(absolute)
        moved = largest_change(last, posterior)
        converged = settling.has_settled(before, absolute, moved)
        before = absolute
        if converged:
            break
    fitted = MmsrFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=posterior,
        weights=weights,
        accuracy=accuracy,
        n_iterations=n_iterations,
        converged=converged,
    )
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)


def _agreement(annotations: Annotations, k: int) -> _Agreement:
    """Compare the labels of all pairs of annotators on common items."""
    item = annotations.item.astype(np.int64)
    n_annotators, n_items = annotations.n_annotators, annotations.n_items

    def pairs(column: NDArray[np.int64], n_columns: int) -> csr_array:
        ones = np.ones(item.size)
        shape = (n_annotators, n_columns)
        by_annotator = csr_array((ones, (annotations.annotator, column)), shape=shape)
        product = (by_annotator @ by_annotator.T).tocoo()
        others = product.row != product.col
        entries = product.data[others], (product.row[others], product.col[others])
        return csr_array(entries, shape=product.shape)

    common = pairs(item, n_items)
    common.sort_indices()
    agreed = pairs(item * k + annotations.label, n_items * k)
    both = csr_array(common + agreed)  # has the entries of `common`, agreement or not
    both.sort_indices()
    share = (both.data - common.data) / common.data
    matrix = csr_array(((k * share - 1) / (k - 1), common.indices, common.indptr), common.shape)
    return _Agreement(matrix, connected_components(common, directed=False)[1])


def _completed(agreement: _Agreement, n_trimmed: int | None, floor: float) -> Iterator[Floats]:
    """Yield the absolute skills after each update of the factors."""
    matrix, block = agreement
    n_others = np.diff(matrix.indptr)
    if n_trimmed is None:
        n_trimmed = max(int(n_others[n_others > 0].min()) // 2 - 1, 0)
    first, second = np.ones(block.size), np.ones(block.size)
    rows = matrix.indptr, matrix.indices, np.abs(matrix.data)
    while True:
        refit_factor(*rows, first, n_trimmed, floor, second)
        refit_factor(*rows, second, n_trimmed, floor, first)
        yield _balanced(first, second, block)


def _balanced(first: Floats, second: Floats, block: NDArray[np.int32]) -> Floats:
    """Scale the first factor of each block so that both have the same norm."""
    ratio = np.bincount(block, second**2) / np.bincount(block, first**2)
    return np.asarray(first * ratio[block] ** 0.25)


def _signs(agreement: _Agreement, n_labels: Floats) -> Floats:
    """Return the signs of the skills, -1, 0 or 1, shape (J,)."""
    signs = np.zeros(agreement.block.size)
    told = agreement.matrix.copy()
    told.eliminate_zeros()  # by as much agreement as chance makes nothing is told
    for members in _blocks(connected_components(told, directed=False)[1]):
        vector = np.sign(_smoothest(csr_array(told[members][:, members])))
        side = np.sign(vector.sum()) or np.sign(vector @ n_labels[members])
        signs[members] = side * vector
    return signs


def _blocks(block: NDArray[np.int32]) -> Iterator[NDArray[np.intp]]:
    """Yield the annotators of each block of at least two."""
    order = np.argsort(block, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(block[order])) + 1):
        if members.size > 1:
            yield members


def _smoothest(matrix: csr_array) -> Floats:
    """Find the vector of signs that pairs of annotators contradict least."""
    # Half for a positive pair, one for a negative pair.
    strength = matrix.copy()
    strength.data = np.where(matrix.data > 0, 0.5, 1.0) * np.sign(matrix.data)
    degree = np.asarray(abs(strength).sum(axis=1)).ravel()
    root = np.sqrt(degree)
    row = np.repeat(np.arange(root.size), np.diff(matrix.indptr))
    strength.data = strength.data / (root[row] * root[matrix.indices])
    if root.size <= LARGEST_DENSE:
        vector = np.linalg.eigh(strength.toarray())[1][:, -1]
    else:
        vector = eigsh(strength, k=1, which="LA", v0=np.sqrt(degree))[1][:, 0]
    # Entries that rounding made are none.
    return np.asarray(np.where(np.abs(vector) > 1e-10 * np.abs(vector).max(), vector, 0.0))
