"""Render what `make bench` measured last: a table for each piece of work."""

from pathlib import Path
from typing import Any

import pandas as pd

from annobench.files import recording, replacing
from pages import render


def read_benchmark(path: Path) -> dict[str, Any]:
    """Read one file of measurements: its circumstances, and a table for each piece of work."""
    with path.open(encoding="utf-8") as file:
        circumstances = file.readline().removeprefix("#").strip()
        rows = pd.read_csv(file, dtype=str, keep_default_na=False)
    tables = []
    for work, part in rows.groupby("work", sort=False):
        columns: dict[str, None] = {}
        cells: dict[str, dict[str, str]] = {}
        for row in part.itertuples():
            column = f"{row.quantity}, {row.unit}" if row.unit else row.quantity
            columns[column] = None
            cells.setdefault(row.contender, {})[column] = row.value
        targets = [target for target in dict.fromkeys(part["target"]) if target]
        tables.append({"work": work, "columns": list(columns), "rows": cells, "targets": targets})
    title = path.stem.replace("_", " ")
    return {
        "name": path.stem,
        "title": title[:1].upper() + title[1:],
        "circumstances": circumstances[:1].upper() + circumstances[1:],
        "tables": tables,
    }


def main(measured: list[Path], site: Path) -> str:
    """Return the page as HTML."""
    return render(
        site,
        "benchmarks.html.j2",
        title="Speed and memory",
        depth=2,
        benchmarks=[read_benchmark(path) for path in sorted(measured)],
    )


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        page = main(
            measured=[Path(path) for path in snakemake.input.measured],
            site=Path(snakemake.input.site[0]).parent,
        )
        with replacing(snakemake.output.page) as draft:
            draft.write_text(page, encoding="utf-8")
