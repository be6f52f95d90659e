"""Find what each value of a paper rests on, by changing numbers, constants and data."""

from pathlib import Path

import numpy as np
import pandas as pd

from annobench.core.files import recording
from annobench_replication import dependence
from annobench_replication.tracing import TracedPaper


def main(paper: TracedPaper, seed: int) -> pd.DataFrame:
    """Return the table of what moves what."""
    rng = np.random.default_rng(seed)
    return dependence.trace(paper, paper.numbers, paper.data, rng)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=f"{snakemake.rule} {snakemake.wildcards.paper}"):
        # A paper that prints no number has nothing to be judged.
        found = pd.DataFrame(columns=list(dependence.COLUMNS))
        if snakemake.params.results != "none":
            folders = {id: Path(snakemake.input[id][0]).parent for id in snakemake.params.datasets}
            folder = Path(snakemake.input.analysis[0]).parent
            paper = TracedPaper(folder, folders, snakemake.params.seed)
            found = main(paper, snakemake.params.seed)
        dependence.write(found, Path(snakemake.output.table))
