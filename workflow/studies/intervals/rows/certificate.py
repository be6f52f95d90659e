"""P-values of hard items, as `annobench certificate` lists them."""

from functools import partial

import numpy as np

from annobench.labels.annotations import Annotations
from annobench.noise.certificate import EASY_RATE
from annobench.noise.hard_items import hard_items
from studies.intervals.case import Case

#: Items with the rate of easy ones, and others with higher rates.
AT_RATE, ABOVE = 50, 50


def cases() -> list[Case]:
    """List numbers of labels per item."""
    return [
        # The count is discrete and the largest of two, so that fewer are rejected.
        Case(
            "certificate.hard_items",
            f"100 items, {n} labels per item, three categories, half with the rate of easy items",
            "level",
            (0.0, 0.06),
            partial(_trial, n),
        )
        for n in (12, 20, 40)
    ]


def _trial(n: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Return the p-value of an item with the rate of easy ones."""
    rate = np.r_[np.full(AT_RATE, EASY_RATE), rng.uniform(EASY_RATE, 1, ABOVE)]
    counts = rng.multinomial(n, np.column_stack([rate, (1 - rate) / 2, (1 - rate) / 2]))
    labels = Annotations.from_counts(counts)
    table = hard_items(labels)
    at_rate = table["item"].isin(labels.items[:AT_RATE])
    return (float(rng.choice(table.loc[at_rate, "p_value"])),)
