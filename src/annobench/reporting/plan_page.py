"""The page of `annobench plan`: designs, their cost, and which items to label next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import pandas as pd
from markupsafe import Markup

from annobench.audit.planning import Plan
from annobench.core.texts import counted, plain
from annobench.plotting import BLUE, VERMILION, house_figure
from annobench.reporting import figures, pages
from annobench.reporting.formats import percent

__all__ = ["SHOWN", "render"]

#: Items to label next that are listed.
SHOWN: Final = 25


def render(found: Plan, following: pd.DataFrame, *, source: str, basis: str) -> str:
    """Render the page of a plan.

    Parameters
    ----------
    found : Plan
        The designs.
    following : DataFrame
        Items by the expected information of another label, from `annobench.audit.next_labels`.
    source : str
        Source of the pilot's labels, such as the name of the file.
    basis : str
        Source of the expected accuracy, in a sentence.

    Returns
    -------
    str
        HTML with its style and plots inside.
    """
    cheapest = found.summary().reset_index()
    rows = pages.records(found.table)
    for row in rows:
        row |= {name: _number(row[name]) for name in ("items", "labels", "checks")}
        row["cost"] = _money(row["cost"], found.currency)
    return pages.render(
        "plan.html.j2",
        title=f"Plan: {source}",
        source=source,
        basis=basis,
        facts=_facts(found, following),
        next=_steps(cheapest, following, found.currency),
        rows=rows,
        goals=[
            {"goal": row["goal"], "words": design_in_words(row, found.currency)}
            for row in pages.records(cheapest)
        ],
        cost_plot=_cost_plot(found),
        following=pages.records(following.head(SHOWN)),
        n_items=len(following),
        information_plot=_information_plot(following),
    )


def design_in_words(design: Mapping[str, Any], currency: str) -> str:
    """Describe a design."""
    if not math.isfinite(design["cost"]):
        return "no number is enough: too many errors are expected"
    parts = []
    if design["annotators"]:
        parts.append(
            f"{counted(int(design['items']), 'item')} with "
            f"{counted(int(design['annotators']), 'label')} each "
            f"({counted(int(design['labels']), 'label')})"
        )
    if design["checks"]:
        parts.append(counted(int(design["checks"]), "check"))
    return f"{' and '.join(parts)}, cost {_money(design['cost'], currency)}"


def _number(value: float) -> str:
    if not value:
        return "–"
    return f"{value:,.0f}" if math.isfinite(value) else "∞"


def _money(value: float, currency: str) -> str:
    return f"{value:,.2f} {currency}".strip() if math.isfinite(value) else "∞"


def _facts(found: Plan, following: pd.DataFrame) -> list[tuple[str, str, str]]:
    pilot = found.pilot
    total = pilot["between"] + pilot["within"]
    best = pilot["labels_per_item"]
    return [
        (
            f"{len(following):,}",
            "items in the pilot",
            f"{int(following['n_labels'].sum()):,} labels",
        ),
        (f"{pilot['accuracy']:.3f}", "expected accuracy", "of the consensus"),
        (
            percent(pilot["within"] / total) if total else "–",
            "of the variance is within items",
            "disagreement of annotators on the same item",
        ),
        (
            f"{best:.1f}" if math.isfinite(best) else "∞",
            "labels per item is cheapest",
            "for a prevalence, at these prices",
        ),
    ]


def _steps(cheapest: pd.DataFrame, following: pd.DataFrame, currency: str) -> list[str]:
    steps = []
    reachable = cheapest[cheapest["cost"].map(math.isfinite)]
    for row in pages.records(reachable):
        steps.append(f"For {row['goal']}: {design_in_words(row, currency)}.")
    hopeless = cheapest.loc[~cheapest["cost"].map(math.isfinite), "goal"]
    for goal in hopeless:
        steps.append(
            f"For {goal}, checks alone are not enough, if the consensus has as many errors as "
            "expected. Get more labels for the least certain items first, or allow more errors."
        )
    worth = following[following["information"] > 0]
    if len(worth):
        half = worth["information"].cumsum() >= worth["information"].sum() / 2
        n = int(half.to_numpy().argmax()) + 1
        steps.append(
            f"One more label for each of the first {counted(n, 'item')} of next.csv is expected "
            f"to give half the information of one more label for all {len(following):,}."
        )
    return steps


def _cost_plot(found: Plan) -> Markup:
    """Plot the cost of the goals that depend on the number of annotators."""
    table = found.table[found.table["annotators"] > 0]
    sizes = table["goal"].value_counts()
    goals = [goal for goal in dict.fromkeys(table["goal"]) if sizes[goal] > 1]
    if not goals:
        return Markup()
    with house_figure(1, height=3.0) as (figure, (axes,)):
        figure.set_size_inches(6, 3.0)
        for goal, colour, marker in zip(goals, (BLUE, VERMILION), "os", strict=False):
            rows = table[table["goal"] == goal]
            axes.plot(
                rows["annotators"], rows["cost"], marker=marker, color=colour, label=plain(goal, 80)
            )
        unit = f" in {plain(found.currency)}" if found.currency else ""
        axes.set(xlabel="labels per item", ylabel=f"cost{unit}", ylim=(0, None))
        axes.legend()
        figure.patch.set_visible(False)
        return figures.inline_svg(figure, "cost-curve")


def _information_plot(following: pd.DataFrame) -> Markup:
    bits = following["information"].to_numpy()
    with house_figure(1, height=2.6) as (figure, (axes,)):
        figure.set_size_inches(6, 2.6)
        axes.fill_between(range(1, len(bits) + 1), bits, color=BLUE, alpha=0.25, linewidth=0)
        axes.plot(range(1, len(bits) + 1), bits, color=BLUE)
        axes.set(
            xlabel="items, most informative first",
            ylabel="expected information, bits",
            xlim=(0, len(bits) + 1),
            ylim=(0, None),
        )
        figure.patch.set_visible(False)
        return figures.inline_svg(figure, "information-curve")
