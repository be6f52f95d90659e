"""Noise certificates of labels of several kinds, compared with gold where there is one."""

from studies.certificate.certificates import TABLES, certify
from study_contract.running import OwnStudy, StudyResults


def analyse(study: OwnStudy, results: StudyResults) -> None:
    """Certify the noise of every part of the design."""
    folders = [study.data[each["dataset"]] for each in study.design]
    tables = certify(folders, study.design, study.seed)
    for name, table in zip(TABLES, tables, strict=True):
        results.table(name, table)
