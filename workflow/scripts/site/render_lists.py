"""Render the pages across papers: what was found in them, all values, all figures."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from annobench import __version__
from annobench.core.files import recording, replacing
from annobench.reporting.pages import records
from annobench_replication.ledger import read_comparison
from annobench_replication.pages import render
from annobench_replication.vocabulary import NOT_MADE, WEIGHTS
from pages.broken import not_compared, read_faults
from pages.captioned import figures_of
from pages.cited import errata_records, value_records
from pages.counts import count, entries, in_order
from pages.discrepancies import CAUSE_WORDS, ENTRY_WORDS, PART_WORDS, Finding, of_all, table_of
from pages.records import read_record
from pages.short_names import short_names
from pages.value_rows import chips_of


def counts_of(found: list[Finding], attribute: str, names: Iterable[str]) -> list[tuple[str, int]]:
    """Count findings by an attribute, in the order of its names."""
    values = [getattr(finding, attribute) for finding in found]
    return [(name, values.count(name)) for name in names if name in values]


def main(results: Path, paths: Iterable[str], site: Path) -> tuple[dict[str, str], pd.DataFrame]:
    """Return the pages as HTML by name, and the table of all findings."""
    comparison = read_comparison(results / "comparison.csv")
    files = {read_record(path)["key"]: path for path in map(Path, paths)}
    papers = {record["key"]: dict(record) for record in in_order(map(read_record, files.values()))}
    found = of_all(comparison, {key: files[key] for key in papers})
    common = {
        "papers": papers,
        "short": short_names(papers.values()),
        "counts": count(comparison, papers.values(), found),
    }
    discrepancies = render(
        "discrepancies.html.j2",
        site,
        found=found,
        groups=[(part, [f for f in found if f.part == part]) for part in PART_WORDS],
        parts=counts_of(found, "part", PART_WORDS),
        weights=counts_of(found, "weight", WEIGHTS),
        causes=counts_of(found, "cause", CAUSE_WORDS),
        of_papers=counts_of(found, "paper", papers),
        entries=entries,
        **ENTRY_WORDS,
        cited_version=__version__,
        **common,
    )
    rows = records(comparison)
    values = render(
        "values.html.j2",
        site,
        chips=chips_of(rows),
        groups=[
            {"key": key, "rows": of_paper}
            for key in papers
            if (of_paper := [row for row in rows if row["paper"] == key])
        ],
        **common,
    )
    figures = render(
        "figures.html.j2",
        site,
        groups=[
            {"key": key, "figures": figures}
            for key, record in papers.items()
            if record["figures"] and (figures := _figures(record, results / "papers" / key))
        ],
        **common,
    )
    table = table_of(found, {key: paper["title"] for key, paper in papers.items()})
    return {"discrepancies": discrepancies, "values": values, "figures": figures}, table


def records_of(comparison: Path, paths: Iterable[str], table: pd.DataFrame) -> dict[str, str]:
    """Return the records of all values and of all findings as JSON, by name."""
    names = short_names(map(read_record, map(Path, paths)))
    return {
        "values_json": _json(value_records(read_comparison(comparison), names)),
        "errata_json": _json(errata_records(table)),
    }


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=0, allow_nan=False) + "\n"


def _figures(record: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    captions = json.loads((folder / "captions.json").read_text(encoding="utf-8"))
    figures = figures_of(record, captions, folder / "figures")
    return [figure for figure in figures if figure["provenance"] != NOT_MADE]


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        comparison = Path(snakemake.input.comparison)
        faulty = not_compared(read_faults(snakemake.input.faults))
        papers = [path for path in snakemake.input.papers if Path(path).parent.name not in faulty]
        pages, table = main(comparison.parent, papers, Path(snakemake.input.site[0]).parent)
        for name, page in (pages | records_of(comparison, papers, table)).items():
            with replacing(snakemake.output[name]) as draft:
                draft.write_text(page, encoding="utf-8")
        with replacing(snakemake.output.table) as draft:
            table.to_csv(draft, index=False, lineterminator="\n")
