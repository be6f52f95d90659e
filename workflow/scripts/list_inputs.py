"""List the numbers that each analysis reads, and the value that one alone uses it.

A sum of two numbers that were typed in looks like any other computed value. No perturbation
shows it, but an input that a single value uses can be looked at. The list is stored in
``workflow/inputs.csv`` and shown on the papers' pages. It is made from the data of the last run.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from rich.progress import track

from annobench import datasets
from annobench.core.files import replacing
from annobench.replication.dependence import change, differs
from annobench.replication.ledger import read_published
from annobench.replication.tracing import TracedPaper
from catalogue import read_paper

TOP = Path(__file__).parents[2]
PAPERS = TOP / "workflow" / "papers"
STORED = TOP / "workflow" / "inputs.csv"
COLUMNS = ["paper", "input", "text", "values", "value"]
#: How much a number is changed, as a share of it: enough to be seen in a rounded value.
SHARE = 0.3


def inputs_of(key: str, paper: TracedPaper, results: set[str], seed: int) -> pd.DataFrame:
    """Change each number alone; return how many results move, and which if it is one.

    A number that the analysis refuses to have changed moves all of them.
    """
    rng, base = np.random.default_rng(seed), paper({}, {})
    rows = []
    for number in track(paper.numbers, description=key):
        try:
            found = paper({number: change(number.text, rng, share=SHARE)}, {})
        except Exception:
            moved = sorted(results)
        else:
            moved = [t for t in base if t in results and differs(base[t], found.get(t, np.nan))]
        only = moved[0] if len(moved) == 1 else ""
        rows.append((key, number.name, number.text, len(moved), only))
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
