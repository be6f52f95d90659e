"""The command `rank`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annobench.cli._replacing import ForceOption
from annobench.cli._shared import fail, note, say, say_written, terminal
from annobench.cli._writing import TableFormat, Writing
from annobench.core.errors import AnnotationError, ReaderError

# What a command alone needs it imports itself: the others, and the help, answer at once.
if TYPE_CHECKING:
    from rich.table import Table

    from annobench.pairwise import BradleyTerry


def rank(
    pairs: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV, JSON or Parquet with one row per comparison of two items, or a file of "
            "AlpacaEval, FastChat or Arena-Hard."
        ),
    ],
    left: Annotated[
        str | None, typer.Option(help="Column of the item shown first: left, model_a, ...")
    ] = None,
    right: Annotated[
        str | None, typer.Option(help="Column of the item shown second: right, model_b, ...")
    ] = None,
    winner: Annotated[
        str | None,
        typer.Option(help="Column of the outcome: the winner's name, or left, right, tie."),
    ] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotators.")] = None,
    reliability: Annotated[
        bool,
        typer.Option("--reliability", help="Estimate each annotator's reliability, too."),
    ] = False,
    clusters: Annotated[
        str | None,
        typer.Option(
            help="Column of what comparisons share, such as the prompt or the annotator: intervals "
            "and tests then allow for dependence within clusters."
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    out: Annotated[
        Path | None, typer.Option(help="Output folder; by default <name>_ranking.")
    ] = None,
    table_format: Annotated[
        TableFormat, typer.Option("--format", help="Format of the tables.")
    ] = "csv",
    force: ForceOption = False,
) -> None:
    """Rank systems by pairwise judgements: ranking.html, and ranking.csv with intervals.

    Example: annobench rank battles.csv --winner preferred --reliability
    """
    from annobench.io.pairs import read_comparisons
    from annobench.pairwise import bradley_terry
    from annobench.reporting import rank_page

    folder = pairs.with_name(f"{pairs.stem}_ranking") if out is None else out
    try:
        writing = Writing("rank", folder, force, (pairs,), table_format)
        writing.check(["ranking.html"], ["ranking", "annotators"])
        comparisons = read_comparisons(
            pairs,
            left=left,
            right=right,
            winner=winner,
            annotator=annotator,
            clusters=clusters,
        )
        ranking = bradley_terry(comparisons, reliability=reliability, level=level)
        tables = {"ranking": ranking.table}
        if ranking.annotators is not None:
            tables["annotators"] = ranking.annotators
        page = rank_page.render(ranking, comparisons, source=pairs.name)
        written = writing.write("ranking.html", page, tables)
    except (AnnotationError, ReaderError, OSError) as error:
        fail(error)
    for sentence in (*comparisons.remarks, *ranking.sentences):
        say(sentence)
    terminal().print(_table_of(ranking))
    for text in ranking.cautions:
        note(f"Note: {text}")
    say_written(folder, written)


def _table_of(ranking: BradleyTerry) -> Table:
    """Tabulate the ranking for the terminal."""
    from rich.markup import escape
    from rich.table import Table

    from annobench.reporting.formats import number

    table = Table("item", box=None, pad_edge=False, header_style="bold")
    for name in ("strength", f"{100 * ranking.level:g}% interval", "rank", "comparisons"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in ranking.table.to_dict("records"):
        ranked = row["rank"] == row["rank"]
        finite = abs(row["lower"]) < math.inf
        ends = f"{number(row['lower'], 2)} to {number(row['upper'], 2)}" if finite else ""
        ranks = f"{row['rank']:.0f} ({row['rank_best']:.0f} to {row['rank_worst']:.0f})"
        table.add_row(
            escape(row["item"]),
            number(row["strength"], 2),
            ends,
            ranks if ranked else "",
            f"{row['n_comparisons']:,}",
        )
    return table
