"""What the stored tables of the study say, as the documentation quotes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from annobench.reporting.pages import records
from pages.benchmark_quotes import number
from studies.guard.analysis import ANY
from studies.guard.fits import FAILS, MANY_STARTS, TWO
from studies.guard.page import REGIMES, TABLES
from study_contract.running import read_settings


def quote_cautions(folder: Path) -> str:
    """Lay out power and false alarms, and the level of the check of dependence.

    Parameters
    ----------
    folder : Path
        Of the stored tables.

    Returns
    -------
    str
        Markdown.
    """
    found = {name: records(pd.read_csv(folder / f"{name}.csv")) for name in TABLES}
    design = read_settings(folder)["design"]
    total = next(row for row in found["cautions"] if row["caution"] == ANY)
    n, failing = int(total["n_fails"] + total["n_others"]), int(total["n_fails"])
    return "\n".join(
        [
            f"{n:,} fits of {len(design['models'])} models to simulated labels of eight kinds of "
            "annotators in four sizes. A fit fails if its share of right categories is more than "
            f"{f'{FAILS:g}'.removeprefix('0')} below that of the votes: {failing:,} fits do.",
            "",
            "| caution | of fits that fail | 95% interval | of others | 95% interval |",
            "|---|--:|--:|--:|--:|",
            *(
                f"| {_coded(row['caution'])} | {_shares(row, 'power')} | "
                f"{_shares(row, 'false_alarms')} |"
                for row in found["cautions"]
            ),
            "",
            "| annotators | fits that fail | warned of | other fits | false alarms |",
            "|---|--:|--:|--:|--:|",
            *map(_regime, found["regimes"]),
            "",
            "The same models; the row of two annotators is not in the sums above.",
            "",
            "The [check](dependence.md) whether annotators err together, on "
            f"{5 * design['checked']:,} simulated sets of independent errors for each model "
            f"({design['checked']:,} of each of five designs), on {2 * design['checked']:,} with "
            f"few labels, and on {2 * design['checked']:,} in which errors depend, half of them "
            "because items differ in difficulty, half because wrong categories are shared:",
            "",
            "| model | errors | p < .05 | 95% interval | p < .01 |",
            "|---|---|--:|--:|--:|",
            *(
                f"| `{row['model']}` | {row['errors']} | {_shares(row, 'below_05')} | "
                f"{number(row['below_01'])} |"
                for row in found["dependence"]
            ),
            "",
            *_optima(found["optima"]),
        ]
    )


def _coded(caution: str) -> str:
    return caution if caution == ANY else f"`{caution}`"


def _shares(row: dict[str, Any], name: str) -> str:
    ends = " to ".join(number(row[f"{name}_{end}"]) for end in ("lower", "upper"))
    return f"{number(row[name])} | {ends}"


def _regime(row: dict[str, Any]) -> str:
    n, others = int(row["n_fails"]), int(row["n_others"])
    power = number(row["power"]) if n else ""
    alarms = "" if row["regime"] == TWO else number(row["false_alarms"])
    return f"| {REGIMES[row['regime']]} | {n} | {power} | {others} | {alarms} |"


def _optima(rows: list[dict[str, Any]]) -> list[str]:
    """Say how many better optima are found by few starts."""
    n, others = (sum(int(row[name]) for row in rows) for name in ("n_fails", "n_others"))
    found = sum(round(row["power"] * row["n_fails"]) for row in rows if row["n_fails"])
    alarms = sum(round(row["false_alarms"] * row["n_others"]) for row in rows if row["n_others"])
    return [
        f"`other_optimum`: of {n + others} sets, Dawid and Skene's model has a better optimum with "
        f"other categories, by {MANY_STARTS} random starts, in {n}; the caution's eight other "
        f"starts find one in {found} of these, and in {alarms} of the other {others}."
    ]
