"""Sections 3.1, 3.2 and 5.3: how many of the agreed items are guesses, by Equation 1."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats

from annobench.noise import easy_hard
from annobench_replication.ledger import Computed
from annobench_replication.rounding import propagate
from annobench_replication.rows import value_row

from .printed import FAIR, NAMES, Printed


def exact_tail(n_items: int, n_disagreed: int, chance: Fraction, bound: int) -> Fraction:
    """Compute P(more than `bound` guesses among the agreed) in whole numbers alone."""
    weights = [Fraction(1)]
    for j in range(1, n_items - n_disagreed + 1):
        weights.append(weights[-1] * chance * Fraction(n_disagreed + j, j))
    return sum(weights[bound + 1 :], Fraction(0)) / sum(weights)


def cases(printed: Printed) -> pd.DataFrame:
    """Bound the noise of every project."""
    rows = []
    for case in printed.projects.itertuples():
        n, d = int(case.n_items), int(case.n_disagreed)
        found = easy_hard.hard_given_agreed(n, d, case.chance)
        t = found.upper(printed.level)
        low, high = found.interval(printed.level)
        normal = 100 * normal_bound(found, printed.level) / (n - d)
        rows.append(
            {"case": case.Index, "n_items": n, "n_disagreed": d, "n_annotators": case.n_annotators}
            | {"chance": case.chance, "n_agreed": n - d, "bound": t}
            | {"rate_percent": 100 * t / (n - d)}
            | {"library_tail_below": found.tail(t - 1), "library_tail": found.tail(t)}
            | {"mean": found.mean, "standard_deviation": found.standard_deviation}
            | {"lower": low, "upper": high, "normal_percent": normal}
        )
    return pd.DataFrame(rows).set_index("case")


def with_exact_tails(table: pd.DataFrame) -> pd.DataFrame:
    """Check the tails around every bound in whole numbers."""
    columns = table[["n_items", "n_disagreed", "chance", "bound"]].itertuples(index=False)
    tails = [
        [float(exact_tail(n, d, Fraction(str(chance)), bound - less)) for less in (1, 0)]
        for n, d, chance, bound in columns
    ]
    below, at = np.transpose(tails)
    exact = table.assign(tail_below_bound=below, tail_at_bound=at)
    return exact.rename(index=NAMES).reset_index(names="project")


def normal_bound(found: easy_hard.HardItems, level: float) -> float:
    """Bound the guesses by a normal distribution with the posterior's mean and deviation."""
    return found.mean + float(scipy.stats.norm.ppf(level)) * found.standard_deviation


def reading(
    bound: Callable[..., float] = easy_hard.HardItems.upper,
    prior: Callable[..., np.ndarray] | None = None,
    shift: int = 0,
    **level: float,
) -> Callable[[int, int, float], float]:
    """Return what bounds the guesses among n items by another prior, level or rule."""

    def bounded(n: int, d: int, chance: float) -> float:
        weights = None if prior is None else prior(np.arange(n + 1), n)
        return bound(easy_hard.hard_given_agreed(n, d, chance, prior=weights), **level) + shift

    return bounded


def readings(printed: Printed) -> pd.DataFrame:
    """Compute the printed bounds by other readings; none yields every printed value."""
    level, jeffreys = printed.level, partial(scipy.stats.betabinom.pmf, a=0.5, b=0.5)
    ways: dict[str, dict[str, Any]] = {
        "as defined": {},
        "P(X >= t) for P(X > t)": {"shift": 1},
        "largest t with P(X > t) above 5%": {"shift": -1},
        "prior falling as 1/h": {"prior": lambda h, n: 1 / np.maximum(h, 1)},
        "prior rising as h": {"prior": lambda h, n: h},
        "prior of a Jeffreys share": {"prior": jeffreys},
        "equal tails, 2.5% above": {"level": (1 + level) / 2},
        **{f"confidence {percent}%": {"level": percent / 100} for percent in (90, 94, 96, 97)},
        "normal approximation": {"bound": normal_bound},
        "mean instead of bound": {"bound": lambda found, level: found.mean},
    }
    rows = []
    for name, way in ways.items():
        row: dict[str, Any] = {"reading": name}
        bound = reading(**{"level": level} | way)
        for case, n, d, _, chance, _ in printed.scenarios.itertuples():
            found = bound(n, d, chance)
            name = NAMES[case]
            row |= {f"{name}, bound": found, f"{name}, percent": 100 * found / (n - d)}
        n, chance = (printed.scenarios.loc["two", column] for column in ("n_items", "chance"))
        passing = [d for d in range(100) if bound(n, d, chance) / (n - d) <= printed.tolerated]
        rows.append(row | {f"{NAMES['reverse']}, disagreements": max(passing)})
    return pd.DataFrame(rows)


def tolerance(printed: Printed) -> pd.DataFrame:
    """Find the most disagreements that leave the tolerated noise, by items and annotators."""
    rows = []
    for j in (2, 3, 4, 5):
        chance = easy_hard.agreement_chance(FAIR, j)
        # For ever more items the hidden guesses are d p / (1 - p) of n - d.
        odds = printed.tolerated * (1 - chance) / chance
        for n in np.geomspace(100, 100_000, 61).round().astype(int):
            d = printed.largest_disagreement(n, chance)
            rows.append(
                {"n_annotators": j, "chance": chance, "n_items": n, "n_disagreed": d}
                | {"share": d / n if d >= 0 else np.nan, "limit": odds / (1 + odds)}
            )
    return pd.DataFrame(rows)


