"""The page of a benchmark of aggregation methods: one file that opens offline.

`render` takes the tables that `annobench.studies.benchmark.tables` makes or reads, whoever ran the
fits, and returns HTML with style, data and script inside::

    results = tables.tabulate(cases, records, methods, replicates=1000, seed=1)
    html = render(results, marked=["my_method"])

Names of methods, data sets and categories are somebody's text: the template escapes everything.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pandas as pd

from annobench.plotting import BLUE, GREY, VERMILION
from annobench.reporting import pages
from annobench.studies.benchmark.comparison import REFERENCES
from annobench.studies.benchmark.scores import BINS, MIN_PROBABILITY, SCORES
from annobench.studies.benchmark.tables import BenchmarkTables

AGAINST = "voting"
#: How a difference is shown: a mark, the tone of the verdict of papers that it is like, colour.
FACES = {
    "better": ("↑", "reproduced", BLUE, "o"),
    "worse": ("↓", "deviates", VERMILION, "s"),
    "unclear": ("≈", "not_public", GREY, "o"),
}
TITLES = {
    "accuracy": "Accuracy",
    "macro_f": "Macro F",
    "log_loss": "Log loss",
    "brier": "Brier score",
    "calibration_error": "Calibration error",
}
STATUSES = {"over budget": "over budget", "not applicable": "n/a", "failed": "failed"}


def render(
    tables: BenchmarkTables,
    *,
    marked: Collection[str] = (),
    remarks: Collection[str] = (),
    title: str = "Benchmark of aggregation methods",
    depth: int | None = None,
) -> str:
    """Write the page of a benchmark.

    Parameters
    ----------
    tables : BenchmarkTables
        The numbers.
    marked : collection of str
        Methods whose rows are marked, such as a new one.
    remarks : collection of str
        What a reader should know first, a sentence or two each.
    title : str
        The heading.
    depth : int, optional
        How many folders the page lies below the results' index, to which it then links; None for
        a page that stands alone.

    Returns
    -------
    str
        HTML that fetches nothing.
    """
    scores, fits, methods = tables.scores, tables.fits, tables.methods
    scores = scores.fillna({f"versus_{name}": "" for name in REFERENCES})
    fits = fits.fillna({"note": ""})
    simulated = _regimes(scores)
    known = scores[~scores["problem"].isin(simulated)].drop_duplicates("problem")
    return pages.render(
        "benchmark.html.j2",
        title=title,
        depth=depth or 0,
        alone=depth is None,
        settings=tables.settings,
        marked=set(marked),
        remarks=remarks,
        summary=_summarise(scores, fits, methods),
        matrices={name: _matrix(scores, fits, name) for name in TITLES},
        titles=TITLES,
        marks=FACES,
        statuses=STATUSES,
        references=REFERENCES,
        bins=BINS,
        smallest=MIN_PROBABILITY,
        n_real=int((known["provenance"] == "real").sum()),
        stood_in=sorted(known.loc[known["provenance"] != "real", "problem"]),
        n_regimes=len(simulated),
        failures=fits[fits["status"] == "failed"].to_dict("records"),
    )


def _regimes(scores: pd.DataFrame) -> list[str]:
    """Return the names of simulated regimes, which data sets can't have."""
    return [name for name in dict.fromkeys(scores["problem"]) if "," in name]


def _order(scores: pd.DataFrame) -> list[str]:
    """Return the problems: data sets by their labels, then regimes."""
    simulated = _regimes(scores)
    known = scores[~scores["problem"].isin(simulated)].sort_values("n_labels", kind="stable")
    return list(dict.fromkeys(known["problem"])) + simulated


def _ranked(scores: pd.DataFrame) -> list[str]:
    """Return the methods by how often they beat the vote less how often they lose, best first."""
    accuracy = scores[scores["score"] == "accuracy"]
    won = accuracy[f"versus_{AGAINST}"].map({"better": 1, "worse": -1}).fillna(0)
    total = won.groupby(accuracy["method"]).sum()
    return sorted(total.index, key=lambda name: (name == AGAINST, -total[name], name))


def _summarise(
    scores: pd.DataFrame, attempts: pd.DataFrame, methods: pd.DataFrame
) -> list[dict[str, Any]]:
    """Sum up each method: what became of it, how it compares, what it cost."""
    about = methods.set_index("method")
    found = []
    for name in _ranked(scores):
        own, tried = scores[scores["method"] == name], attempts[attempts["method"] == name]
        fits = tried[tried["status"] == "scored"]
        found.append(
            {
                "name": name,
                "reference": about.loc[name, "reference"],
                "deterministic": bool(about.loc[name, "deterministic"]),
                "status": tried["status"].value_counts().to_dict(),
                "versus": {
                    (score, other): own[own["score"] == score][f"versus_{other}"]
                    .value_counts()
                    .to_dict()
                    for score in ("accuracy", "log_loss")
                    for other in REFERENCES
                },
                "seconds": fits["seconds"].median(),
                "nanoseconds": 1e9 * (fits["seconds"] / fits["n_labels"]).median(),
                "megabytes": fits["megabytes"].max(),
                "unconverged": int((fits["converged"].astype(str) == "False").sum()),
            }
        )
    return found


def _matrix(scores: pd.DataFrame, attempts: pd.DataFrame, score: str) -> dict[str, Any]:
    """Arrange one score as problems by methods, for showing."""
    mine = scores[scores["score"] == score].set_index(["problem", "method"]).to_dict("index")
    status = attempts.set_index(["problem", "method"])[["status", "note"]].to_dict("index")
    methods = _ranked(scores)
    more = SCORES[score]
    rows = []
    for problem in _order(scores):
        cells = [(mine.get((problem, name)), status[problem, name]) for name in methods]
        known = [cell["estimate"] for cell, _ in cells if cell]
        best = (max if more else min)(known)
        rows.append(
            {
                "problem": problem,
                "provenance": next(cell["provenance"] for cell, _ in cells if cell),
                "n_items": next(cell["n_items"] for cell, _ in cells if cell),
                "cells": [
                    {
                        "value": cell and cell["estimate"],
                        "lower": cell and cell["lower"],
                        "upper": cell and cell["upper"],
                        "best": cell and cell["estimate"] == best,
                        "verdict": cell and cell[f"versus_{AGAINST}"],
                        **what,
                    }
                    for cell, what in cells
                ],
            }
        )
    return {"methods": methods, "rows": rows, "more": more}
