"""Render the pages of benchmarks of models."""

from collections.abc import Sequence
from pathlib import Path

from annobench.benchmark.tables import read_tables
from annobench.core.files import recording, replacing
from annobench.reporting import benchmark_page


def main(folder: Path, other: str, methods: Sequence[str], site: Path) -> str:
    """Return the page of the tables in a folder, which names the methods that it lacks."""
    tables = read_tables(folder)
    absent = set(methods) - set(tables.methods["method"])
    return benchmark_page.render(tables, layout=site, other=other, absent=absent)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        for (folder, options), path in zip(
            snakemake.params.pages.items(), snakemake.output.pages, strict=True
        ):
            html = main(Path(folder), site=Path(snakemake.input.site[0]).parent, **options)
            with replacing(path) as draft:
                draft.write_text(html, encoding="utf-8")
