"""Coefficients of agreement, as `annobench report` prints them by default."""

from functools import cache, partial

import numpy as np

from annobench.agreement.coefficients import discover
from annobench.agreement.result import Agreement
from annobench.labels.annotations import Annotations
from studies.intervals.case import Case
from studies.intervals.crowds import Crowd

#: Each of the first crowd's pairs of annotators shares four items, of the second's about one.
CROWDS = (
    Crowd(400, 45, 5, (0.5, 0.3, 0.2)),
    Crowd(200, 20, 2, (0.6, 0.4), unequal=True),
    Crowd(300, 8, 3, (0.95, 0.05)),
)
COEFFICIENTS = (
    "brennan_prediger",
    "conger_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha",
    "light_kappa",
    "percent_agreement",
)
COMPLETE = Crowd(200, 6, 6, (0.5, 0.3, 0.2))


def cases() -> list[Case]:
    """List the coefficients of any number of annotators on each crowd."""
    rows = [(name, crowd) for name in COEFFICIENTS for crowd in CROWDS]
    return [
        Case(f"report.{name}", crowd.words, "coverage", (0.93, 0.97), partial(_trial, name, crowd))
        for name, crowd in [*rows, ("light_kappa", COMPLETE)]
    ]


def _coefficient(name: str, annotations: Annotations) -> Agreement:
    function = getattr(discover()[name], name)
    result: Agreement = function(annotations)
    return result


@cache
def _truth(name: str, crowd: Crowd) -> float:
    return crowd.in_the_long_run(lambda annotations: _coefficient(name, annotations).estimate)


def _trial(name: str, crowd: Crowd, rng: np.random.Generator) -> tuple[float, ...]:
    interval = _coefficient(name, crowd.draw(rng)).interval("analytic")
    return interval.lower, interval.upper, _truth(name, crowd)
