"""Scores against a gold standard on labels that memory does not hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised
from annobench.core.workers import dask_client
from annobench.evaluation.scores import Errors, confusion_counts, count_errors
from annobench.labels.annotations import Annotations
from annobench.labels.partitions import PartitionedLabels
from annobench.models._passes import PartitionedFit
from annobench.models._votes import Votes

if TYPE_CHECKING:
    from distributed import Client
    from pandas import DataFrame

#: Codes of items and of their gold categories, by the number of the partition.
Gold = Mapping[int, tuple[NDArray[np.int32], NDArray[np.int32]]]


@dataclass(frozen=True, eq=False)
class PartitionedScores(Summarised):
    """Scores of a fit, and of annotators, on the items that have a gold category.

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
    scheduler: str | Client | None = None,
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
    scheduler : str or distributed.Client, optional
        Dask's, as for `annobench.core.workers.dask_client`.

    Returns
    -------
    PartitionedScores
        Those of `count_errors` and `confusion_counts` on these items.

    Raises
    ------
    AnnotationError
        If there is no gold category, or no such item or category.
    """
    if not gold:
        raise AnnotationError("score_partitions: gold is empty. Give at least one category.")
    known = labels.codes_of(gold)
    with dask_client(scheduler) as client:
        total = labels.total(client, _score, found.passes, found.theta, known)
    n = total.n_items
    errors = Errors(total.errors, total.ties, total.expected, 1 - total.expected / n)
    return PartitionedScores(n, errors, total.confusion)


def _score(labels: PartitionedLabels, number: int, passes: Any, theta: Any, gold: Gold) -> _Sums:
    k = labels.n_categories
    if number not in gold:
        return _Sums(0, 0, 0, 0.0, np.zeros((labels.n_annotators, k, k), dtype=np.int64))
    items, categories = gold[number]
    block = labels.block(number)
    posterior = passes.sweep(Votes(block), theta, number)[1][items]
    errors = count_errors(posterior, categories)
    place = np.full(block.n_items, -1, dtype=np.int32)
    place[items] = np.arange(items.size, dtype=np.int32)
    has_gold = place[block.item] >= 0
    some = Annotations(
        place[block.item][has_gold],
        block.annotator[has_gold],
        block.label[has_gold],
        ("",) * items.size,
        block.annotators,
        block.categories,
        block.scale,
    )
    counts = confusion_counts(some, categories)
    return _Sums(items.size, errors.errors, errors.ties, errors.expected_errors, counts)
