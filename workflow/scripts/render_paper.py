"""Render a paper's page: figures, tables and every printed value with its verdict."""

import json
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.compare import read_comparison, read_computed
from annobench.files import recording, replacing
from pages import Tally, read_metas, read_record, render, shown, simulated

#: Longer tables are linked, with this many rows shown.
ROWS_SHOWN = 40

#: Numbers of more digits are shown to six of them; the linked file has them all.
DIGITS_SHOWN = 6


def figures_of(paper: dict[str, Any], captions: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Join the record of each figure with the caption that the analysis wrote.

    Raises
    ------
    ValueError
        If a figure has no caption.
    """
    names = [figure["name"] for figure in paper["figures"]]
    uncaptioned = [name for name in names if name not in captions]
    if uncaptioned:
        raise ValueError(
            f"{paper['key']}: captions.json has no entry for {', '.join(uncaptioned)}. "
            "Let analysis.py write title, caption, provenance and seed of every figure."
        )
    return [figure | captions[figure["name"]] for figure in paper["figures"]]


def tables_of(
    tables: Iterable[dict[str, str]], folder: Path, captions: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Read each table for showing: cut to the rows shown, long numbers to six digits."""
    read = []
    for table in tables:
        frame = pd.read_csv(folder / f"{table['name']}.csv", dtype=str, keep_default_na=False)
        numbers = frame.apply(pd.to_numeric, errors="coerce")
        numeric = (numbers.notna() | (frame == "")).all()
        head = frame.head(ROWS_SHOWN).copy()
        for column in frame.columns[numbers.notna().any() & numeric]:
            head[column] = [
                text if len(text) <= DIGITS_SHOWN + 1 else shown(number)
                for text, number in zip(head[column], numbers[column], strict=False)
            ]
        read.append(
            table
            | {
                "columns": list(frame.columns),
                "numeric": numeric.to_list(),
                "rows": head.to_numpy().tolist(),
                "n_rows": len(frame),
                "provenance": captions.get(f"tables/{table['name']}", {}).get("provenance"),
            }
        )
    return read


def values_of(comparison: pd.DataFrame, others: pd.DataFrame) -> list[dict[str, Any]]:
    """Group the values by their place in the paper, each with the other methods' answers."""
    beside: dict[str, list[dict[str, Any]]] = {}
    for row in others.to_dict("records"):
        beside.setdefault(row["target"], []).append(row)
    rows = [
        row | {"others": beside.get(row["target"], [])} for row in comparison.to_dict("records")
    ]
    return [
        {"source": source, "rows": list(group)}
        for source, group in groupby(rows, key=lambda row: row["source"])
    ]


def deviating(comparison: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the values that come out different, explained or not."""
    return comparison[comparison["verdict"] == "deviates"].to_dict("records")


def unpublished(comparison: pd.DataFrame, others: pd.DataFrame) -> list[dict[str, Any]]:
    """Return values of other methods that answer no printed value."""
    return others[~others["target"].isin(comparison["target"])].to_dict("records")


def main(
    record: Path, comparison: Path, others: Path, captions: Path, metas: list[str], site: Path
) -> str:
    """Return the page as HTML."""
    paper = read_record(record)
    compared, beside = read_comparison(comparison), read_computed(others)
    described = json.loads(captions.read_text(encoding="utf-8"))
    sources = read_metas(metas)
    return render(
        site,
        "paper.html.j2",
        title=paper["title"],
        depth=2,
        paper=paper,
        tally=Tally.of(compared),
        figures=figures_of(paper, described),
        tables=tables_of(paper["tables"], comparison.parent / "tables", described),
        deviating=deviating(compared),
        groups=values_of(compared, beside),
        additional=unpublished(compared, beside),
        metas=sources,
        simulated=simulated(sources),
    )


if "snakemake" in globals():
    with recording(snakemake.log[0], name=f"{snakemake.rule} {snakemake.wildcards.paper}"):
        page = main(
            record=Path(snakemake.input.record),
            comparison=Path(snakemake.input.comparison),
            others=Path(snakemake.input.others),
            captions=Path(snakemake.input.captions),
            metas=list(snakemake.input.metas),
            site=Path(snakemake.input.site[0]).parent,
        )
        with replacing(snakemake.output.page) as draft:
            draft.write_text(page, encoding="utf-8")
