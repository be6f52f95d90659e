"""Render the coverage of the noise certificate: figures and a page.

Every statement about a certificate is computed from the tables.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from annobench.core.files import replacing
from annobench.plotting import (
    BLUE,
    GREY,
    INK,
    VERMILION,
    house_figure,
    house_style,
    panels,
    save_figure,
)
from annobench.reporting.pages import picture_size
from annobench_replication.pages import render
from studies.noise.certificate_coverage import SHARES
from study_contract.running import OwnStudy

CONFIDENCE = 0.95
#: How a verdict is shown: a mark, the tone of the verdict of papers that it is like, and words.
FACES = {
    "holds": ("✓", "reproduced", "coverage not shown to be below 95%"),
    "low": ("↓", "deviates", "coverage too low: its interval lies below 95%"),
}


def draw_exact(curves: pd.DataFrame, stem: Path) -> None:
    """Draw the exact coverage against the share of hard items: a panel for each number of items."""
    sizes = sorted(set(curves["n_items"]))
    lowest = curves[["certificate", "equation1"]].to_numpy().min() - 0.03
    with house_style():
        figure, axes = panels(len(sizes), height=3.5, width=max(3.7, 6 / len(sizes)))
        for panel, n in zip(axes, sizes, strict=True):
            for name, colour in (("equation1", VERMILION), ("certificate", BLUE)):
                for _, rows in curves[curves["n_items"] == n].groupby(["n_annotators", "guess"]):
                    panel.plot(
                        rows["n_hard"] / n,
                        rows[name],
                        color=colour,
                        linewidth=0.7,
                        alpha=0.75,
                        zorder=3 if name == "certificate" else 2,
                    )
            panel.axhline(CONFIDENCE, color=INK, linestyle="--", linewidth=1, zorder=4)
            panel.set(
                title=f"{n:,} items",
                ylim=(lowest, 1.015),
                xlim=(-0.01, 1.01),
                xlabel="share of hard items",
            )
        axes[0].set_ylabel("coverage of the bound")
        figure.legend(
            handles=[
                Line2D([], [], color=BLUE, label="certificate"),
                Line2D([], [], color=VERMILION, label="Equation 1, every number equally likely"),
            ],
            loc="outside upper center",
            ncols=2,
        )
        save_figure(figure, stem)


def with_kind(simulated: pd.DataFrame) -> pd.DataFrame:
    """Name the kind of each regime: its name without the numbers behind the last comma."""
    kind = simulated["regime"].str.replace(r", [\d./]+$", "", regex=True)
    return simulated.assign(kind=kind)


def kinds(simulated: pd.DataFrame) -> pd.DataFrame:
    """Take regimes of one kind together."""
    return (
        with_kind(simulated)
        .groupby(["inside", "kind"], sort=False)
        .agg(
            model=("model", "first"),
            n=("regime", "size"),
            least=("coverage", "min"),
            mean=("coverage", "mean"),
            posterior=("posterior", "min"),
            mean_rate=("mean_rate", "mean"),
            mean_posterior=("mean_posterior", "mean"),
            mean_truth=("mean_truth", "mean"),
            opposed=("opposed", "min"),
            independent=("independent", "min"),
            refused=("n_refused", "sum"),
            low=("verdict", lambda verdicts: int((verdicts == "low").sum())),
        )
        .reset_index()
    )


def draw_simulated(simulated: pd.DataFrame, grid_name: str, stem: Path) -> None:
    """Draw the coverage of each regime: where the assumptions hold, and where one fails."""
    summary = kinds(simulated)
    named = with_kind(simulated)
    rows = list(summary["kind"])[::-1]
    with house_figure(1, height=1.4 + 0.25 * len(rows)) as (figure, (panel,)):
        figure.set_size_inches(8.2, 1.4 + 0.25 * len(rows))
        for at in range(0, len(rows), 2):
            panel.axhspan(at - 0.5, at + 0.5, color="#F3F1EC", zorder=0)
        for inside, colour in ((True, BLUE), (False, VERMILION)):
            mine = named[named["inside"] == inside]
            heights = np.array([rows.index(kind) for kind in mine["kind"]])
            panel.hlines(
                heights,
                mine["lower"],
                mine["upper"],
                color=colour,
                linewidth=0.8,
                alpha=0.4,
                zorder=2,
            )
            panel.scatter(
                mine["coverage"],
                heights,
                s=17,
                marker="o" if inside else "s",
                facecolor="white",
                edgecolor=colour,
                linewidth=1,
                zorder=3,
            )
        behind = named[named["posterior"].notna()]
        panel.scatter(
            behind["posterior"],
            [rows.index(kind) for kind in behind["kind"]],
            s=9,
            marker="|",
            color=INK,
            linewidth=0.9,
            zorder=4,
        )
        panel.axvline(CONFIDENCE, color=INK, linestyle="--", linewidth=1, zorder=1)
        panel.set(
            yticks=range(len(rows)),
            yticklabels=rows,
            xlim=(-0.02, 1.02),
            ylim=(-0.6, len(rows) - 0.4),
            xlabel="coverage of the certificate",
        )
        panel.tick_params(axis="y", length=0)
        figure.legend(
            handles=[
                Line2D(
                    [],
                    [],
                    color=BLUE,
                    marker="o",
                    markerfacecolor="white",
                    linewidth=0.8,
                    label="assumptions hold",
                ),
                Line2D(
                    [],
                    [],
                    color=VERMILION,
                    marker="s",
                    markerfacecolor="white",
                    linewidth=0.8,
                    label="an assumption fails",
                ),
                Line2D([], [], color=INK, marker="|", linewidth=0, label="posterior bound"),
                Line2D([], [], color=GREY, linewidth=0, label=f"simulated, {grid_name} grid"),
            ],
            loc="outside upper center",
            ncols=4,
        )
        save_figure(figure, stem)


def show(study: OwnStudy, tables: Path, folder: Path, templates: Sequence[Path]) -> None:
    """Write the figures and the page."""
    made = study.settings
    names = ("curves", "exact", "simulated", "power")
    found = {name: pd.read_csv(tables / f"{name}.csv") for name in names}
    draw_exact(found["curves"], folder / "exact")
    draw_simulated(found["simulated"], made["grid"], folder / "simulated")
    exact, simulated = found["exact"], found["simulated"]
    within = simulated[simulated["inside"]]
    page = render(
        "page.html.j2",
        templates,
        exact=exact.to_dict("records"),
        shares=[f"{share:g}" for share in SHARES],
        least={name: rows["least"].min() for name, rows in exact.groupby("bound")},
        prior={name: rows["prior"].min() for name, rows in exact.groupby("bound")},
        kinds=kinds(simulated).to_dict("records"),
        regimes=simulated.to_dict("records"),
        n_within=len(within),
        n_low=int((within["verdict"] == "low").sum()),
        least_within=within["coverage"].min(),
        least_posterior=within["posterior"].min(),
        n_outside_low=int((simulated[~simulated["inside"]]["verdict"] == "low").sum()),
        n_outside=int((~simulated["inside"]).sum()),
        power=found["power"].to_dict("records"),
        marks=FACES,
        sizes={name: picture_size(folder / f"{name}.svg") for name in ("exact", "simulated")},
        grid=made["design"],
        seed=made["seed"],
        grid_name=made["grid"],
        versions=made["versions"],
    )
    with replacing(folder / "index.html") as draft:
        draft.write_text(page, encoding="utf-8")
