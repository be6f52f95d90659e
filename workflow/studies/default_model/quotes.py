"""What the stored tables of the study say, as the documentation quotes it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from annobench.reporting.pages import records
from pages.benchmark_quotes import number
from studies.default_model.designs import DESIGNS
from studies.default_model.scoring import ADJUSTED, FROM, clumped
from studies.pool.summaries import differences

#: Of the interval of a difference.
SEED = 20081
#: Models whose scores are shown for each data set.
SHOWN = ("dawid_skene", "pool", ADJUSTED)
#: Candidates that are no models of the library. The clumped model's power is fixed in crowds.
NAMES = {
    "independent": f"`{ADJUSTED}`, w = 0",
    "always dependent": f"`{ADJUSTED}`, w = 1",
    clumped(0.4): "clumped, power learned",
}
#: How errors depend in each design, in the order of the study.
KINDS = {
    design.name: ", ".join(filter(None, (design.dependence, design.form))) for design in DESIGNS
}


def quote_decision(folder: Path) -> str:
    """Lay out the criterion, the candidates, and the kinds of simulated crowds.

    Parameters
    ----------
    folder : Path
        Of the stored tables.

    Returns
    -------
    str
        Markdown.
    """
    decision, data, designs = (
        pd.read_csv(folder / f"{name}.csv") for name in ("decision", "data", "designs")
    )
    lines = ["| condition | value | 95% interval | limits | holds |", "|---|--:|--:|--:|---|"]
    for row in records(decision):
        holds = "yes" if row["holds"] else "**no**"
        cells = [number(row["value"]), _interval(row["interval_lower"], row["interval_upper"])]
        cells.append(_interval(row["lower"], row["upper"]))
        lines.append(f"| {row['condition']} | {' | '.join(cells)} | {holds} |")
    parts = (lines, [_against_pool(data)], _candidates(data, designs), _kinds(designs))
    return "\n\n".join("\n".join(part) for part in parts)


def quote_data_sets(folder: Path) -> str:
    """Lay out the scores of each data set.

    Parameters
    ----------
    folder : Path
        Of the stored tables.

    Returns
    -------
    str
        Markdown.
    """
    data = pd.read_csv(folder / "data.csv")
    losses = data.pivot_table(index="case", columns="method", values="log_loss", sort=False)
    models = " | ".join(f"`{name}`" for name in SHOWN)
    lines = [
        f"| log loss | {models} | w | coverage | width |",
        f"|---|{'--:|' * (len(SHOWN) + 3)}",
    ]
    for row in records(data[data["method"] == ADJUSTED]):
        cells = [number(losses.loc[row["case"], name]) for name in SHOWN]
        cells += [number(row["weight"]), number(row["n_covered"] / row["n_annotators"])]
        lines.append(f"| {row['case']} | {' | '.join(cells)} | {number(row['width'])} |")
    return "\n".join(lines)


def _against_pool(data: pd.DataFrame) -> str:
    """Say how the default's mean log loss differs from the pool's."""
    table = differences(data.assign(provenance="real", n_gold=0), SEED).set_index("method")
    row = table.loc[ADJUSTED].to_dict()
    return (
        f"The pool's mean log loss minus the default's is {number(row['difference'])} (95% "
        f"interval {_interval(row['lower'], row['upper'])}, by resampling families); the default's "
        f"is lower on {row['n_cases'] - row['n_better']:.0f} of {row['n_cases']:.0f} data sets."
    )


def _candidates(data: pd.DataFrame, designs: pd.DataFrame) -> list[str]:
    """Lay out means over data sets and over the crowds to which all candidates are fitted."""
    first = designs[designs["repeat"] == 0]
    data, first = (table.assign(method=table["method"].replace(NAMES)) for table in (data, first))
    real = data.groupby("method")[["log_loss", "accuracy"]].mean()
    losses = first.pivot_table(index="method", columns="dependence", values="log_loss")
    accuracy = first.groupby("method")["accuracy"].mean()
    sums = first.groupby("method")[["expected_0", "actual_0"]].sum()
    lines = [
        f"Means over {data['case'].nunique()} public data sets, and over one simulated data set of "
        f"each of {first['case'].nunique()} designs; errors expected over made are pooled:",
        "",
        "| candidate | public: log loss | accuracy | simulated: log loss, no dependence | "
        "moderate | strong | accuracy | expected over made |",
        f"|---|{'--:|' * 7}",
    ]
    for method in real.sort_values("log_loss").index:
        ratio = sums.loc[method, "expected_0"] / sums.loc[method, "actual_0"]
        crowds = losses.loc[method, ["none", "moderate", "strong"]]
        values = [*real.loc[method], *crowds, accuracy[method], ratio]
        name = method if " " in method else f"`{method}`"
        lines.append(f"| {name} | {' | '.join(map(number, values))} |")
    return lines


def _kinds(designs: pd.DataFrame) -> list[str]:
    """Lay out errors expected and made by the default, by dependence of errors."""
    default = designs[designs["method"] == ADJUSTED]
    columns = [f"{kind}_{limit:g}" for limit in FROM for kind in ("expected", "actual")]
    groups = default.groupby(default["case"].map(KINDS))
    sums, weights = groups[columns].sum(), groups["weight"].mean()
    heads = ["all items", *(f"p of {limit:g} or more" for limit in FROM[1:])]
    lines = [
        "Errors expected and made by the default in all simulated data sets, and its mean w:",
        "",
        f"| dependence | w | {' | '.join(heads)} |",
        f"|---|{'--:|' * (len(FROM) + 1)}",
    ]
    for kind in dict.fromkeys(KINDS.values()):
        row = sums.loc[kind].to_dict()
        cells = [
            f"{row[f'expected_{limit:g}']:,.0f} and {row[f'actual_{limit:g}']:,.0f}"
            for limit in FROM
        ]
        lines.append(f"| {kind} | {number(weights[kind])} | {' | '.join(cells)} |")
    return lines


def _interval(lower: float, upper: float) -> str:
    return "" if pd.isna(lower) else f"{number(lower)} to {number(upper)}"
