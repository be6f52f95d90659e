"""How often an interval covers, and a test rejects, on data sets of one design."""

from __future__ import annotations

import math
import pkgutil
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from annobench.core.errors import AnnotationError
from annobench.reporting.pages import records
from annobench.resampling.proportions import proportion_interval
from studies.intervals.case import Case

ROWS = Path(__file__).with_name("rows")
#: The level of tests, and that of Monte Carlo intervals.
ALPHA, LEVEL = 0.05, 0.95
#: An end that equals the truth but for rounding covers it.
ROUNDING = 1e-12


def all_cases() -> list[Case]:
    """List the cases of all modules in `rows`, in the order of their ids."""
    modules = [
        import_module(f"studies.intervals.rows.{m.name}") for m in pkgutil.iter_modules([str(ROWS)])
    ]
    cases: list[Case] = [case for module in modules for case in module.cases()]
    keys = [(case.interval, case.design) for case in cases]
    if repeated := sorted({key for key in keys if keys.count(key) > 1}):
        raise ValueError(f"studies.intervals.rows: two cases have the same row: {repeated}")
    return sorted(cases, key=lambda case: case.interval)


def measure(case: Case, seed: int, data_sets: int | None = None) -> pd.DataFrame:
    """Try a case on its data sets; the generator is made of the seed and the case's own words."""
    rng = np.random.default_rng([seed, *f"{case.interval} {case.design}".encode()])
    size = min(case.data_sets, data_sets or case.data_sets)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = [_outcome(case, rng) for _ in range(size)]
    defined = np.array([row for row in outcomes if row is not None and not np.isnan(row).any()])
    summary = _mean(defined) if case.kind == "value" else _share(case.kind, defined)
    row = {
        "interval": case.interval,
        "design": case.design,
        "kind": case.kind,
        "data_sets": size,
        "n_undefined": size - len(defined),
    }
    return pd.DataFrame([row | summary])


def _outcome(case: Case, rng: np.random.Generator) -> NDArray[np.float64] | None:
    try:
        return np.atleast_1d(np.asarray(case.trial(rng), dtype=np.float64))
    except AnnotationError:
        return None


def _share(kind: str, defined: NDArray[np.float64]) -> dict[str, float]:
    """Count what covers, or rejects, with Wilson's interval."""
    n = len(defined)
    below = above = 0
    width = math.nan
    if kind == "coverage" and n:
        lower, upper, truth = defined.T
        below = int((upper < truth - ROUNDING).sum())
        above = int((lower > truth + ROUNDING).sum())
        width = float((upper - lower).mean())
        counted = n - below - above
    else:
        counted = int((defined < ALPHA).sum())
    share = proportion_interval(counted, n, level=LEVEL)
    return {
        "value": share.estimate,
        "lower": share.lower,
        "upper": share.upper,
        "n_below": below,
        "n_above": above,
        "width": width,
    }


def _mean(defined: NDArray[np.float64]) -> dict[str, float]:
    """Average a value, with Student's interval."""
    n = len(defined)
    mean = float(defined.mean()) if n else math.nan
    margin = math.nan
    if n > 1:
        margin = float(stdtrit(n - 1, (1 + LEVEL) / 2) * defined.std(ddof=1) / math.sqrt(n))
    return {
        "value": mean,
        "lower": mean - margin,
        "upper": mean + margin,
        "n_below": 0,
        "n_above": 0,
        "width": math.nan,
    }


def judged(table: pd.DataFrame, cases: Sequence[Case]) -> pd.DataFrame:
    """Set beside each row what is wanted, and whether it holds.

    A row holds if its Monte Carlo interval meets what is wanted.
    """
    wanted: dict[tuple[str, str], tuple[float, float]] = {
        (case.interval, case.design): case.wanted for case in cases
    }
    rows: list[dict[str, Any]] = []
    for row in records(table):
        low, high = wanted[row["interval"], row["design"]]
        judgement = {"wanted_lower": low, "wanted_upper": high, "verdict": _verdict(row, low, high)}
        rows.append(row | judgement | {"provenance": "simulated"})
    return pd.DataFrame(rows)


def _verdict(row: Mapping[str, Any], low: float, high: float) -> str:
    if math.isnan(row["value"]):
        return "undefined"
    if row["upper"] < low:
        return "below"
    return "above" if row["lower"] > high else "holds"
