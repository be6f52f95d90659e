"""Compare our coefficients with those of other packages: the tables and the page."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.agreement.coefficients import discover
from annobench.core.files import recording, replacing
from annobench.reporting.pages import records, render
from annobench.studies import conformance
from annobench.studies.conformance import OUTCOMES

#: How each is shown: a mark, and the tone of the verdict that it is like.
MARKS = {
    "equal": ("=", "reproduced"),
    "undefined": ("∅", "not_public"),
    "different": ("≠", "deviates"),
    "refused": ("–", "stand_in"),
    "answered": ("!", "missing"),
}


def grid(table: pd.DataFrame, quantities: Iterable[str]) -> dict[str, Any]:
    """Arrange counts as coefficients by packages, for showing."""
    rows = table[table["quantity"].isin(list(quantities))]
    counts = rows.groupby(["coefficient", "options", "package"], as_index=False)[
        list(OUTCOMES)
    ].sum()
    cells: dict[str, dict[str, dict[str, dict[str, int]]]] = {}
    for row in records(counts):
        of_options = cells.setdefault(row["coefficient"], {}).setdefault(row["options"], {})
        of_options[row["package"]] = {outcome: row[outcome] for outcome in OUTCOMES}
    packages = list(dict.fromkeys(rows["package"]))
    return {"packages": packages, "cells": cells, "total": rows[list(OUTCOMES)].sum().to_dict()}


def causes(explained: pd.DataFrame) -> list[dict[str, Any]]:
    """Count what most standard errors and ends of intervals differ for, the most frequent first."""
    if explained.empty:  # and then without columns
        return []
    spread = explained[explained["quantity"] != "estimate"]
    counts = spread.groupby("convention")["n_values"].sum()
    return records(counts.nlargest(3).reset_index())


def main(peers: Path, data: Path, disagreements: Path, site: Path) -> dict[str, Any]:
    """Return the two tables, the page, and what is unexplained or stale."""
    datasets = conformance.load_datasets(data)
    entries = conformance.read_disagreements(disagreements)
    compared = conformance.compare(conformance.read_peers(peers), datasets, entries)
    wrong = conformance.faults(compared, entries)
    table, explained = conformance.matrix(compared), conformance.listed(compared, entries)
    alone = sorted(set(discover()) - set(compared["coefficient"]))
    spread = table[table["quantity"] != "estimate"]
    differing = spread.groupby("package")["different"].sum().nlargest(2).reset_index()
    page = render(
        "conformance.html.j2",
        site,
        versions=dict(zip(compared["package"], compared["version"], strict=True)),
        n_spread=int(spread[list(OUTCOMES)].to_numpy().sum()),
        n_differing=int(spread["different"].sum()),
        differing=records(differing),
        causes=causes(explained),
        outcomes=OUTCOMES,
        marks=MARKS,
        groups=[
            {"name": "estimates", "title": "Estimates", "alone": alone} | grid(table, ["estimate"]),
            {"name": "errors", "title": "Standard errors"} | grid(table, ["standard_error"]),
            {"name": "intervals", "title": "95% intervals"} | grid(table, ["lower", "upper"]),
        ],
        disagreements=[
            {"package": package, "entries": list(rows)}
            for package, rows in groupby(records(explained), itemgetter("package"))
        ],
        datasets=list(datasets.values()),
        faults=wrong,
    )
    return {"matrix": table, "disagreements": explained, "page": page, "faults": wrong}


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        made = main(
            peers=Path(snakemake.input.peers),
            data=Path(snakemake.input.datasets),
            disagreements=Path(snakemake.input.disagreements),
            site=Path(snakemake.input.site[0]).parent,
        )
        for name in ("matrix", "disagreements"):
            with replacing(snakemake.output[name]) as draft:
                made[name].to_csv(draft, index=False)
        with replacing(snakemake.output.page) as draft:
            draft.write_text(made["page"], encoding="utf-8")
        if made["faults"]:
            print(f"WARNING: conformance: {len(made['faults'])} fault(s), on the page.", flush=True)
