"""Render noise certificates of several data sets, compared with gold: a figure and a page.

Every statement about a data set is computed from the tables.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from annobench.core.files import replacing
from annobench.plotting import BLUE, GREY, INK, VERMILION, house_style, panels, save_figure
from annobench.reporting.pages import picture_size
from annobench_replication.pages import render
from studies.certificate.certificates import TABLES
from study_contract.running import OwnStudy

#: Columns of words, which may be empty.
WORDS = ("remarks", "note", "reasons", "text")
MODELS = {
    "rates": "any distribution of rates",
    "easy_hard": "easy and hard",
}


def read(folder: Path) -> dict[str, pd.DataFrame]:
    """Read the tables; empty words are words."""
    found = {}
    for name in TABLES:
        table = pd.read_csv(folder / f"{name}.csv")
        # A column that is empty throughout is read as numbers.
        texts = {column: object for column in WORDS if column in table}
        found[name] = table.astype(texts).fillna(dict.fromkeys(texts, ""))
    return found


def draw(rules: pd.DataFrame, simulated: set[str], stem: Path) -> None:
    """Draw what is certified, estimated and wrong by the share of labels that items need."""
    titles = list(dict.fromkeys(rules["title"]))
    columns = min(3, max(1, len(titles)))
    rows = max(1, -(-len(titles) // columns))
    with house_style():
        figure, axes = panels(
            columns, rows=rows, height=0.9 + 2.9 * rows, width=max(3.6, 7 / columns)
        )
        for panel in axes[max(1, len(titles)) :]:
            panel.remove()
        for panel, title in zip(axes, titles, strict=False):
            mine = rules[(rules["title"] == title) & (rules["model"] == "rates")]
            mine = mine[mine["n_retained"] > 0]
            at = np.arange(len(mine))
            panel.plot(at, mine["rate"], color=VERMILION, marker="v", markersize=5)
            panel.plot(
                at,
                mine["expected"] / mine["n_retained"],
                color=BLUE,
                marker="o",
                markersize=4.5,
                markerfacecolor="white",
                linestyle="--",
            )
            if mine["n_checked"].sum():
                panel.vlines(
                    at + 0.12, mine["wrong_lower"], mine["wrong_upper"], color=GREY, linewidth=1.2
                )
                panel.scatter(at + 0.12, mine["wrong"], marker="D", s=16, color=INK, zorder=3)
            labels = [
                f"{'> ½' if keep == 0.5 else f'{100 * keep:.0f}%'}\n{n:,}"
                for keep, n in zip(mine["keep"], mine["n_retained"], strict=True)
            ]
            shown = title if title not in simulated else f"{title} (simulated)"
            panel.set(ylim=(-0.02, 1.02), xticks=at, title="\n".join(wrapped(shown)))
            panel.set_xticklabels(labels, fontsize=7.5)
            panel.yaxis.grid(True, color="#E6E3DB", linewidth=0.6)
            panel.set_axisbelow(True)
        for panel in axes[::columns]:
            panel.set_ylabel("share of the retained labels")
        figure.supxlabel("least share of the most frequent label, and items retained", fontsize=9)
        figure.legend(
            handles=[
                Line2D(
                    [],
                    [],
                    color=VERMILION,
                    marker="v",
                    markersize=5,
                    label="95% upper bound on guesses",
                ),
                Line2D(
                    [],
                    [],
                    color=BLUE,
                    marker="o",
                    markersize=4.5,
                    markerfacecolor="white",
                    linestyle="--",
                    label="guesses, estimated",
                ),
                Line2D(
                    [],
                    [],
                    color=INK,
                    marker="D",
                    markersize=4,
                    linestyle="",
                    label="wrong by gold, with 95% interval",
                ),
            ],
            loc="outside upper center",
            ncols=3,
        )
        save_figure(figure, stem)


def wrapped(title: str) -> list[str]:
    """Break a long title in two lines; a short one gets an empty line, so that panels align."""
    if len(title) < 24:
        return [title, ""]
    space = title.rfind(" ", 0, 24)
    return [title[:space], title[space + 1 :]]


def sections(tables: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """Gather all that is shown of each data set."""
    found = []
    for title in dict.fromkeys(tables["summary"]["title"]):
        own = {
            name: table[table["title"] == title].to_dict("records")
            for name, table in tables.items()
        }
        best = max(own["heterogeneity"], key=lambda row: row["score"])
        as_good = [
            row["model"]
            for row in own["heterogeneity"]
            if row is not best and row["minus_best"] > -2 * row["standard_error"]
        ]
        found.append({"title": title, "best": best["model"], "as_good": as_good, **own})
    return found


def show(study: OwnStudy, tables: Path, folder: Path, templates: Sequence[Path]) -> None:
    """Write the figure and the page of the tables in a folder."""
    found = read(tables)
    summary = found["summary"]
    simulated = (
        set(summary.loc[summary["provenance"] != "real", "title"]) if len(summary) else set()
    )
    rules = found["rules"]
    draw(rules if len(rules) else pd.DataFrame({"title": []}), simulated, folder / "rates")
    page = render(
        "page.html.j2",
        templates,
        sections=sections(found) if len(summary) else [],
        models=MODELS,
        sizes={"rates": picture_size(folder / "rates.svg")},
        simulated=sorted(simulated),
        thresholds={each["title"]: each.get("threshold") for each in study.design},
        exceeding=rules[rules["exceeds"]].to_dict("records") if len(rules) else [],
        n_checked_rules=int((rules["n_checked"] > 0).sum()) if len(rules) else 0,
        unknown=study.settings.get("left_out", []),
        seed=study.seed,
    )
    with replacing(folder / "index.html") as draft:
        draft.write_text(page, encoding="utf-8")
