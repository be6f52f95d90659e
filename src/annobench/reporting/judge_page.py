"""The page of `annobench judge`: accuracy of judges, whether they pass, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from annobench.core.texts import counted, plural
from annobench.judges.alternative_annotators import PASSES_FROM
from annobench.judges.assessment import CONSTANT, Assessment
from annobench.judges.at_work import AtWork
from annobench.judges.jury import FOLDS
from annobench.judges.prevalence import METHODS
from annobench.reporting import figures, judge_at_work, pages
from annobench.reporting.formats import number, percent

__all__ = ["EVEN", "NAMES", "render", "verdict"]

#: Rows of a table by category that are shown.
MAX_ROWS: Final = 40
#: Juries that are shown, the best first.
MAX_JURIES: Final = 10
#: The share of answers shown first that a judge picks who does not heed the order.
EVEN: Final = 0.5
#: An agreement over repeats below which a judge is called inconsistent.
CONSISTENT: Final = 0.9
NAMES: Final = {
    "judged": "the judge's labels",
    "gold": "gold items alone",
    "rogan_gladen": "Rogan and Gladen",
    "ppi": "prediction-powered (PPI)",
    "ppi_plus": "PPI++",
    "joint": "joint model",
}


def render(
    found: Assessment,
    *,
    source: str,
    remarks: Sequence[str] = (),
    further: AtWork | None = None,
) -> str:
    """Render the page.

    Parameters
    ----------
    found : Assessment
        The results.
    source : str
        Source of the labels, such as the name of the file.
    remarks : sequence of str
        How the labels were prepared.
    further : AtWork, optional
        Results on systems, bias and drift.

    Returns
    -------
    str
        HTML with its style and plots inside.
    """
    table = found.summary_table.reindex(columns=[*_COLUMNS])
    judges = pages.records(table)
    further = AtWork() if further is None else further
    assert set(NAMES) == set(METHODS)
    return pages.render(
        "judge.html.j2",
        title=f"Judges: {source}",
        source=source,
        lede=_lede(found, table),
        facts=_facts(found),
        warnings=[*remarks, *found.remarks, *further.remarks],
        next=next_steps(found),
        work=judge_at_work.layout(further),
        said=judge_at_work.said_at_work(further),
        basis=found.basis,
        epsilon=found.epsilon,
        judges=judges,
        constant=CONSTANT,
        test_plot=_forest("test-plot", _test_rows(found)),
        test_rows=_test_rows(found),
        agreement=_agreement(found),
        rates=_rate_rows(found),
        rates_plot=_forest("rates-plot", _rate_rows(found), (-0.2, 1.0)),
        prevalence=_prevalence_rows(found),
        prevalence_plot=_forest("prevalence-plot", _prevalence_rows(found), (0.0, 1.0)),
        consistency=pages.records(found.consistency),
        position=pages.records(found.position),
        jury=_jury(found),
        n_clusters=found.n_clusters,
        baselines=pages.records(found.baselines),
        plan=pages.records(found.plan),
    )


def _jury(found: Assessment) -> dict[str, Any] | None:
    """Lay out the results of the judges as a jury."""
    jury = found.jury
    if jury is None:
        return None
    return {
        "sentence": jury.sentence(),
        "budget": jury.budget,
        "n_juries": len(jury.juries),
        "juries": pages.records(jury.juries.head(MAX_JURIES)),
        "weights": pages.records(jury.weights),
        "estimates": pages.records(jury.estimates),
        "optimism": jury.optimism,
        "n_same": jury.n_same,
        "n_folds": FOLDS,
    }


_COLUMNS: Final = (
    *("judge", "n_items", "winning_rate", "advantage_probability", "passes", "passing_epsilon"),
    *("passes_again", "accuracy", "mean_youden", "is_informative", "bits", "human_bits"),
    "human_labels",
)


def next_steps(found: Assessment) -> list[str]:
    """Say what to do with each judge."""
    table = found.summary_table.reindex(columns=[*_COLUMNS])
    judges = table[table["judge"] != CONSTANT]
    blind = table[table["judge"] == CONSTANT].iloc[0]
    steps = []
    if _is(blind["passes"], True):
        steps.append(
            "A judge that always gives the most frequent label passes the test on these labels: "
            "passing means nothing here. Look at sensitivity and specificity."
        )
    for row in pages.records(judges):
        name = row["judge"]
        if _is(row["is_informative"], False):
            steps.append(
                f"Don't use {name}: its labels do not clearly depend on the true category, for any "
                "category. Change its prompt, or use another model."
            )
        elif _is(row["passes"], True):
            labels = row["human_labels"]
            worth = (
                "" if _missing(labels) else f" One of its labels is as informative as {labels:.2g}"
            )
            worth += "" if _missing(labels) else " of a human's."
            steps.append(
                f"{name} agrees with the humans about as often as they agree with each other, and "
                f"would pass again in {percent(row['passes_again'])} of studies like this one."
                f"{worth}"
            )
        elif _is(row["passes"], False) and not _missing(row["human_labels"]):
            steps.append(
                f"{name} does not pass, but each of its labels is worth {row['human_labels']:.2g} "
                "of a human's: use it in addition to humans, as another annotator in a model "
                "(annobench consensus)."
            )
    unsteady = found.consistency
    if len(unsteady):
        for row in pages.records(unsteady[unsteady["agreement"] < CONSISTENT]):
            steps.append(
                f"Asked again, {row['annotator']} gives a different label with probability "
                f"{percent(1 - row['agreement'])}: ask several times, or lower its temperature."
            )
    for row in pages.records(found.position):
        if row["upper"] < EVEN or row["lower"] > EVEN:
            steps.append(
                f"{row['annotator']} picks the answer shown first in {percent(row['picks_first'])} "
                f"of comparisons (interval {percent(row['lower'])} to {percent(row['upper'])}): "
                "show each pair in both orders, and count only consistent choices."
            )
    if found.basis == "humans":
        steps.append(
            "Check some items yourself and give them with --gold: sensitivity and specificity are "
            "estimated from the humans' labels, so errors that all humans share count as correct."
        )
    elif not found.basis:
        steps.append("Have some items labelled by two humans, or check some, and give --gold.")
    return steps


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _is(value: Any, wanted: bool) -> bool:
    """Say whether something is known, and so."""
    return not _missing(value) and bool(value) is wanted


def _lede(found: Assessment, table: pd.DataFrame) -> str:
    judges = table[table["judge"] != CONSTANT]
    tested = judges["passes"].notna()
    if not tested.any():
        return "The alternative annotator test is not possible with these labels."
    passed = sum(_is(value, True) for value in judges["passes"])
    best = judges.sort_values("advantage_probability", ascending=False).iloc[0]
    return (
        f"{passed} of {counted(int(tested.sum()), 'judge')} may replace a human by the "
        f"alternative annotator test (epsilon {found.epsilon:g}). {best['judge']} comes closest: "
        f"it is at least as good as a human on {percent(best['advantage_probability'])} of items."
    )


def _facts(found: Assessment) -> list[tuple[str, str, str]]:
    humans = found.panel.humans
    shared = int(humans.is_shared.sum())
    names = ", ".join(found.panel.judges)
    of = "" if found.n_clusters is None else f"; {counted(found.n_clusters, 'cluster')}"
    return [
        (
            f"{len(found.panel.judges)}",
            plural(len(found.panel.judges), "judge"),
            names if len(names) < 80 else names[:77] + "…",
        ),
        (
            f"{humans.n_annotators:,}",
            plural(humans.n_annotators, "human"),
            counted(humans.n_labels, "label"),
        ),
        (f"{humans.n_items:,}", "items", f"{shared:,} with labels of two humans or more{of}"),
        (f"{humans.n_categories:,}", "categories", ", ".join(humans.categories[:6])),
    ]


def _forest(
    name: str, rows: list[dict[str, Any]], limits: tuple[float, float] | None = None
) -> figures.RowFigure | None:
    if not rows:
        return None
    ends = limits or figures.limits_of([[row["lower"], row["upper"]] for row in rows])
    return figures.estimates(name, rows, ends)


def _test_rows(found: Assessment) -> list[dict[str, Any]]:
    if found.test.empty:
        return []
    table = found.test[found.test["judge"] != CONSTANT].head(MAX_ROWS)
    half = 1.96 * table["standard_error"]
    return pages.records(
        table.assign(
            estimate=table["difference"],
            lower=table["difference"] - half,
            upper=table["difference"] + half,
        )
    )


def _agreement(found: Assessment) -> list[dict[str, Any]]:
    return [] if found.agreement.empty else pages.records(found.agreement.head(3 * MAX_ROWS))


def _rate_rows(found: Assessment) -> list[dict[str, Any]]:
    if found.rates.empty:
        return []
    seen = (found.rates["judge"] != CONSTANT) & (found.rates["n_items"] >= 1)
    table = found.rates[seen].head(MAX_ROWS)
    return pages.records(
        table.assign(
            estimate=table["youden"],
            lower=table["youden_lower"],
            upper=table["youden_upper"],
            words=[
                "may be uninformative" if low <= 0 else ""
                for low in table["youden_lower"].fillna(-np.inf)
            ],
        )
    )


def _prevalence_rows(found: Assessment) -> list[dict[str, Any]]:
    if found.prevalence.empty:
        return []
    table = found.prevalence.head(6 * MAX_ROWS)
    return pages.records(table.assign(title=table["method"].map(NAMES)))


def verdict(row: dict[str, Any]) -> str:
    """Return a judge's verdict in a word.

    Parameters
    ----------
    row : dict
        Row of the table of judges.

    Returns
    -------
    str
        Such as "passes (0.75)".

    Examples
    --------
    >>> verdict({"passes": True, "winning_rate": 0.75})
    'passes (0.75)'
    """
    if _missing(row.get("passes")):
        return "not tested"
    word = "passes" if row["winning_rate"] >= PASSES_FROM else "does not pass"
    return f"{word} ({number(row['winning_rate'], 2)})"
