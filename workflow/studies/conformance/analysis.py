"""Our coefficients beside those of other packages, whose values are stored."""

import pandas as pd

from studies.conformance import conformance
from study_contract.running import OwnStudy, StudyResults


def analyse(study: OwnStudy, results: StudyResults) -> None:
    """Compare all values, and explain those that differ."""
    data = conformance.load_datasets(study.files["datasets"])
    entries = conformance.read_disagreements(study.files["disagreements"])
    compared = conformance.compare(conformance.read_peers(study.files["peers"]), data, entries)
    faults = conformance.faults(compared, entries)
    results.table("matrix", conformance.matrix(compared), digits=None)
    results.table("disagreements", conformance.listed(compared, entries), digits=None)
    results.table("faults", pd.DataFrame({"fault": faults}))
    if faults:
        print(f"WARNING: conformance: {len(faults)} fault(s), on the page.", flush=True)
