"""Render a paper's page: figures, tables, findings and every value; and that of its sources."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.core.files import replacing
from annobench.reporting.pages import records
from annobench_replication.exhibit import figures_in, heading, printed_item
from annobench_replication.faces import Tally
from annobench_replication.ledger import read_comparison, read_computed
from annobench_replication.pages import render
from annobench_replication.printed_tables import read_layout
from annobench_replication.vocabulary import EVIDENCE
from pages.broken import Fault, read_faults, recording_paper
from pages.captioned import figures_of
from pages.cited import citation
from pages.discrepancies import ENTRY_WORDS, PART_WORDS, of_paper
from pages.records import read_metas, read_record, simulated, stand_ins
from pages.short_names import short_names
from pages.source_lines import Sources
from pages.table_columns import shown_table
from pages.value_rows import NO_RESULTS, by_source, chips_of, rows_of

#: More findings are folded.
FINDINGS_SHOWN = 4

#: More figures and tables of ours are folded.
OWN_SHOWN = 3

#: What a record may leave out.
EMPTY: dict[str, Any] = {
    "url": "",
    "summary": "",
    "text": "whole",
    "missing_figures": [],
    "contents": [],
    "layouts": [],
}


def tables_of(
    paper: dict[str, Any],
    folder: Path,
    captions: dict[str, dict[str, Any]],
    labels: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Read each table for showing, with the labels of values in place of their ids."""
    return [
        table
        | shown_table(
            pd.read_csv(folder / f"{table['name']}.csv", dtype=str, keep_default_na=False)
            .replace({"target": labels})
            .rename(columns={"target": "value"})
        )
        | {
            "provenance": captions.get(f"tables/{table['name']}", {}).get("provenance"),
            "heading": heading(table["source"], table["title"], ()),
        }
        for table in paper["tables"]
    ]


def items_of(
    paper: dict[str, Any],
    layouts: Path,
    figures: Iterable[dict[str, Any]],
    compared: pd.DataFrame,
) -> list[dict[str, Any]]:
    """Return the paper's figures and tables in its order, each with what shows it."""
    contents, drawn = paper["contents"], figures_in(paper["contents"])
    shown = {
        printed_item(entry["source"], contents): read_layout(
            layouts / f"{entry['name']}.csv",
            compared,
            **{name: words for name, words in entry.items() if name != "name"},
        )
        for entry in paper["layouts"]
    }
    items = []
    for item in contents:
        own = compared[compared["source"] == item]
        items.append(
            {
                "source": item,
                "anchor": re.sub(r"[^a-z0-9]+", "-", item.lower()),
                "layout": shown.get(item),
                "figures": [f for f in figures if printed_item(f["source"], drawn) == item],
                "missing": [
                    missing
                    for missing in paper["missing_figures"]
                    if printed_item(missing["source"], contents) == item
                ],
                "tally": Tally.of(own),
                "first": own["target"].iloc[0] if len(own) else "",
            }
        )
    return items


def lone_inputs(inputs: pd.DataFrame, comparison: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the counted values that inputs are used by alone, each with these inputs."""
    counted = comparison[comparison["verdict"].isin(EVIDENCE)]
    labels = dict(zip(counted["target"], counted["label"], strict=True))
    own = [(target, records(inputs[inputs["value"] == target])) for target in labels]
    return [
        {"target": target, "label": labels[target] or target, "inputs": alone}
        for target, alone in own
        if alone
    ]


def main(
    record: Path,
    comparison: Path,
    others: Path,
    captions: Path,
    metas: list[str],
    modules: Iterable[Path],
    inputs: Path,
    site: Path,
    faults: Iterable[Fault] = (),
) -> dict[str, str]:
    """Return the paper's page and that of its sources as HTML, by name."""
    paper = EMPTY | read_record(record)
    compared, beside = read_comparison(comparison), read_computed(others)
    described = json.loads(captions.read_text(encoding="utf-8"))
    folder, metas_read, own = comparison.parent, read_metas(metas), Sources(modules)
    name = short_names([paper])[paper["key"]]
    rows = [
        row | {"place": own.place_of(row["made_by"], row["target"]), "cite": citation(row, name)}
        for row in rows_of(compared, beside)
    ]
    every_input = pd.read_csv(inputs, dtype="str", keep_default_na=False)
    own_inputs = every_input[every_input["paper"] == paper["key"]]
    found = of_paper(paper["key"], compared, record)
    labels = dict(zip(compared["target"], compared["label"], strict=True))
    figures, drawn = figures_of(paper, described, folder / "figures"), figures_in(paper["contents"])
    content = {
        "paper": paper,
        "faults": list(faults),
        "tally": Tally.of(compared),
        "items": items_of(paper, record.parent / "layouts", figures, compared),
        "own_figures": [f for f in figures if not printed_item(f["source"], drawn)],
        "tables": tables_of(paper, folder / "tables", described, labels),
        "n_own": OWN_SHOWN,
        "parts": [
            (part, entries)
            for part in PART_WORDS
            if (entries := [finding for finding in found if finding.part == part])
        ],
        "finding_of": {c.target: f.anchor for f in found for c in f.changes if c.target},
        "n_shown": FINDINGS_SHOWN,
        **ENTRY_WORDS,
        "chips": chips_of(rows),
        "groups": by_source([row for row in rows if row["verdict"] not in NO_RESULTS]),
        "given_groups": by_source([row for row in rows if row["verdict"] in NO_RESULTS]),
        "lone_inputs": lone_inputs(own_inputs, compared),
        "metas": metas_read,
        "simulated": simulated(metas_read),
        "others_simulated": stand_ins(paper),
    }
    return {
        "index": render("paper.html.j2", site, **content),
        "source": render("source.html.j2", site, paper=paper, modules=own.shown()),
    }


def write(pages: Mapping[str, str], output: Any) -> None:
    """Write the page and that of the sources."""
    for name, page in pages.items():
        with replacing(output[name]) as draft:
            draft.write_text(page, encoding="utf-8")


def write_broken(key: str, faults: list[Fault], site: Path, output: Any) -> None:
    """Write pages that only say what is wrong."""
    page = render("broken.html.j2", site, key=key, faults=faults)
    write({"index": page, "source": page}, output)


if snakemake := globals().get("snakemake"):
    key, site = snakemake.wildcards.paper, Path(snakemake.input.site[0]).parent
    faults, output = read_faults(snakemake.input.faults), snakemake.output
    with recording_paper(
        snakemake,
        lambda why: write_broken(key, [*faults, Fault(key, "page", why)], site, output),
        *(ValueError, SyntaxError, LookupError),
    ):
        pages = main(
            record=Path(snakemake.input.record),
            comparison=Path(snakemake.input.comparison),
            others=Path(snakemake.input.others),
            captions=Path(snakemake.input.captions),
            metas=snakemake.input.get("metas", []),
            modules=[Path(path) for path in snakemake.input.modules],
            inputs=Path(snakemake.input.inputs),
            site=site,
            faults=faults,
        )
        write(pages, output)
