"""Render the benchmark of models: a figure and a page.

Every statement about a model is computed from the tables.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from annobench.core.files import recording, replacing
from annobench.plotting import BLUE, GREY, INK, VERMILION, house_figure, save_figure
from annobench.reporting.pages import render
from annobench.studies import models as baselines

#: The reference of the figure, and where its axis ends; what lies beyond is a triangle there.
AGAINST = "voting"
FURTHEST = 0.2
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


def read(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Read the tables of scores, attempts and methods."""
    scores, attempts, methods = (
        pd.read_csv(folder / f"{name}.csv") for name in ("scores", "attempts", "methods")
    )
    verdicts = {f"versus_{name}": "" for name in baselines.REFERENCES}
    return scores.fillna(verdicts), attempts.fillna({"note": ""}), methods


def regimes(scores: pd.DataFrame) -> list[str]:
    """Return the names of simulated regimes, which data sets can't have."""
    return [name for name in dict.fromkeys(scores["problem"]) if "," in name]


def order(scores: pd.DataFrame) -> list[str]:
    """Return the problems: data sets by their labels, then regimes."""
    simulated = regimes(scores)
    known = scores[~scores["problem"].isin(simulated)].sort_values("n_labels", kind="stable")
    return list(dict.fromkeys(known["problem"])) + simulated


def ranked(scores: pd.DataFrame) -> list[str]:
    """Return the methods by how often they beat the vote less how often they lose, best first."""
    accuracy = scores[scores["score"] == "accuracy"]
    won = accuracy[f"versus_{AGAINST}"].map({"better": 1, "worse": -1}).fillna(0)
    total = won.groupby(accuracy["method"]).sum()
    return sorted(total.index, key=lambda name: (name == AGAINST, -total[name], name))


def label(problem: str, provenance: Mapping[str, str], simulated: list[str]) -> str:
    """Name a problem on the axis; a data set that had to be simulated says so."""
    if problem in simulated or provenance[problem] == "real":
        return problem
    return f"{problem} (simulated)"


def draw(scores: pd.DataFrame, attempts: pd.DataFrame, grid_name: str, stem: Path) -> None:
    """Draw the differences of accuracy to the vote: panels are methods, rows problems."""
    problems, simulated = order(scores), regimes(scores)
    methods = [name for name in ranked(scores) if name != AGAINST]
    provenance = dict(zip(scores["problem"], scores["provenance"], strict=True))
    accuracy = scores[scores["score"] == "accuracy"].set_index(["method", "problem"])
    status = attempts.set_index(["method", "problem"])["status"]
    # Data sets stand above regimes, with a gap.
    n_known = len(problems) - len(simulated)
    height = {name: -n - (0.8 if n >= n_known else 0) for n, name in enumerate(problems)}
    with house_figure(max(1, len(methods))) as (figure, axes):
        figure.set_size_inches(2.7 + 1.25 * len(methods), 1.5 + 0.215 * len(problems))
        for panel, method in zip(axes, methods, strict=False):
            for n, name in enumerate(problems):
                if n % 2 == 0:
                    panel.axhspan(height[name] - 0.5, height[name] + 0.5, color="#F3F1EC", zorder=0)
            panel.axvline(0, color=INK, linewidth=0.9, zorder=1)
            for name in problems:
                if (method, name) in accuracy.index:
                    row: Any = accuracy.loc[(method, name)]
                    draw_difference(panel, row, height[name])
                else:
                    words = STATUSES[status[method, name]]
                    panel.text(
                        0,
                        height[name],
                        words,
                        ha="center",
                        va="center",
                        fontsize=6.5,
                        zorder=4,
                        color="#5F5F5F",
                        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
                    )
            counts = accuracy.loc[method][f"versus_{AGAINST}"].value_counts()
            name = method.replace("_", "\n", 1) if len(method) > 14 else method
            panel.set_title(
                f"{name}\n{counts.get('better', 0)} better, {counts.get('worse', 0)} worse",
                fontsize=7.8,
                loc="center",
            )
            panel.set(
                xlim=(-FURTHEST * 1.08, FURTHEST * 1.08),
                xticks=[-0.2, -0.1, 0, 0.1, 0.2],
                ylim=(min(height.values()) - 0.6, 0.6),
                yticks=list(height.values()),
                xticklabels=["−.2", "", "0", "", ".2"],
                yticklabels=[label(name, provenance, simulated) for name in problems]
                if panel is axes[0]
                else [],
            )
            panel.tick_params(axis="y", length=0)
        figure.supxlabel(
            "accuracy minus that of the majority vote, with 95% intervals", fontsize=9.5
        )
        verdicts = {"better": "better", "worse": "worse", "unclear": "interval contains 0"}
        figure.legend(
            handles=[
                Line2D(
                    [],
                    [],
                    color=FACES[name][2],
                    marker=FACES[name][3],
                    markersize=4.5,
                    markerfacecolor="white" if name == "unclear" else FACES[name][2],
                    linewidth=1.2,
                    label=text,
                )
                for name, text in verdicts.items()
            ],
            loc="outside upper right",
            ncols=3,
            title=f"{grid_name} grid; below the gap: simulated regimes",
            title_fontsize=8.5,
        )
        save_figure(figure, stem)


