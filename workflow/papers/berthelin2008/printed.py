"""The printed tables of Berthelin et al. (2008), numbers as text where their rounding matters."""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annobench_replication.study import Study

REFERENCE = "ref"
SQUARE = ("table1", "table2", "table4", "table5", "table8", "table9")
LEVEL = 0.95
#: The levels of difficulty of section 4.1, in its order.
DIFFICULTY = ("easiest", "average", "hardest")


@dataclass(frozen=True)
class Printed:
    """The printed tables as frames of text, by name."""

    #: Tables 1, 2, 4, 5, 8 and 9: square, empty on and below the diagonal.
    kappa: dict[str, pd.DataFrame]
    #: All others.
    tables: dict[str, pd.DataFrame]

    @classmethod
    def of(cls, study: Study) -> "Printed":
        """Read the printed tables; every cell stays text until it is computed with."""
        frames = {
            name: study.printed(name, dtype=str, keep_default_na=False) for name in study.tables
        }
        kappa = {name: frames.pop(name).set_index("judge") for name in SQUARE}
        for name, frame in kappa.items():
            if list(frame.index) != list(frame.columns):
                raise ValueError(
                    f"{name}.csv: its rows are {list(frame.index)} and its columns "
                    f"{list(frame.columns)}. Name the judges in one order."
                )
            filled = frame.to_numpy() != ""
            if not (filled == np.triu(np.ones_like(filled), k=1)).all():
                raise ValueError(
                    f"{name}.csv: every pair must have one value, above the diagonal. "
                    "Fill in what is empty there, and empty the other half."
                )
        return cls(kappa, frames)

    def texts(self, name: str, *, judges_only: bool = False) -> list[str]:
        """Return the values of a table of coefficients as printed, row by row."""
        frame = self.kappa[name]
        return [
            str(frame.loc[first, second])
            for first, second in pairs_of(frame)
            if not (judges_only and REFERENCE in (first, second))
        ]

    def values(self, name: str, *, judges_only: bool = False) -> np.ndarray:
        """Return the values of a table of coefficients, row by row."""
        return np.array(self.texts(name, judges_only=judges_only), dtype=float)

    def numbers(self, name: str) -> pd.DataFrame:
        """Return a table of coefficients as numbers in both halves, NaN on the diagonal."""
        upper = self.kappa[name].replace("", "nan").astype(float)
        return upper.where(upper.notna(), upper.T)

    def column(self, name: str, column: str) -> "pd.Series[str]":
        """Return a column of another table as printed, by the table's first column."""
        frame = self.tables[name]
        return frame.set_index(frame.columns[0])[column]

    def floats(self, name: str, column: str) -> "pd.Series[float]":
        """Return a column of another table as numbers, by the table's first column."""
        return self.column(name, column).astype(float)

    @property
    def genres(self) -> dict[str, int]:
        """The number of documents of each genre."""
        return {str(genre): int(n) for genre, n in self.floats("sample", "documents").items()}

    @property
    def n_documents(self) -> int:
        """The number of documents of the first test of 2008."""
        return sum(self.genres.values())

    @property
    def difficulty(self) -> pd.DataFrame:
        """Table 10 as numbers by corpus, the level of difficulty from 0."""
        table = self.tables["table10"].set_index("corpus")
        return table.assign(level=table["level"].map(DIFFICULTY.index)).astype(float)


def pairs_of(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs of names above the diagonal, row by row."""
    return list(itertools.combinations(frame.index, 2))
