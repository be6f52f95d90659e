"""Options and output of the commands that write a page and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from annobench.cli._replacing import record, refuse_to_replace
from annobench.cli._shared import check_folder
from annobench.core.files import replacing, write_csv
from annobench.core.optional import require

if TYPE_CHECKING:
    import pandas as pd

TableFormat = Literal["csv", "json", "parquet"]


@dataclass(frozen=True)
class Writing:
    """Where a command writes, and which files it may replace.

    Attributes
    ----------
    command : str
        The command's name, for messages.
    folder : Path
        The folder; created if necessary.
    force : bool
        Whether files that the command did not write may be replaced.
    sources : tuple of Path
        The command's input, which is never replaced.
    format : {"csv", "json", "parquet"}
        The format of the tables.
    """

    command: str
    folder: Path
    force: bool
    sources: tuple[Path, ...] = ()
    format: TableFormat = "csv"

    def check(self, files: Iterable[str], tables: Iterable[str] = ()) -> None:
        """Check in advance that the folder can be written and holds no other files."""
        if self.format == "parquet":
            require("pyarrow", "--format parquet")
        check_folder(self.folder, self.command)
        names = [*files, *(f"{name}.{self.format}" for name in tables)]
        refuse_to_replace(
            self.command,
            [self.folder / name for name in names],
            sources=self.sources,
            force=self.force,
        )

    def write(self, page: str, html: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
        """Write the page and the tables, each file atomically."""
        self.check([page], tables)
        with replacing(self.folder / page) as draft:
            draft.write_text(html, encoding="utf-8")
        self.record([page])
        return [page, *self.write_tables(tables)]

    def write_tables(self, tables: Mapping[str, pd.DataFrame]) -> list[str]:
        """Write tables, each file atomically."""
        self.check((), tables)
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
        self.record(written)
        return written

    def record(self, names: Iterable[str]) -> None:
        """Record the files that the command wrote, so that a later run may replace them."""
        record(self.command, self.folder, names)
