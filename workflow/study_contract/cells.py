"""The cells of a study's grid: measured in parts by several jobs, put together in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

import pandas as pd

#: Measures a cell: a table of one row or more.
Cell = Callable[[], pd.DataFrame]


def measure_part(cells: Sequence[Cell], part: int, n_parts: int) -> pd.DataFrame:
    """Measure every `n_parts`-th cell.

    Parameters
    ----------
    cells : sequence of callable
        All cells of a study; the table of one does not depend on the others.
    part : int
        In [0, n_parts): the first cell that is measured.
    n_parts : int
        Jobs that share the cells.

    Returns
    -------
    DataFrame
        The tables one below the other, with the place of their cell in the column `cell`; empty
        if there are fewer cells than parts.
    """
    tables = [cells[n]().assign(cell=n) for n in range(part, len(cells), n_parts)]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame({"cell": []})


def join_parts(paths: Iterable[str | os.PathLike[str]]) -> pd.DataFrame:
    """Read the tables of all parts, and put their rows in the order of the cells.

    Parameters
    ----------
    paths : iterable of path
        Parquet files of tables from `measure_part`.

    Returns
    -------
    DataFrame
        Without the column `cell`.
    """
    tables = [pd.read_parquet(path) for path in paths]
    joined = pd.concat([table for table in tables if len(table)])
    return joined.sort_values("cell", kind="stable", ignore_index=True).drop(columns="cell")
