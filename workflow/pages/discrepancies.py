"""Where papers and computed values differ: an entry a cause, of values or of formulas and prose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.reporting.formats import shown
from annobench.reporting.pages import records
from annobench_replication.faces import RELATIONS
from annobench_replication.ledger import read_remarks
from annobench_replication.vocabulary import CAUSES, STATUSES, WEIGHTS, part_of

#: What an entry proves, in words: of one, and of several.
PART_WORDS = {
    "proven": ("proven erratum", "proven errata"),
    "conditional": ("conditional finding", "conditional findings"),
    "difference": ("difference of data or method", "differences of data or method"),
    "open": ("open question", "open questions"),
}

#: What became of an entry, in words.
STATUS_WORDS = {
    "not_contacted": "authors not contacted",
    "contacted": "authors contacted, no answer yet",
    "confirmed": "confirmed by the authors",
    "disputed": "disputed by the authors",
    "corrected": "corrected in print",
}

#: How much a mistake matters, in words.
WEIGHT_WORDS = {
    "conclusion": "changes a conclusion",
    "value": "changes a value",
    "digit": "changes a last digit",
}

#: Why a value comes out different, in words.
CAUSE_WORDS = {
    "misprint": "misprint",
    "rounding": "rounding",
    "formula": "formula",
    "contradiction": "contradiction",
    "other_data": "other data",
    "method": "method",
    "unexplained": "unexplained",
}

#: What a finding says about a paper's text, by how much of it was available.
TEXT_WORDS = {
    "whole": "",
    "part": "Only parts of the paper's text were available to us.",
    "none": "The paper's text was not available to us: we do not know what else it says.",
}

#: What the macro that shows an entry takes its words from.
ENTRY_WORDS = {
    "part_words": PART_WORDS,
    "status_words": STATUS_WORDS,
    "weight_words": WEIGHT_WORDS,
    "cause_words": CAUSE_WORDS,
    "text_words": TEXT_WORDS,
}

#: Columns of the file of all findings.
COLUMNS = (
    *("paper", "title", "id", "source", "quantity", "printed", "should_be", "unit"),
    *("part", "cause", "weight", "explanation", "evidence", "condition"),
    *("status", "date", "permalink"),
)


@dataclass(frozen=True)
class Change:
    """What is printed in one place, and what it should be.

    Attributes
    ----------
    source, quantity : str
        Where it stands, and what it is in words.
    printed, should_be, unit : str
        As a page shows them. `should_be` is empty if nothing was computed in this run.
    target : str
        Of a printed value; empty for a formula or prose.
    """

    source: str
    quantity: str
    printed: str
    should_be: str
    unit: str = ""
    target: str = ""


@dataclass(frozen=True)
class Finding:
    """A mistake or an unresolved difference, with all that one cause explains.

    Attributes
    ----------
    paper, id : str
        Key of the paper, and the finding's name in it.
    cause, weight : str
        Of `CAUSES` and `WEIGHTS`.
    condition : str
        Completes "It holds only if"; may be empty.
    status, date : str
        Of `STATUSES`, and since when; the date is empty where nobody has explained it yet.
    changes : list of Change
        In the paper's order.
    explanations, evidence : list of (str, str)
        Each with the quantity that it is about, which is empty where it is about all.
    """

    paper: str
    id: str
    cause: str
    weight: str
    condition: str
    status: str
    date: str
    changes: list[Change]
    explanations: list[tuple[str, str]] = field(default_factory=list)
    evidence: list[tuple[str, str]] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        """Its name on the page of all findings."""
        return f"{self.paper}-{self.id}"

    @property
    def part(self) -> str:
        """What it is, of `annobench_replication.vocabulary.PARTS`."""
        return part_of(self.cause, self.condition)

    @property
    def is_open(self) -> bool:
        """Whether no interpretation is known that gives what is printed."""
        return self.part == "open"


def of_values(comparison: pd.DataFrame) -> list[Finding]:
    """Return one finding a cause of the values of a paper that come out different."""
    differing = comparison[comparison["verdict"].isin(("deviates", "unresolved", "stand_in"))]
    differing = differing[(differing["explanation"] != "") | (differing["verdict"] != "stand_in")]
    causes: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in records(differing):
        causes.setdefault((row["paper"], row["erratum"] or row["target"]), []).append(row)
    return [
        Finding(
            *key,
            # What nobody has explained yet is open, until the check passes.
            rows[0]["cause"] or CAUSES[-1],
            rows[0]["weight"] or "value",
            rows[0]["condition"],
            rows[0]["status"] or STATUSES[0],
            rows[0]["date"],
            [
                Change(
                    row["source"],
                    row["label"] or row["target"],
                    RELATIONS[row["relation"]] + row["published"],
                    ""
                    if row["verdict"] == "stand_in"
                    else shown(row["computed"], row["published"]),
                    row["unit"],
                    row["target"],
                )
                for row in rows
            ],
            _distinct(rows, "explanation"),
            _distinct(rows, "evidence"),
        )
        for key, rows in causes.items()
    ]


def _distinct(rows: list[dict[str, Any]], column: str) -> list[tuple[str, str]]:
    """List each text once, with the first quantity that it is about if there are several."""
    texts: dict[str, str] = {}
    for row in rows:
        if row[column]:
            texts.setdefault(row[column], row["label"] or row["target"])
    if len(texts) < 2:
        return [("", text) for text in texts]
    return [("" if n == 0 else quantity, text) for n, (text, quantity) in enumerate(texts.items())]


def of_remarks(paper: str, path: Path) -> list[Finding]:
    """Return the mistakes of a paper's formulas and prose."""
    return [
        Finding(
            paper,
            row["id"],
            row["cause"],
            row["weight"],
            row["condition"],
            row["status"],
            row["date"],
            [Change(row["source"], "", row["printed"], row["should_be"])],
            [("", row["explanation"])],
            [("", row["evidence"])],
        )
        for row in records(read_remarks(path))
    ]


def of_paper(key: str, comparison: pd.DataFrame, record: Path) -> list[Finding]:
    """Return the findings of a paper, the weightiest first.

    Parameters
    ----------
    key : str
        The paper's.
    comparison : DataFrame
        Its values, or those of several papers.
    record : Path
        Its `paper.yaml`, beside which its remarks are.
    """
    own = of_values(comparison[comparison["paper"] == key])
    return weightiest_first([*own, *of_remarks(key, record.with_name("remarks.csv"))])


def of_all(comparison: pd.DataFrame, papers: Mapping[str, Path]) -> list[Finding]:
    """Return the findings of all papers, whose records are given by key, paper by paper."""
    return [finding for key, path in papers.items() for finding in of_paper(key, comparison, path)]


def weightiest_first(found: Iterable[Finding]) -> list[Finding]:
    """Sort by weight; what weighs the same keeps its order."""
    return sorted(found, key=lambda finding: WEIGHTS.index(finding.weight))


def table_of(found: Iterable[Finding], titles: dict[str, str]) -> pd.DataFrame:
    """Return the file of all findings, a row a printed value, formula or sentence."""
    return pd.DataFrame(
        [
            (
                *(finding.paper, titles[finding.paper], finding.id),
                *(change.source, change.quantity, change.printed, change.should_be, change.unit),
                *(finding.part, finding.cause, finding.weight),
                " ".join(text for _, text in finding.explanations),
                " ".join(text for _, text in finding.evidence),
                *(finding.condition, finding.status, finding.date),
                f"discrepancies.html#{finding.anchor}",
            )
            for finding in found
            for change in finding.changes
        ],
        columns=list(COLUMNS),
    )
