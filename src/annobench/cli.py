"""The command line: one function for each verb of `annobench`."""

from __future__ import annotations

import csv
import json
import logging
import math
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from annobench import __version__
from annobench.core.choices import DEFAULT_SEED, Mode, Scale
from annobench.core.errors import AnnotationError, ChecksumError, DataUnavailableError, ReaderError
from annobench.core.files import replacing

# What a command alone needs it imports itself: the others, and the help, answer at once.
if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.table import Table

    from annobench.labels.annotations import Annotations
    from annobench.studies.benchmark.cases import BenchmarkCase
    from annobench.studies.doors import Candidate, Finding, Outcome

app = typer.Typer(
    help="A reproducible workbench for annotation statistics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
#: Categories whose prevalence is shown at most.
_SHOWN = 10

data_app = typer.Typer(help="The data sets.", no_args_is_help=True)
app.add_typer(data_app, name="data")

course_app = typer.Typer(help="The course in annotation statistics.", no_args_is_help=True)
app.add_typer(course_app, name="course")


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def _check_folder(out: Path, command: str) -> None:
    """Refuse a folder that can't be written, before any time is spent."""
    home = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise AnnotationError(
            f"{command}: --out {out} can't be written, as {home} is not a folder that can be. "
            "Name another folder."
        )


@app.command()
def consensus(
    labels: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet: one row a label.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write to; by default <name of the file>_consensus."),
    ] = None,
    model: Annotated[
        str, typer.Option(help="Name of the model; a wrong name lists those there are.")
    ] = "dawid_skene",
    option: Annotated[
        list[str] | None,
        typer.Option(
            help="An option of the model's fit, such as draws=2000 or smoothing=0.1; several times "
            "for several. A wrong name lists those there are."
        ),
    ] = None,
    categories: Annotated[
        str | None,
        typer.Option(
            help="All categories in order, with commas, also those that no label names: no,yes. "
            "Of two, the second is the positive one."
        ),
    ] = None,
    item: Annotated[str | None, typer.Option(help="Column of the items.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotators.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the labels.")] = None,
    replicates: Annotated[
        int, typer.Option(min=0, help="Bootstrap samples for intervals; 0 for none.")
    ] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = DEFAULT_SEED,
) -> None:
    """Find each item's category with its probability, and how good each annotator is."""
    from rich.console import Console

    from annobench.aggregation import consensus as consensus_of
    from annobench.io import read_labels

    folder = labels.with_name(f"{labels.stem}_consensus") if out is None else out
    try:
        _check_folder(folder, "consensus")
        annotations = read_labels(
            labels, item=item, annotator=annotator, label=label, categories=_listed(categories)
        )
        with Console(stderr=True).status("Fitting"):
            found = consensus_of.consensus(
                annotations, model=model, rng=seed, replicates=replicates, **_options(option or [])
            )
        written = consensus_of.write(found, folder)
    except (ValueError, OSError) as error:
        _fail(error)
    typer.echo(
        f"{annotations.n_labels:,} labels of {annotations.n_annotators:,} annotators for "
        f"{annotations.n_items:,} items, by {model}\n"
        f"{int(found.items['tied_vote'].sum()):,} items have tied votes; {found.certainty}"
    )
    shown = found.prevalence.head(_SHOWN).set_index("category")
    for category, (prevalence, lower, upper) in zip(shown.index, shown.to_numpy(), strict=True):
        ends = "" if math.isnan(lower) else f" (95% interval {lower:.3f} to {upper:.3f})"
        typer.echo(f"prevalence of {category!r}: {prevalence:.3f}{ends}")
    for text in found.remarks:
        typer.echo(f"Note: {text}", err=True)
    typer.echo(f"written to {folder}: {', '.join(written)}")


