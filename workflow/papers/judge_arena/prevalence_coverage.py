"""Empirical coverage of intervals of a prevalence behind a judge that errs.

Studies are drawn from a prevalence, a sensitivity and a specificity: gold items at random, and
others of which only the judge's label is known. Of each method of `annobench.judges.prevalence` the
share of intervals that contain the prevalence is counted, and their width.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from annobench.judges.prevalence import METHODS, JudgedCounts
from annobench.resampling.proportions import proportion_interval


class Cell(NamedTuple):
    """What studies are drawn from.

    Attributes
    ----------
    prevalence, sensitivity, specificity : float
        In [0, 1].
    n_gold, n_others : int
        Items with a gold category and without.
    """

    prevalence: float
    sensitivity: float
    specificity: float
    n_gold: int
    n_others: int


def measure_prevalence_coverage(
    cells: Iterable[Cell],
    *,
    repetitions: int = 500,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> pd.DataFrame:
    """Measure how often the intervals contain the prevalence.

    Parameters
    ----------
    cells : iterable of Cell
        What studies are drawn from.
    repetitions : int, default 500
        Studies of each cell.
    level : float, default 0.95
        Of the intervals.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    DataFrame
        One row a cell and method: the cell, youden, method, n_defined (studies with an interval),
        coverage (of all studies; one without an interval does not contain it) with Wilson's 95%
        interval (lower, upper), bias and root_mean_square_error of the estimates that are defined,
        width (median of the intervals).

    Examples
    --------
    >>> cell = Cell(0.3, 0.9, 0.9, 100, 1_000)
    >>> table = measure_prevalence_coverage([cell], repetitions=20, rng=1)
    >>> table["method"].tolist()
    ['judged', 'gold', 'rogan_gladen', 'ppi', 'ppi_plus', 'joint']
    """
    generator = np.random.default_rng(rng)
    rows = []
    for cell in cells:
        studies = list(_draw(cell, repetitions, generator))
        for name, method in METHODS.items():
            found = np.array(
                [
                    (each.estimate, each.lower, each.upper)
                    for each in (method(counts, level) for counts in studies)
                ]
            )
            defined = np.isfinite(found).all(axis=1)
            estimate, lower, upper = found[defined].T
            covers = int(((lower <= cell.prevalence) & (cell.prevalence <= upper)).sum())
            coverage = proportion_interval(covers, repetitions)
            error = estimate - cell.prevalence
            rows.append(
                {
                    **cell._asdict(),
                    "youden": cell.sensitivity + cell.specificity - 1,
                    "method": name,
                    "n_defined": int(defined.sum()),
                    "coverage": coverage.estimate,
                    "lower": coverage.lower,
                    "upper": coverage.upper,
                    "bias": float(error.mean()) if error.size else np.nan,
                    "root_mean_square_error": (
                        float(np.sqrt((error**2).mean())) if error.size else np.nan
                    ),
                    "width": float(np.median(upper - lower)) if error.size else np.nan,
                }
            )
    return pd.DataFrame(rows)


def _draw(cell: Cell, repetitions: int, rng: np.random.Generator) -> Iterable[JudgedCounts]:
    theta, q1, q0 = cell[:3]
    chance = [theta * q1, theta * (1 - q1), (1 - theta) * (1 - q0), (1 - theta) * q0]
    gold = rng.multinomial(cell.n_gold, chance, size=repetitions)
    judged = rng.binomial(cell.n_others, chance[0] + chance[2], size=repetitions)
    for counts, positive in zip(gold, judged, strict=True):
        tp, fn, fp, tn = map(int, counts)
        yield JudgedCounts(tp, fn, fp, tn, int(positive), int(cell.n_others - positive))
