"""Which single label would have to be another one for Tables 2 to 4 to follow from Table 1."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from annobench.labels.annotations import Annotations
from annobench_replication.analysis import Effort
from annobench_replication.ledger import Computed
from annobench_replication.searches import Search, chance, search_rows

from . import values

#: Every change is tried, or one of so many.
EACH = {"full": 1, "quick": 120}
#: Changes that the table lists.
LISTED = 25


class Change(NamedTuple):
    """One label that is replaced: its place among the labels, and the code of the other one."""

    place: int
    code: int


@dataclass(frozen=True, eq=False)
class Found:
    """What the search gives: rows beside the paper's values, a table, and the changes that fit."""

    rows: list[Computed]
    table: pd.DataFrame
    fitting: list[Change]


def single_changes(labels: Annotations) -> Iterator[Change]:
    """List every label with every other category."""
    for place, label in enumerate(labels.label):
        for code in range(labels.n_categories):
            if code != label:
                yield Change(place, code)


def changed(labels: Annotations, change: Change) -> Annotations:
    """Replace one label."""
    label = labels.label.copy()
    label[change.place] = change.code
    return replace(labels, label=label)


def search(
    labels: Annotations, printed: Mapping[str, str], rng: np.random.Generator, effort: Effort
) -> Found:
    """Try every change of one label, and list those that come nearest to the printed values."""
    printed = dict(printed)
    tried = [*single_changes(labels)][:: EACH[effort]]
    fits = [values.fit(labels), *(values.fit(changed(labels, change)) for change in tried)]
    readings = np.array(
        [[found.get(target, np.nan) for target in printed] for found in map(values.estimates, fits)]
    )
    question = Search(tuple(printed.values()), readings)
    off = question.deviations()
    rows = search_rows([*printed], question, chance([question], rng))
    order = np.argsort(off, kind="stable")[:LISTED]
    table = pd.DataFrame([_described(labels, None if n == 0 else tried[n - 1]) for n in order])
    table["largest_deviation"] = off[order]
    table["fits"] = off[order] <= 0.5 * (1 + 1e-9)
    table["log_likelihood"] = [fits[n].log_likelihood for n in order]
    for target, column in zip(printed, readings[order].T, strict=True):
        table[target] = column
    fitting = [tried[n - 1] for n in np.flatnonzero(off <= 0.5 * (1 + 1e-9)) if n]
    return Found(rows, table, fitting)


def _described(labels: Annotations, change: Change | None) -> dict[str, str]:
    if change is None:
        return dict.fromkeys(("patient", "observer", "printed", "in_its_place"), "none")
    place = change.place
    return {
        "patient": labels.items[labels.item[place]],
        "observer": labels.annotators[labels.annotator[place]],
        "printed": labels.categories[labels.label[place]],
        "in_its_place": labels.categories[change.code],
    }


def places(labels: Annotations, copied: Annotations, found: Found) -> dict[str, set[int]]:
    """Return where the copy differs from print, and where a change would fit, by label."""
    same = labels.label.shape == copied.label.shape
    other = np.flatnonzero(labels.label != copied.label) if same else np.array([], dtype=int)
    return {
        "copy": {int(place) for place in other},
        "changed": {change.place for change in found.fitting},
    }
