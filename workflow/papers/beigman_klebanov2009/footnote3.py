"""Footnote 3: the chance of agreement from disagreed items alone; and the bound's coverage."""

import numpy as np
import pandas as pd

from annobench.noise import easy_hard
from annobench.reporting.printed import agrees

from .printed import FAIR, Printed


def guess_counts(printed: Printed) -> pd.DataFrame:
    """List counts of one category among the disagreed items whose chance prints as the paper's."""
    n, d = (int(printed.scenarios.loc["pv", name]) for name in ("n_items", "n_disagreed"))
    rows = []
    for count in range(d // 2 + 1):
        found = easy_hard.guess_rate_from_disagreement([count / d, 1 - count / d])
        if agrees(printed.scenarios.loc["pv", "printed_chance"], "eq", found.chance):
            for name, chance in (("footnote 3", found.chance), ("least", found.min_chance)):
                bound = printed.bound(n, d, chance)
                rows.append((count, count / d, name, chance, bound.n_hard, 100 * bound.rate))
    columns = ["count", "share", "estimate", "chance", "bound", "rate_percent"]
    return pd.DataFrame(rows, columns=columns)


def consequences(printed: Printed) -> pd.DataFrame:
    """Follow footnote 3 from true guesses to the noise that it leads to believe in."""
    n = int(printed.scenarios.loc["two", "n_items"])
    n_hard = n - int(printed.numbers["n_easy"])
    coins = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    shared = [(f"{j} annotators, one coin", [q] * j) for j in (2, 3, 5) for q in coins]
    opposed = [("2 annotators, opposed coins", [q, 1 - q]) for q in coins[1:-1]]
    rows = []
    for name, guesses in (*shared, *opposed):
        guess = np.column_stack([guesses, 1 - np.array(guesses)])
        chance, shares = easy_hard.agreement_chance(guess), easy_hard.disagreed_shares(guess)
        estimate = easy_hard.guess_rate_from_disagreement(shares)
        d = round(n_hard * (1 - chance))
        bound = printed.bound(n, d, estimate.chance)
        fitted = easy_hard.fit_guesses(shares).chance if len(guesses) > 2 else np.nan
        more = {"assumed": estimate.chance, "level": printed.level}
        coverage = easy_hard.bound_coverage(n, n_hard, chance, **more)
        rows.append(
            {"guesses": name, "q": guesses[0], "share": shares[0, 0], "true_chance": chance}
            | {"footnote3": estimate.chance, "least_chance": estimate.min_chance}
            | {"fitted": fitted, "n_disagreed": d, "true_guesses": n_hard - d}
            | {"true_percent": 100 * (n_hard - d) / (n - d), "bound": bound.n_hard}
            | {"bound_percent": 100 * bound.rate, "coverage": coverage}
        )
    return pd.DataFrame(rows)


def coverage(level: float, n_items: int) -> pd.DataFrame:
    """Compute the coverage of the bound at every number of hard items of a small project."""
    chances = {j: easy_hard.agreement_chance(FAIR, j) for j in (2, 5)}
    rows = [
        (j, p, n_items, h, easy_hard.bound_coverage(n_items, h, p, level=level))
        for j, p in chances.items()
        for h in range(n_items + 1)
    ]
    columns = ["n_annotators", "chance", "n_items", "n_hard", "coverage"]
    return pd.DataFrame(rows, columns=columns)
