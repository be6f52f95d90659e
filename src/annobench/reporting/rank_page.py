"""The page of `annobench rank`: a ranking by pairwise judgements, and who judged."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from annobench.core.texts import plural
from annobench.pairwise import BradleyTerry, Comparisons
from annobench.pairwise.comparisons import TIE
from annobench.reporting import figures, pages
from annobench.reporting.formats import percent

__all__ = ["render"]

#: Items and annotators that are shown.
MAX_ITEMS: Final = 60
MAX_ANNOTATORS: Final = 40
#: Items up to which wins are shown pair by pair.
MAX_IN_MAP: Final = 20


def render(found: BradleyTerry, comparisons: Comparisons, *, source: str) -> str:
    """Render the page of a ranking.

    Parameters
    ----------
    found : BradleyTerry
        The strengths.
    comparisons : Comparisons
        The comparisons from which they were estimated.
    source : str
        Source of the comparisons, such as the name of the file.

    Returns
    -------
    str
        HTML with its style and plots inside.
    """
    rows = pages.records(found.table.head(MAX_ITEMS))
    for row in rows:
        row["estimate"] = row["strength"] if math.isfinite(row["strength"]) else math.nan
    annotators = [] if found.annotators is None else pages.records(found.annotators)
    return pages.render(
        "rank.html.j2",
        title=f"Ranking: {source}",
        source=source,
        facts=_facts(found, comparisons),
        cautions=list(found.cautions),
        rows=rows,
        total=len(found.table),
        plot=figures.estimates("strengths-plot", rows, _limits(rows)),
        level=percent(found.level),
        ties=found.tie > 0,
        sentences=found.sentences,
        remarks=comparisons.remarks,
        first=found.first,
        biased=found.biased,
        clusters=found.n_clusters,
        annotators=annotators[:MAX_ANNOTATORS],
        n_annotators=len(annotators),
        reliable=any(row["reliability"] == row["reliability"] for row in annotators),
        map=_map(found, comparisons),
    )


def _facts(found: BradleyTerry, of: Comparisons) -> list[tuple[str, str, str]]:
    pairs = {(min(a, b), max(a, b)) for a, b in zip(of.left, of.right, strict=True)}
    possible = of.n_items * (of.n_items - 1) // 2
    n_ties = round(float(of.weights @ (of.outcome == TIE)))
    facts = [
        (f"{of.n_items:,}", plural(of.n_items, "item"), "that are ranked"),
        (
            f"{of.n_comparisons:,}",
            plural(of.n_comparisons, "comparison"),
            f"of {len(pairs):,} of {possible:,} pairs",
        ),
        (f"{n_ties:,}", plural(n_ties, "tie"), f"{percent(n_ties / of.n_comparisons)} of them"),
    ]
    if found.annotators is not None:
        n = len(of.annotators)
        facts.append((f"{n:,}", plural(n, "annotator"), "who compared"))
    return facts


def _limits(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return round limits that enclose the finite interval limits."""
    ends = np.array([[row["lower"], row["upper"]] for row in rows], dtype=float)
    largest = float(np.abs(ends[np.isfinite(ends)]).max(initial=1.0))
    step = 0.5 if largest < 3 else 1.0 if largest < 8 else 5.0
    end = step * math.ceil(largest / step)
    return -end, end


def _map(found: BradleyTerry, of: Comparisons) -> dict[str, Any] | None:
    """Lay out the share of wins of each item over each other item."""
    k = of.n_items
    if k > MAX_IN_MAP:
        return None
    points, total = np.zeros((k, k)), np.zeros((k, k))
    for a, b, won in (
        (of.left, of.right, 1 - of.outcome / 2),
        (of.right, of.left, of.outcome / 2),
    ):
        np.add.at(points, (a, b), won * of.weights)
        np.add.at(total, (a, b), of.weights)
    names = found.table["item"].tolist()
    order = [of.items.index(name) for name in names]
    placed = np.ix_(order, order)
    share = np.divide(points, total, out=np.full((k, k), math.nan), where=total > 0)
    return figures.heat_map(
        "", share[placed], names, names, total[placed], 0.0, as_percent=True, of="comparison"
    )
