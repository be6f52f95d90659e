"""The columns of a table by role, coded: distinct names, and the code of each row."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.numbers import plain_number
from annobench.core.optional import optional
from annobench.io.formats.tables import listed_columns
from annobench.labels.columns import choose_columns

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
else:
    pc = optional("pyarrow.compute", "Parquet")

#: What stands between the parts of an item's name.
BETWEEN = " | "

#: Roles whose names are those of categories.
_CATEGORICAL = {"label", "gold"}


@dataclass(frozen=True)
class Column:
    """One column: the distinct names, and the code of each row (-1 where empty)."""

    names: tuple[str, ...]
    codes: NDArray[np.integer[Any]]

    @classmethod
    def of(cls, values: Sequence[str | None] | pa.ChunkedArray) -> Column:
        is_text = isinstance(values, Sequence)
        names, codes = _of_texts(values) if is_text else encoded(values)
        if "" in names:
            empty = names.index("")
            codes = np.where(codes == empty, -1, codes - (codes > empty)).astype(np.int32)
            del names[empty]
        return cls(tuple(names), codes)

    def of_categories(self) -> Column:
        """Merge whole numbers with and without a decimal point."""
        plain = tuple(map(plain_number, self.names))
        if plain == self.names:
            return self
        code_of, names = pd.factorize(np.array(plain, dtype=object))
        return Column(tuple(names), np.where(self.codes < 0, -1, code_of[self.codes]))


@dataclass(frozen=True)
class ChosenColumns:
    """The column of each role; several columns that together name the items in ``parts``."""

    roles: dict[str, str]
    parts: tuple[str, ...] = ()

    @property
    def names(self) -> dict[str, None]:
        """The columns to read, each once."""
        return dict.fromkeys([*self.roles.values(), *self.parts])

    @property
    def header(self) -> dict[str, str]:
        """The header's cells for each role."""
        return self.roles | ({"item": BETWEEN.join(self.parts)} if self.parts else {})

    def read(self, coded: Callable[[str], Column]) -> dict[str, Column]:
        """Return the columns by role."""
        columns = {role: coded(name) for role, name in self.roles.items()}
        for role in columns.keys() & _CATEGORICAL:
            columns[role] = columns[role].of_categories()
        if self.parts:
            columns["item"] = _together([coded(name) for name in self.parts])
        return columns


def chosen_columns(path: Path, header: list[str], wanted: dict[str, str | None]) -> ChosenColumns:
    """Map roles to columns; several may be named for the items, separated by commas."""
    item = wanted.get("item")
    parts = () if item is None or item in header else tuple(listed_columns(item, header))
    if len(parts) < 2 or not set(parts) <= set(header):
        return ChosenColumns(
            {role: name for name, role in choose_columns(path, header, wanted).items()}
        )
    rest = {role: name for role, name in wanted.items() if role != "item"}
    chosen = choose_columns(path, header, rest)
    return ChosenColumns({role: name for name, role in chosen.items()}, parts)


def _together(parts: list[Column]) -> Column:
    """Name rows by several columns; rows with a missing value have no name."""
    codes = np.column_stack([part.codes for part in parts])
    whole = (codes >= 0).all(axis=1)
    rows, place = np.unique(codes[whole], axis=0, return_inverse=True)
    cells = [[part.names[k] for part, k in zip(parts, row, strict=True)] for row in rows.tolist()]
    names = [BETWEEN.join(own) for own in cells]
    if len(set(names)) < len(names):  # a name holds what stands between
        names = [json.dumps(own, ensure_ascii=False) for own in cells]
    order, first = np.full(len(rows), -1), pd.unique(place)
    order[first] = np.arange(first.size)
    joint = np.full(len(codes), -1)
    joint[whole] = order[place]
    return Column(tuple(names[k] for k in first), joint)


def _of_texts(values: Sequence[str | None]) -> tuple[list[str], NDArray[np.integer[Any]]]:
    """Code texts by first appearance, -1 if missing."""
    codes, names = pd.factorize(np.array(values, dtype=object))
    return names.tolist(), codes


def encoded(values: pa.ChunkedArray) -> tuple[list[str], NDArray[np.integer[Any]]]:
    """Code Arrow texts by first appearance, -1 if missing."""
    # In one piece of any length, since to unify the dictionaries of pieces takes longer.
    whole = pc.dictionary_encode(values.cast("large_string").combine_chunks())
    codes = pc.fill_null(whole.indices, -1).to_numpy(zero_copy_only=False)
    return whole.dictionary.to_pylist(), codes
