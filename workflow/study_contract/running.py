"""What a study of our own reads, and what it writes: a paper's contract without printed values.

A cell draws from a generator made of the seed and the cell's own description, so that its numbers
do not depend on the job that measures it. A study therefore gets the seed where a paper gets a
generator, and its grid, reduced or full, is the effort.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.core.errors import PublicationError
from annobench.core.files import replacing
from annobench.core.versions import versions
from study_contract.cells import join_parts

#: The file beside the tables that says what made them.
SETTINGS = "settings.json"


@dataclass(frozen=True)
class OwnStudy:
    """The inputs of a study.

    Attributes
    ----------
    settings : mapping
        Of a study with a design: `design`, and `grid`, the name of its grid. Of one that draws
        random numbers: `seed`.
    data : mapping of str to Path
        The folders of its data sets, by id.
    files : mapping of str to Path
        Other inputs by name.
    parts : sequence of Path
        The tables of all parts of its cells.
    """

    settings: Mapping[str, Any]
    data: Mapping[str, Path] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    parts: Sequence[Path] = ()

    @property
    def design(self) -> Any:
        """The design, as the configuration has it."""
        return self.settings["design"]

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        seed: int = self.settings["seed"]
        return seed

    @cached_property
    def measured(self) -> pd.DataFrame:
        """The rows of all cells, in their order."""
        return join_parts(self.parts)


class StudyResults:
    """The tables of a study, and what made them.

    Parameters
    ----------
    folder : Path
        Where the files go.
    tables : sequence of str
        What `study.yaml` lists.
    """

    def __init__(self, folder: Path, tables: Sequence[str]) -> None:
        self._folder, self._tables = folder, tuple(tables)
        self._written: set[str] = set()

    def table(self, name: str, table: pd.DataFrame, *, digits: int | None = 6) -> None:
        """Write a table.

        Parameters
        ----------
        name : str
            As in `study.yaml`.
        table : DataFrame
            What is written.
        digits : int or None, default 6
            Significant digits; None for all.

        Raises
        ------
        PublicationError
            If `study.yaml` does not list it.
        """
        if name not in self._tables:
            raise PublicationError(
                f"the analysis writes the table {name!r}; study.yaml lists "
                f"{', '.join(self._tables)}. Add it there, or correct the name."
            )
        with replacing(self._folder / f"{name}.csv") as draft:
            form = None if digits is None else f"%.{digits}g"
            table.to_csv(draft, index=False, float_format=form)
        self._written.add(name)

    def finish(self, study: OwnStudy) -> None:
        """Write what made the tables, when everything listed has been written.

        Raises
        ------
        PublicationError
            If a table that `study.yaml` lists was not written.
        """
        if missing := [name for name in self._tables if name not in self._written]:
            raise PublicationError(
                f"the analysis did not write {', '.join(missing)}, which study.yaml lists. Write "
                "them, or remove them from the list."
            )
        settings = dict(study.settings) | {"versions": versions()}
        with replacing(self._folder / SETTINGS) as draft:
            draft.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")


def read_settings(folder: Path) -> dict[str, Any]:
    """Return what made the tables of a folder."""
    settings: dict[str, Any] = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    return settings
