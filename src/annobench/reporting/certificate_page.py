"""A certificate of a gold standard as one page that opens offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from annobench.labels.annotations import Annotations
from annobench.noise.certificate import Certificate
from annobench.reporting import figures, pages, report_page
from annobench.reporting.pages import records

__all__ = ["render"]

#: Hard items that are listed.
MAX_ITEMS: Final = 20
#: From which probability of being hard an item counts as hard.
HARD: Final = 0.5


def render(
    found: Certificate,
    hard: pd.DataFrame,
    annotations: Annotations,
    *,
    source: str,
    remarks: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
    commands: Mapping[str, str] | None = None,
) -> str:
    """Render the page of a certificate.

    Parameters
    ----------
    found : Certificate
        The bound on guesses among the retained labels.
    hard : DataFrame
        The result of `annobench.noise.hard_items`.
    annotations : Annotations
        The labels.
    source : str
        Source of the labels, such as the name of the file.
    remarks : sequence of str
        How the labels were prepared.
    texts : mapping of str to str, optional
        What annotators saw, by item.
    commands : mapping of str to str, optional
        How `report_page.FOLLOWING` are typed for these labels; by default with the source as the
        file.

    Returns
    -------
    str
        HTML with its style and plots inside.
    """
    rules = records(found.rules)
    certified = [row for row in rules if row["n_guesses"] < row["n_retained"]]
    return pages.render(
        "certificate.html.j2",
        title=f"Certificate: {source}",
        source=source,
        found=found,
        facts=report_page.facts(annotations),
        cautions_of=[*remarks, *found.remarks],
        rules=rules,
        lowest=min(certified, key=lambda row: row["rate"], default=None),
        differences=found.n_guesses < found.n_retained,
        n_hard=int((hard["probability"] >= HARD).sum()),
        hard=records(hard.head(MAX_ITEMS)),
        n_items=len(hard),
        histogram_svg=figures.distribution(
            "hard-histogram",
            hard["probability"],
            (0.0, 1.0),
            of="items",
            over="probability of being hard",
        ),
        texts=texts or {},
        commands=commands or report_page.following(source),
    )
