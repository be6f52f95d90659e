"""Count the verdicts of all papers for the README, and see that it says what was counted.

The verdicts are those that `make verdict-store` stored of a run with `config/ci.yaml`.
"""

import argparse
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from matplotlib.figure import Figure

from annobench.core.files import replacing
from annobench.core.texts import counted as with_noun
from annobench.datasets import get
from annobench.datasets.discovery import modules
from annobench.plotting import house_style
from annobench_replication.faces import GROUNDS, Tally
from annobench_replication.ledger import read_comparison
from commands.conclude import PAPERS
from pages.counts import Record, count, in_order
from pages.records import read_metas, read_record, simulated
from pages.short_names import short_names

TOP = Path(__file__).parents[2]
#: Of the run whose verdicts are stored.
CONFIG = TOP / "config/ci.yaml"
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


def stored(verdicts: Path, papers: Path) -> pd.DataFrame:
    """Read the stored verdicts, each with where its value stands."""
    published = [
        _texts(path).assign(paper=path.parent.name) for path in papers.glob("*/published.csv")
    ]
    places = pd.concat(published)[["paper", "target", "source"]]
    frame = _texts(verdicts).merge(places, how="left", validate="one_to_one")
    # Explanations are not counted here.
    return frame.assign(erratum="", cause="", condition="")


def _texts(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype="str", keep_default_na=False)


def simulated_by(config: Path) -> list[str]:
    """Name the data sets whose labels a configuration has simulated, in order."""
    modes = yaml.safe_load(config.read_text(encoding="utf-8"))["data"]["datasets"]
    # A data set that lacks texts alone has real labels.
    return sorted(id for id, mode in modes.items() if mode == "simulated" and not get(id).texts)


def counted(
    comparisons: pd.DataFrame, records: Iterable[Record], stand_ins: Collection[str]
) -> str:
    """Return a table of the papers, and what became of their values, in Markdown."""
    counts = count(comparisons, records, ())
    seed, added = counts.seed, counts.added
    names = short_names(seed.records)
    rows = [
        (
            names[paper["key"]],
            sets_of(paper, stand_ins),
            Tally.of(comparisons[comparisons["paper"] == paper["key"]]),
        )
        for paper in seed.records
    ]
    papers = with_noun(len(seed.records), "paper")
    studies = with_noun(len(added.records), "added study", "added studies")
    rows += [
        (f"**{papers}**", "", seed.tally),
        (f"**{studies}**, in print", "", counts.printed),
        ("released files of these", "", counts.released),
    ]
    lines = [
        f"| paper | data sets | judged | reproduced | {' | '.join(GROUNDS.values())} |",
        f"|---|---|{'--:|' * (2 + len(GROUNDS))}",
    ]
    for name, sets, tally in rows:
        numbers = [tally.judged, tally.reproduced, *(tally.evidence[p] for p in GROUNDS)]
        lines.append(f"| {name} | {sets} | {' | '.join(f'{n:,}' for n in numbers)} |")
    others = (
        f"Of the other values of the {papers}, {seed.tally.counts['deviates']:,} deviate, "
        f"{seed.tally.counts['unresolved']:,} are unresolved and "
        f"{seed.tally.counts['inconclusive']:,} inconclusive."
    )
    if stand_ins:
        marked = ", ".join(f"`{id}`" for id in stand_ins)
        others += f" \\* Simulated in the run that is counted: {marked}."
    return "\n".join([*lines, "", others])


def families_of(ids: Iterable[str]) -> dict[str, list[str]]:
    """Sort data sets by the modules that fetch them."""
    places = modules()
    families: dict[str, list[str]] = {}
    for id in ids:
        families.setdefault(places[id].__name__.rpartition(".")[2], []).append(id)
    return families


def sets_of(paper: Mapping[str, Any], stand_ins: Collection[str]) -> str:
    """Name the families of a paper's data sets, with a mark on those in part simulated."""
    families = families_of(paper.get("datasets", ()))
    named = [
        f"{family}\\*" if set(ids) & set(stand_ins) else family for family, ids in families.items()
    ]
    return ", ".join(named) or "\N{EN DASH}"


def shares(tally: Tally) -> list[int]:
    """Return the counts of a study in the order of the picture's shades."""
    others = (tally.counts[name] for name in ("inconclusive", "unresolved", "deviates"))
    return [
        *(tally.evidence[p] for p in GROUNDS),
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


def main(
    *, check: bool, verdicts: Path, comparison: Path | None, readme: Path, papers: Path = PAPERS
) -> int:
    """Write the counts into the README, or say whether they stand there."""
    if comparison is None:
        compared, stand_ins = stored(verdicts, papers), simulated_by(CONFIG)
    else:
        metas = read_metas(map(str, sorted(comparison.parent.glob("data/*/meta.json"))))
        compared = read_comparison(comparison)
        stand_ins = [meta["id"] for meta in simulated(metas)]
    records = [read_record(path) for path in sorted(papers.glob("*/paper.yaml"))]
    text = readme.read_text(encoding="utf-8")
    block = f"{BEGIN}\n{counted(compared, records, stand_ins)}\n{END}"
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        print(f"{readme}: there must be one {BEGIN!r} with {END!r} after it.", file=sys.stderr)
        return 1
    wanted = pattern.sub(lambda _: block, text)
    if check and wanted != text:
        print(
            f"{readme}: the counts are not those of {comparison or verdicts}. Run `make readme`.",
            file=sys.stderr,
        )
        return 1
    if not check:
        readme.write_text(wanted, encoding="utf-8")
        draw(compared, records, readme.parent / "docs/verdicts.svg")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if stale")
    parser.add_argument("--verdicts", type=Path, default=TOP / "workflow/verdicts.csv")
    parser.add_argument("--comparison", type=Path, help="of a run, instead of stored verdicts")
    parser.add_argument("--readme", type=Path, default=TOP / "README.md")
    sys.exit(main(**vars(parser.parse_args())))
