"""Count the verdicts of all papers for the README, and see that it says what was counted."""

import argparse
import re
import sys
from pathlib import Path

import pandas as pd

from annobench.replication.ledger import read_comparison
from annobench.reporting.verdicts import Tally
from sources import read_record

TOP = Path(__file__).parents[2]
BEGIN, END = "<!-- counted: make readme -->", "<!-- end of what is counted -->"


def counted(comparisons: pd.DataFrame, records: list[dict[str, str]]) -> str:
    """Return the counts as a sentence and a table in Markdown."""
    total = Tally.of(comparisons)
    grounds = ", ".join(f"{n:,} {words}" for _, words, n in total.grounds)
    explained = comparisons[comparisons["verdict"] == "deviates"]["erratum"].nunique()
    lines = [
        f"Of {total.total:,} printed values, {total.judged:,} can be judged: "
        f"{total.reproduced:,} are reproduced ({grounds}), "
        f"{total.counts['deviates']:,} deviate for {explained} known causes, "
        f"{total.counts['unresolved']:,} are unresolved, and "
        f"{total.counts['inconclusive']:,} are inconclusive.",
        "",
        f"| study | {' | '.join(total.columns)} |",
        f"|---|{'--:|' * len(total.columns)}",
    ]
    for record in sorted(records, key=lambda record: (record["year"], record["key"])):
        own = Tally.of(comparisons[comparisons["paper"] == record["key"]])
        cells = " | ".join(f"{n:,}" if n else "" for n in own.columns.values())
        lines.append(f"| `{record['key']}` {record['title']} | {cells} |")
    cells = " | ".join(f"**{n:,}**" for n in total.columns.values())
    return "\n".join([*lines, f"| **all** | {cells} |"])


def main(*, check: bool, comparison: Path, readme: Path) -> int:
    """Write the counts into the README, or say whether they stand there."""
    records = [read_record(path) for path in (TOP / "workflow/papers").glob("*/paper.yaml")]
    text = readme.read_text(encoding="utf-8")
    block = f"{BEGIN}\n{counted(read_comparison(comparison), records)}\n{END}"
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        print(f"{readme}: there must be one {BEGIN!r} with {END!r} after it.", file=sys.stderr)
        return 1
    wanted = pattern.sub(lambda _: block, text)
    if check and wanted != text:
        print(
            f"{readme}: the counts are not those of {comparison}. Run `make readme`.",
            file=sys.stderr,
        )
        return 1
    if not check:
        readme.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if stale")
    parser.add_argument("--comparison", type=Path, default=TOP / "results/comparison.csv")
    parser.add_argument("--readme", type=Path, default=TOP / "README.md")
    sys.exit(main(**vars(parser.parse_args())))
