"""Marks of a rare phenomenon, and votes on what was marked: the design of sections 2 and 4."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.labels.annotations import Annotations


@dataclass(frozen=True, eq=False)
class SimulatedMarks:
    """Marks that annotators made, and what some of them said of all marks later.

    Attributes
    ----------
    annotations : Annotations
        Every annotator for every item, item by item; category "1" is a mark, "0" none. The
        validators come first among the annotators.
    validated : ndarray of int, shape (M,)
        Codes of the items that were put to the vote: those with a mark, then those without
        one that were added.
    marked : ndarray of bool, shape (M, V)
        Whether each validator had marked the item.
    accepted : ndarray of bool, shape (M, V)
        Whether each validator accepts it.
    """

    annotations: Annotations
    validated: NDArray[np.int64]
    marked: NDArray[np.bool_]
    accepted: NDArray[np.bool_]


def marks_and_votes(
    *,
    patterns: ArrayLike,
    n_items: int,
    n_added: int,
    accept_own: ArrayLike,
    accept_other: ArrayLike,
    rng: np.random.Generator | int | None = None,
) -> SimulatedMarks:
    """Simulate the search for a rare phenomenon and the validation of what was found.

    Annotators mark items and leave the rest alone. Later some of them, the validators, are
    shown every marked item and some unmarked ones, and accept or reject each. How many items
    have x marks by validators and y by others is given; who made them is drawn, all alike.

    Parameters
    ----------
    patterns : array_like of int, shape (V + 1, W + 1)
        How many items are marked by x of V validators and y of W others; ``[0, 0]`` is not
        read.
    n_items : int
        I, marked or not.
    n_added : int
        Items without a mark that are put to the vote.
    accept_own : array_like, shape (V + W + 1,)
        Probability that a validator accepts an item that he or she marked, by the number of
        marks, in [0, 1].
    accept_other : array_like, shape (V + W + 1,)
        The same for an item that the validator did not mark; ``[0]`` is for added items.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    SimulatedMarks
        Marks and votes.

    Raises
    ------
    ValueError
        If there are more items than `n_items`, a count is below 0, or a probability is invalid.
    """
    rng = np.random.default_rng(rng)
    table = np.array(patterns, dtype=np.int64)
    if table.ndim != 2 or min(table.shape) < 1 or (table < 0).any():
        raise ValueError(
            "marks_and_votes: patterns must be a table of counts of at least 0, "
            f"got {np.asarray(patterns).tolist()}."
        )
    table[0, 0] = 0
    n_marked, n_validators, n_others = int(table.sum()), table.shape[0] - 1, table.shape[1] - 1
    if not 0 <= n_added <= n_items - n_marked:
        raise ValueError(
            f"marks_and_votes: of {n_items} items {n_marked} are marked; n_added must be "
            f"from 0 to {n_items - n_marked}, got {n_added}."
        )
    own, other = (np.asarray(values, dtype=np.float64) for values in (accept_own, accept_other))
    for name, values in (("accept_own", own), ("accept_other", other)):
        if (
            values.shape != (n_validators + n_others + 1,)
            or not ((values >= 0) & (values <= 1)).all()
        ):
            raise ValueError(
                f"marks_and_votes: {name} must be {n_validators + n_others + 1} numbers "
                f"in [0, 1], one for each number of marks, got {values.tolist()}."
            )
    x, y = (np.repeat(axis.ravel(), table.ravel()) for axis in np.indices(table.shape))
    labels = np.zeros((n_items, n_validators + n_others), dtype=np.int8)
    order = rng.permutation(n_items)
    item = order[:n_marked]
    labels[item, :n_validators] = _draw_marks(rng, x, n_validators)
    labels[item, n_validators:] = _draw_marks(rng, y, n_others)
    validated = order[: n_marked + n_added]
    marked = labels[validated, :n_validators] == 1
    n_marks = labels[validated].sum(axis=1)
    chance = np.where(marked, own[n_marks][:, None], other[n_marks][:, None])
    item, annotator = (axis.ravel() for axis in np.indices(labels.shape))
    names = np.array([str(j) for j in range(labels.shape[1])], dtype=object)
    annotations = Annotations.from_arrays(
        item,
        names[annotator],
        labels.ravel(),
        items=range(n_items),
        annotators=names.tolist(),
        categories=range(2),
    )
    return SimulatedMarks(annotations, validated, marked, rng.random(marked.shape) < chance)


def _draw_marks(
    rng: np.random.Generator, marks: NDArray[np.int64], n_annotators: int
) -> NDArray[np.bool_]:
    """Choose who made the marks of each item."""
    rank = np.argsort(rng.random((marks.size, n_annotators)), axis=1)
    return np.asarray(rank < marks[:, None])
