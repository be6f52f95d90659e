"""Values jointly consistent with the printed tables.

A paragraph has x marks by the seven annotators who validated and y by the two who did not. How
many paragraphs have each x and y must satisfy the counts of Tables 2 to 4, the share of marks
and kappa of Table 1, and the mixture of own and others' marks in Table 2. These are linear
constraints, so that the range of every linear quantity is found exactly.
"""

import numpy as np
import pandas as pd
import scipy.optimize
from scipy.special import comb

from annobench_replication.feasible import Constraints

from .printed import HALF, Printed


def cells_of(printed: Printed) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Return x and y of all cells except (0, 0), and which of them belong to each subset."""
    v, n = printed.count("n_validators"), printed.count("n_annotators")
    x, y = (axis.ravel()[1:] for axis in np.indices((v + 1, n - v + 1)))
    reliable = x + y >= printed.design["threshold"]
    return x, y, {"unreliable": ~reliable, "reliable": reliable}


def own_and_other(printed: Printed, subset: str, name: str) -> tuple[float, float]:
    """Return the percentages of own and of others' marks that were accepted."""
    rejected, other = (printed.cell(table, subset, name)["percent"] for table in (4, 3))
    return 100 - rejected, other


def constrain(
    printed: Printed, name: str, *, table1: tuple[str, ...] = ("marked", "kappa"), mix: bool = True
) -> Constraints:
    """Collect what the tables say of one type; kappa by its outer bounds, so that all is linear."""
    d, (x, y, subsets) = printed.design, cells_of(printed)
    marks, found = x + y, Constraints(x.size)
    n, n_items, validators = d["n_annotators"], d["n_paragraphs"], d["n_validators"]
    size = {subset: printed.cell(2, subset, name)["n"] for subset in subsets}
    for subset, chosen in subsets.items():
        found.add(chosen, size[subset], size[subset])
    everybody = size["reliable"] - printed.cell(3, "reliable", name)["n"]
    nobody = size["unreliable"] - printed.cell(4, "unreliable", name)["n"]
    found.add(subsets["reliable"] & (x == validators), everybody, everybody)
    found.add(subsets["unreliable"] & (x == 0), nobody, nobody)
    rates = [(printed.table1.loc[name, "marked"] + end) / 100 for end in (-0.05, 0.05)]
    if "marked" in table1:
        found.add(marks, *(rate * n * n_items for rate in rates))
    if "kappa" in table1:
        by_chance = [2 * rate * (1 - rate) for rate in rates]
        share = [1 - printed.table1.loc[name, "kappa"] + end for end in (-0.005, 0.005)]
        pairs = n_items * n * (n - 1) / 2
        ends = [pairs * a * b for a, b in zip(share, by_chance, strict=True)]
        found.add(marks * (n - marks), *ends)
    if mix:
        for subset, chosen in subsets.items():
            own, other = own_and_other(printed, subset, name)
            # Both ends move up and down together, so the slope stays: w * (own - other).
            slope = chosen * x * (own - other) / (validators * size[subset])
            middle = printed.cell(2, subset, name)["percent"] - other
            found.add(slope, middle - 2 * HALF, middle + 2 * HALF)
    return found


def feasible(printed: Printed) -> pd.DataFrame:
    """List the ranges that other printed numbers leave to what Tables 1 to 4 print."""
    x, y, subsets = cells_of(printed)
    rows: list[tuple] = []
    n = printed.count("n_annotators")
    scale = 100 / (n * printed.count("n_paragraphs"))
    for name, table1 in printed.table1.iterrows():
        marked = constrain(printed, name, table1=()).range(x + y)
        rows.append((name, "marked", table1["marked"], *(scale * end for end in marked)))
        rows.append((name, "kappa", table1["kappa"], *kappa_range(printed, name)))
        both, everything = constrain(printed, name, mix=False), constrain(printed, name)
        for subset, chosen in subsets.items():
            cell = printed.cell(2, subset, name)
            weights = chosen * x / (printed.design["n_validators"] * cell["n"])
            rows.append((name, f"{subset} share of own marks", np.nan, *everything.range(weights)))
            own, other = own_and_other(printed, subset, name)
            mixed = [other + w * (own - other) for w in both.range(weights)]
            ends = min(mixed) - HALF, max(mixed) + HALF
            rows.append((name, f"{subset} accept", cell["percent"], *ends))
        for k in range(1, n + 1):
            rows.append((name, f"paragraphs with {k} marks", np.nan, *everything.range(x + y == k)))
    table = pd.DataFrame(rows, columns=["type", "quantity", "printed", "lower", "upper"])
    fits = table["printed"].between(table["lower"], table["upper"]).astype(object)
    return table.assign(fits=fits.where(table["printed"].notna(), ""))


