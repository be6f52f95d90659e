"""Render the study of audits: figures and a page. Every statement is computed from the tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from annobench.core.files import replacing
from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    house_figure,
    legend_below,
    save_figure,
)
from annobench.reporting.pages import picture_size, records
from annobench_replication.pages import render
from studies.audit.audit_coverage import LEVEL
from studies.audit.label_replay import START, gains
from study_contract.running import OwnStudy

FIGURES = ("held", "released", "gains")
#: What is shown of each statement: its constructions in the order of the page, and those advised.
ORDER = {
    "accuracy": ["beta", "wilson", "normal", "with probabilities"],
    "prevalence": [
        "corrected, beta",
        "with probabilities",
        "checks alone, beta",
    ],
    "release": ["at most 5% wrong", "at most 10% wrong"],
}
ADVISED = {"beta", "corrected, beta", "at most 5% wrong", "at most 10% wrong"}


def summary(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Count, for each construction, the cases in which it holds too seldom."""
    rows = []
    for statement, constructions in ORDER.items():
        for construction in constructions:
            mine = table[
                (table["statement"] == statement) & (table["construction"] == construction)
            ]
            if len(mine):
                worst = mine.iloc[int(mine["held"].argmin())]
                rows.append(
                    {
                        "statement": statement,
                        "construction": construction,
                        "advised": construction in ADVISED,
                        "n": len(mine),
                        "n_low": int((mine["verdict"] == "low").sum()),
                        "least": mine["held"].min(),
                        "worst": ", ".join(
                            part
                            for part in (
                                worst["case"],
                                worst["model"],
                                f"{worst['n_checks']} checks",
                            )
                            if part
                        ),
                        "mean": mine["held"].mean(),
                        "size": mine["size"].mean(),
                    }
                )
    return rows


def draw_held(table: pd.DataFrame, stem: Path) -> None:
    """Draw how often each statement held, one mark a case."""
    names = [(s, c) for s, constructions in ORDER.items() for c in constructions]
    rng = np.random.default_rng(0)
    with house_figure(1, height=4.2) as (figure, (axes,)):
        figure.set_size_inches(8.2, 4.2)
        for row, (statement, construction) in enumerate(names):
            mine = table[
                (table["statement"] == statement) & (table["construction"] == construction)
            ]
            for provenance, colour, marker in (("simulated", VERMILION, "s"), ("real", BLUE, "o")):
                some = mine[mine["provenance"] == provenance]
                heights = row + 0.5 * (rng.random(len(some)) - 0.5)
                axes.plot(
                    some["held"],
                    heights,
                    marker,
                    color=colour,
                    markersize=3.5,
                    alpha=0.6,
                    label=provenance if row == 0 else None,
                )
        axes.axvline(LEVEL, color=INK, linestyle="--", linewidth=1)
        axes.set(
            yticks=range(len(names)),
            yticklabels=[f"{statement}: {construction}" for statement, construction in names],
            ylim=(len(names) - 0.5, -0.5),
            xlabel="share of audits in which the statement was true",
        )
        legend_below(figure, axes)
        save_figure(figure, stem)


def draw_released(table: pd.DataFrame, stem: Path) -> None:
    """Draw how much is released, by the accuracy of the consensus."""
    rows = table[table["statement"] == "release"]
    with house_figure(2, height=3.4) as (figure, axes):
        for panel, construction in zip(axes, ORDER["release"], strict=True):
            mine = rows[rows["construction"] == construction]
            for checks, colour, marker in zip(
                sorted(mine["n_checks"].unique())[-3:],
                (GREY, BLUE, VERMILION),
                "^os",
                strict=False,
            ):
                some = mine[mine["n_checks"] == checks]
                panel.plot(
                    some["truth"], some["size"], marker, color=colour, label=f"{checks} checks"
                )
            panel.set(title=construction, xlabel="accuracy of the consensus", ylim=(-0.03, 1.03))
        axes[0].set_ylabel("mean share of items released")
        legend_below(figure, axes[0])
        save_figure(figure, stem)


def draw_gains(found: pd.DataFrame, stem: Path) -> None:
    """Draw what strategies gain over random labels, a line for each data set."""
    with house_figure(2, height=3.4) as (figure, axes):
        for panel, strategy in zip(axes, ("evenly", "information"), strict=True):
            mine = found[found["strategy"] == strategy]
            for n, (case, rows) in enumerate(mine.groupby("case", sort=False)):
                panel.plot(
                    rows["labels_per_item"],
                    100 * rows["gain"],
                    color=(BLUE, VERMILION, GREEN, GREY, INK)[n % 5],
                    linestyle=("-", "--")[n // 5 % 2],
                    marker="o",
                    markersize=3,
                    label=case,
                )
            panel.axhline(0, color=INK, linewidth=0.8)
            panel.set(title=strategy, xlabel="labels per item, on average")
        axes[0].set_ylabel("accuracy minus that of random labels, points")
        low, high = (f(axis.get_ylim()[n] for axis in axes) for n, f in ((0, min), (1, max)))
        for panel in axes:
            panel.set_ylim(low, high)
        if len(found):
            legend_below(figure, axes[1])
        save_figure(figure, stem)


def show(study: OwnStudy, tables: Path, folder: Path, templates: Sequence[Path]) -> None:
    """Write the figures and the page."""
    table, replayed = (
        pd.read_csv(tables / "coverage.csv", keep_default_na=False, na_values=[""]),
        pd.read_csv(tables / "replay.csv"),
    )
    table["model"] = table["model"].fillna("")
    made = study.settings
    found = gains(replayed)
    for name, draw, shown in zip(
        FIGURES, (draw_held, draw_released, draw_gains), (table, table, found), strict=True
    ):
        draw(shown, folder / name)
    told = found[found["strategy"] == "information"]
    real = table[table["provenance"] == "real"]
    advised = table[table["construction"].isin(ADVISED)]
    page = render(
        "page.html.j2",
        templates,
        rows=summary(table),
        cases=records(advised[advised["statement"] != "prevalence"]),
        n_advised=len(advised),
        n_advised_low=int((advised["verdict"] == "low").sum()),
        least=advised["held"].min(),
        n_real=real.groupby(["case", "model"]).ngroups,
        n_sets=real["case"].nunique(),
        n_worlds=table.loc[table["provenance"] == "simulated", "case"].nunique(),
        n_better=int((told["lower"] > 0).sum()),
        n_worse=int((told["upper"] < 0).sum()),
        n_told=len(told),
        gains=records(told),
        repeats=replayed["repeat"].nunique(),
        start=START,
        level=LEVEL,
        sizes={name: picture_size(folder / f"{name}.svg") for name in FIGURES},
        grid_name=made["grid"],
        seed=made["seed"],
    )
    with replacing(folder / "index.html") as draft:
        draft.write_text(page, encoding="utf-8")
