"""What the stored tables of the benchmark say of some models, as pages quote it."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from annobench.benchmark.averages import AVERAGED
from annobench.benchmark.tables import BenchmarkTables, counted
from annobench.reporting import formats

#: The model, what it is to be better than, and by how much.
OURS, YARDSTICK = "random_clumped", "dawid_skene"
LOSS_BELOW, CALIBRATION_AT_MOST = 0.25, 0.06

#: Our models for theirs, in the paper's order.
PAUN_MODELS: Final = (
    "pooled_multinomial",
    "dawid_skene",
    "mace",
    "hierarchical_dawid_skene",
    "item_difficulty",
)
#: What is shown of each of them.
PAUN_SCORES: Final = ("accuracy", "log_loss", "calibration_error")


def number(value: float) -> str:
    """Write a number below 1 without its leading zero, or a dash where there is none.

    Parameters
    ----------
    value : float
        Such as a score.

    Returns
    -------
    str
        With three digits after the point.
    """
    shown = formats.number(value)
    return shown.replace("0.", ".", 1) if abs(value) < 1 else shown


def goals(averages: pd.DataFrame) -> list[str]:
    """Say which goals `random_clumped` reached among the methods scored on every data set.

    Parameters
    ----------
    averages : DataFrame
        As from `annobench.benchmark.averages.average`.

    Returns
    -------
    list of str
        A sentence each, which begins with "Reached" or "Not reached"; empty if the model or Dawid
        and Skene's is not among these methods.
    """
    kept = averages[averages["whole"] == "yes"].set_index("method")
    whole: dict[str, dict[str, float]] = {
        str(method): dict(row) for method, row in kept.drop(columns="whole").iterrows()
    }
    if not {OURS, YARDSTICK} <= set(whole):
        return []
    ours, found = whole.pop(OURS), []
    for how in ("mean", "median"):
        value, base = ours[f"{how}_log_loss"], whole[YARDSTICK][f"{how}_log_loss"]
        below = 1 - value / base
        found.append(
            (
                below >= LOSS_BELOW,
                f"a {how} log loss at least {LOSS_BELOW:.0%} below Dawid and Skene's: "
                f"{value:.3f} against {base:.3f}, {below:.0%} below",
            )
        )
    loss, first = min((row["median_log_loss"], name) for name, row in whole.items())
    accuracy, best = max((row["mean_accuracy"], name) for name, row in whole.items())
    error = ours["median_calibration_error"]
    found += [
        (
            ours["median_log_loss"] < loss,
            f"a median log loss below that of every other method: {ours['median_log_loss']:.3f}, "
            f"and the lowest other is {loss:.3f} (`{first}`)",
        ),
        (
            ours["mean_accuracy"] >= accuracy,
            "a mean accuracy not below the best other method's: "
            f"{ours['mean_accuracy']:.3f} against {accuracy:.3f} (`{best}`)",
        ),
        (
            error <= CALIBRATION_AT_MOST,
            f"a median calibration error of at most {CALIBRATION_AT_MOST}: {error:.3f}",
        ),
    ]
    return [f"{'Reached' if reached else 'Not reached'}: {text}." for reached, text in found]


def closest_in_pairs(losses: pd.DataFrame) -> str:
    """Say whether the median difference of log losses favours `random_clumped` over every other.

    A difference is taken on each data set that both methods are scored on, which a difference of
    two medians is not.

    Parameters
    ----------
    losses : DataFrame
        Log losses, data sets by methods, NaN where a method is not scored.

    Returns
    -------
    str
        A sentence that begins with "Reached" or "Not reached".
    """
    above = losses.drop(columns=OURS).sub(losses[OURS], axis=0)
    medians = above.median()
    closest = str(medians.idxmin())
    lower, of = int((above[closest] > 0).sum()), int(above[closest].notna().sum())
    return (
        f"{'Reached' if medians[closest] > 0 else 'Not reached'}: a lower log loss than every "
        f"other method by the median of paired differences; the closest is `{closest}`, {lower} of "
        f"{of} data sets, median difference {medians[closest]:.3f}."
    )


def quote_random_clumped(tables: BenchmarkTables) -> str:
    """Write what the benchmark's tables say of the model beside all others, in Markdown.

    Parameters
    ----------
    tables : BenchmarkTables
        As stored.

    Returns
    -------
    str
        Averages over the real data sets, goals, and scores by data set.
    """
    averages, problems = tables.averages, counted(tables.problems)
    whole = averages[averages["whole"] == "yes"]
    about = tables.settings
    lines = [
        f"{len(problems)} real data sets of different labels, annobench "
        f"{about['versions']['annobench']}, {about['grid']} grid, seed {about['seed']}:",
        "",
        "| | log loss, mean | median | accuracy, mean | median | calibration error, mean | median "
        "| confidence less accuracy |",
        f"|---|{'--:|' * 7}",
    ]
    columns = [f"{how}_{name}" for name in AVERAGED for how in ("mean", "median")]
    for row in whole.to_dict("records"):
        cells = [number(float(row[name])) for name in (*columns, "overconfidence")]
        name = f"**{row['method']}**" if row["method"] == OURS else row["method"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines.append("")
    partial = averages[averages["whole"] != "yes"].to_dict("records")
    if rest := [f"{row['method']} ({row['n_datasets']})" for row in partial]:
        lines += [f"Not scored on all data sets but on so many: {', '.join(rest)}.", ""]
    losses = tables.scores[tables.scores["score"] == "log_loss"].pivot(
        index="problem", columns="method", values="estimate"
    )
    reached = goals(averages)
    if OURS in losses:
        reached.append(closest_in_pairs(losses.reindex(problems)))
    lines += [f"- {each}" for each in reached] or [f"These tables do not have {OURS}."]
    known = [name for name in ("voting", YARDSTICK, OURS) if name in set(averages["method"])]
    keys = zip(*(tables.scores[name] for name in ("problem", "score", "method")), strict=True)
    values = dict(zip(keys, tables.scores["estimate"], strict=True))
    heads = [name.replace("_", " ") for name in AVERAGED]
    span = len(known) - 1
    lines += [
        "",
        f"| data set | {' | '.join(head + ' |' * span for head in heads)} |",
        f"|---|{'--:|' * (len(heads) * len(known))}",
        f"| | {' | '.join(known * len(heads))} |",
    ]
    for problem in problems:
        cells = [number(values.get((problem, s, m), np.nan)) for s in AVERAGED for m in known]
        lines.append(f"| {problem} | {' | '.join(cells)} |")
    return "\n".join(lines)


def quote_paun_models(tables: BenchmarkTables) -> str:
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
    kept = found[found["problem"].isin(problems) & found["method"].isin(PAUN_MODELS)]
    wide = kept[kept["score"].isin(PAUN_SCORES)].pivot(
        index="problem", columns=["score", "method"], values="estimate"
    )
    present = [name for name in PAUN_MODELS if name in set(kept["method"])]
    missing = [f"`{name}`" for name in PAUN_MODELS if name not in present]
    columns = pd.MultiIndex.from_product([PAUN_SCORES, present])
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
        cells = [number(float(means[score, name])) for score in PAUN_SCORES]
        lines.append(f"| `{name}` | {' | '.join(cells)} | {best.get(name, 0)} |")
    if missing:
        lines += ["", f"Not in the stored tables: {', '.join(missing)}."]
    return "\n".join(lines)
