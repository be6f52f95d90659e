"""Tests of `annobench report --over` and `--by`, on crowds that do not change."""

from collections.abc import Callable
from functools import partial

import numpy as np

from annobench.agreement.groups import by_group
from annobench.agreement.over_time import over_time
from annobench.labels.annotations import Annotations
from studies.intervals.case import Case
from studies.intervals.crowds import Crowd

CROWDS = (
    Crowd(300, 5, 3, (0.5, 0.3, 0.2)),
    Crowd(300, 12, 2, (0.9, 0.1)),
    Crowd(150, 8, 3, (0.95, 0.05), unequal=True),
)
#: Shares of the items in groups.
GROUPS = (0.6, 0.2, 0.15, 0.05)


def cases() -> list[Case]:
    """List the test of alpha's trend, that of one annotator's, and that of groups."""
    tests: dict[str, Callable[[Annotations, np.random.Generator], float]] = {
        "report.trend_of_alpha": _trend_of_alpha,
        "report.trend_of_an_annotator": _trend_of_an_annotator,
        "report.groups": _groups,
    }
    rows = [
        Case(name, crowd.words, "level", (0.04, 0.06), partial(_p_value, test, crowd))
        for name, test in tests.items()
        for crowd in CROWDS
    ]
    return rows + [
        Case(
            "report.agreement_of_an_annotator",
            crowd.words,
            "coverage",
            (0.93, 1.0),
            partial(_band, crowd),
        )
        for crowd in CROWDS[:2]
    ]


def _band(crowd: Crowd, rng: np.random.Generator) -> tuple[float, ...]:
    """Return the first annotator's band in a window, and the probability of agreement."""
    annotations = crowd.draw(rng)
    bands = over_time(annotations, annotations.item.astype(float)).annotators
    band = bands[bands["annotator"] == "0"].iloc[0]
    right, others = crowd.right[0], np.delete(crowd.right, 0).mean()
    both_wrong = (1 - right) * (1 - others) / (len(crowd.shares) - 1)
    return band["lower"], band["upper"], right * others + both_wrong


def _p_value(
    test: Callable[[Annotations, np.random.Generator], float],
    crowd: Crowd,
    rng: np.random.Generator,
) -> tuple[float]:
    return (test(crowd.draw(rng), rng),)


def _trend_of_alpha(annotations: Annotations, _: np.random.Generator) -> float:
    return over_time(annotations, annotations.item.astype(float)).p_value


def _trend_of_an_annotator(annotations: Annotations, rng: np.random.Generator) -> float:
    trends = over_time(annotations, annotations.item.astype(float)).trends
    return float(rng.choice(trends["p_value"]))


def _groups(annotations: Annotations, rng: np.random.Generator) -> float:
    groups = rng.choice(len(GROUPS), size=annotations.n_items, p=GROUPS)
    return by_group(annotations, groups, of="items").p_value
