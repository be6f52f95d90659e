"""Commands for data sets."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annobench.cli._replacing import ForceOption
from annobench.cli._shared import fail, say, terminal
from annobench.cli._writing import Writing
from annobench.core.choices import DEFAULT_SEED, Mode
from annobench.core.errors import (
    AnnotationError,
    ChecksumError,
    DataUnavailableError,
    ReaderError,
)

# What a command alone needs it imports itself: the others, and the help, answer at once.
if TYPE_CHECKING:
    pass


def list_datasets() -> None:
    """List the data sets and whether their files are available locally.

    Example: annobench data list
    """
    from rich.markup import escape
    from rich.table import Table

    from annobench import datasets

    table = Table("id", "title", "held")
    for id in datasets.names():
        held = "no" if datasets.missing_files(id) else "yes"
        table.add_row(escape(id), escape(datasets.get(id).title), held)
    terminal().print(table)


def fetch(
    id: Annotated[str, typer.Argument(help="Name of the data set; see `annobench data list`.")],
    mode: Annotated[
        Mode,
        typer.Option(help="What to do if the real files are not available."),
    ] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="Output folder; by default named after the data set.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of a simulation.")] = DEFAULT_SEED,
    force: ForceOption = False,
) -> None:
    """Write a data set as labels.parquet, items.parquet and meta.json.

    Example: annobench data fetch snow2008_rte --mode simulated
    """
    from rich.logging import RichHandler

    from annobench import datasets
    from annobench.reporting.formats import extent

    logging.basicConfig(
        format="%(message)s",
        handlers=[RichHandler(console=terminal(stderr=True), show_time=False, show_path=False)],
    )
    folder = Path(id) if out is None else out
    writing = Writing("data fetch", folder, force)
    files = ("labels.parquet", "items.parquet", "meta.json")
    try:
        datasets.get(id)
        writing.check(files)
        meta = datasets.prepare(id, folder, mode=mode, seed=seed)
        writing.record(files)
    except (
        AnnotationError,
        datasets.UnknownDatasetError,
        DataUnavailableError,
        ChecksumError,
        ReaderError,
    ) as error:
        fail(error)
    provenance = "SIMULATED, not real" if meta["provenance"] == "simulated" else "real"
    if "without" in meta:
        provenance = f"real, without {', '.join(meta['without'])}"
    say(
        f"{folder}: {provenance}, {extent(meta['n_labels'], meta['n_annotators'], meta['n_items'])}"
    )
