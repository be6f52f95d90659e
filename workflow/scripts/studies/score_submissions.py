"""Score the methods that others submitted, on the labels that `annobench compare` takes."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from annobench.benchmark.cases import read_cases
from annobench.benchmark.external_methods.data import REGIMES
from annobench.benchmark.external_methods.submission import from_submission
from annobench.benchmark.external_methods.submitted import score_submitted
from annobench.benchmark.regimes import simulate_regimes
from annobench.core.choices import DEFAULT_SEED
from annobench.core.files import recording, write_csv


def main(paths: Iterable[Path], folders: Sequence[Path], replicates: int) -> pd.DataFrame:
    """Return the table; the regimes are those of the command, whatever the seed of this run."""
    cases = read_cases(folders) + simulate_regimes(REGIMES, DEFAULT_SEED)
    submissions = [from_submission(path) for path in paths]
    return score_submitted(submissions, cases, seed=DEFAULT_SEED, replicates=replicates)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        table = main(
            paths=[Path(path) for path in snakemake.input.submissions],
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            replicates=snakemake.params.replicates,
        )
        write_csv(table, snakemake.output.table, float_format="%.6g")
