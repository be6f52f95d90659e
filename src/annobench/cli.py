"""The command line: `annobench fit`, `annobench data list` and `fetch`, `annobench version`."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import numpy as np
import pandas as pd
import typer
from rich.console import Console
from rich.logging import RichHandler
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from annobench import __version__, datasets
from annobench.annotations import Annotations
from annobench.errors import AnnotationError, ChecksumError, DataUnavailableError, ReaderError
from annobench.files import replacing
from annobench.io import read_labels

if TYPE_CHECKING:
    from annobench.models.hierarchical_binary import HierarchicalBinaryFit

app = typer.Typer(
    help="A reproducible workbench for annotation statistics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
data_app = typer.Typer(help="The data sets.", no_args_is_help=True)
app.add_typer(data_app, name="data")


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


@app.command()
def fit(
    labels: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet: one row a label.")],
    out: Annotated[Path, typer.Option(help="Folder to write to.")],
    positive: Annotated[
        str | None, typer.Option(help="The positive category; by default the last in order.")
    ] = None,
    negative: Annotated[
        str | None, typer.Option(help="The other category, where only the positive one occurs.")
    ] = None,
    item: Annotated[str | None, typer.Option(help="Column of the items.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotators.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the labels.")] = None,
    hierarchical: Annotated[
        bool, typer.Option(help="Estimate what annotators are like on the whole.")
    ] = True,
    draws: Annotated[int, typer.Option(min=100, help="Draws kept in each of 4 chains.")] = 2_500,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the sampler.")] = datasets.DEFAULT_SEED,
) -> None:
    """Find categories and annotators' accuracy from binary labels, by the multilevel model."""
    # The compiled model takes seconds to load, which the other commands need not pay.
    from annobench.models import hierarchical_binary

    n_chains, n_warmup = 4, 1_000
    try:
        _check_folder(out)
        annotations = _binary(
            read_labels(labels, item=item, annotator=annotator, label=label), positive, negative
        )
        with Progress(console=Console(stderr=True), transient=True) as progress:
            bar = progress.add_task("Sampling", total=n_chains * (n_warmup + draws))
            fitted = hierarchical_binary.fit(
                annotations,
                rng=np.random.default_rng(seed),
                hierarchical=hierarchical,
                n_chains=n_chains,
                n_warmup=n_warmup,
                n_draws=draws,
                progress=lambda sweeps: progress.advance(bar, sweeps),
            )
        _write_fit(annotations, fitted, out)
    except (AnnotationError, ReaderError, OSError) as error:
        _fail(error)
    worst = fitted.diagnostics["r_hat"].max()
    low, high = fitted.interval("prevalence")
    typer.echo(
        f"{annotations.n_labels} labels of {annotations.n_annotators} annotators for "
        f"{annotations.n_items} items\n"
        f"prevalence of {annotations.categories[1]!r}: {fitted.prevalence[1]:.3f} "
        f"(95% interval {low:.3f} to {high:.3f})\n"
        f"largest R-hat {worst:.3f}; label switches {int(fitted.label_switches.sum())}\n"
        f"written to {out}: items.csv, annotators.csv, convergence.csv, accuracy.svg, accuracy.png"
    )
    if worst > 1.01:
        typer.echo("The chains have not converged (R-hat above 1.01): take more --draws.", err=True)
    if fitted.label_switches.sum() > 0.01 * n_chains * draws:
        typer.echo(
            "These labels hardly tell annotators from chance (many label switches): what is "
            "positive, and who is good, rests on the prior.",
            err=True,
        )


def _check_folder(out: Path) -> None:
    """Refuse a folder that can't be written, before any time is spent."""
    home = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise AnnotationError(
            f"fit: --out {out} can't be written, as {home} is not a folder that can be. "
            "Name another folder."
        )


