"""The cells of the study: items whose right categories are known, audited again and again."""

from collections.abc import Sequence
from functools import partial

from annobench.benchmark.cases import read_cases
from studies.audit import audit_coverage
from study_contract.cells import Cell
from study_contract.running import OwnStudy


def cells(study: OwnStudy) -> Sequence[Cell]:
    """List what is measured."""
    folders = [study.data[id] for id in study.design["datasets"]]
    cases = {case.name: case for case in read_cases(folders)}
    return [
        partial(audit_coverage.run, task, study.design, cases, study.seed)
        for task in audit_coverage.tasks(study.design, cases)
    ]
