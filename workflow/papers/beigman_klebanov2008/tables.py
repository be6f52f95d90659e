"""The tables of Beigman Klebanov et al. (2008) that rest on printed numbers alone."""

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.stats

from annobench.noise.reliability_threshold import poisson_binomial_pmf, threshold

from .printed import HALF, SUBSETS, Printed
from .values import intervals


def chance_rates(printed: Printed) -> pd.DataFrame:
    """List, for every type, how often coins give at least k marks, and how many paragraphs."""
    n, n_items = printed.count("n_annotators"), printed.count("n_paragraphs")
    k, parts = np.arange(1, n + 1), []
    for name, percent in printed.table1["marked"].items():
        lower, chance, upper = (
            threshold([p / 100] * n, level=0.999).chance[k]
            for p in (percent - 0.05, percent, percent + 0.05)
        )
        part = pd.DataFrame({"type": name, "marked_percent": percent, "marks_at_least": k})
        part = part.assign(chance=chance, chance_lower=lower, chance_upper=upper)
        parts.append(part.assign(expected_paragraphs=n_items * chance))
    return pd.concat(parts)


def unequal_rates(printed: Printed) -> pd.DataFrame:
    """Find how unequal nine rates of Table 1's mean may be for section 3's probabilities.

    With m annotators of one rate and the others of another, both are as far apart as the
    printed .0045 allows; the mean is the largest that prints as 4.0%, which allows most.
    """
    n = printed.count("n_annotators")
    mean = (printed.table1["marked"].max() + 0.05) / 100
    # Anything below this does not print as the .0045 of section 3, of four decimals.
    wanted = printed.design["chance_of_three"] - HALF * 1e-4

    def rates(high: float, m: int) -> np.ndarray:
        return np.array([high] * m + [(n * mean - m * high) / (n - m)] * (n - m))

    def excess(high: float, m: int) -> float:
        return poisson_binomial_pmf(rates(high, m))[3:].sum() - wanted

    rows = []
    for m in range(1, n):
        highest = n * mean / m
        if excess(highest, m) <= 0:
            highest = scipy.optimize.brentq(excess, mean, highest, args=(m,))
        both = rates(highest, m)
        pmf = poisson_binomial_pmf(both)
        rows.append(
            {"annotators_of_high_rate": m, "high_percent": 100 * both[0]}
            | {"low_percent": 100 * both[-1], "standard_deviation": 100 * both.std()}
            | {"at_least_3": pmf[3:].sum(), "at_least_4": pmf[4:].sum(), "none": pmf[0]}
        )
    return pd.DataFrame(rows)


def delays(printed: Printed) -> pd.DataFrame:
    """List the delays from production to validation that any order of installments allows.

    An annotator sees each installment once in both, so the mean over installments is the
    same in any order.
    """
    gap, more = printed.count("gap_weeks"), printed.count("n_weeks") - 1
    rows = [("start to start", 1 + gap), ("end to start", gap)]
    table = pd.DataFrame(rows, columns=["reading", "shortest_weeks"])
    shortest = table["shortest_weeks"]
    return table.assign(mean_weeks=shortest + more, longest_weeks=shortest + 2 * more)


def tests(printed: Printed) -> pd.DataFrame:
    """Test differences of acceptance, with paragraphs and with votes as the unit."""
    spread = intervals(printed)
    accept = spread["percent"].where(spread["table"] != "table4", 100 - spread["percent"])
    share = spread.assign(share=accept / 100).set_index(["table", "subset", "type"])
    pairs = (
        ("random against unreliable", ("table2", "random"), ("table2", "unreliable")),
        ("unreliable against reliable", ("table2", "unreliable"), ("table2", "reliable")),
        ("unreliable: others' against own", ("table3", "unreliable"), ("table4", "unreliable")),
        ("reliable: others' against own", ("table3", "reliable"), ("table4", "reliable")),
    )
    units = {"p_paragraphs": 1, "p_votes": printed.count("n_validators")}
    rows = []
    for name, first, second in pairs:
        known = {u: n for u, n in units.items() if n == 1 or first[0] == second[0] == "table2"}
        for type_ in [*printed.types, "all"]:
            cells = share.loc[[(*first, type_), (*second, type_)]]
            one, two = 100 * cells["share"]
            p = {u: scipy.stats.fisher_exact(counts_of(cells, n)).pvalue for u, n in known.items()}
            rows.append({"test": name, "type": type_, "first": one, "second": two} | p)
    for subset in SUBSETS:
        cells = share.loc[[("table2", subset, type_) for type_ in printed.types]]
        found = {u: scipy.stats.chi2_contingency(counts_of(cells, n)) for u, n in units.items()}
        ends = {"first": 100 * cells["share"].min(), "second": 100 * cells["share"].max()}
        rows.append(
            {"test": f"{subset}: types differ (chi-square)", "type": "all"}
            | (ends | {unit: test.pvalue for unit, test in found.items()})
        )
    return pd.DataFrame(rows)


def counts_of(cells: pd.DataFrame, votes: int) -> np.ndarray:
    """Return accepted and rejected counts, one row per cell."""
    n = cells["n"].to_numpy() * votes
    accepted = np.round(cells["share"].to_numpy() * n).astype(int)
    return np.column_stack([accepted, n - accepted])
