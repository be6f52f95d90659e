"""Render the study of cautions: a figure and a page, computed from the tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from annobench.core.files import replacing
from annobench.plotting import BLUE, INK, VERMILION, house_figure, save_figure
from annobench.reporting.pages import picture_size, records
from annobench_replication.pages import render
from studies.guard.analysis import ANY
from studies.guard.fits import FAILS, MANY_STARTS, TWO
from study_contract.running import OwnStudy

TABLES = ("dependence", "cautions", "regimes", "models", "optima")
#: Regimes in words.
REGIMES = {
    "good": "good",
    "mixed": "of mixed accuracy",
    "spam": "half of them spammers",
    "adversarial": "three in ten adversaries",
    "correlated": "who err together",
    "difficulty": "items of different difficulty",
    "imbalance": "a category of 2%",
    "long_tail": "many with few labels",
    "two annotators": "only two",
}


def draw_regimes(regimes: pd.DataFrame, stem: Path) -> None:
    """Draw power and false alarms, with their intervals, by regime."""
    heights = np.arange(len(regimes))[::-1]
    panels = (
        ("power", BLUE, "warned, of fits that fail"),
        ("false_alarms", VERMILION, "warned, of other fits"),
    )
    with house_figure(2, height=1.2 + 0.28 * len(regimes)) as (figure, axes):
        both: Any = np.ravel(np.asarray(axes, dtype=object))
        for panel, (name, colour, title) in zip(both, panels, strict=True):
            share = regimes[name]
            ends = share - regimes[f"{name}_lower"], regimes[f"{name}_upper"] - share
            panel.errorbar(share, heights, xerr=ends, fmt="o", color=colour, markersize=4.5)
            panel.axvline(0, color=INK, linewidth=0.6)
            panel.set(
                xlim=(-0.02, 1.02),
                ylim=(-0.6, len(regimes) - 0.4),
                xticks=(0, 0.5, 1),
                xlabel="share",
                title=title,
            )
        both[0].set_yticks(heights, [REGIMES[name] for name in regimes["regime"]])
        both[1].set_yticks(heights, [])
        save_figure(figure, stem)


def show(study: OwnStudy, tables: Path, folder: Path, templates: Sequence[Path]) -> None:
    """Write the figure and the page."""
    found = {name: pd.read_csv(tables / f"{name}.csv") for name in TABLES}
    regimes = found["regimes"]
    draw_regimes(regimes[regimes["regime"] != TWO], folder / "regimes")
    cautions = found["cautions"].set_index("caution")
    page = render(
        "page.html.j2",
        templates,
        **{name: records(table) for name, table in found.items()},
        total=cautions.loc[ANY].to_dict(),
        words=REGIMES,
        fails=FAILS,
        starts=MANY_STARTS,
        design=study.design,
        sizes={"regimes": picture_size(folder / "regimes.svg")},
        grid_name=study.settings["grid"],
        seed=study.settings["seed"],
    )
    with replacing(folder / "index.html") as draft:
        draft.write_text(page, encoding="utf-8")
