"""Render what `make test-faults` tried last, and what was lost."""

from pathlib import Path
from typing import Any

import pandas as pd

from annobench.core.files import recording, replacing
from annobench.reporting.pages import records
from annobench_replication.pages import render


def main(tried: Path, memory: Path, site: Path) -> str:
    """Return the page as HTML."""
    with tried.open(encoding="utf-8") as file:
        circumstances = file.readline().removeprefix("#").strip()
        rows = pd.read_csv(file)
    areas: dict[str, list[dict[str, Any]]] = {}
    for row in records(rows):
        areas.setdefault(row["area"], []).append(row)
    return render(
        "faults.html.j2",
        site,
        circumstances=circumstances[:1].upper() + circumstances[1:],
        areas=areas,
        memory=records(pd.read_csv(memory, comment="#")),
    )


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        page = main(
            Path(snakemake.input.tried),
            Path(snakemake.input.memory),
            Path(snakemake.input.site[0]).parent,
        )
        with replacing(snakemake.output.page) as draft:
            draft.write_text(page, encoding="utf-8")
