"""Draws from a posterior as an array of named parameters, from several kinds of files.

A parameter is named as in `confusion[1,2,1]`: indices from 1, in the order of the array. CmdStan's
`confusion.1.2.1` is the same. Probabilities are compared as they are, concentrations as logarithms,
since the moments of a concentration may be infinite.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import ReaderError
from annobench.core.results import Summarised
from annobench.models import diagnostics

__all__ = ["Draws", "flatten", "read_draws"]

Floats = NDArray[np.float64]

#: Columns that say of which chain a draw is, and columns that are no parameters.
_CHAIN = ("chain", ".chain", "chain__", "Chain")
_ORDER = ("Unnamed: 0", "draw", ".draw", "draw__", ".iteration", "iteration", "iter__", "Draw")


@dataclass(frozen=True, eq=False)
class Draws(Summarised):
    """C chains of S draws of P parameters.

    Attributes
    ----------
    names : tuple of str
        Names of the parameters.
    array : ndarray, shape (C, S, P)
        The draws.
    remarks : tuple of str
        Remarks on how they were read.
    """

    names: tuple[str, ...]
    array: Floats
    remarks: tuple[str, ...] = ()

    def summary(self) -> pd.DataFrame:
        """Return mean and standard deviation of each parameter.

        Returns
        -------
        DataFrame
            By parameter: `mean`, `standard_deviation`.
        """
        return pd.DataFrame(
            {
                "mean": self.array.mean(axis=(0, 1)),
                "standard_deviation": self.array.std(axis=(0, 1)),
            },
            index=pd.Index(self.names, name="parameter"),
        )

    def _headline(self) -> str:
        chains, draws, parameters = self.array.shape
        return f"{chains} chains of {draws:,} draws of {parameters:,} parameters"

    def select(self, names: Sequence[str]) -> Draws:
        """Keep some parameters.

        Parameters
        ----------
        names : sequence of str
            Names of the parameters to keep, in this order.

        Returns
        -------
        Draws
            The same draws of them.
        """
        at = {name: n for n, name in enumerate(self.names)}
        return Draws(tuple(names), self.array[:, :, [at[name] for name in names]], self.remarks)


def flatten(arrays: Mapping[str, NDArray[np.floating]]) -> Draws:
    """Name every component of arrays of draws.

    Parameters
    ----------
    arrays : mapping of str to ndarray, shape (C, S, ...)
        By parameter.

    Returns
    -------
    Draws
        A parameter without further axes keeps its name.

    Examples
    --------
    >>> flatten({"a": np.zeros((2, 9)), "b": np.zeros((2, 9, 1, 2))}).names
    ('a', 'b[1,1]', 'b[1,2]')
    """
    names: list[str] = []
    parts = []
    for name, values in arrays.items():
        shape = values.shape[2:]
        for index in np.ndindex(shape):
            names.append(f"{name}[{','.join(str(n + 1) for n in index)}]" if shape else name)
        parts.append(values.reshape(*values.shape[:2], -1).astype(np.float64))
    return Draws(tuple(names), np.concatenate(parts, axis=2))


def split_name(name: str) -> tuple[str, tuple[int, ...]]:
    """Split the name of a component into that of its parameter and its indices."""
    found = re.fullmatch(r"(.+?)\[([\d,\s]+)\]", name) or re.fullmatch(r"(.+?)((?:\.\d+)+)", name)
    if found is None:
        return name, ()
    return found[1], tuple(int(n) for n in re.findall(r"\d+", found[2]))


def join_name(parameter: str, index: Sequence[int]) -> str:
    """Write the name of a component."""
    return f"{parameter}[{','.join(map(str, index))}]" if index else parameter


def is_on_log_scale(name: str) -> bool:
    """Return whether a parameter is compared on the log scale."""
    return split_name(name)[0].endswith("concentration")


def on_scale(draws: Draws) -> Floats:
    """Return draws on the scales on which they are compared."""
    values = draws.array.copy()
    for n, name in enumerate(draws.names):
        if is_on_log_scale(name):
            with np.errstate(divide="ignore", invalid="ignore"):
                values[:, :, n] = np.log(values[:, :, n])
    return values


def read_draws(paths: Sequence[Path]) -> Draws:
    """Read draws that a sampler wrote.

    Parameters
    ----------
    paths : sequence of Path
        CSV files, one per chain or with a column `chain`, as written by CmdStan or others; or one
        npz file with an array of shape (C, S, ...) for each parameter; or one netCDF file of arviz
        with the group `posterior`.

    Returns
    -------
    Draws
        All numeric columns; chains are truncated to the length of the shortest.

    Raises
    ------
    ReaderError
        If a file can't be read, is of another kind, has no draws, a value that is not a finite
        number, or chains with different parameters.
    """
    kinds = {path.suffix.lower() for path in paths}
    readers = {".npz": _read_npz, ".nc": _read_netcdf}
    missing = [path for path in paths if not path.is_file()]
    if missing:
        raise ReaderError(f"{missing[0]}: there is no such file. Name a file with draws.")
    if kinds <= {".csv"}:
        found = _read_csv(paths)
    elif len(paths) == 1 and kinds <= set(readers):
        found = readers[kinds.pop()](paths[0])
    else:
        raise ReaderError(
            f"{', '.join(map(str, paths))}: draws are read from CSV files, or from one npz or one "
            "netCDF (.nc) file."
        )
    if found.array.shape[1] < 4:
        raise ReaderError(f"{paths[0]}: {found.array.shape[1]} draws per chain; give at least 4.")
    bad = ~np.isfinite(found.array).all(axis=(0, 1))
    if bad.any():
        raise ReaderError(
            f"{paths[0]}: {found.names[int(bad.argmax())]} has a draw that is not a finite number. "
            "Write all draws as numbers."
        )
    return found


def _read_csv(paths: Sequence[Path]) -> Draws:
    chains: list[pd.DataFrame] = []
    for path in paths:
        try:
            table = pd.read_csv(path, comment="#")
        except (ValueError, OSError) as error:
            raise ReaderError(f"{path}: not a CSV file with a header ({error}).") from error
        of_chain = next((name for name in _CHAIN if name in table), None)
        table = table.drop(
            columns=[n for n in table if n in _ORDER or str(n).startswith("Unnamed")]
        )
        if of_chain is None:
            chains.append(table)
        else:
            chains += [part.drop(columns=of_chain) for _, part in table.groupby(of_chain)]
    first = chains[0]
    words = [str(name) for name in first if not pd.api.types.is_numeric_dtype(first[name])]
    if words:
        raise ReaderError(f"{paths[0]}: column {words[0]!r} has other values than numbers.")
    for table in chains[1:]:
        if list(table) != list(first):
            raise ReaderError(
                f"{', '.join(map(str, paths))}: the chains have different columns. Write the same "
                "parameters in the same order."
            )
    length = min(map(len, chains))
    values = np.stack([table.to_numpy(dtype=np.float64)[:length] for table in chains])
    names = tuple(join_name(*split_name(str(name))) for name in first)
    return Draws(names, values, _cut(length, max(map(len, chains))))


def _cut(shortest: int, longest: int) -> tuple[str, ...]:
    if shortest == longest:
        return ()
    return (f"Chains of up to {longest:,} draws were cut to the {shortest:,} of the shortest.",)


def _read_npz(path: Path) -> Draws:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, OSError) as error:
        raise ReaderError(f"{path}: not an npz file of arrays ({error}).") from error
    return _of_arrays(path, arrays)


def _read_netcdf(path: Path) -> Draws:
    arviz = diagnostics.import_arviz("A netCDF file of draws")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = arviz.from_netcdf(str(path))
        arrays = {
            str(name): variable.transpose("chain", "draw", ...).to_numpy()
            for name, variable in data.posterior.data_vars.items()
        }
    except (AttributeError, ValueError, OSError) as error:
        raise ReaderError(
            f"{path}: not a netCDF file of arviz with the group posterior ({error})."
        ) from error
    return _of_arrays(path, arrays)


def _of_arrays(path: Path, arrays: Mapping[str, NDArray[np.floating]]) -> Draws:
    shapes = {values.shape[:2] for values in arrays.values()}
    if not arrays or len(shapes) > 1 or len(next(iter(shapes))) < 2:
        raise ReaderError(
            f"{path}: the arrays' first axes must be chains and draws, the same for all; got "
            f"{', '.join(f'{name} {values.shape}' for name, values in arrays.items()) or 'none'}."
        )
    return flatten(
        {
            name: values
            for name, values in arrays.items()
            if np.issubdtype(values.dtype, np.number) or values.dtype == bool
        }
    )
