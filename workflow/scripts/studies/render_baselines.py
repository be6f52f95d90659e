"""Render the pages of benchmarks of models."""

from collections.abc import Sequence
from pathlib import Path

from annobench.benchmark.tables import read_table, read_tables
from annobench.core.files import recording, replacing
from annobench.models import pool
from annobench.reporting import benchmark_page

#: Said of a method whose rows are marked.
LEARNED = (
    "The rows of {}, which are marked, have weights that were learned without the data set's "
    "family; those of regimes, weights that were learned on all real data sets."
)


def main(
    folder: Path, other: str, methods: Sequence[str], site: Path, submitted: str | None = None
) -> str:
    """Return the page of the tables in a folder, which names the methods that it lacks."""
    tables = read_tables(folder)
    known = set(tables.methods["method"])
    learned = known & {pool.METHOD.name}
    return benchmark_page.render(
        tables,
        layout=site,
        other=other,
        absent=set(methods) - known,
        marked=learned,
        remarks=[LEARNED.format(name) for name in learned],
        submitted=read_table(submitted) if submitted else None,
    )


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        for (folder, options), path in zip(
            snakemake.params.pages.items(), snakemake.output.pages, strict=True
        ):
            html = main(Path(folder), site=Path(snakemake.input.site[0]).parent, **options)
            with replacing(path) as draft:
                draft.write_text(html, encoding="utf-8")
