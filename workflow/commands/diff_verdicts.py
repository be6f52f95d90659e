"""Show which verdicts and computed values a change turned, or store them as the new baseline."""

import argparse
import math
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.core.files import replacing
from annobench.reporting.pages import records
from annobench.reporting.printed import unit_of
from annobench_replication.ledger import read_comparison

TOP = Path(__file__).parents[2]
COLUMNS = ("paper", "target", "verdict", "provenance", "computed")


def baseline(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the verdict of each printed value, and what was computed to its printed precision."""
    frame = comparisons.assign(computed=[*map(as_printed, records(comparisons))])
    return frame[list(COLUMNS)].reset_index(drop=True)


def as_printed(row: dict[str, Any]) -> str:
    """Write a computed value to as many places as the printed one has; empty if there is none."""
    if math.isnan(row["computed"]):
        return ""
    return f"{Decimal(row['computed']).quantize(unit_of(row['published'])):f}"


def difference(before: pd.DataFrame, after: pd.DataFrame) -> list[str]:
    """Say which rows changed, each as a line, and how the counts of verdicts did."""
    keys = ["paper", "target"]
    both = before.merge(after, on=keys, how="outer", suffixes=("_before", "_after")).fillna("")
    lines = []
    for row in records(both):
        was, now = (
            " ".join(filter(None, (row[f"{name}_{when}"] for name in COLUMNS[2:])))
            for when in ("before", "after")
        )
        if was != now:
            lines.append(f"{row['paper']} {row['target']}: {was or 'absent'} -> {now or 'absent'}")
    counts = pd.DataFrame(
        {
            "before": before.value_counts(["verdict", "provenance"]),
            "after": after.value_counts(["verdict", "provenance"]),
        }
    )
    counts = counts.fillna(0).astype(int).reset_index()
    counts["provenance"] = counts["provenance"].replace("", "no provenance")
    return lines + [
        f"{row['verdict']}, {row['provenance']}: {row['before']} -> {row['after']}"
        for row in records(counts[counts["before"] != counts["after"]])
    ]


def main(*, store: bool, results: Path, papers: Path, verdicts: Path) -> int:
    """Print what changed since the baseline was stored, or store it anew.

    A paper that was run alone is compared, too.
    """
    tables = {path.name: results / "papers" / path.name / "comparison.csv" for path in _in(papers)}
    without = [key for key, table in tables.items() if not table.is_file()]
    if len(without) == len(tables) or (store and without):
        sys.exit(f"{results} has no verdicts of {', '.join(without)}. Run `make results` first.")
    frames = [read_comparison(table) for key, table in tables.items() if key not in without]
    after = baseline(pd.concat(frames, ignore_index=True))
    if store:
        with replacing(verdicts) as draft:
            after.to_csv(draft, index=False, lineterminator="\n")
        return 0
    before = pd.read_csv(verdicts, dtype="str", keep_default_na=False)
    run = before[~before["paper"].isin(without)]
    for line in difference(run, after) or [f"No verdict differs from those in {verdicts}."]:
        print(line)
    if without:
        print(f"Not run: {', '.join(without)}.")
    return 0


def _in(papers: Path) -> list[Path]:
    return sorted(path for path in papers.iterdir() if any(map(Path.is_file, path.glob("*"))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", action="store_true", help="store the verdicts as the baseline")
    parser.add_argument("--results", type=Path, default=TOP / "results")
    parser.add_argument("--papers", type=Path, default=TOP / "workflow/papers")
    parser.add_argument("--verdicts", type=Path, default=TOP / "workflow/verdicts.csv")
    sys.exit(main(**vars(parser.parse_args())))
