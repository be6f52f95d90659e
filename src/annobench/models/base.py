"""What every annotation model has in common."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations


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
    compares : bool
        Whether it finds out how good annotators are by comparing them, so that some item must
        have labels of two. A model whose fit says nothing of annotators need not.
    """

    name: str
    reference: str
    accepts: frozenset[str]
    returns: frozenset[str]
    deterministic: bool
    max_categories: int | None = None
    compares: bool = False

    def check(self, annotations: Annotations, *, informed: bool = False) -> None:
        """Refuse annotations that the model can't take.

        Parameters
        ----------
        annotations : Annotations
            The labels to be fitted.
        informed : bool, default False
            Whether something else than these labels tells how good annotators are: known
            categories, stated weights, or more labels that are checked elsewhere.

        Raises
        ------
        AnnotationError
            If there are no labels, their scale is not accepted, there are too many categories,
            or annotators must be compared and no item has labels of two.

        Notes
        -----
        Linear in the number of labels.
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
        if not informed:
            self.check_overlap(annotations, bool(annotations.is_shared.any()))

    def check_overlap(self, annotations: Annotations, overlap: bool) -> None:
        """Refuse labels that leave nothing to compare, if the model compares annotators.

        Parameters
        ----------
        annotations : Annotations
            Whose annotators a message names.
        overlap : bool
            Whether some item has labels of two annotators.

        Raises
        ------
        AnnotationError
            If none has, and the model compares annotators.
        """
        if overlap or not self.compares:
            return
        if annotations.n_annotators == 1:
            what = f"all labels are of one annotator, {annotations.annotators[0]!r}"
        else:
            what = f"no item has labels of two of the {annotations.n_annotators:,} annotators"
        raise AnnotationError(
            f"{self.name}: {what}, so that nothing tells right from wrong, and how good an "
            "annotator is can't be estimated. Have some of the items labelled by a second "
            "annotator, or take a model that says nothing of annotators, such as voting."
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

#: A quantile of draws that is this close to an estimate is as good as there.
ROUNDING = 1e-6


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


def central_interval(
    draws: NDArray[Any], estimate: NDArray[Any], level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Take quantiles of draws for the ends of an interval of an estimate.

    Parameters
    ----------
    draws : ndarray, shape (S, ...)
        Bootstrap replicates or draws from a posterior; NaN where one is undefined.
    estimate : ndarray, shape (...)
        What the interval is of.
    level : float, default 0.95
        In (0, 1).

    Returns
    -------
    ends : ndarray, shape (2, ...)
        Lower and upper; NaN where there are no draws, the estimate is NaN, or is outside.
    outside : ndarray of bool, shape (...)
        Where the estimate is not within the quantiles. Nearly all draws then lie to one side of
        it: bias is larger than spread, or there are two solutions. The quantiles are no interval
        of that estimate, nor would they be after a correction for bias, which fails in the same
        case.

    Notes
    -----
    Quantiles closer to the estimate than `ROUNDING` are no further: draws of single precision,
    and EM that stops at a tolerance, are not exact.
    """
    tail = (1 - level) / 2
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        lower, upper = np.nanquantile(draws, [tail, 1 - tail], axis=0).astype(np.float64)
    lower = np.where(np.abs(lower - estimate) < ROUNDING, np.minimum(lower, estimate), lower)
    upper = np.where(np.abs(upper - estimate) < ROUNDING, np.maximum(upper, estimate), upper)
    outside = (estimate < lower) | (estimate > upper)
    ends = np.where(outside | np.isnan(estimate), np.nan, np.stack([lower, upper]))
    return ends, np.asarray(outside)


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
