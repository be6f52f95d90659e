"""The cells of the study: labels of one design, with the coefficients that suit them."""

from collections.abc import Sequence
from functools import partial

from studies.coverage import interval_coverage
from study_contract.cells import Cell
from study_contract.running import OwnStudy


def cells(study: OwnStudy) -> Sequence[Cell]:
    """List what is measured."""
    tasks = interval_coverage.plan(study.design, interval_coverage.cases())
    n_items = study.settings["estimand_items"]
    return [partial(task.run, seed=study.seed, n_items=n_items) for task in tasks]
