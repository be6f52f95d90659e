"""Render the page of a benchmark of models."""

from pathlib import Path

from annobench.core.files import recording, replacing
from annobench.reporting import benchmark_page
from annobench.studies.benchmark.tables import read_tables


def main(tables: Path, other: str) -> str:
    """Return the page of the tables in a folder."""
    return benchmark_page.render(read_tables(tables), depth=2, other=other)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        html = main(Path(snakemake.input.tables[0]).parent, snakemake.params.other)
        with replacing(snakemake.output.page) as draft:
            draft.write_text(html, encoding="utf-8")
