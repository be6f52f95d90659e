"""The command `audit`."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annobench.cli._proposals import words
from annobench.cli._reading import Reading, print_reading, reads_labels
from annobench.cli._shared import fail, note, say, say_written, terminal
from annobench.cli._writing import Writing
from annobench.core.choices import DEFAULT_MODEL, DEFAULT_SEED
from annobench.core.errors import AnnotationError
from annobench.core.texts import counted

# What a command alone needs it imports itself: the others, and the help, answer at once.
if TYPE_CHECKING:
    from annobench.audit.assessment import Assessment

PAGE = "to_check.html"
#: Tables that an assessment writes.
TABLES = ("items", "strata", "prevalence", "release", "wrong", "calibration")


@reads_labels(writes="audit")
def audit(
    reading: Reading,
    writing: Writing,
    checks: Annotated[int, typer.Option(min=1, help="Number of items you will check.")] = 100,
    checked: Annotated[
        Path | None,
        typer.Option(
            help="The items you checked: to_check.csv with the column gold filled in. Without it, "
            "items are drawn."
        ),
    ] = None,
    model: Annotated[
        str, typer.Option(help="Model whose categories are audited; an unknown name lists all.")
    ] = DEFAULT_MODEL,
    error_rate: Annotated[
        float, typer.Option(help="The largest share of errors among released items.")
    ] = 0.05,
    confidence: Annotated[
        float, typer.Option(help="Confidence that the share of errors is not exceeded.")
    ] = 0.95,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = DEFAULT_SEED,
) -> None:
    """Draw items to check; with --checked, estimate accuracy and say which items can be released.

    Example: annobench audit labels.csv --checks 100; fill in labels_audit/to_check.csv; then
    annobench audit labels.csv --checked labels_audit/to_check.csv
    """
    try:
        for option, value in (
            ("--error-rate", error_rate),
            ("--confidence", confidence),
            ("--level", level),
        ):
            if not 0 < value < 1:
                usual = 0.05 if option == "--error-rate" else 0.95
                raise AnnotationError(
                    f"audit: {option} {value:g} is not between 0 and 1. Give a share, such as "
                    f"{usual:g}."
                )
        if checked is None:
            _draw(reading, writing, checks, model, seed)
        else:
            _assess(reading, writing, checked, error_rate, confidence, level, seed)
    except (ValueError, OSError) as error:
        fail(error)


def _draw(reading: Reading, writing: Writing, checks: int, model: str, seed: int) -> None:

    from annobench import models
    from annobench.audit.design import FILES, draw, write_design
    from annobench.reporting import audit_page

    folder = writing.folder
    if (folder / "design.csv").exists() and not writing.force:
        raise AnnotationError(
            f"audit: items were drawn before, into {folder}. Return them with --checked "
            f"{shlex.quote(str(folder / 'to_check.csv'))} once they are checked; or draw again "
            "with --force, which replaces them; or name another folder with --out."
        )
    writing.check([*FILES, PAGE])
    selection = reading.select(repeats="all")
    labels = selection.labels
    with terminal(stderr=True).status("Fitting"):
        fitted = models.fit(labels, model, rng=seed)
    design = draw(labels.items, labels.categories, fitted.posterior, checks, rng=seed)
    written = write_design(design, folder, selection.texts)
    writing.record(written)
    page = audit_page.render_draw(
        design, source=reading.path.name, model=model, texts=selection.texts
    )
    written += writing.write(PAGE, page, {})
    print_reading(selection)
    n = int(design.drawn.sum())
    command = f"annobench audit {words(reading.path, ['--checked', str(folder / FILES[0])])}"
    if folder != reading.folder(None, "audit"):
        command += f" --out {shlex.quote(str(folder))}"
    say(
        f"{n:,} of {len(design.items):,} items drawn, from "
        f"{counted(design.sizes.size, 'stratum', 'strata')} by the "
        f"certainty of {model}\n"
        f"Next: write the right category of each into the column gold of {folder / 'to_check.csv'},"
        f" then: {command}"
    )
    if not selection.texts:
        note(
            "Note: to_check.csv has no texts. If the file has them, draw with --text, such as "
            "--text sentence, and whoever checks reads them there."
        )
    say_written(folder, written)


def _assess(
    reading: Reading,
    writing: Writing,
    checked: Path,
    error_rate: float,
    confidence: float,
    level: float,
    seed: int,
) -> None:
    from annobench.audit.assessment import assess
    from annobench.audit.design import read_design
    from annobench.io import read_gold
    from annobench.reporting import audit_page

    beside = checked.parent / "design.csv"
    design = read_design(beside if beside.is_file() else writing.folder / "design.csv")
    writing = replace(writing, sources=(*writing.sources, checked))
    writing.check(["audit.html"], TABLES)
    found = assess(
        design,
        read_gold(checked, item="item", gold="gold"),
        error_rate=error_rate,
        confidence=confidence,
        level=level,
        rng=seed,
    )
    tables = {
        "items": found.items_frame(),
        "strata": found.strata.reset_index(),
        "prevalence": found.prevalence,
        "release": found.release.sets,
        "wrong": found.wrong,
    }
    if found.calibration is not None:
        tables["calibration"] = found.calibration.scores.reset_index()
    page = audit_page.render(found, source=reading.path.name)
    written = writing.write("audit.html", page, tables)
    _print(found)
    say_written(writing.folder, written)


def _print(found: Assessment) -> None:
    from annobench.reporting.audit_page import next_steps, release_sentence

    accuracy = found.accuracy
    say(
        f"{counted(found.n_checked, 'item')} checked, {len(found.wrong):,} of them wrong\n"
        f"accuracy of all {len(found.design.items):,} items: {accuracy.estimate:.3f} "
        f"({100 * accuracy.level:g}% interval {accuracy.lower:.3f} to {accuracy.upper:.3f})\n"
        f"{release_sentence(found.release)}"
    )
    for row in found.prevalence.head(10).to_dict("records"):
        say(
            f"prevalence of {row['category']!r}: {row['estimate']:.3f} "
            f"({100 * accuracy.level:g}% interval {row['lower']:.3f} to {row['upper']:.3f}; "
            f"{row['by_model']:.3f} by the model)"
        )
    for text in found.remarks:
        note(f"Note: {text}")
    for text in next_steps(found):
        say(f"Next: {text}")
