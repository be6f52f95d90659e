"""Put the comparisons of all papers into one table."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from annobench.core.files import recording
from annobench.replication.ledger import COMPARISON_COLUMNS, read_comparison, write_comparison


def main(comparisons: Iterable[str], comparison: Path) -> None:
    """Write one table; without papers, its header alone."""
    frames = [frame for path in comparisons if not (frame := read_comparison(path)).empty]
    empty = pd.DataFrame(columns=list(COMPARISON_COLUMNS))
    write_comparison(pd.concat(frames) if frames else empty, comparison)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        main(snakemake.input.comparisons, Path(snakemake.output.comparison))
