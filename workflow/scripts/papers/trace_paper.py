"""Find what each value of a paper rests on, by changing numbers, constants and data."""

from pathlib import Path

import numpy as np
import pandas as pd

from annobench_replication import dependence
from annobench_replication.tracing import TracedPaper
from pages.broken import recording_paper


def main(paper: TracedPaper, seed: int) -> pd.DataFrame:
    """Return the table of what moves what."""
    rng = np.random.default_rng(seed)
    return dependence.trace(paper, paper.numbers, paper.data, rng)


def write_nothing(path: Path) -> None:
    """Write the table of a paper of which nothing is known, or nothing is to be judged."""
    dependence.write(pd.DataFrame(columns=list(dependence.COLUMNS)), path)


if snakemake := globals().get("snakemake"):
    table = Path(snakemake.output.table)
    # Whatever an analysis raises is a fault of its paper.
    with recording_paper(snakemake, lambda _: write_nothing(table), Exception):
        # A paper that prints no number has nothing to be judged.
        if snakemake.params.results == "none":
            write_nothing(table)
        else:
            folders = {id: Path(snakemake.input[id][0]).parent for id in snakemake.params.datasets}
            folder = Path(snakemake.input.analysis[0]).parent
            paper = TracedPaper(folder, folders, snakemake.params.seed)
            dependence.write(main(paper, snakemake.params.seed), table)
