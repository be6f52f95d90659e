"""Whether probabilities mean what they say, on simulated worlds and on real labels with gold.

    python -m annobench.studies.calibration worlds   # choose the prior of random_clumped
    python -m annobench.studies.calibration real     # compare models on all real sets with gold

The prior of `random_clumped` is the candidate with the lowest mean log loss over worlds of the
regimes of `annobench.simulation.dependent`, and nothing else decides. Gold standards are for `real`
alone. What the benchmark's stored tables say of `random_clumped` beside all others is `quote`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench import datasets, models
from annobench.benchmark.averages import AVERAGED
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.scores import score
from annobench.benchmark.tables import BenchmarkTables, counted
from annobench.core.errors import AnnotationError, DataUnavailableError
from annobench.labels.annotations import Annotations
from annobench.models import random_clumped
from annobench.models.random_clumped import Prior, scaled
from annobench.simulation import dependent

#: The model, what it is to be better than, and by how much.
OURS, YARDSTICK = "random_clumped", "dawid_skene"
LOSS_BELOW, CALIBRATION_AT_MOST = 0.25, 0.06

Posterior = Callable[[Annotations], NDArray[np.float64]]

#: Worlds of each regime that the prior is chosen on, and the first seed.
WORLDS, SEED = 20, 2026

#: What is crossed to candidates of the prior.
GRID: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "guessing": ((), (0.3, 0.6, 0.9)),
        "items_per_level": (0.5, 2.0),
        "right": (4.0, 12.0),
    }
)
POWERS = (1.0, 0.85, 0.7, 0.6, 0.5)


def worlds(n: int = WORLDS, seed: int = SEED) -> list[BenchmarkCase]:
    """Draw worlds of every regime.

    Parameters
    ----------
    n : int, default `WORLDS`
        Of each regime.
    seed : int, default `SEED`
        Of the draws.

    Returns
    -------
    list of BenchmarkCase
        Named by regime and number.
    """
    found = []
    for number, regime in enumerate(dependent.REGIMES):
        for world in range(n):
            panel = dependent.simulate(regime, rng=np.random.default_rng([seed, number, world]))
            found.append(
                BenchmarkCase(f"{regime} {world}", panel.annotations, panel.category, "simulated")
            )
    return found


def real() -> Iterator[BenchmarkCase]:
    """Read the real data sets that have categories, gold, and items with labels of two.

    Yields
    ------
    BenchmarkCase
        Those with the fewest labels first.
    """
    found = []
    for name in datasets.names():
        if datasets.get(name).scale not in ("nominal", "ordinal"):
            continue
        try:
            data = datasets.load(name, mode="real")
        except DataUnavailableError:
            continue
        case = BenchmarkCase(data.id, data.annotations, data.gold, data.provenance)
        if case.scored.any() and case.annotations.is_shared.any():
            found.append(case)
    yield from sorted(found, key=lambda case: case.annotations.n_labels)


def scores(case: BenchmarkCase, posterior: NDArray[np.float64]) -> dict[str, float]:
    """Score a posterior on one case.

    Parameters
    ----------
    case : BenchmarkCase
        Labels and gold.
    posterior : ndarray, shape (I, K)
        Of all items.

    Returns
    -------
    dict of str to float
        Those of `annobench.benchmark.scores.score`; `overconfidence`, mean confidence less
        accuracy; and `wrong_of_certain`, the share of wrong items among those of probability .99 or
        more, NaN if there are none.
    """
    kept = case.scored
    table, gold = posterior[kept], case.gold[kept]
    found = score(table, gold)
    sure = table.max(axis=1) >= 0.99
    wrong = table.argmax(axis=1)[sure] != gold[sure]
    return found | {
        "overconfidence": float(table.max(axis=1).mean() - found["accuracy"]),
        "wrong_of_certain": float(wrong.mean()) if sure.any() else np.nan,
    }


def candidates(base: Prior | None = None) -> list[Prior]:
    """Return the priors that are compared, each with all powers.

    Parameters
    ----------
    base : Prior, optional
        For what the grid leaves alone.

    Returns
    -------
    list of Prior
        All combinations of `GRID`, with the power 1.
    """
    base = replace(Prior() if base is None else base, power=1.0)
    return [
        replace(base, **dict(zip(GRID, values, strict=True))) for values in product(*GRID.values())
    ]


def compare_priors(cases: Iterable[BenchmarkCase], priors: Iterable[Prior]) -> pd.DataFrame:
    """Score priors of `random_clumped`.

    Parameters
    ----------
    cases : iterable of BenchmarkCase
        Simulated worlds.
    priors : iterable of Prior
        To be compared, with the power 1 each.

    Returns
    -------
    DataFrame
        A row a prior and power, lowest mean log loss first: what `GRID` varies, the power, and
        means of `scores`.
    """
    found, rows = list(cases), []
    for prior in priors:
        fits = [random_clumped.fit(case.annotations, prior=prior) for case in found]
        for power in POWERS:
            table = pd.DataFrame(
                [
                    scores(case, scaled(fitted.posterior, power))
                    for case, fitted in zip(found, fits, strict=True)
                ]
            )
            varied = {name: getattr(prior, name) for name in GRID} | {"power": power}
            rows.append(varied | table.mean().to_dict())
    return pd.DataFrame(rows).sort_values("log_loss", ignore_index=True)


def compare_models(cases: Iterable[BenchmarkCase], names: Iterable[str]) -> pd.DataFrame:
    """Score models by their defaults.

    Parameters
    ----------
    cases : iterable of BenchmarkCase
        Labels with gold.
    names : iterable of str
        Of models; a model that refuses a case has no row there.

    Returns
    -------
    DataFrame
        A row a case and model: `case`, `model`, and `scores`.
    """
    rows, listed = [], list(names)
    for case in cases:
        for name in listed:
            try:
                fitted = models.fit(case.annotations, name, rng=SEED)
            except AnnotationError:
                continue
            rows.append({"case": case.name, "model": name} | scores(case, fitted.posterior))
    return pd.DataFrame(rows)


def averages(table: pd.DataFrame) -> pd.DataFrame:
    """Average `compare_models` over cases that all models took.

    Parameters
    ----------
    table : DataFrame
        Its rows.

    Returns
    -------
    DataFrame
        By model: means of the scores, and medians of log loss and calibration error.
    """
    whole = table.groupby("case")["model"].transform("size") == table["model"].nunique()
    grouped = table[whole].drop(columns="case").groupby("model")
    medians = grouped[["log_loss", "calibration_error"]].median().add_prefix("median_")
    return grouped.mean().join(medians).sort_values("log_loss")


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
    if np.isnan(value):
        return "–"
    return (
        f"{value:.3f}".replace("0.", ".", 1).replace("-", "−") if abs(value) < 1 else f"{value:.3f}"
    )


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


def quote(tables: BenchmarkTables) -> str:
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


def main(arguments: list[str]) -> int:
    """Print the tables of one part of the study.

    Parameters
    ----------
    arguments : list of str
        "worlds" or "real", and then names of models; by default all that do not sample.

    Returns
    -------
    int
        Status of the process.

    Raises
    ------
    SystemExit
        If there is no such part.
    """
    part, *names = arguments or [""]
    if part not in ("worlds", "real"):
        raise SystemExit(f"calibration: name worlds or real, got {part!r}.")
    quick = [n for n, m in models.discover().items() if "draws" not in m.METHOD.returns]
    with warnings.catch_warnings(), pd.option_context("display.width", 200):
        warnings.simplefilter("ignore")
        if part == "worlds" and not names:
            print(compare_priors(worlds(), candidates()).round(4).to_string())
            return 0
        table = compare_models(worlds() if part == "worlds" else real(), names or quick)
        print(table.round(4).to_string())
        print(averages(table).round(4).to_string())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
