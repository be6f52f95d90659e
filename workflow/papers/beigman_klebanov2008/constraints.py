"""What the printed tables leave possible, jointly.

A paragraph has x marks by the seven annotators who validated and y by the two who did not. How
many paragraphs have each x and y must satisfy the counts of Tables 2 to 4, the share of marks
and kappa of Table 1, and the mixture of own and others' marks in Table 2. These are linear
constraints, so that the range of every linear quantity is found exactly.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy.optimize
from scipy.special import comb

from annobench.replication.feasible import Constraints

from .printed import HALF, SUBSETS, Printed


@dataclass(frozen=True)
class Cells:
    """The cells (x, y) except (0, 0), and which of them are reliable."""

    x: np.ndarray
    y: np.ndarray
    reliable: np.ndarray

    @classmethod
    def of(cls, printed: Printed) -> "Cells":
        """List the cells of the design."""
        v, n = printed.count("n_validators"), printed.count("n_annotators")
        x, y = (axis.ravel()[1:] for axis in np.indices((v + 1, n - v + 1)))
        return cls(x, y, x + y >= printed.design["threshold"])

    @property
    def marks(self) -> np.ndarray:
        """Marks of each cell."""
        return self.x + self.y

    def of_subset(self, subset: str) -> np.ndarray:
        """Say which cells belong to a subset."""
        return self.reliable if subset == "reliable" else ~self.reliable


def own_and_other(printed: Printed, subset: str, name: str) -> tuple[float, float]:
    """Return the percentages of own and of others' marks that were accepted."""
    rejected, other = (printed.cell(table, subset, name)["percent"] for table in (4, 3))
    return 100 - rejected, other


def constrain(
    printed: Printed, name: str, *, table1: tuple[str, ...] = ("marked", "kappa"), mix: bool = True
) -> Constraints:
    """Collect what the tables say of one type; kappa by its outer bounds, so that all is linear."""
    d, cells = printed.design, Cells.of(printed)
    found = Constraints(cells.x.size)
    n, n_items, validators = d["n_annotators"], d["n_paragraphs"], d["n_validators"]
    size = {subset: printed.cell(2, subset, name)["n"] for subset in SUBSETS[2:]}
    for subset in SUBSETS[2:]:
        found.add(cells.of_subset(subset), size[subset], size[subset])
    everybody = size["reliable"] - printed.cell(3, "reliable", name)["n"]
    nobody = size["unreliable"] - printed.cell(4, "unreliable", name)["n"]
    found.add(cells.reliable & (cells.x == validators), everybody, everybody)
    found.add(~cells.reliable & (cells.x == 0), nobody, nobody)
    rates = [(printed.table1.loc[name, "marked"] + end) / 100 for end in (-0.05, 0.05)]
    if "marked" in table1:
        found.add(cells.marks, *(rate * n * n_items for rate in rates))
    if "kappa" in table1:
        by_chance = [2 * rate * (1 - rate) for rate in rates]
        share = [1 - printed.table1.loc[name, "kappa"] + end for end in (-0.005, 0.005)]
        pairs = n_items * n * (n - 1) / 2
        ends = [pairs * a * b for a, b in zip(share, by_chance, strict=True)]
        found.add(cells.marks * (n - cells.marks), *ends)
    if mix:
        for subset in SUBSETS[2:]:
            own, other = own_and_other(printed, subset, name)
            # Both ends move up and down together, so the slope stays: w * (own - other).
            slope = cells.of_subset(subset) * cells.x * (own - other) / (validators * size[subset])
            middle = printed.cell(2, subset, name)["percent"] - other
            found.add(slope, middle - 2 * HALF, middle + 2 * HALF)
    return found


