"""Render the table of intervals that commands print; every statement is computed from it."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from annobench.core.files import replacing
from annobench.reporting.pages import records
from annobench_replication.pages import render
from studies.intervals.cautions import caution_of
from study_contract.running import OwnStudy

#: How a verdict is shown: a mark, the tone of the verdict of papers that it is like, and words.
FACES = {
    "holds": ("✓", "reproduced", "the Monte Carlo interval meets what is wanted"),
    "below": ("↓", "deviates", "it lies below"),
    "above": ("↑", "within_interval", "it lies above"),
    "undefined": ("∅", "not_public", "no data set has a value"),
}


def show(study: OwnStudy, tables: Path, folder: Path, templates: Sequence[Path]) -> None:
    """Write the page."""
    table = pd.read_csv(tables / "coverage.csv")
    rows = [
        row
        | {
            "command": row["interval"].partition(".")[0],
            "quantity": row["interval"].partition(".")[2].replace("_", " "),
            "caution": caution_of(row["interval"], row["design"]),
        }
        for row in records(table)
    ]
    missed = table[table["verdict"] != "holds"]
    page = render(
        "page.html.j2",
        templates,
        rows=rows,
        n_rows=len(table),
        n_missed=len(missed),
        commands=sorted({row["command"] for row in rows}),
        marks=FACES,
        grid_name=study.settings["grid"],
        seed=study.seed,
        versions=study.settings["versions"],
    )
    with replacing(folder / "index.html") as draft:
        draft.write_text(page, encoding="utf-8")