def _listed(text: str | None) -> list[str] | None:
    """Read names with commas between."""
    if text is None:
        return None
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def _options(texts: list[str]) -> dict[str, Any]:
    """Read options of a model: numbers, true, false and null as in JSON, all else as text."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise AnnotationError(
                f"consensus: --option {text!r} has no value. Write name=value, such as draws=2000."
            )
        try:
            options[name] = json.loads(value)
        except json.JSONDecodeError:
            options[name] = value
    return options


@app.command()
def report(
    labels: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet: one row a label.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write to; by default <name of the file>_agreement."),
    ] = None,
    item: Annotated[str | None, typer.Option(help="Column of the items.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotators.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the labels.")] = None,
    scale: Annotated[
        Scale | None,
        typer.Option(help="What the labels mean; by default what a Parquet file says, or nominal."),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(help="Ordinal categories from low to high, with commas: no,maybe,yes."),
    ] = None,
    separator: Annotated[
        str, typer.Option(help="What stands between the elements of a set; alone: the empty set.")
    ] = ";",
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Bootstrap the overall intervals, with this seed."),
    ] = None,
    repeats: Annotated[
        Literal["error", "first"],
        typer.Option(help="When an annotator labelled an item twice: stop, or keep the first."),
    ] = "error",
) -> None:
    """Measure how far annotators agree: a table here, report.csv, and report.html with plots."""
    folder = labels.with_name(f"{labels.stem}_agreement") if out is None else out
    from rich.console import Console

    from annobench import agreement
    from annobench.reporting import formats, report_page

    try:
        if not 0 < level < 1:
            raise AnnotationError(
                f"report: --level {level:g} is not between 0 and 1. Give a share, such as 0.95."
            )
        _check_folder(folder, "report")
        annotations = _scaled(
            labels, scale, order, separator, {"item": item, "annotator": annotator, "label": label}
        )
        annotations, remarks = _without_repeats(annotations, labels, repeats)
        table = agreement.report(annotations, rng=seed, level=level)
        page = report_page.render(annotations, table, source=labels.name, remarks=remarks)
        with replacing(folder / "report.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")
        with replacing(folder / "report.html") as draft:
            draft.write_text(page, encoding="utf-8")
    except (AnnotationError, ReaderError, OSError) as error:
        _fail(error)
    console = Console()
    console.print(
        f"{formats.counted(annotations.n_labels, 'label')} of "
        f"{formats.counted(annotations.n_annotators, 'annotator')} for "
        f"{formats.counted(annotations.n_items, 'item')}, {annotations.scale}",
        highlight=False,
    )
    console.print(_overall_table(table, level))
    for text in _without_value(table):
        console.print(text, style="dim", markup=False, highlight=False)
    notes = (*report_page.cautions(annotations), *report_page.without_width(table))
    for text in (*remarks, *notes):
        typer.echo(f"Note: {text}", err=True)
    typer.echo(f"written to {folder}: report.html, report.csv")


def _scaled(
    path: Path,
    scale: Scale | None,
    order: str | None,
    separator: str,
    columns: dict[str, str | None],
) -> Annotations:
    """Read labels on the scale that the user named."""
    from annobench.io import read_labels

    if order is not None and scale not in (None, "ordinal"):
        raise AnnotationError(
            f"report: --order is for ordinal labels, but --scale says {scale}. Drop one of them."
        )
    categories = None
    if order is not None:
        scale = "ordinal"
        categories = _listed(order) or []
        if len(set(categories)) < 2 or "" in categories:
            raise AnnotationError(
                f"report: --order {order!r} does not name two categories or more. List them from "
                "low to high, with commas between."
            )
    wanted = "nominal" if scale == "set" else scale
    try:
        found = read_labels(path, **columns, categories=categories, scale=wanted)
    except ReaderError as error:
        hint = _encoding_hint(path, str(error))
        if wanted == "ordinal" and order is None:
            hint = " On the command line, give the order with --order low,middle,high."
        raise ReaderError(f"{error}{hint}") from error
    return _as_sets(found, separator) if scale == "set" else found


def _as_sets(annotations: Annotations, separator: str) -> Annotations:
    """Split labels into sets of elements."""
    from annobench.labels.annotations import Annotations

    if not separator or not any(separator in name for name in annotations.categories):
        raise AnnotationError(
            f"report: no label has the separator {separator!r}, such as "
            f"{annotations.categories[0]!r}. Name what stands between elements with --separator, "
            "or use the nominal scale."
        )
    sets = [
        {part.strip() for part in name.split(separator)} - {""} for name in annotations.categories
    ]
    names = annotations.to_frame()
    return Annotations.from_sets(
        names["item"], names["annotator"], [sets[code] for code in annotations.label]
    )


def _without_repeats(
    annotations: Annotations, path: Path, repeats: str
) -> tuple[Annotations, list[str]]:
    """Refuse repeated labels, or keep the first and say so."""
    import pandas as pd

    at = annotations.first_repeat
    if at is None:
        return annotations, []
    kept = annotations.first_labels()
    n_repeats = annotations.n_labels - kept.n_labels
    rows = pd.DataFrame([annotations.item, annotations.annotator, annotations.label]).T
    n_equal = int(rows.duplicated().sum())
    what = (
        f"{n_repeats:,} of {annotations.n_labels:,} labels are not the annotator's first for the "
        f"item, {n_equal:,} of them the same label again"
    )
    if repeats == "error":
        raise AnnotationError(
            f"{path}: {what}; such as annotator "
            f"{annotations.annotators[annotations.annotator[at]]!r}, item "
            f"{annotations.items[annotations.item[at]]!r}. Keep one row of each; or keep the first "
            "with --repeats first; or, if it is a second round, give the annotator another name "
            "there."
        )
    return kept, [f"{what}: the first was kept."]


def _encoding_hint(path: Path, message: str) -> str:
    """Say what a file that is not UTF-8 seems to be."""
    if "UTF-8" not in message or "byte" not in message:
        return ""
    with path.open("rb") as stream:
        head = stream.read(4)
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return " It begins as UTF-16 does."
    if head == b"PK\x03\x04":
        return " It begins as a spreadsheet or zip archive does: export it as CSV."
    return " From Excel, save as 'CSV UTF-8'; from elsewhere, it may be Latin-1 or Windows-1252."


def _overall_table(table: pd.DataFrame, level: float) -> Table:
    """Lay out the overall values for the terminal."""
    from rich.markup import escape
    from rich.table import Table

    from annobench import agreement

    known = agreement.discover()
    shown = Table("coefficient", box=None, pad_edge=False, header_style="bold")
    for name in ("estimate", f"{100 * level:g}% interval", "items"):
        shown.add_column(name, justify="right", no_wrap=True)
    rows = table[table["breakdown"].eq("overall")]
    for row in rows[rows["estimate"].notna()].to_dict("records"):
        name = escape(f"{known[row['coefficient']].METHOD.title}  ")
        options = f"[dim]{escape(row['options'])}[/dim]"
        ends = "" if math.isnan(row["lower"]) else f"{row['lower']:.3f} to {row['upper']:.3f}"
        shown.add_row(name + options, f"{row['estimate']:.3f}", ends, f"{row['n_items']:,.0f}")
    return shown


def _without_value(table: pd.DataFrame) -> list[str]:
    """Say which coefficients have no value, one line a reason."""
    from annobench import agreement

    known = agreement.discover()
    rows = table[table["breakdown"].eq("overall") & table["estimate"].isna()]
    return [
        ", ".join(dict.fromkeys(known[name].METHOD.title for name in group["coefficient"]))
        + f": {note}"
        for note, group in rows.groupby("note", sort=False)
    ]


@app.command()
def certificate(
    labels: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet: one row a label.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write to; by default <name of the file>_certificate."),
    ] = None,
    item: Annotated[str | None, typer.Option(help="Column of the items.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotators.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the labels.")] = None,
    guess: Annotated[
        str | None,
        typer.Option(
            help="Probability that a guess on a hard item is the last category, or a range, with "
            "commas: 0.3,0.7; of K categories K probabilities. Needed with two labels an item."
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(help="Which items are retained: unanimous, majority, or a share such as 0.8."),
    ] = None,
    model: Annotated[
        Literal["easy_hard", "rates"] | None,
        typer.Option(help="By default as the number of labels allows."),
    ] = None,
    settled: Annotated[
        float, typer.Option(help="For rates: a label that fewer annotators would give is a guess.")
    ] = 0.6,
    threshold: Annotated[
        float | None, typer.Option(help="Split numeric labels: this and above, and below.")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the certificate.")] = 0.95,
    repeats: Annotated[
        Literal["error", "first"],
        typer.Option(help="When an annotator labelled an item twice: stop, or keep the first."),
    ] = "error",
) -> None:
    """Certify how many retained labels are guesses at most: rules.csv and hard_items.csv."""
    folder = labels.with_name(f"{labels.stem}_certificate") if out is None else out
    from rich.console import Console

    from annobench import noise
    from annobench.io import read_labels

    try:
        _check_folder(folder, "certificate")
        scale: Scale | None = "nominal" if threshold is None else "interval"
        annotations = read_labels(labels, item=item, annotator=annotator, label=label, scale=scale)
        annotations, remarks = _without_repeats(annotations, labels, repeats)
        if threshold is not None:
            annotations = noise.dichotomise(annotations, threshold)
        found = noise.certificate(
            annotations,
            level=level,
            guess=_numbers(guess, "guess"),
            keep=keep if keep in ("unanimous", "majority") else _number(keep, "keep"),  # type: ignore[arg-type]
            model=model,
            settled=settled,
        )
        tables = {
            "rules": found.rules,
            "hard_items": noise.hard_items(annotations, settled=settled),
        }
        for name, table in tables.items():
            with replacing(folder / f"{name}.csv") as draft:
                table.to_csv(draft, index=False, lineterminator="\n")
    except (AnnotationError, ReaderError, OSError) as error:
        _fail(error)
    console = Console()
    console.print(str(found), markup=False, highlight=False, soft_wrap=True)
    if found.n_guesses < found.n_retained:
        console.print(
            "On the same condition guesses alone can't put one system "
            f"{found.smallest_difference():,} items ahead of another, nor "
            f"{found.smallest_difference('independent'):,} if the two are independent and guesses "
            "are fair coins.",
            highlight=False,
            soft_wrap=True,
        )
    console.print(_rules_table(found.rules))
    for text in (*remarks, *found.remarks):
        typer.echo(f"Note: {text}", err=True)
    typer.echo(f"written to {folder}: rules.csv, hard_items.csv")


def _numbers(text: str | None, option: str) -> float | list[float] | None:
    """Read one number, or several with commas."""
    if text is None:
        return None
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise AnnotationError(
            f"certificate: --{option} {text!r} is not a number, or numbers with commas between, "
            "such as 0.3,0.7."
        ) from error
    return values[0] if len(values) == 1 else values


def _number(text: str | None, option: str) -> float | None:
    """Read a share."""
    values = _numbers(text, option)
    if isinstance(values, list):
        raise AnnotationError(
            f"certificate: --{option} must be unanimous, majority or one share, got {text!r}."
        )
    return values


def _rules_table(rules: pd.DataFrame) -> Table:
    """Lay out for the terminal what each rule of retaining would certify."""
    from rich.table import Table

    shown = Table("labels needed", box=None, pad_edge=False, header_style="bold")
    for name in ("retained", "guesses at most", "rate", "estimated"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in rules.to_dict("records"):
        needed = "more than half" if row["keep"] == 0.5 else f"{100 * row['keep']:.3g}%"
        rate = "" if math.isnan(row["rate"]) else f"{100 * row['rate']:.1f}%"
        shown.add_row(
            needed,
            f"{row['n_retained']:,}",
            f"{row['n_guesses']:,}",
            rate,
            f"{row['expected']:.1f}",
        )
    return shown


@app.command("reference-posterior")
def reference_posterior(
    name: Annotated[
        str | None,
        typer.Argument(help="Name of a posterior; without one they are listed."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write to; by default as the posterior."),
    ] = None,
    make: Annotated[
        bool, typer.Option("--make", help="Draw anew, and compare with the draws that are stored.")
    ] = False,
) -> None:
    """Write a posterior's labels and reference draws, for another sampler to be tried on."""
    from annobench.posteriors import making, records, stored

    if name is None:
        for known in records.names():
            typer.echo(f"{known}: {records.get(known).title}")
        return
    folder = Path(name) if out is None else out
    try:
        record = records.get(name)
        _check_folder(folder, "reference-posterior")
        if make:
            reference = making.make(record)
            written = stored.write(reference, folder)
        else:
            reference = stored.load(name)
            written = stored.write_inputs(name, folder)
        told = stored.same_as_stored(reference, folder) if make else ""
    except (AnnotationError, DataUnavailableError, ChecksumError, OSError) as error:
        _fail(error)
    typer.echo(repr(reference))
    for check, passed in reference.information["checks_made"].items():
        typer.echo(f"{check}: {'passed' if passed else 'FAILED'}")
    if told:
        typer.echo(told)
    typer.echo(f"written to {folder}: {', '.join(written)}")


