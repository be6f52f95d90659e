"""Test margins of tables by statsmodels and store what it finds.

Run from a clone, in an environment with statsmodels and pandas:

    python tests/reference/marginal_homogeneity/generate.py
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent

#: Unaided vision of 7,477 women, right eye by left: Stuart (1953), printed in Agresti (2013), too.
VISION = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
TABLES = {
    "vision": VISION,
    "approval": [[794, 150], [86, 570]],  # Agresti (2013), table 11.1
    "few": [[9, 1], [6, 4]],
    "three": [[20, 7, 3], [2, 15, 6], [1, 2, 12]],
    "one_way": [[5, 3, 2], [0, 6, 4], [0, 0, 7]],
}
#: Items, annotators, shares of a binary label, seed.
PANELS = {"three": (40, 3, 0.4, 1), "five": (60, 5, 0.8, 2)}


def panel(name: str) -> np.ndarray:
    """Draw binary labels of a panel whose annotators differ in how often they say yes."""
    n, j, share, seed = PANELS[name]
    rng = np.random.default_rng(seed)
    item = rng.random((n, 1)) < share
    return (rng.random((n, j)) < 0.8 * item + np.linspace(0, 0.3, j) * ~item).astype(int)


def rows() -> Iterator[tuple[str, str, float, int, float]]:
    """Yield what statsmodels says."""
    from statsmodels.stats.contingency_tables import SquareTable, cochrans_q, mcnemar

    for name, table in TABLES.items():
        square = SquareTable(np.array(table, dtype=float), shift_zeros=False)
        for method in ("stuart_maxwell", "bhapkar"):
            found = square.homogeneity(method)
            yield name, method, found.statistic, found.df, found.pvalue
        if len(table) == 2:
            chi_square = mcnemar(table, exact=False, correction=False)
            yield name, "mcnemar", chi_square.statistic, 1, mcnemar(table, exact=True).pvalue
    for name in PANELS:
        found = cochrans_q(panel(name))
        yield name, "cochran_q", found.statistic, found.df, found.pvalue


def main() -> None:
    """Write values.csv."""
    with (HERE / "values.csv").open("w", encoding="utf-8") as out:
        out.write("# edit: do not, run the script\n")
        out.write("# script: tests/reference/marginal_homogeneity/generate.py\n")
        out.write(f"# packages: statsmodels=={version('statsmodels')}\n")
        out.write(f"# date: {datetime.datetime.now(datetime.UTC).date()}\n")
        columns = ["case", "test", "statistic", "df", "p_value"]
        pd.DataFrame(rows(), columns=columns).to_csv(out, index=False, float_format="%.15g")


if __name__ == "__main__":
    main()
