"""Intraclass correlations of `annobench report`, with annotators who are fixed or a sample."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench.agreement import icc
from annobench.labels.annotations import Annotations
from studies.intervals.case import Case

#: Standard deviations of items, of annotators' means, and of errors.
ITEMS, ANNOTATORS, ERRORS = 1.0, 0.5, 0.7
FIXED: dict[str, Any] = {"model": "two-way-mixed"}
RANDOM: dict[str, Any] = {"model": "two-way-random"}


def cases() -> list[Case]:
    """List ICC(A,1) and ICC(A,k) by what is random."""
    rows = [
        ("report.icc_fixed", FIXED, n, ratings)
        for n in (30, 400)
        for ratings in ("single", "average")
    ]
    rows += [("report.icc_random", RANDOM, n, "single") for n in (30, 400)]
    return [
        Case(
            interval,
            f"{n} items, 5 annotators, {ratings} ratings",
            "coverage",
            (0.93, 0.97),
            partial(_trial, options | {"ratings": ratings}, n),
        )
        for interval, options, n, ratings in rows
    ]


def _trial(options: dict[str, Any], n: int, rng: np.random.Generator) -> tuple[float, ...]:
    fixed = options["model"] == "two-way-mixed"
    mean = np.random.default_rng(1).standard_normal(5) if fixed else rng.standard_normal(5)
    mean = ANNOTATORS * mean
    label = ITEMS * rng.standard_normal((n, 1)) + mean + ERRORS * rng.standard_normal((n, 5))
    interval = icc(Annotations.from_wide(label, scale="interval"), **options).interval()
    single = ITEMS**2 / (ITEMS**2 + _variance(mean, fixed) + ERRORS**2)
    truth = single if options["ratings"] == "single" else 5 * single / (1 + 4 * single)
    return interval.lower, interval.upper, truth


def _variance(mean: NDArray[np.float64], fixed: bool) -> float:
    """Return the variance of annotators' means: of these, or of all."""
    return float(mean.var(ddof=1)) if fixed else ANNOTATORS**2
