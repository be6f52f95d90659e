"""Consensus on labels that do not fit in memory, written by partition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench import models
from annobench.aggregation._tables import annotators_table, items_table
from annobench.core.choices import DEFAULT_MODEL
from annobench.core.files import csv_quoting, replacing
from annobench.core.optional import optional
from annobench.core.results import Summarised
from annobench.models._passes import Passes, Passing
from annobench.models._votes import Votes
from annobench.models.base import ConfusionFit, Fit
from annobench.scale._blocks import Block, BlockedLabels
from annobench.scale._format import partition_file
from annobench.scale._sources import workers_of
from annobench.scale._workers import Scheduler

if TYPE_CHECKING:
    import pyarrow.parquet as pq
else:
    pq = optional("pyarrow.parquet", "A folder of partitions")

__all__ = ["CERTAIN", "PartitionedConsensus", "consensus_partitions"]

#: From which probability of its category on an item counts as certain.
CERTAIN = 0.99


@dataclass(frozen=True, eq=False)
class PartitionedConsensus(Summarised):
    """A consensus on partitions: small tables, and a folder with the items.

    Attributes
    ----------
    model : str
        Name of the model.
    fitted : Fit
        The model's own fit, without items.
    labels : BlockedLabels
        The labels.
    folder : Path
        ``items/00000.parquet`` and so on have the columns of `Consensus.items`, with names.
    annotators, confusion, prevalence : DataFrame
        As for `Consensus`, without intervals.
    n_tied, n_certain : int
        Items with tied votes; with a category of probability 0.99 or more.
    remarks : tuple of str
        What a reader should know before using the tables.
    """

    model: str
    fitted: Fit
    labels: BlockedLabels
    folder: Path
    annotators: pd.DataFrame
    confusion: pd.DataFrame
    prevalence: pd.DataFrame
    n_tied: int
    n_certain: int
    remarks: tuple[str, ...]

    def summary(self) -> pd.DataFrame:
        """Return how common the categories are.

        Returns
        -------
        DataFrame
            `prevalence`, by category.
        """
        return self.prevalence.set_index("category")

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables that have rows.

        Returns
        -------
        dict of str to DataFrame
            `annotators`, `confusion` and `prevalence`.
        """
        found = {name: getattr(self, name) for name in ("annotators", "confusion", "prevalence")}
        return {name: table for name, table in found.items() if len(table)}

    def _headline(self) -> str:
        return (
            f"{self.labels.n_items:,} items by {self.model}, {self.n_tied:,} with tied votes; "
            f"{self.n_certain / self.labels.n_items:.1%} of items have a category of probability "
            f"{CERTAIN:.2f} or more, if {self.fitted.premise()}"
        )


class _Sums(NamedTuple):
    """Labels, and labels of shared items, of each annotator; expected items; items counted."""

    given: NDArray[np.int64]
    compared: NDArray[np.int64]
    mass: NDArray[np.float64]
    n_tied: int
    n_certain: int


@dataclass(frozen=True, eq=False)
class _BlockFit(Fit):
    items: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    posterior: NDArray[np.float64]


def consensus_partitions(
    labels: BlockedLabels,
    out: str | Path,
    *,
    model: str = DEFAULT_MODEL,
    rng: np.random.Generator | int | None = None,
    gold: Mapping[str, str] | None = None,
    scheduler: Scheduler = None,
    resume: bool = False,
    say: Callable[[str], None] = lambda line: None,
    **options: Any,
) -> PartitionedConsensus:
    """Fit a model to labels in blocks, and write each item's category, one file per block.

    Parameters
    ----------
    labels : BlockedLabels
        The labels.
    out : str or Path
        Output folder; workers must have access to it.
    model : str, default "adjusted_dawid_skene"
        A model whose E-step is local to an item: "voting", "weighted_voting", "one_coin",
        "dawid_skene", "adjusted_dawid_skene", "mace" or "glad".
    rng : numpy.random.Generator or int, optional
        For random starts.
    gold : mapping of str to str, optional
        Known categories of some items, which "dawid_skene" and "adjusted_dawid_skene" fix.
    scheduler : str, distributed.Client or concurrent.futures.Executor, optional
        Who passes over partitions, as for `annobench.report`.
    resume : bool, default False
        Whether to resume from the checkpoint of an interrupted fit in `out`.
    say : callable, optional
        Called with a line on progress, such as the log likelihood after an iteration.
    **options
        Passed to the model's `fit_partitions`.

    Returns
    -------
    PartitionedConsensus
        Tables of annotators, confusion matrices and prevalence, and where the items are.

    Raises
    ------
    AnnotationError
        If the model is not one of these, has no such option, or can't take the labels.

    Notes
    -----
    Estimates equal those of the model on the same labels in memory, up to rounding. There are no
    intervals, since a bootstrap would fit the model hundreds of times.
    """
    options |= {} if gold is None else {"gold": gold}
    out = Path(out).absolute()
    with workers_of(labels, scheduler, say=say) as workers:
        passing = Passing(labels, workers, say, out / "checkpoint", resume)
        found = models.fit_partitions(passing, model, rng=rng, **options)
        total = labels.map_sum(workers, _write, found.passes, found.theta, out)
    annotators = annotators_table(total.given, found.fit)
    confusion = pd.DataFrame()
    if isinstance(found.fit, ConfusionFit):
        confusion = found.fit.confusion_frame()
    if models.get(model).METHOD.compares:
        alone = np.flatnonzero((total.given > 0) & (total.compared == 0))
        annotators.iloc[alone, 2:] = np.nan
        if len(confusion):
            unjudged = confusion["annotator"].isin(annotators["annotator"][alone])
            confusion.loc[unjudged, "probability"] = np.nan
    prevalence = getattr(found.fit, "prevalence", total.mass / total.mass.sum())
    return PartitionedConsensus(
        model,
        found.fit,
        labels,
        out,
        annotators,
        confusion,
        pd.DataFrame({"category": labels.categories, "prevalence": prevalence}),
        int(total.n_tied),
        int(total.n_certain),
        tuple(
            found.fit.cautions()
            + found.fit.few_labels(
                labels.n_labels, int(np.count_nonzero(total.given)), labels.n_items
            )
        ),
    )


def _write(block: Block, passes: Passes[Any, Any], theta: Any, out: Path) -> _Sums:
    """Write the items of a block atomically."""
    labels = block.annotations
    posterior = passes.sweep(block.made(Votes), theta, block.number)[1]
    fitted = _BlockFit(block.names, labels.annotators, labels.categories, posterior)
    table = items_table(labels, fitted)
    with replacing(partition_file(out, "items", block.number)) as draft:
        table.to_parquet(draft, index=False)
    shared = labels.is_shared[labels.item]
    return _Sums(
        np.bincount(labels.annotator, minlength=labels.n_annotators),
        np.bincount(labels.annotator[shared], minlength=labels.n_annotators),
        posterior.sum(axis=0),
        int(table["tied_vote"].sum()),
        int((table["probability"] >= CERTAIN).sum()),
    )


def items_to_csv(found: PartitionedConsensus, path: Path) -> None:
    """Write the items as one CSV, a partition at a time."""
    with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="") as stream:
        for number in range(len(found.labels.item_counts)):
            table = pq.read_table(partition_file(found.folder, "items", number)).to_pandas()
            table.to_csv(
                stream,
                index=False,
                header=number == 0,
                lineterminator="\n",
                quoting=csv_quoting(table),
            )
