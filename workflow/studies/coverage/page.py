"""Render the empirical coverage of every interval: figures and a page.

Every statement about an interval is computed from the table.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from annobench import agreement
from annobench.agreement.intervals import KINDS
from annobench.core.files import replacing
from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    PAGE_WIDTH,
    VERMILION,
    house_figure,
    save_figure,
)
from annobench.reporting.pages import picture_size, records
from annobench_replication.pages import render
from studies.coverage import interval_coverage
from study_contract.running import OwnStudy

LEVEL = 0.95
#: How a verdict is shown: a mark, the tone of the verdict of papers that it is like, and words.
FACES = {
    "low": ("↓", "deviates", "coverage too low: its interval lies wholly below"),
    "fair": ("✓", "reproduced", "neither too low nor too high"),
    "high": ("↑", "within_interval", "coverage too high: its interval lies wholly above"),
    "undefined": ("∅", "not_public", "no interval in any repetition"),
}
FIGURES = {"items": ("items",), "annotators": ("annotators", "both")}
COLOURS, MARKERS = (VERMILION, BLUE, GREEN, GREY, INK), "osD^v"
#: Where a figure's axis ends; what is lower stands at the end, as a triangle.
LOWEST = 0.6


def read(path: Path) -> pd.DataFrame:
    """Read the measured table, and give each coefficient with its options a title."""
    table = pd.read_csv(path).fillna({"options": ""})
    titles = {name: module.METHOD.title for name, module in agreement.discover().items()}
    return table.assign(
        title=[
            titles[name] + (f", {options}" if options else "")
            for name, options in zip(table["coefficient"], table["options"], strict=True)
        ]
    )


def draw(table: pd.DataFrame, units: Sequence[str], grid_name: str, stem: Path) -> None:
    """Draw coverage with its interval: panels are kinds, rows coefficients, lanes sizes."""
    shown = table[table["unit"].isin(units) & table["coverage"].notna()]
    panels = list(dict.fromkeys(zip(shown["unit"], shown["kind"], strict=True)))
    rows = sorted(set(shown["title"]), reverse=True)
    by = "n_items" if units == ("items",) else "n_annotators"
    sizes = sorted(set(shown[by]))
    with house_figure(len(panels), height=1.2 + 0.42 * len(rows)) as (figure, axes):
        width = min(PAGE_WIDTH, 2.6 + 1.95 * len(panels))
        figure.set_size_inches(width, 1.3 + 0.4 * len(rows))
        for panel, (unit, kind) in zip(axes, panels, strict=True):
            for row in range(0, len(rows), 2):
                panel.axhspan(row - 0.5, row + 0.5, color="#F3F1EC", zorder=0)
            panel.axvline(LEVEL, color=INK, linestyle="--", linewidth=1, zorder=1)
            for lane, size in enumerate(sizes):
                mine = shown[
                    (shown["unit"] == unit) & (shown["kind"] == kind) & (shown[by] == size)
                ]
                offset = 0.36 - 0.72 * (lane + 0.5) / len(sizes)
                draw_lane(panel, mine, rows, offset, COLOURS[lane], MARKERS[lane])
            title = kind if len(units) == 1 else f"{kind}\n{unit}"
            panel.set(
                title=title,
                xlim=(LOWEST - 0.01, 1.02),
                ylim=(-0.5, len(rows) - 0.5),
                yticks=range(len(rows)),
                yticklabels=rows if panel is axes[0] else [],
                xticks=[0.6, 0.7, 0.8, LEVEL],
                xticklabels=[".6", ".7", ".8", ".95"],
            )
            panel.tick_params(axis="y", length=0)
        words = "items" if by == "n_items" else "annotators"
        figure.supxlabel("coverage of nominal 95% intervals", fontsize=9.5)
        figure.legend(
            handles=[
                Line2D(
                    [],
                    [],
                    color=COLOURS[n],
                    marker=MARKERS[n],
                    markersize=5,
                    linewidth=1,
                    label=f"{size} {words}",
                )
                for n, size in enumerate(sizes)
            ],
            loc="outside upper right",
            ncols=len(sizes),
            title=f"simulated, {grid_name} grid",
            title_fontsize=8.5,
        )
        save_figure(figure, stem)


def draw_lane(
    panel: Any, mine: pd.DataFrame, rows: list[str], offset: float, colour: str, marker: str
) -> None:
    """Draw the designs of one size."""
    at = np.array([rows.index(title) + offset for title in mine["title"]])
    inside = mine["coverage"].to_numpy() >= LOWEST
    panel.hlines(
        at,
        mine["lower"].clip(lower=LOWEST),
        mine["upper"].clip(lower=LOWEST),
        color=colour,
        linewidth=0.6,
        alpha=0.5,
        zorder=2,
    )
    panel.scatter(
        mine["coverage"][inside],
        at[inside],
        s=13,
        marker=marker,
        facecolor="white",
        edgecolor=colour,
        linewidth=0.9,
        zorder=3,
    )
    off = int((~inside).sum())
    panel.scatter([LOWEST] * off, at[~inside], s=16, marker="<", color=colour, zorder=3)


def place(row: Mapping[str, Any]) -> str:
    """Say in words where a row was found."""
    missing = f", {row['missing']:.0%} missing" if row["missing"] else ""
    return (
        f"{row['n_items']} items, {row['n_annotators']} annotators, "
        f"prevalence {row['prevalence']:g}{missing}"
    )


def summarise(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Count verdicts by unit, kind and coefficient, with the worst design of each."""
    found = []
    for (unit, kind, title), rows in table.groupby(["unit", "kind", "title"], sort=False):
        counts = rows["verdict"].value_counts()
        entry = {
            "unit": unit,
            "kind": kind,
            "title": title,
            "n": len(rows),
            "undefined": int(rows["n_undefined"].sum()),
            "of": int(rows["repetitions"].sum()),
            **{verdict: int(counts.get(verdict, 0)) for verdict in FACES},
        }
        if rows["coverage"].notna().any():
            worst = records(rows.nsmallest(1, "coverage"))[0]
            entry |= {
                "worst": worst["coverage"],
                "worst_lower": worst["lower"],
                "worst_upper": worst["upper"],
                "where": place(worst),
                "mean": rows["coverage"].mean(),
            }
        found.append(entry)
    return found


