"""The cells of the study: the fits of one data set or of one simulated regime."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from annobench import datasets
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.regimes import simulate_regimes
from studies.pool.cases import fitted
from study_contract.cells import Cell
from study_contract.running import OwnStudy


def cells(study: OwnStudy) -> Sequence[Cell]:
    """List what is fitted."""
    names = study.design["models"]
    regimes = simulate_regimes(study.design["regimes"], study.seed)
    return [
        *(partial(_of_data, study, name, names) for name in study.design["datasets"]),
        *(partial(fitted, case, names) for case in regimes),
    ]


def _of_data(study: OwnStudy, name: str, names: Sequence[str]) -> pd.DataFrame:
    return fitted(BenchmarkCase.of(datasets.read(study.data[name])), names)
