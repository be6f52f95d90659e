"""Put the verdicts of all papers into one table."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from annobench.core.files import recording
from annobench_replication import ledger


def combine(comparisons: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return one table of all comparisons; without papers, its header alone."""
    frames = [frame for frame in comparisons if not frame.empty]
    return pd.concat(frames) if frames else pd.DataFrame(columns=list(ledger.COMPARISON_COLUMNS))


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        written = [ledger.read_comparison(Path(path)) for path in snakemake.input.comparisons]
        ledger.write_comparison(combine(written), Path(snakemake.output.comparison))
