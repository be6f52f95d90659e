"""Write the printed tables of all papers with their computed values, as CSV and LaTeX."""

from pathlib import Path

import pandas as pd

from annobench.core.errors import PublicationError
from annobench.core.files import recording, replacing
from annobench_replication.ledger import read_comparison
from annobench_replication.printed_tables import read_layout
from pages.records import read_record


def main(record: Path, comparison: Path, target: Path) -> None:
    """Write the tables of one paper into a folder."""
    compared = read_comparison(comparison)
    for entry in read_record(record).get("layouts", ()):
        name = entry.pop("name")
        try:
            table = read_layout(record.parent / f"layouts/{name}.csv", compared, **entry)
            frame, latex = table.frame(), table.latex()
        except PublicationError as error:  # the paper's page reports it
            frame, latex = pd.DataFrame({"not made": [str(error)]}), "% not made\n"
        with replacing(target / f"{name}.csv") as draft:
            frame.to_csv(draft, index=False)
        with replacing(target / f"{name}.tex") as draft:
            draft.write_text(latex, encoding="utf-8")


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        for record, comparison in zip(
            snakemake.input.records, snakemake.input.comparisons, strict=True
        ):
            main(Path(record), Path(comparison), Path(comparison).parent / "printed")
