"""The header of a table: titles above it, and merged cells of annotators' names."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from annobench.core.errors import ReaderError
from annobench.labels.column_kinds import number_of

__all__ = ["BETWEEN", "DELIMITERS", "Header", "delimiter_of"]

#: What may stand between the columns of a text.
DELIMITERS = (",", "\t", ";", "|")

#: What stands between the names of a column that a header of several rows gives.
BETWEEN = " / "

#: Rows that are looked at to find the header.
LOOKED_AT = 30


#: Characters of a text in which these rows are looked for.
_HEAD = 65_536


def delimiter_of(text: str) -> str:
    """Find the delimiter of a text.

    Parameters
    ----------
    text : str
        The table, or its beginning.

    Returns
    -------
    str
        The delimiter in `DELIMITERS` that splits the header and most rows into equal numbers of
        fields: a header of people's names may have more commas than semicolons.
    """
    head = text.lstrip("\r\n")[:_HEAD]

    def fit(delimiter: str) -> tuple[int, int, int]:
        widths = _widths(head, delimiter)
        alike = sum(width == widths[0] for width in widths) if widths and widths[0] > 1 else 0
        return alike, widths[0] if widths else 0, sum(widths)

    return max(DELIMITERS, key=fit)


def _widths(text: str, delimiter: str) -> list[int]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        return [len(row) for row in islice(filter(None, rows), LOOKED_AT)]
    except csv.Error:
        return []


class Header(NamedTuple):
    """The header's rows and names.

    Attributes
    ----------
    skip : int
        Number of rows of titles above it.
    rows : int
        Number of rows of the header.
    names : tuple of str
        Names of the columns; empty if a column has none.
    """

    skip: int
    rows: int
    names: tuple[str, ...]

    @property
    def note(self) -> str:
        """Description for the user to confirm; empty for a header in the first row."""
        found = []
        if self.skip:
            rows = "1 row was" if self.skip == 1 else f"{self.skip} rows were"
            found.append(f"{rows} skipped as titles above the header")
        if self.rows > 1:
            found.append(
                f"the header has {self.rows} rows, of which the upper name several columns"
            )
        if not found:
            return ""
        text = "; ".join(found)
        return f"{text[0].upper()}{text[1:]}. Use --header-rows if that is wrong."


def find_header(rows: Sequence[Sequence[Any]], asked: int | None = None) -> Header:
    """Find the header among the first rows of a table."""
    cells = [[_text(cell) for cell in row] for row in rows]
    if not any(map(any, cells)):
        return Header(0, 1, ())
    width = Counter(_width(row) for row in cells if any(row)).most_common(1)
    usual = max((n for n, _ in width), default=0)
    filled = [n for n, row in enumerate(cells) if any(row)]
    start = next((n for n in filled if sum(map(bool, cells[n])) > 1 or usual < 2), filled[0])
    n_rows = asked or (2 if _names_groups(cells[start:]) else 1)
    header = cells[start : start + n_rows]
    if not all(_are_names(row, whole=n_rows == 1) for row in header):
        start = filled[0]
    n_rows = asked or (2 if _names_groups(cells[start:]) else 1)
    if start + n_rows > len(cells):
        raise ReaderError(
            f"Of a header of {n_rows} rows only {len(cells) - start} are there. Correct "
            "--header-rows."
        )
    own = cells[start : start + n_rows]
    longest = max(map(_width, own))
    filled_up = [_forward(row, longest) for row in own[:-1]]
    last = [*own[-1], *[""] * longest][:longest]
    # One word below all names, such as "label", tells nothing.
    if n_rows > 1 and len({word for word in last if word}) == 1:
        last = [word if not any(row[n] for row in filled_up) else "" for n, word in enumerate(last)]
    columns = list(zip(*filled_up, last, strict=True))
    parts_of: dict[str, list[str]] = {}
    for parts in columns:
        parts_of.setdefault(parts[0], []).append(parts[-1])
    # Above the items there may be a word, too, which is none of the groups.
    names = tuple(
        parts[-1]
        if asked is None and n_rows > 1 and parts[-1] and parts_of[parts[0]] != alike
        else BETWEEN.join(dict.fromkeys(part for part in parts if part))
        for alike in [parts_of[columns[-1][0]]]
        for parts in columns
    )
    skipped = sum(1 for n in filled if n < start)
    return Header(skipped, n_rows, names)


def _names_groups(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row names groups of columns with equal names in the second."""
    if len(rows) < 3:
        return False
    first, second = rows[0], rows[1]
    longest = max(_width(first), _width(second))
    above, below = _forward(first, longest), [*second, *[""] * longest][:longest]
    groups: dict[str, list[str]] = {}
    for name, part in zip(above, below, strict=True):
        if name:
            groups.setdefault(name, []).append(part)
    alike = [own for own in groups.values() if len(own) > 1]
    # The first may be that of the items.
    if len(alike) > 2 and alike[0] != alike[1]:
        alike = alike[1:]
    if len(alike) < 2 or any(own != alike[0] for own in alike):
        return False
    if not all(alike[0]) or len(set(alike[0])) < len(alike[0]):
        return False
    # Names of columns do not come again as labels in them.
    at = [n for n, name in enumerate(above) if name]
    return not any(
        len(row) > n and row[n] == below[n] for row in rows[2:LOOKED_AT] for n in at if below[n]
    )


def _are_names(row: Sequence[str], *, whole: bool) -> bool:
    """Return whether the cells of a row may be names of columns, and none is a number."""
    cells = row[: _width(row)]
    return all(math.isnan(number_of(cell)) if cell else not whole for cell in cells)


def _forward(row: Sequence[str], length: int) -> list[str]:
    """Fill empty cells with the preceding text, as for merged cells."""
    found: list[str] = []
    for cell in [*row, *[""] * length][:length]:
        found.append(cell or (found[-1] if found else ""))
    return found


def _width(row: Sequence[str]) -> int:
    return max((n for n, cell in enumerate(row, start=1) if cell), default=0)


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()
