"""What the stored tables of the study say, as the documentation quotes it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from annobench.reporting.pages import records
from pages.benchmark_quotes import number
from studies.pool.comparison import CREDIBLE, EQUAL, POOL, STACKING
from studies.pool.summaries import best_single, of_data

#: Numbers of gold items that the documentation shows.
SHOWN = (0, 20, 100, 200)


def quote_decision(folder: Path) -> str:
    """Lay out the criterion and the means over data sets.

    Parameters
    ----------
    folder : Path
        Of the stored tables.

    Returns
    -------
    str
        Markdown.
    """
    decided, means = (pd.read_csv(folder / f"{name}.csv") for name in ("decision", "means"))
    lines = ["| part | condition | found | limit | holds |", "|---|---|--:|--:|---|"]
    for row in records(decided):
        holds = "yes" if row["holds"] else "**no**"
        condition, value, limit = (
            _coded(row["condition"]),
            number(row["value"]),
            number(row["limit"]),
        )
        lines.append(f"| {row['part']} | {condition} | {value} | {limit} | {holds} |")
    lines += [
        "",
        "Means over data sets; calibration errors are medians, with their bias corrected:",
        "",
        "| gold items | data sets | method | log loss | Brier | accuracy | calibration error |",
        "|--:|--:|---|--:|--:|--:|--:|",
    ]
    data = means[means["kind"] == "data"]
    for n_gold in SHOWN:
        table = data[data["n_gold"] == n_gold].set_index("method")
        best = best_single(means, n_gold)
        for name in dict.fromkeys(["dawid_skene", best, EQUAL, STACKING, POOL]):
            if name in table.index:
                scored = table.loc[name].to_dict()
                scores = ("log_loss", "brier", "accuracy", "median_calibration_error")
                cells = [str(n_gold), str(int(scored["n_cases"])), _name(name)]
                cells += [number(scored[each]) for each in scores]
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def quote_data_sets(folder: Path) -> str:
    """Lay out the scores of each data set, and those of category sets.

    Parameters
    ----------
    folder : Path
        Of the stored tables.

    Returns
    -------
    str
        Markdown.
    """
    scores, means = (pd.read_csv(folder / f"{name}.csv") for name in ("scores", "means"))
    data = of_data(scores)
    head, rule, losing = ["| data set |"], ["|---|"], []
    rows: dict[str, list[str]] = {}
    for n_gold in (0, 100):
        best = best_single(means, n_gold)
        names = list(dict.fromkeys(["dawid_skene", best, POOL]))
        gold = "without gold" if n_gold == 0 else f"{n_gold} gold items"
        head.append("".join(f" {_name(name)}, {gold} |" for name in names))
        rule.append("--:|" * len(names))
        part = data[data["n_gold"] == n_gold]
        table = part.pivot_table(index="case", columns="method", values="log_loss", sort=False)
        for case in data["case"].unique():
            cells = [number(table.loc[case, n]) if case in table.index else "" for n in names]
            rows.setdefault(case, []).extend(cells)
        worse = table.index[table[POOL] > table[best]]
        losing.append(f"{gold} than {_name(best)} on {', '.join(worse)}")
    lines = ["Log loss:", "", "".join(head), "".join(rule)]
    lines += [f"| {case} | {' | '.join(cells)} |" for case, cells in rows.items()]
    lines += ["", f"The pool has a higher log loss {'; '.join(losing)}.", "", *_sets(data)]
    return "\n".join(lines)


def _sets(data: pd.DataFrame) -> list[str]:
    """Say how often category sets at level .9 hold the category."""
    lines = [
        "Category sets at level .9, means over data sets:",
        "",
        "| gold items | sets | coverage | lowest | categories per set | none |",
        "|--:|---|--:|--:|--:|--:|",
    ]
    for n_gold in SHOWN:
        part = data[data["n_gold"] == n_gold]
        kinds = {"credible": POOL} if n_gold == 0 else {"credible": CREDIBLE, "conformal": POOL}
        for kind, method in kinds.items():
            mine = part[part["method"] == method]
            cells = [str(n_gold), kind, number(mine["covered"].mean())]
            cells += [number(mine["covered"].min()), f"{mine['set_size'].mean():.2f}"]
            lines.append(f"| {' | '.join([*cells, number(mine['no_category'].mean())])} |")
    widths = data[data["method"] == POOL].groupby("n_gold")[
        ["prevalence_covered", "prevalence_width"]
    ]
    lines += [
        "",
        "95% intervals of the prevalence, means over data sets:",
        "",
        "| gold items | coverage | width |",
        "|--:|--:|--:|",
    ]
    for row in records(widths.mean().reset_index()):
        if row["n_gold"] in SHOWN:
            covered, width = row["prevalence_covered"], row["prevalence_width"]
            lines.append(f"| {row['n_gold']} | {number(covered)} | {number(width)} |")
    return lines


def _name(method: str) -> str:
    return f"`{method}`" if " " not in method and method not in (STACKING, POOL) else method


def _coded(condition: str) -> str:
    """Set the name of a model as code, which smoothed votes have not."""
    *words, last = condition.split(" ")
    return " ".join([*words, f"`{last}`"]) if words[-1] in ("of", "to") else condition
