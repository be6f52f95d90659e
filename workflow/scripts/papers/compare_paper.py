"""Give every printed value of a paper its verdict."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.core.errors import PublicationError
from annobench.core.files import replacing
from annobench_replication import dependence, ledger, verdicts
from pages.broken import read_faults, recording_paper


def compare(
    paper: str,
    results: str,
    *,
    published: Path,
    computed: Path,
    errata: Path,
    remarks: Path,
    standing: Path,
    traced: Path,
    second_hand: Collection[str] = (),
    is_traced: bool = True,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a paper's comparison, and the values of other methods."""
    printed = ledger.read_published(published)
    if printed.empty != (results == "none"):
        raise PublicationError(
            f"{published}: {len(printed)} rows, but paper.yaml says 'results: {results}'. "
            "Correct one of the two."
        )
    ledger.read_remarks(remarks)  # Refused here if faulty; the pages show them.
    values = ledger.read_computed(computed)
    if not is_traced:
        # A value of which nobody knows what it rests on may be a number that was typed in.
        values = values.iloc[:0]
    judged = verdicts.compare(
        printed,
        values,
        ledger.read_errata(errata),
        standing=ledger.read_standing(standing),
        dependence=dependence.read(traced),
        paper=paper,
        second_hand=second_hand,
    )
    return judged, verdicts.other_methods(values)


def write(judged: pd.DataFrame, others: pd.DataFrame, output: Any) -> None:
    """Write the comparison of a paper, and its values of other methods."""
    ledger.write_comparison(judged, Path(output.comparison))
    with replacing(output.others) as draft:
        others.to_csv(draft, index=False)


def write_nothing(output: Any) -> None:
    """Write the tables of a paper whose values can't be compared."""
    judged = pd.DataFrame(columns=list(ledger.COMPARISON_COLUMNS))
    write(judged, pd.DataFrame(columns=list(ledger.COMPUTED_COLUMNS)), output)


if snakemake := globals().get("snakemake"):
    output = snakemake.output
    with recording_paper(snakemake, lambda _: write_nothing(output), PublicationError):
        judged, others = compare(
            snakemake.wildcards.paper,
            snakemake.params.results,
            published=Path(snakemake.input.published),
            computed=Path(snakemake.input.computed),
            errata=Path(snakemake.input.errata),
            remarks=Path(snakemake.input.remarks),
            standing=Path(snakemake.input.standing),
            traced=Path(snakemake.input.dependence),
            second_hand=snakemake.params.second_hand,
            is_traced=not read_faults([snakemake.input.untraced]),
        )
        write(judged, others, output)
