"""What every annotation model has in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from annobench.annotations import Annotations
from annobench.errors import AnnotationError


@dataclass(frozen=True)
class Method:
    """The record of one model: who made it, what it takes, what it gives.

    Attributes
    ----------
    name : str
        Unique among the models.
    reference : str
        Author, year, section or equation.
    accepts : frozenset of str
        Scales of labels, out of "nominal", "ordinal" and "interval".
    returns : frozenset of str
        Names of the attributes that its fit has beyond `posterior`.
    deterministic : bool
        False if its `fit` needs a random generator `rng`.
    max_categories : int or None
        The largest number of categories it takes; None for any.
    """

    name: str
    reference: str
    accepts: frozenset[str]
    returns: frozenset[str]
    deterministic: bool
    max_categories: int | None = None

    def check(self, annotations: Annotations) -> None:
        """Refuse annotations that the model can't take.

        Parameters
        ----------
        annotations : Annotations
            The labels to be fitted.

        Raises
        ------
        AnnotationError
            If there are no labels, their scale is not accepted, or there are too many
            categories.
        """
        if annotations.n_labels == 0:
            raise AnnotationError(f"{self.name}: there are no labels. Give at least one.")
        if annotations.scale not in self.accepts:
            raise AnnotationError(
                f"{self.name}: takes {' and '.join(sorted(self.accepts))} labels, got the "
                f"{annotations.scale} scale. Choose another model, or turn the labels into "
                "categories."
            )
        if self.max_categories is not None and annotations.n_categories > self.max_categories:
            raise AnnotationError(
                f"{self.name}: needs at most {self.max_categories} categories, got "
                f"{annotations.n_categories} "
                f"({', '.join(map(repr, annotations.categories[:10]))}). Collapse the labels."
            )


class Fit(Protocol):
    """The face that every fitted model shows.

    Attributes
    ----------
    items, annotators, categories : tuple of str
        Names, by code.
    posterior : ndarray of float, shape (I, K)
        Probability of each category for each item; rows sum to 1.
    """

    @property
    def items(self) -> tuple[str, ...]:
        """Names of the items."""

    @property
    def annotators(self) -> tuple[str, ...]:
        """Names of the annotators."""

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the categories."""

    @property
    def posterior(self) -> NDArray[Any]:
        """Probability of each category for each item."""


#: Sweeps of a sampler between two reports of progress.
BLOCK = 250


def blocks(n_warmup: int, n_draws: int) -> Iterator[tuple[int, int]]:
    """Cut the sweeps of a chain into blocks that don't straddle the end of the warm-up.

    Parameters
    ----------
    n_warmup, n_draws : int
        Sweeps thrown away, numbered from -n_warmup, and kept, numbered from 0.

    Yields
    ------
    first, last : int
        The sweeps [first, last) of a block, at most `BLOCK`.
    """
    for low, high in ((-n_warmup, 0), (0, n_draws)):
        for first in range(low, high, BLOCK):
            yield first, min(first + BLOCK, high)


def best_categories(posterior: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark the most probable categories of each item; more than one where they tie.

    Parameters
    ----------
    posterior : ndarray of float, shape (I, K)
        Probabilities or vote shares.

    Returns
    -------
    ndarray of bool, shape (I, K)
        True where a category is as probable as the best.
    """
    best: NDArray[np.bool_] = posterior >= posterior.max(axis=1, keepdims=True)
    return best
