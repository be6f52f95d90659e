"""Give every printed value of every paper its verdict."""

from pathlib import Path

import pandas as pd

from annobench.core.errors import PublicationError
from annobench.core.files import recording, replacing
from annobench.replication import dependence, ledger, verdicts


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
    )
    return judged, verdicts.other_methods(values)


def combine(comparisons: list[pd.DataFrame]) -> pd.DataFrame:
    """Return one table of all comparisons; without papers, its header alone."""
    frames = [frame for frame in comparisons if not frame.empty]
    return pd.concat(frames) if frames else pd.DataFrame(columns=list(ledger.COMPARISON_COLUMNS))


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        written = []
        for n, (paper, results) in enumerate(snakemake.params.results.items()):
            judged, others = compare(
                paper,
                results,
                published=Path(snakemake.input.published[n]),
                computed=Path(snakemake.input.computed[n]),
                errata=Path(snakemake.input.errata[n]),
                remarks=Path(snakemake.input.remarks[n]),
                standing=Path(snakemake.input.standing[n]),
                traced=Path(snakemake.input.dependence[n]),
            )
            ledger.write_comparison(judged, Path(snakemake.output.comparisons[n]))
            with replacing(snakemake.output.others[n]) as draft:
                others.to_csv(draft, index=False)
            written.append(ledger.read_comparison(Path(snakemake.output.comparisons[n])))
        ledger.write_comparison(combine(written), Path(snakemake.output.comparison))
