"""The scores of the pool and of its rivals, and what the criterion makes of them."""

import pandas as pd

from annobench.models import pool
from studies.pool import cases, comparison, summaries
from study_contract.running import OwnStudy, StudyResults


def analyse(study: OwnStudy, results: StudyResults) -> None:
    """Learn weights without each family, and score on it."""
    found = list(cases.read(study.measured))
    learned = comparison.weights_of(found)
    design = study.design
    scores = comparison.compare(found, learned, design["gold"], design["draws"], study.seed)
    means, apart = summaries.means(scores), summaries.differences(scores, study.seed)
    results.table("scores", scores, digits=5)
    results.table("means", means, digits=5)
    results.table("differences", apart, digits=5)
    results.table("decision", summaries.decision(means, apart), digits=5)
    families = {case.family for case in found if case.provenance != "regime"}
    rows = [
        {
            "without": family if family in families else "nothing",
            "spread": each.spread,
            "offset_spread": each.offset_spread,
        }
        | dict(zip(pool.MEMBERS, each.mean, strict=True))
        for (family, name), each in learned.items()
        if name == comparison.POOL
    ]
    results.table("weights", pd.DataFrame(rows).drop_duplicates("without"), digits=5)
