"""What the results of `annobench judge` show, in sentences that follow from their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from annobench.core.texts import counted
from annobench.judges.assessment import CONSTANT, Assessment
from annobench.judges.worth import MAX_LABELS
from annobench.reporting import pages
from annobench.reporting.formats import by_interval, level, number, percent, signed

__all__ = ["next_steps", "sentences"]

#: The share of answers shown first that a judge picks who does not heed the order.
EVEN: Final = 0.5
#: A share of items with equal repeated labels below which a judge is called inconsistent.
CONSISTENT: Final = 0.9
#: Names in a sentence.
MAX_NAMES: Final = 5
_COLUMNS: Final = (
    *("judge", "n_items", "winning_rate", "advantage_probability", "passes", "passing_epsilon"),
    *("passes_again", "accuracy", "accuracy_lower", "accuracy_upper", "mean_youden"),
    *("is_informative", "bits", "human_bits", "human_labels", "human_labels_lower"),
    *("human_labels_upper", "winning_rate_without", "passes_without"),
)


def rows_of(results: Assessment) -> pd.DataFrame:
    """Return the table of judges, with NaN for what could not be computed."""
    return results.summary_table.reindex(columns=[*_COLUMNS])


def next_steps(results: Assessment) -> list[str]:
    """Say what to do with each judge, as far as its intervals support it.

    Parameters
    ----------
    results : Assessment
        The results.

    Returns
    -------
    list of str
        Sentences, the most important first.
    """
    table = rows_of(results)
    judges = table[table["judge"] != CONSTANT]
    blind = table[table["judge"] == CONSTANT].iloc[0]
    steps = []
    if _is(blind["passes"], True):
        steps.append(
            "A judge that always gives the most frequent label passes the alternative annotator "
            "test on these labels: passing means nothing here. Look at sensitivity and specificity."
        )
    for row in pages.records(judges):
        name = row["judge"]
        if _is(row["is_informative"], False):
            steps.append(
                f"Don't use {name}: its labels do not clearly depend on the true category, for any "
                "category. Change its prompt, or use another model."
            )
        elif not _missing(row["human_labels_lower"]):
            steps.append(
                by_interval(
                    row["human_labels_lower"],
                    row["human_labels_upper"],
                    1.0,
                    above=f"A label of {name} is more informative than a human's: it can replace "
                    "one on items like these. Continue to check some.",
                    below=f"A label of {name} is less informative than a human's: use it in "
                    "addition to humans, as another annotator in a model (annobench consensus).",
                    neither=f"Whether a label of {name} is as informative as a human's is open: "
                    f"its worth is within {worth_of(row)}. Check more items before it replaces "
                    "humans.",
                )
            )
    unsteady = results.consistency
    if len(unsteady):
        for row in pages.records(unsteady[unsteady["upper"] < CONSISTENT]):
            steps.append(
                f"Asked again, {row['annotator']} always gives the same label for "
                f"{percent(row['unanimous'])} of items (interval {percent(row['lower'])} to "
                f"{percent(row['upper'])}): ask several times, or lower its temperature."
            )
    for row in pages.records(results.position):
        if row["upper"] < EVEN or row["lower"] > EVEN:
            steps.append(
                f"{row['annotator']} picks the answer shown first in {percent(row['picks_first'])} "
                f"of comparisons (interval {percent(row['lower'])} to {percent(row['upper'])}): "
                "show each pair in both orders, and count only consistent choices."
            )
    if results.basis == "humans":
        steps.append(
            "Check some items yourself and give them with --gold: sensitivity and specificity are "
            "estimated from the humans' labels, so errors that all humans share count as correct."
        )
    elif not results.basis:
        steps.append("Have some items labelled by two humans, or check some, and give --gold.")
    return steps


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _is(value: Any, wanted: bool) -> bool:
    """Say whether something is known, and so."""
    return not _missing(value) and bool(value) is wanted


def worth_of(row: dict[str, Any]) -> str:
    """Format the interval of a label's worth."""
    lower, upper = row["human_labels_lower"], row["human_labels_upper"]
    return f"{_labels(lower)} to {_labels(upper)} human labels"


def _labels(value: float) -> str:
    return f"more than {MAX_LABELS}" if math.isinf(value) else number(value, 2)