def matrix(summary: list[dict[str, Any]], units: Sequence[str]) -> dict[str, Any]:
    """Arrange the summary as coefficients by kinds, for showing."""
    mine = [entry for entry in summary if entry["unit"] in units]
    columns = list(dict.fromkeys((entry["unit"], entry["kind"]) for entry in mine))
    cells: dict[str, Any] = {}
    for entry in mine:
        cells.setdefault(entry["title"], {})[entry["unit"], entry["kind"]] = entry
    return {"columns": columns, "cells": dict(sorted(cells.items()))}


def ranking(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Count verdicts by unit, kind and the size that varies."""
    by = table.assign(size=table["n_items"].where(table["unit"] == "items", table["n_annotators"]))
    found = []
    for (unit, kind, size), rows in by.groupby(["unit", "kind", "size"], sort=False):
        counts = rows["verdict"].value_counts().to_dict()
        found.append(
            {
                "unit": unit,
                "kind": kind,
                "size": size,
                "n": len(rows),
                "counts": {verdict: counts.get(verdict, 0) for verdict in FACES},
                "median": rows["coverage"].median(),
                "least": rows["coverage"].min(),
                "undefined": rows["n_undefined"].sum() / rows["repetitions"].sum(),
            }
        )
    kinds = [(unit, kind) for unit in KINDS for kind in KINDS[unit]]
    return sorted(found, key=lambda e: (kinds.index((e["unit"], e["kind"])), e["size"]))


def page(
    table: pd.DataFrame,
    settings: Mapping[str, Any],
    templates: Sequence[Path],
    sizes: Mapping[str, tuple[int, int]],
) -> str:
    """Render the page; every statement about an interval is computed from the table."""
    summary = summarise(table)
    counts = table["verdict"].value_counts()
    return render(
        "page.html.j2",
        templates,
        grid=settings["design"],
        grid_name=settings["grid"],
        seed=settings["seed"],
        versions=settings["versions"],
        estimand_items=settings["estimand_items"],
        sizes=sizes,
        level=LEVEL,
        bounds=interval_coverage.bounds(LEVEL),
        marks=FACES,
        total={verdict: int(counts.get(verdict, 0)) for verdict in FACES},
        n_rows=len(table),
        n_coefficients=table["coefficient"].nunique(),
        bad=sorted(
            (e for e in summary if e["low"]), key=lambda e: (-e["low"] / e["n"], e["worst"])
        ),
        ranking=ranking(table),
        matrices={unit: matrix(summary, units) for unit, units in FIGURES.items()},
        two_only=sorted(
            {c.coefficient for c in interval_coverage.cases() if c.method.annotators == "two"}
        ),
        largest_error=float((table["estimand_error"] / table["width"]).max()),
    )


def show(study: OwnStudy, tables: Path, folder: Path, templates: Sequence[Path]) -> None:
    """Write a figure for the items and one for the annotators, and the page."""
    measured, made = read(tables / "coverage.csv"), study.settings
    for name, units in FIGURES.items():
        draw(measured, units, made["grid"], folder / name)
    sizes = {name: picture_size(folder / f"{name}.svg") for name in FIGURES}
    with replacing(folder / "index.html") as draft:
        draft.write_text(page(measured, made, templates, sizes), encoding="utf-8")
