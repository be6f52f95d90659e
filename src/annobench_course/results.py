"""The workbench's results in the course: what a session quotes is read, never typed."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from annobench.core.discovery import did_you_mean
from annobench_course.errors import CourseError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "FILE", "Results", "Value", "read_table"]

#: The file of values in the course's folder of data, and its columns.
FILE = "results.csv"
COLUMNS = ("paper", "target", "label", "source", "published", "computed", "verdict")


@dataclass(frozen=True)
class Value:
    """A value that a paper prints, and the one that the workbench computes.

    Attributes
    ----------
    paper, target : str
        Where it is found in the workbench's table of results.
    label, source : str
        What it is, and where the paper prints it.
    published : str
        As printed.
    computed : float
        As computed, unrounded; NaN if its inputs were not found.
    verdict : str
        How the two compare, such as "reproduced".
    """

    paper: str
    target: str
    label: str
    source: str
    published: str
    computed: float
    verdict: str

    @property
    def printed(self) -> float:
        """The printed value as a number; NaN if it is none."""
        try:
            return float(self.published.replace(",", "").replace("%", "").lstrip("<>=~"))
        except ValueError:
            return float("nan")

    @property
    def is_simulated(self) -> bool:
        """Whether the computed value comes from simulated labels in place of real ones."""
        return self.verdict == "stand_in"

    def __float__(self) -> float:
        """Return the computed value."""
        return self.computed

    def rounded(self) -> str:
        """Return the computed value with as many decimals as are printed.

        Returns
        -------
        str
            Such as "0.75".
        """
        _, _, decimals = self.published.rstrip("% ").partition(".")
        return f"{self.computed:.{len(decimals) if decimals.isdigit() else 0}f}"


class Results:
    """The values of a file, by paper and target.

    Parameters
    ----------
    values : iterable of Value
        The values.
    where : str
        The file, for messages.
    """

    def __init__(self, values: Iterable[Value], where: str) -> None:
        self._values = {(value.paper, value.target): value for value in values}
        self._where = where

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read a file of values, or the workbench's own table of comparisons.

        Parameters
        ----------
        path : path
            A CSV file that has the columns of `COLUMNS`.

        Returns
        -------
        Results
            Its values.

        Raises
        ------
        CourseError
            If there is no such file, or it lacks a column.
        """
        try:
            with path.open(newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            return cls((_value(row) for row in rows), str(path))
        except OSError as error:
            raise CourseError(
                f"{path}: there are no results here. They are in the folder `data` of the course's "
                "archive; in the repository, `make results` computes them."
            ) from error
        except KeyError as error:
            raise CourseError(f"{path}: the column {error} is missing. Make it anew.") from error

    def __iter__(self) -> Iterator[Value]:
        """Yield all values."""
        return iter(self._values.values())

    def value(self, paper: str, target: str) -> Value:
        """Return a value.

        Parameters
        ----------
        paper : str
            Key of the paper.
        target : str
            Id of the value.

        Returns
        -------
        Value
            As printed and as computed.

        Raises
        ------
        CourseError
            If there is none of these names; names similar ones.
        """
        if (paper, target) in self._values:
            return self._values[paper, target]
        targets = [target for known, target in self._values if known == paper]
        if not targets:
            papers = sorted({paper for paper, _ in self._values})
            raise CourseError(
                f"{self._where}: there are no results of a paper {paper!r}."
                f"{did_you_mean(paper, papers)} There are {', '.join(papers)}."
            )
        raise CourseError(
            f"{self._where}: {paper} has no value {target!r}.{did_you_mean(target, targets)}"
        )


def read_table(folder: Path, name: str) -> pd.DataFrame:
    """Read a table of one of the workbench's studies.

    Parameters
    ----------
    folder : path
        The course's folder of data.
    name : str
        Study and table, such as "conformance/matrix".

    Returns
    -------
    DataFrame
        As the study stores it.

    Raises
    ------
    CourseError
        If there is no such table; lists those there are.
    """
    import pandas as pd

    path = folder / f"{name}.csv"
    if not path.is_file():
        known = sorted(
            file.relative_to(folder).with_suffix("").as_posix() for file in folder.glob("*/*.csv")
        )
        raise CourseError(
            f"{folder}: there is no table {name!r}.{did_you_mean(name, known)} There are "
            f"{', '.join(known) or 'none'}; in the repository, `make course` computes them."
        )
    return pd.read_csv(path)


def _value(row: Mapping[str, str]) -> Value:
    try:
        computed = float(row["computed"])
    except ValueError:
        computed = float("nan")
    texts = {name: row[name] for name in COLUMNS if name != "computed"}
    return Value(**texts, computed=computed)