def rates(table: pd.DataFrame, printed: Printed) -> list[Computed]:
    """Return the bound and the noise rate of each project; the interval is of the guesses."""
    again = {"two": ("two.rate_restated", "adding.two_rate")}
    rows = []
    for case in table.drop("reverse").itertuples():
        share, rounding = 100 / case.n_agreed, rounding_of_rate(printed, case.Index)
        found = case.rate_percent, share * case.lower, share * case.upper
        for target in (f"{case.Index}.rate", *again.get(case.Index, ())):
            rows.append(replace(value_row(target, found, level=printed.level), **rounding))
    found = tuple(table.loc["two", ["bound", "lower", "upper"]])
    return rows + [value_row(t, found, level=printed.level) for t in ("two.upper", "test.n_hard")]


def rounding_of_rate(printed: Printed, case: str) -> dict[str, float]:
    """Return the range of a noise rate over the chances that round to the printed one, if any."""
    n, d, text = printed.scenarios.loc[case, ["n_items", "n_disagreed", "printed_chance"]]
    if not text:
        return {}
    found = propagate(lambda x: 100 * printed.bound(n, d, x[0]).rate, [str(text)])
    return {"rounding_lower": found.lower, "rounding_upper": found.upper}


def values(table: pd.DataFrame, printed: Printed) -> dict[str, float]:
    """Return what else sections 3.1, 3.2 and 5.3 say of their projects."""
    two, five, adding = (table.loc[name] for name in ("two", "five", "adding"))
    n_easy = printed.numbers["n_easy"]
    n_hard = int(adding["n_items"] - n_easy)
    agreed = int((n_hard + 1) * adding["chance"])  # the mode of a binomial distribution
    coins = np.linspace(0.02, 0.98, 49)
    by_number = [[easy_hard.agreement_chance(q, j) for j in range(2, 11)] for q in coins]
    return {
        "two.n_disagreed": two["n_disagreed"],
        "two.chance": two["chance"],
        "two.upper_tail": 100 * two["library_tail_below"],
        "reverse.n_disagreed": table.loc["reverse", "n_disagreed"],
        "five.chance": five["chance"],
        "five.n_disagreed": five["n_disagreed"],
        "adding.chance": adding["chance"],
        "adding.n_agreed": n_easy + agreed,
        "adding.chance_change": np.diff(by_number, axis=1).max(),
        "adding.removed": 100 * (1 - adding["chance"] / two["chance"]),
    }


def other_methods(
    table: pd.DataFrame, counts: pd.DataFrame, printed: Printed
) -> dict[str, dict[Any, float]]:
    """Return better methods, and readings that yield printed values, by method and target."""
    two, adding = table.loc["two"], table.loc["adding"]
    found = easy_hard.noise_bound(
        adding["n_items"], adding["n_disagreed"], adding["chance"], level=(1 + printed.level) / 2
    )
    fewer = 100 * (table["bound"] - 1) / table["n_agreed"]
    normal = table["normal_percent"].drop("reverse").add_suffix(".rate").to_dict()
    smallest = counts[counts["estimate"] == "least"]["rate_percent"].max()
    removed = 100 * (1 - adding["bound"] / two["bound"])
    return {
        "one guess fewer than the bound": fewer[["two", "adding"]].add_suffix(".rate").to_dict(),
        "normal approximation, bound not rounded up": normal,
        "equal tails, 2.5% above": {"adding.rate": 100 * found.rate},
        "least chance that the shares allow": {"pv.rate": smallest},
        "bounds instead of expectations": {"adding.removed": float(removed)},
    }


def annotators(printed: Printed) -> pd.DataFrame:
    """Let 2 to 9 annotators label the project of section 5.3, kept by unanimity or majority."""
    n = int(printed.scenarios.loc["adding", "n_items"])
    n_hard = n - int(printed.numbers["n_easy"])
    rows = []
    for j in range(2, 10):
        chance = easy_hard.agreement_chance(FAIR, j)
        alike = int((n_hard + 1) * chance)
        rules = {j - 1: "all but one", j // 2 + 1: "majority", j: "all"}
        for kept in sorted((k for k in rules if k > j / 2), reverse=True):
            survives = easy_hard.agreement_chance(FAIR, j, kept=kept)
            split = int((n_hard - alike) * (survives - chance) / (1 - chance) + 0.5)
            found = easy_hard.hard_given_agreed(n, n_hard - alike, chance, n_split_kept=split)
            differ = easy_hard.chance_difference(found, level=printed.level)
            expected = 100 * n_hard * survives / (n - n_hard * (1 - survives))
            rows.append(
                {"n_annotators": j, "kept_if": kept, "rule": rules[kept], "n_kept": found.n_kept}
                | {"n_disagreed": n_hard - alike, "n_split_kept": split}
                | {"expected_guesses": n_hard * survives, "expected_percent": expected}
                | {"bound": found.upper(printed.level)}
                | {"rate_percent": 100 * found.rate(printed.level)}
                | {"difference": differ.n_items, "difference_percent": 100 * differ.rate}
            )
    return pd.DataFrame(rows)
