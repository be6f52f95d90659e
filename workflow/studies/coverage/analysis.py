"""The empirical coverage of the intervals of coefficients, by simulation."""

from studies.coverage import interval_coverage
from study_contract.running import OwnStudy, StudyResults


def analyse(study: OwnStudy, results: StudyResults) -> None:
    """Judge the coverage of every interval."""
    table = study.measured
    judged = table.assign(verdict=interval_coverage.verdict(table), provenance="simulated")
    results.table("coverage", judged)
