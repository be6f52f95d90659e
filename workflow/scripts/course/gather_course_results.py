"""Gather the values of the papers that the sessions of the course quote."""

import csv
from collections.abc import Iterable
from pathlib import Path

from annobench.core.files import recording, replacing
from annobench_course.results import COLUMNS
from annobench_replication.ledger import read_comparison


def main(comparisons: Iterable[str], target: Path) -> None:
    """Write one table of the columns that sessions need."""
    with replacing(target) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for path in comparisons:
            rows = read_comparison(Path(path))[list(COLUMNS)].astype(object)
            writer.writerows(rows.where(rows.notna(), "").to_numpy().tolist())


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        main(snakemake.input.comparisons, Path(snakemake.output.results))
