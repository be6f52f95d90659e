"""An external method, in the form required by the benchmark."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models.base import Conventions, Fit, Method

__all__ = ["Answer", "Candidate", "record"]

#: What a record says of a method that says nothing about itself.
NOT_STATED = Conventions(*["not stated"] * 5)


@dataclass(frozen=True, eq=False)
class Answer(Fit):
    """A candidate's fit.

    Attributes
    ----------
    items, annotators, categories : tuple of str
        Names, by code.
    posterior : ndarray of float, shape (I, K)
        Probability of each category; rows sum to 1, and are 1/K each for an item without labels.
    seconds, peak_bytes : float
        Processor time and memory of a separate process; NaN if there was none.
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    posterior: NDArray[np.float64]
    seconds: float = math.nan
    peak_bytes: float = math.nan


@dataclass(eq=False)
class Candidate:
    """An external method; like a model's module it has `METHOD` and `fit`.

    Attributes
    ----------
    METHOD : Method
        Its record.
    fit : callable
        Maps annotations, and `rng` unless it is deterministic, to a fit.
    SOURCE : str
        Its source: a package with its version, or a file or command with the beginning of its
        SHA-256.
    """

    METHOD: Method
    fit: Any
    SOURCE: str


def record(name: str, *, reference: str, deterministic: bool, repeats: str = "") -> Method:
    """Build the record of a method without one.

    Parameters
    ----------
    name : str
        Name in tables.
    reference : str
        The first line of its description, or its source.
    deterministic : bool
        Whether it has no generator and no seed.
    repeats : str, optional
        Treatment of repeated labels, if known.

    Returns
    -------
    Method
        Record that accepts nominal and ordinal labels.
    """
    conventions = NOT_STATED
    if repeats:
        conventions = Conventions(repeats, *["not stated"] * 4)
    return Method(
        name=name,
        reference=reference,
        accepts=frozenset({"nominal", "ordinal"}),
        returns=frozenset(),
        deterministic=deterministic,
        conventions=conventions,
    )


def with_all_items(
    labels: Annotations, answer: Callable[[Annotations], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Call a method for items with labels, and give other items uniform probabilities."""
    labels = as_annotations(labels, "with_all_items")
    labelled = np.bincount(labels.item, minlength=labels.n_items) > 0
    found = answer(labels.select(items=labelled))
    table = np.full((labels.n_items, labels.n_categories), 1 / labels.n_categories)
    table[labelled] = found
    return table
