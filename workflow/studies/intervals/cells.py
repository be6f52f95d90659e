"""The cells of the study: an interval on data sets of one design."""

from collections.abc import Sequence
from functools import partial

from studies.intervals.case import Case
from studies.intervals.measuring import all_cases, measure
from study_contract.cells import Cell
from study_contract.running import OwnStudy


def chosen(study: OwnStudy) -> list[Case]:
    """List the cases of the grid: all, or those of the intervals that it names."""
    names = study.design["intervals"]
    return [case for case in all_cases() if names is None or case.interval in names]


def cells(study: OwnStudy) -> Sequence[Cell]:
    """List what is measured."""
    size = study.design["data_sets"]
    return [partial(measure, case, study.seed, size) for case in chosen(study)]
