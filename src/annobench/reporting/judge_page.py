"""The page of `annobench judge`: accuracy and worth of judges, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from annobench.core.texts import counted, plural
from annobench.judges.assessment import CONSTANT, Assessment
from annobench.judges.at_work import AtWork
from annobench.judges.jury import FOLDS
from annobench.judges.prevalence import METHODS
from annobench.reporting import figures, judge_at_work, pages
from annobench.reporting.formats import level
from annobench.reporting.judge_sentences import next_steps, rows_of, sentences

__all__ = ["NAMES", "render"]

#: Rows of a table by category that are shown.
MAX_ROWS: Final = 40
#: Juries that are shown, the best first.
MAX_JURIES: Final = 10
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
    judges = pages.records(rows_of(found))
    further = AtWork() if further is None else further
    assert set(NAMES) == set(METHODS)
    lede, *more = sentences(found)
    return pages.render(
        "judge.html.j2",
        title=f"Judges: {source}",
        source=source,
        lede=lede,
        facts=_facts(found),
        warnings=[*remarks, *found.remarks, *further.remarks],
        next=next_steps(found),
        work=judge_at_work.layout(further),
        said=[*more, *judge_at_work.said_at_work(further)],
        basis=found.basis,
        epsilon=found.epsilon,
        judges=judges,
        humans=pages.records(found.humans.head(MAX_ROWS)),
        near_chance=found.near_chance,
        level=level(found.level),
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
