"""The commands `inspect` and `convert`, which describe a file and convert its labels to a table."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annobench.cli._memory import refuse_too_many_labels
from annobench.cli._proposals import (
    Facts,
    Proposals,
    propose,
    propose_for_export,
    propose_for_partitions,
    words,
)
from annobench.cli._reading import (
    Reading,
    print_reading,
    reads_as,
    reads_labels,
    refuse_sets,
)
from annobench.cli._replacing import refuse_to_replace
from annobench.cli._shared import check_folder, fail, listed, note_formulas, say, terminal
from annobench.cli._trials import TRIED, Trial, end_trial, tried
from annobench.core.discovery import did_you_mean
from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.files import write_csv
from annobench.core.texts import counted
from annobench.io.options import LISTS, written

if TYPE_CHECKING:
    from rich.table import Table

    from annobench.io import Export
    from annobench.io.source import Source
    from annobench.scale.partitions import PartitionedLabels

#: Categories of a question, and people, that are shown at most.
_SHOWN = 6


@reads_as(
    *("from_format", "item", "annotator", "label", "question", "annotators", "transpose", "counts"),
    *("weight", "gold", "sheet", "header_rows"),
)
def inspect(path: Annotated[Path, typer.Argument(help="A file or folder.")], **typed: Any) -> None:
    """Say what a file or folder is, what it holds, and which command to run.

    Example: annobench inspect export.json
    """
    from annobench.io.source import Source

    given = [
        word
        for name, value in typed.items()
        if value and name != "question"
        for word in ((written(name),) if value is True else (written(name), str(value)))
    ]
    question = typed["question"]
    options = {
        name: listed(value) if name in LISTS else value
        for name, value in typed.items()
        if value is not None
    }
    options["format"] = options.pop("from_format", None)
    try:
        source = Source.of(path, **options, keep_names=True)
        if source.partitions is not None:
            _inspect_partitions(path, source.partitions)
            return
        if source.kind == "long":
            refuse_too_many_labels(source, "inspect")
        export = source.export
        if export.table is not None:
            _inspect_table(source, given)
            return
        if question is not None:
            _check_question(export, question)
    except (AnnotationError, ReaderError, OSError) as error:
        fail(error)
    console = terminal()
    console.print(f"{export.format.title}, {export.variant}", markup=False, highlight=False)
    console.print(export.format.note, markup=False, highlight=False, style="dim")
    console.print(_questions(export, question))
    if export.read_as:
        console.print(export.read_as, markup=False, highlight=False, soft_wrap=True)
    notes = [f"Note: {text}" for text in export.notes]
    for line in (*_facts(export), *_several(export), *notes, *_doubts(export)):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    _say_next(propose_for_export(path, export, given, question))


def _check_question(export: Export, question: str) -> None:
    known = list(export.questions["question"])
    if question not in known:
        raise AnnotationError(
            f"{export.path}: no question is called {question!r}.{did_you_mean(question, known)} "
            f"There are {', '.join(map(repr, known))}."
        )


def _inspect_table(source: Source, given: Sequence[str]) -> None:
    """Describe a plain table of labels."""
    from annobench.io.formats.base import is_email
    from annobench.io.reading import select
    from annobench.labels.doubts import doubtful_categories
    from annobench.reporting.formats import extent

    selection = select(source, repeats="all")
    labels = selection.labels
    say(
        "A table with one row per label: "
        f"{extent(labels.n_labels, labels.n_annotators, labels.n_items)}, "
        f"{counted(labels.n_categories, 'category', 'categories')}: {_some(labels.categories)}"
    )
    if selection.read_as:
        say(selection.read_as)
    facts, repetitions = Facts.of_labels(labels), False
    if facts.n_repeats:
        are = "is a repeat" if facts.n_repeats == 1 else "are repeats"
        say(f"{counted(facts.n_repeats, 'label')} {are}: the annotator labelled the item before.")
        distinction = source.export.distinction()
        if advice := distinction.advice:
            say(advice[0].upper() + advice[1:])
        repetitions = bool(distinction.sentence) and not distinction.item
        if distinction.item:
            pooled = replace(source, options=replace(source.options, item=distinction.item))
            facts = Facts.of_labels(select(pooled, repeats="all").labels)
            at = given.index("--item") if "--item" in given else len(given)
            given = [*given[:at], "--item", distinction.item, *given[at + 2 :]]
    n_people = sum(map(is_email, labels.annotators))
    if n_people:
        say(_said_of_people(n_people))
    for text in doubtful_categories(labels):
        say(f"Note: {text}")
    _say_next(propose(facts, words(source.path, given), repetitions=repetitions))


def _inspect_partitions(path: Path, labels: PartitionedLabels) -> None:
    """Describe the output of `annobench partition`."""
    from annobench.reporting.formats import extent

    say(
        f"A folder of {labels.n_partitions:,} partitions: "
        f"{extent(labels.n_labels, labels.n_annotators, labels.n_items)}, "
        f"{counted(labels.n_categories, 'category', 'categories')}, {labels.scale}: "
        f"{_some(labels.categories)}"
    )
    _say_next(propose_for_partitions(path, labels))


def _said_of_people(n: int) -> str:
    are, get = ("is", "gets a pseudonym") if n == 1 else ("are", "get pseudonyms")
    return (
        f"{counted(n, 'annotator')} {are} identified by a person's name or e-mail address and "
        f"{get} unless you use --keep-names"
    )


def _questions(export: Export, only: str | None) -> Table:
    """Tabulate the questions, or the requested one, for the terminal."""
    from rich.markup import escape
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    shown.add_column("question", overflow="fold")
    shown.add_column("kind", no_wrap=True)
    for name in ("answers", "items", "annotators"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("categories", overflow="fold")
    for row in export.questions.to_dict("records"):
        if only not in (None, row["question"]):
            continue
        counts = [f"{row[name]:,}" for name in ("answers", "items", "annotators")]
        if export.anonymous:
            counts[-1] = "unknown"
        shown.add_row(
            escape(row["question"]), row["kind"], *counts, escape(_some(row["categories"]))
        )
    return shown


def _some(names: Any) -> str:
    short = [name if len(name) <= 40 else f"{name[:37]}..." for name in names[:_SHOWN]]
    if any("," in name or name != name.strip() or not name.isprintable() for name in short):
        short = list(map(repr, short))
    shown = ", ".join(short)
    return f"{shown}, ... ({len(names):,})" if len(names) > _SHOWN else shown


def _facts(export: Export) -> list[str]:
    """Report what a user should know before using the labels."""
    facts = [f"{rows:>9,}  {what}" for what, rows in export.totals().items() if rows]
    if export.personal:
        facts.append(_said_of_people(len(export.personal)))
    return facts


def _doubts(export: Export) -> list[str]:
    """Report likely mistakes in categories or other names."""
    from annobench.labels.doubts import doubtful_names, doubtful_spellings

    chosen = export.questions[export.questions["kind"].isin(["choice", "choices"])]
    spellings = doubtful_spellings("items", export.items)
    spellings += doubtful_spellings("annotators", export.annotators)
    return [f"Note: {text}" for text in spellings] + [
        f"Note: {row['question']}: {text}"
        for row in chosen.to_dict("records")
        for text in doubtful_names(row["categories"])
    ]


def _several(export: Export) -> list[str]:
    """Report which commands accept questions whose answers are sets, and how."""
    lines = []
    for question in export.questions["question"][export.questions["kind"].eq("choices")]:
        combined = export.combined_options(question)
        if combined:
            asked = shlex.quote(f"{question}={combined[0]}")
            lines.append(
                f"answers to {question!r} have several options at once: report compares them as "
                f"sets, the other commands take one option, such as --question {asked}"
            )
    return lines


def _say_next(found: Proposals) -> None:
    """Print the commands to run next, and why a usual one is missing."""
    commands, reasons = [], [*found.reasons]
    for command in found.commands:
        _, *typed = shlex.split(command)
        # To rank is proposed after it has succeeded.
        trial = tried(typed, typed[1]) if typed[0] in TRIED else Trial()
        loss = trial.loss(of_repeats=not found.repetitions)
        if trial.refusal:
            reasons.append(trial.refusal)
        elif loss:
            reasons.append(f"`{command}` {loss}: it is not proposed.")
        else:
            commands.append(command)
    for reason in dict.fromkeys(reasons):
        say(reason)
    if commands:
        say("\n  ".join(["Next:", *commands]))


@reads_labels
def convert(
    reading: Reading,
    out: Annotated[Path, typer.Argument(help="File to write: .parquet, .csv or .tsv.")],
    ledger: Annotated[
        Path | None, typer.Option(help="CSV file for records that were left out.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Convert labels in any format to a table with one row per label.

    Example: annobench convert export.json labels.parquet --question sentiment
    """
    from annobench.io import write_labels
    from annobench.reporting.formats import extent

    try:
        if out.suffix.lower() not in (".parquet", ".pq", ".csv", ".tsv", ".tab"):
            raise AnnotationError(
                f"convert: {out} ends in none of .parquet, .csv and .tsv. Use one of these endings."
            )
        check_folder(out.parent, "convert")
        targets = [path for path in (out, ledger, reading.key) if path is not None]
        refuse_to_replace("convert", targets, sources=reading.sources, force=force)
        selection = reading.select(repeats="all")
        refuse_sets(selection, "convert")
        selection.labels.check_annotators("convert")
        end_trial(selection)
        write_labels(selection.labels, out)
        if ledger is not None:
            write_csv(selection.ledger, ledger)
    except (AnnotationError, ReaderError, OSError) as error:
        fail(error)
    print_reading(selection)
    labels = selection.labels
    note_formulas(path for path in (out, ledger) if path)
    say(f"{out}: {extent(labels.n_labels, labels.n_annotators, labels.n_items)}")
