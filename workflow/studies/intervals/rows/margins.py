"""Margins of pairs of annotators, as `annobench report` compares them.

Annotators of equal accuracy use the categories equally often, so that every difference is 0.
"""

from functools import partial

import numpy as np

from annobench.agreement.marginal_homogeneity import MarginalHomogeneity, marginal_homogeneity
from studies.intervals.case import Case
from studies.intervals.crowds import Crowd

EQUAL = (0.8, 0.8)
#: Pairs share 120, about 21 and about 32 items; errors make the rare category .22 of the labels.
CROWDS = (
    Crowd(120, 4, 4, (0.5, 0.3, 0.2), EQUAL),
    Crowd(200, 8, 3, (0.5, 0.3, 0.2), EQUAL),
    Crowd(300, 8, 3, (0.97, 0.03), (0.95, 0.95)),
)
#: As in the report.
MIN_ITEMS = 10


def cases() -> list[Case]:
    """List the tests of pairs, and the intervals by category."""
    rows = []
    for crowd in CROWDS:
        # The test of two categories is exact, and so rejects less often than its level.
        level = (0.03, 0.07) if len(crowd.shares) > 2 else (0.0, 0.07)
        rows += [
            Case("report.margins", crowd.words, "level", level, partial(_pair, crowd)),
            # Holm's method is conservative.
            Case(
                "report.margins_adjusted",
                crowd.words,
                "level",
                (0.0, 0.07),
                partial(_adjusted, crowd),
            ),
            Case(
                "report.margins_by_category",
                crowd.words,
                "coverage",
                (0.93, 0.97),
                partial(_category, crowd),
            ),
        ]
    return rows


def _margins(crowd: Crowd, rng: np.random.Generator) -> MarginalHomogeneity:
    return marginal_homogeneity(crowd.draw(rng), min_items=MIN_ITEMS)


def _pair(crowd: Crowd, rng: np.random.Generator) -> tuple[float, ...]:
    return (float(rng.choice(_margins(crowd, rng).pairs["p_value"])),)


def _adjusted(crowd: Crowd, rng: np.random.Generator) -> tuple[float, ...]:
    return (float(_margins(crowd, rng).pairs["p_adjusted"].min()),)


def _category(crowd: Crowd, rng: np.random.Generator) -> tuple[float, ...]:
    table = _margins(crowd, rng).categories
    row = table.iloc[int(rng.integers(len(table)))]
    return row["lower"], row["upper"], 0.0
