"""Five of the models of Paun et al. (2018) in the stored benchmark of aggregation."""

from __future__ import annotations

from typing import Final

import pandas as pd

from annobench.benchmark.tables import BenchmarkTables, counted
from annobench.studies.calibration import number

#: Our models for theirs, in the paper's order.
MODELS: Final = (
    "pooled_multinomial",
    "dawid_skene",
    "mace",
    "hierarchical_dawid_skene",
    "item_difficulty",
)
#: What is shown of each.
SCORES: Final = ("accuracy", "log_loss", "calibration_error")


def quote(tables: BenchmarkTables) -> str:
    """Write what the benchmark's tables say of these models, in Markdown.

    Parameters
    ----------
    tables : BenchmarkTables
        As stored.

    Returns
    -------
    str
        Means over the real data sets on which all those of the models that the tables have are
        scored, and on how many of them each has the smallest log loss.
    """
    problems, found = counted(tables.problems), tables.scores
    kept = found[found["problem"].isin(problems) & found["method"].isin(MODELS)]
    wide = kept[kept["score"].isin(SCORES)].pivot(
        index="problem", columns=["score", "method"], values="estimate"
    )
    present = [name for name in MODELS if name in set(kept["method"])]
    missing = [f"`{name}`" for name in MODELS if name not in present]
    columns = pd.MultiIndex.from_product([SCORES, present])
    wide = wide.reindex(columns=columns).dropna()
    losses = pd.DataFrame(wide["log_loss"])
    best = losses.idxmin(axis=1).value_counts()
    means = wide.mean()
    about = tables.settings
    lines = [
        f"Means over {len(wide)} of {len(problems)} real data sets of different labels, those on "
        f"which all of these models are scored (annobench {about['versions']['annobench']}, "
        f"{about['grid']} grid, seed {about['seed']}):",
        "",
        "| model | accuracy | log loss | calibration error | smallest log loss |",
        "|---|--:|--:|--:|--:|",
    ]
    for name in present:
        cells = [number(float(means[score, name])) for score in SCORES]
        lines.append(f"| `{name}` | {' | '.join(cells)} | {best.get(name, 0)} |")
    if missing:
        lines += ["", f"Not in the stored tables: {', '.join(missing)}."]
    return "\n".join(lines)
