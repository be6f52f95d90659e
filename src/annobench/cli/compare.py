"""The command `compare`."""

from __future__ import annotations

import datetime
import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from annobench.cli._reading import Reading, print_reading, reads_labels
from annobench.cli._replacing import ForceOption
from annobench.cli._shared import fail, listed, note, say_written, terminal
from annobench.cli._writing import Writing
from annobench.core.choices import DEFAULT_SEED
from annobench.core.errors import AnnotationError
from annobench.core.files import replacing
from annobench.core.logs import quiet

# What a command alone needs it imports itself: the others, and the help, answer at once.
if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from annobench.benchmark.cases import BenchmarkCase
    from annobench.benchmark.external_methods import Candidate, Finding, Outcome

ComparisonFormat = Literal["csv", "latex"]

#: Items with gold below which bootstrap intervals of some scores cover too seldom.
FEW_GOLD = 100


@reads_labels(optional=True)
def compare(
    reading: Reading | None,
    methods: Annotated[
        list[str] | None,
        typer.Argument(
            help="Your methods: a Python file with fit(labels, rng) or a class, my_method.py; a "
            "name in a file or package, my_method.py:MyClass or package:MyClass; an entry "
            "point; or a file of answers written by --export, answers.json.",
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
        typer.Option(
            help="Names of data sets, or paths to folders of data sets, such as ./snow2008_rte; by "
            "default a few small data sets."
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Models of the library, separated by commas; by default all.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Output folder; by default <name of the first file>_comparison."),
    ] = None,
    force: ForceOption = False,
    limit: Annotated[float, typer.Option(min=0.1, help="Time limit per fit in seconds.")] = 20.0,
    replicates: Annotated[int, typer.Option(min=2, help="Bootstrap samples of the items.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = DEFAULT_SEED,
    export: Annotated[
        Path | None,
        typer.Option(
            help="Write the answers of your method to this JSON file, which others can name as a "
            "method. Needs --author.",
        ),
    ] = None,
    author: Annotated[
        str | None, typer.Option(help="Author of the answers written by --export.")
    ] = None,
    table_format: Annotated[
        ComparisonFormat,
        typer.Option(
            "--format", help="latex adds ranking.tex, a table, and methods.bib, the references."
        ),
    ] = "csv",
) -> None:
    """Compare your own method with the library's models: prints a table and writes a page.

    Example: annobench compare my_method.py --against dawid_skene,ebcc
    """
    from annobench.benchmark import external_methods
    from annobench.benchmark.external_methods import data as choices
    from annobench.benchmark.published import beside
    from annobench.benchmark.ranking import ORDER
    from annobench.reporting import benchmark_page, comparison_tex

    errors = terminal(stderr=True)
    try:
        candidates = [
            external_methods.from_submission(target)
            if target.endswith(".json")
            else external_methods.from_python(target)
            for target in methods or []
        ]
        candidates += [
            external_methods.from_program(command, limit=limit) for command in program or []
        ]
        folder = _comparison_folder(methods or [], reading) if out is None else out
        _check_export(export, author, candidates)
        writing = Writing("compare", folder, force, _sources(methods or [], data or [], reading))
        files = ["index.html", *external_methods.file_names()]
        files += ["ranking.tex", "methods.bib"] if table_format == "latex" else []
        writing.check(files)
        with quiet("annobench"):  # it is said here
            cases = _cases(data, reading, seed)
        simulated = choices.said_of_simulated(cases)
        for text in simulated:
            errors.print(f"WARNING: {text}", style="bold", markup=False, highlight=False)
        with errors.status("Checking"):
            findings = {
                each: external_methods.check(each, limit=limit, seed=seed)
                for each in candidates
                if not isinstance(each, external_methods.Submission)
            }
        warnings = _contract(errors, findings)
        with errors.status("Fitting") as status:
            found = external_methods.compare(
                cases,
                candidates,
                against=listed(against) or [],
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
        if reading is not None:
            remarks += external_methods.what_gold_tells(cases[0], found.rankings[cases[0].name])
            remarks += [*_few(cases[0]), *_chosen(cases[0], seed)]
        found.write(folder)
        page = benchmark_page.render(
            found.tables, marked=found.candidates, remarks=[*simulated, *remarks]
        )
        with replacing(folder / "index.html") as draft:
            draft.write_text(page, encoding="utf-8")
        if table_format == "latex":
            for name, text in (
                ("ranking.tex", comparison_tex.latex(found)),
                ("methods.bib", comparison_tex.bibtex(found)),
            ):
                with replacing(folder / name) as draft:
                    draft.write_text(text, encoding="utf-8")
        if export is not None:
            external_methods.write_submission(
                export,
                candidates[0],
                found.fits,
                cases,
                author=str(author),
                date=datetime.date.today().isoformat(),
                seed=seed,
            )
        writing.record(files)
    except (ValueError, RuntimeError, OSError) as error:
        fail(error)
    console = terminal()
    console.print(_ranking_table(found))
    texts = [found.conclusion, ORDER]
    if printed := len(beside(found.tables)):
        texts.append(f"The page compares {printed} of the accuracies with published ones.")
    for text in texts:
        console.print(text, markup=False, highlight=False)
    for text in [*remarks, *_cautions(found, everyone=reading is not None)]:
        note(f"Note: {text}")
    say_written(folder, ["index.html", "ranking.csv", "scores.csv", "fits.csv", "methods.csv"])
    if export is not None:
        note(f"Answers written to {export}.")


def _check_export(export: Path | None, author: str | None, candidates: list[Candidate]) -> None:
    """Reject an export without a method of the user's own, or without an author."""
    if export is None:
        if author is not None:
            raise AnnotationError("compare: --author has no effect without --export. Give both.")
        return
    if not author:
        raise AnnotationError("compare: --export needs --author, the author of the answers.")
    if len(candidates) != 1:
        raise AnnotationError(
            f"compare: --export writes the answers of one method, got {len(candidates)}. Give one."
        )
    if export.suffix != ".json":
        raise AnnotationError(f"compare: --export {export}: the file's name must end in .json.")


def _cautions(found: Outcome, *, everyone: bool) -> list[str]:
    """Report the scored fits that are far from majority voting: all, or the candidates' only."""
    fits = found.tables.fits
    said = fits[(fits["status"] == "scored") & (fits["note"] != "")]
    if not everyone:
        said = said[said["method"].isin(found.candidates)]
    return [f"{row.method} on {row.problem}: {row.note}" for row in said.itertuples()]


def _comparison_folder(methods: list[str], reading: Reading | None) -> Path:
    """Return the folder of a comparison, named after what is compared."""
    if reading is not None:
        return reading.folder(None, "comparison")
    name = Path(methods[0].partition(":")[0]).stem if methods else "program"
    return Path(f"{name}_comparison")


def _sources(methods: list[str], data: list[str], reading: Reading | None) -> tuple[Path, ...]:
    """Return the files and folders that a comparison reads."""
    named = [*(target.partition(":")[0] for target in methods)]
    named += [name for text in data for name in listed(text) or []]
    own = () if reading is None else reading.sources
    return (*own, *(path for path in map(Path, named) if path.exists()))


def _cases(
    data: list[str] | None,
    reading: Reading | None,
    seed: int,
) -> list[BenchmarkCase]:
    """Return the cases on which methods are compared."""
    from annobench.aggregation.gold import said_of_gold
    from annobench.benchmark.external_methods import data as choices

    if reading is None:
        named = [name for text in data or [] for name in listed(text) or []]
        return choices.find_cases(named, seed) if named else choices.default_cases(seed)
    if reading.gold_from is None:
        raise AnnotationError(
            "compare: --labels needs --gold, the categories by which methods are scored. Give both."
        )
    selection = reading.select(repeats="all", scale="nominal")
    golds = reading.gold(selection) or {}
    print_reading(selection)
    case = choices.own_case(reading.stem, selection.labels, golds)
    for text in said_of_gold(selection.labels, golds):
        note(f"Note: {text}")
    return [case]


def _few(case: BenchmarkCase) -> list[str]:
    """Say that intervals are too narrow, if few items have gold."""
    n = int(case.scored.sum())
    if n >= FEW_GOLD:
        return []
    return [
        f"Only {n} items have gold and labels: the 95% intervals of the log loss and of the "
        "risk-coverage area are too narrow."
    ]


def _chosen(case: BenchmarkCase, seed: int) -> list[str]:
    """Say how items with gold differ from the others, if they do."""
    from annobench.evaluation.gold_sample import compare_gold

    sample = compare_gold(case.annotations, case.gold >= 0, rng=seed)
    if not sample.differs:
        return []
    lacking = f" ({sample.lacking})" if sample.lacking else ""
    return [
        f"Gold is not a random sample: {sample.difference}. Methods are ranked on items with gold, "
        f"and may rank differently on all items{lacking}."
    ]


def _contract(console: Console, findings: dict[Candidate, list[Finding]]) -> dict[str, list[str]]:
    """Print how many checks a method passes, and return the failures."""
    warnings = {}
    for candidate, checks in findings.items():
        name = candidate.METHOD.name
        warnings[name] = [f"{each.check}: {each.note}" for each in checks if not each.kept]
        kept = len(checks) - len(warnings[name])
        console.print(
            f"{name} passes {kept} of {len(checks)} checks",
            markup=False,
            highlight=False,
        )
    return {name: notes for name, notes in warnings.items() if notes}


def _ranking_table(found: Outcome) -> Table:
    """Tabulate the ranking for the terminal."""
    from rich.markup import escape
    from rich.table import Table

    from annobench.benchmark.ranking import places, title_of

    alone = len(found.rankings) == 1
    reference = title_of(str(found.tables.settings["reference"]))
    heads = [*([] if alone else ["scored"]), "log loss", "accuracy", "95% interval"]
    heads += ["vs first", "p", "needed"] if alone else [f"minus {reference}"]
    shown = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    shown.add_column("", justify="right", no_wrap=True)
    shown.add_column("method", overflow="fold")
    for name in heads:
        head = name.replace(" and ", "\nand ").replace(" model", "\nmodel")
        shown.add_column(head, justify="right", no_wrap=True)
    rows = found.ranking.to_dict("records")
    for row, place in zip(rows, places(found.ranking), strict=True):
        own = row["method"] in found.candidates
        values = [] if alone else [f"{row['n_scored']} of {row['n_problems']}"]
        values += [_number(row["log_loss"]), _number(row["accuracy"])]
        values.append("" if math.isnan(row["lower"]) else f"{row['lower']:.3f}–{row['upper']:.3f}")
        if alone:
            needed = row.get("items_needed", math.nan)
            values += [
                "" if math.isnan(needed) else f"{row['minus_best']:+.3f}",
                "" if math.isnan(needed) else f"{row['p_value']:.3f}",
                f"{needed:,.0f}" if math.isfinite(needed) else "",
            ]
        elif math.isnan(row["difference"]):
            values.append("")
        else:
            half_width = (row["difference_upper"] - row["difference_lower"]) / 2
            values.append(f"{row['difference']:+.3f} ± {half_width:.3f}")
        title = f"{'> ' if own else ''}{escape(row['title'])}"
        shown.add_row(place, title, *values, style="bold" if own else None)
    return shown


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"
