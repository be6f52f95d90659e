"""How verdicts on printed values are shown and counted."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from annobench_replication.vocabulary import EVIDENCE, PARTS, PROVENANCES, VERDICTS, part_of

__all__ = ["EXPLAINED", "FACES", "RELATIONS", "Face", "Tally"]


@dataclass(frozen=True)
class Face:
    """How a verdict is shown; no verdict is told by its colour alone.

    Attributes
    ----------
    mark : str
        One character.
    words : str
        The verdict in words.
    meaning : str
        What it says of a value.
    latex : str
        The mark in LaTeX.
    """

    mark: str
    words: str
    meaning: str
    latex: str


FACES = {
    "reproduced": Face(
        "✓", "reproduced", "equal to the printed precision, or the relation holds", r"$\checkmark$"
    ),
    "within_interval": Face(
        "≈",
        "within interval",
        "sampled; the check interval contains the printed value, up to rounding, and excludes more "
        "than half of the rival values",
        r"$\approx$",
    ),
    "inconclusive": Face(
        "∼",
        "inconclusive",
        "agrees, but so would rival values, or it agrees whatever the inputs: no evidence",
        r"$\sim$",
    ),
    "unresolved": Face(
        "?",
        "unresolved",
        "differs; no known interpretation gives the printed value, and nothing shows "
        "that the paper is wrong",
        "?",
    ),
    "deviates": Face("≠", "deviates", "differs; cause and evidence are given with it", r"$\neq$"),
    "missing": Face("∅", "missing", "a result that was not computed", r"$\emptyset$"),
    "restated": Face(
        "=",
        "restated",
        "repeats a number that was typed in, holds by construction, or was chosen by comparing "
        "with the printed value: no evidence",
        "$=$",
    ),
    "stand_in": Face(
        "◌", "stand-in", "computed from simulated data in this run; no claim is made", r"$\circ$"
    ),
    "second_hand": Face(
        "⤳",
        "second hand",
        "known only from a copy or a conversion of the text; shown beside the computed value, but "
        "not counted",
        r"$\leadsto$",
    ),
    "not_public": Face(
        "–", "not public", "depends on inputs that were not found; no claim is made", "--"
    ),
    "given": Face(
        "⊢",
        "given",
        "a result that neither printed nor public data determine; taken as printed",
        r"$\vdash$",
    ),
    "input": Face("→", "input", "a number chosen by the authors, not a result", r"$\to$"),
    "cited": Face("”", "cited", "a number quoted from elsewhere", "''"),
}

#: How a relation stands before the printed number.
RELATIONS = {
    "eq": "",
    "about": "≈ ",
    "lt": "< ",
    "le": "≤ ",
    "gt": "> ",
    "ge": "≥ ",
    "within": "",
}

#: The verdicts that say whether a value reproduces; the others make no claim.
JUDGED = (*EVIDENCE, "inconclusive", "unresolved", "deviates", "missing")

#: What evidence rests on, by the provenance of the computed value.
GROUNDS = {
    "real": "from real labels",
    "printed_table": "from printed tables",
    "closed_form": "in closed form",
    "simulated": "by simulation",
}

#: What explains that a value deviates, by the part that its discrepancy belongs to.
EXPLAINED = {
    "proven": "by a proven erratum",
    "conditional": "by an error under a condition",
    "difference": "by other data or another method",
    "open": "not explained",
}


@dataclass(frozen=True)
class Tally:
    """How often each verdict was given, and what the evidence rests on.

    Attributes
    ----------
    counts : dict of str to int
        Values by verdict.
    evidence : dict of str to int
        Values reproduced or within their interval, by provenance.
    deviating : dict of str to int
        Values that deviate, by what explains them (`PARTS`).
    questions : int
        What the unresolved values ask: those with one explanation are one question.
    """

    counts: dict[str, int]
    evidence: dict[str, int]
    deviating: dict[str, int]
    questions: int

    @classmethod
    def of(cls, comparisons: pd.DataFrame) -> Tally:
        """Count the verdicts of a comparison.

        Parameters
        ----------
        comparisons : DataFrame
            With paper, target, verdict, provenance, erratum, cause and condition.

        Returns
        -------
        Tally
            Of all rows.
        """
        counts = comparisons["verdict"].value_counts()
        grounds = comparisons.loc[
            comparisons["verdict"].isin(EVIDENCE), "provenance"
        ].value_counts()
        deviating = comparisons[comparisons["verdict"] == "deviates"]
        parts = [
            part_of(*pair) for pair in zip(deviating["cause"], deviating["condition"], strict=True)
        ]
        open_ = comparisons[comparisons["verdict"] == "unresolved"]
        asked = open_["erratum"].where(open_["erratum"] != "", open_["target"])
        return cls(
            {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS},
            {provenance: int(grounds.get(provenance, 0)) for provenance in PROVENANCES},
            {part: parts.count(part) for part in PARTS},
            len(set(zip(open_["paper"], asked, strict=True))),
        )

    @property
    def total(self) -> int:
        """All values but those known only at second hand, which count nowhere."""
        return sum(self.counts.values()) - self.counts["second_hand"]

    @property
    def judged(self) -> int:
        """The values that can be judged."""
        return sum(self.counts[verdict] for verdict in JUDGED)

    @property
    def reproduced(self) -> int:
        """The values that are evidence: reproduced, or within their interval."""
        return sum(self.evidence.values())

    @property
    def grounds(self) -> list[tuple[str, str, int]]:
        """What the evidence rests on: provenance, words, and how many values."""
        return [(p, GROUNDS[p], n) for p, n in self.evidence.items() if n]

    @property
    def explained(self) -> list[tuple[str, str, int]]:
        """What explains the values that deviate: part, words, and how many values."""
        return [(p, EXPLAINED[p], n) for p, n in self.deviating.items() if n]

    @property
    def columns(self) -> dict[str, int]:
        """The counts of a table of papers, by heading: evidence by provenance, then the others."""
        return {
            "values": self.total,
            "real labels": self.evidence["real"],
            "printed tables": self.evidence["printed_table"],
            "closed form": self.evidence["closed_form"],
            "simulation": self.evidence["simulated"],
            "inconclusive": self.counts["inconclusive"],
            "restated": self.counts["restated"],
            "unresolved": self.counts["unresolved"],
            "deviates": self.counts["deviates"],
            "no claim": sum(self.counts[v] for v in ("stand_in", "not_public", "given")),
            "inputs, citations": self.counts["input"] + self.counts["cited"],
        }

    @property
    def outcomes(self) -> list[tuple[str, Face, int]]:
        """The verdicts on values that can be judged, in their order."""
        return [given for given in self.present if given[0] in JUDGED]

    @property
    def present(self) -> list[tuple[str, Face, int]]:
        """The verdicts that were given, in their order."""
        return [(v, FACES[v], n) for v, n in self.counts.items() if n]
