"""Counts of values and of discrepancies: the same on every page, in the README, after a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from annobench.core.texts import counted
from annobench_replication.faces import Tally
from annobench_replication.vocabulary import PARTS
from pages.discrepancies import PART_WORDS, Finding

#: The papers that the workbench was made for, as paper.yaml says; all others were added.
SEED = "seed"

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Group:
    """Studies that are counted together.

    Attributes
    ----------
    records : list of dict
        Of the studies.
    tally : Tally
        Of their values.
    entries : dict of str to int
        Their discrepancies, by part.
    """

    records: list[Record]
    tally: Tally
    entries: dict[str, int]

    @property
    def years(self) -> str:
        """When the studies were published."""
        years = sorted({record["year"] for record in self.records})
        return f"{years[0]} to {years[-1]}" if len(years) > 1 else "".join(map(str, years))


@dataclass(frozen=True)
class Counts:
    """What became of the values of all studies.

    Attributes
    ----------
    seed, added : Group
        The papers that the workbench was made for, and the studies that were added.
    printed, released : Tally
        Of the added studies: values in print, and values in what the authors published beside it,
        such as notebooks and files of results.
    total : Tally
        Of all values.
    """

    seed: Group
    added: Group
    printed: Tally
    released: Tally
    total: Tally


def is_seed(record: Record) -> bool:
    """Return whether a paper is one that the workbench was made for."""
    return bool(record.get("collection") == SEED)


def in_order(records: Iterable[Record]) -> list[Record]:
    """Sort papers: those that the workbench was made for, then those added, each by year."""
    return sorted(records, key=lambda each: (not is_seed(each), each["year"], each["key"]))


def of_released(comparison: pd.DataFrame, records: Iterable[Record]) -> pd.Series[bool]:
    """Return which values stand in what authors released beside the paper, not in print."""
    released = pd.Series(False, index=comparison.index)
    for record in records:
        own = comparison["paper"] == record["key"]
        released |= own & comparison["source"].isin(record.get("released", ()))
    return released


def count(comparison: pd.DataFrame, records: Iterable[Record], found: Iterable[Finding]) -> Counts:
    """Count what became of the values of all studies.

    Parameters
    ----------
    comparison : DataFrame
        All values, as `read_comparison` gives them.
    records : iterable of dict
        Of the studies, as `read_record` gives them.
    found : iterable of Finding
        All discrepancies.

    Returns
    -------
    Counts
        The headlines' numbers.
    """
    records, found = in_order(records), list(found)
    seed, added = (
        _group(comparison, [record for record in records if is_seed(record) == of_seed], found)
        for of_seed in (True, False)
    )
    of_added = comparison["paper"].isin([record["key"] for record in added.records])
    released = of_released(comparison, records)
    return Counts(
        seed=seed,
        added=added,
        printed=Tally.of(comparison[of_added & ~released]),
        released=Tally.of(comparison[of_added & released]),
        total=Tally.of(comparison),
    )


def _group(comparison: pd.DataFrame, records: list[Record], found: list[Finding]) -> Group:
    keys = [record["key"] for record in records]
    parts = [finding.part for finding in found if finding.paper in keys]
    return Group(
        records,
        Tally.of(comparison[comparison["paper"].isin(keys)]),
        {part: parts.count(part) for part in PARTS},
    )


def judged(tally: Tally) -> str:
    """Say what became of the values that can be judged."""
    grounds = ", ".join(f"{n:,} {words}" for _, words, n in tally.grounds)
    reasons = ", ".join(f"{n:,} {words}" for _, words, n in tally.explained)
    outcomes = [
        (tally.reproduced, "reproduced", grounds),
        (tally.counts["deviates"], "deviating", reasons),
        (
            tally.counts["unresolved"],
            "unresolved",
            counted(tally.questions, "question"),
        ),
        (tally.counts["inconclusive"], "inconclusive", ""),
        (tally.counts["missing"], "missing", ""),
    ]
    return ", ".join(
        f"{n:,} {words}{f' ({why})' if why else ''}" for n, words, why in outcomes if n
    )


def sentences(counts: Counts) -> list[str]:
    """Return the headlines as sentences, the papers that the workbench was made for first."""
    said = []
    seed, added = counts.seed, counts.added
    if seed.tally.total:
        said.append(
            f"Of {seed.tally.total:,} values printed in {len(seed.records)} papers "
            f"({seed.years}), {seed.tally.judged:,} can be judged: {judged(seed.tally)}."
        )
    if n := len(added.records):
        parts = [
            f"of {tally.total:,} values {where}, {tally.judged:,} can be judged: {judged(tally)}"
            for tally, where in (
                (counts.printed, "in print"),
                (counts.released, "in their authors' repositories"),
            )
            if tally.total
        ]
        count_of = "There is 1 added study." if n == 1 else f"There are {n} added studies."
        of_values = "; ".join(parts).replace("of", " Of", 1)
        said.append(f"{count_of}{of_values}{'.' if parts else ''}")
    return said


def entries(group: Group) -> str:
    """Say how many discrepancies a group has, by part."""
    return ", ".join(f"{n} {PART_WORDS[p][n != 1]}" for p, n in group.entries.items() if n)
