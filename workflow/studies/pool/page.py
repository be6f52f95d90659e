"""Render the study of the pool: a figure and a page, computed from the tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from annobench.core.files import replacing
from annobench.models import pool
from annobench.plotting import (
    BLUE,
    GREY,
    INK,
    VERMILION,
    house_figure,
    save_figure,
)
from annobench.reporting.pages import picture_size, records
from annobench_replication.pages import render
from studies.pool.comparison import CREDIBLE, EQUAL, LEVEL, POOL, STACKING, VARIANTS
from studies.pool.summaries import best_single, of_data
from study_contract.running import OwnStudy

#: Where the methods are compared, as the criterion does.
WITH_GOLD = 100


def by_case(scores: pd.DataFrame, n_gold: int, score: str = "log_loss") -> pd.DataFrame:
    """Return a score by case and method."""
    mine = scores[scores["n_gold"] == n_gold]
    return mine.pivot_table(index="case", columns="method", values=score, sort=False)


def losses(scores: pd.DataFrame, n_gold: int, best: str) -> list[dict[str, Any]]:
    """Lay out log loss, calibration error and accuracy of a few methods on each case."""
    rows = []
    tables = {name: by_case(scores, n_gold, name) for name in ("log_loss", "calibration_error")}
    accuracy = by_case(scores, n_gold, "accuracy")
    for case in tables["log_loss"].index:
        row: dict[str, Any] = {"case": case}
        for key, name in (("dawid_skene", "dawid_skene"), ("best", best), ("pool", POOL)):
            row |= {f"{key}_{score}": table.loc[case, name] for score, table in tables.items()}
            row[f"{key}_accuracy"] = accuracy.loc[case, name]
        row["loses"] = bool(row["pool_log_loss"] > row["best_log_loss"])
        rows.append(row)
    return rows


def sets(scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Average coverage and size of the pool's category sets, by number of gold items."""
    rows = []
    for n_gold, part in of_data(scores).groupby("n_gold"):
        own = part[part["method"] == POOL]
        credible = own if n_gold == 0 else part[part["method"] == CREDIBLE]
        kinds = [("credible", credible)] + ([("conformal", own)] if n_gold else [])
        for kind, found in kinds:
            rows.append(
                {
                    "n_gold": n_gold,
                    "kind": kind,
                    "n": len(found),
                    "covered": found["covered"].mean(),
                    "least": found["covered"].min(),
                    "at": found["case"].iloc[found["covered"].argmin()],
                    "size": found["set_size"].mean(),
                    "one": found["one_category"].mean(),
                    "none": found["no_category"].mean(),
                }
            )
    return rows


def prevalences(scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Average the coverage of the intervals of the prevalence."""
    own = of_data(scores)
    grouped = own[own["method"] == POOL].groupby("n_gold")
    table = grouped[["prevalence_covered", "prevalence_width"]].mean()
    return records(table.assign(n=grouped.size()).reset_index())


def draw_losses(scores: pd.DataFrame, best: dict[int, str], stem: Path) -> None:
    """Draw the log loss on each data set, without gold and with it."""
    data = of_data(scores)
    numbers = [n for n in (0, WITH_GOLD) if n in best]
    order = by_case(data, 0)[POOL].sort_values().index
    with house_figure(len(numbers), height=1.4 + 0.22 * len(order)) as (figure, axes):
        panels: Any = np.ravel(np.asarray(axes, dtype=object))
        for panel, n_gold in zip(panels, numbers, strict=True):
            table = by_case(data, n_gold).reindex(order)
            heights = np.arange(len(order))
            shown = ("dawid_skene", GREY, "s"), (best[n_gold], BLUE, "^"), (POOL, VERMILION, "o")
            for name, colour, marker in shown:
                panel.plot(table[name], heights, marker, color=colour, markersize=4.5, label=name)
            panel.hlines(
                heights, table[POOL], table[best[n_gold]], color=INK, linewidth=0.6, zorder=0
            )
            panel.set(
                yticks=heights,
                yticklabels=order,
                ylim=(-0.6, len(order) - 0.4),
                xlabel="log loss",
                xlim=(0, None),
                title="without gold" if n_gold == 0 else f"with {n_gold} gold items",
            )
            panel.legend(loc="lower right")
        save_figure(figure, stem)


def show(study: OwnStudy, tables: Path, folder: Path, templates: Sequence[Path]) -> None:
    """Write the figure and the page."""
    names = ("scores", "means", "differences", "decision", "weights")
    found = {name: pd.read_csv(tables / f"{name}.csv", dtype={"part": str}) for name in names}
    scores, means, apart = found["scores"], found["means"], found["differences"]
    numbers = sorted(scores["n_gold"].unique())
    shown = [n for n in (0, WITH_GOLD) if n in numbers]
    best = {n: best_single(means, n) for n in shown}
    draw_losses(scores, best, folder / "losses")
    data = of_data(scores)
    decided = found["decision"]
    joined = means.merge(apart, on=["n_gold", "method"], how="left", suffixes=("", "_of"))
    averages = joined[(joined["kind"] == "data") & (joined["method"] != CREDIBLE)]
    page = render(
        "page.html.j2",
        templates,
        decision=records(decided),
        holds=bool(decided["holds"].all()),
        means={
            n: records(averages[averages["n_gold"] == n].sort_values("log_loss")) for n in numbers
        },
        regimes=losses(scores[scores["provenance"] == "regime"], 0, best[0]),
        cases={n: losses(data, n, best[n]) for n in shown},
        best=best,
        sets=sets(scores),
        prevalences=prevalences(scores),
        weights=records(found["weights"]),
        members=pool.MEMBERS,
        own={"pool": POOL, "equal": EQUAL, "stacking": STACKING, "variants": list(VARIANTS)},
        level=LEVEL,
        n_families=data["family"].nunique(),
        n_data=data["case"].nunique(),
        n_stand_ins=int((data.drop_duplicates("case")["provenance"] == "simulated").sum()),
        draws=study.settings["design"]["draws"],
        sizes={"losses": picture_size(folder / "losses.svg")},
        grid_name=study.settings["grid"],
        seed=study.settings["seed"],
    )
    with replacing(folder / "index.html") as draft:
        draft.write_text(page, encoding="utf-8")
