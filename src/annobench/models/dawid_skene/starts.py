"""Starts of EM: votes, a spectral approximation, fixed or given values."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models.dawid_skene.em import Floats, Parameters

__all__ = ["where"]

Start = Literal["votes", "diagonal", "spectral"]

#: The diagonal of the start "diagonal"; the rest is spread over all K labels.
_DIAGONAL = 0.7
#: Up to so many entries a table is decomposed as a dense one.
_DENSE = 250_000
#: Entries below this are rounding errors of 0.
_ZERO = 1e-9


def first_values(
    annotations: Annotations, start: Start | Parameters | NDArray[Any]
) -> tuple[Floats | None, Parameters | None]:
    """Return the posterior or the parameters to start from."""
    annotations = as_annotations(annotations, "first_values")
    k, j = annotations.n_categories, annotations.n_annotators
    if isinstance(start, str):
        if start == "votes":
            return votes_start(annotations), None
        if start == "spectral":
            return spectral_start(annotations), None
        if start == "diagonal":
            return None, first_parameters(start, j, k)
        raise ValueError(
            f"dawid_skene.fit: start {start!r} is not one of {', '.join(get_args(Start))}. "
            "Give one of them, Parameters, or probabilities."
        )
    if isinstance(start, Parameters):
        return None, first_parameters(start, j, k)
    return _checked("start", start, (annotations.n_items, k)), None


def first_parameters(
    start: Literal["diagonal"] | Parameters, n_annotators: int, n_categories: int
) -> Parameters:
    """Return the parameters of a start that does not depend on the labels."""
    j, k = n_annotators, n_categories
    if not isinstance(start, Parameters):
        matrix = np.full((k, k), (1 - _DIAGONAL) / k)
        np.fill_diagonal(matrix, _DIAGONAL)
        matrix /= matrix.sum(axis=1, keepdims=True)
        return Parameters(np.full(k, 1 / k), np.broadcast_to(matrix, (j, k, k)))
    prevalence = _checked("start.prevalence", start.prevalence, (k,))
    given = np.asarray(start.confusion, dtype=np.float64)
    # What an unsmoothed fit leaves undefined says nothing.
    given = np.where(np.isnan(given).all(axis=-1, keepdims=True), 1 / k, given)
    return Parameters(prevalence, _checked("start.confusion", given, (j, k, k)))


def votes_start(annotations: Annotations) -> Floats:
    """Return the shares of each item's labels."""
    annotations = as_annotations(annotations, "votes_start")
    a = annotations
    shares = np.zeros((a.n_items, a.n_categories))
    np.add.at(shares.ravel(), a.item.astype(np.int64) * a.n_categories + a.label, 1.0)
    n_labels = np.diff(a.by_item.offsets)
    shares /= np.maximum(n_labels, 1)[:, None]
    shares[n_labels == 0] = 1 / a.n_categories
    return shares


def spectral_start(annotations: Annotations) -> Floats:
    """Return votes denoised by a low-rank approximation."""
    annotations = as_annotations(annotations, "spectral_start")
    votes = votes_start(annotations)
    n_items, k = votes.shape
    column = annotations.annotator.astype(np.int64) * k + annotations.label
    n_columns = annotations.n_annotators * k
    rank = k - 1
    if rank < 1 or rank >= min(n_items, n_columns):
        return votes
    ones = np.ones(annotations.n_labels)
    table = sparse.csr_array((ones, (annotations.item, column)), shape=(n_items, n_columns))
    pair = annotations.annotator
    labelled = sparse.csr_array(
        (ones, (annotations.item, pair)), shape=(n_items, annotations.n_annotators)
    )
    total = np.maximum(np.bincount(pair, minlength=annotations.n_annotators), 1)
    share = np.asarray(table.sum(axis=0)).reshape(-1, k) / total[:, None]
    of, given = share.nonzero()  # most annotators never give most of many labels
    expected = sparse.csr_array(
        (share[of, given], (of, of * k + given)), shape=(annotations.n_annotators, n_columns)
    )
    centred = sparse.csr_array(table - labelled @ expected)
    if abs(centred).max() < _ZERO:
        return votes  # every annotator gives one label alone
    vectors, values, others = _singular(centred, rank)
    per_category = others.reshape(rank, annotations.n_annotators, k).sum(axis=1)
    # The average annotator's label, and what the shared part adds to it.
    smooth = votes.mean(axis=0) + (vectors * values) @ per_category / annotations.n_annotators
    labels_of = np.bincount(annotations.item, minlength=n_items)
    start = np.full((n_items, k), 0.1 / rank)
    start[np.arange(n_items), smooth.argmax(axis=1)] = 0.9
    start[labels_of == 0] = votes[labels_of == 0]
    return start


def _singular(table: sparse.csr_array, rank: int) -> tuple[Floats, Floats, Floats]:
    """Return the largest singular values and vectors; dense if that is cheap."""
    if table.shape[0] * table.shape[1] <= _DENSE:
        vectors, values, others = np.linalg.svd(table.toarray(), full_matrices=False)
        return vectors[:, :rank], values[:rank], others[:rank]
    # A fixed vector for the same answer every time; constant ones belong to the value 0.
    begin = np.random.default_rng(0).standard_normal(min(table.shape))
    found = sparse.linalg.svds(table, k=rank, v0=begin, solver="arpack")
    return found[0], np.asarray(found[1], dtype=np.float64), found[2]


def _checked(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Floats:
    try:
        shares = np.asarray(value, dtype=np.float64)
    except ValueError:  # rows of different lengths, or no numbers
        raise AnnotationError(
            f"dawid_skene.fit: {name} must be numbers of shape {shape}, got {type(value).__name__}."
        ) from None
    if shares.shape != shape:
        raise AnnotationError(
            f"dawid_skene.fit: {name} must have the shape {shape}, got {shares.shape}."
        )
    total = shares.sum(axis=-1, keepdims=True)
    wrong = ~((shares >= 0).all(axis=-1, keepdims=True) & np.isclose(total, 1, atol=1e-6))
    if wrong.any():
        raise AnnotationError(
            f"dawid_skene.fit: {name} must be probabilities that sum to 1 along the last axis, but "
            f"do not{where(wrong[..., 0])} (sum {total[wrong][0]:g}). Divide by the sum."
        )
    return shares


def where(wrong: NDArray[np.bool_]) -> str:
    """Describe the position of the first marked entry.

    Parameters
    ----------
    wrong : ndarray of bool
        Marks entries; at least one is True.

    Returns
    -------
    str
        Its indices, for a message; empty for a scalar.
    """
    place = tuple(int(index) for index in np.argwhere(wrong)[0])
    return f" at {list(place)}" if place else ""
