"""Compare our coefficients with those of other packages: the tables and the page."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.agreement.coefficients import discover
from annobench.core.files import replacing
from annobench.reporting.pages import records
from annobench_replication.pages import render
from studies.conformance import conformance
from studies.conformance.conformance import OUTCOMES
from study_contract.running import OwnStudy

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


def read(path: Path) -> pd.DataFrame:
    """Read a table; empty words are words, and a table in which nothing stands has no columns."""
    if not path.read_text(encoding="utf-8").strip():
        return pd.DataFrame()
    numbers = {name: [""] for name in ("ours", "theirs")}
    return pd.read_csv(path, keep_default_na=False, na_values=numbers)


def show(study: OwnStudy, tables: Path, folder: Path, templates: Sequence[Path]) -> None:
    """Write the page."""
    table, explained = read(tables / "matrix.csv"), read(tables / "disagreements.csv")
    alone = sorted(set(discover()) - set(table["coefficient"]))
    spread = table[table["quantity"] != "estimate"]
    differing = spread.groupby("package")["different"].sum().nlargest(2).reset_index()
    page = render(
        "page.html.j2",
        templates,
        versions=dict(zip(table["package"], table["version"], strict=True)),
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
        datasets=list(conformance.load_datasets(study.files["datasets"]).values()),
        faults=list(read(tables / "faults.csv")["fault"]),
    )
    with replacing(folder / "index.html") as draft:
        draft.write_text(page, encoding="utf-8")
