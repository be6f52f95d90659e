"""A classifier's probabilities: a table with one row per item and one column per category."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from annobench.core.errors import ReaderError, report_faults
from annobench.core.numbers import plain_number
from annobench.io.cells import cells_of
from annobench.io.formats.base import Source

__all__ = ["read_predictions"]


def read_predictions(path: str | Path, *, item: str | None = None) -> pd.DataFrame:
    r"""Read a classifier's probabilities of the categories of items.

    Parameters
    ----------
    path : str or Path
        CSV, TSV or Parquet with a header and one row per item: its name, and a probability in the
        column of each category.
    item : str, optional
        Name of the column of the items; by default usual names are recognised.

    Returns
    -------
    DataFrame
        A column per category, by item.

    Raises
    ------
    ReaderError
        If there is no such file, a cell is not a number, or an item has no name or two rows.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "model.csv")
    ...     _ = path.write_text("item,no,yes\nx,0.2,0.8\n")
    ...     read_predictions(path).loc["x"].to_dict()
    {'no': 0.2, 'yes': 0.8}
    """
    path = Path(path)
    if not path.is_file():
        raise ReaderError(
            f"{path}: no such file. Give a table with a row per item and a column per category."
        )
    table = cells_of(Source(path))
    of_items = table.choose({"item": item}).roles["item"]
    names = [name for name in table.header if name != of_items]
    _, columns = table.columns({"item": of_items, **{name: name for name in names}})
    items = columns["item"]
    cells = np.column_stack(
        [np.append(_numbers(columns[name].names), np.nan)[columns[name].codes] for name in names]
        or [np.zeros((items.codes.size, 0))]
    )
    faults = [(int(row), "no item") for row in np.flatnonzero(items.codes < 0)]
    for row, column in np.argwhere(np.isnan(cells)).tolist():
        code = columns[names[column]].codes[row]
        cell = repr(columns[names[column]].names[code]) if code >= 0 else "an empty cell"
        faults.append((row, f"{cell} in column {names[column]!r} is no probability"))
    again = pd.Series(items.codes).duplicated() & (items.codes >= 0)
    for row in np.flatnonzero(again).tolist():
        faults.append((row, f"item {items.names[items.codes[row]]!r} has a row above"))
    if faults:
        where = table.lines()
        texts = [f"{where[row]}: {text}" for row, text in sorted(faults)]
        report_faults(path, texts, "Correct these rows: an item has one row, of numbers.")
    return pd.DataFrame(
        cells, index=[items.names[i] for i in items.codes], columns=[*map(plain_number, names)]
    )


def _numbers(names: tuple[str, ...]) -> np.ndarray:
    return pd.to_numeric(pd.Series(names, dtype=object), errors="coerce").to_numpy(dtype=float)
