"""Render the overviews, with a banner where data are simulated."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from annobench.core.files import recording, replacing
from annobench_replication.faces import Tally
from annobench_replication.ledger import read_comparison
from annobench_replication.pages import render
from pages.broken import Fault, not_compared, read_faults
from pages.counts import count, in_order, is_seed
from pages.discrepancies import of_all
from pages.findings import Results, findings
from pages.lessons import OUTCOMES, lessons
from pages.records import read_metas, read_record, simulated, stand_ins

REMEDY = (
    "Nothing is claimed from them. For the real data set ANNOBENCH_DATA_MIRROR, or connect to "
    "the network, and run `snakemake --cores all --forcerun probe_network`."
)


def main(
    comparison: Path,
    papers: Iterable[str],
    metas: Iterable[str],
    network: Iterable[str],
    peers: Iterable[str],
    studies: Iterable[str],
    site: Path,
    faults: Sequence[Fault] = (),
) -> dict[str, str]:
    """Return the pages as HTML, by name."""
    compared = read_comparison(comparison)
    paths = {read_record(path)["key"]: path for path in map(Path, papers)}
    for key in not_compared(faults):
        paths.pop(key, None)
    records = in_order(map(read_record, paths.values()))
    sources = read_metas(metas)
    answers = [json.loads(Path(path).read_text(encoding="utf-8")) for path in network]
    content = {
        "papers": [
            {
                "record": paper,
                "is_seed": is_seed(paper),
                "tally": Tally.of(compared[compared["paper"] == paper["key"]]),
            }
            for paper in records
        ],
        "faults": list(faults),
        "counts": count(compared, records, of_all(compared, paths)),
        "findings": list(findings(compared, comparison.parent)),
        "metas": sources,
        "peers": list(peers),
        "studies": {record["key"]: record for record in map(read_record, map(Path, studies))},
        "simulated": simulated(sources),
        "others_simulated": [each for record in records for each in stand_ins(record)],
        "network": " ".join(a["reason"] for a in answers if a["reachable"] is False),
    }
    told = list(lessons(Results(compared, comparison.parent)))
    content |= {"lessons": told, "outcomes": OUTCOMES, "years": (told[0]["year"], told[-1]["year"])}
    pages = ("index", "papers", "studies", "learned")
    return {name: render(f"{name}.html.j2", site, **content) for name in pages}


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        written = main(
            comparison=Path(snakemake.input.comparison),
            papers=list(snakemake.input.papers),
            metas=list(snakemake.input.metas),
            network=list(snakemake.input.network),
            peers=snakemake.params.peers,
            studies=list(snakemake.input.studies),
            faults=read_faults(snakemake.input.faults),
            site=Path(snakemake.input.site[0]).parent,
        )
        ids = [meta["id"] for meta in simulated(read_metas(snakemake.input.metas))]
        if ids:
            print(f"WARNING: SIMULATED, not real: {', '.join(ids)}. {REMEDY}", flush=True)
        for name, html in written.items():
            with replacing(snakemake.output[name]) as draft:
                draft.write_text(html, encoding="utf-8")
