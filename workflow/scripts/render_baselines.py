"""Render the page of the benchmark of models."""

from pathlib import Path

from annobench.core.files import recording, replacing
from annobench.reporting import benchmark_page
from annobench.studies.benchmark.tables import read_tables


def main(tables: Path, page: Path) -> None:
    """Write the page."""
    with replacing(page) as draft:
        draft.write_text(benchmark_page.render(read_tables(tables), depth=2), encoding="utf-8")


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            tables=Path(snakemake.input.settings).parent,
            page=Path(snakemake.output.page),
        )
