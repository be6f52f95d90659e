"""The coverage of intervals, and the level of tests, that commands print."""

from studies.intervals.measuring import all_cases, judged
from study_contract.running import OwnStudy, StudyResults


def analyse(study: OwnStudy, results: StudyResults) -> None:
    """Judge every row by what is wanted of it."""
    results.table("coverage", judged(study.measured, all_cases()))
