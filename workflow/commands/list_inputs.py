"""List the numbers that each analysis reads, and the value that one alone uses it.

A sum of two numbers that were typed in looks like any other computed value. No perturbation
shows it, but an input that a single value uses can be looked at. The list is stored in
``workflow/inputs.csv`` and shown on the papers' pages. It is made from the data of the last run.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
from rich.progress import track

from annobench import datasets
from annobench.core.files import replacing
from annobench_replication.dependence import Number, change, differs
from annobench_replication.ledger import read_published
from annobench_replication.tracing import TracedPaper
from catalogue import read_paper

TOP = Path(__file__).parents[2]
PAPERS = TOP / "workflow" / "papers"
STORED = TOP / "workflow" / "inputs.csv"
COLUMNS = ["paper", "input", "text", "values", "value"]
#: How much a number is changed, as a share of it: enough to be seen in a rounded value.
SHARE = 0.3
#: So many numbers are first changed together.
CHUNK = 16


def chunks_of(numbers: Sequence[Number]) -> Iterator[Sequence[Number]]:
    """Yield the numbers in chunks of one group each."""
    for _, group in groupby(numbers, key=lambda number: number.group):
        own = [*group]
        yield from (own[n : n + CHUNK] for n in range(0, len(own), CHUNK))


def inputs_of(key: str, paper: TracedPaper, results: set[str], seed: int) -> pd.DataFrame:
    """Change each number alone; return how many results move, and which if it is one."""
    rng, base = np.random.default_rng(seed), paper({}, {})

    def moved(numbers: Sequence[Number]) -> list[str]:
        """Return the results that move; all, where the analysis refuses the changed numbers."""
        try:
            found = paper({n: change(n.text, rng, share=SHARE) for n in numbers}, {})
        except Exception:
            return sorted(results)
        return [t for t in base if t in results and differs(base[t], found.get(t, np.nan))]

    rows = []
    chunks = [*chunks_of(paper.numbers)]
    for chunk in track(chunks, description=key):
        # Where a whole chunk moves nothing, its numbers need not be changed one by one.
        is_used = bool(moved(chunk))
        for number in chunk:
            own = moved([number]) if is_used else []
            rows.append((key, number.name, number.text, len(own), own[0] if len(own) == 1 else ""))
    return pd.DataFrame(rows, columns=COLUMNS)


def main(chosen: list[str], data: Path, seed: int) -> None:
    """Make the list anew for the papers that are chosen, all by default."""
    tables = [pd.read_csv(STORED, dtype="str", keep_default_na=False)] if STORED.is_file() else []
    folders = {path.parent.name: path.parent for path in PAPERS.glob("*/paper.yaml")}
    for key in chosen or sorted(folders):
        ids = read_paper(folders[key] / "paper.yaml", datasets.names()).datasets
        published = read_published(folders[key] / "published.csv")
        results = set(published.loc[published["kind"] == "result", "target"])
        paper = TracedPaper(folders[key], {id: data / id for id in ids}, seed)
        tables = [table[table["paper"] != key] for table in tables]
        tables.append(inputs_of(key, paper, results, seed))
        with replacing(STORED) as draft:
            together = pd.concat(tables).sort_values("paper", kind="stable")
            together.to_csv(draft, index=False, lineterminator="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("papers", nargs="*", help="keys of papers; all by default")
    parser.add_argument("--data", type=Path, default=TOP / "results" / "data")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    main(options.papers, options.data, options.seed)