def feasible(printed: Printed) -> pd.DataFrame:
    """List the ranges that other printed numbers leave to what Tables 1 to 4 print."""
    cells, rows = Cells.of(printed), []

    def add(name: str, quantity: str, value: float, lower: float, upper: float) -> None:
        fits = "" if np.isnan(value) else bool(lower <= value <= upper)
        rows.append(
            {"type": name, "quantity": quantity, "printed": value}
            | {"lower": lower, "upper": upper, "fits": fits}
        )

    n = printed.count("n_annotators")
    scale = 100 / (n * printed.count("n_paragraphs"))
    for name, table1 in printed.table1.iterrows():
        marked = constrain(printed, name, table1=()).range(cells.marks)
        add(name, "marked", table1["marked"], *(scale * end for end in marked))
        add(name, "kappa", table1["kappa"], *kappa_range(printed, name))
        both, everything = constrain(printed, name, mix=False), constrain(printed, name)
        for subset in SUBSETS[2:]:
            cell = printed.cell(2, subset, name)
            votes = printed.design["n_validators"] * cell["n"]
            weights = cells.of_subset(subset) * cells.x / votes
            add(name, f"{subset} share of own marks", np.nan, *everything.range(weights))
            own, other = own_and_other(printed, subset, name)
            mixed = [other + w * (own - other) for w in both.range(weights)]
            ends = min(mixed) - HALF, max(mixed) + HALF
            add(name, f"{subset} accept", cell["percent"], *ends)
        for k in range(1, n + 1):
            add(name, f"paragraphs with {k} marks", np.nan, *everything.range(cells.marks == k))
    return pd.DataFrame(rows)


def kappa_range(printed: Printed, name: str) -> tuple[float, float]:
    """Return the smallest and largest kappa that Tables 2 to 4 and the share of marks leave."""
    cells = Cells.of(printed)
    n, n_items = printed.design["n_annotators"], printed.design["n_paragraphs"]
    middle = printed.table1.loc[name, "marked"] / 100
    ends = []
    for rate in np.linspace(middle - 0.0005, middle + 0.0005, 5):
        found = constrain(printed, name, table1=())
        found.add(cells.marks, rate * n * n_items, rate * n * n_items)
        by_chance = n_items * n * (n - 1) / 2 * 2 * rate * (1 - rate)
        ends += [1 - end / by_chance for end in found.range(cells.marks * (n - cells.marks))]
    return min(ends), max(ends)


def patterns(printed: Printed, name: str) -> np.ndarray:
    """Choose whole numbers of paragraphs that satisfy every constraint of a type.

    They are those nearest to the distribution of maximum entropy (annotators alike) with the
    printed counts, share of marks and kappa.
    """
    d, cells = printed.design, Cells.of(printed)
    target = maximum_entropy(printed, name)
    size = target.size
    whole = constrain(printed, name)
    n, rate = d["n_annotators"], printed.table1.loc[name, "marked"] / 100
    # A hair inside the printed kappa, for the share of marks may be a little off 4.0%.
    share, pairs = 1 - printed.table1.loc[name, "kappa"], d["n_paragraphs"] * n * (n - 1) / 2
    by_chance = pairs * 2 * rate * (1 - rate)
    whole.add(cells.marks, *((rate + e) * n * d["n_paragraphs"] for e in (-0.0001, 0.0001)))
    whole.add(cells.marks * (n - cells.marks), *(by_chance * (share + e) for e in (-0.002, 0.002)))
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
    table = np.zeros((cells.x.max() + 1, cells.y.max() + 1), dtype=int)
    table[cells.x, cells.y] = np.round(counts[:size])
    return table


def maximum_entropy(printed: Printed, name: str) -> np.ndarray:
    """Return the distribution of maximum entropy with the printed counts of one type."""
    cells = Cells.of(printed)
    v, n = printed.count("n_validators"), printed.count("n_annotators")
    base = comb(v, cells.x) * comb(n - v, cells.y) / comb(n, cells.marks)
    fixed = constrain(printed, name, mix=False)
    scale = np.array([np.abs(row).max() for row in fixed.rows])
    matrix = np.array(fixed.rows) / scale[:, None]
    wanted = (np.array(fixed.lower) + np.array(fixed.upper)) / 2 / scale

    def dual(weight: np.ndarray) -> tuple[float, np.ndarray]:
        counts = base * np.exp(np.clip(weight @ matrix, -50, 50))
        return counts.sum() - weight @ wanted, matrix @ counts - wanted

    found = scipy.optimize.minimize(dual, np.zeros(len(matrix)), jac=True, method="BFGS")
    return base * np.exp(np.clip(found.x @ matrix, -50, 50))
