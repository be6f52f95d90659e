"""Measure what the stored table of the study lacks, row by row.

    PYTHONPATH=workflow python -m studies.intervals [INTERVAL ...]

Named intervals are measured again. The table is written after every row, so that an interrupted
run goes on where it stopped.
"""

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from annobench.core.discovery import did_you_mean
from annobench.reporting.pages import records
from studies.intervals.case import Case
from studies.intervals.measuring import all_cases, judged, measure
from study_contract.record import read_study
from study_contract.running import OwnStudy, StudyResults

TOP = Path(__file__).parents[3]
STORED = TOP / "benchmarks/measured/intervals"

Key = tuple[str, str, str, int]
Row = dict[str, Any]


def main(names: list[str], stored: Path = STORED) -> None:
    """Measure the rows of these intervals, and those that are missing.

    A row is kept while its interval, design, kind and number of data sets are those of its case.
    """
    configuration = yaml.safe_load((TOP / "config/config.yaml").read_text(encoding="utf-8"))
    design, seed = configuration["studies"]["intervals"]["full"], configuration["seed"]
    study = OwnStudy({"grid": "full", "design": design, "seed": seed})
    cases = all_cases()
    intervals = sorted({case.interval for case in cases})
    for name in names:
        if name not in intervals:
            raise SystemExit(
                f"studies.intervals: no row has the interval {name!r}."
                f"{did_you_mean(name, intervals)} Correct the name."
            )
    measured = _stored_rows(stored / "coverage.csv")
    for case in cases:
        if case.interval in names or _key(case) not in measured:
            [row] = records(measure(case, seed))
            measured[_key(case)] = row
            print(f"{case.interval}, {case.design}: {row['value']:.3f}", flush=True)
            _store(study, stored, measured, cases)
    _store(study, stored, measured, cases)


def _key(case: Case) -> Key:
    return case.interval, case.design, case.kind, case.data_sets


def _stored_rows(path: Path) -> dict[Key, Row]:
    if not path.is_file():
        return {}
    rows = records(pd.read_csv(path))
    return {(row["interval"], row["design"], row["kind"], row["data_sets"]): row for row in rows}


def _store(study: OwnStudy, folder: Path, measured: dict[Key, Row], cases: list[Case]) -> None:
    """Write the rows that there are, in the order of the cases."""
    rows = [measured[_key(case)] for case in cases if _key(case) in measured]
    folder.mkdir(parents=True, exist_ok=True)
    results = StudyResults(folder, read_study(Path(__file__).with_name("study.yaml")).tables)
    results.table("coverage", judged(pd.DataFrame(rows), cases))
    results.finish(study)


if __name__ == "__main__":
    main(sys.argv[1:])