def kappa_range(printed: Printed, name: str) -> tuple[float, float]:
    """Return the smallest and largest kappa that Tables 2 to 4 and the share of marks leave."""
    x, y, _ = cells_of(printed)
    marks = x + y
    n, n_items = printed.design["n_annotators"], printed.design["n_paragraphs"]
    middle = printed.table1.loc[name, "marked"] / 100
    ends = []
    for rate in np.linspace(middle - 0.0005, middle + 0.0005, 5):
        found = constrain(printed, name, table1=())
        found.add(marks, rate * n * n_items, rate * n * n_items)
        by_chance = n_items * n * (n - 1) / 2 * 2 * rate * (1 - rate)
        ends += [1 - end / by_chance for end in found.range(marks * (n - marks))]
    return min(ends), max(ends)


def patterns(printed: Printed, name: str) -> np.ndarray:
    """Choose whole numbers of paragraphs that satisfy every constraint of a type.

    They are those nearest to the distribution of maximum entropy (annotators alike) with the
    printed counts, share of marks and kappa.
    """
    d, (x, y, _) = printed.design, cells_of(printed)
    marks = x + y
    target = maximum_entropy(printed, name)
    size = target.size
    whole = constrain(printed, name)
    n, rate = d["n_annotators"], printed.table1.loc[name, "marked"] / 100
    # A hair inside the printed kappa, for the share of marks may be a little off 4.0%.
    share, pairs = 1 - printed.table1.loc[name, "kappa"], d["n_paragraphs"] * n * (n - 1) / 2
    by_chance = pairs * 2 * rate * (1 - rate)
    whole.add(marks, *((rate + e) * n * d["n_paragraphs"] for e in (-0.0001, 0.0001)))
    whole.add(marks * (n - marks), *(by_chance * (share + e) for e in (-0.002, 0.002)))
    # The unknowns: the counts, then how far each is off.
    both = Constraints(2 * size)
    for row, lower, upper in zip(whole.rows, whole.lower, whole.upper, strict=True):
        both.add(np.concatenate([row, np.zeros(size)]), lower, upper)
    for one, wanted in zip(np.eye(size), target, strict=True):
        both.add(np.concatenate([one, -one]), -np.inf, wanted)
        both.add(np.concatenate([-one, -one]), -np.inf, -wanted)
    counts = both.solve(np.repeat([0.0, 1.0], size), integer=True)
    if counts is None:
        raise ValueError(f"patterns: the printed numbers of {name} contradict each other.")
    table = np.zeros((x.max() + 1, y.max() + 1), dtype=int)
    table[x, y] = np.round(counts[:size])
    return table


def maximum_entropy(printed: Printed, name: str) -> np.ndarray:
    """Return the distribution of maximum entropy with the printed counts of one type."""
    x, y, _ = cells_of(printed)
    v, n = printed.count("n_validators"), printed.count("n_annotators")
    base = comb(v, x) * comb(n - v, y) / comb(n, x + y)
    fixed = constrain(printed, name, mix=False)
    scale = np.array([np.abs(row).max() for row in fixed.rows])
    matrix = np.array(fixed.rows) / scale[:, None]
    wanted = (np.array(fixed.lower) + np.array(fixed.upper)) / 2 / scale

    def dual(weight: np.ndarray) -> tuple[float, np.ndarray]:
        counts = base * np.exp(np.clip(weight @ matrix, -50, 50))
        return counts.sum() - weight @ wanted, matrix @ counts - wanted

    found = scipy.optimize.minimize(dual, np.zeros(len(matrix)), jac=True, method="BFGS")
    return base * np.exp(np.clip(found.x @ matrix, -50, 50))
