"""Print the verdicts of all papers, and fail on what is missing, unexplained or stale."""

from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from annobench.core.errors import PublicationError
from annobench.core.files import recording
from annobench_replication.faces import Tally
from annobench_replication.ledger import read_comparison
from annobench_replication.verdicts import Failure, check
from annobench_replication.vocabulary import VERDICTS
from pages.broken import Fault, read_faults


def counts_table(comparisons: pd.DataFrame) -> Table:
    """Count the verdicts of every paper."""
    table = Table("paper", *VERDICTS, title="Published and computed values")
    counts = pd.crosstab(comparisons["paper"], comparisons["verdict"])
    for paper, row in counts.reindex(columns=list(VERDICTS), fill_value=0).iterrows():
        table.add_row(escape(str(paper)), *map(str, row))
    return table


def failures_table(failures: list[Failure]) -> Table:
    """List the failures with their remedies."""
    table = Table(*Failure._fields, title="Failures", show_lines=True)
    for failure in failures:
        table.add_row(*map(escape, failure))
    return table


def failures_of(comparisons: pd.DataFrame, faults: list[Fault]) -> list[Failure]:
    """List faults, and what else keeps papers from being complete."""
    broken = {fault.paper for fault in faults}
    follows = comparisons["paper"].isin(broken) & (comparisons["verdict"] == "missing")
    return [
        *(Failure(paper, part, message, "correct it") for paper, part, message in faults),
        *check(comparisons[~follows]),
    ]


def main(comparison: Path, faults: list[Fault], console: Console) -> None:
    """Print both tables.

    Raises
    ------
    PublicationError
        If there is any failure.
    """
    comparisons = read_comparison(comparison)
    failures = failures_of(comparisons, faults)
    console.print(counts_table(comparisons))
    for _, words, n in Tally.of(comparisons).grounds:
        console.print(f"Evidence {words}: {n:,}")
    if failures:
        console.print(failures_table(failures))
        raise PublicationError(f"{comparison}: {len(failures)} failure(s), listed above.")
    console.print("Nothing is missing, unexplained or stale.")


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        # A fixed width where no terminal tells its own, so that nothing is cut off in CI.
        console = Console(width=None if Console().is_terminal else 160)
        main(Path(snakemake.input.comparison), read_faults(snakemake.input.faults), console)
