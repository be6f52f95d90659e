"""The printed tables of Beigman Klebanov et al. (2008), and what the design adds to them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from annobench_replication.study import Study

#: Half a unit of a printed percentage.
HALF = 0.5
SUBSETS = ("random", "human", "unreliable", "reliable")


@dataclass(frozen=True)
class Printed:
    """The printed tables, with the numbers of paragraphs that the design determines.

    A number n of `cells` is NaN where neither a table nor the design determines it; Table 2's
    "human" is the weighted average of its parts.
    """

    table1: pd.DataFrame  # by type: kappa, marked (percent)
    marked: pd.Series  # by type: marked, as printed
    cells: pd.DataFrame  # by table, subset and type: n, percent, and that as printed
    lines: pd.Series  # by table and subset: percent of all types
    human: pd.Series  # by type: percent of all marked paragraphs, as printed
    design: pd.Series  # numbers of the text

    @property
    def types(self) -> list[str]:
        """The types of metaphor."""
        return list(self.table1.index)

    def count(self, name: str) -> int:
        """Return a whole number of the design."""
        return int(self.design[name])

    def cell(self, table: int, subset: str, name: str) -> pd.Series:
        """Return number and percentage of one cell."""
        return self.cells.loc[(f"table{table}", subset, name)]

    def texts(self, part: pd.DataFrame, subset: str) -> list[str]:
        """Return the percentages of the types as printed, in the order of the part."""
        if subset == "human":
            return list(self.human.reindex(part.index.get_level_values("type")))
        return list(part["printed"])

    @classmethod
    def read(cls, study: Study) -> "Printed":
        """Read the printed tables and fill in what the design determines."""

        def texts(name: str) -> pd.DataFrame:
            return study.printed(name, dtype="str", keep_default_na=False)

        cells = pd.concat({f"table{n}": texts(f"table{n}") for n in (2, 3, 4)}, names=["table", ""])
        cells = cells.reset_index("table").set_index(["table", "subset", "type"])
        cells["printed"] = cells["percent"]
        cells = cells.assign(n=pd.to_numeric(cells["n"]), percent=cells["percent"].astype(float))
        design = texts("design").set_index("name")["value"].astype(float)
        table1 = texts("table1").set_index("type")
        # Three marks can't be by all seven validators; four can't be by the other two.
        n_others = design["n_annotators"] - design["n_validators"]
        all_usable = {
            "table3": design["threshold"] - 1 < design["n_validators"],
            "table4": design["threshold"] > n_others,
        }
        for table, subset, name in cells.index[cells["n"].isna()]:
            if all_usable[table]:
                cells.loc[(table, subset, name), "n"] = cells.loc[("table2", subset, name), "n"]
        for name in table1.index:
            parts = parts_of(cells, name)
            percent = np.average(parts["percent"], weights=parts["n"])
            human = [parts["n"].sum(), percent, ""]
            cells.loc[("table2", "human", name), ["n", "percent", "printed"]] = human
        return cls(
            table1.astype(float),
            table1["marked"],
            cells.sort_index(),
            texts("bottom_lines").set_index(["table", "subset"])["percent"].astype(float),
            texts("human").set_index("type")["percent"],
            design,
        )

    def refuse_gaps(self) -> None:
        """Refuse tables with a number of paragraphs that nothing determines."""
        gaps = self.cells.index[self.cells["n"].isna()]
        if len(gaps):
            table, subset, name = gaps[0]
            raise ValueError(f"{table}.csv: give the number of {subset} {name} paragraphs.")


def parts_of(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the two cells of Table 2 that make up all marked paragraphs of a type."""
    return cells.loc[[("table2", subset, name) for subset in SUBSETS[2:]]]
