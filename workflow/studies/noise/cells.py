"""The cells of the study: labels of one regime."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from studies.noise.certificate_coverage import Regime, regimes, simulated_coverage
from study_contract.cells import Cell
from study_contract.running import OwnStudy


def cells(study: OwnStudy) -> Sequence[Cell]:
    """List what is measured."""
    return [partial(_measure, regime, study) for regime in regimes(study.design)]


def _measure(regime: Regime, study: OwnStudy) -> pd.DataFrame:
    found = simulated_coverage(regime, repetitions=study.design["repetitions"], seed=study.seed)
    return pd.DataFrame([found])