@app.command("compare-draws")
def compare_draws(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="CSV files, one a chain or with a column chain; or one .npz or .nc file."
        ),
    ],
    name: Annotated[
        str, typer.Argument(help="Name of the posterior; see `annobench reference-posterior`.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write to; by default <name of the first file>_comparison."),
    ] = None,
) -> None:
    """Compare a sampler's draws with reference draws: comparison.html and comparison.csv."""
    from annobench.posteriors import comparison, stored
    from annobench.posteriors.draws import read_draws
    from annobench.reporting import draws_page

    folder = files[0].with_name(f"{files[0].stem}_comparison") if out is None else out
    source = ", ".join(path.name for path in files)
    try:
        _check_folder(folder, "compare-draws")
        reference = stored.load(name)
        found = comparison.compare(read_draws(files), reference)
        page = draws_page.render(found, reference, source=source)
        with replacing(folder / "comparison.csv") as draft:
            found.table.to_csv(draft, lineterminator="\n")
        with replacing(folder / "comparison.html") as draft:
            draft.write_text(page, encoding="utf-8")
    except (AnnotationError, ReaderError, OSError) as error:
        _fail(error)
    typer.echo(repr(found))
    for text in found.remarks:
        typer.echo(f"Note: {text}", err=True)
    typer.echo(f"written to {folder}: comparison.html, comparison.csv")


