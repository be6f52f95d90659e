"""The options of all commands that write a page and tables, and how they write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from annobench.cli._shared import check_folder
from annobench.core.errors import AnnotationError
from annobench.core.files import replacing, write_csv

if TYPE_CHECKING:
    import pandas as pd

TableFormat = Literal["csv", "json", "parquet"]

#: By this file a folder without a page is known.
MARK = "command.txt"


@dataclass(frozen=True)
class Writing:
    """Where a command writes its page and tables.

    Attributes
    ----------
    command : str
        The command's name, for messages.
    folder : Path
        The folder; made if need be.
    format : {"csv", "json", "parquet"}
        The format of the tables.
    force : bool
        Whether files that are not the command's own may be replaced.
    """

    command: str
    folder: Path
    format: TableFormat
    force: bool

    def check(self, page: str, names: Sequence[str]) -> None:
        """Refuse, before any time is spent, a folder that can't be written or holds other files.

        Parameters
        ----------
        page : str
            The page, by which a folder of the command is known.
        names : sequence of str
            Tables that may be written, without ending.

        Raises
        ------
        AnnotationError
            If the folder can't be written, or a file of somebody else would be replaced.
        """
        check_folder(self.folder, self.command)
        if self.force or any((self.folder / name).exists() for name in (page, MARK)):
            return
        others = [
            f"{name}.{ending}"
            for name in names
            for ending in get_args(TableFormat)
            if (self.folder / f"{name}.{ending}").exists()
        ]
        if others:
            raise AnnotationError(
                f"{self.command}: {self.folder} holds {', '.join(others)}, which this command did "
                "not write. Name another folder with --out, or replace them with --force."
            )

    def write(self, page: str, html: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
        """Write the page and the tables, each whole or not at all.

        Parameters
        ----------
        page : str
            Name of the page.
        html : str
            Its content.
        tables : mapping of str to DataFrame
            The tables, by name without ending.

        Returns
        -------
        list of str
            Names of the files.
        """
        with replacing(self.folder / page) as draft:
            draft.write_text(html, encoding="utf-8")
        return [page, *self._write_tables(tables)]

    def write_without_page(self, source: Path, tables: Mapping[str, pd.DataFrame]) -> list[str]:
        """Write tables that no page shows, each whole or not at all.

        Parameters
        ----------
        source : Path
            What they are made of.
        tables : mapping of str to DataFrame
            The tables, by name without ending.

        Returns
        -------
        list of str
            Names of the tables' files.
        """
        with replacing(self.folder / MARK) as draft:
            draft.write_text(f"annobench {self.command} {source}\n", encoding="utf-8")
        return self._write_tables(tables)

    def _write_tables(self, tables: Mapping[str, pd.DataFrame]) -> list[str]:
        written = []
        for name, table in tables.items():
            written.append(f"{name}.{self.format}")
            if self.format == "csv":
                write_csv(table, self.folder / written[-1])
                continue
            with replacing(self.folder / written[-1]) as draft:
                if self.format == "json":
                    table.to_json(draft, orient="records", indent=1, force_ascii=False)
                else:
                    table.to_parquet(draft, index=False)
        return written
