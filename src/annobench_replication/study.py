"""What a paper's analysis reads: data sets by id, printed tables by name, numbers by key.

An analysis reads nothing else, so that it can't open what it is compared with, and so that a
number or a data set can be changed to see which values move (`annobench_replication.tracing`).
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import pandas as pd

from annobench import datasets
from annobench.core.errors import PublicationError
from annobench.datasets import LoadedData

__all__ = ["Study"]

#: What a value rests on besides data sets, and the provenance that it has of it.
SOURCES: Final = {
    "simulation": "simulated",
    "printed": "printed_table",
    "closed_form": "closed_form",
    # Such as a margin, with which a question is asked
    "settings": "closed_form",
}

#: From the weakest to the strongest.
STRENGTH: Final = ("simulated", "printed_table", "real", "closed_form")


class Study:
    """The inputs of a paper's analysis.

    Parameters
    ----------
    data : mapping of str to Path or LoadedData
        Its data sets by id: the folder of each, read when it is first asked for, or the data.
    tables : mapping of str to Path or str
        Each printed table (CSV with lines of comments that begin with "#"), by name: its file, or
        its text.
    resources : mapping of str to Path, optional
        Where optional files are, by name; what is not installed is absent.
    """

    def __init__(
        self,
        data: Mapping[str, Path | LoadedData],
        tables: Mapping[str, Path | str],
        resources: Mapping[str, Path] | None = None,
    ) -> None:
        self._data = dict(data)
        self._tables = dict(tables)
        self._resources = dict(resources or {})

    @classmethod
    def of_folder(
        cls,
        folder: Path,
        data: Mapping[str, Path | LoadedData],
        resources: Mapping[str, Path] | None = None,
    ) -> Study:
        """Return the study of a paper's folder.

        Parameters
        ----------
        folder : Path
            With the printed tables in its `tables/`.
        data, resources
            As of the class.

        Returns
        -------
        Study
            What the paper's analysis reads.
        """
        paths = sorted((folder / "tables").glob("*.csv"))
        return cls(data, {path.stem: path for path in paths}, resources)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The ids of the data sets, in the order of `paper.yaml`."""
        return tuple(self._data)

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """The names of the printed tables."""
        return tuple(self._tables)

    def data(self, id: str) -> LoadedData:
        """Return a data set.

        Parameters
        ----------
        id : str
            Of those in `paper.yaml`.

        Returns
        -------
        LoadedData
            Read once.

        Raises
        ------
        PublicationError
            If `paper.yaml` does not list it.
        """
        found = _named(self._data, id, "data set", "Add it to datasets in paper.yaml")
        if isinstance(found, Path):
            found = self._data[id] = datasets.read(found)
        return found

    def printed(self, name: str, **options: Any) -> pd.DataFrame:
        """Return a printed table.

        Parameters
        ----------
        name : str
            Of a file of `tables/`, without its ending.
        **options
            Passed on to `pandas.read_csv`, such as ``index_col``, or ``dtype="str"`` where the
            number of printed places counts.

        Returns
        -------
        DataFrame
            The table without its comments.

        Raises
        ------
        PublicationError
            If there is no such table.
        """
        text = _named(self._tables, name, "printed table", f"Add tables/{name}.csv")
        if isinstance(text, Path):
            text = text.read_text(encoding="utf-8")
        table: pd.DataFrame = pd.read_csv(io.StringIO(text), comment="#", **options)
        return table

    def numbers(self, name: str) -> pd.Series[float]:
        """Return the numbers of a printed table with columns `name` and `value`.

        Parameters
        ----------
        name : str
            Of a file of `tables/`, without its ending.

        Returns
        -------
        Series
            The numbers by name.
        """
        return self.printed(name).set_index("name")["value"]

    def resource(self, name: str) -> Path | None:
        """Return where optional files are.

        Parameters
        ----------
        name : str
            Of those in `paper.yaml`.

        Returns
        -------
        Path or None
            None where they are not installed.
        """
        return self._resources.get(name)

    def provenance(self, *of: str) -> str:
        """Return the weakest provenance of what a value rests on.

        Parameters
        ----------
        *of : str
            Ids of data sets, "printed", "closed_form", "settings" or "simulation".

        Returns
        -------
        {"simulated", "printed_table", "real", "closed_form"}
            In the order from the weakest to the strongest.
        """
        found = {SOURCES.get(name) or self.data(name).provenance for name in of}
        return min(found, key=STRENGTH.index)

    def stand_ins(self, *of: str) -> list[str]:
        """Return the data sets that are simulated in place of the real ones.

        Parameters
        ----------
        *of : str
            As in `provenance`.

        Returns
        -------
        list of str
            Their ids.
        """
        return [name for name in of if name not in SOURCES and self.data(name).provenance != "real"]


_T = TypeVar("_T")


def _named(known: Mapping[str, _T], name: str, kind: str, remedy: str) -> _T:
    if name not in known:
        raise PublicationError(
            f"the analysis asks for the {kind} {name!r}; there are {', '.join(known) or 'none'}. "
            f"{remedy}, or correct the name."
        )
    return known[name]