@app.command()
def compare(
    methods: Annotated[
        list[str] | None,
        typer.Argument(
            help="Your methods: a Python file with fit(labels, rng) or a class, my_method.py; a "
            "name in a file or a package, my_method.py:MyClass or package:MyClass; an entry point.",
            show_default=False,
        ),
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(
            help="A program, such as 'Rscript my.R {labels} {probabilities}': labels as "
            "CSV in, probabilities as CSV out."
        ),
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(help="Data sets or folders of data sets; by default a few small ones."),
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Labels of your own in place of data sets; with --gold.")
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(help="Their gold categories: one row an item.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Models of the library, with commas; by default all.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write to; by default <name of the first file>_comparison."),
    ] = None,
    item: Annotated[str | None, typer.Option(help="Column of the items.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotators.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the labels.")] = None,
    limit: Annotated[float, typer.Option(min=0.1, help="Seconds that a fit may take.")] = 20.0,
    replicates: Annotated[int, typer.Option(min=2, help="Bootstrap samples of the items.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = DEFAULT_SEED,
) -> None:
    """Compare a method of your own with the library's models: a table here, and a page."""
    from rich.console import Console

    from annobench.reporting import benchmark_page
    from annobench.studies import doors

    columns = {"item": item, "annotator": annotator, "label": label}
    errors = Console(stderr=True)
    try:
        candidates = [doors.from_python(target) for target in methods or []]
        candidates += [doors.from_program(command, limit=limit) for command in program or []]
        folder = _comparison_folder(methods or [], labels) if out is None else out
        _check_folder(folder, "compare")
        cases = _cases(data, labels, gold, seed, columns)
        with errors.status("Checking"):
            findings = {each: doors.check(each, limit=limit, seed=seed) for each in candidates}
        warnings = _contract(errors, findings)
        with errors.status("Fitting") as status:
            found = doors.compare(
                cases,
                candidates,
                against=_listed(against) or [],
                limit=limit,
                seed=seed,
                replicates=replicates,
                settings={
                    "contract": warnings,
                    "command": shlex.join(["annobench", *sys.argv[1:]]),
                },
                begin=lambda name: status.update(f"Fitting {name}"),
            )
        remarks = [f"{name}: {note}" for name, notes in warnings.items() for note in notes]
        if labels is not None:
            remarks += doors.what_gold_tells(cases[0], found.rankings[cases[0].name])
        found.write(folder)
        page = benchmark_page.render(found.tables, marked=found.candidates, remarks=remarks)
        with replacing(folder / "index.html") as draft:
            draft.write_text(page, encoding="utf-8")
    except (ValueError, RuntimeError, OSError) as error:
        _fail(error)
    console = Console()
    console.print(_comparison_table(found) if labels is None else _ranking_table(found))
    for text in remarks:
        typer.echo(f"Note: {text}", err=True)
    typer.echo(f"written to {folder}: index.html, ranking.csv, scores.csv, fits.csv, methods.csv")


def _command() -> str:
    """Return the command that runs, to be typed again."""
    return shlex.join(["annobench", *sys.argv[1:]])


def _comparison_folder(methods: list[str], labels: Path | None) -> Path:
    """Name the folder of a comparison by what is compared."""
    if labels is not None:
        return labels.with_name(f"{labels.stem}_comparison")
    name = Path(methods[0].partition(":")[0]).stem if methods else "program"
    return Path(f"{name}_comparison")


def _cases(
    data: list[str] | None,
    labels: Path | None,
    gold: Path | None,
    seed: int,
    columns: dict[str, str | None],
) -> list[BenchmarkCase]:
    """Return what methods are compared on."""
    from annobench.io import read_gold, read_labels
    from annobench.studies.doors import data as choices

    if (labels is None) != (gold is None):
        here, other = ("--labels", "--gold") if gold is None else ("--gold", "--labels")
        raise AnnotationError(
            f"compare: {here} is given without {other}. Labels of your own are scored by their "
            "gold categories: give both files."
        )
    if labels is None or gold is None:
        named = [name for text in data or [] for name in _listed(text) or []]
        return choices.find_cases(named, seed) if named else choices.default_cases(seed)
    if data:
        raise AnnotationError("compare: --data and --labels exclude each other. Drop one of them.")
    golds = read_gold(gold, item=columns["item"])
    annotations = read_labels(labels, scale="nominal", **columns)
    return [choices.own_case(labels.stem, annotations, golds)]


def _contract(console: Console, findings: dict[Candidate, list[Finding]]) -> dict[str, list[str]]:
    """Print which checks a method keeps; return what it does not keep."""
    warnings = {}
    for candidate, checks in findings.items():
        name = candidate.METHOD.name
        warnings[name] = [f"{each.check}: {each.note}" for each in checks if not each.kept]
        kept = len(checks) - len(warnings[name])
        console.print(
            f"{name}: {kept} of {len(checks)} checks of the contract are kept",
            markup=False,
            highlight=False,
        )
    return {name: notes for name, notes in warnings.items() if notes}


def _ranking_table(found: Outcome) -> Table:
    """Lay out for the terminal how methods rank on one labelled set."""
    from rich.markup import escape
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    shown.add_column("method", overflow="fold")
    for name in ("accuracy", "95% interval", "vs best", "p", "needed", "log loss"):
        shown.add_column(name, justify="right", no_wrap=True)
    [ranking] = found.rankings.values()
    for row in ranking.to_dict("records"):
        own = row["method"] in found.candidates
        needed = row["items_needed"]
        shown.add_row(
            f"{'> ' if own else ''}{escape(row['method'])}",
            f"{row['accuracy']:.3f}",
            f"{row['lower']:.3f}–{row['upper']:.3f}",
            "" if math.isnan(needed) else f"{row['minus_best']:+.3f}",
            "" if math.isnan(needed) else f"{row['p_value']:.3f}",
            f"{needed:,.0f}" if math.isfinite(needed) else "",
            f"{row['log_loss']:.3f}",
            style="bold" if own else None,
        )
    return shown


def _comparison_table(found: Outcome) -> Table:
    """Lay out for the terminal how methods do on several data sets."""
    from rich.markup import escape
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    shown.add_column("method", overflow="fold")
    for name in ("scored", "among best", "accuracy", "log loss", "seconds"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in found.summary().to_dict("records"):
        own = row["method"] in found.candidates
        shown.add_row(
            f"{'> ' if own else ''}{escape(row['method'])}",
            f"{row['n_scored']} of {row['n_problems']}",
            f"{row['n_best']}",
            *(
                "" if math.isnan(row[name]) else f"{row[name]:.3f}"
                for name in ("accuracy", "log_loss")
            ),
            f"{row['seconds']:.3g}",
            style="bold" if own else None,
        )
    return shown


@data_app.command("list")
def list_datasets() -> None:
    """List the data sets, and whether their files are held on this machine."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from annobench import datasets

    table = Table("id", "title", "held")
    for id in datasets.names():
        held = "no" if datasets.missing_files(id) else "yes"
        table.add_row(escape(id), escape(datasets.get(id).title), held)
    Console().print(table)


@data_app.command()
def fetch(
    id: Annotated[str, typer.Argument(help="Name of the data set; see `annobench data list`.")],
    mode: Annotated[
        Mode,
        typer.Option(help="What to do where the real files can't be had."),
    ] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="Folder to write to; by default one named as the data set.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of a simulation.")] = DEFAULT_SEED,
) -> None:
    """Write a data set as labels.parquet, items.parquet and meta.json."""
    from rich.console import Console
    from rich.logging import RichHandler

    from annobench import datasets

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


@course_app.command()
def grade(
    folder: Annotated[Path, typer.Argument(help="Folder of notebooks, also in folders inside it.")],
    out: Annotated[
        Path | None, typer.Option(help="Table to write; by default grades.csv in the folder.")
    ] = None,
    seconds: Annotated[int, typer.Option(min=1, help="Limit of time for each notebook.")] = 180,
    data: Annotated[
        Path | None,
        typer.Option(help="The course's folder of data; by default looked for above the folder."),
    ] = None,
) -> None:
    """Run and grade every notebook of a folder, each in a process of its own."""
    from rich.console import Console

    from annobench.course import grading

    table = folder / "grades.csv" if out is None else out
    try:
        _check_folder(table.parent, "course grade")
        with Console(stderr=True).status("Grading"):
            grades = grading.grade(folder, seconds=seconds, data=data)
        with replacing(table) as draft:
            grades.to_csv(draft, index=False)
    except (ValueError, OSError) as error:
        _fail(error)
    for (file, student), rows in grades.groupby(["file", "student"], sort=False):
        n = int((rows["exercise"] != "").sum())
        said = f"{int(rows['passed'].sum())} of {n} passed" if n else rows["message"].iloc[0]
        typer.echo(f"{file} ({student or 'no name'}): {said}")
    typer.echo(f"{table}: {grades['file'].nunique()} notebooks")


@course_app.command()
def exam(
    students: Annotated[Path, typer.Argument(help="Text file: one name or ID a line.")],
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path("exam"),
    questions: Annotated[int, typer.Option(min=1, help="How many questions.")] = 8,
    session: Annotated[
        list[str] | None,
        typer.Option(help="A session that is asked about; several times for several. Default all."),
    ] = None,
    title: Annotated[str, typer.Option(help="Heading.")] = "Annotation statistics: exam",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the choice.")] = DEFAULT_SEED,
) -> None:
    """Write an exam with each student's own numbers, and all solutions."""
    from annobench.course import bank

    try:
        _check_folder(out, "course exam")
        names = students.read_text(encoding="utf-8").splitlines()
        answers = bank.write_exam(names, out, n=questions, only=session, title=title, rng=seed)
    except (ValueError, OSError) as error:
        _fail(error)
    typer.echo(f"{out}: {questions} questions for {answers['student'].nunique()} students")


def _fail(error: Exception) -> NoReturn:
    typer.echo(f"annobench: {error}", err=True)
    raise typer.Exit(1)
