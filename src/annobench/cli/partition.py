"""The command `partition`, and `consensus` for the folders that it writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from annobench.cli._replacing import refuse_to_replace
from annobench.cli._shared import fail, listed, note, note_formulas, say, terminal

if TYPE_CHECKING:
    from annobench.cli._writing import Writing
    from annobench.scale._blocks import BlockedLabels

Scheduler = Annotated[
    str | None,
    typer.Option(
        help="Address of Dask's scheduler, such as tcp://host:8786; by default workers are started "
        "on this machine."
    ),
]

EngineOption = Annotated[
    Literal["auto", "memory", "dask"],
    typer.Option(
        help="Process a folder of `annobench partition` in memory or on Dask's workers; auto "
        "decides by its size."
    ),
]

#: Up to so many items are written as one CSV, too, if the tables are to be CSV.
CSV_ITEMS = 1_000_000
#: Folders in which `consensus` keeps the items of partitions, and what an interrupted fit knew.
WORKED_IN = ("items", "checkpoint")


def partition(
    source: Annotated[
        str,
        typer.Argument(
            help="CSV, TSV or Parquet with one row per label, a folder of them, or an address for "
            "fsspec, such as s3://bucket/labels/."
        ),
    ],
    folder: Annotated[Path, typer.Argument(help="Output folder; workers must have access to it.")],
    item: Annotated[str | None, typer.Option(help="Column of the items.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotators.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the labels.")] = None,
    categories: Annotated[
        str | None, typer.Option(help="All categories in order, separated by commas: no,yes.")
    ] = None,
    scale: Annotated[
        Literal["nominal", "ordinal"] | None,
        typer.Option(help="Scale of the labels; by default as a Parquet file says, else nominal."),
    ] = None,
    partition_labels: Annotated[
        int, typer.Option(min=1, help="Approximate number of labels in a partition.")
    ] = 2_000_000,
    force: Annotated[
        bool, typer.Option("--force", help="Replace existing partitions of other labels.")
    ] = False,
    scheduler: Scheduler = None,
) -> None:
    """Partition labels by item, for data that do not fit in memory.

    If it was interrupted, run it again to resume.

    Example: annobench partition labels/ partitions/
    """
    from annobench.io import partition as partitioned
    from annobench.reporting.formats import extent

    try:
        # Of what else a folder holds, `partition` itself takes care.
        refuse_to_replace("partition", [folder], sources=[Path(source)], force=True)
        with _progress() as follow:
            found = partitioned(
                source,
                folder,
                item=item,
                annotator=annotator,
                label=label,
                categories=listed(categories),
                scale=scale,
                partition_labels=partition_labels,
                replace=force,
                scheduler=scheduler,
                say=note,
                follow=follow,
            )
    except (ValueError, OSError) as error:
        fail(error)
    say(
        f"{extent(found.n_labels, found.n_annotators, found.n_items)}, "
        f"in {found.n_categories} categories\n"
        f"written to {folder}: {found.n_partitions:,} partitions"
    )


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    from rich.progress import Progress

    with Progress(console=terminal(stderr=True)) as bars:
        known: dict[str, Any] = {}

        def follow(what: str, done: int, total: int) -> None:
            if what not in known:
                known[what] = bars.add_task(what, total=total)
            bars.update(known[what], completed=done, total=total)

        yield follow


def consensus_of_partitions(
    labels: BlockedLabels,
    writing: Writing,
    *,
    gold: Path | None,
    **options: Any,
) -> None:
    """Run `consensus` on partitions."""
    from annobench.aggregation.consensus import TABLES
    from annobench.aggregation.partitioned import consensus_partitions, items_to_csv
    from annobench.io import read_gold

    as_csv = writing.format == "csv" and labels.n_items <= CSV_ITEMS
    writing.check([*WORKED_IN, *(["items.csv"] if as_csv else [])], set(TABLES) - {"items"})
    known = None if gold is None else read_gold(gold)
    # Noted before the fit, so that it can go on after an interruption.
    writing.record(WORKED_IN)
    found = consensus_partitions(labels, writing.folder, gold=known, say=note, **options)
    written = writing.write_tables(found.tables())
    if as_csv:
        items_to_csv(found, writing.folder / "items.csv")
        writing.record(["items.csv"])
        written.append("items.csv")
    say(found._headline())
    for category, prevalence in zip(labels.categories, found.prevalence["prevalence"], strict=True):
        say(f"prevalence of {category!r}: {prevalence:.3f}")
    for text in found.remarks:
        note(f"Note: {text}")
    note("Note: There are no intervals: a bootstrap would fit the model hundreds of times.")
    note_formulas(writing.folder / name for name in written)
    say(f"written to {writing.folder}: items/*.parquet, {', '.join(written)}")
