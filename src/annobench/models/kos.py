"""KOS: messages between items and annotators about labels of two categories.

The label of annotator j for item i is A_ij = +1 for the second category and -1 for the first.
Messages to items carry the reliability of annotators, and messages to annotators their agreement,
each excluding the receiver's own label::

    x(i -> j) = sum over the other annotators j' of i of A_ij' y(j' -> i)
    y(j -> i) = sum over the other items i' of j of      A_i'j x(i' -> j)

starting from y drawn from Normal(1, 1), whose positive mean assumes that annotators are better than
chance. The item's category is the sign of s_i, the sum of A_ij y(j -> i) over its annotators. In
the limit this is power iteration: messages tend to the leading eigenvector of the update, with y(j
-> i) proportional to an estimate of 2 p_j - 1, where j is right with probability p_j.

The method gives signs, not probabilities. The posterior is our addition: messages are scaled by
least squares, c minimising the sum of (A_ij sign(s_i) - c y(j -> i))**2, so that c y estimates
2 p - 1; the log odds of a label are then 2 c y to first order, and the posterior of the second
category is 1 / (1 + exp(-2 c s_i)).

What differs from the paper: iteration ends by a convergence rule, not after a fixed number of
rounds; messages are rescaled in every round. Connected components of the graph of items and
annotators ("blocks") are scaled separately. Messages grow only in blocks with at least two cycles.
In other blocks they vanish or cycle, annotators cannot be compared, and all messages are set to 1,
which gives unweighted votes.

Karger, Oh and Shah (2011), NIPS 24; Karger, Oh and Shah (2014), Operations Research 62, 1-24.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import SETTLED, TOLERANCE, Settling
from annobench.models._votes import Floats, check_search
from annobench.models.base import Conventions, Fit, Method, warned_of
from annobench.models.kernels.messages import exchange

__all__ = ["METHOD", "KosFit", "fit"]

METHOD = Method(
    name="kos",
    title="KOS",
    reference="Karger, Oh and Shah (2014), section 2.2",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset({"scores", "weights", "n_iterations", "converged"}),
    deterministic=False,
    conventions=Conventions(
        repeats="the mean of an annotator's labels of an item counts as one",
        ties="equal probabilities where the messages cancel",
        smoothing="none; the posterior is a logistic function of the scaled sum of messages",
        start="messages drawn from Normal(1, 1)",
        optimum=f"the first singular vector, by power iteration; {SETTLED}",
    ),
    max_categories=2,
    compares=True,
    unchanged_by=frozenset({"repeated labels", "separate blocks"}),
)


#: Largest change of a message, of 1, at which the items' probabilities are looked at.
_NEAR = 1e-2


@dataclass(frozen=True, eq=False)
class KosFit(Fit):
    """A fit of KOS.

    Attributes
    ----------
    posterior : ndarray, shape (I, 2)
        ``1 / (1 + exp(-2 scores))`` for the second category; 1/2 for an item without labels.
    scores : ndarray, shape (I,)
        Scaled sum of an item's messages: positive for the second category, negative for the first.
    weights : ndarray, shape (J,)
        Mean of an annotator's scaled messages, an estimate of 2 p - 1, where p is the probability
        of a correct label; not restricted to [-1, 1]; 0 for an annotator without labels.
    n_iterations : int
        Rounds of messages.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    """

    scores: Floats
    weights: Floats
    n_iterations: int
    converged: bool


class _Pairs(NamedTuple):
    """Distinct pairs of item and annotator with a label.

    Attributes
    ----------
    item, annotator : ndarray, shape (P,)
        Codes, by item and then by annotator.
    sign : ndarray, shape (P,)
        Mean of the pair's labels as -1 and 1; never 0.
    block : ndarray, shape (P,)
        Block of each pair, among B.
    grows : ndarray of bool, shape (B,)
        Whether a block has at least two cycles.
    """

    item: NDArray[np.int64]
    annotator: NDArray[np.int64]
    sign: Floats
    block: NDArray[np.int64]
    grows: NDArray[np.bool_]


def fit(
    annotations: Annotations,
    *,
    rng: np.random.Generator | int | None = None,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> KosFit:
    """Pass messages between items and annotators until convergence.

    Parameters
    ----------
    annotations : Annotations
        Of two categories; any number of annotators.
    rng : numpy.random.Generator or int, optional
        Source of randomness for the initial messages, or a seed.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done.
    max_iterations : int, default 1_000
        Maximum number of rounds.

    Returns
    -------
    KosFit
        Posterior, scores, weights, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, there are not two categories, or no item
        has labels of two annotators.
    ValueError
        If a number is out of range.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.

    Notes
    -----
    The start determines the sign, that is, which category is which. In a block with few labels it
    can reverse the result. A round reads the labels four times.

    References
    ----------
    Karger, Oh and Shah (2014), section 2.2.

    Examples
    --------
    >>> rows = ["1110", "0001", "1101", "0011", "1110", "0001"]  # the fourth is wrong throughout
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> found = fit(Annotations.from_arrays(*zip(*labels)), rng=1)
    >>> found.posterior.argmax(axis=1)
    array([1, 0, 1, 0, 1, 0])
    >>> int(found.weights.argmin())
    3
    """
    rng = np.random.default_rng(rng)
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    if annotations.n_categories < 2:
        raise AnnotationError(
            f"kos: needs two categories, got {annotations.n_categories} "
            f"({', '.join(map(repr, annotations.categories))}). Name both categories if only one "
            "occurs."
        )
    pairs = _pairs(annotations)
    message, n_iterations, converged = _exchanged(
        pairs, annotations, rng, tolerance, max_iterations
    )
    n_annotators = annotations.n_annotators
    scaled, scores = _scored(pairs, message, annotations.n_items)
    number = np.bincount(pairs.annotator, minlength=n_annotators)
    sent = _added(pairs.annotator, scaled, n_annotators)
    fitted = KosFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=_probabilities(scores),
        scores=scores,
        weights=sent / np.maximum(number, 1),
        n_iterations=n_iterations,
        converged=converged,
    )
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)


def _pairs(annotations: Annotations) -> _Pairs:
    """Merge the labels of each item and annotator, and find the blocks."""
    n_items, n_annotators = annotations.n_items, annotations.n_annotators
    flat, place = np.unique(
        annotations.item.astype(np.int64) * n_annotators + annotations.annotator,
        return_inverse=True,
    )
    sign = np.bincount(place, 2.0 * annotations.label - 1) / np.bincount(place)
    item, annotator = np.divmod(flat[sign != 0], n_annotators)
    n = n_items + n_annotators
    graph = coo_array((np.ones(item.size), (item, n_items + annotator)), shape=(n, n))
    n_blocks, of_node = connected_components(graph, directed=False)
    block = of_node[item].astype(np.int64)
    n_pairs = np.bincount(block, minlength=n_blocks)
    grows = n_pairs > np.bincount(of_node, minlength=n_blocks)
    return _Pairs(item, annotator, sign[sign != 0], block, grows)


def _exchanged(
    pairs: _Pairs,
    annotations: Annotations,
    rng: np.random.Generator,
    tolerance: float,
    max_iterations: int,
) -> tuple[Floats, int, bool]:
    """Return the last messages, the number of rounds, and whether they converged."""
    moves = pairs.grows[pairs.block]
    item, annotator, sign, block = (column[moves] for column in pairs[:4])
    message = rng.normal(1, 1, size=item.size)
    fresh = np.empty_like(message)
    rooms = [np.zeros(n) for n in (annotations.n_items, annotations.n_annotators, pairs.grows.size)]
    n_iterations, converged = 0, False
    every, settling = np.ones(moves.size), Settling(tolerance)
    before: Floats | None = None
    after: Floats | None = None
    while n_iterations < max_iterations and not converged:
        change = exchange(item, annotator, sign, block, message, fresh, *rooms)
        n_iterations += 1
        every[moves] = message
        if change == 0:
            converged = tolerance > 0
        elif change <= _NEAR:
            before, after = after, _probabilities(_scored(pairs, every, annotations.n_items)[1])
            converged = before is not None and settling.has_settled(before.ravel(), after.ravel())
    return every, n_iterations, converged


def _scored(pairs: _Pairs, message: Floats, n_items: int) -> tuple[Floats, Floats]:
    """Scale the messages, and add those of each item."""
    total = _added(pairs.item, pairs.sign * message, n_items)
    scaled = message * _scale(pairs, message, total)[pairs.block]
    return scaled, _added(pairs.item, pairs.sign * scaled, n_items)


def _probabilities(scores: Floats) -> Floats:
    second = 0.5 * (1 + np.tanh(scores))  # 1 / (1 + exp(-2 scores)), and no overflow
    return np.stack([1 - second, second], axis=1)


def _scale(pairs: _Pairs, message: Floats, total: Floats) -> Floats:
    """Fit the factor of each block by least squares, shape (B,)."""
    n_blocks = pairs.grows.size
    agreed = pairs.sign * np.sign(total[pairs.item]) * message
    over = _added(pairs.block, agreed, n_blocks)
    under = _added(pairs.block, message**2, n_blocks)
    return np.asarray(np.divide(over, under, out=np.zeros(n_blocks), where=under > 0))


def _added(group: NDArray[np.int64], values: Floats, n_groups: int) -> Floats:
    return np.bincount(group, values, minlength=n_groups).astype(np.float64)
