"""Large tables as CSV by Arrow, which takes a sixth of the time of pandas.

Where Arrow is not installed pandas writes the same bytes.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd

from annobench.core.optional import is_installed, optional

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv as pa_csv
else:
    pa = optional("pyarrow", "A large table")
    pc = optional("pyarrow.compute", "A large table")
    pa_csv = optional("pyarrow.csv", "A large table")

#: What makes a text need quotes, which Arrow gives to all texts or to none.
_SPECIAL: Final = '[",\r\n]'
#: Arrow writes an exponent below and from these on.
_SMALL, _LARGE = 1e-6, 1e10


def write_unquoted(table: pd.DataFrame, path: Path) -> bool:
    """Write a table if none of its texts needs quotes."""
    names = pd.Series([str(name) for name in table.columns], dtype="str")
    if len(names) < 2 or names.str.contains(_SPECIAL).any():
        return False
    write = _write_by_arrow if is_installed("pyarrow") else _write_by_pandas
    return write(table, names.tolist(), path)


def _write_by_arrow(table: pd.DataFrame, names: list[str], path: Path) -> bool:
    columns = [_plain(column) for _, column in table.items()]
    kept = [column for column in columns if column is not None]
    if len(kept) < len(columns):
        return False
    with path.open("wb") as stream:
        stream.write((",".join(names) + "\n").encode())
        pa_csv.write_csv(
            pa.Table.from_arrays(kept, names),
            stream,
            pa_csv.WriteOptions(include_header=False, quoting_style="none"),
        )
    return True


def _plain(column: pd.Series) -> pa.ChunkedArray | None:
    """Return a column in Arrow, or None if it needs quotes."""
    try:
        found = pa.chunked_array([pa.array(column, from_pandas=True)])
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None  # texts beside numbers
    if pa.types.is_boolean(found.type):
        return pc.if_else(found, "True", "False")
    if pa.types.is_string(found.type) or pa.types.is_large_string(found.type):
        special = pc.any(pc.match_substring_regex(found, _SPECIAL))
        return None if special.as_py() else found
    is_plain = pa.types.is_integer(found.type) or pa.types.is_float64(found.type)
    return found if is_plain else None


def _write_by_pandas(table: pd.DataFrame, names: list[str], path: Path) -> bool:
    columns = [_as_written(column) for _, column in table.items()]
    kept = [column for column in columns if column is not None]
    if len(kept) < len(columns):
        return False
    written = pd.concat(kept, axis=1, keys=names)
    written.to_csv(path, index=False, lineterminator="\n", quoting=csv.QUOTE_NONE)
    return True


def _as_written(column: pd.Series) -> pd.Series | None:
    """Return a column formatted as by pandas, or None if Arrow would differ."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return None
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind == "string":
        special = column.astype("str").str.contains(_SPECIAL, na=False)
        return None if special.any() else column
    if kind in ("floating", "mixed-integer-float"):
        if column.dtype not in ("float64", "Float64", "object"):
            return None
        texts = [_number(float(x)) if pd.notna(x) else None for x in column]
        return pd.Series(texts, index=column.index, dtype=object)
    return column if kind in ("boolean", "integer") else None


def _number(x: float) -> str:
    """Write a number as Arrow does."""
    if not math.isfinite(x):
        return str(x)
    if x == 0 or _SMALL <= abs(x) < _LARGE:
        text = repr(x)
        if "e" in text:  # Python writes one from 1e-05 downwards
            digits, _, exponent = text.partition("e")
            text = f"{x:.{-int(exponent) + len(digits.lstrip('-').replace('.', '')) - 1}f}"
        return text.removesuffix(".0")
    digits, _, exponent = f"{x!r}".partition("e")
    if not exponent:  # nor does it below 1e+16
        figures = digits.lstrip("-").removesuffix(".0").rstrip("0")
        exponent = str(len(digits.lstrip("-").partition(".")[0]) - 1)
        digits = "-" * (x < 0) + (figures[0] + "." + figures[1:].replace(".", "")).rstrip(".")
    return f"{digits}e{int(exponent):+d}"
