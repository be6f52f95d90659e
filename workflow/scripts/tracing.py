"""Run a paper's analysis with changed numbers, constants and data, to see what moves.

The analysis is run as the workflow runs it, at quick effort, and stopped as soon as it hands
over its values. Nothing is written but copies of the printed tables, in a temporary folder.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import pandas as pd

from annobench import datasets
from annobench.datasets import LoadedData
from annobench.replication.compare import CALIBRATION_METHOD, PAPER_METHOD, Computed, parse_printed
from annobench.replication.dependence import Changes, Number, cell_name, numbers_of

#: The group of the constants that an analysis declares: names of capitals in its module.
CONSTANTS = "constants of analysis.py"
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")

#: One item of so many is left out of changed data, and one annotator of so many.
ITEMS_EACH, ANNOTATORS_EACH = 8, 12


class _ValuesWritten(BaseException):
    """The analysis has handed over its values; what it draws and tabulates is not wanted."""

    def __init__(self, rows: Sequence[Computed]) -> None:
        self.rows = rows


def load_analysis(path: Path) -> ModuleType:
    """Import an analysis from its file, as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_traced", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python module.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


class TracedPaper:
    """A paper's analysis as a function of the numbers and data that it reads.

    Parameters
    ----------
    folder : Path
        The paper's folder, with `analysis.py` and `tables/`.
    data : mapping of str to Path
        Folders of its data sets by id.
    seed : int
        Of every run.
    """

    def __init__(self, folder: Path, data: Mapping[str, Path], seed: int) -> None:
        self._module = load_analysis(folder / "analysis.py")
        self._data, self._seed = dict(data), seed
        self._heads: dict[str, list[str]] = {}
        self._tables: dict[str, pd.DataFrame] = {}
        for path in sorted((folder / "tables").glob("*.csv")):
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            self._heads[path.name] = [line for line in lines if line.startswith("#")]
            self._tables[path.name] = pd.read_csv(
                path, comment="#", dtype="str", keep_default_na=False
            )
        self._loaded: dict[Path, LoadedData] = {}

    @property
    def data(self) -> list[str]:
        """The ids of the data sets."""
        return list(self._data)

    @property
    def numbers(self) -> list[Number]:
        """The numbers of the printed tables, and the constants of the analysis."""
        printed = [n for name, table in self._tables.items() for n in numbers_of(name, table)]
        constants = [Number(name, CONSTANTS, text) for name, text in _leaves(vars(self._module))]
        return [*printed, *constants]

    def __call__(self, changes: Changes, changed_data: Collection[str]) -> dict[str, float]:
        """Return the values by target, from changed numbers and data."""
        by_name = {number.name: text for number, text in changes.items()}
        with TemporaryDirectory() as scratch, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            top = Path(scratch)
            tables = self._write_tables(by_name, top / "tables")
            with (
                _patched(vars(self._module), _changed_constants(vars(self._module), by_name)),
                _patched(vars(self._module), {"write_computed": _hand_over}),
                _patched(vars(datasets), {"read": self._reader(changed_data)}),
            ):
                try:
                    self._module.main(
                        data=self._data,
                        printed_tables=tables,
                        folder=top / "out",
                        seed=self._seed,
                        effort="quick",
                    )
                except _ValuesWritten as written:
                    return {
                        row.target: float(row.value)
                        for row in written.rows
                        if row.method in (PAPER_METHOD, CALIBRATION_METHOD)
                    }
        raise RuntimeError("the analysis wrote no computed.csv: it must call write_computed.")

    def _write_tables(self, by_name: Mapping[str, str], folder: Path) -> list[Path]:
        folder.mkdir()
        paths = []
        for name, table in self._tables.items():
            frame = table.copy()
            for row in range(len(frame)):
                for column in range(1, len(frame.columns)):
                    cell = cell_name(name, frame, row, column)
                    if cell in by_name:
                        frame.iloc[row, column] = by_name[cell]
            paths.append(folder / name)
            text = frame.to_csv(index=False, lineterminator="\n")
            paths[-1].write_text("".join(self._heads[name]) + text, encoding="utf-8")
        return paths

    def _reader(self, changed: Collection[str]) -> Callable[[Path | str], LoadedData]:
        read = datasets.read

        def reading(folder: Path | str) -> LoadedData:
            path = Path(folder)
            if path not in self._loaded:
                self._loaded[path] = read(path)
            data = self._loaded[path]
            return _with_items_left_out(data) if path.name in changed else data

        return reading


def _hand_over(rows: Any, path: Path) -> None:
    raise _ValuesWritten(list(rows))


def _with_items_left_out(data: LoadedData) -> LoadedData:
    """Leave out some items with their labels, and where there are many annotators, some."""
    items = _kept(data.items["item"], ITEMS_EACH)
    labels = _kept(data.labels["item"], ITEMS_EACH)
    if data.labels["annotator"].nunique() >= ANNOTATORS_EACH:
        labels &= _kept(data.labels["annotator"], ANNOTATORS_EACH)
    return LoadedData(
        data.id,
        data.labels[labels].reset_index(drop=True),
        data.items[items].reset_index(drop=True),
        data.meta,
    )


def _kept(names: pd.Series, each: int) -> pd.Series:
    """Keep all names but one of so many, the same ones in every data set."""
    kept = {name: zlib.crc32(str(name).encode()) % each != 0 for name in names.unique()}
    return names.map(kept).astype(bool)


def _leaves(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """List the numbers among a module's constants, those in tuples, lists and dicts too."""
    for name, value in values.items():
        if _CONSTANT.fullmatch(name):
            yield from _numbers_in(name, value)


def _numbers_in(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        text = f"{value:.12f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
        try:
            parse_printed(text)
        except ValueError:
            return
        yield name, text
    elif isinstance(value, tuple | list):
        for n, part in enumerate(value):
            yield from _numbers_in(f"{name}[{n}]", part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _numbers_in(f"{name}[{key!r}]", part)


def _changed_constants(values: Mapping[str, Any], by_name: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: _rebuilt(name, value, by_name)
        for name, value in values.items()
        if _CONSTANT.fullmatch(name)
    }


def _rebuilt(name: str, value: Any, by_name: Mapping[str, str]) -> Any:
    if name in by_name:
        return type(value)(float(by_name[name]))
    if type(value) in (tuple, list):
        return type(value)(_rebuilt(f"{name}[{n}]", part, by_name) for n, part in enumerate(value))
    if type(value) is dict:
        return {key: _rebuilt(f"{name}[{key!r}]", part, by_name) for key, part in value.items()}
    return value


@contextmanager
def _patched(namespace: dict[str, Any], values: Mapping[str, Any]) -> Iterator[None]:
    before = {name: namespace[name] for name in values}
    namespace.update(values)
    try:
        yield
    finally:
        namespace.update(before)
