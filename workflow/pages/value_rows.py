"""What pages say of each printed value: what it rests on, what would have made it fail."""

from __future__ import annotations

from itertools import groupby
from math import isnan
from typing import Any

import pandas as pd

from annobench.reporting.pages import records
from annobench.reporting.printed import MEASURED, agrees, parse_printed
from annobench_replication.faces import FACES
from annobench_replication.vocabulary import EVIDENCE

#: The verdicts of numbers that are no results.
NO_RESULTS = ("input", "cited")


def grounds(row: dict[str, Any]) -> list[str]:
    """Say what a counted value rests on and what would have made it fail, or what it restates."""
    if row["verdict"] == "restated":
        return [f"Restates: {row['restates']}."]
    if row["verdict"] == "second_hand":
        same = agrees(row["published"], row["relation"], row["computed"])
        outcome = "agrees with" if same else "differs from"
        told = f"What was computed {outcome} this value, which is known only at second hand."
        return [told, *([row["explanation"]] if row["explanation"] else [])]
    if row["verdict"] not in (*EVIDENCE, "inconclusive"):
        return []
    sentences = []
    if row["rests_on"]:
        sentences.append(f"It rests on {row['rests_on'].replace('; ', ', ')}.")
    if row["restates"]:
        sentences.append(f"It {row['restates']}.")
    sentences.append(f"It would have failed {failure(row)}.")
    if not isnan(row["base_rate"]):
        share = f"{row['base_rate']:.0%}"
        sentences.append(f"Of the values of its kind {share} agree with what is printed.")
    if row["changes"] == 0:
        sentences.append("No change to its inputs moved it by a printed unit.")
    elif row["changes"] > 0:
        sentences.append(refuting(int(row["changes"]), int(row["changes_refuted"])))
    return sentences


def refuting(changes: int, refuted: int) -> str:
    """Say how many changes to the inputs made a value disagree with the printed one."""
    disagree = "it disagree with the printed value."
    if changes == 1:
        made = "made" if refuted else "did not make"
        return f"The one change to its inputs that moved it {made} {disagree}"
    return f"Of {changes} changes to its inputs that moved it, {refuted or 'none'} made {disagree}"


def failure(row: dict[str, Any]) -> str:
    """Say which computed values would not have agreed with the printed one."""
    relation = row["relation"]
    what = (
        "if its check interval had missed"
        if not isnan(row["check_lower"])
        else "at any value outside"
    )
    if relation == "within":
        return f"at a value outside {row['published']}"
    if relation in MEASURED:
        printed = parse_printed(row["published"])
        slack = printed.unit / 2 if relation == "eq" else printed.about
        return f"{what} {printed.value - slack:f} to {printed.value + slack:f}"
    sign = {"lt": "not below", "le": "above", "gt": "not above", "ge": "below"}[relation]
    return f"at a value {sign} {row['published']}"


def rows_of(comparison: pd.DataFrame, others: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the values, each with the other methods' answers and what it rests on."""
    beside: dict[str, list[dict[str, Any]]] = {}
    for row in records(others):
        beside.setdefault(row["target"], []).append(row)
    return [
        row | {"others": beside.get(row["target"], []), "grounds": grounds(row)}
        for row in records(comparison)
    ]


def by_source(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group values by their place in the paper."""
    return [
        {"source": source, "rows": list(group)}
        for source, group in groupby(rows, key=lambda row: row["source"])
    ]


def chips_of(rows: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Count the verdicts of rows, for the buttons that filter them."""
    counts = pd.Series([row["verdict"] for row in rows], dtype="str").value_counts()
    return [(verdict, int(counts[verdict])) for verdict in FACES if verdict in counts]
