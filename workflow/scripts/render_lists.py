"""Render the pages across papers: what was found in them, all values, all figures."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from annobench import __version__
from annobench.core.files import recording, replacing
from annobench.replication.ledger import read_comparison
from annobench.replication.vocabulary import WEIGHTS
from annobench.reporting.pages import records, render
from annobench.reporting.verdicts import Tally
from errata import (
    CAUSE_WORDS,
    WEIGHT_WORDS,
    Finding,
    of_remarks,
    of_values,
    table_of,
    weightiest_first,
)
from render_paper import chips_of, figures_of
from sources import read_record

#: How a paper is called where its title would be too long.
Short = dict[str, str]


def short_names(papers: Iterable[dict[str, Any]]) -> Short:
    """Call each paper by the last names of its authors and its year."""
    return {paper["key"]: f"{_last_names(paper['authors'])} ({paper['year']})" for paper in papers}


def _last_names(authors: str) -> str:
    names = authors.replace(" and ", ", ").split(", ")
    last = [name.split()[-1] if len(name.split()) < 3 else _surname(name) for name in names]
    if len(last) > 2:
        return f"{last[0]} and others"
    return " and ".join(last)


def _surname(name: str) -> str:
    """Take the last word of a name, and the words before it that belong to it."""
    words = name.split()
    for n, word in enumerate(words[1:], 1):
        if word[0].islower() or (word == "Beigman" and n < len(words) - 1):
            return " ".join(words[n:])
    return words[-1]


def findings_of(comparison: pd.DataFrame, papers: dict[str, Path]) -> list[Finding]:
    """Return all findings, paper by paper, the weightiest first."""
    found = []
    for key, record in papers.items():
        own = of_values(comparison[comparison["paper"] == key])
        found += weightiest_first([*own, *of_remarks(key, record.with_name("remarks.csv"))])
    return found


def counts_of(found: list[Finding], attribute: str, names: Iterable[str]) -> list[tuple[str, int]]:
    """Count findings by an attribute, in the order of its names."""
    values = [getattr(finding, attribute) for finding in found]
    return [(name, values.count(name)) for name in names if name in values]


def main(results: Path, paths: Iterable[str], site: Path) -> tuple[dict[str, str], pd.DataFrame]:
    """Return the pages as HTML by name, and the table of all findings."""
    comparison = read_comparison(results / "comparison.csv")
    records_of = {path: read_record(Path(path)) for path in paths}
    ordered = sorted(records_of.items(), key=lambda pair: (pair[1]["year"], pair[1]["key"]))
    papers = {record["key"]: record for _, record in ordered}
    short = short_names(papers.values())
    found = findings_of(comparison, {record["key"]: Path(path) for path, record in ordered})
    known = [finding for finding in found if not finding.is_open]
    unresolved = [finding for finding in found if finding.is_open]
    common = {"papers": papers, "short": short}
    errata = render(
        "errata.html.j2",
        site,
        known=known,
        groups=[(key, own) for key in papers if (own := [f for f in known if f.paper == key])],
        unresolved=unresolved,
        n_values=sum(bool(change.target) for finding in known for change in finding.changes),
        weights_of_known=counts_of(known, "weight", WEIGHTS),
        weights=counts_of(found, "weight", WEIGHTS),
        causes=counts_of(found, "cause", CAUSE_WORDS),
        of_papers=counts_of(found, "paper", papers),
        weight_words=WEIGHT_WORDS,
        cause_words=CAUSE_WORDS,
        cited_version=__version__,
        **common,
    )
    rows = records(comparison)
    values = render(
        "values.html.j2",
        site,
        tally=Tally.of(comparison),
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
            {"key": key, "figures": _figures(record, results / "papers" / key)}
            for key, record in papers.items()
            if record["figures"]
        ],
        **common,
    )
    table = table_of(found, {key: paper["title"] for key, paper in papers.items()})
    return {"errata": errata, "values": values, "figures": figures}, table


def _figures(record: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    captions = json.loads((folder / "captions.json").read_text(encoding="utf-8"))
    return figures_of(record, captions, folder / "figures")


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        pages, table = main(
            Path(snakemake.input.comparison).parent,
            list(snakemake.input.papers),
            Path(snakemake.input.site[0]).parent,
        )
        for name, page in pages.items():
            with replacing(snakemake.output[name]) as draft:
                draft.write_text(page, encoding="utf-8")
        with replacing(snakemake.output.table) as draft:
            table.to_csv(draft, index=False, lineterminator="\n")
