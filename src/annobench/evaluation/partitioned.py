"""Scores against a gold standard for labels that do not fit in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised
from annobench.evaluation.scores import Errors, confusion_counts, count_errors
from annobench.labels.annotations import Annotations
from annobench.models._passes import PartitionedFit
from annobench.models._votes import Votes
from annobench.scale._blocks import Block
from annobench.scale._sources import workers_of
from annobench.scale._workers import Scheduler
from annobench.scale.partitions import PartitionedLabels

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["PartitionedScores", "score_partitions"]

#: Codes of items and of their gold categories, by the number of the partition.
Gold = Mapping[int, tuple[NDArray[np.int32], NDArray[np.int32]]]


@dataclass(frozen=True, eq=False)
class PartitionedScores(Summarised):
    """Scores of a fit and of annotators on gold items.

    Attributes
    ----------
    n_items : int
        Items with a gold category.
    errors : Errors
        Of the fit, as from `count_errors`.
    confusion : ndarray of int, shape (J, K, K)
        Of the annotators, as from `confusion_counts`; `category_scores` scores it.
    """

    n_items: int
    errors: Errors
    confusion: NDArray[np.int64]

    def summary(self) -> DataFrame:
        """Return the errors of the fit.

        Returns
        -------
        DataFrame
            As of `Errors`.
        """
        return self.errors.summary()

    def _headline(self) -> str:
        return f"{self.n_items:,} items, expected accuracy {self.errors.expected_accuracy:.4g}"


class _Sums(NamedTuple):
    n_items: int
    errors: int
    ties: int
    expected: float
    confusion: NDArray[np.int64]


def score_partitions(
    labels: PartitionedLabels,
    found: PartitionedFit,
    gold: Mapping[str, str],
    *,
    scheduler: Scheduler = None,
) -> PartitionedScores:
    """Compare a fit to partitions, and their annotators, with a gold standard.

    Parameters
    ----------
    labels : PartitionedLabels
        The labels.
    found : PartitionedFit
        A fit to them.
    gold : mapping of str to str
        Categories of some items, by name.
    scheduler : str, distributed.Client or concurrent.futures.Executor, optional
        What processes partitions, as for `annobench.report`.

    Returns
    -------
    PartitionedScores
        Results of `count_errors` and `confusion_counts` on these items.

    Raises
    ------
    AnnotationError
        If there is no gold category, or no such item or category.
    """
    if not gold:
        raise AnnotationError("score_partitions: gold is empty. Give at least one category.")
    known = labels.codes_of(gold)
    shape = labels.n_annotators, labels.n_categories, labels.n_categories
    with workers_of(labels, scheduler) as workers:
        total = labels.map_sum(workers, _score, found.passes, found.theta, known, shape)
    n = total.n_items
    errors = Errors(total.errors, total.ties, total.expected, 1 - total.expected / n)
    return PartitionedScores(n, errors, total.confusion)


def _score(block: Block, passes: Any, theta: Any, gold: Gold, shape: tuple[int, int, int]) -> _Sums:
    if block.number not in gold:
        return _Sums(0, 0, 0, 0.0, np.zeros(shape, dtype=np.int64))
    items, categories = gold[block.number]
    labels = block.annotations
    posterior = passes.sweep(block.made(Votes), theta, block.number)[1][items]
    errors = count_errors(posterior, categories)
    place = np.full(labels.n_items, -1, dtype=np.int32)
    place[items] = np.arange(items.size, dtype=np.int32)
    has_gold = place[labels.item] >= 0
    some = Annotations(
        place[labels.item][has_gold],
        labels.annotator[has_gold],
        labels.label[has_gold],
        ("",) * items.size,
        labels.annotators,
        labels.categories,
        labels.scale,
    )
    counts = confusion_counts(some, categories)
    return _Sums(items.size, errors.errors, errors.ties, errors.expected_errors, counts)
