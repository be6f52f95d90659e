"""Whether audits are right as often as they say, and whether labels placed by information pay."""

import pandas as pd

from annobench.benchmark.cases import read_cases
from studies.audit import label_replay
from study_contract.running import OwnStudy, StudyResults


def analyse(study: OwnStudy, results: StudyResults) -> None:
    """Put the audits together, and buy real labels again in the order of strategies."""
    results.table("coverage", study.measured)
    results.table("replay", replayed(study))


def replayed(study: OwnStudy) -> pd.DataFrame:
    """Return accuracy by data set, strategy and number of labels."""
    design = study.settings["replay"]
    cases = read_cases(study.data[id] for id in design["datasets"])
    found = label_replay.compare(cases, repeats=design["repeats"], seed=study.seed)
    return found.assign(provenance=found["case"].map({c.name: c.provenance for c in cases}))