def draw_difference(panel: Any, row: pd.Series, at: float) -> None:
    """Draw one difference with its interval; what lies beyond the axis as a triangle."""
    verdict = row[f"versus_{AGAINST}"]
    if verdict not in FACES:
        return
    _, _, colour, marker = FACES[verdict]
    value, lower, upper = (row[f"minus_{AGAINST}{end}"] for end in ("", "_lower", "_upper"))
    panel.hlines(
        at, *np.clip([lower, upper], -FURTHEST, FURTHEST), color=colour, linewidth=1.2, zorder=2
    )
    if abs(value) > FURTHEST:
        marker = ">" if value > 0 else "<"
    panel.scatter(
        np.clip(value, -FURTHEST, FURTHEST),
        at,
        s=16,
        marker=marker,
        edgecolor=colour,
        facecolor="white" if verdict == "unclear" else colour,
        linewidth=1,
        zorder=3,
    )


def summarise(
    scores: pd.DataFrame, attempts: pd.DataFrame, methods: pd.DataFrame
) -> list[dict[str, Any]]:
    """Sum up each method: what became of it, how it compares, what it cost."""
    about = methods.set_index("method")
    found = []
    for name in ranked(scores):
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
                    for other in baselines.REFERENCES
                },
                "seconds": fits["seconds"].median(),
                "nanoseconds": 1e9 * (fits["seconds"] / fits["n_labels"]).median(),
                "megabytes": fits["megabytes"].max(),
                "unconverged": int((fits["converged"].astype(str) == "False").sum()),
            }
        )
    return found


def matrix(scores: pd.DataFrame, attempts: pd.DataFrame, score: str) -> dict[str, Any]:
    """Arrange one score as problems by methods, for showing."""
    mine = scores[scores["score"] == score].set_index(["problem", "method"]).to_dict("index")
    status = attempts.set_index(["problem", "method"])[["status", "note"]].to_dict("index")
    methods = ranked(scores)
    more = baselines.SCORES[score]
    rows = []
    for problem in order(scores):
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


def page(folder: Path, site: Path, **settings: Any) -> str:
    """Render the page."""
    scores, attempts, methods = read(folder)
    simulated = regimes(scores)
    known = scores[~scores["problem"].isin(simulated)].drop_duplicates("problem")
    return render(
        "baselines.html.j2",
        site,
        title="Benchmark of models",
        depth=2,
        summary=summarise(scores, attempts, methods),
        matrices={name: matrix(scores, attempts, name) for name in TITLES},
        titles=TITLES,
        marks=FACES,
        statuses=STATUSES,
        references=baselines.REFERENCES,
        bins=baselines.BINS,
        smallest=baselines.MIN_PROBABILITY,
        n_real=int((known["provenance"] == "real").sum()),
        stood_in=sorted(known.loc[known["provenance"] != "real", "problem"]),
        n_regimes=len(simulated),
        failures=attempts[attempts["status"] == "failed"].to_dict("records"),
        **settings,
    )


def main(folder: Path, site: Path, **settings: Any) -> None:
    """Write the figure and the page."""
    scores, attempts, _ = read(folder)
    draw(scores, attempts, settings["grid_name"], folder / "accuracy")
    with replacing(folder / "index.html") as draft:
        draft.write_text(page(folder, site, **settings), encoding="utf-8")


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            folder=Path(snakemake.output.page).parent,
            site=Path(snakemake.input.site[0]).parent,
            grid=snakemake.params.grid,
            grid_name=snakemake.params.grid_name,
            seed=snakemake.params.seed,
        )
