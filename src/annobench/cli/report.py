"""The command `report`."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from annobench.cli._reading import Reading, print_reading, reads_labels
from annobench.cli._requirements import RECORD, Outcome, Requirement, decide
from annobench.cli._shared import fail, listed, note, say, say_written, terminal
from annobench.cli._spans import report_layer
from annobench.cli._trials import end_trial
from annobench.cli._writing import Writing
from annobench.cli.partition import EngineOption, Scheduler
from annobench.core.choices import Scale
from annobench.core.errors import AnnotationError, ReaderError

# What a command alone needs it imports itself: the others, and the help, answer at once.
if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from annobench.agreement.groups import ByGroup
    from annobench.agreement.over_time import OverTime
    from annobench.io import Selection
    from annobench.labels.annotations import Annotations
    from annobench.scale._blocks import BlockedLabels


#: Short names of what is required most.
_SHORT = {"alpha": "krippendorff_alpha", "kappa": "cohen_kappa", "agreement": "percent_agreement"}
_REQUIRABLE = (
    *_SHORT,
    *("krippendorff_alpha", "cohen_kappa", "fleiss_kappa", "conger_kappa", "scott_pi"),
    *("gwet_ac1", "brennan_prediger", "light_kappa", "icc", "percent_agreement"),
)


@reads_labels(writes="agreement")
def report(
    reading: Reading,
    writing: Writing,
    scale: Annotated[
        Scale | None,
        typer.Option(help="Scale of the labels; by default as a Parquet file says, else nominal."),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            help="Ordinal categories from low to high, separated by commas: no,maybe,yes."
        ),
    ] = None,
    separator: Annotated[
        str,
        typer.Option(
            help="Separator of the elements of a set; a label that is only the "
            "separator is the empty set."
        ),
    ] = ";",
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Bootstrap the overall intervals, with this seed."),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Target for Krippendorff's alpha."),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit with status 3 unless the interval supports this, such as 'alpha>=0.67'."
        ),
    ] = None,
    over: Annotated[
        str | None,
        typer.Option(help="Agreement over time: the column of times, or 'time' for an export."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="Groups of items or annotators: a column, or a file with two columns."),
    ] = None,
    engine: EngineOption = "auto",
    scheduler: Scheduler = None,
) -> None:
    """Measure agreement: prints a table; writes report.csv and report.html with plots.

    Example: annobench report labels.csv --order poor,fair,good
    """
    from annobench import agreement
    from annobench.labels.doubts import doubtful_spellings
    from annobench.reporting import report_page
    from annobench.reporting.report_further import further

    try:
        if not 0 < level < 1:
            raise AnnotationError(
                f"report: --level {level:g} is not between 0 and 1. Give a share, such as 0.95."
            )
        required = [Requirement.of(text, "report", _REQUIRABLE) for text in require or ()]
        writing.check(["report.html", *([RECORD] if required else [])], ["report", "ledger"])
        if partitions := reading.partitions(engine):
            report_of_partitions(partitions, writing, level=level, seed=seed, scheduler=scheduler)
            return
        layer = reading.layer()
        if layer is not None:
            end_trial(layer)
            reading.write_key(layer.pseudonyms)
            report_layer(layer, writing, source=reading.path.name, level=level, seed=seed)
            return
        selection = _scaled(reading, scale, order, separator, over)
        groups = _groups(reading, selection, by, level)
        if groups is not None:
            doubts = doubtful_spellings("groups", map(str, groups.table["group"]))
            selection = replace(selection, remarks=(*selection.remarks, *doubts))
        end_trial(selection)
        annotations, remarks = selection.labels, list(selection.said)
        table = agreement.report(annotations, rng=seed, level=level)
        drift = _drift(selection, over, level)
        boxes = _boxes(selection, level, seed)
        differences = further(annotations, level=level, seed=seed)
        page = report_page.render(
            annotations,
            table,
            source=reading.path.name,
            remarks=remarks,
            texts=selection.texts,
            target=target,
            drift=drift,
            groups=groups,
            boxes=boxes,
            by=by or "",
            further=differences,
            commands=reading.for_commands(report_page.FOLLOWING),
        )
        tables = {"report": table}
        discussed = report_page.to_discuss(annotations, selection.texts)
        if len(discussed):
            tables["to_discuss"] = discussed
        tables |= differences.tables
        if drift is not None:
            tables["over_time"] = drift.windows
            tables |= {"annotators_over_time": drift.annotators, "trends": drift.trends}
        if groups is not None:
            tables["groups"] = groups.table
        if boxes is not None:
            tables["boxes"] = boxes
        written = writing.write("report.html", page, tables)
    except (AnnotationError, ReaderError, OSError) as error:
        fail(error)
    _print_overall(annotations, table, level)
    if said := report_page.said_of_target(table, target):
        asking = f" {reading.for_command('plan')} says how many."
        say(said + (asking if report_page.is_open(table, target) else ""))
    for text in report_page.said_of_parts(drift, groups, boxes):
        say(text)
    notes = (*report_page.cautions(annotations), *report_page.without_width(table))
    print_reading(selection)
    for text in notes:
        note(f"Note: {text}")
    say_written(writing.folder, written)
    if required:
        writing.record([RECORD])
        asked = {**reading.options, "scale": annotations.scale, "level": level, "seed": seed}
        outcomes = [_outcome(each, table) for each in required]
        decide(outcomes, writing.folder, command="report", data=reading.path, options=asked)


def _outcome(required: Requirement, table: pd.DataFrame) -> Outcome:
    """Look up the first overall value of a coefficient."""
    name = _SHORT.get(required.quantity, required.quantity)
    rows = table[table["breakdown"].eq("overall") & table["coefficient"].eq(name)]
    if rows.empty:
        return Outcome(name, required.least, "", math.nan, math.nan, math.nan)
    row = rows.iloc[0]
    ends = float(row["estimate"]), float(row["lower"]), float(row["upper"])
    return Outcome(name, required.least, str(row["options"]), *ends)


def report_of_partitions(
    labels: BlockedLabels,
    writing: Writing,
    *,
    level: float,
    seed: int | None,
    scheduler: str | None,
) -> None:
    """Run `report` on partitions: the overall values, without a page."""
    from annobench.agreement.partitioned import report_partitions

    table = report_partitions(labels, rng=seed, level=level, scheduler=scheduler, say=note)
    written = writing.write_tables({"report": table})
    _print_overall(labels, table, level)
    say_written(writing.folder, written)


def _print_overall(labels: Annotations | BlockedLabels, table: pd.DataFrame, level: float) -> None:
    from annobench.reporting import formats

    console = terminal()
    console.print(
        f"{formats.extent_of(labels)}, {labels.scale}",
        highlight=False,
    )
    console.print(_overall_table(table, level))
    for text in _without_value(table):
        console.print(text, style="dim", markup=False, highlight=False)


def _scaled(
    reading: Reading,
    scale: Scale | None,
    order: str | None,
    separator: str,
    over: str | None,
) -> Selection:
    """Read labels on the requested scale."""
    if order is not None and scale not in (None, "ordinal"):
        raise AnnotationError(
            f"report: --order is for ordinal labels, but --scale says {scale}. Drop one of them."
        )
    categories = None
    if order is not None:
        scale = "ordinal"
        categories = listed(order) or []
        if len(set(categories)) < 2 or "" in categories:
            raise AnnotationError(
                f"report: --order {order!r} does not name two categories or more. List them from "
                "low to high, separated by commas."
            )
    # A table's sets are names with a separator; of an export they are sets already.
    wanted = "nominal" if scale == "set" else scale
    found = reading.select(categories=categories, scale=wanted, doubts=False, over=over)
    if scale == "set":
        return replace(found, labels=_as_sets(found.labels, separator))
    return found


def _drift(selection: Selection, over: str | None, level: float) -> OverTime | None:
    """Measure agreement over time, if requested."""
    if over is None or selection.times is None:
        return None
    from annobench.agreement.over_time import over_time
    from annobench.core.times import parse_times

    return over_time(
        selection.labels, parse_times(list(selection.times), f"--over {over}"), level=level
    )


def _groups(reading: Reading, selection: Selection, by: str | None, level: float) -> ByGroup | None:
    """Measure agreement within groups, if requested."""
    if by is None:
        return None
    from annobench.agreement.groups import by_group
    from annobench.io.reading import read_groups

    of, groups = read_groups(reading.source, by, selection)
    return by_group(selection.labels, groups, of=of, level=level)


def _boxes(selection: Selection, level: float, seed: int | None) -> pd.DataFrame | None:
    """Measure agreement on boxes, if any image with boxes has two annotators."""
    seen = Counter(image for image, _ in selection.boxes)
    if not any(selection.boxes.values()) or max(seen.values()) < 2:
        return None
    from annobench.spans.report_table import report_boxes

    return report_boxes(selection.boxes, level=level, rng=seed or 0)


def _as_sets(annotations: Annotations, separator: str) -> Annotations:
    """Split labels into sets of elements."""
    from annobench.labels.annotations import Annotations

    if not separator or not any(separator in name for name in annotations.categories):
        raise AnnotationError(
            f"report: no label, such as {annotations.categories[0]!r}, contains the separator "
            f"{separator!r}. Name the separator of elements with --separator, or use the nominal "
            "scale."
        )
    sets = [
        {part.strip() for part in name.split(separator)} - {""} for name in annotations.categories
    ]
    names = annotations.to_frame()
    return Annotations.from_sets(
        names["item"], names["annotator"], [sets[code] for code in annotations.label]
    )


def _overall_table(table: pd.DataFrame, level: float) -> Table:
    """Tabulate the overall values for the terminal."""
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
    """List the coefficients without a value, one line per reason."""
    from annobench import agreement

    known = agreement.discover()
    rows = table[table["breakdown"].eq("overall") & table["estimate"].isna()]
    return [
        ", ".join(dict.fromkeys(known[name].METHOD.title for name in group["coefficient"]))
        + f": {note}"
        for note, group in rows.groupby("note", sort=False)
    ]
