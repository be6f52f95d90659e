"""Say what the run reproduced, what of it is simulated, and which file to open."""

import sys
from pathlib import Path
from typing import Any

import pandas as pd

from annobench_replication.ledger import read_comparison
from pages.counts import Counts, count, sentences
from pages.discrepancies import of_all
from pages.records import read_metas, read_record, simulated

PAPERS = Path(__file__).parents[1] / "papers"

#: Names that stand in one line.
MOST = 5


def counts_of(comparison: pd.DataFrame, papers: Path) -> Counts:
    """Count what became of the values of the papers in a folder."""
    files = {path.parent.name: path for path in sorted(papers.glob("*/paper.yaml"))}
    return count(comparison, map(read_record, files.values()), of_all(comparison, files))


def data_of(metas: list[dict[str, Any]]) -> str:
    """Say whether the data are real, or what of them is simulated and why."""
    stand_ins = [meta["id"] for meta in simulated(metas)]
    if not stand_ins:
        return f"All {len(metas)} data sets are real."
    names = ", ".join([*stand_ins[:MOST], *(["..."] if len(stand_ins) > MOST else [])])
    first = simulated(metas)[0]
    why = first["why_simulated"].rstrip(".")
    return (
        f"SIMULATED, not real: {len(stand_ins)} of {len(metas)} data sets ({names}). "
        f"{first['id']}: {why}."
    )


def main(results: Path, papers: Path = PAPERS) -> str:
    """Return the last lines of a run."""
    metas = read_metas(map(str, sorted(results.glob("data/*/meta.json"))))
    told = sentences(counts_of(read_comparison(results / "comparison.csv"), papers))
    return "\n".join([data_of(metas), *told, f"Open {results / 'index.html'}."])


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