def _binary(annotations: Annotations, positive: str | None, negative: str | None) -> Annotations:
    """Put the positive category last; say which labels there are if they are not two."""
    categories = annotations.categories
    if positive is not None and positive not in (*categories, negative):
        raise AnnotationError(
            f"fit: the positive category {positive!r} is not among the labels "
            f"({', '.join(map(repr, categories[:10]))}). Name one of them."
        )
    if positive is not None and negative is not None:
        wanted = [negative, positive]
    else:
        wanted = [name for name in categories if name != positive]
        wanted += [] if positive is None else [positive]
    if len(wanted) != 2 or set(categories) - set(wanted):
        counts = annotations.counts.sum(axis=0)
        listed = ", ".join(
            f"{name!r} ({n} times)" for name, n in zip(categories[:10], counts, strict=False)
        )
        alike = len({name.strip().lower() for name in categories}) < len(categories)
        raise AnnotationError(
            f"fit: the labels must be of two categories, but they are {listed}. "
            + ("Some differ only by spaces or capitals. " if alike else "")
            + "Correct or collapse them; where only one category occurs, name both with "
            "--positive and --negative."
        )
    return Annotations.from_frame(
        annotations.to_frame(),
        items=annotations.items,
        annotators=annotations.annotators,
        categories=wanted,
    )


def _write_fit(annotations: Annotations, fitted: HierarchicalBinaryFit, out: Path) -> None:
    from annobench import plotting
    from annobench.models import voting

    votes = voting.fit(annotations)
    items = pd.DataFrame({"item": annotations.items})
    for code, name in enumerate(annotations.categories):
        items[f"probability_{name}"] = fitted.posterior[:, code]
        items[f"votes_{name}"] = annotations.counts[:, code]
    items["tied_vote"] = votes.is_tie
    annotators = pd.DataFrame(
        {
            "annotator": annotations.annotators,
            "n_labels": np.diff(annotations.by_annotator.offsets),
        }
    )
    for name in ("sensitivity", "specificity"):
        annotators[name] = getattr(fitted, name)
        annotators[f"{name}_lower95"], annotators[f"{name}_upper95"] = fitted.interval(name)
    total = fitted.draws.sensitivity + fitted.draws.specificity
    annotators["probability_better_than_chance"] = (total > 1).mean(axis=(0, 1))
    tables = {
        "items": items,
        "annotators": annotators,
        "convergence": fitted.diagnostics.reset_index(),
    }
    for name, table in tables.items():
        with replacing(out / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")
    with plotting.house_figure(1, height=4.1) as (figure, (axes,)):
        sizes = 250 * annotators["n_labels"] / max(1, annotators["n_labels"].max())
        plotting.accuracy_plane(axes, fitted.sensitivity, fitted.specificity, sizes)
        axes.set_title("Annotators, estimated")
        plotting.save_figure(figure, out / "accuracy")


@data_app.command("list")
def list_datasets() -> None:
    """List the data sets, and whether their files are held on this machine."""
    table = Table("id", "title", "held")
    for id in datasets.names():
        held = "no" if datasets.available(id) else "yes"
        table.add_row(escape(id), escape(datasets.get(id).title), held)
    Console().print(table)


@data_app.command()
def fetch(
    id: Annotated[str, typer.Argument(help="Name of the data set; see `annobench data list`.")],
    mode: Annotated[
        datasets.Mode,
        typer.Option(help="What to do where the real files can't be had."),
    ] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="Folder to write to; by default one named as the data set.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of a simulation.")] = datasets.DEFAULT_SEED,
) -> None:
    """Write a data set as labels.parquet, items.parquet and meta.json."""
    logging.basicConfig(
        format="%(message)s",
        handlers=[RichHandler(console=Console(stderr=True), show_time=False, show_path=False)],
    )
    folder = Path(id) if out is None else out
    try:
        meta = datasets.prepare(id, folder, mode=mode, seed=seed)
    except (
        datasets.UnknownDatasetError,
        DataUnavailableError,
        ChecksumError,
        ReaderError,
    ) as error:
        _fail(error)
    typer.echo(
        f"{folder}: {meta['provenance']}, {meta['n_labels']} labels of "
        f"{meta['n_annotators']} annotators for {meta['n_items']} items"
    )


def _fail(error: Exception) -> NoReturn:
    typer.echo(f"annobench: {error}", err=True)
    raise typer.Exit(1)
