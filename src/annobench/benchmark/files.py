"""The files of a benchmark, whose names the workflow needs before they are computed."""

from __future__ import annotations

from typing import Final

__all__ = ["SETTINGS", "TABLES", "file_names"]

#: The tables, as in `annobench.benchmark.tables.BenchmarkTables`.
TABLES: Final = (
    "scores",
    "differences",
    "curves",
    "across",
    "averages",
    "refits",
    "refit_errors",
    "refit_notes",
    "fits",
    "problems",
    "methods",
)

#: Tables that are long, and written compressed.
COMPRESSED: Final = ("differences", "curves")

SETTINGS: Final = "settings.json"


def file_names() -> dict[str, str]:
    """Return the names of the files of tables.

    Returns
    -------
    dict of str to str
        Names of files by table.
    """
    return {name: f"{name}.csv.gz" if name in COMPRESSED else f"{name}.csv" for name in TABLES}
