"""Coefficients of agreement, as `annobench report` prints them by default."""

from functools import cache, partial

import numpy as np

from annobench.agreement import light_kappa
from studies.intervals.case import Case
from studies.intervals.crowds import Crowd

CROWDS = (
    Crowd(400, 45, 5, (0.5, 0.3, 0.2)),
    Crowd(200, 6, 6, (0.5, 0.3, 0.2)),
)


def cases() -> list[Case]:
    """List the coefficients on each crowd."""
    return [
        Case("report.light_kappa", crowd.words, "coverage", (0.93, 0.97), partial(_trial, crowd))
        for crowd in CROWDS
    ]


@cache
def _truth(crowd: Crowd) -> float:
    return crowd.in_the_long_run(lambda annotations: light_kappa(annotations).estimate)


def _trial(crowd: Crowd, rng: np.random.Generator) -> tuple[float, ...]:
    interval = light_kappa(crowd.draw(rng)).interval("analytic")
    return interval.lower, interval.upper, _truth(crowd)
