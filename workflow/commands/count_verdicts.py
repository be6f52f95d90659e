"""Count the verdicts of all papers for the README, and see that it says what was counted."""

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench.core.files import replacing
from annobench.core.texts import counted as with_noun
from annobench.datasets.discovery import modules
from annobench.plotting import house_style
from annobench_replication.faces import Tally
from annobench_replication.ledger import read_comparison
from commands.conclude import PAPERS, counts_of
from pages.counts import in_order
from pages.records import read_record
from pages.short_names import short_names

TOP = Path(__file__).parents[2]
BEGIN, END = "<!-- counted: make readme -->", "<!-- end of what is counted -->"


#: What the picture shows of each study, by colour: evidence by its provenance, then the others.
SHADES = {
    "reproduced from real labels": "#1f6f5c",
    "from printed tables": "#5fa88f",
    "in closed form": "#a3cfbf",
    "by simulation": "#cfe3d8",
    "inconclusive": "#e3dfb0",
    "unresolved": "#b58bb8",
    "deviates": "#c4511d",
}


def counted(comparisons: pd.DataFrame, papers: Path) -> str:
    """Return a table of the papers, and what became of their values, in Markdown."""
    counts = counts_of(comparisons, papers)
    seed, added = counts.seed, counts.added
    names = short_names(seed.records)
    rows = [
        (
            names[paper["key"]],
            sets_of(paper),
            Tally.of(comparisons[comparisons["paper"] == paper["key"]]),
        )
        for paper in seed.records
    ]
    rows.append((f"**{with_noun(len(seed.records), 'paper')}**", "", seed.tally))
    lines = ["| paper | data sets | judged | reproduced |", "|---|---|--:|--:|"]
    lines += [
        f"| {name} | {sets} | {tally.judged:,} | {tally.reproduced:,} |"
        for name, sets, tally in rows
    ]
    others = (
        f"Of the others, {seed.tally.counts['deviates']:,} deviate, "
        f"{seed.tally.counts['unresolved']:,} are unresolved and "
        f"{seed.tally.counts['inconclusive']:,} inconclusive. "
        f"Added studies: {len(added.records)}, with {added.tally.judged:,} values judged and "
        f"{added.tally.reproduced:,} reproduced."
    )
    return "\n".join([*lines, "", others])


def sets_of(paper: Mapping[str, Any]) -> str:
    """Name the families of a paper's data sets: the modules that fetch them."""
    found = modules()
    named = (found[id].__name__.rpartition(".")[2] for id in paper.get("datasets", ()))
    return ", ".join(dict.fromkeys(named)) or "\N{EN DASH}"


def shares(tally: Tally) -> list[int]:
    """Return the counts of a study in the order of the picture's shades."""
    others = (tally.counts[name] for name in ("inconclusive", "unresolved", "deviates"))
    return [
        *(tally.evidence[p] for p in ("real", "printed_table", "closed_form", "simulated")),
        *others,
    ]


def draw(comparisons: pd.DataFrame, records: list[dict[str, Any]], path: Path) -> None:
    """Draw what became of the values of each study that can be judged."""
    judged = {
        re.sub(r"_|(?=\d{4}$)", " ", record["key"]).title(): tally
        for record in in_order(records)
        if (tally := Tally.of(comparisons[comparisons["paper"] == record["key"]])).judged
    }
    with house_style():
        figure = Figure(figsize=(8, 0.26 * len(judged) + 0.9))
        axes = figure.subplots()
        counts = np.array([shares(tally) for tally in judged.values()])
        edges = np.zeros(len(judged))
        for (label, shade), widths in zip(SHADES.items(), counts.T, strict=True):
            if widths.any():
                axes.barh(range(len(judged)), widths, left=edges, color=shade, label=label)
            edges += widths
        for y, tally in enumerate(judged.values()):
            said = f"{tally.reproduced:,} of {tally.judged:,}"
            axes.annotate(said, (tally.judged, y), (3, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(judged)), list(judged))
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("printed values that can be judged, and how many of them are reproduced")
        figure.legend(loc="outside upper left", ncols=4)
        with replacing(path) as draft:
            figure.savefig(draft, format="svg", metadata={"Date": None})


def main(*, check: bool, comparison: Path, readme: Path, papers: Path = PAPERS) -> int:
    """Write the counts into the README, or say whether they stand there."""
    compared = read_comparison(comparison)
    text = readme.read_text(encoding="utf-8")
    block = f"{BEGIN}\n{counted(compared, papers)}\n{END}"
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
        records = [read_record(path) for path in papers.glob("*/paper.yaml")]
        draw(compared, records, readme.parent / "docs/verdicts.svg")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if stale")
    parser.add_argument("--comparison", type=Path, default=TOP / "results/comparison.csv")
    parser.add_argument("--readme", type=Path, default=TOP / "README.md")
    sys.exit(main(**vars(parser.parse_args())))
