"""Section 4.1: differences between two classifiers that guesses explain."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats

from annobench.noise import easy_hard
from annobench_replication.rounding import Rounded, propagate
from annobench_replication.rows import Value

from .printed import Printed


def methods() -> dict[str, tuple[str, float]]:
    """Return how a difference is bounded: method, and share of differing answers."""
    return {
        "Chebyshev": ("chebyshev", 0.5),
        "normal": ("normal", 0.5),
        "exact": ("exact", 0.5),
        "exact, all answers differ": ("exact", 1.0),
        "exact, averaged over Equation 1": ("exact", 0.5),
        "exact, averaged, all differ": ("exact", 1.0),
        "Chebyshev, all answers differ": ("chebyshev", 1.0),
    }


def difference(
    name: str, hard: int | easy_hard.HardItems, n_kept: int, level: float
) -> easy_hard.ChanceDifference:
    """Bound the chance difference by a method."""
    method, differ = methods()[name]
    return easy_hard.chance_difference(hard, n_kept, level=level, differ=differ, method=method)


def values(printed: Printed, table: pd.DataFrame) -> dict[str, Value]:
    """Compute the chance difference of two classifiers as section 4.1 does."""
    right, level = printed.numbers["coin"], printed.level  # of a guess, for either classifier
    p_step, p_tie = right * (1 - right), right**2 + (1 - right) ** 2
    mean = p_step * 1 + p_step * -1
    variance = 2 * p_step - mean**2
    hard, size = (int(table.loc["two", name]) for name in ("bound", "n_agreed"))
    bound = partial(easy_hard.chance_difference, level=level, differ=2 * p_step, method="chebyshev")
    found, larger = bound(hard, size), bound(4 * hard, 4 * size)
    slope = np.log(larger.standard_deviation / found.standard_deviation) / np.log(4)
    norm = scipy.stats.norm

    def promised(name: str, share: Callable[[float], float]) -> Rounded:
        return propagate(lambda x: 100 * share(x[0]), [printed.texts[f"{name}_multiple"]])

    return {
        "difference.p_step": 4 * p_step,
        "difference.p_tie": 2 * p_tie,
        "difference.mean": mean,
        "difference.variance_divisor": 1 / variance,
        "chebyshev.multiple": 1 / np.sqrt(1 - level),
        "normal.multiple": norm.isf((1 - level) / 2),
        "test.difference": found.n_items,
        "test.difference_rate": 100 * found.rate,
        "test.scale_exponent": slope,
        "test.rate_exponent": slope - 1,
        "chebyshev.level": promised("chebyshev", lambda x: 1 - x**-2),
        "normal.level": promised("normal", lambda x: 2 * float(norm.cdf(x)) - 1),
    }


def differences(printed: Printed) -> pd.DataFrame:
    """Bound the chance difference in every project by each method."""
    rows = []
    for case in printed.projects.itertuples():
        found = easy_hard.hard_given_agreed(case.n_items, case.n_disagreed, case.chance)
        bound = found.upper(printed.level)
        for name in methods():
            hard = found if "averaged" in name else bound
            limit = difference(name, hard, found.n_kept, printed.level)
            rows.append(
                {"case": case.Index, "n_kept": found.n_kept, "n_hard": bound, "method": name}
                | {"items": limit.n_items, "percent": 100 * limit.rate, "tail": limit.tail}
            )
    return pd.DataFrame(rows)


def other_methods(table: pd.DataFrame) -> dict[Any, dict[Any, float]]:
    """Return the chance difference of section 4.1 by other methods, by method and target."""
    targets = {"items": "test.difference", "percent": "test.difference_rate"}
    two = table[table["case"] == "two"].set_index("method").rename(columns=targets)
    return two.drop("Chebyshev")[list(targets.values())].to_dict("index")


def taggers(printed: Printed) -> pd.DataFrame:
    """Find how much noise would explain the spread of the eight taggers of footnote 10."""
    size = int(printed.numbers["wsj_n_items"])
    spread = (printed.numbers["wsj_highest"] - printed.numbers["wsj_lowest"]) / 100
    wanted = round(spread * size)
    rows = []
    for name in (name for name in methods() if "averaged" not in name):
        low, high = 0, size  # `high` guesses explain the spread, `low` do not
        while high - low > 1:
            middle = (low + high) // 2
            found = difference(name, middle, size, printed.level)
            low, high = (low, middle) if found.n_items >= wanted else (middle, high)
        rows.append(
            {"method": name, "n_items": size, "difference": wanted, "n_hard": high}
            | {"noise_percent": 100 * high / size}
        )
    return pd.DataFrame(rows)
