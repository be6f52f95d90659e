"""Give every printed value of one paper its verdict."""

from pathlib import Path

from annobench.core.errors import PublicationError
from annobench.core.files import recording, replacing
from annobench.replication import compare, dependence


def main(
    paper: str,
    results: str,
    *,
    published: Path,
    computed: Path,
    errata: Path,
    standing: Path,
    traced: Path,
    comparison: Path,
    others: Path,
) -> None:
    """Write the paper's comparison, and beside it the values of other methods."""
    printed = compare.read_published(published)
    if printed.empty != (results == "none"):
        raise PublicationError(
            f"{published}: {len(printed)} rows, but paper.yaml says 'results: {results}'. "
            "Correct one of the two."
        )
    values = compare.read_computed(computed)
    verdicts = compare.compare(
        printed,
        values,
        compare.read_errata(errata),
        standing=compare.read_standing(standing),
        dependence=dependence.read(traced),
        paper=paper,
    )
    compare.write_comparison(verdicts, comparison)
    with replacing(others) as draft:
        compare.other_methods(values).to_csv(draft, index=False)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=f"{snakemake.rule} {snakemake.wildcards.paper}"):
        main(
            snakemake.wildcards.paper,
            snakemake.params.results,
            published=Path(snakemake.input.published),
            computed=Path(snakemake.input.computed),
            errata=Path(snakemake.input.errata),
            standing=Path(snakemake.input.standing),
            traced=Path(snakemake.input.dependence),
            comparison=Path(snakemake.output.comparison),
            others=Path(snakemake.output.others),
        )
