"""Commands for reference draws of posteriors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annobench.cli._replacing import ForceOption
from annobench.cli._shared import fail, note, say, say_written
from annobench.cli._writing import Writing
from annobench.core.errors import AnnotationError, ChecksumError, DataUnavailableError, ReaderError
from annobench.core.files import replacing, write_csv

# What a command alone needs it imports itself: the others, and the help, answer at once.
if TYPE_CHECKING:
    pass


def reference_posterior(
    name: Annotated[
        str | None,
        typer.Argument(help="Name of a posterior; by default all are listed."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Output folder; by default named after the posterior."),
    ] = None,
    make: Annotated[
        bool, typer.Option("--make", help="Draw again and compare with the stored draws.")
    ] = False,
    force: ForceOption = False,
) -> None:
    """Write a posterior's labels and reference draws, to test another sampler.

    Example: annobench reference-posterior anesthesia-hierarchical_dawid_skene
    """
    from annobench.posteriors import making, records, stored

    if name is None:
        for known in records.names():
            say(f"{known}: {records.get(known).title}")
        return
    folder = Path(name) if out is None else out
    try:
        record = records.get(name)
        writing = Writing("reference-posterior", folder, force)
        writing.check(stored.file_names(name) if make else stored.INPUTS)
        if make:
            reference = making.make(record)
            written = stored.write(reference, folder)
        else:
            reference = stored.load(name)
            written = stored.write_inputs(name, folder)
        writing.record(written)
        told = stored.same_as_stored(reference, folder) if make else ""
    except (AnnotationError, DataUnavailableError, ChecksumError, OSError) as error:
        fail(error)
    say(repr(reference))
    for check, passed in reference.information["checks_made"].items():
        say(f"{check}: {'passed' if passed else 'FAILED'}")
    if told:
        say(told)
    say_written(folder, written)


def compare_draws(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="CSV files, one per chain or with a column chain; or one .npz or .nc file."
        ),
    ],
    name: Annotated[
        str, typer.Argument(help="Name of the posterior; see `annobench reference-posterior`.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Output folder; by default <name of the first file>_comparison."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Compare a sampler's draws with reference draws: comparison.html and comparison.csv.

    Example: annobench compare-draws draws.csv anesthesia-hierarchical_dawid_skene
    """
    from annobench.posteriors import comparison, stored
    from annobench.posteriors.draws import read_draws
    from annobench.reporting import draws_page

    folder = files[0].with_name(f"{files[0].stem}_comparison") if out is None else out
    source = ", ".join(path.name for path in files)
    writing = Writing("compare-draws", folder, force, tuple(files))
    written = ["comparison.html", "comparison.csv"]
    try:
        writing.check(written)
        reference = stored.load(name)
        found = comparison.compare(read_draws(files), reference)
        page = draws_page.render(found, reference, source=source)
        write_csv(found.table, folder / "comparison.csv", index=True)
        with replacing(folder / "comparison.html") as draft:
            draft.write_text(page, encoding="utf-8")
        writing.record(written)
    except (AnnotationError, ReaderError, OSError) as error:
        fail(error)
    say(repr(found))
    for text in found.remarks:
        note(f"Note: {text}")
    say_written(folder, written)
