"""Give every printed value of a paper its verdict."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from annobench.core.errors import PublicationError
from annobench.core.files import recording, replacing
from annobench_replication import dependence, ledger, verdicts


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


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=f"{snakemake.rule} {snakemake.wildcards.paper}"):
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
        )
        ledger.write_comparison(judged, Path(snakemake.output.comparison))
        with replacing(snakemake.output.others) as draft:
            others.to_csv(draft, index=False)