def headline(results: Assessment, row: dict[str, Any]) -> str:
    """Say how accurate a judge is, and what a label is worth, with intervals.

    Parameters
    ----------
    results : Assessment
        The results.
    row : dict
        Row of the table of judges.

    Returns
    -------
    str
        A sentence.
    """
    name, parts = row["judge"], []
    if not _missing(row.get("accuracy")):
        limits = f"{percent(row['accuracy_lower'])} to {percent(row['accuracy_upper'])}"
        limits = f"{level(results.level)} interval {limits}"
        basis = "gold" if results.basis == "gold" else "a model of the humans' labels"
        parts.append(f"accuracy {percent(row['accuracy'])} ({limits}) by {basis}")
    if not _missing(row.get("human_labels")):
        worth = f"a label is worth {_labels(row['human_labels'])} of a human's"
        if not _missing(row["human_labels_lower"]):
            lower, upper = row["human_labels_lower"], row["human_labels_upper"]
            worth += f" ({_labels(lower)} to {_labels(upper)}), " + by_interval(
                lower,
                upper,
                1.0,
                above="more than one",
                below="less than one",
                neither="not distinguishable from one",
            )
        parts.append(worth)
    if not parts:
        return f"{name}: accuracy and worth cannot be estimated from these labels."
    return f"{name}: {'; '.join(parts)}."


def agreement_of(results: Assessment, judge: str) -> str:
    """Say whether a judge agrees with the humans as they do with each other."""
    table = results.agreement
    if table.empty:
        return ""
    [row] = pages.records(table[table["judge"].eq(judge) & table["measure"].eq("agreement")]) or [
        {}
    ]
    if not row or _missing(row["difference_lower"]):
        return ""
    lower, upper = row["difference_lower"], row["difference_upper"]
    difference = f"{signed(row['difference'], 2)} ({number(lower, 2)} to {number(upper, 2)})"
    words = by_interval(
        lower,
        upper,
        0.0,
        above="agrees with the humans more often than they agree with each other",
        below="agrees with the humans less often than they agree with each other",
        neither="agrees with the humans as often as they agree with each other, within ±{within}",
    )
    return f"{judge} {words}: {difference}."


def published_test(results: Assessment, row: dict[str, Any]) -> str:
    """State the outcome of the alternative annotator test, by its name and with its rule."""
    name = row["judge"]
    if name not in results.tests:
        return ""
    test = results.tests[name]
    verdict = "passes" if test.passes else "does not pass"
    text = (
        f"{name} {verdict} the alternative annotator test: it is not inferior by more than epsilon "
        f"= {results.epsilon:g} to {int(test.rejected.sum())} of "
        f"{counted(len(test.annotators), 'human')}, and half of them suffice. It passes in "
        f"{percent(row['passes_again'])} of bootstrap samples."
    )
    if name in results.tests_without:
        without = results.tests_without[name]
        verdict = "passes" if without.passes else "does not pass"
        blind = results.near_chance
        text += (
            f" Without {_listed(blind)}, near chance, it {verdict}: not inferior to "
            f"{int(without.rejected.sum())} of {counted(len(without.annotators), 'human')}."
        )
    return text


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:MAX_NAMES])}{' and others' if len(names) > MAX_NAMES else ''}"


def of_near_chance(results: Assessment) -> str:
    """Name the humans who are near chance, with their intervals."""
    if not results.near_chance:
        return ""
    rows = pages.records(results.humans[results.humans["near_chance"]])
    named = [
        f"{row['human']} {number(row['mean_youden'], 2)} "
        f"({number(row['mean_youden_lower'], 2)} to {number(row['mean_youden_upper'], 2)})"
        for row in rows[:MAX_NAMES]
    ]
    return (
        f"{counted(len(rows), 'human')} of {results.panel.humans.n_annotators:,} "
        f"{'is' if len(rows) == 1 else 'are'} near chance; sensitivity + specificity \u2212 1: "
        f"{'; '.join(named)}{' and others' if len(rows) > MAX_NAMES else ''}."
    )


def sentences(results: Assessment) -> list[str]:
    """Summarise the judges: accuracy and worth first, the best judge first.

    Parameters
    ----------
    results : Assessment
        The results.

    Returns
    -------
    list of str
        Each judge's headline, then agreement, humans near chance, and the published test.
    """
    table = rows_of(results)
    judges = table[table["judge"] != CONSTANT].sort_values(
        ["human_labels", "accuracy"], ascending=False, kind="stable"
    )
    rows = pages.records(judges)
    lines = [headline(results, row) for row in rows]
    lines += [agreement_of(results, row["judge"]) for row in rows]
    lines += [of_near_chance(results), *(published_test(results, row) for row in rows)]
    return [line for line in lines if line]
