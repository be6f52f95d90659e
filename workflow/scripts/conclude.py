"""Say what the run reproduced, what of it is simulated, and which file to open."""

import sys
from pathlib import Path

import pandas as pd

from annobench.replication.ledger import read_comparison
from annobench.reporting.verdicts import Tally
from sources import read_metas, simulated

#: Names that stand in one line.
MOST = 5


def verdicts(comparisons: pd.DataFrame) -> str:
    """Return the counts of verdicts as a sentence."""
    total = Tally.of(comparisons)
    grounds = ", ".join(f"{n:,} {words}" for _, words, n in total.grounds)
    explained = comparisons[comparisons["verdict"] == "deviates"]["erratum"].nunique()
    return (
        f"Of {total.total:,} printed values, {total.judged:,} can be judged: "
        f"{total.reproduced:,} are reproduced ({grounds}), "
        f"{total.counts['deviates']:,} deviate for {explained} known causes, "
        f"{total.counts['unresolved']:,} are unresolved, and "
        f"{total.counts['inconclusive']:,} are inconclusive."
    )


def main(results: Path) -> str:
    """Return the last lines of a run."""
    metas = read_metas(map(str, sorted(results.glob("data/*/meta.json"))))
    stand_ins = [meta["id"] for meta in simulated(metas)]
    source = f"All {len(metas)} data sets are real."
    if stand_ins:
        names = ", ".join([*stand_ins[:MOST], *(["..."] if len(stand_ins) > MOST else [])])
        first = simulated(metas)[0]
        why = first["why_simulated"].rstrip(".")
        source = (
            f"SIMULATED, not real: {len(stand_ins)} of {len(metas)} data sets ({names}). "
            f"{first['id']}: {why}."
        )
    told = verdicts(read_comparison(results / "comparison.csv"))
    return f"{source}\n{told} Open {results / 'index.html'}."


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
